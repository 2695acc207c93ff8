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

#include "calls_linalg.inc" /* the functions of bridge/linalg/bindings.txt, and ROWS_OF_LINALG */

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

/* ---- the table --------------------------------------------------------------------------------------- */

const call calls_scalapack[] = {
    COLLECTIVE(dap_scalapack_get, a),
    OF(MATRIX, dap_scalapack_load),
    OF(MATRIX, dap_scalapack_store),
    OF(MATRIX, dap_scalapack_halo),
    OF(MATRIX, dap_scalapack_discard),
    OF(MATRIX, dap_scalapack_restore),
    COLLECTIVE(dap_scalapack_import, 0),
    ROWS_OF_LINALG,
    COLLECTIVE(dap_linalg_lu, a),
    COLLECTIVE(dap_linalg_cholesky, a),
    OF(FACTORS, dap_linalg_factors_solve),
    OF(FACTORS, dap_linalg_factors_inverse),
    OF(FACTORS, dap_linalg_factors_determinant),
    OF(FACTORS, dap_linalg_factors_condition),
    COLLECTIVE(dap_linalg_solve_refined, a | b | c),
    {.name = NULL},
};
