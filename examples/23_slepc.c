/* The largest eigenvalues of a dense matrix by SLEPc, which only multiplies with it. The array's rows lie in
 * C order, as numpy's do: PETSc has no such dense matrix on several processes, so the view is a shell that
 * multiplies in the array's own buffer. Vectors come back as columns of another array, each of which is the
 * Vec's memory. Ends in success if they fulfil A z = w z. For any number of processes. */
#include "log.h"

#include <dapbridge/petsc_matrix.h>
#include <dapbridge/petsc_vector.h>
#include <slepceps.h>
#define CHECK(call) PetscCheck((call) == DAP_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", err.text)
enum { N = 400, WANTED = 3 };
static dap_error err;

/* How strongly places i and j on a line are correlated. */
static PetscReal covariance(int64_t i, int64_t j)
{
  return exp(-fabs((double)(i - j)) / 50);
}

static PetscErrorCode fill(const dap_layout *layout, const dap_array *array)
{
  PetscScalar *a = array->data;
  for (int64_t e = 0; e < dap_array_count(array); e++) {
    const int64_t local[] = {e / N, e % N};
    int64_t i[2];
    CHECK(dap_layout_globalize(layout, PetscGlobalRank, local, i, NULL, &err));
    a[e] = covariance(i[0], i[1]);
  }
  return 0;
}

/* Column k of Z as a Vec: that of eigenpair k. And how far it is from one of length 1. */
static PetscErrorCode store(EPS eps, Mat a, PetscInt k, dap_darray z, PetscReal *error)
{
  const int axes[] = {0};
  const int64_t start[] = {0, k};
  const dap_petsc_vector_options options = {.part = {.naxes = 1, .axes = axes, .start = start}};
  dap_petsc_vector column;
  PetscScalar value = 0;
  PetscReal norm, length;
  Vec residual;
  CHECK(dap_petsc_vector_get(PETSC_COMM_WORLD, z, DAP_WRITE, &options, &column, &err));
  PetscCall(EPSGetEigenpair(eps, k, &value, NULL, column.vec, NULL));
  PetscCall(VecDuplicate(column.vec, &residual));
  PetscCall(MatMult(a, column.vec, residual));
  PetscCall(VecAXPY(residual, -value, column.vec));
  PetscCall(VecNorm(residual, NORM_2, &norm));
  PetscCall(VecNorm(column.vec, NORM_2, &length));
  *error = PetscMax(*error, PetscMax(norm, PetscAbsReal(length - 1)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "eigenvalue %d: %.6f; its vector is %s\n", (int)k,
                        (double)PetscRealPart(value), column.shared ? "in the array" : "moved"));
  PetscCall(VecDestroy(&residual));
  CHECK(dap_petsc_vector_restore(&column, &err));
  return 0;
}

int main(int argc, char **argv)
{
  PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
  log_if_wanted();
  const dap_dtype scalar = PetscDefined(USE_COMPLEX) ? DAP_C16 : DAP_F8;
  const dap_dist square[] = {dap_dist_even(N, PetscGlobalSize), dap_dist_local(N)};
  const dap_dist tall[] = {dap_dist_even(N, PetscGlobalSize), dap_dist_local(WANTED)};
  dap_layout *layout, *of_vectors;
  dap_array array, vectors;
  CHECK(dap_layout_create(2, square, &layout, &err));
  CHECK(dap_layout_create(2, tall, &of_vectors, &err));
  CHECK(dap_array_init(&array, layout, PetscGlobalRank, scalar, DAP_ORDER_C, NULL, &err));
  CHECK(dap_array_init(&vectors, of_vectors, PetscGlobalRank, scalar, DAP_ORDER_F, NULL, &err));
  PetscCall(fill(layout, &array));

  dap_petsc_matrix a;
  CHECK(dap_petsc_matrix_get(PETSC_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ, NULL, &a, &err));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "matrix %s: %s\n", a.shared ? "shared" : "moved", a.reason));
  EPS eps;
  PetscInt found;
  PetscReal error = 0;
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, a.mat, NULL));
  PetscCall(EPSSetProblemType(eps, EPS_HEP));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  PetscCall(EPSSetDimensions(eps, WANTED, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(EPSSetTolerances(eps, 1e-10, 200));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &found));
  PetscCheck(found >= WANTED, PETSC_COMM_WORLD, PETSC_ERR_CONV_FAILED, "only %d pairs", (int)found);
  for (PetscInt k = 0; k < WANTED; k++)
    PetscCall(store(eps, a.mat, k, (dap_darray){of_vectors, &vectors}, &error));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "largest residual %.0e\n", (double)error));

  PetscCall(EPSDestroy(&eps));
  CHECK(dap_petsc_matrix_restore(&a, &err));
  dap_array_release(&vectors);
  dap_array_release(&array);
  dap_layout_destroy(&of_vectors);
  dap_layout_destroy(&layout);
  return SlepcFinalize() || error > 1e-6;
}
