/* Plain vectors, and local vectors of a DMDA, as arrays. */
#include "vector_test.h"

#include <dapbridge/petsc.h>

static PetscReal norm_of(Vec vec)
{
  PetscReal norm = -1;
  EXPECT(!VecNorm(vec, NORM_1, &norm));
  return norm;
}

static const PetscScalar *address_of(Vec vec)
{
  const PetscScalar *memory, *kept;
  EXPECT(!VecGetArrayRead(vec, &memory));
  kept = memory;
  EXPECT(!VecRestoreArrayRead(vec, &memory));
  return kept;
}

static PetscInt references_of(Vec vec)
{
  PetscInt count = 0;
  EXPECT(!PetscObjectGetReference((PetscObject)vec, &count));
  return count;
}

/* The dictionaries assemble to the same layout. */
static void check_dictionaries(const dap_layout *layout, const dap_array *array)
{
  dap_layout *assembled = NULL;
  dap_error err;
  EXPECT_OK(dap_array_check(array, &err), &err);
  EXPECT_OK(dap_layout_assemble(MPI_COMM_WORLD, array, &assembled, &err), &err);
  EXPECT(assembled && dap_layout_is_equal(assembled, layout));
  dap_layout_destroy(&assembled);
}

/* ---- plain vectors ----------------------------------------------------------------------------------- */

/* Entries of process r of p. */
typedef PetscInt (*lengths)(int r, int p);

static PetscInt even(int r, int p)
{
  return 37 / p + (r < 37 % p);
}
static PetscInt irregular(int r, int p)
{
  (void)p;
  return 4 + 6 * (r % 2);
}
static PetscInt first_only(int r, int p)
{
  (void)p;
  return r == 0 ? 8 : 0;
}
static PetscInt last_only(int r, int p)
{
  return r == p - 1 ? 8 : 0;
}
static PetscInt none(int r, int p)
{
  (void)r, (void)p;
  return 0;
}

typedef struct plain_row {
  const char *why;
  lengths count;
  PetscInt block;
  bool ghosted;
} plain_row;

static const plain_row plains[] = {
    {"even", even, 1, false},
    {"irregular", irregular, 2, false},
    {"all on the first", first_only, 4, false},
    {"all on the last", last_only, 1, false},
    {"no entries", none, 1, false},
    {"ghosted", even, 1, true},
};

static void make_plain(const plain_row *row, Vec *vec)
{
  PetscInt start, end;
  const PetscInt n = row->count(test_rank(), test_nprocs()), ghost = 0;
  if (row->ghosted) {
    EXPECT(!VecCreateGhost(MPI_COMM_WORLD, n, PETSC_DECIDE, test_rank() > 0, &ghost, vec));
  } else {
    EXPECT(!VecCreate(MPI_COMM_WORLD, vec) && !VecSetSizes(*vec, n, PETSC_DECIDE));
    EXPECT(!VecSetBlockSize(*vec, row->block) && !VecSetType(*vec, VECSTANDARD));
  }
  EXPECT(!VecGetOwnershipRange(*vec, &start, &end));
  for (PetscInt i = start; i < end; i++) EXPECT(!VecSetValue(*vec, i, scalar_of(i), INSERT_VALUES));
  EXPECT(!VecAssemblyBegin(*vec) && !VecAssemblyEnd(*vec));
}

static void check_plain(const plain_row *row)
{
  Vec vec;
  dap_array array;
  dap_layout *layout;
  dap_petsc_vector view;
  dap_error err;
  make_plain(row, &vec);
  const PetscReal before = norm_of(vec);
  const PetscScalar *memory = address_of(vec);
  PetscInt count = 0, all = 0, start = 0, end = 0;
  EXPECT(!VecGetLocalSize(vec, &count) && !VecGetSize(vec, &all) && !VecGetOwnershipRange(vec, &start, &end));
  if (!EXPECT_OK(dap_petsc_vector_import(vec, &array, &layout, &err), &err)) return;
  EXPECT(array.data == memory && !array.readonly && references_of(vec) == 2);
  EXPECT_INT(array.shape[0], count);
  EXPECT_INT(dap_layout_size(layout, 0), all);
  check_dictionaries(layout, &array);
  check_global(layout, test_rank(), &array, PADDING_ANY);

  /* Back to PETSc: the same memory. */
  const dap_petsc_vector_options options = {.sharing = DAP_SHARE_OR_FAIL, .block_size = row->block};
  if (EXPECT_OK(dap_petsc_vector_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ_WRITE, &options,
                                     &view, &err),
                &err)) {
    EXPECT(address_of(view.vec) == memory || count == 0);
    EXPECT(!VecScale(view.vec, 2));
    EXPECT_OK(dap_petsc_vector_restore(&view, &err), &err);
  }
  dap_array_release(&array);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  EXPECT_INT(references_of(vec), 1);
  EXPECT_MSG(PetscAbsReal(norm_of(vec) - 2 * before) <= 1e-6 * before, "the norm is not renewed");
  for (PetscInt i = start; i < end; i++) {
    PetscScalar found;
    EXPECT(!VecGetValues(vec, 1, &i, &found) && found == (PetscScalar)2 * scalar_of(i));
  }
  EXPECT(!VecDestroy(&vec));
}

