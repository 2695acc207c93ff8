/* Chooses the tiles that cut channels into chunks: boxes of positions in the destination's buffer, and the
 * arrays that share a chunk. Both ends of a channel know the destination's extents, so both choose alike. */
#include "schedule_impl.h"

/* Bytes of a tile along an axis, where source and destination have different fastest axes. TILE_ALONG is
 * for the destination's, and TILE_ACROSS for the source's in packed chunks. Sources are then read in long
 * stretches, and whole cache lines are packed. SWEEP is for the source's in direct copies. A wider panel
 * would touch more pages than the processor's tables hold. */
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

/* Returns the positions along an axis that an exchange can fill; if it combines, the channel's elements. */
static int64_t filled(const dap_channel *channel, int k, int64_t extent)
{
  const dap_exchange *exchange = channel->exchange;
  const int coord = channel->to_coords[k];
  if (exchange->product.combines) return channel->axes[k]->elements;
  const dap_map *to = dap_problem_to_map(exchange->problem, k);
  const int64_t halo = extent - to->ops->owned(to, coord);
  if (exchange->product.region[k] == DAP_REGION_HALO) return halo;
  /* halos that wrap round can repeat the elements that are owned; ghosts do not */
  const bool repeats = exchange->product.region[k] == DAP_REGION_ALL && to->axis.dist_type != 'u';
  return dap_smaller(extent, exchange->problem->shape[k] + (repeats ? halo : 0));
}

/* Returns the elements that lie together at each position of an axis: those of the faster axes, up to some
 * cache lines. */
static int64_t together(const dap_exchange *exchange, const int64_t extents[], int axis)
{
  const int64_t most = TILE_ACROSS / exchange->problem->from.item;
  int64_t elements = 1;
  for (int i = exchange->problem->ndim - 1; exchange->order[i] != axis && elements < most; i--)
    elements *= dap_larger(1, dap_smaller(extents[exchange->order[i]], most));
  return dap_larger(1, dap_smaller(elements, most));
}

/* Returns the number of arrays in a chunk: all if they fit `elements`, else a power of two, so that channels
 * of similar sizes agree; one if the channel has many chunks. */
static int64_t count_arrays(const dap_channel *channel, int64_t elements, const dap_tile *tile)
{
  const int64_t arrays = channel->exchange->problem->arrays;
  if (arrays == 1) return 1;
  const dap_parts one = dap_channel_sizes(channel, tile);
  if (one.count > arrays) return 1;
  const int64_t fit = elements / dap_larger(one.largest, 1);
  int64_t count = 1;
  while (2 * count <= fit && count < arrays) count *= 2;
  return fit >= arrays ? arrays : count;
}

void dap_tile_choose(const dap_channel *channel, int64_t elements, bool is_direct, dap_tile *tile)
{
  const dap_exchange *exchange = channel->exchange;
  const int *coords = channel->to_coords;
  const dap_problem *problem = exchange->problem;
  int64_t extents[DAP_MAX_NDIM], *lengths = tile->extents, left = dap_larger(1, elements);
  for (int k = 0; k < problem->ndim; k++) {
    const dap_map *to = dap_problem_to_map(problem, k);
    extents[k] = to->ops->extent(to, coords[k]);
    lengths[k] = 1;
  }
  for (int k = 0; k < problem->ndim; k++) {
    const int64_t some = filled(channel, k, extents[k]);
    if (2 * some > extents[k] || dap_larger(some, 1) * together(exchange, extents, k) > left) continue;
    lengths[k] = dap_larger(extents[k], 1); /* few elements: all at once */
    left /= dap_larger(some, 1);
  }
  const int across = exchange->across;
  tile->arrays = 1;
  if (across >= 0 && is_direct) {
    stretch(extents[across], dap_larger(1, SWEEP / problem->from.item), &left, &lengths[across]);
  } else if (across >= 0) {
    const int fastest = exchange->order[problem->ndim - 1];
    stretch(extents[fastest], dap_larger(1, TILE_ALONG / problem->from.item), &left, &lengths[fastest]);
    stretch(extents[across], dap_larger(1, TILE_ACROSS / problem->from.item), &left, &lengths[across]);
  }
  for (int i = problem->ndim - 1; i >= 0; i--) {
    const int k = exchange->order[i];
    stretch(extents[k], extents[k], &left, &lengths[k]);
  }
  tile->arrays = count_arrays(channel, elements, tile);
}

void dap_tile_whole(const dap_channel *channel, dap_tile *tile)
{
  const dap_problem *problem = channel->exchange->problem;
  tile->arrays = problem->arrays;
  for (int k = 0; k < problem->ndim; k++) {
    const dap_map *to = dap_problem_to_map(problem, k);
    tile->extents[k] = dap_larger(1, to->ops->extent(to, channel->to_coords[k]));
  }
}
