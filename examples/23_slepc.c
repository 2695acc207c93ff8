/* Computes some eigenvalues and singular values of a dense matrix with SLEPc, which only multiplies with
 * the matrix. The program tries each type of matrix that PETSc has for an array. The rows are in C order,
 * as in numpy. On several processes, the matrix that shares them is a shell, which multiplies in the
 * array's own buffer. MATDENSE and MATSCALAPACK are moved. Vectors come back as columns of arrays, and
 * each column is the Vec's memory. Succeeds if A z = w z and A v = s u. Runs on any number of processes. */
#include "log.h"

#include <dapbridge/petsc_matrix.h>
#include <dapbridge/petsc_vector.h>
#include <slepceps.h>
#include <slepcsvd.h>
#define CHECK(call) PetscCheck((call) == DAP_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", err.text)
enum { N = 400, WANTED = 3 };
static dap_error err;

/* A(i, j) is the correlation of places i and j on a line. */
static PetscErrorCode fill(const dap_layout *layout, const dap_array *array)
{
  PetscScalar *a = array->data;
  for (int64_t e = 0; e < dap_array_count(array); e++) {
    const int64_t local[] = {e / N, e % N};
    int64_t i[2];
    CHECK(dap_layout_globalize(layout, PetscGlobalRank, local, i, NULL, &err));
    a[e] = exp(-fabs((double)(i[0] - i[1])) / 50);
  }
  return 0;
}

/* The next two functions make an array of vectors in the ranges of the matrix, and get a column as a Vec. */
static PetscErrorCode make_columns(Mat a, dap_layout **layout, dap_array *array)
{
  const PetscInt *begins;
  int64_t *lengths;
  PetscCall(PetscMalloc1(PetscGlobalSize, &lengths));
  PetscCall(MatGetOwnershipRanges(a, &begins));
  for (int p = 0; p < PetscGlobalSize; p++) lengths[p] = begins[p + 1] - begins[p];
  const dap_dist tall[] = {dap_dist_lengths(N, PetscGlobalSize, lengths), dap_dist_local(WANTED)};
  CHECK(dap_layout_create(2, tall, layout, &err));
  const dap_dtype scalar = PetscDefined(USE_COMPLEX) ? DAP_C16 : DAP_F8;
  CHECK(dap_array_init(array, *layout, PetscGlobalRank, scalar, DAP_ORDER_F, NULL, &err));
  return PetscFree(lengths);
}

static PetscErrorCode get_column(dap_darray array, int64_t k, dap_petsc_vector *column)
{
  const int axes[] = {0};
  const int64_t start[] = {0, k};
  const dap_petsc_vector_options options = {.sharing = DAP_SHARE_OR_FAIL,
                                            .part = {.naxes = 1, .axes = axes, .start = start}};
  CHECK(dap_petsc_vector_get(PETSC_COMM_WORLD, array, DAP_WRITE, &options, column, &err));
  return 0;
}

/* Finds how far A x is from factor y, and x from a vector of length 1. */
static PetscErrorCode judge(Mat a, Vec x, PetscScalar factor, Vec y, PetscReal *error)
{
  Vec residual;
  PetscReal norm, length;
  PetscCall(VecDuplicate(y, &residual));
  PetscCall(MatMult(a, x, residual));
  PetscCall(VecAXPY(residual, -factor, y));
  PetscCall(VecNorm(residual, NORM_2, &norm));
  PetscCall(VecNorm(x, NORM_2, &length));
  *error = PetscMax(*error, PetscMax(norm, PetscAbsReal(length - 1)));
  return VecDestroy(&residual);
}

