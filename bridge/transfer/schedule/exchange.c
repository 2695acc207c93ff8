/* Makes exchanges: the overlaps along each axis, and the channels to which their products lead. */
#include "schedule_impl.h"

#include <stdlib.h>
#include <string.h>

/* Finds the overlaps with all coordinates of an axis. One overlap stands for all processes that have the
 * whole axis, unless only the owner is read. */
static dap_status overlap_axis(const dap_problem *problem, int k, const dap_product *product, bool sends,
                               dap_direction *direction, dap_error *err)
{
  const dap_map *from = dap_problem_from_map(problem, k), *to = dap_problem_to_map(problem, k);
  const dap_axis_part part = {problem->from.start[k], problem->to.start[k], problem->shape[k],
                              product->region[k]};
  const bool from_any = dap_map_is_whole(from) && product->reads != DAP_READS_OWNER;
  const int procs = sends ? to->axis.procs : from_any ? 1 : from->axis.procs;
  direction->with[k] = malloc((size_t)procs * sizeof *direction->with[k]);
  DAP_REQUIRE(direction->with[k], err, DAP_ERR_NOMEM, "no memory for a plan over %d processes", procs);
  for (int c = 0; c < procs; c++) {
    const int p = sends ? problem->from.coords[k] : c;
    direction->procs[k] = c + 1;
    DAP_TRY(dap_overlap_create(from, from_any ? 0 : p, to, sends ? c : problem->to.coords[k], &part,
                               &direction->with[k][c], err));
  }
  return DAP_OK;
}

/* Drops empty overlaps, so that memory is proportional to the processes that this one exchanges with. */
static dap_status drop_empty(dap_direction *direction, int k, dap_error *err)
{
  dap_overlap *with = direction->with[k];
  int used = 0, count = direction->procs[k];
  for (int c = 0; c < count; c++) used += with[c].elements > 0;
  if (used == count || count == 1) return DAP_OK;
  direction->coords[k] = malloc((size_t)(used + 1) * sizeof *direction->coords[k]);
  DAP_REQUIRE(direction->coords[k], err, DAP_ERR_NOMEM, "no memory for a plan over %d processes", count);
  direction->procs[k] = 0;
  for (int c = 0; c < count; c++) {
    if (with[c].elements == 0) {
      dap_overlap_release(&with[c]);
      continue;
    }
    direction->coords[k][direction->procs[k]] = c;
    with[direction->procs[k]++] = with[c];
  }
  dap_overlap *fewer = realloc(with, (size_t)(used + 1) * sizeof *with);
  if (fewer) direction->with[k] = fewer;
  return DAP_OK;
}

dap_status dap_direction_add(const dap_exchange *exchange, int rank, bool is_send, dap_direction *direction,
                             dap_channel **channel, dap_error *err)
{
  dap_channel *channels =
      dap_grow(direction->channels, direction->count, &direction->capacity, sizeof *channels);
  DAP_REQUIRE(channels, err, DAP_ERR_NOMEM, "no memory for %d processes to move to or from",
              direction->count + 1);
  direction->channels = channels;
  *channel = &direction->channels[direction->count++];
  **channel = (dap_channel){.exchange = exchange, .rank = rank, .node_rank = -1, .is_send = is_send};
  return DAP_OK;
}

int dap_direction_first(const dap_direction *direction, int rank)
{
  int i = 0;
  while (i < direction->count && direction->channels[i].rank < rank) i++;
  return i;
}

/* Sets the coordinates of the source and the destination of a channel, and its part of the block. False:
 * no channel is left. */
