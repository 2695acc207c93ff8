/* Reverse halo updates of fields, in the caller's buffer: every point and every ghost point, against PETSc's
 * own DMLocalToGlobal(ADD_VALUES) of a local vector with the same values. */
#include "reverse_oracle.h"
#include "reverse_trial.h"

#include <dapbridge/log.h>

/* ---- rows: arrays whose padding is exactly the ghost points of the DMDA ------------------------------- */

/* clang-format off */
static const field_row rows[] = {
  {"1-D", 1, {17}, .halo = {1}},
  {"1-D, irregular, halo 2", 1, {29}, .lengths = IRREGULAR, .halo = {2}},
  {"1-D, no padding", 1, {17}, .halo = {0}},
  {"1-D, round the period", 1, {35}, .halo = {2}, .periodic = {1}, .wraps = {1}},
  {"1-D, round a short period", 1, {7}, .halo = {1}, .periodic = {1}, .wraps = {1}},
  {"1-D, stripped", 1, {35}, .halo = {2}, .boundary = {{2, 2}}, .periodic = {1},
   .options = {.strip_periodic = true}},
  {"1-D, ghost points outside", 1, {35}, .halo = {1}, .boundary = {{1, 1}},
   .options = {.boundary = DM_BOUNDARY_GHOSTED}},
  {"1-D, 3 components", 2, {17, 3}, .halo = {1}, .options = {.dof_axes = 1}},
  {"1-D, a copy", 1, {17}, .halo = {1}, .options = {.sharing = DAP_SHARE_NEVER}},
  {"1-D, other bytes", 1, {17}, .halo = {1}, .bytes = SWAPPED},
  {"1-D, other bytes on odd ranks", 1, {17}, .halo = {1}, .bytes = SWAPPED_ON_ODD},
  {"1-D, backwards", 1, {35}, .halo = {1}, .form = FORM_NEGATIVE},
  {"2-D, slabs", 2, {19, 7}, ALONG_FIRST, .halo = {1, 0}},
  {"2-D, blocks: corners", 2, {11, 13}, SQUARE, .halo = {1, 1}},
  {"2-D, blocks, halo 2", 2, {13, 17}, SQUARE, .halo = {2, 2}},
  {"2-D, irregular", 2, {14, 17}, SQUARE, IRREGULAR, .halo = {1, 1}},
  {"2-D, boundary padding as points", 2, {13, 15}, SQUARE, .halo = {1, 1}, .boundary = {{1, 1}, {2, 1}}},
  {"2-D, ghost points outside", 2, {13, 15}, SQUARE, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}},
   .options = {.boundary = DM_BOUNDARY_GHOSTED}},
  {"2-D, round both periods", 2, {11, 13}, SQUARE, .halo = {1, 1}, .periodic = {1, 1}, .wraps = {1, 1}},
  {"2-D, round one period", 2, {15, 17}, SQUARE, .halo = {2, 2}, .periodic = {0, 1}, .wraps = {0, 1}},
  {"2-D, stripped both ways", 2, {15, 17}, SQUARE, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}},
   .periodic = {1, 1}, .options = {.strip_periodic = true}},
  {"2-D, stripped, F order", 2, {15, 17}, SQUARE, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}},
   .periodic = {1, 1}, .form = FORM_F, .options = {.strip_periodic = true}},
  {"2-D, stripped one way, ghost points outside the other", 2, {15, 17}, SQUARE, .halo = {1, 1},
   .boundary = {{1, 1}, {1, 1}}, .periodic = {0, 1},
   .options = {.strip_periodic = true, .boundary = DM_BOUNDARY_GHOSTED}},
  {"2-D, stripped, other bytes", 2, {15, 17}, SQUARE, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}},
   .periodic = {1, 1}, .bytes = SWAPPED_ON_ODD, .options = {.strip_periodic = true}},
  {"2-D, F order", 2, {11, 13}, SQUARE, .halo = {1, 1}, .form = FORM_F},
  {"2-D, window into a wider array", 2, {11, 13}, SQUARE, .halo = {1, 1}, .form = FORM_WINDOW},
  {"2-D, axes backwards", 2, {11, 13}, SQUARE, .halo = {1, 1}, .form = FORM_NEGATIVE},
  {"2-D, 2 components", 3, {11, 13, 2}, SQUARE, .halo = {1, 1}, .options = {.dof_axes = 1}},
  {"2-D, 2 components, round both periods", 3, {11, 13, 2}, SQUARE, .halo = {1, 1}, .periodic = {1, 1},
   .wraps = {1, 1}, .options = {.dof_axes = 1}},
  {"2-D, 3 components, stripped", 3, {15, 17, 3}, SQUARE, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}},
   .periodic = {1, 1}, .options = {.dof_axes = 1, .strip_periodic = true}},
  {"2-D, star stencil", 2, {11, 13}, SQUARE, .halo = {1, 1}, .options = {.star = true}},
  {"2-D, star stencil, round both periods", 2, {13, 15}, SQUARE, .halo = {2, 2}, .periodic = {1, 1},
   .wraps = {1, 1}, .options = {.star = true}},
  {"2-D, ranks in another order", 2, {11, 13}, SQUARE, .halo = {1, 1}, .shuffled = true},
  {"2-D, assembled", 2, {11, 13}, SQUARE, .halo = {1, 1}, .assembled = true},
  {"2-D, a copy", 2, {11, 13}, SQUARE, .halo = {1, 1}, .options = {.sharing = DAP_SHARE_NEVER}},
  {"3-D, blocks", 3, {7, 6, 5}, SQUARE, .halo = {1, 1, 1}},
  {"3-D, round all periods", 3, {7, 6, 5}, SQUARE, .halo = {1, 1, 1}, .periodic = {1, 1, 1},
   .wraps = {1, 1, 1}},
  {"3-D, stripped all ways", 3, {9, 7, 6}, SQUARE, .halo = {1, 1, 1}, .boundary = {{1, 1}, {1, 1}, {1, 1}},
   .periodic = {1, 1, 1}, .options = {.strip_periodic = true}},
  {"3-D, 3 components", 4, {7, 6, 5, 3}, SQUARE, .halo = {1, 1, 1}, .options = {.dof_axes = 1}},
  {"3-D, axes in another order", 3, {7, 6, 5}, SQUARE, .halo = {1, 1, 1}, .form = FORM_PERMUTED},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof rows[0] };