static void imports_plain(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof plains / sizeof plains[0]; i++) {
    TEST_CASE("%s", plains[i].why);
    check_plain(&plains[i]);
    SETTLE();
  }
}

/* On each process alone; and the array outlives the caller's reference. */
static void keeps_a_reference(void **state)
{
  (void)state;
  Vec vec;
  dap_array array;
  dap_error err;
  const PetscScalar value = 3 + test_rank();
  EXPECT(!VecCreateSeq(PETSC_COMM_SELF, 5, &vec) && !VecSet(vec, value));
  EXPECT_OK(dap_petsc_vector_import(vec, &array, NULL, &err), &err);
  EXPECT(!VecDestroy(&vec));
  EXPECT_INT(array.dims[0].proc_grid_size, 1);
  for (int64_t i = 0; i < 5; i++) EXPECT(((PetscScalar *)array.data)[i] == value);
  dap_array_release(&array);
  SETTLE();
}

/* ---- local vectors ----------------------------------------------------------------------------------- */

typedef struct local_row {
  const char *why;
  int ndim;
  PetscInt size[3]; /* x, y, z */
  PetscInt dof, width;
  DMBoundaryType outer[3];
  bool star;
} local_row;

#define N DM_BOUNDARY_NONE
#define G DM_BOUNDARY_GHOSTED
#define P DM_BOUNDARY_PERIODIC
#define M DM_BOUNDARY_MIRROR

static const local_row locals[] = {
    {"1-D", 1, {19}, 1, 1, {N}, false},
    {"1-D, no stencil", 1, {19}, 1, 0, {N}, false},
    {"1-D, fewer points than processes", 1, {2}, 1, 0, {N}, false},
    {"1-D, periodic", 1, {19}, 1, 2, {P}, false},
    {"1-D, periodic, no stencil", 1, {19}, 2, 0, {P}, false},
    {"1-D, ghosted, 3 degrees of freedom", 1, {19}, 3, 2, {G}, false},
    {"1-D, mirrored", 1, {19}, 1, 1, {M}, false},
    {"2-D", 2, {13, 11}, 1, 1, {N, N}, false},
    {"2-D, star", 2, {13, 11}, 2, 2, {N, N}, true},
    {"2-D, periodic and ghosted", 2, {13, 11}, 1, 2, {P, G}, false},
    {"2-D, ghosted and periodic", 2, {13, 11}, 2, 1, {G, P}, false},
    {"3-D", 3, {7, 6, 8}, 1, 1, {N, N, N}, false},
    {"3-D, all kinds, 2 degrees of freedom", 3, {7, 6, 8}, 2, 2, {P, N, G}, false},
};

static void make_grid(const local_row *row, DM *dm)
{
  const PetscInt y = row->ndim > 1 ? row->size[1] : 1, z = row->ndim > 2 ? row->size[2] : 1;
  EXPECT(!DMDACreate(MPI_COMM_WORLD, dm) && !DMSetDimension(*dm, row->ndim));
  EXPECT(!DMDASetSizes(*dm, row->size[0], y, z));
  EXPECT(!DMDASetBoundaryType(*dm, row->outer[0], row->outer[1], row->outer[2]));
  EXPECT(!DMDASetDof(*dm, row->dof) && !DMDASetStencilWidth(*dm, row->width));
  EXPECT(!DMDASetStencilType(*dm, row->star ? DMDA_STENCIL_STAR : DMDA_STENCIL_BOX) && !DMSetUp(*dm));
}

/* The element of the array that point (x, y, z), component c of the grid is: where ghost points outside of it
 * are elements too they have indices of their own. */
