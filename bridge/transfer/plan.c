/* Plans: thought out here, run in run.c. */
#include "transfer_impl.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the order of elements in messages -------------------------------------------------------- */

static int64_t magnitude(int64_t stride)
{
  return stride < 0 ? -stride : stride;
}

/* Axes by falling stride of this process' destination, those of one element first: written in that
 * order, the destination is walked through from low to high addresses. */
static void destination_order(const dap_ends *ends, int order[])
{
  int64_t step[DAP_MAX_NDIM];
  for (int k = 0; k < ends->ndim; k++) {
    const bool single = dap_layout_extent(ends->to, k, ends->to_coords[k]) <= 1;
    step[k] = single ? INT64_MAX : magnitude(ends->to_strides[k]);
    int at = k;
    for (; at > 0 && step[order[at - 1]] < step[k]; at--) order[at] = order[at - 1];
    order[at] = k;
  }
}

/* The axis of the least stride in this process' source, of those with more than one element; -1: none. */
static int fastest_source(const dap_ends *ends)
{
  int best = -1;
  for (int k = 0; k < ends->ndim; k++) {
    if (dap_layout_extent(ends->from, ends->axes[k], ends->from_coords[k]) <= 1) continue;
    if (best < 0 || magnitude(ends->from_strides[k]) < magnitude(ends->from_strides[best])) best = k;
  }
  return best;
}

