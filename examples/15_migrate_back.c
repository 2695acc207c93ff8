/* The reverse of 06_migrate. A matrix that was created in ScaLAPACK's cyclic blocks is factored in place,
 * A = L L'. PETSc takes L as a MATDENSE, computes A's row sums with it, and divides its rows by them. The
 * result D L is the factor of D A D. ScaLAPACK solves D A D x = 1 with it, so x contains the row sums.
 * Runs on any number of processes. */
#include "log.h"

#include <dapbridge/petsc_matrix.h>
#include <dapbridge/scalapack_calls.h>
#define CHECK(call) PetscCheck((call) == DAP_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", err.text)
enum { N = 500, L = 0, X };
static dap_error err;
static double element(int64_t i, int64_t j)
{
  return (i == j) + 1. / (double)(1 + (i < j ? j - i : i - j));
}

/* Fills L's array with A's lower triangle and x's with ones, or finds how far x is from the row sums. */
static PetscErrorCode visit(int which, const dap_layout *layout, const dap_array *array, double *error)
{
  PetscScalar *at = array->data;
  for (int64_t e = 0; e < dap_array_count(array); e++) { /* F order */
    const int64_t local[] = {e % array->shape[0], e / array->shape[0]};
    int64_t i[2];
    double sum = 0;
    CHECK(dap_layout_globalize(layout, PetscGlobalRank, local, i, NULL, &err));
    for (int64_t j = 0; j < N && error; j++) sum += element(i[0], j);
    if (error)
      *error = fmax(*error, PetscAbsScalar(at[e] - sum) / sum);
    else
      at[e] = which == X ? 1 : i[0] >= i[1] ? element(i[0], i[1]) : 0;
  }
  return 0;
}

static PetscErrorCode scale(Mat factor)
{
  Vec y, d;
  PetscCall(MatCreateVecs(factor, &y, &d));
  PetscCall(VecSet(d, 1));
  PetscCall(MatMultTranspose(factor, d, y));
  PetscCall(MatMult(factor, y, d)); /* A times ones */
  PetscCall(VecReciprocal(d));
  PetscCall(MatDiagonalScale(factor, d, NULL));
  PetscCall(VecDestroy(&y));
  return VecDestroy(&d);
}

int main(int argc, char **argv)
{
  int procs[2] = {0};
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  log_if_wanted();
  MPI_Dims_create(PetscGlobalSize, 2, procs);
  const bool is_complex = PetscDefined(USE_COMPLEX);
  const dap_dtype scalar = is_complex ? DAP_C16 : DAP_F8;
  dap_layout *layout[2];
  dap_array array[2];
  for (int k = L; k <= X; k++) {
    const dap_dist cuts[] = {dap_dist_cyclic(N, procs[0], 32), dap_dist_cyclic(k == X ? 1 : N, procs[1], 32)};
    CHECK(dap_layout_create(2, cuts, &layout[k], &err));
    CHECK(dap_array_init(&array[k], layout[k], PetscGlobalRank, scalar, DAP_ORDER_F, NULL, &err));
    PetscCall(visit(k, layout[k], &array[k], NULL));
  }
  const dap_darray matrix = {layout[L], &array[L]}, solution = {layout[X], &array[X]};
  dap_petsc_matrix factor;
  dap_scalapack_matrix l, x;
  const dap_scalapack_options factoring = {.sharing = DAP_SHARE_OR_FAIL, .routine = "potrf"};
  const dap_scalapack_options solving = {
      .sharing = DAP_SHARE_OR_FAIL, .routine = "potrs", .aligned_with = &l};
  dap_scalapack_int one = 1, info[2];
  CHECK(dap_scalapack_get(PETSC_COMM_WORLD, matrix, DAP_READ_WRITE, &factoring, &l, &err));
  (is_complex ? pzpotrf_ : pdpotrf_)("L", &l.m, l.data, &one, &one, l.desc, &info[0]);
  char text[1024];
  dap_scalapack_describe(&l, text, sizeof text);
  CHECK(dap_scalapack_restore(&l, &err));

  CHECK(dap_petsc_matrix_get(PETSC_COMM_WORLD, matrix, DAP_READ_WRITE, NULL, &factor, &err));
  PetscCall(scale(factor.mat));
  CHECK(dap_petsc_matrix_restore(&factor, &err));

  CHECK(dap_scalapack_get(PETSC_COMM_WORLD, matrix, DAP_READ, &factoring, &l, &err));
  CHECK(dap_scalapack_get(PETSC_COMM_WORLD, solution, DAP_READ_WRITE, &solving, &x, &err));
  (is_complex ? pzpotrs_ : pdpotrs_)("L", &l.m, &one, l.data, &one, &one, l.desc, x.data, &one, &one, x.desc,
                                     &info[1]);
  CHECK(dap_scalapack_restore(&x, &err));
  CHECK(dap_scalapack_restore(&l, &err));

  double error = 0;
  PetscCall(visit(X, layout[X], &array[X], &error));
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &factor.moved_bytes, 1, MPI_INT64_T, MPI_SUM, PETSC_COMM_WORLD);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\nPETSc: %s: %s\n", text, factor.shared ? "shared" : "moved",
                        factor.reason));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%lld bytes moved by all, there and back; largest error %.0e\n",
                        (long long)factor.moved_bytes, error));
  for (int k = L; k <= X; k++) {
    dap_array_release(&array[k]);
    dap_layout_destroy(&layout[k]);
  }
  return PetscFinalize() || info[0] || info[1] || !(error < 1e-12);
}
