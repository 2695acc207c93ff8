/* Rows of views. */
#include "rows.h"

#include "call_rows.h"

/* ---- of the toy library -------------------------------------------------------------------------------- */

VARIANT(dap_view_halo_reverse, ", of a new view", COLLECTIVE(0))
{
  toy_matrix view;
  const toy_options moved = {.sharing = DAP_SHARE_NEVER};
  dap_status s = toy_get(g->comm, row_operand(PADDED), DAP_READ_WRITE, &moved, &view, err);
  if (!s) s = toy_halo(&view, err);
  if (!s) s = toy_halo_reverse(&view, DAP_COMBINE_SUM, DAP_PADDING_REFRESH, err);
  const dap_status ended = toy_discard(&view, s ? NULL : err);
  return s ? s : ended;
}

VIEWS(toy, dap_view_get, ", a range", COLLECTIVE(0), row_operand(PADDED),
      .part = {.start = (int64_t[]){1, 2}, .shape = (int64_t[]){2, 2}})
VIEWS(toy, dap_view_get, ", a section", COLLECTIVE(0), row_operand(CUBE),
      .part = {.naxes = 2, .axes = (int[]){2, 1}, .start = (int64_t[]){1, 0, 0}})
VIEWS(toy, dap_view_get, ", of few processes", COLLECTIVE(0), row_operand(CUBE),
      .part = {.naxes = 2, .axes = (int[]){0, 2}}) /* on one process of them */

/* ---- of ScaLAPACK -------------------------------------------------------------------------------------- */

VIEWS(dap_scalapack, dap_scalapack_get, ", moved", COLLECTIVE(0), g->array[A], .sharing = DAP_SHARE_NEVER,
      .block_size = {2, 2})
VIEWS(dap_scalapack, dap_scalapack_get, ", a part", COLLECTIVE(0), g->array[A], .routine = "getrf",
      .part = {.naxes = 2, .axes = (int[]){0, 1}, .start = (int64_t[]){1, 1}, .shape = (int64_t[]){6, 6}})
VIEWS(dap_scalapack, dap_scalapack_get, ", a vector", COLLECTIVE(0), g->array[W],
      .sharing = DAP_SHARE_IF_POSSIBLE)
VIEWS(dap_scalapack, dap_scalapack_get, ", in a context", OF(MATRIX), g->array[C],
      .context = &g->matrix->desc[1])

VARIANT(dap_scalapack_get, ", beside another", COLLECTIVE(0))
{
  dap_scalapack_matrix first, second = {0};
  const dap_scalapack_options by_three = {.block_size = {3, 3}},
                              beside = {.aligned_with = &first, .needs = {.align = DAP_ALIGN_SAME}};
  dap_status s = dap_scalapack_get(g->comm, g->array[A], DAP_READ, &by_three, &first, err);
  if (!s) s = dap_scalapack_get(g->comm, g->array[B], DAP_READ_WRITE, &beside, &second, err);
  dap_status ended = dap_scalapack_discard(&second, s ? NULL : err);
  if (!s) s = ended;
  ended = dap_scalapack_discard(&first, s ? NULL : err);
  return s ? s : ended;
}

VARIANT(dap_scalapack_import, ", of a view", OF(MATRIX))
{
  static double values[64];
  dap_array array;
  dap_layout *layout = NULL;
  const dap_status s =
      dap_scalapack_import(g->comm, g->matrix->desc, values, DAP_F8, 'T', &array, &layout, err);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  return s;
}
