/* Reverse halo updates of fields, in the caller's buffer: every point and every ghost point, against PETSc's
 * own DMLocalToGlobal(ADD_VALUES) of a local vector with the same values. */
#include "field_trial.h"
#include "variants.h"

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

/* ---- where points are in the buffer ------------------------------------------------------------------- */

/* This process's points with their ghost points, in the order of a local vector. */
typedef struct box {
  PetscInt ghosts[3], extent[3]; /* first ghost point, and how many with the points */
  PetscInt points[3], length[3];
  PetscInt size[3], dof;
  int64_t low[3]; /* positions of the buffer below the first point */
} box;

static box find_box(const trial *t)
{
  box b = {.extent = {1, 1, 1}, .length = {1, 1, 1}};
  int coords[4] = {0};
  DM dm = t->field.dm;
  EXPECT(!DMDAGetCorners(dm, &b.points[0], &b.points[1], &b.points[2], &b.length[0], &b.length[1],
                         &b.length[2]));
  EXPECT(!DMDAGetGhostCorners(dm, &b.ghosts[0], &b.ghosts[1], &b.ghosts[2], &b.extent[0], &b.extent[1],
                              &b.extent[2]));
  EXPECT(!DMDAGetInfo(dm, NULL, &b.size[0], &b.size[1], &b.size[2], NULL, NULL, NULL, &b.dof, NULL, NULL,
                      NULL, NULL, NULL));
  dap_layout_coords(t->layout, test_rank(), coords);
  for (int d = 0; d < grid_ndim(t->row); d++) {
    const int k = axis_of(t, d);
    int64_t width[2];
    dap_layout_halo(t->layout, k, coords[k], width);
    b.low[d] = width[0] + (coords[k] == 0 ? outside(t->row, k, 0) : 0);
    EXPECT_INT(t->array.shape[k], b.extent[d]);
    EXPECT_INT(b.points[d] - b.ghosts[d], b.low[d]);
  }
  return b;
}

static PetscInt count_of(const box *b)
{
  return b->extent[0] * b->extent[1] * b->extent[2] * b->dof;
}

/* Points; ghost points of others, and those of a star stencil that PETSc leaves out; and outside the grid,
 * where the array has elements of its own. */
typedef enum place { POINT, GHOST, CORNER, OUTSIDE } place;

/* Entry i of a local vector: where it is in the buffer, and what it is. */
static char *place_of(const trial *t, const box *b, PetscInt i, place *what)
{
  const PetscInt c = i % b->dof, n = i / b->dof;
  const PetscInt p[3] = {n % b->extent[0], n / b->extent[0] % b->extent[1], n / b->extent[0] / b->extent[1]};
  char *at = t->array.data;
  const place beside = t->row->options.star ? CORNER : GHOST;
  *what = POINT;
  for (int d = 0; d < grid_ndim(t->row); d++) {
    const PetscInt inside = b->ghosts[d] + p[d] - b->points[d];
    const PetscInt point = b->ghosts[d] + p[d];
    if (inside < 0 || inside >= b->length[d])
      *what = *what == POINT ? GHOST : *what == GHOST ? beside : *what;
    if (!t->row->periodic[axis_of(t, d)] && (point < 0 || point >= b->size[d])) *what = OUTSIDE;
    at += p[d] * t->array.strides[axis_of(t, d)];
  }
  return at + (t->row->options.dof_axes ? c * t->array.strides[t->row->ndim - 1] : 0);
}

/* Turns round the numbers that a scalar is made of, where the array has them so. */
static PetscScalar turned(const trial *t, PetscScalar value)
{
  unsigned char bytes[sizeof value];
  memcpy(bytes, &value, sizeof value);
  for (size_t i = 0; i < sizeof value && t->array.swapped; i += sizeof(PetscReal))
    for (size_t j = 0; j < sizeof(PetscReal) / 2; j++) {
      const unsigned char kept = bytes[i + j];
      bytes[i + j] = bytes[i + sizeof(PetscReal) - 1 - j];
      bytes[i + sizeof(PetscReal) - 1 - j] = kept;
    }
  memcpy(&value, bytes, sizeof value);
  return value;
}

static PetscScalar number_of(PetscInt i, int salt)
{
  test_random random = {.state = (uint64_t)test_rank() * 7919 + (uint64_t)i * 104729 + (uint64_t)salt};
  const PetscScalar x = (PetscReal)test_random_int(&random, -50, 50);
#if defined(PETSC_USE_COMPLEX)
  return x + (PetscReal)test_random_int(&random, -50, 50) * PETSC_i;
#else
  return x;
#endif
}

/* ---- PETSc's way -------------------------------------------------------------------------------------- */

/* What the buffer shall hold: points alone, or ghost points too. */
typedef struct oracle {
  Vec local, global;
} oracle;

