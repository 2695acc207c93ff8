/* One process's export as a part of a whole array: the other processes' dictionaries are made up from the
 * rules, so that all together can be joined, and the library asked what the given one owns. */
#include "vectors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* More than these, and nobody waits for it. */
enum { MOST_PROCESSES = 4096, MOST_INDICES = 1000000 };

typedef struct made_axis {
  dap_dim *dims;   /* [procs] */
  int64_t *extent; /* [procs] */
  int64_t *others; /* indices that the given process does not hold */
} made_axis;

typedef struct completion {
  const oracle *judged;
  const dap_array *part;
  int nprocs;
  made_axis axes[DAP_MAX_NDIM];
} completion;

/* ---- one axis, with the given coordinate r: false: nothing known that has such a part ---------- */

static dap_dim dim_at(const oracle_axis *axis, int64_t c)
{
  return (dap_dim){.dist_type = axis->type,
                   .size = axis->size,
                   .proc_grid_size = axis->procs,
                   .proc_grid_rank = c,
                   .periodic = axis->periodic,
                   .block_size = DAP_ABSENT,
                   .start = DAP_ABSENT,
                   .stop = DAP_ABSENT};
}

/* r - 1 owns all that comes before, r + 1 all that comes behind; the others nothing. */
static bool make_block(const oracle *judged, const oracle_axis *axis, made_axis *made)
{
  const bool is_empty = axis->owned == 0;
  const int64_t start = !is_empty ? axis->start : axis->rank == 0 ? 0 : axis->size;
  const int64_t stop = is_empty ? start : axis->stop;
  const int64_t room[2] = {start < axis->owned ? start : axis->owned,
                           axis->size - stop < axis->owned ? axis->size - stop : axis->owned};
  if (axis->halo[0] > room[0] || axis->halo[1] > room[1]) return false; /* rule 10 forbids */
  if (axis->procs > 1 && (axis->wrap[0] > 0 || axis->wrap[1] > 0)) /* into the process at the other end */
    if (axis->procs > 2 || is_empty || axis->wrap[0] + axis->wrap[1] > axis->size - axis->owned) return false;
  for (int64_t c = 0; c < axis->procs; c++) {
    const bool is_before = c == axis->rank - 1, is_behind = c == axis->rank + 1;
    dap_dim *dim = &made->dims[c];
    *dim = dim_at(axis, c);
    dim->start = is_behind ? stop : is_before || c < axis->rank ? 0 : axis->size;
    dim->stop = is_before ? start : c < axis->rank ? 0 : axis->size;
    dim->padding[0] = is_behind ? axis->halo[1] : 0;
    dim->padding[1] = is_before ? axis->halo[0] : 0;
    made->extent[c] = dim->stop - dim->start + dim->padding[0] + dim->padding[1];
    if (judged->padding_inside) dim->start -= dim->padding[0];
    if (judged->padding_inside) dim->stop += dim->padding[1];
  }
  return true;
}

/* The one dealing of the blocks in which r is where it says. */
static bool make_cyclic(const oracle *judged, const oracle_axis *axis, made_axis *made)
{
  (void)judged;
  const int64_t bs = axis->block_size, procs = axis->procs;
  const int64_t blocks = axis->size / bs + (axis->size % bs > 0);
  const int64_t distance = axis->start < axis->size ? axis->start / bs : procs - 1;
  if (axis->start >= axis->size && blocks >= procs) return procs == 1; /* r must own some */
  for (int64_t c = 0; c < procs; c++) {
    const int64_t block = ((c - axis->rank + distance) % procs + procs) % procs;
    made->dims[c] = dim_at(axis, c);
    made->dims[c].block_size = bs;
    made->dims[c].start = block < blocks ? block * bs : axis->size;
    made->extent[c] = 0;
    for (int64_t b = block; b < blocks; b += procs)
      made->extent[c] += b == blocks - 1 ? axis->size - b * bs : bs;
  }
  return true;
}