static int64_t element_of(const local_row *row, const PetscInt point[3], PetscInt c)
{
  int64_t index = 0;
  for (int d = row->ndim - 1; d >= 0; d--) {
    const bool edged = row->outer[d] == G || row->outer[d] == M, wraps = row->outer[d] == P;
    const PetscInt edge = edged ? row->width : 0, size = row->size[d] + 2 * edge;
    const PetscInt at = wraps ? (point[d] + size) % size : point[d] + edge;
    index = index * size + at;
  }
  return index * row->dof + c;
}

/* Goes through the vector's memory by the DMDA's own corners: fills with the values of its elements, or
 * expects `factor` times these. */
static void visit_local(const local_row *row, DM dm, Vec local, bool write, PetscScalar factor)
{
  PetscInt b[3] = {0}, n[3] = {1, 1, 1};
  PetscScalar *memory;
  EXPECT(!DMDAGetGhostCorners(dm, &b[0], &b[1], &b[2], &n[0], &n[1], &n[2]) && !VecGetArray(local, &memory));
  for (PetscInt i = 0; i < n[0] * n[1] * n[2] * row->dof; i++) {
    const PetscInt p = i / row->dof;
    const PetscInt point[3] = {b[0] + p % n[0], b[1] + p / n[0] % n[1], b[2] + p / n[0] / n[1]};
    const PetscScalar value = factor * scalar_of(element_of(row, point, i % row->dof));
    if (write) memory[i] = value;
    EXPECT_MSG(memory[i] == value, "point (%d %d %d)", (int)point[0], (int)point[1], (int)point[2]);
  }
  EXPECT(!VecRestoreArray(local, &memory));
}

/* The array's own halo update gives the ghost points that PETSc's gives. */
static void check_update(const dap_layout *layout, const dap_array *array)
{
  dap_plan *plan;
  dap_error err;
  const dap_side side = {.layout = layout, .strides = array->strides};
  bool owned = false;
  for (int64_t i = 0; i < dap_array_count(array); i++) {
    int64_t local[4] = {0}, global[4], rest = i;
    for (int k = array->ndim - 1; k >= 0; k--) local[k] = rest % array->shape[k], rest /= array->shape[k];
    EXPECT_OK(dap_layout_globalize(layout, test_rank(), local, global, &owned, &err), &err);
    if (!owned) ((PetscScalar *)array->data)[i] = -1;
  }
  const dap_plan_options options = {.allow_empty = true}; /* of grids without a stencil */
  EXPECT_OK(dap_plan_create_halo(MPI_COMM_WORLD, &side, sizeof(PetscScalar), &options, &plan, &err), &err);
  EXPECT_OK(dap_plan_run(plan, array->data, array->data, &err), &err);
  dap_plan_destroy(&plan);
}

static void check_local(const local_row *row)
{
  DM dm;
  Vec local;
  dap_array array;
  dap_layout *layout;
  dap_error err;
  make_grid(row, &dm);
  EXPECT(!DMCreateLocalVector(dm, &local));
  visit_local(row, dm, local, true, 1);
  const PetscReal before = norm_of(local);
  const PetscScalar *memory = address_of(local);
  if (!EXPECT_OK(dap_petsc_field_import_local(local, &array, &layout, &err), &err)) return;
  EXPECT(array.data == memory && !array.readonly && references_of(local) == 2);
  EXPECT_INT(dap_layout_ndim(layout), row->ndim + (row->dof > 1));
  for (int d = 0; d < row->ndim; d++) {
    const dap_axis axis = dap_layout_axis(layout, row->ndim - 1 - d);
    const PetscInt edge = row->outer[d] == G || row->outer[d] == M ? row->width : 0;
    EXPECT_INT(axis.size, row->size[d] + 2 * edge);
    EXPECT(axis.periodic == (row->outer[d] == P) && axis.boundary[0] == edge && axis.boundary[1] == edge);
  }
  check_dictionaries(layout, &array);
  check_global(layout, test_rank(), &array, PADDING_FILLED); /* ghost points are their owners' elements */
  check_update(layout, &array);
  for (int64_t i = 0; i < dap_array_count(&array); i++) ((PetscScalar *)array.data)[i] *= 2;
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  visit_local(row, dm, local, false, 2);
  EXPECT_INT(references_of(local), 1);
  EXPECT_MSG(PetscAbsReal(norm_of(local) - 2 * before) <= 1e-6 * before, "the norm is not renewed");
  EXPECT(!VecDestroy(&local) && !DMDestroy(&dm));
}