/* Numbers everywhere, in the buffer and in the oracle's local vector; but 0 in what PETSc would not add. */
static void fill(const trial *t, const box *b, const oracle *o, int salt)
{
  PetscScalar *entries = NULL;
  EXPECT(!VecGetArray(o->local, &entries));
  for (PetscInt i = 0; i < count_of(b); i++) {
    place what;
    char *at = place_of(t, b, i, &what);
    entries[i] = what == CORNER ? 0 : number_of(i, salt);
    const PetscScalar value = turned(t, entries[i]);
    memcpy(at, &value, sizeof value);
  }
  EXPECT(!VecRestoreArray(o->local, &entries));
}

/* A DMDA that fills what this one's star stencil leaves out; of any other the same. */
static DM filler_of(const trial *t)
{
  DM dm = t->field.dm, filler = dm;
  PetscInt size[2], procs[2], dof, width;
  const PetscInt *x = NULL, *y = NULL;
  DMBoundaryType bx, by;
  if (!t->row->options.star) {
    EXPECT(!PetscObjectReference((PetscObject)dm));
    return dm;
  }
  EXPECT(!DMDAGetInfo(dm, NULL, &size[0], &size[1], NULL, &procs[0], &procs[1], NULL, &dof, &width, &bx, &by,
                      NULL, NULL));
  EXPECT(!DMDAGetOwnershipRanges(dm, &x, &y, NULL));
  EXPECT(!DMDACreate2d(PetscObjectComm((PetscObject)dm), bx, by, DMDA_STENCIL_BOX, size[0], size[1], procs[0],
                       procs[1], dof, width, x, y, &filler));
  EXPECT(!DMSetUp(filler));
  return filler;
}

/* The sums, then in the local vector what becomes of ghost points that somebody owns. */
static void sum_up(const trial *t, const oracle *o, dap_padding padding)
{
  DM dm = t->field.dm, filler = filler_of(t);
  Vec zero;
  EXPECT(!VecZeroEntries(o->global));
  EXPECT(!DMLocalToGlobalBegin(dm, o->local, ADD_VALUES, o->global));
  EXPECT(!DMLocalToGlobalEnd(dm, o->local, ADD_VALUES, o->global));
  EXPECT(!VecDuplicate(o->global, &zero) && !VecZeroEntries(zero));
  Vec from = padding == DAP_PADDING_CLEAR ? zero : o->global;
  if (padding != DAP_PADDING_KEEP) EXPECT(!DMGlobalToLocal(filler, from, INSERT_VALUES, o->local));
  EXPECT(!VecDestroy(&zero) && !DMDestroy(&filler));
}

static bool is_stripped(const field_row *row)
{
  bool stripped = false;
  for (int k = 0; k < row->ndim; k++)
    stripped = stripped || (row->options.strip_periodic && row->periodic[k] && outside(row, k, 0) > 0);
  return stripped;
}

static void check(const trial *t, const box *b, const oracle *o, dap_padding padding)
{
  const PetscScalar *ghosts = NULL, *points = NULL;
  const bool any_ghosts = padding == DAP_PADDING_KEEP && is_stripped(t->row);
  PetscInt point = 0; /* in the order of the global vector's own part, which is that of the points */
  EXPECT(!VecGetArrayRead(o->local, &ghosts) && !VecGetArrayRead(o->global, &points));
  for (PetscInt i = 0; i < count_of(b); i++) {
    place what;
    PetscScalar found;
    memcpy(&found, place_of(t, b, i, &what), sizeof found);
    const PetscScalar want = what == POINT ? points[point++] : ghosts[i];
    if (what == OUTSIDE || (what != POINT && any_ghosts)) continue;
    EXPECT_MSG(turned(t, found) == want, "%s %d: %g, not %g", what == POINT ? "point" : "ghost point", (int)i,
               (double)PetscRealPart(turned(t, found)), (double)PetscRealPart(want));
  }
  EXPECT(!VecRestoreArrayRead(o->local, &ghosts) && !VecRestoreArrayRead(o->global, &points));
  EXPECT(check_gaps(&t->buffer));
}

/* ---- a field ------------------------------------------------------------------------------------------ */

static bool begin(trial *t, const field_row *row, dap_access access)
{
  test_random random = test_random_init(7);
  dap_error err;
  char text[1024];
  *t = (trial){.row = row, .access = access, .layout = row_layout(row)};
  t->buffer = test_buffer_make(t->layout, test_rank(), sizeof(PetscScalar), row->form, &random);
  t->array = test_buffer_array(&t->buffer, scalar_dtype());
  visit_array(t, FILL, BEFORE);
  if (row->bytes == SWAPPED || (row->bytes == SWAPPED_ON_ODD && test_rank() % 2 == 1))
    variant_swap(&t->array);
  const dap_darray array = {t->layout, &t->array};
  if (!EXPECT_OK(dap_petsc_field_get(MPI_COMM_WORLD, array, access, &row->options, &t->field, &err), &err))
    return false;
  (void)dap_petsc_field_describe(&t->field, text, sizeof text);
  t->fortran = strstr(text, "x is dim 0") != NULL;
  return true;
}

