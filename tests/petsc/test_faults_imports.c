/* Refuses an allocation or a call of PETSc on one process, each in turn, while an object of PETSc becomes
 * an array or the array is released. All processes must get the same text, and the object must not be
 * damaged. */
#include "any_view.h"
#include "refuse.h"

typedef struct import_row {
  const char *why;
  bool has_norm; /* true for a vector whose norm all processes know */
  PetscErrorCode (*make)(void **object);
  dap_status (*import)(void *object, dap_array *array, dap_layout **layout, dap_error *err);
  PetscErrorCode (*destroy)(void **object);
} import_row;

static PetscErrorCode make_dm(DM *dm)
{
  PetscCall(DMDACreate2d(MPI_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_BOX, 12, 18,
                         PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL, dm));
  return DMSetUp(*dm);
}

static PetscErrorCode make_global(void **object)
{
  DM dm = NULL;
  PetscCall(make_dm(&dm));
  PetscCall(DMCreateGlobalVector(dm, (Vec *)object));
  return DMDestroy(&dm);
}

static PetscErrorCode make_local(void **object)
{
  DM dm = NULL;
  PetscCall(make_dm(&dm));
  PetscCall(DMCreateLocalVector(dm, (Vec *)object));
  return DMDestroy(&dm);
}

static PetscErrorCode make_plain(void **object)
{
  return VecCreateMPI(MPI_COMM_WORLD, PETSC_DECIDE, 40, (Vec *)object);
}

static PetscErrorCode make_dense(void **object)
{
  return MatCreateDense(MPI_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 24, 12, NULL, (Mat *)object);
}

static PetscErrorCode make_cyclic(void **object)
{
  PetscCall(MatCreateScaLAPACK(MPI_COMM_WORLD, 3, 3, 24, 12, 0, 0, (Mat *)object));
  PetscCall(MatSetUp(*(Mat *)object));
  PetscCall(MatAssemblyBegin(*(Mat *)object, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(*(Mat *)object, MAT_FINAL_ASSEMBLY);
}

static dap_status import_global(void *object, dap_array *array, dap_layout **layout, dap_error *err)
{
  return dap_petsc_field_import(object, array, layout, err);
}

static dap_status import_local(void *object, dap_array *array, dap_layout **layout, dap_error *err)
{
  return dap_petsc_field_import_local(object, array, layout, err);
}

static dap_status import_plain(void *object, dap_array *array, dap_layout **layout, dap_error *err)
{
  return dap_petsc_vector_import(object, array, layout, err);
}

static dap_status import_matrix(void *object, dap_array *array, dap_layout **layout, dap_error *err)
{
  return dap_petsc_matrix_import(object, array, layout, err);
}

static PetscErrorCode destroy_vector(void **object)
{
  return VecDestroy((Vec *)object);
}

static PetscErrorCode destroy_matrix(void **object)
{
  return MatDestroy((Mat *)object);
}

static const import_row imports[] = {
    {"global vector", true, make_global, import_global, destroy_vector},
    {"local vector", false, make_local, import_local, destroy_vector},
    {"plain vector", true, make_plain, import_plain, destroy_vector},
    {"MATDENSE", false, make_dense, import_matrix, destroy_matrix},
    {"MATSCALAPACK", false, make_cyclic, import_matrix, destroy_matrix},
};

/* Checks that all processes know the norm or none. A process that still knows it would not help to compute a
 * new one. */
static void check_known(Vec vector)
{
  PetscBool known = PETSC_FALSE;
  PetscReal norm = 0;
  EXPECT(!VecNormAvailable(vector, NORM_1, &known, &norm));
  int least = known ? 1 : 0, most = least;
  MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_MSG(least == most, "a norm is known on some processes only");
}

static bool import_one(const void *trial, const fault *f, int64_t number)
{
  const import_row *row = trial;
  void *object = NULL;
  dap_array array;
  dap_layout *layout = NULL;
  dap_error err = {.rank = -1};
  PetscReal norm = 0;
  PetscInt references = 0;
  EXPECT(!row->make(&object));
  if (row->has_norm) EXPECT(!VecNorm(object, NORM_1, &norm));
  fault_start(f, number);
  const dap_status s = row->import(object, &array, &layout, &err);
  EXPECT((s != DAP_OK) == (layout == NULL) && (s != DAP_OK) == (array.release == NULL));
  dap_array_release(&array);
  const bool was_met = refuse_was_met(f, number, s, &err);
  dap_layout_destroy(&layout);
  if (row->has_norm && f == &refused_allocations) check_known(object);
  EXPECT(!PetscObjectGetReference(object, &references) && references == 1);
  EXPECT(!row->destroy(&object));
  return was_met;
}

static void imports_of_one_process(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof imports / sizeof imports[0]; i++) {
    EXPECT(refuse_all(imports[i].why, &refused_allocations, import_one, &imports[i]) > 0);
    EXPECT(refuse_all(imports[i].why, &refused_calls, import_one, &imports[i]) > 0);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts_watched),
    cmocka_unit_test(imports_of_one_process),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