static bool choose_ends(const dap_exchange *exchange, const int coords[], bool is_send, int from[], int to[],
                        dap_block_segment *segment)
{
  const dap_problem *problem = exchange->problem;
  const size_t bytes = (size_t)problem->ndim * sizeof *coords;
  memcpy(from, is_send ? problem->from.coords : coords, bytes);
  memcpy(to, is_send ? coords : problem->to.coords, bytes);
  *segment = (dap_block_segment){0, 1};
  if (!problem->copies || exchange->product.reads == DAP_READS_OWNER) return true;
  if (!dap_copies_read(problem, exchange->product.reads, is_send, from, to)) return false;
  if (exchange->product.is_segmented) *segment = dap_copies_segment(problem, problem->sums, from, to);
  return segment->parts > 0;
}

/* A search for channels, axis by axis. */
typedef struct channel_search {
  const dap_exchange *exchange;
  bool is_send;
  dap_direction *direction;                   /* the result */
  int coords[DAP_MAX_NDIM], at[DAP_MAX_NDIM]; /* coordinates of the other side, numbers of overlaps */
} channel_search;

static dap_status add_channel(const channel_search *search, int64_t elements, dap_error *err)
{
  const dap_exchange *exchange = search->exchange;
  const dap_problem *problem = exchange->problem;
  dap_direction *direction = search->direction;
  const bool is_send = search->is_send;
  int from[DAP_MAX_NDIM], to[DAP_MAX_NDIM];
  dap_block_segment segment;
  dap_channel *channel = NULL;
  if (!choose_ends(exchange, search->coords, is_send, from, to, &segment)) return DAP_OK;
  const int rank = dap_problem_rank(problem, !is_send, is_send ? to : from);
  if (rank == problem->rank && is_send) return DAP_OK; /* elements that stay here are received */
  DAP_TRY(dap_direction_add(exchange, rank, is_send, direction, &channel, err));
  channel->bytes = elements * problem->from.item;
  for (int k = 0; k < problem->ndim; k++) {
    channel->axes[k] = &direction->with[k][search->at[k]];
    channel->to_coords[k] = to[k];
  }
  DAP_TRY(dap_channel_take_segment(&segment, channel, err));
  if (channel->bytes == 0) direction->count--;
  return DAP_OK;
}

/* Returns the number of coordinates of the other side to examine along an axis. Copies that are read count as
 * one, because one of them is chosen. Addends are all examined, though they have the same overlap. */
static int count_coords(const channel_search *search, int axis)
{
  const dap_exchange *exchange = search->exchange;
  const dap_map *from = dap_problem_from_map(exchange->problem, axis);
  const bool are_addends =
      !search->is_send && exchange->product.reads != DAP_READS_OWNER && from->axis.partial;
  return are_addends ? from->axis.procs : search->direction->procs[axis];
}

/* Adds a channel for each combination of coordinates whose overlaps are not empty, by depth-first search. */
static dap_status find_channels(channel_search *search, int axis, int64_t elements, dap_error *err)
{
  const dap_direction *direction = search->direction;
  if (axis == search->exchange->problem->ndim) return add_channel(search, elements, err);
  const int count = count_coords(search, axis);
  for (int c = 0; c < count; c++) {
    const int at = search->at[axis] = direction->procs[axis] == 1 ? 0 : c;
    const int64_t here = direction->with[axis][at].elements;
    if (here == 0) continue;
    search->coords[axis] = direction->coords[axis] ? direction->coords[axis][c] : c;
    DAP_TRY(find_channels(search, axis + 1, elements * here, err));
  }
  return DAP_OK;
}

/* Returns whether no channel exists. This check comes first, so products of other axes cannot overflow. */
static bool is_empty(const dap_direction *direction, int ndim)
{
  for (int k = 0; k < ndim; k++) {
    int64_t elements = 0;
    for (int c = 0; c < direction->procs[k] && elements == 0; c++) elements = direction->with[k][c].elements;
    if (elements == 0) return true;
  }
  return false;
}

/* Finds the overlaps of this process with every coordinate of the other side, axis by axis. Those of listed
 * axes are moved from the rendezvous. Those of a reversed exchange are the reversed ones of the move. */
