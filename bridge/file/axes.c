/* Finds which axis of the file's array is which axis of the caller's, and where the part begins. */
#include "file_impl.h"

#include <inttypes.h>

dap_status dap_file_whole_layout(const dap_file_call *call, dap_layout **layout, dap_error *err)
{
  dap_dist dists[DAP_MAX_NDIM];
  for (int k = 0; k < call->info.ndim; k++) dists[k] = dap_dist_local(call->info.shape[k]);
  return dap_layout_create(call->info.ndim, dists, layout, err);
}

/* A part of the file's array: the one that the options say, or the step that is appended. */
typedef struct chosen {
  dap_part part;
  int axes[DAP_MAX_NDIM];
  int64_t start[DAP_MAX_NDIM];
} chosen;

static void choose(const dap_file_call *call, chosen *c)
{
  c->part = call->options.part;
  if (call->steps < 0) return;
  for (int j = 0; j < call->array.ndim; j++) c->axes[j] = j + 1;
  c->start[0] = call->steps - 1;
  c->part = (dap_part){.naxes = call->array.ndim, .axes = c->axes, .start = c->start};
}

static dap_status check_part(const dap_file_call *call, const dap_part *part, dap_error *err)
{
  dap_layout *whole = NULL;
  DAP_TRY(dap_file_whole_layout(call, &whole, err));
  const dap_status s = dap_part_check(whole, part, err);
  dap_layout_destroy(&whole);
  return s;
}

/* Returns the position of an axis in the file's order, slowest first. */
static int place(const dap_file_call *call, int axis)
{
  return call->info.order == DAP_ORDER_F ? call->info.ndim - 1 - axis : axis;
}

static int64_t part_start(const dap_part *part, int axis)
{
  return part->start ? part->start[axis] : 0;
}

/* Returns the axis of the file's array that is axis j of the caller's; -1: the file does not have it. */
static int file_axis(const dap_part *part, int j)
{
  return part->axes ? part->axes[j] : j;
}

static dap_status compare_shapes(const dap_file_call *call, const dap_part *part, dap_error *err)
{
  const int ndim = part->axes ? part->naxes : call->info.ndim;
  DAP_REQUIRE(call->array.ndim == ndim, err, DAP_ERR_ARG, "%.300s: the array has %d axes, and the %s %d",
              call->path, call->array.ndim, part->axes ? "part of the file" : "file", ndim);
  for (int j = 0; j < ndim; j++) {
    const int axis = file_axis(part, j);
    const int64_t size = axis < 0      ? 1
                         : part->shape ? part->shape[axis]
                                       : call->info.shape[axis] - part_start(part, axis);
    DAP_REQUIRE(call->array.shape[j] == size, err, DAP_ERR_ARG,
                "%.300s: axis %d of the array has %" PRId64 " elements, and that of the file %" PRId64,
                call->path, j, call->array.shape[j], size);
  }
  return DAP_OK;
}

/* Sorts the array's axes by their places in the file. */
static void fill(const dap_part *part, dap_file_call *call)
{
  dap_file_axes *axes = &call->axes;
  *axes = (dap_file_axes){.ndim = call->info.ndim};
  int owner[DAP_MAX_NDIM]; /* axis of the array at each place of the file */
  for (int k = 0; k < axes->ndim; k++) {
    owner[place(call, k)] = -1;
    axes->start[place(call, k)] = part_start(part, k);
    axes->extent[place(call, k)] = call->info.shape[k];
  }
  for (int j = 0; j < call->array.ndim; j++)
    if (file_axis(part, j) >= 0) owner[place(call, file_axis(part, j))] = j;
  for (int p = 0; p < axes->ndim; p++) {
    if (owner[p] < 0) continue;
    axes->array[axes->naxes] = owner[p];
    axes->file[axes->naxes++] = p;
  }
  for (int j = 0; j < call->array.ndim; j++) {
    if (file_axis(part, j) >= 0) continue;
    axes->array[axes->naxes] = j;
    axes->file[axes->naxes++] = -1;
  }
  for (int i = 0; i < axes->naxes; i++) axes->size[i] = call->array.shape[axes->array[i]];
}

dap_status dap_file_agree_part(const dap_file_call *call, dap_status status, dap_error *err)
{
  static const char *const names[] = {"options: part.start", "options: part.shape"};
  const dap_part *own = &call->options.part;
  const size_t bytes = (size_t)call->info.ndim * sizeof(int64_t);
  const uint64_t words[] = {own->start ? dap_hash(0, own->start, bytes) : 0,
                            own->shape ? dap_hash(0, own->shape, bytes) : 0};
  return dap_context_agree(
      call->context, &(dap_agreement){.status = status, .words = words, .names = names, .count = 2}, err);
}

dap_status dap_file_find_axes(dap_file_call *call, dap_error *err)
{
  chosen c = {0};
  choose(call, &c);
  dap_status s = check_part(call, &c.part, err);
  if (!s) s = compare_shapes(call, &c.part, err);
  DAP_TRY(dap_file_agree_part(call, s, err));
  fill(&c.part, call);
  return DAP_OK;
}
