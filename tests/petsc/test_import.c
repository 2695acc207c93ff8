/* Makes arrays from global and local vectors of a DMDA, and makes fields from global ones again. */
#include "live.h"

typedef struct import_row {
  const char *why;
  int ndim;
  PetscInt size[3]; /* x, y, z */
  PetscInt dof, width;
  DMBoundaryType outer[3];
  bool star;
  bool irregular; /* ranges of y, or of x in 1-D; other directions are not distributed */
} import_row;

#define N DM_BOUNDARY_NONE
#define G DM_BOUNDARY_GHOSTED
#define P DM_BOUNDARY_PERIODIC
#define M DM_BOUNDARY_MIRROR

/* clang-format off */
static const import_row rows[] = {
  {"1-D", 1, {19, 1, 1}, 1, 1, .outer = {N}},
  {"1-D, irregular", 1, {23, 1, 1}, 1, 1, .outer = {G}, .irregular = true},
  {"1-D, fewer points than processes", 1, {2, 1, 1}, 1, 0, .outer = {N}},
  {"1-D, periodic, 3 degrees of freedom", 1, {19, 1, 1}, 3, 2, .outer = {P}},
  {"1-D, ghosted, 3 degrees of freedom", 1, {19, 1, 1}, 3, 2, .outer = {G}},
  {"1-D, mirrored", 1, {19, 1, 1}, 1, 1, .outer = {M}},
  {"2-D", 2, {13, 11, 1}, 1, 1, .outer = {N, N}},
  {"2-D, star", 2, {13, 11, 1}, 2, 2, .outer = {N, N}, .star = true},
  {"2-D, irregular, 2 degrees of freedom", 2, {5, 23, 1}, 2, 1, .outer = {P, N}, .irregular = true},
  {"2-D, ghosted and periodic", 2, {13, 11, 1}, 2, 1, .outer = {G, P}},
  {"3-D", 3, {7, 6, 8}, 1, 1, .outer = {N, N, N}},
  {"3-D, all kinds, 4 degrees of freedom", 3, {7, 6, 8}, 4, 2, .outer = {P, N, G}},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof rows[0], PLANE = 9 };

static void make_grid(const import_row *row, DM *dm)
{
  const int p = test_nprocs(), along = row->ndim > 1;
  PetscInt ranges[64], procs[3] = {PETSC_DECIDE, PETSC_DECIDE, PETSC_DECIDE}, left = row->size[along];
  for (int c = 0; c < p; c++) left -= ranges[c] = c < p - 1 ? 2 + c % 3 : left;
  if (row->irregular) procs[0] = procs[1] = 1, procs[along] = p;
  EXPECT(!DMDACreate(MPI_COMM_WORLD, dm) && !DMSetDimension(*dm, row->ndim));
  EXPECT(!DMDASetSizes(*dm, row->size[0], row->size[1], row->size[2]));
  EXPECT(!DMDASetNumProcs(*dm, procs[0], procs[1], procs[2]));
  EXPECT(!DMDASetBoundaryType(*dm, row->outer[0], row->outer[1], row->outer[2]));
  EXPECT(!DMDASetDof(*dm, row->dof) && !DMDASetStencilWidth(*dm, row->width));
  EXPECT(!DMDASetStencilType(*dm, row->star ? DMDA_STENCIL_STAR : DMDA_STENCIL_BOX));
  if (row->irregular && along == 0) EXPECT(!DMDASetOwnershipRanges(*dm, ranges, NULL, NULL));
  if (row->irregular && along == 1) EXPECT(!DMDASetOwnershipRanges(*dm, &row->size[0], ranges, NULL));
  EXPECT(!DMSetUp(*dm));
}

/* Returns how many ghost points outside the grid, at one end of a direction of a local vector, are
 * elements. */
static PetscInt edge_of(const import_row *row, int d, bool local)
{
  return local && (row->outer[d] == G || row->outer[d] == M) ? row->width : 0;
}

/* Returns the array's element for component c of point (x, y, z). Ghost points outside the grid that are
 * elements have indices of their own. */
static int64_t element_of(const import_row *row, bool local, const PetscInt point[3], PetscInt c)
{
  int64_t index = 0;
  for (int d = row->ndim - 1; d >= 0; d--) {
    const PetscInt edge = edge_of(row, d, local), size = row->size[d] + 2 * edge;
    index = index * size + (row->outer[d] == P ? (point[d] + size) % size : point[d] + edge);
  }
  return index * row->dof + c;
}

/* Goes through the vector's memory by the DMDA's own corners. Writes the values of its elements, or expects
 * `factor` times these values. */
