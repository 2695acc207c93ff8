/* The expert solver: an index of what its files share.
 *
 * With the views M of A and B, and X as columns, op(A) X = B is t(M) X = B with t of equation.c. F = R M C
 * is factored, with powers of 2 on the diagonals R and C. Residuals and bounds are those of M, because the
 * backward error does not depend on the scaling of rows and columns, and the forward error is then that of
 * X. */
#ifndef DAP_REFINED_IMPL_H
#define DAP_REFINED_IMPL_H

#include "system_impl.h"

typedef struct dap_refined {
  dap_linalg_call *call;
  dap_equation e; /* t */
  const dap_scalapack_matrix *m;
  dap_scalapack_matrix f; /* P L U over R M C */
  dap_swaps swaps;        /* beside the columns */
  int *exponents[2];      /* [n] R(i, i) = 2^-exponents[0][i], C(i, i) = 2^-exponents[1][i]; NULL: 1 */
  /* n x nrhs, distributed alike; the last two are real */
  dap_scalapack_matrix x, b, r; /* solutions, right-hand sides, residuals and corrections */
  dap_scalapack_matrix size_x;  /* |X| */
  dap_scalapack_matrix bound;   /* |t(M)| |X| + |B| */
  dap_scalapack_matrix panel;   /* room for columns of |M| */
  double eps;                   /* unit roundoff of the type */
} dap_refined;

/* refined_scale.c
 * scale: chooses R and C, and sets F = R M C. Collective.
 * solve: S = inv(t(M)) S with t 'N', 'T' or 'C'. S is distributed like the columns. Collective in ScaLAPACK
 * only.
 * real_part: this process's part of columns of the real type. */
dap_status dap_refined_scale(dap_refined *p);
dap_status dap_refined_solve(const dap_refined *p, char trans, const dap_scalapack_matrix *s);
dap_linalg_part dap_refined_real_part(const dap_refined *p, const dap_scalapack_matrix *view);

/* refined_bounds.c
 * residual: sets r = B - t(M) X, and `bound`. Collective in ScaLAPACK only.
 * backward, forward: find the errors of each column from these, which forward overwrites. Collective. values
 * [nrhs] are the same on every process. */
void dap_refined_residual(const dap_refined *p);
dap_status dap_refined_backward(const dap_refined *p, double values[]);
dap_status dap_refined_forward(dap_refined *p, double values[]);

#endif