/* ---- sums --------------------------------------------------------------------------------------------- */

/* Copies of the array in PETSc's memory stay as they were; norms of what is shared are known anew. */
static void check_vectors(const trial *t, const oracle *o, Vec before)
{
  PetscReal norm = -1, want = -2;
  PetscBool same = PETSC_FALSE;
  EXPECT(!VecNorm(t->a.field.global, NORM_1, &norm));
  if (t->a.field.shared_global) {
    EXPECT(!VecNorm(o->global, NORM_1, &want));
    EXPECT_MSG(PetscAbsReal(norm - want) <= 1e-5 * want, "norm %g, not %g", (double)norm, (double)want);
  } else {
    EXPECT(!VecEqual(before, t->a.field.global, &same) && same);
  }
}

static void try_reverse(trial *t, dap_padding padding)
{
  dap_error err;
  oracle o = oracle_make(t);
  Vec before;
  PetscReal norm;
  const int64_t moved = t->a.field.moved_bytes;
  EXPECT(!VecDuplicate(t->a.field.global, &before) && !VecCopy(t->a.field.global, before));
  for (int round = 0; round < 2; round++) { /* the second by the plans of the first */
    const dap_combine combine = round ? DAP_COMBINE_SUM : DAP_COMBINE_NONE;
    EXPECT(!VecNorm(t->a.field.global, NORM_1, &norm));
    oracle_fill(t, &o, round);
    oracle_sum(t, &o, padding);
    if (!EXPECT_OK(dap_petsc_field_halo_reverse(&t->a.field, combine, padding, &err), &err)) break;
    oracle_check(t, &o, padding);
    check_vectors(t, &o, before);
    EXPECT_INT(t->a.field.moved_bytes, moved);
  }
  EXPECT(!VecDestroy(&before));
  oracle_free(&o);
}

static void sums(void **state)
{
  (void)state;
  for (int i = 0; i < ROWS; i++) {
    trial t;
    TEST_CASE("%s", rows[i].why);
    if (reverse_begin(&t, &rows[i], DAP_READ_WRITE))
      for (int padding = DAP_PADDING_KEEP; padding <= DAP_PADDING_REFRESH; padding++) {
        TEST_CASE("%s; padding %d", rows[i].why, padding);
        try_reverse(&t, (dap_padding)padding);
      }
    reverse_end(&t);
    SETTLE();
  }
}