/* The process behind r holds all that r does not. */
static bool make_unstructured(const oracle *judged, const oracle_axis *axis, made_axis *made)
{
  (void)judged;
  if (axis->procs == 1) return true;
  if (axis->size > MOST_INDICES) return false;
  bool *held = calloc((size_t)axis->size + 1, sizeof *held);
  made->others = calloc((size_t)axis->size + 1, sizeof *made->others);
  if (!held || !made->others) abort();
  for (size_t i = 0; i < json_array_size(axis->indices); i++)
    held[json_integer_value(json_array_get(axis->indices, i))] = true;
  int64_t count = 0;
  for (int64_t i = 0; i < axis->size; i++)
    if (!held[i]) made->others[count++] = i;
  free(held);
  for (int64_t c = 0; c < axis->procs; c++) {
    made->dims[c] = dim_at(axis, c);
    made->dims[c].indices = made->others;
    made->dims[c].indices_dtype = DAP_I8;
    made->dims[c].index_count = made->extent[c] = c == (axis->rank + 1) % axis->procs ? count : 0;
  }
  return true;
}

static bool make_axis(const oracle *judged, const oracle_axis *axis, const dap_dim *given, int64_t extent,
                      made_axis *made)
{
  made->dims = calloc((size_t)axis->procs, sizeof *made->dims);
  made->extent = calloc((size_t)axis->procs, sizeof *made->extent);
  if (!made->dims || !made->extent) abort();
  const bool is_made = axis->type == 'b'   ? make_block(judged, axis, made)
                       : axis->type == 'c' ? make_cyclic(judged, axis, made)
                                           : make_unstructured(judged, axis, made);
  for (int64_t c = 0; c < axis->procs; c++) made->dims[c].one_to_one = given->one_to_one;
  made->dims[axis->rank] = *given;
  made->extent[axis->rank] = extent;
  return is_made;
}

/* ---- all processes ----------------------------------------------------------------------------- */

static dap_status give(void *context, int rank, dap_array *array, dap_error *err)
{
  static char nothing;
  const completion *c = context;
  (void)err;
  *array = *c->part;
  array->data = &nothing;
  for (int k = c->judged->ndim - 1; k >= 0; k--) {
    const int procs = (int)c->judged->axes[k].procs, coord = rank % procs;
    array->dims[k] = c->axes[k].dims[coord];
    array->shape[k] = c->axes[k].extent[coord];
    array->strides[k] = 0;
    rank /= procs;
  }
  return DAP_OK;
}

/* The layout owns what the oracle counts, in a buffer of the extent that the oracle says. */
static dap_status compare(const completion *c, const dap_layout *layout, dap_error *err)
{
  for (int k = 0; k < c->judged->ndim; k++) {
    const oracle_axis *axis = &c->judged->axes[k];
    const int64_t owned = dap_layout_owned(layout, k, (int)axis->rank);
    const int64_t extent = dap_layout_extent(layout, k, (int)axis->rank);
    int64_t held = 0; /* of a 'u' axis, copies that a lower coordinate owns included: there are none */
    for (int other = 0; other < axis->procs; other++) held += dap_layout_owned(layout, k, other);
    if (owned != axis->owned || extent != axis->extent || held != axis->size)
      return dap_fail(err, DAP_ERR_LAYOUT,
                      "axis %d: the library counts %" PRId64 " owned of %" PRId64 " here and %" PRId64
                      " in all, the rules %" PRId64 " of %" PRId64 " and %" PRId64,
                      k, owned, extent, held, axis->owned, axis->extent, axis->size);
  }
  return DAP_OK;
}

dap_status completion_join(const oracle *judged, const dap_array *part, dap_layout **layout, dap_error *err)
{
  completion c = {.judged = judged, .part = part, .nprocs = 1};
  bool is_made = true;
  dap_status s = DAP_OK;
  *layout = NULL;
  for (int k = 0; k < judged->ndim && is_made; k++) {
    is_made = judged->axes[k].procs <= MOST_PROCESSES / c.nprocs;
    if (!is_made) break;
    c.nprocs *= (int)judged->axes[k].procs;
    is_made = make_axis(judged, &judged->axes[k], &part->dims[k], part->shape[k], &c.axes[k]);
  }
  const dap_join join = {.nprocs = c.nprocs, .context = &c, .part = give};
  if (is_made) s = dap_layout_join(&join, layout, err);
  if (is_made && !s) s = compare(&c, *layout, err);
  if (s) dap_layout_destroy(layout);
  for (int k = 0; k < judged->ndim; k++) {
    free(c.axes[k].dims);
    free(c.axes[k].extent);
    free(c.axes[k].others);
  }
  return s;
}
