/* Solves linear systems by Cholesky factors.
 *
 * A is Hermitian, so its buffer is the matrix M = A (op 'N') or M = conj(A) (op 'T', the other triangle).
 * Right-hand sides that are seen with another op than A need conj(M), as equation.c explains. */
#include "system_impl.h"

enum { A, B };

char dap_linalg_triangle(char uplo, char op)
{
  if (op == 'N') return uplo;
  return uplo == 'L' ? 'U' : 'L';
}

dap_status dap_cholesky_factor(dap_linalg_call *call, char uplo, const dap_scalapack_matrix *a)
{
  DAP_TRY(dap_linalg_finite(call, a, uplo));
  dap_scalapack_int info = 0;
  call->lib->potrf(&uplo, &a->n, DAP_MATRIX(a), &info);
  return dap_linalg_check_info(call, "potrf", info, "A is not positive definite: the leading minor of order",
                               " is not positive. ScaLAPACK has no factorisation of symmetric indefinite "
                               "matrices: solve by LU, of the whole matrix");
}

static dap_status solve(dap_linalg_call *call)
{
  dap_scalapack_matrix *a, *s;
  const char given = dap_linalg_chosen(call, 0);
  DAP_TRY(dap_linalg_view_moved_as(call, A, dap_linalg_lower_op(given),
                                   &(dap_scalapack_options){.routine = "potrf"}, &a));
  DAP_TRY(dap_linalg_view_right_side(call, B, a, &s));
  const char uplo = dap_linalg_triangle(given, a->op);
  DAP_TRY(dap_cholesky_factor(call, uplo, a));
  const dap_linalg_system system = {uplo, 'N', 1, a, NULL};
  return dap_linalg_solution(call, &system, s);
}

dap_status dap_linalg_cholesky_solve(MPI_Comm comm, char uplo, dap_darray a, dap_darray b,
                                     const dap_linalg_options *options, dap_error *err)
{
  const dap_linalg_arguments arguments = {
      __func__, solve, .operands = {{"A", a, DAP_LINALG_WORK, "nn"}, {"B", b, DAP_LINALG_UPDATE, "n[r]"}},
      .choices = {{"uplo", uplo, "LU"}}};
  return dap_linalg_run(comm, &arguments, options, err);
}
