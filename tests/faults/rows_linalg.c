/* Rows of linear algebra: what is shared in Fortran order, and other algorithms. Tall matrices, whose rows
 * are factored by messages of dapbridge's own. */
#include "rows.h"

#include <dapbridge/linalg.h>
#include <dapbridge/linalg_banded.h>
#include <dapbridge/linalg_rank.h>
#include <dapbridge/linalg_schur.h>
#include <dapbridge/linalg_triangular.h>

/* ---- products and systems ------------------------------------------------------------------------------ */

#define LINALG(name, call, ...)                                                                              \
  static dap_status name(const call_arguments *g, dap_error *err)                                            \
  {                                                                                                          \
    return call(g->comm, __VA_ARGS__, err);                                                                  \
  }

static const dap_linalg_options keep = {.keep = true}, gesvd = {.svd = {.solver = DAP_SVD_GESVD}},
                                ev = {.eigh = {.solver = DAP_EIGH_EV}},
                                evr = {.eigh = {.solver = DAP_EIGH_EVR}},
                                range = {.eigh = {.range = DAP_EIGH_BY_VALUE, .above = 0, .up_to = 1000}};

LINALG(rank_k, dap_linalg_rank_k, 'H', 'A', 'N', NULL, g->array[A], NULL, g->array[C], NULL)
LINALG(solve, dap_linalg_solve, 'T', g->array[A], g->array[B], &keep)
LINALG(least_norm, dap_linalg_least_squares, row_operand(WIDE), row_operand(SHORT), g->array[W], NULL)
LINALG(any_rank, dap_linalg_least_squares_rank, -1, row_operand(EQUAL), g->array[B], g->array[C], NULL, NULL)
LINALG(banded, dap_linalg_banded_solve, 1, 1, row_operand(BAND), row_operand(RIGHT), NULL)
LINALG(positive, dap_linalg_positive_banded_solve, 'L', row_operand(POSITIVE), row_operand(RIGHT), NULL)

/* A part of what was made is used, and ended. */
static dap_status factors(const call_arguments *g, dap_error *err)
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

LINALG(qr_in_place, dap_linalg_qr, g->array[A], g->array[A], g->array[C], NULL)
LINALG(qr_pivoted, dap_linalg_qr_pivoted, -1, g->array[A], g->array[B], g->array[C], row_operand(ORDER), NULL,
       NULL)
LINALG(eigh_ev, dap_linalg_eigh, 'L', g->array[A], g->array[W], g->array[B], &ev)
LINALG(eigh_evr, dap_linalg_eigh, 'U', g->array[A], g->array[W], g->array[B], &evr)
LINALG(eigh_range, dap_linalg_eigh, 'L', g->array[A], g->array[W], g->array[B], &range)
LINALG(svd_gesvd, dap_linalg_svd, g->array[A], g->array[B], g->array[W], g->array[C], &gesvd)
LINALG(schur, dap_linalg_schur, g->array[A], g->array[B], g->array[C], row_operand(VALUES), NULL)
LINALG(eig, dap_linalg_eig, g->array[A], row_operand(VALUES), row_operand(VECTORS), NULL)

/* ---- tall matrices ------------------------------------------------------------------------------------- */

#define OF_TALL(i) row_operand(TALL_##i)
LINALG(svd_tall, dap_linalg_svd, row_operand(TALL), OF_TALL(Q), OF_TALL(VALUES), OF_TALL(R), NULL)
LINALG(qr_tall, dap_linalg_qr, row_operand(TALL), OF_TALL(Q), OF_TALL(R), NULL)
LINALG(qr_pivoted_tall, dap_linalg_qr_pivoted, -1, row_operand(TALL), OF_TALL(Q), OF_TALL(R), OF_TALL(ORDER),
       NULL, NULL)
LINALG(least_squares_tall, dap_linalg_least_squares, row_operand(TALL), OF_TALL(RIGHT), OF_TALL(X), NULL)
LINALG(any_rank_tall, dap_linalg_least_squares_rank, -1, row_operand(TALL), OF_TALL(RIGHT), OF_TALL(X), NULL,
       NULL)

/* ---- the table ----------------------------------------------------------------------------------------- */

const call rows_linalg[] = {
    EXTRA_ROW("dap_linalg_rank_k, both triangles", rank_k, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_solve, with a copy", solve, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_least_squares, of least norm", least_norm, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_least_squares_rank, rank 1", any_rank, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_banded_solve, on several", banded, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_positive_banded_solve, on several", positive, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_factors_solve, by Cholesky", factors, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_qr, in place", qr_in_place, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_qr_pivoted, with pivots", qr_pivoted, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_eigh, EV", eigh_ev, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_eigh, EVR", eigh_evr, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_eigh, by value", eigh_range, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_svd, GESVD", svd_gesvd, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_svd, tall", svd_tall, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_schur, with values", schur, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_eig, with vectors", eig, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_qr, tall", qr_tall, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_qr_pivoted, tall", qr_pivoted_tall, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_least_squares, tall", least_squares_tall, true, NO_HANDLE),
    EXTRA_ROW("dap_linalg_least_squares_rank, tall", any_rank_tall, true, NO_HANDLE),
    {.name = NULL},
};