static void visit(const import_row *row, DM dm, Vec vec, bool local, bool write, PetscScalar factor)
{
  PetscInt b[3] = {0}, n[3] = {1, 1, 1};
  PetscScalar *memory, value;
  if (local)
    EXPECT(!DMDAGetGhostCorners(dm, &b[0], &b[1], &b[2], &n[0], &n[1], &n[2]));
  else
    EXPECT(!DMDAGetCorners(dm, &b[0], &b[1], &b[2], &n[0], &n[1], &n[2]));
  EXPECT(!VecGetArray(vec, &memory));
  for (PetscInt i = 0; i < n[0] * n[1] * n[2] * row->dof; i++) {
    const PetscInt p = i / row->dof;
    const PetscInt point[3] = {b[0] + p % n[0], b[1] + p / n[0] % n[1], b[2] + p / n[0] / n[1]};
    value_of(scalar_dtype(), element_of(row, local, point, i % row->dof), &value);
    if (write) memory[i] = factor * value;
    EXPECT_MSG(memory[i] == factor * value, "point (%d %d %d)", (int)point[0], (int)point[1], (int)point[2]);
  }
  EXPECT(!VecRestoreArray(vec, &memory));
}

static void check_axes(const import_row *row, const dap_layout *layout, bool local)
{
  EXPECT_INT(dap_layout_ndim(layout), row->ndim + (row->dof > 1));
  for (int d = 0; d < row->ndim; d++) {
    const dap_axis axis = dap_layout_axis(layout, row->ndim - 1 - d);
    const PetscInt edge = edge_of(row, d, local);
    EXPECT_INT(axis.size, row->size[d] + 2 * edge);
    EXPECT(axis.periodic == (row->outer[d] == P) && axis.boundary[0] == edge && axis.boundary[1] == edge);
  }
}

/* ---- what is done to the array ----------------------------------------------------------------------- */

/* Back in PETSc, the field must have the same memory. */
static void double_by_petsc(const import_row *row, dap_darray array)
{
  dap_petsc_field field;
  dap_error err;
  const dap_petsc_field_options options = {
      .vectors = DAP_PETSC_GLOBAL, .dof_axes = row->dof > 1, .sharing = DAP_SHARE_OR_FAIL};
  const dap_status s = dap_petsc_field_get(MPI_COMM_WORLD, array, DAP_READ_WRITE, &options, &field, &err);
  if (!EXPECT_OK(s, &err)) return;
  EXPECT((const void *)address_of(field.global) == array.local->data && !VecScale(field.global, 2));
  EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
  EXPECT_INT(field.moved_bytes, 0);
}

/* Checks that the array's halo update gives the same ghost points as PETSc's update. */
static void double_by_update(const dap_layout *layout, const dap_array *array)
{
  dap_plan *plan;
  dap_error err;
  const dap_side side = {.layout = layout, .strides = array->strides};
  array_walk w = walk_begin(layout, test_rank(), array->strides);
  for (; !w.done; walk_next(&w)) {
    PetscScalar *at = (PetscScalar *)(void *)((char *)array->data + w.offset);
    *at = w.has_value ? 2 * *at : -1;
  }
  walk_end(&w);
  const dap_plan_options options = {.allow_empty = true}; /* grids without a stencil have no padding */
  EXPECT_OK(dap_plan_create_halo(MPI_COMM_WORLD, &side, sizeof(PetscScalar), &options, &plan, &err), &err);
  EXPECT_OK(dap_plan_run(plan, array->data, array->data, &err), &err);
  dap_plan_destroy(&plan);
}

static void check_import(const import_row *row, bool local)
{
  DM dm;
  Vec vec;
  dap_array array;
  dap_layout *layout;
  dap_error err;
  TEST_CASE("%s, %s", row->why, local ? "local" : "global");
  make_grid(row, &dm);
  EXPECT(!(local ? DMCreateLocalVector(dm, &vec) : DMCreateGlobalVector(dm, &vec)));
  visit(row, dm, vec, local, true, 1);
  const PetscReal before = norm_of(vec);
  const dap_status s = local ? dap_petsc_field_import_local(vec, &array, &layout, &err)
                             : dap_petsc_field_import(vec, &array, &layout, &err);
  if (!EXPECT_OK(s, &err)) return;
  EXPECT(array.data == address_of(vec) && !array.readonly && references_of((PetscObject)vec) == 2);
  check_axes(row, layout, local);
  expect_dictionaries(layout, &array);
  check_global(layout, test_rank(), &array, PADDING_FILLED); /* ghost points have their owners' values */
  if (local)
    double_by_update(layout, &array);
  else
    double_by_petsc(row, (dap_darray){layout, &array});
  dap_array_release(&array);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  EXPECT_INT(references_of((PetscObject)vec), 1);
  check_renewed(norm_of(vec), before, 2);
  visit(row, dm, vec, local, false, 2);
  EXPECT(!VecDestroy(&vec) && !DMDestroy(&dm));
  SETTLE();
}

