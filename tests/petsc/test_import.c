/* Vectors of a DMDA as arrays, and back into fields. */
#include "field_test.h"

typedef struct import_row {
  const char *why;
  int ndim;
  PetscInt size[3]; /* x, y, z */
  PetscInt dof, width;
  DMBoundaryType outer[3];
  bool irregular; /* ranges of y, or of x in 1-D, all of them along it */
} import_row;

static const import_row rows[] = {
    {"1-D", 1, {17, 1, 1}, 1, 1, {DM_BOUNDARY_NONE}, false},
    {"1-D, irregular", 1, {23, 1, 1}, 1, 1, {DM_BOUNDARY_GHOSTED}, true},
    {"1-D, 3 degrees of freedom", 1, {17, 1, 1}, 3, 2, {DM_BOUNDARY_PERIODIC}, false},
    {"1-D, fewer points than processes", 1, {2, 1, 1}, 1, 0, {DM_BOUNDARY_NONE}, false},
    {"2-D", 2, {13, 11, 1}, 1, 1, {DM_BOUNDARY_NONE, DM_BOUNDARY_NONE}, false},
    {"2-D, irregular, 2 degrees of freedom",
     2,
     {5, 23, 1},
     2,
     1,
     {DM_BOUNDARY_PERIODIC, DM_BOUNDARY_NONE},
     true},
    {"2-D, ghosted", 2, {13, 11, 1}, 1, 2, {DM_BOUNDARY_GHOSTED, DM_BOUNDARY_PERIODIC}, false},
    {"3-D", 3, {7, 6, 5}, 1, 1, {DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE}, false},
    {"3-D, 4 degrees of freedom", 3, {7, 6, 5}, 4, 1, {DM_BOUNDARY_PERIODIC, DM_BOUNDARY_GHOSTED}, false},
};

static void make_vector(const import_row *row, Vec *vector)
{
  DM dm;
  PetscInt ranges[64], procs[3] = {PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE}, left = row->size[row->ndim > 1];
  const int p = test_nprocs();
  for (int c = 0; c < p; c++) left -= ranges[c] = c < p - 1 ? 2 + c % 3 : left;
  if (row->irregular) procs[0] = procs[1] = 1, procs[row->ndim > 1] = p;
  EXPECT(!DMDACreate(MPI_COMM_WORLD, &dm) && !DMSetDimension(dm, row->ndim));
  EXPECT(!DMDASetSizes(dm, row->size[0], row->size[1], row->size[2]));
  EXPECT(!DMDASetNumProcs(dm, procs[0], procs[1], procs[2]));
  EXPECT(!DMDASetBoundaryType(dm, row->outer[0], row->outer[1], row->outer[2]));
  EXPECT(!DMDASetDof(dm, row->dof) && !DMDASetStencilWidth(dm, row->width));
  EXPECT(!DMDASetStencilType(dm, DMDA_STENCIL_BOX));
  if (row->irregular && row->ndim == 1) EXPECT(!DMDASetOwnershipRanges(dm, ranges, NULL, NULL));
  if (row->irregular && row->ndim == 2) EXPECT(!DMDASetOwnershipRanges(dm, &row->size[0], ranges, NULL));
  EXPECT(!DMSetUp(dm) && !DMCreateGlobalVector(dm, vector));
  EXPECT(!DMDestroy(&dm));
}

/* Writes or checks each point by its place in the grid; `factor` tells before from after. */
static void visit_vector(const import_row *row, Vec vector, bool write, PetscScalar factor)
{
  DM dm;
  PetscInt b[3], n[3];
  PetscScalar *memory;
  EXPECT(!VecGetDM(vector, &dm) && !DMDAGetCorners(dm, &b[0], &b[1], &b[2], &n[0], &n[1], &n[2]));
  EXPECT(!VecGetArray(vector, &memory));
  for (PetscInt i = 0; i < n[0] * n[1] * n[2] * row->dof; i++) {
    const PetscInt c = i % row->dof, p = i / row->dof;
    const PetscInt x = b[0] + p % n[0], y = b[1] + p / n[0] % n[1], z = b[2] + p / n[0] / n[1];
    PetscScalar value;
    value_of(scalar_dtype(), ((z * row->size[1] + y) * row->size[0] + x) * row->dof + c, &value);
    if (write) memory[i] = factor * value;
    EXPECT(memory[i] == factor * value);
  }
  EXPECT(!VecRestoreArray(vector, &memory));
}

