/* Declares the types and functions that the files for QR factors and their use share. */
#ifndef DAP_QR_IMPL_H
#define DAP_QR_IMPL_H

#include "room_impl.h"

/* The factors: in A's view, and beside it. */
typedef struct dap_linalg_qr_factors {
  dap_scalapack_matrix *a;
  bool lq; /* A has the LQ factors of the transpose */
  dap_scalapack_int k;
  void *tau;
  dap_workspace form; /* for the formation of Q */
} dap_linalg_qr_factors;

/* A product with Q. */
typedef struct dap_linalg_qr_product {
  const dap_linalg_qr_factors *factors;
  char side;
  bool adjoint;
  dap_scalapack_int rows, cols;
  const dap_scalapack_matrix *c;
  dap_workspace w; /* zeroed: none yet */
} dap_linalg_qr_product;

/* qr.c. All are collective.
 * factor: factors the view a, or with lq its transpose. Sets tau.
 * copy_r: copies R from A's upper triangle (L from the lower one), and writes zeros to the other.
 * apply: C = op(Q) C (side 'L') or C op(Q) ('R') for the first rows and columns of c. Q is not formed. With
 * `adjoint` op(Q) is Q^H. apply_room reserves its workspace, and may be called before. */
dap_status dap_linalg_qr_factor(dap_linalg_call *call, dap_linalg_qr_factors *f);
void dap_linalg_qr_copy_r(const dap_linalg_call *call, const dap_linalg_qr_factors *f,
                          const dap_scalapack_matrix *r);
dap_status dap_linalg_qr_apply_room(dap_linalg_call *call, dap_linalg_qr_product *product);
dap_status dap_linalg_qr_apply(dap_linalg_call *call, dap_linalg_qr_product *product);

typedef struct dap_linalg_rank {
  double tolerance; /* below 0: the default */
  int64_t rank;
} dap_linalg_rank;

/* pivoted.c: A P = Q R and the numerical rank, of operand 0, which is seen with op 'N'. All are collective,
 * except check_tolerance.
 * check_tolerance: checks that the tolerance is a number.
 * find_rank: sets found->rank by the absolute values on R's diagonal, sizes [k]. DAP_ERR_NUMERIC if a size
 * is not finite.
 * view: takes the view that factor needs. Its blocks are square if A is not tall, or `reflected`: other
 * matrices are multiplied by the reflectors.
 * factor: factors it. order [n]: the column of A at each place, counted from 0, on every process. */
dap_status dap_linalg_check_tolerance(dap_linalg_call *call, double tolerance);
dap_status dap_linalg_find_rank(dap_linalg_call *call, const double sizes[], int64_t k,
                                dap_linalg_rank *found);
dap_status dap_linalg_pivoted_view(dap_linalg_call *call, bool reflected, dap_linalg_qr_factors *f);
dap_status dap_linalg_pivoted_factor(dap_linalg_call *call, dap_linalg_rank *found, dap_linalg_qr_factors *f,
                                     int64_t **order);

#endif
