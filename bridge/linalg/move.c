/* Moves operands by plans of their own, where a view does not give what is needed. */
#include "linalg_impl.h"

#include <string.h>

dap_status dap_linalg_move_plan(dap_linalg_call *call, int i, const dap_side *inside, bool back,
                                dap_plan **plan)
{
  const dap_side outside = dap_side_of(call->arguments.operands[i].operand);
  return dap_plan_create(call->comm, back ? inside : &outside, back ? &outside : inside, 0, NULL, plan,
                         call->err);
}

dap_status dap_linalg_move_run(dap_linalg_call *call, int i, dap_plan *plan, void *data, bool back,
                               const char *reason)
{
  void *own = call->arguments.operands[i].operand.local->data;
  const dap_status status = dap_plan_run(plan, back ? data : own, back ? own : data, call->err);
  const dap_plan_stats stats = dap_plan_summarize(plan);
  dap_linalg_note(call, i, stats.bytes_local + stats.bytes_sent, reason);
  return dap_agree(call->comm, status, call->err);
}

dap_status dap_linalg_move(dap_linalg_call *call, int i, const dap_side *inside, void *data, bool back,
                           const char *reason)
{
  dap_plan *plan;
  DAP_TRY(dap_linalg_move_plan(call, i, inside, back, &plan));
  const dap_status status = dap_linalg_move_run(call, i, plan, data, back, reason);
  dap_plan_destroy(&plan);
  return status;
}

/* Makes the layout of a whole matrix on process 0, or of a column if ndim is 1. The caller destroys it.
 * Collective. */
static dap_status lay_out_whole(dap_linalg_call *call, int ndim, int64_t rows, int64_t cols,
                                dap_layout **layout)
{
  const dap_dist matrix[2] = {dap_dist_local(rows), dap_dist_cyclic(cols, call->nprocs, cols)},
                 column[1] = {dap_dist_cyclic(rows, call->nprocs, rows)};
  return dap_agree(call->comm, dap_layout_create(ndim, ndim == 1 ? column : matrix, layout, call->err),
                   call->err);
}

dap_status dap_linalg_whole_plan(dap_linalg_call *call, const dap_linalg_whole *w, bool back, dap_plan **plan)
{
  const int64_t item = dap_dtype_size(w->dtype);
  const int64_t strides[2] = {w->transposed ? w->cols * item : item, w->transposed ? item : w->rows * item};
  const int ndim = back ? dap_layout_ndim(call->arguments.operands[w->operand].operand.layout) : 2;
  dap_layout *layout = NULL;
  dap_status status = lay_out_whole(call, ndim, w->rows, w->cols, &layout);
  const dap_side side = {.layout = layout, .strides = strides, .dtype = w->dtype};
  if (!status) status = dap_linalg_move_plan(call, w->operand, &side, back, plan);
  dap_layout_destroy(&layout);
  return status;
}

dap_status dap_linalg_whole_run(dap_linalg_call *call, const dap_linalg_whole *w, bool back, dap_plan *plan)
{
  return dap_linalg_move_run(call, w->operand, plan, w->data, back, "LAPACK computes on process 0");
}

/* All plans are made before the first one runs. */
dap_status dap_linalg_move_wholes(dap_linalg_call *call, const dap_linalg_whole wholes[], int count,
                                  bool back)
{
  dap_plan *plans[DAP_LINALG_USES] = {NULL};
  dap_status status = DAP_OK;
  for (int k = 0; k < count && !status; k++)
    if (call->given[wholes[k].operand]) status = dap_linalg_whole_plan(call, &wholes[k], back, &plans[k]);
  for (int k = 0; k < count && !status; k++)
    if (plans[k]) status = dap_linalg_whole_run(call, &wholes[k], back, plans[k]);
  for (int k = 0; k < count; k++) dap_plan_destroy(&plans[k]);
  return status;
}

dap_status dap_linalg_hand_out(dap_linalg_call *call, int64_t rows, int64_t cols, void *data,
                               const dap_scalapack_matrix *view)
{
  const dap_dtype real = call->lib->real;
  const int64_t strides[2] = {dap_dtype_size(real), rows * dap_dtype_size(real)};
  dap_scalapack_int desc[9];
  dap_layout *whole = NULL, *layout = NULL;
  dap_array array = {0};
  memcpy(desc, view->desc, sizeof desc);
  desc[DAP_M] = (dap_scalapack_int)rows, desc[DAP_N] = (dap_scalapack_int)cols;
  dap_status status = lay_out_whole(call, 2, rows, cols, &whole);
  if (!status)
    status =
        dap_scalapack_import(call->comm, desc, view->data, call->lib->dtype, 'N', &array, &layout, call->err);
  const dap_side from = {.layout = whole, .strides = strides, .dtype = real};
  const dap_side to = dap_side_of((dap_darray){layout, &array});
  dap_plan *plan = NULL;
  if (!status) status = dap_plan_create(call->comm, &from, &to, 0, NULL, &plan, call->err);
  if (!status) status = dap_agree(call->comm, dap_plan_run(plan, data, array.data, call->err), call->err);
  dap_plan_destroy(&plan);
  dap_array_release(&array);
  dap_layout_destroy(&layout);
  dap_layout_destroy(&whole);
  return status;
}

/* Stores one number. The bytes of each part are in the array's order. */
static void store(const dap_array *array, int64_t index, const char *value)
{
  char *to = (char *)array->data + index * array->strides[0];
  const bool is_complex = array->dtype == DAP_C8 || array->dtype == DAP_C16;
  const int64_t item = dap_dtype_size(array->dtype), part = is_complex ? item / 2 : item;
  for (int64_t b = 0; b < item; b++)
    to[b] = value[array->swapped ? b / part * part + part - 1 - b % part : b];
}

/* Also stores the copies of elements of a 'u' axis, but no communication padding. */
dap_status dap_linalg_store_replicated(dap_linalg_call *call, int i, const void *values)
{
  const dap_layout *layout = call->arguments.operands[i].operand.layout;
  const dap_array *array = call->arguments.operands[i].operand.local;
  const int64_t item = dap_dtype_size(array->dtype);
  int coords[DAP_MAX_NDIM];
  int64_t halo[2], moved = 0;
  dap_layout_coords(layout, call->rank, coords);
  dap_layout_halo(layout, 0, coords[0], halo);
  const int64_t stop = dap_array_count(array) > 0 ? array->shape[0] - halo[1] : 0;
  for (int64_t index = halo[0]; index < stop; index++) {
    const int64_t local[2] = {index, 0}; /* a column has one column */
    int64_t global[2];
    DAP_TRY(dap_layout_globalize(layout, call->rank, local, global, NULL, call->err));
    store(array, index, (const char *)values + global[0] * item);
    moved += item;
  }
  dap_linalg_note(call, i, moved, "every process computes all values and stores its own");
  return DAP_OK;
}