static dap_status find_overlaps(const dap_exchange *exchange, dap_rendezvous rendezvous[], bool is_send,
                                dap_direction *direction, dap_error *err)
{
  const dap_product *product = &exchange->product;
  const bool is_reversed = dap_product_is_reversed(product), sends = is_send != is_reversed;
  const dap_problem problem = is_reversed ? dap_problem_reversed(exchange->problem) : *exchange->problem;
  for (int k = 0; k < problem.ndim; k++) {
    dap_overlap **found = sends ? &rendezvous[k].send : &rendezvous[k].receive;
    if (dap_problem_is_listed(&problem, k)) {
      direction->with[k] = *found;
      direction->procs[k] = sends ? rendezvous[k].send_count : rendezvous[k].receive_count;
      *found = NULL;
    } else {
      DAP_TRY(overlap_axis(&problem, k, product, sends, direction, err));
    }
    for (int c = 0; c < direction->procs[k] && is_reversed; c++)
      DAP_TRY(dap_overlap_reverse(&direction->with[k][c], err));
  }
  return DAP_OK;
}

static dap_status set_direction(const dap_exchange *exchange, dap_rendezvous rendezvous[], bool is_send,
                                dap_direction *direction, dap_error *err)
{
  const dap_problem *problem = exchange->problem;
  channel_search search = {.exchange = exchange, .is_send = is_send, .direction = direction};
  if ((is_send ? problem->from.process : problem->to.process) < 0) return DAP_OK;
  DAP_TRY(find_overlaps(exchange, rendezvous, is_send, direction, err));
  for (int k = 0; k < problem->ndim && !problem->copies; k++) /* later passes look them up by coordinate */
    DAP_TRY(drop_empty(direction, k, err));
  if (is_empty(direction, problem->ndim)) return DAP_OK;
  return find_channels(&search, 0, 1, err);
}

dap_status dap_exchange_create(dap_rendezvous rendezvous[], dap_exchange *exchange, dap_error *err)
{
  DAP_TRY(set_direction(exchange, rendezvous, true, &exchange->send, err));
  return set_direction(exchange, rendezvous, false, &exchange->receive, err);
}

static void release_direction(dap_direction *direction)
{
  for (int k = 0; k < DAP_MAX_NDIM; k++) {
    for (int c = 0; c < direction->procs[k]; c++) dap_overlap_release(&direction->with[k][c]);
    free(direction->with[k]);
    free(direction->coords[k]);
  }
  for (int i = 0; i < direction->count; i++) {
    if (direction->channels[i].own_axis) dap_overlap_release(direction->channels[i].own_axis);
    free(direction->channels[i].own_axis);
  }
  free(direction->channels);
  *direction = (dap_direction){0};
}

void dap_exchange_release(dap_exchange *exchange)
{
  release_direction(&exchange->send);
  release_direction(&exchange->receive);
}

static int64_t direction_memory(const dap_direction *direction)
{
  int64_t bytes = direction->capacity * (int64_t)sizeof *direction->channels;
  for (int k = 0; k < DAP_MAX_NDIM; k++) {
    for (int c = 0; c < direction->procs[k]; c++)
      bytes += (int64_t)sizeof *direction->with[k] + dap_overlap_memory(&direction->with[k][c]);
    if (direction->coords[k]) bytes += direction->procs[k] * (int64_t)sizeof *direction->coords[k];
  }
  for (int i = 0; i < direction->count; i++) {
    const dap_channel *channel = &direction->channels[i];
    if (channel->own_axis) bytes += (int64_t)sizeof(dap_overlap) + dap_overlap_memory(channel->own_axis);
    if (channel->transport == DAP_TRANSPORT_MESSAGES && !channel->in_two_phases)
      bytes += channel->slots * (int64_t)sizeof *channel->requests;
    if (channel->others) bytes += channel->exchange->problem->arrays * (int64_t)sizeof(char *);
  }
  return bytes;
}

int64_t dap_exchange_memory(const dap_exchange *exchange)
{
  return direction_memory(&exchange->send) + direction_memory(&exchange->receive);
}
