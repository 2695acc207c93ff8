/* Reads and writes without a plan, where the array's memory is laid out as the file is: each process moves
 * its own elements, in one piece or in several long ones. */
#include "file_impl.h"

enum { LONG = 1 << 14 /* bytes of a stretch that is worth a call of the system */ };

/* ---- boxes -------------------------------------------------------------------------------------------- */

/* A walk over the boxes of the file that this process owns, in the file's order. A box has a run of each
 * axis. */
typedef struct walk {
  const dap_file_call *call;
  int coords[DAP_MAX_NDIM];
  dap_run runs[DAP_MAX_NDIM]; /* [naxes of the slab] */
  bool done;
} walk;

/* Goes to the next run of the slab's axis i. Blocks that are all dealt to one process are one run. */
static bool next_run(walk *w, int i)
{
  const int k = w->call->axes.array[i];
  const dap_axis axis = dap_layout_axis(w->call->local.layout, k);
  if (axis.dist_type == 'c' && axis.procs == 1) {
    const bool is_first = w->runs[i].length == 0 && axis.size > 0;
    if (is_first) w->runs[i].length = axis.size;
    return is_first;
  }
  return dap_layout_next_run(w->call->local.layout, k, w->coords[k], &w->runs[i]);
}

static walk start_walk(const dap_file_call *call)
{
  walk w = {.call = call, .done = call->context->rank >= call->array.nprocs};
  if (w.done) return w;
  dap_layout_coords(call->local.layout, call->context->rank, w.coords);
  for (int i = 0; i < call->axes.naxes && !w.done; i++) {
    const int k = call->axes.array[i];
    const bool is_copy = dap_layout_axis(call->local.layout, k).replicated && w.coords[k] > 0;
    w.done = is_copy || !next_run(&w, i);
  }
  return w;
}

static void step(walk *w)
{
  for (int i = w->call->axes.naxes - 1; i >= 0; i--) {
    if (next_run(w, i)) return;
    w->runs[i] = (dap_run){0};
    (void)next_run(w, i);
  }
  w->done = true;
}

/* Returns the box in the file. Sets *at to the bytes from the buffer's beginning to the box's first
 * element. */
static dap_file_piece find_piece(const walk *w, int64_t *at)
{
  const dap_file_axes *axes = &w->call->axes;
  dap_file_piece piece = {.ndim = axes->ndim, .count = 1};
  *at = 0;
  for (int p = 0; p < axes->ndim; p++) {
    piece.start[p] = axes->start[p];
    piece.shape[p] = 1;
  }
  for (int i = 0; i < axes->naxes; i++) {
    *at += w->runs[i].local * w->call->local.local->strides[axes->array[i]];
    piece.count *= w->runs[i].length;
    if (axes->file[i] < 0) continue;
    piece.start[axes->file[i]] += w->runs[i].global;
    piece.shape[axes->file[i]] = w->runs[i].length;
  }
  return piece;
}

/* ---- whether no plan is needed ------------------------------------------------------------------------ */

static bool is_one_in_memory(const walk *w)
{
  int64_t stride = dap_dtype_size(w->call->array.dtype);
  for (int i = w->call->axes.naxes - 1; i >= 0; i--) {
    const int64_t length = w->runs[i].length;
    if (length > 1 && w->call->local.local->strides[w->call->axes.array[i]] != stride) return false;
    stride *= length;
  }
  return true;
}

/* Returns how many stretches of the file the box has. */
static int64_t count_stretches(const dap_file_axes *axes, const dap_file_piece *piece)
{
  int64_t count = 1;
  int p = axes->ndim - 1;
  while (p > 0 && piece->shape[p] == axes->extent[p]) p--;
  for (p--; p >= 0; p--) count *= piece->shape[p];
  return count;
}

/* Returns the bytes that stretches must have on the average. Where nodes share the file, two of them must not
 * write to one page often. */
static int64_t least_bytes(const dap_file_call *call)
{
  const int64_t align = call->options.align ? call->options.align : DAP_FILE_ALIGN;
  const bool is_one_node = call->context->node.size == call->context->nprocs;
  return call->saves && !is_one_node ? dap_larger(align, LONG) : LONG;
}

/* Returns whether all boxes are contiguous in memory, and long in the file unless there is only one
 * stretch. */
static bool has_long_stretches(const dap_file_call *call)
{
  const int64_t item = dap_dtype_size(call->info.dtype), least = least_bytes(call);
  int64_t boxes = 0, stretches = 0, bytes = 0, at;
  for (walk w = start_walk(call); !w.done; step(&w)) {
    const dap_file_piece piece = find_piece(&w, &at);
    stretches += count_stretches(&call->axes, &piece);
    bytes += piece.count * item;
    if (!is_one_in_memory(&w)) return false;
    if (stretches > 1 && bytes / stretches < least) return false;
    if (++boxes > 1 && call->format->is_collective) return false;
  }
  return true;
}

/* Returns whether a load also fills copies, padding or ghosts, which this process does not own, or whether
 * the elements are addends. */
static bool has_copies(const dap_file_call *call)
{
  int coords[DAP_MAX_NDIM];
  const dap_layout *layout = call->local.layout;
  dap_layout_coords(layout, call->context->rank, coords);
  for (int k = 0; k < call->array.ndim; k++) {
    const dap_axis axis = dap_layout_axis(layout, k);
    if (axis.partial || (axis.replicated && axis.procs > 1 && !call->saves)) return true;
    if (!call->saves && dap_layout_owned(layout, k, coords[k]) != dap_layout_extent(layout, k, coords[k]))
      return true;
  }
  return false;
}

static bool can_be_direct(const dap_file_call *call)
{
  if (call->context->rank >= call->array.nprocs) return true;
  if (call->local.local->dtype != call->info.dtype || call->local.local->swapped != call->info.swapped)
    return false;
  return !has_copies(call) && has_long_stretches(call);
}

dap_status dap_file_find_direct(dap_file_call *call, dap_error *err)
{
  dap_agreement agreement = {.bits = {can_be_direct(call)}};
  DAP_TRY(dap_context_agree(call->context, &agreement, err));
  call->is_direct = agreement.bits[0];
  return DAP_OK;
}

/* ---- moved -------------------------------------------------------------------------------------------- */

static dap_status move_piece(const dap_file_call *call, const dap_file_piece *piece, char *data,
                             dap_error *err)
{
  return call->saves ? call->format->write(call->state, piece, data, err)
                     : call->format->read(call->state, piece, data, err);
}

dap_status dap_file_move_direct(dap_file_call *call, dap_error *err)
{
  const dap_file_piece none = {.ndim = call->axes.ndim};
  dap_status s = DAP_OK;
  walk w = start_walk(call);
  if (w.done && call->format->is_collective) s = move_piece(call, &none, NULL, err);
  for (; !w.done && !s; step(&w)) {
    int64_t at;
    const dap_file_piece piece = find_piece(&w, &at);
    s = move_piece(call, &piece, (char *)call->local.local->data + at, err);
  }
  return dap_file_agree(call, s, err);
}
