/* Arrays whose memory is laid out as the file is: each process reads or writes its own elements, in one
 * piece or in long ones. */
#include "file_impl.h"

enum { LONG_READ = 1 << 14 /* bytes */ };

/* This process's elements: a box of the file, and where its first element lies in memory. */
typedef struct own_box {
  dap_file_piece piece;
  int64_t at;    /* bytes from the buffer's beginning */
  bool has_gaps; /* it has elements, too, that it does not own */
} own_box;

/* The only run of an axis that this process owns; false: there are several. */
static bool find_run(const dap_layout *layout, int axis, int coord, dap_run *run)
{
  dap_run next = {0};
  *run = (dap_run){0};
  if (!dap_layout_next_run(layout, axis, coord, &next)) return true;
  *run = next;
  return !dap_layout_next_run(layout, axis, coord, &next);
}

/* False: the process does not own a box. */
static bool find_box(const dap_file_call *call, own_box *box)
{
  const dap_file_axes *axes = &call->axes;
  const dap_layout *layout = call->local.layout;
  int coords[DAP_MAX_NDIM];
  *box = (own_box){.piece = {.ndim = axes->ndim, .count = 1}};
  for (int p = 0; p < axes->ndim; p++) {
    box->piece.start[p] = axes->start[p];
    box->piece.shape[p] = 1;
  }
  dap_layout_coords(layout, call->context->rank, coords);
  for (int i = 0; i < axes->naxes; i++) {
    const int k = axes->array[i], p = axes->file[i];
    dap_run run;
    if (dap_layout_axis(layout, k).partial || !find_run(layout, k, coords[k], &run)) return false;
    box->at += run.local * call->local.local->strides[k];
    box->piece.count *= run.length;
    box->has_gaps = box->has_gaps || run.length != call->local.local->shape[k];
    if (p < 0) continue;
    box->piece.start[p] += run.global;
    box->piece.shape[p] = run.length;
  }
  return true;
}

/* Whether the box has stretches in the file that are long enough, or one only: one index along slower axes, a
 * range of one, and all of faster ones. Short stretches would make neighbours write to the same pages. */
static bool has_long_stretches(const dap_file_call *call, const dap_file_piece *piece)
{
  const dap_file_axes *axes = &call->axes;
  const int64_t align = call->options.align ? call->options.align : DAP_FILE_ALIGN;
  int64_t bytes = dap_dtype_size(call->info.dtype);
  int p = axes->ndim - 1;
  for (; p >= 0; p--) {
    bytes *= piece->shape[p];
    if (piece->shape[p] != axes->extent[p]) break;
  }
  for (p--; p >= 0 && piece->shape[p] == 1;) p--;
  return p < 0 || bytes >= (call->saves ? align : LONG_READ);
}

static bool is_one_in_memory(const dap_file_call *call, const dap_file_piece *piece)
{
  int64_t stride = dap_dtype_size(call->array.dtype);
  for (int i = call->axes.naxes - 1; i >= 0; i--) {
    const int p = call->axes.file[i];
    const int64_t length = p < 0 ? 1 : piece->shape[p];
    if (length > 1 && call->local.local->strides[call->axes.array[i]] != stride) return false;
    stride *= length;
  }
  return true;
}

static bool can_be_direct(const dap_file_call *call)
{
  own_box box;
  if (call->context->rank >= call->array.nprocs) return true;
  if (call->local.local->dtype != call->info.dtype || call->local.local->swapped != call->info.swapped)
    return false;
  if (!find_box(call, &box)) return false;
  if (box.piece.count == 0) return call->saves || !box.has_gaps;
  return has_long_stretches(call, &box.piece) && is_one_in_memory(call, &box.piece) &&
         (call->saves || !box.has_gaps);
}

dap_status dap_file_find_direct(dap_file_call *call, dap_error *err)
{
  dap_agreement agreement = {.bits = {can_be_direct(call)}};
  DAP_TRY(dap_context_agree(call->context, &agreement, err));
  call->is_direct = agreement.bits[0];
  return DAP_OK;
}

dap_status dap_file_move_direct(dap_file_call *call, dap_error *err)
{
  own_box box = {.piece = {.ndim = call->axes.ndim}};
  dap_status s = DAP_OK;
  char *data = NULL;
  if (call->context->rank < call->array.nprocs && find_box(call, &box))
    data = (char *)call->local.local->data + box.at;
  if (box.piece.count > 0 || call->format->is_collective)
    s = call->saves ? call->format->write(call->state, &box.piece, data, err)
                    : call->format->read(call->state, &box.piece, data, err);
  return dap_file_agree(call, s, err);
}
