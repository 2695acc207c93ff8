/* The expert solver: an index of what its files share.
 *
 * With the views M of A and B, X as columns, op(A) X = B is t(M) X = B with t of equation.c. What is
 * factored is F = R M C, with R and C powers of 2 on diagonals; all else, residuals and bounds, is of M
 * as it is: the backward error does not depend on the scaling of rows and columns, and the forward error
 * is then that of X. */
#ifndef DAP_REFINED_IMPL_H
#define DAP_REFINED_IMPL_H

#include "system_impl.h"

typedef struct dap_refined {
  dap_linalg_call *call;
  dap_equation e; /* t */
  const dap_scalapack_matrix *m;
  dap_scalapack_matrix f; /* P L U over R M C */
  dap_swaps swaps;        /* beside the columns */
  int *exponents[2];      /* [n] R(i, i) = 2^-exponents[0][i], and C(i, i) by exponents[1]; NULL: 1 */
  /* n x nrhs, distributed alike; the last two are real */
  dap_scalapack_matrix x, b, r; /* solutions, right-hand sides, residuals and corrections */
  dap_scalapack_matrix size_x;  /* |X| */
  dap_scalapack_matrix bound;   /* |t(M)| |X| + |B| */
  dap_scalapack_matrix panel;   /* room for columns of |M| */
  double eps, tiny;             /* unit roundoff and smallest normal number of the type */
} dap_refined;

/* refined_scale.c
 * scale: F = R M C, with R and C chosen. Collective.
 * solve: S = inv(t(M)) S, S distributed like the columns, t 'N', 'T' or 'C'. Collective in ScaLAPACK only.
 * size, count: this process's part of a real one of the columns, and of another. */
dap_status dap_refined_scale(dap_refined *p);
dap_status dap_refined_solve(const dap_refined *p, char trans, const dap_scalapack_matrix *s);
dap_linalg_part dap_refined_real_part(const dap_refined *p, const dap_scalapack_matrix *view);
double dap_refined_size(const dap_linalg_part *part, int64_t row, int64_t col);

/* refined_bounds.c
 * residual: r = B - t(M) X, and `bound`. Collective in ScaLAPACK only.
 * backward, forward: the errors of each column, from these, which forward uses up. Collective; values
 * [nrhs] are the same on every process. */
void dap_refined_residual(const dap_refined *p);
dap_status dap_refined_backward(const dap_refined *p, double values[]);
dap_status dap_refined_forward(dap_refined *p, double values[]);

#endif