static void end(trial *t)
{
  EXPECT_OK(dap_petsc_field_discard(&t->field, NULL), NULL);
  test_buffer_free(&t->buffer);
  dap_layout_destroy(&t->layout);
}

/* Copies of the array in PETSc's memory stay as they were; norms of what is shared are known anew. */
static void check_vectors(const trial *t, const oracle *o, Vec before)
{
  PetscReal norm = -1, want = -2;
  PetscBool same = PETSC_FALSE;
  EXPECT(!VecNorm(t->field.global, NORM_1, &norm));
  if (t->field.shared_global) {
    EXPECT(!VecNorm(o->global, NORM_1, &want));
    EXPECT_MSG(PetscAbsReal(norm - want) <= 1e-5 * want, "norm %g, not %g", (double)norm, (double)want);
  } else {
    EXPECT(!VecEqual(before, t->field.global, &same) && same);
  }
}

static void try_reverse(trial *t, dap_padding padding)
{
  dap_error err;
  oracle o;
  Vec before;
  PetscReal norm;
  const box b = find_box(t);
  const int64_t moved = t->field.moved_bytes;
  EXPECT(!DMCreateLocalVector(t->field.dm, &o.local) && !DMCreateGlobalVector(t->field.dm, &o.global));
  EXPECT(!VecDuplicate(t->field.global, &before) && !VecCopy(t->field.global, before));
  for (int round = 0; round < 2; round++) { /* the second by the plans of the first */
    const dap_combine combine = round ? DAP_COMBINE_SUM : DAP_COMBINE_NONE;
    EXPECT(!VecNorm(t->field.global, NORM_1, &norm));
    fill(t, &b, &o, round);
    sum_up(t, &o, padding);
    if (!EXPECT_OK(dap_petsc_field_halo_reverse(&t->field, combine, padding, &err), &err)) break;
    check(t, &b, &o, padding);
    check_vectors(t, &o, before);
    EXPECT_INT(t->field.moved_bytes, moved);
  }
  EXPECT(!VecDestroy(&o.local) && !VecDestroy(&o.global) && !VecDestroy(&before));
}

static void sums(void **state)
{
  (void)state;
  for (int i = 0; i < ROWS; i++) {
    trial t;
    TEST_CASE("%s", rows[i].why);
    if (begin(&t, &rows[i], DAP_READ_WRITE))
      for (int padding = DAP_PADDING_KEEP; padding <= DAP_PADDING_REFRESH; padding++) {
        TEST_CASE("%s; padding %d", rows[i].why, padding);
        try_reverse(&t, (dap_padding)padding);
      }
    end(&t);
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
    if (begin(&t, &line, DAP_READ_WRITE)) {
      const int rank = test_rank(), procs = test_nprocs(), low = rank > 0, high = rank < procs - 1;
      PetscScalar *at = t.array.data;
      const int64_t n = t.array.shape[0];
      for (int64_t p = 0; p < n; p++) at[p] = rank;
      const dap_status s = dap_petsc_field_halo_reverse(&t.field, combine, DAP_PADDING_CLEAR, &err);
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
    end(&t);
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
  EXPECT_OK(dap_petsc_field_halo_reverse(&t->field, combine, padding, &err), &err);
  dap_log_set(NULL, NULL);
  return plans;
}

/* By the view, and by later ones on its DMDA. */
static void keeps_plans(void **state)
{
  (void)state;
  static const field_row kept[] = {{"padding", 2, {11, 13}, SQUARE, .halo = {1, 1}},
                                   {"stripped",
                                    2,
                                    {15, 17},
                                    SQUARE,
                                    .halo = {1, 1},
                                    .boundary = {{1, 1}, {1, 1}},
                                    .periodic = {1, 1},
                                    .options = {.strip_periodic = true}}};
  for (int i = 0; i < 2; i++) {
    trial t, again;
    TEST_CASE("%s", kept[i].why);
    if (begin(&t, &kept[i], DAP_READ_WRITE)) {
      EXPECT_INT(plans_made(&t, DAP_COMBINE_SUM, DAP_PADDING_CLEAR), i ? 5 : 1);
      EXPECT_INT(plans_made(&t, DAP_COMBINE_NONE, DAP_PADDING_CLEAR), 0);
      EXPECT_INT(plans_made(&t, DAP_COMBINE_SUM, DAP_PADDING_REFRESH), 1); /* that which keeps */
      EXPECT_INT(plans_made(&t, DAP_COMBINE_SUM, DAP_PADDING_KEEP), 0);
      field_row row = kept[i];
      row.options.dm = t.field.dm;
      if (begin(&again, &row, DAP_READ_WRITE)) {
        EXPECT_INT(plans_made(&again, DAP_COMBINE_SUM, DAP_PADDING_CLEAR), 0);
        EXPECT_INT(plans_made(&again, DAP_COMBINE_SUM, DAP_PADDING_REFRESH), 0);
      }
      end(&again);
    }
    end(&t);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts), cmocka_unit_test(sums),       cmocka_unit_test(extremes),
    cmocka_unit_test(keeps_plans),  cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
