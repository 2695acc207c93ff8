/* Fields that are to be one thing on all processes, and one after the other: norms where a process has no
 * points, options that differ though the DMDA keeps what was planned, and the axis that is x. */
#include "live.h"

static void grant(live *a, dap_access access, const char *what)
{
  dap_error err = {0};
  TEST_CASE("%s", what);
  EXPECT_OK(live_get(a, access, &err), &err);
}

/* The state of a vector is PETSc's reason to ask the other processes for a norm, or not to: where it differs,
 * some wait for ever. Memory of no entries is NULL. */
static void norms_where_a_process_has_no_points(void **state)
{
  (void)state;
  const int n = test_nprocs();
  int64_t lengths[16] = {0};
  for (int c = 0; c < n; c++) lengths[c] = c == n / 2 && n > 1 ? 0 : 5;
  const dap_dist dist = dap_dist_lengths(n > 1 ? 5 * (n - 1) : 5, n, lengths);
  for (int i = 0; i < 2; i++) {
    live a = {0};
    dap_error err = {0};
    live_make_cut(&a, 1, &dist, FORM_C);
    a.options = (dap_petsc_field_options){.vectors = DAP_PETSC_GLOBAL,
                                          .sharing = i ? DAP_SHARE_NEVER : DAP_SHARE_OR_FAIL};
    grant(&a, DAP_READ_WRITE, i ? "a copy" : "shared");
    for (int round = 0; round < 2; round++) {
      PetscInt size = 0;
      PetscReal norm = 0, want = 0;
      EXPECT(!VecGetSize(a.field.global, &size));
      for (PetscInt g = 0; g < size; g++) {
        PetscScalar value;
        value_of(scalar_dtype(), g + (round ? LATER : BEFORE), &value);
        want += PetscAbsScalar(value);
      }
      EXPECT(!VecNorm(a.field.global, NORM_1, &norm));
      EXPECT_MSG(PetscAbsReal(norm - want) <= 1e-12 * want, "round %d: %g, not %g", round, (double)norm,
                 (double)want);
      live_fill(&a, LATER);
      EXPECT_OK(dap_petsc_field_load(&a.field, &err), &err);
    }
    live_restore(&a);
    live_free(&a);
    SETTLE();
  }
}

/* Another index on one process is refused whether there is something kept for it or not. */
static void a_kept_dm_and_another_index(void **state)
{
  (void)state;
  if (test_nprocs() == 1) return;
  const dap_dist dists[] = {dap_dist_even(2, 1), dap_dist_even(4 * test_nprocs(), test_nprocs())};
  const int axes[] = {1};
  const int64_t index[] = {0, 0}, other[] = {test_rank() == 0, 0};
  live a = {0};
  dap_error err = {0};
  live_make_cut(&a, 2, dists, FORM_C);
  live_pick(&a, 1, axes, index);
  grant(&a, DAP_READ_WRITE, "first");
  DM dm = a.field.dm;
  EXPECT(!PetscObjectReference((PetscObject)dm));
  live_restore(&a);
  live_pick(&a, 1, axes, other);
  a.options.dm = dm;
  const dap_status s = live_get(&a, DAP_READ_WRITE, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "part: start|not the same");
  EXPECT(!DMDestroy(&dm));
  live_free(&a);
  SETTLE();
}

/* Element (1, 0) of an array with as many rows as columns is the same point of its DMDA in every field on
 * it. */
static void x_stays_the_axis_that_it_was(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist dists[] = {dap_dist_replicated(4 * n, 1), dap_dist_cyclic(4 * n, n, 1)};
  for (int i = 0; i < 2; i++) {
    live a = {0};
    PetscScalar found = 0, want;
    live_make_cut(&a, 2, dists, FORM_F);
    a.options = (dap_petsc_field_options){.width = 1, .vectors = DAP_PETSC_GLOBAL};
    grant(&a, DAP_READ_WRITE, "an array that has no ranges");
    DM dm = a.field.dm;
    EXPECT(!PetscObjectReference((PetscObject)dm));
    live_restore(&a);
    a.options.dm = dm;
    a.options.width = 0;
    grant(&a, i ? DAP_READ_WRITE : DAP_READ, "its DMDA again");
    PetscInt begin[2], length[2];
    PetscScalar **points = NULL;
    EXPECT(!DMDAGetCorners(dm, &begin[0], &begin[1], NULL, &length[0], &length[1], NULL));
    EXPECT(!DMDAVecGetArrayRead(dm, a.field.global, &points));
    if (begin[0] == 0 && begin[1] <= 1 && begin[1] + length[1] > 1 && length[0] > 0) {
      found = points[1][0];
      value_of(scalar_dtype(), 4 * n, &want); /* row 1, column 0: x is the last axis */
      EXPECT_MSG(found == want, "%g, not %g", (double)PetscRealPart(found), (double)PetscRealPart(want));
    }
    EXPECT(!DMDAVecRestoreArrayRead(dm, a.field.global, &points));
    live_restore(&a);
    EXPECT(!DMDestroy(&dm));
    live_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_is_initialised), cmocka_unit_test(norms_where_a_process_has_no_points),
    cmocka_unit_test(a_kept_dm_and_another_index), cmocka_unit_test(x_stays_the_axis_that_it_was),
    cmocka_unit_test(petsc_is_finalised)};

MPI_TEST_MAIN(tests)
