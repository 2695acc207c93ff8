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