/* `words` of the lowest rank that has a word, on all. Collective, unless `comm` is null. */
static dap_status take_lowest(MPI_Comm comm, int rank, bool has, int words[], int count, dap_error *err)
{
  const int mine = has ? rank : INT_MAX;
  int first = INT_MAX;
  if (comm == MPI_COMM_NULL) return DAP_OK;
  DAP_TRY(dap_mpi_check(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce", err));
  if (first == INT_MAX) return DAP_OK;
  return dap_mpi_check(MPI_Bcast(words, count, MPI_INT, first, comm), "MPI_Bcast", err);
}

/* One order for all messages: that of the lowest rank with elements to write; and the axis along which sources
 * are read, of the lowest rank that has one. Collective. */
static dap_status set_order(MPI_Comm comm, const dap_ends *ends, int order[], int *across, dap_error *err)
{
  for (int k = 0; k < DAP_MAX_NDIM; k++) order[k] = k;
  if (ends->holds_to) destination_order(ends, order);
  *across = ends->holds_from ? fastest_source(ends) : -1;
  DAP_TRY(take_lowest(comm, ends->rank, ends->holds_to, order, DAP_MAX_NDIM, err));
  DAP_TRY(take_lowest(comm, ends->rank, *across >= 0, across, 1, err));
  if (ends->ndim > 0 && *across == order[ends->ndim - 1]) *across = -1;
  return DAP_OK;
}

/* ---- exchanges -------------------------------------------------------------------------------- */

static dap_status meet_listed(MPI_Comm comm, const dap_ends *ends, const dap_reach reach[], dap_met met[],
                              dap_error *err)
{
  for (int k = 0; k < ends->ndim; k++)
    if (dap_ends_is_listed(ends, k)) DAP_TRY(dap_meet(comm, ends, k, reach[k], &met[k], err));
  return DAP_OK;
}

/* One product. Collective, as what is listed must be asked for. */
static dap_status add_exchange(dap_plan *plan, const dap_product *product, dap_error *err)
{
  dap_met met[DAP_MAX_NDIM] = {0};
  dap_exchange *exchange = &plan->exchanges[plan->exchange_count];
  exchange->ends = &plan->moves[product->move].ends;
  exchange->move = product->move;
  memcpy(exchange->reach, product->reach, sizeof exchange->reach);
  exchange->tag = plan->exchange_count++;
  dap_status s = dap_agree(
      plan->comm, set_order(plan->comm, exchange->ends, exchange->order, &exchange->across, err), err);
  if (!s) s = meet_listed(plan->comm, exchange->ends, product->reach, met, err);
  if (!s) s = dap_agree(plan->comm, dap_exchange_create(met, exchange, err), err);
  for (int k = 0; k < exchange->ends->ndim; k++) dap_met_release(&met[k]);
  return s;
}

static void set_places(dap_plan *plan, dap_direction *direction)
{
  const dap_station *station = &plan->station;
  const bool alone = plan->transports == DAP_TRANSPORT_MESSAGES || station->node.size < 2;
  for (int i = 0; i < direction->count; i++)
    direction->flows[i].place = alone ? -1 : station->node.places[direction->flows[i].rank];
}

static void set_all_places(dap_plan *plan)
{
  for (int x = 0; x < plan->exchange_count; x++) {
    set_places(plan, &plan->exchanges[x].send);
    set_places(plan, &plan->exchanges[x].receive);
  }
}

/* ---- memory ----------------------------------------------------------------------------------- */

/* Where a node has no shared memory its processes are to each other as on different nodes. *some: any has none. */
static dap_status try_memory(dap_plan *plan, int *some, dap_error *err)
{
  dap_station *station = &plan->station;
  dap_node *node = &station->node;
  const bool wants =
      node->size > 1 && node->places[plan->rank] >= 0 && plan->transports != DAP_TRANSPORT_MESSAGES;
  const int64_t bytes = dap_station_bytes(plan->move_count) + plan->slots_bytes;
  dap_error own = {0};
  dap_status s = wants ? dap_memory_create(node, bytes, &station->memory, &own) : DAP_OK;
  if (s && err) *err = own;
  DAP_TRY(dap_agree(plan->comm, s, err));
  const int lacks = wants && station->memory.size == 0;
  for (int r = 0; r < plan->nprocs && lacks; r++) node->places[r] = -1;
  return dap_mpi_check(MPI_Allreduce(&lacks, some, 1, MPI_INT, MPI_LOR, plan->comm), "MPI_Allreduce", err);
}

/* Slots are of one size on all nodes. Where a node drops out the others' may grow, so that they need other memory. */
static dap_status set_memory(dap_plan *plan, const dap_plan_options *options, dap_error *err)
{
  dap_station *station = &plan->station;
  int some = 0;
  DAP_TRY(try_memory(plan, &some, err));
  while (some) {
    dap_memory_release(&station->memory);
    set_all_places(plan);
    DAP_TRY(dap_plan_cut(plan, plan->comm, options, err));
    DAP_TRY(try_memory(plan, &some, err));
  }
  station->is_whole = station->memory.size > 0 && station->node.size == plan->nprocs;
  return DAP_OK;
}

/* ---- made ------------------------------------------------------------------------------------- */

static dap_status start_plan(MPI_Comm comm, int count, int product_count, const dap_plan_options *options,
                             dap_plan **plan, dap_error *err)
{
  dap_plan *made = calloc(1, sizeof *made);
  *plan = made;
  if (made) {
    made->comm = MPI_COMM_NULL;
    made->station.node.comm = MPI_COMM_NULL;
    made->moves = calloc((size_t)count, sizeof *made->moves);
    made->exchanges = calloc((size_t)product_count + 1, sizeof *made->exchanges);
    made->move_count = count;
    made->kernels = dap_kernels_best();
    made->transports = options && options->transports
                           ? options->transports
                           : DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES;
  }
  const bool whole = made && made->moves && made->exchanges;
  if (!whole && made) made->move_count = 0;
  const dap_status s = whole ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a plan");
  return comm == MPI_COMM_NULL ? s : dap_agree(comm, s, err);
}

static bool is_crowded(const dap_node *node)
{
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  return processors > 0 && node->size > processors;
}

static dap_status think(MPI_Comm comm, const dap_plan_options *options, int product_count,
                        const dap_product products[], dap_plan *plan, dap_error *err)
{
  DAP_TRY(dap_agree(comm, dap_comm_private(comm, &plan->comm, err), err));
  (void)MPI_Comm_size(plan->comm, &plan->nprocs);
  (void)MPI_Comm_rank(plan->comm, &plan->rank);
  DAP_TRY(dap_node_create(plan->comm, &plan->station.node, err));
  plan->station.is_crowded = is_crowded(&plan->station.node);
  for (int i = 0; i < product_count; i++) DAP_TRY(add_exchange(plan, &products[i], err));
  set_all_places(plan);
  DAP_TRY(dap_plan_cut(plan, plan->comm, options, err));
  DAP_TRY(set_memory(plan, options, err));
  return dap_buffers_create(plan, err);
}

/* What else must be equal on all processes, as one word: the products. */
static uint64_t variant_of(int count, const dap_product products[])
{
  uint64_t hash = dap_hash(0, &count, sizeof count);
  for (int i = 0; i < count; i++) hash = dap_hash(hash, &products[i], sizeof products[i]);
  return hash;
}

/* Names the move, where there are several. */
static dap_status name_move(dap_status s, int move, int count, dap_error *err)
{
  if (!s || count == 1 || !err) return s;
  dap_error inner = *err;
  (void)dap_fail(err, s, "move %d: %s", move, inner.text);
  err->rule = inner.rule;
  err->rank = inner.rank;
  return s;
}

static dap_status set_ends(MPI_Comm comm, const dap_side *from, const dap_side *to, int64_t itemsize,
                           const dap_plan_options *options, uint64_t variant, dap_ends *ends, dap_error *err)
{
  int nprocs = 0, rank = 0;
  DAP_TRY(dap_ends_share(comm, from, to, ends, err));
  dap_status s = dap_mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err);
  if (!s) s = dap_mpi_check(MPI_Comm_size(comm, &nprocs), "MPI_Comm_size", err);
  if (!s) s = dap_ends_check(nprocs, rank, from, to, itemsize, options, ends, err);
  DAP_TRY(dap_agree(comm, s, err));
  return dap_ends_compare(comm, ends, options, variant, err);
}

dap_status dap_plan_build(MPI_Comm comm, int count, const dap_side from[], const dap_side to[],
                          const int64_t itemsize[], const dap_plan_options options[], int product_count,
                          const dap_product products[], dap_plan **plan, dap_error *err)
{
  DAP_TRY(dap_agree(comm, plan ? DAP_OK : dap_fail(err, DAP_ERR_ARG, "plan must not be NULL"), err));
  dap_plan *made = NULL;
  dap_status s = start_plan(comm, count, product_count, options, &made, err);
  const uint64_t variant = variant_of(product_count, products);
  for (int m = 0; m < count && !s; m++)
    s = name_move(set_ends(comm, from ? &from[m] : NULL, to ? &to[m] : NULL, itemsize ? itemsize[m] : 0,
                           options ? &options[m] : NULL, variant, &made->moves[m].ends, err),
                  m, count, err);
  if (!s) s = think(comm, options, product_count, products, made, err);
  if (s) dap_plan_destroy(&made);
  *plan = made;
  return s;
}

static void set_reach(const dap_plan_options *options, int move, dap_product *product)
{
  *product = (dap_product){.move = move};
  for (int k = 0; k < DAP_MAX_NDIM; k++)
    product->reach[k] = options && options->fill_halos ? DAP_REACH_ALL : DAP_REACH_OWNED;
}

dap_status dap_plan_create_many(MPI_Comm comm, int count, const dap_side from[], const dap_side to[],
                                const int64_t itemsize[], const dap_plan_options options[], dap_plan **plan,
                                dap_error *err)
{
  dap_error own = {0};
  err = err ? err : &own;
  if (plan) *plan = NULL;
  DAP_TRY(dap_comm_check(comm, err));
  const bool fits = count >= 1 && count <= DAP_PLAN_MAX;
  DAP_TRY(dap_agree(
      comm, fits ? DAP_OK : dap_fail(err, DAP_ERR_ARG, "count %d is outside 1 .. %d", count, DAP_PLAN_MAX),
      err));
  DAP_TRY(dap_agree_words(comm, (uint64_t[]){(uint64_t)count}, (const char *const[]){"count"}, 1, err));
  dap_product products[DAP_PLAN_MAX];
  for (int m = 0; m < count; m++) set_reach(options ? &options[m] : NULL, m, &products[m]);
  return dap_plan_build(comm, count, from, to, itemsize, options, count, products, plan, err);
}

dap_status dap_plan_create(MPI_Comm comm, const dap_side *from, const dap_side *to, int64_t itemsize,
                           const dap_plan_options *options, dap_plan **plan, dap_error *err)
{
  dap_error own = {0};
  err = err ? err : &own;
  if (plan) *plan = NULL;
  DAP_TRY(dap_comm_check(comm, err));
  dap_product product;
  set_reach(options, 0, &product);
  return dap_plan_build(comm, 1, from, to, &itemsize, options, 1, &product, plan, err);
}

/* ---- a process alone -------------------------------------------------------------------------- */

dap_status dap_plan_think_alone(int nprocs, int rank, const dap_side *from, const dap_side *to,
                                int64_t itemsize, const dap_plan_options *options, dap_plan **plan,
                                dap_error *err)
{
  DAP_TRY(start_plan(MPI_COMM_NULL, 1, 1, options, plan, err));
  dap_ends *ends = &(*plan)->moves[0].ends;
  dap_exchange *exchange = &(*plan)->exchanges[0];
  dap_met met[DAP_MAX_NDIM] = {0};
  dap_product product;
  (*plan)->rank = rank;
  (*plan)->nprocs = nprocs;
  ends->from = dap_layout_retain(from->layout);
  ends->to = dap_layout_retain(to->layout);
  DAP_TRY(dap_ends_ranks(from, &ends->from_ranks, err));
  DAP_TRY(dap_ends_ranks(to, &ends->to_ranks, err));
  DAP_TRY(dap_ends_check(nprocs, rank, from, to, itemsize, options, ends, err));
  for (int k = 0; k < ends->ndim; k++)
    DAP_REQUIRE(!dap_ends_is_listed(ends, k), err, DAP_ERR_REMOTE,
                "dim %d: what is listed one by one is planned by asking the other processes", k);
  set_reach(options, 0, &product);
  exchange->ends = ends;
  memcpy(exchange->reach, product.reach, sizeof exchange->reach);
  DAP_TRY(set_order(MPI_COMM_NULL, ends, exchange->order, &exchange->across, err));
  (*plan)->exchange_count = 1;
  DAP_TRY(dap_exchange_create(met, exchange, err));
  return dap_plan_cut(*plan, MPI_COMM_NULL, options, err);
}

void dap_plan_destroy(dap_plan **plan)
{
  if (!plan || !*plan) return;
  dap_plan *last = *plan;
  *plan = NULL;
  if (last->under_way) (void)dap_plan_end(last, NULL);
  for (int i = 0; i < last->exchange_count; i++) dap_exchange_release(&last->exchanges[i]);
  dap_buffers_release(last);
  dap_node_release(&last->station.node);
  if (last->comm != MPI_COMM_NULL) (void)MPI_Comm_free(&last->comm);
  for (int m = 0; m < last->move_count; m++) dap_ends_release(&last->moves[m].ends);
  free(last->moves);
  free(last->exchanges);
  free(last);
}