/* ---- the largest, the smallest ------------------------------------------------------------------------ */

/* Ranks of a line add their numbers to the ends of their neighbours' points. */
static void extremes(void **state)
{
  (void)state;
  static const field_row line = {"a line", 1, {40}, .halo = {1}};
  for (int i = 0; i < 2; i++) {
    trial t;
    dap_error err;
    const dap_combine combine = i ? DAP_COMBINE_MIN : DAP_COMBINE_MAX;
    TEST_CASE("combine %d", (int)combine);
    if (reverse_begin(&t, &line, DAP_READ_WRITE)) {
      const int rank = test_rank(), procs = test_nprocs(), low = rank > 0, high = rank < procs - 1;
      PetscScalar *at = t.a.array.data;
      const int64_t n = t.a.array.shape[0];
      for (int64_t p = 0; p < n; p++) at[p] = rank;
      const dap_status s = dap_petsc_field_halo_reverse(&t.a.field, combine, DAP_PADDING_CLEAR, &err);
#if defined(PETSC_USE_COMPLEX)
      (void)low, (void)high;
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, i ? "no smallest" : "no largest");
#else
      EXPECT_OK(s, &err);
      for (int64_t p = low; p < n - high; p++) {
        const int other = p == low && low && i ? rank - 1 : p == n - high - 1 && high && !i ? rank + 1 : rank;
        EXPECT_MSG(at[p] == (PetscScalar)other, "point %d: %g, not %d", (int)p, (double)PetscRealPart(at[p]),
                   other);
      }
      if (low) EXPECT(at[0] == (PetscScalar)0);
      if (high) EXPECT(at[n - 1] == (PetscScalar)0);
#endif
    }
    reverse_end(&t);
    SETTLE();
  }
}

/* ---- plans are kept ----------------------------------------------------------------------------------- */

static void count_plans(void *context, const char *line)
{
  if (strstr(line, "plan: sends")) ++*(int *)context;
}

static int plans_made(trial *t, dap_combine combine, dap_padding padding)
{
  int plans = 0;
  dap_error err;
  dap_log_set(count_plans, &plans);
  EXPECT_OK(dap_petsc_field_halo_reverse(&t->a.field, combine, padding, &err), &err);
  dap_log_set(NULL, NULL);
  return plans;
}

/* By the view, and by later ones on its DMDA. */
static void keeps_plans(void **state)
{
  (void)state;
  /* clang-format off */
  static const field_row kept[] = {
    {"padding", 2, {11, 13}, SQUARE, .halo = {1, 1}},
    {"stripped", 2, {15, 17}, SQUARE, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}}, .periodic = {1, 1},
     .options = {.strip_periodic = true}}};
  /* clang-format on */
  for (int i = 0; i < 2; i++) {
    trial t, again;
    TEST_CASE("%s", kept[i].why);
    if (reverse_begin(&t, &kept[i], DAP_READ_WRITE)) {
      EXPECT_INT(plans_made(&t, DAP_COMBINE_SUM, DAP_PADDING_CLEAR), i ? 5 : 1);
      EXPECT_INT(plans_made(&t, DAP_COMBINE_NONE, DAP_PADDING_CLEAR), 0);
      /* A second pass where there is padding; or the plan that keeps it, before moves of the field's own. */
      EXPECT_INT(plans_made(&t, DAP_COMBINE_SUM, DAP_PADDING_REFRESH), i || test_nprocs() == 1 ? 1 : 2);
      EXPECT_INT(plans_made(&t, DAP_COMBINE_SUM, DAP_PADDING_KEEP), i ? 0 : 1);
      field_row row = kept[i];
      row.options.dm = t.a.field.dm;
      if (reverse_begin(&again, &row, DAP_READ_WRITE)) {
        EXPECT_INT(plans_made(&again, DAP_COMBINE_SUM, DAP_PADDING_CLEAR), 0);
        EXPECT_INT(plans_made(&again, DAP_COMBINE_SUM, DAP_PADDING_REFRESH), 0);
      }
      reverse_end(&again);
    }
    reverse_end(&t);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts), cmocka_unit_test(sums),       cmocka_unit_test(extremes),
    cmocka_unit_test(keeps_plans),  cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
