/* Writes an array of any layout to PETSc's binary files with PETSc's viewers, as a vector and as a dense
 * matrix. Reads both back into arrays of another layout, and compares them. Runs on any number of
 * processes. */
#include "log.h"

#include <dapbridge/petsc_matrix.h>
#include <dapbridge/petsc_vector.h>
#include <dapbridge/shared.h>
#define CHECK(call) PetscCheck((call) == DAP_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", err.text)
enum { ROWS = 40, COLUMNS = 30 };
static dap_error err;
static const char *const files[] = {"26_vector.petsc", "26_vector.petsc.info", "26_matrix.petsc",
                                    "26_matrix.petsc.info"};

static PetscErrorCode make(const dap_dist dists[2], dap_darray *a, dap_layout **layout, dap_array *local)
{
  const dap_dtype dtype = PetscDefined(USE_COMPLEX) ? DAP_C16 : DAP_F8;
  PetscFunctionBeginUser;
  CHECK(dap_layout_create(2, dists, layout, &err));
  CHECK(dap_array_alloc(PETSC_COMM_WORLD, *layout, dtype, DAP_ORDER_C, local, NULL, &err));
  *a = (dap_darray){*layout, local};
  PetscFunctionReturn(0);
}

/* Sets the elements, or counts those that are wrong. */
static PetscErrorCode visit(dap_darray a, bool sets, int *wrong)
{
  const dap_array *local = a.local;
  PetscFunctionBeginUser;
  for (int64_t i = 0; i < local->shape[0]; i++)
    for (int64_t j = 0; j < local->shape[1]; j++) {
      int64_t at[] = {i, j}, global[2];
      PetscScalar *value =
          (PetscScalar *)((char *)local->data + i * local->strides[0] + j * local->strides[1]);
      CHECK(dap_layout_globalize(a.layout, PetscGlobalRank, at, global, NULL, &err));
      if (sets) *value = (PetscScalar)(global[0] * COLUMNS + global[1]);
      *wrong += *value != (PetscScalar)(global[0] * COLUMNS + global[1]);
    }
  PetscFunctionReturn(0);
}

/* The file contains the entries of a vector, which are in the order that the option `order` selects. */
static PetscErrorCode vector(dap_darray a, PetscFileMode mode)
{
  const dap_petsc_vector_options options = {.order = DAP_ORDER_C};
  const bool writes = mode == FILE_MODE_WRITE;
  dap_petsc_vector v;
  PetscViewer viewer;
  PetscFunctionBeginUser;
  CHECK(dap_petsc_vector_get(PETSC_COMM_WORLD, a, writes ? DAP_READ : DAP_WRITE, &options, &v, &err));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, files[0], mode, &viewer));
  PetscCall(writes ? VecView(v.vec, viewer) : VecLoad(v.vec, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  CHECK(dap_petsc_vector_restore(&v, &err));
  PetscFunctionReturn(0);
}

/* Does the same with a dense matrix, which MatLoad() of other programs can read. */
static PetscErrorCode matrix(dap_darray a, PetscFileMode mode)
{
  const dap_petsc_matrix_options options = {.form = DAP_PETSC_DENSE};
  const bool writes = mode == FILE_MODE_WRITE;
  dap_petsc_matrix m;
  PetscViewer viewer;
  PetscFunctionBeginUser;
  CHECK(dap_petsc_matrix_get(PETSC_COMM_WORLD, a, writes ? DAP_READ : DAP_WRITE, &options, &m, &err));
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, files[2], mode, &viewer));
  PetscCall(
      PetscViewerPushFormat(viewer, PETSC_VIEWER_NATIVE)); /* all elements, not rows of a sparse matrix */
  PetscCall(writes ? MatView(m.mat, viewer) : MatLoad(m.mat, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  CHECK(dap_petsc_matrix_restore(&m, &err));
  PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
  int wrong[3] = {0};
  dap_darray a, b[2];
  dap_layout *layouts[3];
  dap_array locals[3];
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  log_if_wanted();
  const dap_dist cyclic[] = {dap_dist_cyclic(ROWS, PetscGlobalSize, 3), dap_dist_even(COLUMNS, 1)};
  const dap_dist blocks[] = {dap_dist_even(ROWS, 1), dap_dist_even(COLUMNS, PetscGlobalSize)};
  PetscCall(make(cyclic, &a, &layouts[0], &locals[0]));
  PetscCall(visit(a, true, &wrong[0]));
  PetscCall(vector(a, FILE_MODE_WRITE));
  PetscCall(matrix(a, FILE_MODE_WRITE));
  for (int k = 0; k < 2; k++) {
    PetscCall(make(blocks, &b[k], &layouts[k + 1], &locals[k + 1]));
    PetscCall(k == 0 ? vector(b[k], FILE_MODE_READ) : matrix(b[k], FILE_MODE_READ));
    PetscCall(visit(b[k], false, &wrong[k + 1]));
  }
  MPI_Allreduce(MPI_IN_PLACE, wrong, 3, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "vector: %d wrong, dense matrix: %d wrong\n", wrong[1], wrong[2]));
  for (int k = 0; k < 3; k++) {
    dap_array_release(&locals[k]);
    dap_layout_destroy(&layouts[k]);
  }
  MPI_Barrier(PETSC_COMM_WORLD);
  if (PetscGlobalRank == 0)
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) (void)remove(files[k]);
  return PetscFinalize() || wrong[1] || wrong[2];
}