static PetscErrorCode find_eigenpairs(Mat a, dap_darray z, PetscReal *error)
{
  EPS eps;
  PetscInt found;
  PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
  PetscCall(EPSSetOperators(eps, a, NULL));
  PetscCall(EPSSetProblemType(eps, EPS_HEP));
  PetscCall(EPSSetWhichEigenpairs(eps, EPS_LARGEST_REAL));
  PetscCall(EPSSetDimensions(eps, WANTED, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(EPSSetTolerances(eps, 1e-10, 200));
  PetscCall(EPSSolve(eps));
  PetscCall(EPSGetConverged(eps, &found));
  PetscCheck(found >= WANTED, PETSC_COMM_WORLD, PETSC_ERR_CONV_FAILED, "only %d pairs", (int)found);
  for (PetscInt k = 0; k < WANTED; k++) {
    dap_petsc_vector x;
    PetscScalar value = 0;
    PetscCall(get_column(z, k, &x));
    PetscCall(EPSGetEigenpair(eps, k, &value, NULL, x.vec, NULL));
    PetscCall(judge(a, x.vec, value, x.vec, error));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  eigenvalue %.6f\n", (double)PetscRealPart(value)));
    CHECK(dap_petsc_vector_restore(&x, &err));
  }
  return EPSDestroy(&eps);
}

static PetscErrorCode find_singular_values(Mat a, dap_darray left, dap_darray right, PetscReal *error)
{
  SVD svd;
  PetscInt found;
  PetscCall(SVDCreate(PETSC_COMM_WORLD, &svd));
  PetscCall(SVDSetOperators(svd, a, NULL));
  PetscCall(SVDSetImplicitTranspose(svd, PETSC_TRUE)); /* a shell has no transpose, but multiplies by it */
  PetscCall(SVDSetDimensions(svd, WANTED, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(SVDSetTolerances(svd, 1e-10, 200));
  PetscCall(SVDSolve(svd));
  PetscCall(SVDGetConverged(svd, &found));
  PetscCheck(found >= WANTED, PETSC_COMM_WORLD, PETSC_ERR_CONV_FAILED, "only %d values", (int)found);
  for (PetscInt k = 0; k < WANTED; k++) {
    dap_petsc_vector u, v;
    PetscReal sigma = 0;
    PetscCall(get_column(left, k, &u));
    PetscCall(get_column(right, k, &v));
    PetscCall(SVDGetSingularTriplet(svd, k, &sigma, u.vec, v.vec));
    PetscCall(judge(a, v.vec, sigma, u.vec, error));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  singular value %.6f\n", (double)sigma));
    CHECK(dap_petsc_vector_restore(&u, &err));
    CHECK(dap_petsc_vector_restore(&v, &err));
  }
  return SVDDestroy(&svd);
}

static PetscErrorCode solve(dap_darray array, dap_petsc_form form, PetscReal *error)
{
  const dap_petsc_matrix_options options = {.form = form};
  dap_petsc_matrix a;
  dap_layout *layouts[3];
  dap_array arrays[3]; /* eigenvectors, left and right singular vectors */
  MatType type;
  CHECK(dap_petsc_matrix_get(PETSC_COMM_WORLD, array, DAP_READ, &options, &a, &err));
  PetscCall(MatGetType(a.mat, &type));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "a %s, %s\n", type, a.shared ? "shared" : "moved"));
  for (int i = 0; i < 3; i++) PetscCall(make_columns(a.mat, &layouts[i], &arrays[i]));
  PetscCall(find_eigenpairs(a.mat, (dap_darray){layouts[0], &arrays[0]}, error));
  PetscCall(find_singular_values(a.mat, (dap_darray){layouts[1], &arrays[1]},
                                 (dap_darray){layouts[2], &arrays[2]}, error));
  CHECK(dap_petsc_matrix_restore(&a, &err));
  for (int i = 0; i < 3; i++) dap_array_release(&arrays[i]), dap_layout_destroy(&layouts[i]);
  return 0;
}

int main(int argc, char **argv)
{
  PetscCall(SlepcInitialize(&argc, &argv, NULL, NULL));
  log_if_wanted();
  const dap_dist rows[] = {dap_dist_even(N, PetscGlobalSize), dap_dist_local(N)};
  const dap_dtype scalar = PetscDefined(USE_COMPLEX) ? DAP_C16 : DAP_F8;
  dap_layout *layout;
  dap_array array;
  CHECK(dap_layout_create(2, rows, &layout, &err));
  CHECK(dap_array_init(&array, layout, PetscGlobalRank, scalar, DAP_ORDER_C, NULL, &err));
  PetscCall(fill(layout, &array));
  PetscReal error = 0;
  PetscCall(solve((dap_darray){layout, &array}, DAP_PETSC_ANY, &error));
  PetscCall(solve((dap_darray){layout, &array}, DAP_PETSC_DENSE, &error));
  PetscCall(solve((dap_darray){layout, &array}, DAP_PETSC_SCALAPACK, &error));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "largest residual %.0e\n", (double)error));
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  return SlepcFinalize() || error > 1e-6;
}
