/* The table of functions that take ScaLAPACK: of its adapter, and of linear algebra. */
#include "call_rows.h"

#include <dapbridge/linalg.h>
#include <dapbridge/linalg_banded.h>
#include <dapbridge/linalg_factors.h>
#include <dapbridge/linalg_rank.h>
#include <dapbridge/linalg_schur.h>
#include <dapbridge/linalg_triangular.h>
#include <stdlib.h>

/* ---- views ------------------------------------------------------------------------------------------- */

CALL(dap_scalapack_get)
{
  dap_scalapack_matrix view;
  const dap_status s = dap_scalapack_get(g->comm, g->array[A], DAP_READ_WRITE, NULL, &view, err);
  (void)dap_scalapack_restore(&view, NULL);
  return s;
}

DIRECT(dap_scalapack_load, g->matrix)
DIRECT(dap_scalapack_store, g->matrix)
DIRECT(dap_scalapack_halo, g->matrix)
DIRECT(dap_scalapack_discard, g->matrix)
DIRECT(dap_scalapack_restore, g->matrix)

/* With the context of a live view, if there is one. */
CALL(dap_scalapack_import)
{
  dap_scalapack_int desc[9] = {1, 0, SIZE, SIZE, SIZE, SIZE, 0, 0, SIZE};
  double values[SIZE * SIZE] = {0};
  dap_array array;
  dap_layout *layout = NULL;
  for (int k = 0; k < 9 && g->matrix && g->matrix->view.view; k++) desc[k] = g->matrix->desc[k];
  const dap_status s = dap_scalapack_import(g->comm, desc, values, DAP_F8, 'N', &array, &layout, err);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  return s;
}

/* ---- linear algebra ---------------------------------------------------------------------------------- */

DIRECT(dap_linalg_solve, g->comm, 'N', g->array[A], g->array[B], NULL)
DIRECT(dap_linalg_cholesky_solve, g->comm, 'L', g->array[A], g->array[B], NULL)
DIRECT(dap_linalg_least_squares, g->comm, g->array[A], g->array[B], g->array[C], NULL)
DIRECT(dap_linalg_inverse, g->comm, g->array[A], NULL)
DIRECT(dap_linalg_determinant, g->comm, g->array[A], (double[2]){0}, &(double){0}, NULL)
DIRECT(dap_linalg_condition, g->comm, '1', g->array[A], &(double){0}, NULL)
DIRECT(dap_linalg_multiply, g->comm, 'N', 'N', NULL, g->array[A], g->array[B], NULL, g->array[C], NULL)
DIRECT(dap_linalg_norm, g->comm, 'F', g->array[A], &(double){0}, NULL)
DIRECT(dap_linalg_qr, g->comm, g->array[A], g->array[B], g->array[C], NULL)
DIRECT(dap_linalg_eigh, g->comm, 'L', g->array[A], g->array[W], g->array[B], NULL)
DIRECT(dap_linalg_eigh_generalized, g->comm, 'L', g->array[A], g->array[B], g->array[W], g->array[C], NULL)
DIRECT(dap_linalg_svd, g->comm, g->array[A], g->array[B], g->array[W], g->array[C], NULL)
DIRECT(dap_linalg_banded_solve, g->comm, 0, SIZE - 1, g->array[A], g->array[B], NULL)
DIRECT(dap_linalg_positive_banded_solve, g->comm, 'L', g->array[A], g->array[B], NULL)

/* A vector beside W, of another type or length. It is kept: no layout may be where a destroyed one was. */
static dap_darray vector(const call_arguments *g, bool is_complex)
{
  static dap_layout *layouts[2];
  static dap_array arrays[2];
  dap_array *array = &arrays[is_complex];
  const dap_dist dist = dap_dist_ceil(is_complex ? SIZE : SIZE - 1, (int)g->own[W].dims[0].proc_grid_size);
  if (!layouts[is_complex]) {
    if (dap_layout_create(1, &dist, &layouts[is_complex], NULL)) abort();
    if (dap_array_init(array, layouts[is_complex], g->rank, is_complex ? DAP_C16 : DAP_F8, DAP_ORDER_C, NULL,
                       NULL))
      abort();
  }
  return (dap_darray){layouts[is_complex], array};
}

DIRECT(dap_linalg_tridiagonal_solve, g->comm, vector(g, false), g->array[W], vector(g, false), g->array[B],
       NULL)
