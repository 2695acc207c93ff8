/* Rows of linear algebra: what is shared in Fortran order, and other algorithms. */
#include "allocation_rows.h"

#include <dapbridge/linalg.h>
#include <dapbridge/linalg_banded.h>
#include <dapbridge/linalg_rank.h>
#include <dapbridge/linalg_schur.h>
#include <dapbridge/linalg_triangular.h>
#include <stdlib.h>

/* ---- operands ------------------------------------------------------------------------------------------ */

enum {
  TALL,
  TALL_U,
  TALL_S,
  TALL_VT,
  WIDE,
  SHORT,
  EQUAL,
  ORDER,
  VALUES,
  VECTORS,
  BAND,
  POSITIVE,
  RIGHT,
  OPERANDS
};

static const struct {
  int64_t rows, columns; /* columns 0: a vector */
  dap_dtype dtype;
  bool by_columns; /* cut along them */
} forms[OPERANDS] = {
    [TALL] = {16, 5, DAP_F8, false},    [TALL_U] = {16, 5, DAP_F8, false}, [TALL_S] = {5, 0, DAP_F8, false},
    [TALL_VT] = {5, 5, DAP_F8, false},  [WIDE] = {5, 8, DAP_F8, false},    [SHORT] = {5, 0, DAP_F8, false},
    [EQUAL] = {8, 8, DAP_F8, false},    [ORDER] = {8, 0, DAP_I4, false},   [VALUES] = {8, 0, DAP_C16, false},
    [VECTORS] = {8, 8, DAP_C16, false}, [BAND] = {3, 24, DAP_F8, true},    [POSITIVE] = {3, 24, DAP_F8, true},
    [RIGHT] = {24, 2, DAP_F8, false},
};

static struct {
  dap_layout *layout;
  dap_array local;
} operands[OPERANDS];

void allocation_operands_begin(void)
{
  int procs, rank;
  (void)MPI_Comm_size(MPI_COMM_WORLD, &procs);
  (void)MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < OPERANDS; i++) {
    const int64_t rows = forms[i].rows, columns = forms[i].columns;
    const bool by_columns = forms[i].by_columns;
    const dap_dist dists[] = {by_columns ? dap_dist_local(rows) : dap_dist_ceil(rows, procs),
                              by_columns ? dap_dist_ceil(columns, procs) : dap_dist_local(columns)};
    const dap_status s = dap_layout_create(columns ? 2 : 1, dists, &operands[i].layout, NULL);
    if (s ||
        dap_array_init(&operands[i].local, operands[i].layout, rank, forms[i].dtype, DAP_ORDER_F, NULL, NULL))
      abort();
  }
}

void allocation_operands_end(void)
{
  for (int i = 0; i < OPERANDS; i++) {
    dap_array_release(&operands[i].local);
    dap_layout_destroy(&operands[i].layout);
  }
}

/* Bands with a heavy diagonal, ones, or numbers without a pattern. */
static double number(int operand, int64_t e)
{
  if (operand == BAND || operand == POSITIVE) return e % 3 == (operand == BAND) ? 8 : 1;
  return operand == EQUAL ? 1 : (double)((5 * e * e + 3 * e) % 13) - 6;
}

void allocation_operands_fill(void)
{
  for (int i = 0; i < OPERANDS; i++) {
    const dap_array *array = &operands[i].local;
    const bool is_integer = forms[i].dtype == DAP_I4;
    const int64_t count = dap_array_bytes(array) / (is_integer ? 4 : 8);
    for (int64_t e = 0; e < count; e++) {
      if (is_integer)
        ((int32_t *)array->data)[e] = (int32_t)e;
      else
        ((double *)array->data)[e] = number(i, e);
    }
  }
}

const dap_array *allocation_operand(int i)
{
  return i < OPERANDS ? &operands[i].local : NULL;
}

static dap_darray of(int i)
{
  return (dap_darray){operands[i].layout, &operands[i].local};
}

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
LINALG(least_norm, dap_linalg_least_squares, of(WIDE), of(SHORT), g->array[W], NULL)
LINALG(any_rank, dap_linalg_least_squares_rank, -1, of(EQUAL), g->array[B], g->array[C], NULL, NULL)
LINALG(banded, dap_linalg_banded_solve, 1, 1, of(BAND), of(RIGHT), NULL)
LINALG(positive, dap_linalg_positive_banded_solve, 'L', of(POSITIVE), of(RIGHT), NULL)

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
LINALG(qr_pivoted, dap_linalg_qr_pivoted, -1, g->array[A], g->array[B], g->array[C], of(ORDER), NULL, NULL)
LINALG(eigh_ev, dap_linalg_eigh, 'L', g->array[A], g->array[W], g->array[B], &ev)
LINALG(eigh_evr, dap_linalg_eigh, 'U', g->array[A], g->array[W], g->array[B], &evr)
LINALG(eigh_range, dap_linalg_eigh, 'L', g->array[A], g->array[W], g->array[B], &range)
LINALG(svd_gesvd, dap_linalg_svd, g->array[A], g->array[B], g->array[W], g->array[C], &gesvd)
LINALG(svd_tall, dap_linalg_svd, of(TALL), of(TALL_U), of(TALL_S), of(TALL_VT), NULL)
LINALG(schur, dap_linalg_schur, g->array[A], g->array[B], g->array[C], of(VALUES), NULL)
LINALG(eig, dap_linalg_eig, g->array[A], of(VALUES), of(VECTORS), NULL)

/* ---- the table ----------------------------------------------------------------------------------------- */

const call allocation_rows_linalg[] = {
    ALLOCATION_ROW("dap_linalg_rank_k, both triangles", rank_k, true, NO_HANDLE),
    ALLOCATION_ROW("dap_linalg_solve, with a copy", solve, true, NO_HANDLE),
    ALLOCATION_ROW("dap_linalg_least_squares, of least norm", least_norm, true, NO_HANDLE),
    ALLOCATION_ROW("dap_linalg_least_squares_rank, rank 1", any_rank, true, NO_HANDLE),
    ALLOCATION_ROW("dap_linalg_banded_solve, on several", banded, true, NO_HANDLE),
    ALLOCATION_ROW("dap_linalg_positive_banded_solve, on several", positive, true, NO_HANDLE),
    ALLOCATION_ROW("dap_linalg_factors_solve, by Cholesky", factors, true, NO_HANDLE),
    ALLOCATION_ROW("dap_linalg_qr, in place", qr_in_place, true, NO_HANDLE),
    ALLOCATION_ROW("dap_linalg_qr_pivoted, with pivots", qr_pivoted, true, NO_HANDLE),
    ALLOCATION_ROW("dap_linalg_eigh, EV", eigh_ev, true, NO_HANDLE),
    ALLOCATION_ROW("dap_linalg_eigh, EVR", eigh_evr, true, NO_HANDLE),
    ALLOCATION_ROW("dap_linalg_eigh, by value", eigh_range, true, NO_HANDLE),
    ALLOCATION_ROW("dap_linalg_svd, GESVD", svd_gesvd, true, NO_HANDLE),
    ALLOCATION_ROW("dap_linalg_svd, tall", svd_tall, true, NO_HANDLE),
    ALLOCATION_ROW("dap_linalg_schur, with values", schur, true, NO_HANDLE),
    ALLOCATION_ROW("dap_linalg_eig, with vectors", eig, true, NO_HANDLE),
    {.name = NULL},
};