static void imports_local(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof locals / sizeof locals[0]; i++) {
    TEST_CASE("%s", locals[i].why);
    check_local(&locals[i]);
    SETTLE();
  }
}

/* ---- refusals ---------------------------------------------------------------------------------------- */

static void refuses_plain(void **state)
{
  (void)state;
  Vec vec = NULL, part = NULL;
  dap_array array;
  dap_layout *layout;
  dap_error err;
  TEST_CASE("no vector");
  EXPECT_FAIL(dap_petsc_vector_import(NULL, &array, &layout, &err), DAP_ERR_ARG, &err, "vector is NULL");
  SETTLE();

  TEST_CASE("nowhere to put the array, on one process");
  PetscBool known = PETSC_FALSE;
  PetscReal norm = 0;
  make_plain(&plains[0], &part);
  const PetscReal before = norm_of(part);
  dap_status s = dap_petsc_vector_import(part, test_rank() ? &array : NULL, &layout, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "array is NULL");
  EXPECT(!layout && references_of(part) == 1);
  EXPECT(test_rank() == 0 || !array.release);
  /* Some processes that forget a norm would wait for the others to take it. */
  EXPECT(!VecNormAvailable(part, NORM_1, &known, &norm) && known && norm == before);
  SETTLE();

  TEST_CASE("a nested vector");
  EXPECT(!VecCreateNest(MPI_COMM_WORLD, 1, NULL, &part, &vec));
  s = dap_petsc_vector_import(vec, &array, &layout, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "type nest|seq|mpi");
  EXPECT(!layout && !array.data && !array.release);
  EXPECT(!VecDestroy(&vec) && !VecDestroy(&part));
  SETTLE();
}

static void refuses_local(void **state)
{
  (void)state;
  DM dm;
  Vec local = NULL, global = NULL, shorter = NULL;
  dap_array array;
  dap_layout *layout;
  dap_error err;
  static const local_row twisted = {"twisted", 1, {19}, 1, 1, {DM_BOUNDARY_TWIST}, false};
  TEST_CASE("no vector, or one without a DMDA");
  EXPECT_FAIL(dap_petsc_field_import_local(NULL, &array, &layout, &err), DAP_ERR_ARG, &err, "local is NULL");
  EXPECT(!VecCreateSeq(PETSC_COMM_SELF, 3, &local));
  EXPECT_FAIL(dap_petsc_field_import_local(local, &array, &layout, &err), DAP_ERR_ARG, &err, "no DMDA");
  EXPECT(!VecDestroy(&local) && !layout && !array.data);
  SETTLE();

  TEST_CASE("a vector of another size, on one process");
  make_grid(&locals[9], &dm);
  EXPECT(!DMCreateLocalVector(dm, &local) && !DMCreateGlobalVector(dm, &global));
  EXPECT(!VecCreateSeq(PETSC_COMM_SELF, 3, &shorter) && !VecSetDM(shorter, dm));
  const bool last = test_rank() == test_nprocs() - 1;
  dap_status s = dap_petsc_field_import_local(last ? shorter : local, &array, &layout, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "3 entries here|a local vector of its DMDA");
  EXPECT(!layout && !array.data && references_of(local) == 1 && references_of(shorter) == 1);
  SETTLE();

  TEST_CASE("a global vector");
  s = dap_petsc_field_import_local(global, &array, &layout, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "a local vector of its DMDA");
  SETTLE();

  TEST_CASE("nowhere to put the array, on one process");
  s = dap_petsc_field_import_local(local, last ? NULL : &array, &layout, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "array is NULL");
  EXPECT(!layout && references_of(local) == 1);
  EXPECT(!VecDestroy(&local) && !VecDestroy(&global) && !VecDestroy(&shorter) && !DMDestroy(&dm));
  SETTLE();
  if (test_nprocs() > 1) return; /* PETSc makes such a DMDA of few processes only */

  TEST_CASE("a twisted boundary");
  if (DMDACreate1d(MPI_COMM_WORLD, twisted.outer[0], 19, 1, 1, NULL, &dm) == 0 && DMSetUp(dm) == 0) {
    EXPECT(!DMCreateLocalVector(dm, &local));
    s = dap_petsc_field_import_local(local, &array, &layout, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "direction x|twisted");
    EXPECT(!VecDestroy(&local) && !DMDestroy(&dm));
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),  cmocka_unit_test(imports_plain), cmocka_unit_test(keeps_a_reference),
    cmocka_unit_test(imports_local), cmocka_unit_test(refuses_plain), cmocka_unit_test(refuses_local),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
