/* All that goes from one process to another in an exchange, cut in chunks.
 *
 * The destination's buffer is divided in tiles, boxes of positions. What a flow has in one tile is a chunk: a box
 * of elements of its overlaps, as positions in the destination ascend along each axis. Both ends know the
 * destination's extents, so both cut alike, and nothing about chunks needs to travel. */
#include "transfer_impl.h"

/* ---- tiles ------------------------------------------------------------------------------------ */

/* Bytes of a tile where source and destination run along different axes. Packed: along the destination's and along the
 * source's, so that sources are read in long stretches, and what is packed is written and read in whole lines.
 * Direct: along the source's, in panels of some lines; more would be more pages than the processor knows. */
enum { TILE_ALONG = 512, TILE_ACROSS = 4096, SWEEP = 8192 };

/* Makes the tile as long along an axis as the elements left allow, at most `most`. */
static void stretch(int64_t extent, int64_t most, int64_t *left, int64_t *length)
{
  if (*length >= extent) return;
  const int64_t longest = dap_smaller(extent, most);
  const int64_t longer = dap_larger(1, dap_smaller(longest, *length * *left));
  *left = *left * *length / longer;
  *length = longer;
}

/* Positions along an axis that can be filled at all: of a halo, only that. */
static int64_t filled(const dap_exchange *exchange, int k, int coord, int64_t extent)
{
  const dap_map *to = &exchange->ends->to->maps[k];
  const int64_t halo = to->halo ? to->halo[coord][0] + to->halo[coord][1] : 0;
  if (exchange->reach[k] == DAP_REACH_HALO) return halo;
  /* halos that wrap round can repeat the elements that are owned */
  return dap_smaller(extent, exchange->ends->shape[k] + (exchange->reach[k] == DAP_REACH_ALL ? halo : 0));
}

void dap_tile_choose(const dap_exchange *exchange, const int coords[], int64_t elements, bool is_direct,
                     int64_t tile[])
{
  const dap_ends *ends = exchange->ends;
  int64_t extents[DAP_MAX_NDIM], left = dap_larger(1, elements);
  for (int k = 0; k < ends->ndim; k++) {
    extents[k] = dap_layout_extent(ends->to, k, coords[k]);
    tile[k] = 1;
    const int64_t some = filled(exchange, k, coords[k], extents[k]);
    if (2 * some > extents[k] || some > left) continue;
    tile[k] = dap_larger(extents[k], 1); /* few elements: all at once */
    extents[k] = tile[k];
    left /= dap_larger(some, 1);
  }
  if (ends->ndim == 0) return;
  const int fastest = exchange->order[ends->ndim - 1], across = exchange->across;
  if (across >= 0 && is_direct) {
    stretch(extents[across], dap_larger(1, SWEEP / ends->from_item), &left, &tile[across]);
  } else if (across >= 0) {
    stretch(extents[fastest], dap_larger(1, TILE_ALONG / ends->from_item), &left, &tile[fastest]);
    stretch(extents[across], dap_larger(1, TILE_ACROSS / ends->from_item), &left, &tile[across]);
  }
  for (int i = ends->ndim - 1; i >= 0; i--) {
    const int k = exchange->order[i];
    stretch(extents[k], extents[k], &left, &tile[k]);
  }
}

/* ---- chunks ----------------------------------------------------------------------------------- */

/* The chunk along one axis that begins with element `lo`. */
static void set_axis(const dap_flow *flow, const int64_t tile[], int k, int64_t lo, dap_chunk *chunk)
{
  const dap_overlap *o = flow->axes[k];
  chunk->tile[k] = dap_overlap_to(o, lo) / tile[k];
  chunk->lo[k] = lo;
  chunk->hi[k] = dap_overlap_rank(o, (chunk->tile[k] + 1) * tile[k]);
}

void dap_flow_first(const dap_flow *flow, const int64_t tile[], dap_chunk *chunk)
{
  for (int k = 0; k < flow->exchange->ends->ndim; k++) set_axis(flow, tile, k, 0, chunk);
}

bool dap_flow_next(const dap_flow *flow, const int64_t tile[], dap_chunk *chunk)
{
  for (int i = flow->exchange->ends->ndim - 1; i >= 0; i--) {
    const int k = flow->exchange->order[i];
    if (chunk->hi[k] < flow->axes[k]->elements) {
      set_axis(flow, tile, k, chunk->hi[k], chunk);
      return true;
    }
    set_axis(flow, tile, k, 0, chunk);
  }
  return false;
}

int64_t dap_chunk_elements(const dap_chunk *chunk, int ndim)
{
  int64_t elements = 1;
  for (int k = 0; k < ndim; k++) elements *= chunk->hi[k] - chunk->lo[k];
  return elements;
}

/* A chunk is a product of parts of the axes, so their number and the largest are products too. */
dap_cut_size dap_flow_cut(const dap_flow *flow, const int64_t tile[])
{
  dap_cut_size size = {.chunks = 1, .largest = 1};
  dap_chunk chunk = {0};
  for (int k = 0; k < flow->exchange->ends->ndim; k++) {
    const dap_overlap *o = flow->axes[k];
    int64_t parts = tile[k] == 1 ? o->elements : 0, most = dap_smaller(parts, 1);
    for (int64_t lo = parts; lo < o->elements; lo = chunk.hi[k], parts++) {
      set_axis(flow, tile, k, lo, &chunk);
      most = dap_larger(most, chunk.hi[k] - chunk.lo[k]);
    }
    size.chunks *= parts;
    size.largest *= most;
  }
  return size;
}
