/* Rows of linear algebra: what is shared in Fortran order, and other algorithms. Tall matrices, whose rows
 * are factored by messages of dapbridge's own. */
#include "rows.h"

#include "call_rows.h"

#include <dapbridge/linalg.h>
#include <dapbridge/linalg_banded.h>
#include <dapbridge/linalg_rank.h>
#include <dapbridge/linalg_schur.h>
#include <dapbridge/linalg_triangular.h>

/* ---- products and systems ------------------------------------------------------------------------------ */

/* On the communicator. */
#define LINALG(name, what, ...) DIRECT_VARIANT(name, what, COLLECTIVE(0), g->comm, __VA_ARGS__)

static const dap_linalg_options keep = {.keep = true}, gesvd = {.svd = {.solver = DAP_SVD_GESVD}},
                                ev = {.eigh = {.solver = DAP_EIGH_EV}},
                                evr = {.eigh = {.solver = DAP_EIGH_EVR}},
                                range = {.eigh = {.range = DAP_EIGH_BY_VALUE, .above = 0, .up_to = 1000}};

LINALG(dap_linalg_rank_k, ", both triangles", 'H', 'A', 'N', NULL, g->array[A], NULL, g->array[C], NULL)
LINALG(dap_linalg_solve, ", with a copy", 'T', g->array[A], g->array[B], &keep)
LINALG(dap_linalg_least_squares, ", of least norm", row_operand(WIDE), row_operand(SHORT), g->array[W], NULL)
LINALG(dap_linalg_least_squares_rank, ", rank 1", -1, row_operand(EQUAL), g->array[B], g->array[C], NULL,
       NULL)
LINALG(dap_linalg_banded_solve, ", on several", 1, 1, row_operand(BAND), row_operand(RIGHT), NULL)
LINALG(dap_linalg_positive_banded_solve, ", on several", 'L', row_operand(POSITIVE), row_operand(RIGHT), NULL)

/* A part of what was made is used, and ended. */
VARIANT(dap_linalg_factors_solve, ", by Cholesky", COLLECTIVE(0))
{
  dap_linalg_factors *f = NULL;
  double sign[2], value;
  dap_status s = dap_linalg_cholesky(g->comm, 'L', g->array[A], &keep, &f, err);
  if (!s) s = dap_linalg_factors_determinant(f, sign, &value, err);
  if (!s) s = dap_linalg_factors_condition(f, '1', &value, err);
  if (!s) s = dap_linalg_factors_solve(f, 'N', g->array[B], NULL, err);
  dap_linalg_factors_destroy(&f);
  return s;
}

/* ---- factorisations, values and vectors ---------------------------------------------------------------- */

LINALG(dap_linalg_qr, ", in place", g->array[A], g->array[A], g->array[C], NULL)
LINALG(dap_linalg_qr_pivoted, ", with pivots", -1, g->array[A], g->array[B], g->array[C], row_operand(ORDER),
       NULL, NULL)
LINALG(dap_linalg_eigh, ", EV", 'L', g->array[A], g->array[W], g->array[B], &ev)
LINALG(dap_linalg_eigh, ", EVR", 'U', g->array[A], g->array[W], g->array[B], &evr)
LINALG(dap_linalg_eigh, ", by value", 'L', g->array[A], g->array[W], g->array[B], &range)
LINALG(dap_linalg_svd, ", GESVD", g->array[A], g->array[B], g->array[W], g->array[C], &gesvd)
LINALG(dap_linalg_schur, ", with values", g->array[A], g->array[B], g->array[C], row_operand(VALUES), NULL)
LINALG(dap_linalg_eig, ", with vectors", g->array[A], row_operand(VALUES), row_operand(VECTORS), NULL)

/* ---- tall matrices ------------------------------------------------------------------------------------- */

#define OF_TALL(i) row_operand(TALL_##i)
LINALG(dap_linalg_svd, ", tall", row_operand(TALL), OF_TALL(Q), OF_TALL(VALUES), OF_TALL(R), NULL)
LINALG(dap_linalg_qr, ", tall", row_operand(TALL), OF_TALL(Q), OF_TALL(R), NULL)
LINALG(dap_linalg_qr_pivoted, ", tall", -1, row_operand(TALL), OF_TALL(Q), OF_TALL(R), OF_TALL(ORDER), NULL,
       NULL)
LINALG(dap_linalg_least_squares, ", tall", row_operand(TALL), OF_TALL(RIGHT), OF_TALL(X), NULL)
LINALG(dap_linalg_least_squares_rank, ", tall", -1, row_operand(TALL), OF_TALL(RIGHT), OF_TALL(X), NULL, NULL)
