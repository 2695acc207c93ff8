/* Defines the calls of functions of the ScaLAPACK adapter and of linear algebra. */
#include "call_rows.h"

#include <dapbridge/linalg.h>
#include <dapbridge/linalg_banded.h>
#include <dapbridge/linalg_factors.h>
#include <dapbridge/linalg_rank.h>
#include <dapbridge/linalg_schur.h>
#include <dapbridge/linalg_triangular.h>
#include <stdlib.h>

/* ---- views ------------------------------------------------------------------------------------------- */

VIEWS(dap_scalapack, dap_scalapack_get, "", COLLECTIVE(a), g->array[A], 0)

DIRECT(dap_scalapack_load, OF(MATRIX), g->matrix)
DIRECT(dap_scalapack_store, OF(MATRIX), g->matrix)
DIRECT(dap_scalapack_halo, OF(MATRIX), g->matrix)
DIRECT(dap_scalapack_discard, OF(MATRIX), g->matrix)
DIRECT(dap_scalapack_restore, OF(MATRIX), g->matrix)

/* Uses the context of the live view, if there is one. */
CALL(dap_scalapack_import, COLLECTIVE(0))
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

#include "calls_linalg.inc" /* defines calls of the functions in bridge/linalg/bindings.txt */

MAKES(linalg_factors, dap_linalg_lu, COLLECTIVE(a), g->comm, g->array[A], NULL, &made)

MAKES(linalg_factors, dap_linalg_cholesky, COLLECTIVE(a), g->comm, 'L', g->array[A], NULL, &made)

DIRECT(dap_linalg_factors_solve, OF(FACTORS), g->factors, 'N', g->array[B], NULL)
DIRECT(dap_linalg_factors_inverse, OF(FACTORS), g->factors, g->array[C], NULL)
DIRECT(dap_linalg_factors_determinant, OF(FACTORS), g->factors, (double[2]){0}, &(double){0})
DIRECT(dap_linalg_factors_condition, OF(FACTORS), g->factors, '1', &(double){0})
DIRECT(dap_linalg_solve_refined, COLLECTIVE(a | b | c), g->comm, 'N', g->array[A], g->array[B], g->array[C],
       (double[SIZE]){0}, (double[SIZE]){0}, NULL, NULL)
