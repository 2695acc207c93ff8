/* A linear system as ScaLAPACK sees it.
 *
 * A's buffer is a matrix M with A = M (op 'N') or A = M^T (op 'T'), and B's is S = B, or B^T. Then op(A) X =
 * B is
 *     E S' = S        where S is B, or
 *     S' E = S        where S is B^T (both sides transposed), with E:
 *
 *     trans   ops of A and B alike   ops unlike
 *     'N'     M                      M^T
 *     'T'     M^T                    M
 *     'C'     M^H                    conj(M)
 *
 * as each op 'T' is one transposition more. conj(M), which no routine takes, is M with conjugated right-hand
 * sides and solutions. X op(A) = B is the same with each transposition undone: E on the other side of S. */
#include "system_impl.h"

dap_equation dap_equation_of(char trans, char op_a, char op_b)
{
  const bool transposed = (trans != 'N') != (op_a != op_b);
  if (trans == 'C') return (dap_equation){.trans = transposed ? 'C' : 'N', .conjugate = !transposed};
  return (dap_equation){.trans = transposed ? 'T' : 'N'};
}

/* ---- right-hand sides --------------------------------------------------------------------------------- */

/* A matrix is solved with from the left or from the right, so right-hand sides are shared if they lie on its
 * grid as they are, or transposed. */
dap_status dap_linalg_view_right_side(dap_linalg_call *call, int i, const dap_scalapack_matrix *like,
                                      dap_scalapack_matrix **view)
{
  /* trsm and lapiv take any blocks, from any process on */
  dap_scalapack_options options = {.aligned_with = like,
                                   .needs = {.any_sources = true, .align = DAP_ALIGN_GRID}};
  const char ops[2] = {like->op, like->op == 'N' ? 'T' : 'N'};
  for (int k = 0; k < 2; k++) {
    options.op = ops[k];
    const dap_status status = dap_linalg_share(call, i, &options, view);
    if (status != DAP_ERR_SHARE) return status;
  }
  options.op = 'N';
  return dap_linalg_view(call, i, &options, view);
}

void dap_linalg_triangular(const dap_linalg_call *call, char uplo, char trans, char diag,
                           const dap_scalapack_matrix *a, const dap_scalapack_matrix *s)
{
  const char side = dap_linalg_side(s);
  call->lib->trsm(&side, &uplo, &trans, &diag, &s->m, &s->n, call->lib->one, DAP_MATRIX(a), DAP_MATRIX(s));
}
