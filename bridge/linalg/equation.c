/* Writes a linear system as ScaLAPACK sees it: the routine's TRANS, and whether to conjugate. */
#include "system_impl.h"

/* A's buffer is a matrix M with A = M (op 'N') or A = M^T (op 'T'), and B's is S = B, or B^T. Then op(A) X =
 * B is
 *
 *     E S' = S        if S is B, or
 *     S' E = S        if S is B^T (both sides are transposed), with E:
 *
 *     trans   ops of A and B alike   ops unlike
 *     'N'     M                      M^T
 *     'T'     M^T                    M
 *     'C'     M^H                    conj(M)
 *
 * Each op 'T' is one transposition more. No routine takes conj(M), so M is used with conjugated right-hand
 * sides and solutions. X op(A) = B is the same, with E on the other side of S. */
dap_equation dap_equation_of(char trans, char op_a, char op_b)
{
  const bool transposed = (trans != 'N') != (op_a != op_b);
  if (trans == 'C') return (dap_equation){.trans = transposed ? 'C' : 'N', .conjugate = !transposed};
  return (dap_equation){.trans = transposed ? 'T' : 'N'};
}

void dap_linalg_triangular(const dap_linalg_call *call, char uplo, char trans, char diag,
                           const dap_scalapack_matrix *a, const dap_scalapack_matrix *s)
{
  const char side = dap_linalg_side(s);
  call->lib->trsm(&side, &uplo, &trans, &diag, &s->m, &s->n, call->lib->one, DAP_MATRIX(a), DAP_MATRIX(s));
}

void dap_cholesky_substitute(const dap_linalg_call *call, char uplo, const dap_scalapack_matrix *a,
                             const dap_scalapack_matrix *s)
{
  const bool transposed_first = (uplo == 'U') == (dap_linalg_side(s) == 'L');
  dap_linalg_triangular(call, uplo, transposed_first ? 'C' : 'N', 'N', a, s);
  dap_linalg_triangular(call, uplo, transposed_first ? 'N' : 'C', 'N', a, s);
}