static void check_import(const import_row *row)
{
  Vec vector;
  dap_array array;
  dap_layout *layout;
  dap_error err;
  const PetscScalar *lent, *memory;
  PetscReal before = 0, after = 0;
  PetscInt references = 0;
  make_vector(row, &vector);
  visit_vector(row, vector, true, 1);
  EXPECT(!VecGetArrayRead(vector, &lent));
  memory = lent;
  EXPECT(!VecRestoreArrayRead(vector, &lent));
  EXPECT(!VecNorm(vector, NORM_1, &before));
  if (!EXPECT_OK(dap_petsc_field_import(vector, &array, &layout, &err), &err)) return;
  EXPECT(array.data == memory && !array.readonly);
  EXPECT_OK(dap_array_check(&array, &err), &err);
  EXPECT_INT(dap_layout_ndim(layout), row->ndim + (row->dof > 1));
  for (int d = 0; d < row->ndim; d++) {
    const dap_axis axis = dap_layout_axis(layout, row->ndim - 1 - d);
    EXPECT_INT(axis.size, row->size[d]);
    EXPECT(axis.periodic == (row->outer[d] == DM_BOUNDARY_PERIODIC));
  }
  check_global(layout, test_rank(), &array, PADDING_ANY);
  EXPECT(!PetscObjectGetReference((PetscObject)vector, &references) && references == 2);

  /* The dictionaries assemble to the same layout. */
  dap_layout *assembled = NULL;
  EXPECT_OK(dap_layout_assemble(MPI_COMM_WORLD, &array, &assembled, &err), &err);
  EXPECT(assembled && dap_layout_is_equal(assembled, layout));
  dap_layout_destroy(&assembled);

  /* Back to PETSc: the same memory. */
  dap_petsc_field field;
  const dap_petsc_field_options options = {
      .vectors = DAP_PETSC_GLOBAL, .dof_axes = row->dof > 1, .sharing = DAP_SHARE_OR_FAIL};
  if (EXPECT_OK(dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ_WRITE, &options,
                                    &field, &err),
                &err)) {
    const PetscScalar *shared;
    EXPECT(!VecGetArrayRead(field.global, &shared) && shared == memory);
    EXPECT(!VecRestoreArrayRead(field.global, &shared) && !VecScale(field.global, 2));
    EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
    EXPECT_INT(field.moved_bytes, 0);
  }
  dap_array_release(&array);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  EXPECT(!PetscObjectGetReference((PetscObject)vector, &references) && references == 1);
  EXPECT(!VecNorm(vector, NORM_1, &after));
  EXPECT_MSG(PetscAbsReal(after - 2 * before) <= 1e-10 * after, "norm %g, was %g: not renewed", (double)after,
             (double)before);
  visit_vector(row, vector, false, 2);
  EXPECT(!VecDestroy(&vector));
}

static void imports(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    check_import(&rows[i]);
    SETTLE();
  }
}

/* The array outlives the caller's reference. */
static void keeps_a_reference(void **state)
{
  (void)state;
  Vec vector;
  dap_array array;
  dap_error err;
  make_vector(&rows[4], &vector);
  visit_vector(&rows[4], vector, true, 1);
  EXPECT_OK(dap_petsc_field_import(vector, &array, NULL, &err), &err);
  EXPECT(!VecDestroy(&vector));
  const dap_dim *y = &array.dims[0], *x = &array.dims[1];
  for (int64_t i = 0; i < dap_array_count(&array); i++) {
    const int64_t at = (y->start + i / array.shape[1]) * x->size + x->start + i % array.shape[1];
    PetscScalar value;
    value_of(scalar_dtype(), at, &value);
    EXPECT(((PetscScalar *)array.data)[i] == value);
  }
  dap_array_release(&array);
  SETTLE();
}

static void refuses(void **state)
{
  (void)state;
  Vec vector = NULL, local = NULL;
  DM dm, shell;
  dap_array array;
  dap_layout *layout;
  dap_error err;
  TEST_CASE("no vector");
  EXPECT_FAIL(dap_petsc_field_import(NULL, &array, &layout, &err), DAP_ERR_ARG, &err, "vector is NULL");
  SETTLE();

  TEST_CASE("no DM");
  EXPECT(!VecCreateMPI(MPI_COMM_WORLD, 3, PETSC_DECIDE, &vector));
  dap_status s = dap_petsc_field_import(vector, &array, &layout, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "no DMDA");
  EXPECT(!layout && !array.data && !array.release);
  SETTLE();

  TEST_CASE("a DM of another type");
  EXPECT(!DMCreate(MPI_COMM_WORLD, &shell) && !DMSetType(shell, DMSHELL) && !VecSetDM(vector, shell));
  s = dap_petsc_field_import(vector, &array, &layout, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "no DMDA");
  EXPECT(!VecDestroy(&vector) && !DMDestroy(&shell));
  SETTLE();

  TEST_CASE("nowhere to put the array, on one process");
  PetscBool known = PETSC_FALSE;
  PetscReal before = 0, norm = 0;
  make_vector(&rows[6], &vector);
  EXPECT(!VecNorm(vector, NORM_1, &before));
  s = dap_petsc_field_import(vector, test_rank() ? &array : NULL, &layout, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "array is NULL");
  EXPECT(!layout);
  PetscInt references = 0;
  EXPECT(!PetscObjectGetReference((PetscObject)vector, &references) && references == 1);
  /* Some processes that forget a norm would wait for the others to take it. */
  EXPECT(!VecNormAvailable(vector, NORM_1, &known, &norm) && known && norm == before);
  SETTLE();

  TEST_CASE("a local vector");
  EXPECT(!VecGetDM(vector, &dm) && !DMCreateLocalVector(dm, &local));
  EXPECT_FAIL(dap_petsc_field_import(local, &array, &layout, &err), DAP_ERR_ARG, &err,
              "a global vector of its DMDA");
  EXPECT(!VecDestroy(&local) && !VecDestroy(&vector));
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts), cmocka_unit_test(imports),    cmocka_unit_test(keeps_a_reference),
    cmocka_unit_test(refuses),      cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
