/* Opens a file in PETSc's HDF5 viewer and in dapbridge at once, in both orders. Each must read the files
 * of the other. */
#include "datasets.h"
#include "mpi_test.h"

#include <petscvec.h>
#ifdef PETSC_HAVE_HDF5
#include <petscviewerhdf5.h>

enum { COUNT = 30 };
static const int64_t shape[1] = {COUNT};

/* ---- vectors ----------------------------------------------------------------------------------------- */

/* Makes the vector "u", distributed like the rows. Entry i is i + shift. */
static Vec make_vector(const test_rows *rows, int64_t shift)
{
  Vec vec = NULL;
  PetscScalar *values = NULL;
  EXPECT(!VecCreateMPI(PETSC_COMM_WORLD, (PetscInt)rows->count, COUNT, &vec));
  EXPECT(!PetscObjectSetName((PetscObject)vec, "u"));
  EXPECT(!VecGetArray(vec, &values));
  for (int64_t i = 0; i < rows->count; i++) values[i] = (PetscScalar)(rows->first + i + shift);
  EXPECT(!VecRestoreArray(vec, &values));
  return vec;
}

static void check_vector(Vec vec, const test_rows *rows, int64_t shift)
{
  const PetscScalar *values = NULL;
  EXPECT(!VecGetArrayRead(vec, &values));
  for (int64_t i = 0; i < rows->count; i++)
    if (!EXPECT(values[i] == (PetscScalar)(rows->first + i + shift))) break;
  EXPECT(!VecRestoreArrayRead(vec, &values));
}

static PetscViewer open_viewer(const char *file, PetscFileMode mode)
{
  PetscViewer viewer = NULL;
  EXPECT(!PetscViewerHDF5Open(PETSC_COMM_WORLD, files_path(file), mode, &viewer));
  return viewer;
}

static void read_vector(const char *file, const test_rows *rows, int64_t shift)
{
  Vec vec = make_vector(rows, -1);
  PetscViewer viewer = open_viewer(file, FILE_MODE_READ);
  EXPECT(!VecLoad(vec, viewer));
  EXPECT(!PetscViewerDestroy(&viewer));
  check_vector(vec, rows, shift);
  EXPECT(!VecDestroy(&vec));
}

/* ---- both orders ------------------------------------------------------------------------------------- */

static void within_a_viewer(void **state)
{
  (void)state;
  files_begin();
  test_rows rows = rows_make(1, shape);
  dap_error err = {0};
  Vec vec = make_vector(&rows, 3);
  PetscViewer viewer = open_viewer("petsc.h5", FILE_MODE_WRITE);
  EXPECT(!VecView(vec, viewer));
  rows_fill(&rows, 5);
  EXPECT_OK(rows_save(&rows, dataset_path("ours.h5", "/u"), DAP_FILE_REPLACE, &err), &err);
  EXPECT_OK(rows_load(&rows, dataset_path("ours.h5", "/u"), &err), &err);
  rows_check(&rows, 5);
  EXPECT(!PetscViewerDestroy(&viewer));
  EXPECT_OK(rows_load(&rows, dataset_path("petsc.h5", "/u"), &err), &err);
  rows_check(&rows, 3);
  read_vector("ours.h5", &rows, 5);
  EXPECT(!VecDestroy(&vec));
  datasets_are_closed();
  SETTLE();
  rows_end(&rows);
  files_end();
}

/* dapbridge's file has chunks, so HDF5 keeps it open until the end. */
static void around_a_viewer(void **state)
{
  (void)state;
  char layout[256];
  double found[COUNT] = {0};
  void *open = NULL;
  files_begin();
  test_rows rows = rows_make(1, shape);
  dap_error err = {0};
  rows_fill(&rows, 7);
  EXPECT_OK(rows_save(&rows, dataset_path("ours.h5", "/steps"), DAP_FILE_APPEND, &err), &err);
  const dap_file_format *format = dap_file_hdf5();
  const dap_file_name name = {.file = files_path("ours.h5"), .dataset = "/steps", .shown = "ours.h5:/steps"};
  const dap_file_options options = {.format = format};
  dap_file_info info = {0};
  EXPECT_OK(format->query(format, &name, &options, &info, layout, sizeof layout, &err), &err);
  EXPECT_OK(format->open(format, MPI_COMM_WORLD, &name, DAP_FILE_READ, -1, "", &info, &open, &err), &err);
  Vec vec = make_vector(&rows, 3);
  PetscViewer viewer = open_viewer("petsc.h5", FILE_MODE_WRITE);
  EXPECT(!VecView(vec, viewer));
  EXPECT(!PetscViewerDestroy(&viewer));
  read_vector("petsc.h5", &rows, 3);
  const dap_file_piece piece = {.ndim = 2, .shape = {1, COUNT}, .count = COUNT};
  if (open) EXPECT_OK(format->read(open, &piece, found, &err), &err);
  if (open) EXPECT_OK(format->close(open, false, &err), &err);
  for (int i = 0; i < COUNT; i++) EXPECT(found[i] == i + 7);
  EXPECT(!VecDestroy(&vec));
  datasets_are_closed();
  SETTLE();
  rows_end(&rows);
  files_end();
}

/* ---- PETSc ------------------------------------------------------------------------------------------- */

static void petsc_starts(void **state)
{
  (void)state;
  EXPECT(!PetscInitializeNoArguments());
  EXPECT(!PetscPopSignalHandler());
  SETTLE();
}

static void petsc_ends(void **state)
{
  (void)state;
  EXPECT(!PetscFinalize());
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(petsc_starts), cmocka_unit_test(within_a_viewer),
                                          cmocka_unit_test(around_a_viewer), cmocka_unit_test(petsc_ends)};
#else

static void petsc_has_no_hdf5(void **state)
{
  (void)state;
  test_skip("PETSc was built without HDF5");
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(petsc_has_no_hdf5)};
#endif
MPI_TEST_MAIN(tests)