DIRECT(dap_linalg_positive_tridiagonal_solve, g->comm, g->array[W], vector(g, false), g->array[B], NULL)
DIRECT(dap_linalg_eig, g->comm, g->array[A], vector(g, true), (dap_darray){0}, NULL)
DIRECT(dap_linalg_qr_pivoted, g->comm, -1, g->array[A], g->array[B], g->array[C], (dap_darray){0}, NULL, NULL)
DIRECT(dap_linalg_least_squares_rank, g->comm, -1, g->array[A], g->array[B], g->array[C], NULL, NULL)
DIRECT(dap_linalg_schur, g->comm, g->array[A], g->array[B], g->array[C], (dap_darray){0}, NULL)

CALL(dap_linalg_lu)
{
  dap_linalg_factors *factors = NULL;
  const dap_status s = dap_linalg_lu(g->comm, g->array[A], NULL, &factors, err);
  dap_linalg_factors_destroy(&factors);
  return s;
}

CALL(dap_linalg_cholesky)
{
  dap_linalg_factors *factors = NULL;
  const dap_status s = dap_linalg_cholesky(g->comm, 'L', g->array[A], NULL, &factors, err);
  dap_linalg_factors_destroy(&factors);
  return s;
}

DIRECT(dap_linalg_factors_solve, g->factors, 'N', g->array[B], NULL)
DIRECT(dap_linalg_factors_inverse, g->factors, g->array[C], NULL)
DIRECT(dap_linalg_factors_determinant, g->factors, (double[2]){0}, &(double){0})
DIRECT(dap_linalg_factors_condition, g->factors, '1', &(double){0})
DIRECT(dap_linalg_solve_refined, g->comm, 'N', g->array[A], g->array[B], g->array[C], (double[SIZE]){0},
       (double[SIZE]){0}, NULL, NULL)
DIRECT(dap_linalg_triangular_solve, g->comm, 'L', 'U', 'N', 'N', NULL, g->array[A], g->array[B], NULL)
DIRECT(dap_linalg_triangular_multiply, g->comm, 'L', 'U', 'N', 'N', NULL, g->array[A], g->array[B], NULL)
DIRECT(dap_linalg_rank_k, g->comm, 'H', 'L', 'N', NULL, g->array[A], NULL, g->array[C], NULL)

/* ---- the table --------------------------------------------------------------------------------------- */

const call calls_scalapack[] = {
    COLLECTIVE(dap_scalapack_get, a),
    OF(MATRIX, dap_scalapack_load),
    OF(MATRIX, dap_scalapack_store),
    OF(MATRIX, dap_scalapack_halo),
    OF(MATRIX, dap_scalapack_discard),
    OF(MATRIX, dap_scalapack_restore),
    COLLECTIVE(dap_scalapack_import, 0),
    COLLECTIVE(dap_linalg_solve, a | b),
    COLLECTIVE(dap_linalg_cholesky_solve, a | b),
    COLLECTIVE(dap_linalg_least_squares, a | b | c),
    COLLECTIVE(dap_linalg_inverse, a),
    COLLECTIVE(dap_linalg_determinant, a),
    COLLECTIVE(dap_linalg_condition, a),
    COLLECTIVE(dap_linalg_multiply, a | b | c),
    COLLECTIVE(dap_linalg_norm, a),
    COLLECTIVE(dap_linalg_qr, a | b | c),
    COLLECTIVE(dap_linalg_eigh, a | b | w),
    COLLECTIVE(dap_linalg_eigh_generalized, a | b | c | w),
    COLLECTIVE(dap_linalg_svd, a | b | c | w),
    COLLECTIVE(dap_linalg_banded_solve, a | b),
    COLLECTIVE(dap_linalg_positive_banded_solve, a | b),
    COLLECTIVE(dap_linalg_tridiagonal_solve, b | w),
    COLLECTIVE(dap_linalg_positive_tridiagonal_solve, b | w),
    COLLECTIVE(dap_linalg_qr_pivoted, a | b | c),
    COLLECTIVE(dap_linalg_least_squares_rank, a | b | c),
    COLLECTIVE(dap_linalg_schur, a | b | c),
    COLLECTIVE(dap_linalg_eig, a),
    COLLECTIVE(dap_linalg_lu, a),
    COLLECTIVE(dap_linalg_cholesky, a),
    OF(FACTORS, dap_linalg_factors_solve),
    OF(FACTORS, dap_linalg_factors_inverse),
    OF(FACTORS, dap_linalg_factors_determinant),
    OF(FACTORS, dap_linalg_factors_condition),
    COLLECTIVE(dap_linalg_solve_refined, a | b | c),
    COLLECTIVE(dap_linalg_triangular_solve, a | b),
    COLLECTIVE(dap_linalg_triangular_multiply, a | b),
    COLLECTIVE(dap_linalg_rank_k, a | c),
    {.name = NULL},
};
