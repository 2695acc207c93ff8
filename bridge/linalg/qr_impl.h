/* QR factors, and what is made of them. */
#ifndef DAP_QR_IMPL_H
#define DAP_QR_IMPL_H

#include "linalg_impl.h"

/* A's view, which holds them, and what the factorisation leaves beside it. */
typedef struct dap_linalg_qr_factors {
  dap_scalapack_matrix *a;
  bool lq; /* of the transpose */
  dap_scalapack_int k;
  void *tau;
} dap_linalg_qr_factors;

/* qr.c. All are collective.
 * factor: of the view a, or with lq its transpose; sets tau.
 * form: Q or its transpose over the first k columns or rows of A.
 * copy_r: R from A's upper triangle (L from the lower one), and zeros in the other. copy_q: Q, once formed.
 * apply: C = op(Q) C (side 'L') or C op(Q) ('R') of the first rows and columns of c, with Q not formed;
 * `adjoint`: op(Q) is Q^H. */
dap_status dap_linalg_qr_factor(dap_linalg_call *call, dap_linalg_qr_factors *f);
dap_status dap_linalg_qr_apply(dap_linalg_call *call, const dap_linalg_qr_factors *f, char side, bool adjoint,
                               dap_scalapack_int rows, dap_scalapack_int cols, const dap_scalapack_matrix *c);
dap_status dap_linalg_qr_form(dap_linalg_call *call, const dap_linalg_qr_factors *f);
void dap_linalg_qr_copy_r(const dap_linalg_call *call, const dap_linalg_qr_factors *f,
                          const dap_scalapack_matrix *r);
void dap_linalg_qr_copy_q(const dap_linalg_call *call, const dap_linalg_qr_factors *f,
                          const dap_scalapack_matrix *q);

/* pivoted.c: A P = Q R with the numerical rank, of operand 0, which is seen with op 'N' in square blocks.
 * Collective. view: takes its view, which factor needs. order [n]: the column of A at each place, counted
 * from 0, on every process. */
typedef struct dap_linalg_pivoted {
  dap_linalg_qr_factors factors;
  int64_t *order, rank;
} dap_linalg_pivoted;

dap_status dap_linalg_pivoted_tolerance(dap_linalg_call *call, double tolerance);
dap_status dap_linalg_pivoted_view(dap_linalg_call *call, dap_linalg_pivoted *p);
dap_status dap_linalg_pivoted_factor(dap_linalg_call *call, double tolerance, dap_linalg_pivoted *p);

#endif