static void imports(void **state)
{
  (void)state;
  for (int i = 0; i < ROWS; i++)
    for (int local = 0; local < 2; local++) check_import(&rows[i], local);
}

/* ---- refusals ---------------------------------------------------------------------------------------- */

/* Checks that a refused import leaves the vector unchanged. If only some processes forgot the norm, they
 * would wait for the others for ever. Collective. */
static void refuse(const char *why, bool local, Vec vec, bool nowhere, const char *parts)
{
  dap_array array = {.data = NULL};
  dap_layout *layout;
  dap_error err;
  PetscBool known = PETSC_FALSE;
  PetscReal norm = 0;
  const PetscReal before = norm_of(vec);
  const PetscInt references = references_of((PetscObject)vec);
  dap_array *where = nowhere ? NULL : &array;
  TEST_CASE("%s", why);
  const dap_status s = local ? dap_petsc_field_import_local(vec, where, &layout, &err)
                             : dap_petsc_field_import(vec, where, &layout, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, parts);
  EXPECT(!layout && !array.data && !array.release);
  EXPECT(references_of((PetscObject)vec) == references);
  EXPECT(!VecNormAvailable(vec, NORM_1, &known, &norm) && known && norm == before);
  SETTLE();
}

static void refuses(void **state)
{
  (void)state;
  DM dm = NULL, shell = NULL;
  Vec plain = NULL, local = NULL, global = NULL, shorter = NULL;
  dap_array array;
  dap_layout *layout;
  dap_error err;
  const int rank = test_rank(), last = test_nprocs() - 1;
  EXPECT_FAIL(dap_petsc_field_import(NULL, &array, &layout, &err), DAP_ERR_ARG, &err, "vector|NULL");
  EXPECT_FAIL(dap_petsc_field_import_local(NULL, &array, &layout, &err), DAP_ERR_ARG, &err, "local|NULL");
  EXPECT(!VecCreateMPI(MPI_COMM_WORLD, 3, PETSC_DECIDE, &plain));
  refuse("no DM", false, plain, false, "no DMDA");
  EXPECT(!DMCreate(MPI_COMM_WORLD, &shell) && !DMSetType(shell, DMSHELL) && !VecSetDM(plain, shell));
  refuse("a DM of another type", false, plain, false, "no DMDA");
  EXPECT(!VecDestroy(&plain) && !DMDestroy(&shell) && !VecCreateSeq(PETSC_COMM_SELF, 3, &plain));
  EXPECT_FAIL(dap_petsc_field_import_local(plain, &array, &layout, &err), DAP_ERR_ARG, &err, "no DMDA");

  make_grid(&rows[PLANE], &dm);
  EXPECT(!DMCreateLocalVector(dm, &local) && !DMCreateGlobalVector(dm, &global));
  EXPECT(!VecCreateSeq(PETSC_COMM_SELF, 3, &shorter) && !VecSetDM(shorter, dm));
  refuse("nowhere to put the array, on one process", false, global, rank == 0, "array|NULL");
  refuse("nowhere to put the array, on another one", true, local, rank == last, "array|NULL");
  refuse("a vector of another size, on one process", true, rank == last ? shorter : local, false,
         "3 entries|local vector|DMDA");
  refuse("a global vector", true, global, false, "local vector|DMDA");
  EXPECT_FAIL(dap_petsc_field_import(local, &array, &layout, &err), DAP_ERR_ARG, &err, "global vector|DMDA");
  EXPECT(!VecDestroy(&plain) && !VecDestroy(&local) && !VecDestroy(&global) && !VecDestroy(&shorter));
  EXPECT(!DMDestroy(&dm));
  SETTLE();
}

/* PETSc makes such a DMDA on few processes only. */
static void refuses_a_twist(void **state)
{
  (void)state;
  DM dm = NULL;
  Vec local;
  dap_array array;
  dap_layout *layout;
  dap_error err;
  if (test_nprocs() > 1) return;
  if (DMDACreate1d(MPI_COMM_WORLD, DM_BOUNDARY_TWIST, 19, 1, 1, NULL, &dm) || DMSetUp(dm)) return;
  EXPECT(!DMCreateLocalVector(dm, &local));
  const dap_status s = dap_petsc_field_import_local(local, &array, &layout, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "direction x|twisted");
  EXPECT(!VecDestroy(&local) && !DMDestroy(&dm));
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),    cmocka_unit_test(imports),    cmocka_unit_test(refuses),
    cmocka_unit_test(refuses_a_twist), cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
