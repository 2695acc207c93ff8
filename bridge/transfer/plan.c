/* Plans: thought out here, run in run.c. */
#include "transfer_impl.h"

#include <stdlib.h>
#include <string.h>

/* ---- exchanges -------------------------------------------------------------------------------- */

static dap_status meet_listed(MPI_Comm comm, const dap_ends *ends, const dap_reach reach[], dap_met met[],
                              dap_error *err)
{
  for (int k = 0; k < ends->ndim; k++)
    if (dap_ends_is_listed(ends, k)) DAP_TRY(dap_meet(comm, ends, k, reach[k], &met[k], err));
  return DAP_OK;
}

static dap_exchange *start_exchange(dap_plan *plan, const dap_product *product)
{
  dap_exchange *exchange = &plan->exchanges[plan->exchange_count];
  exchange->ends = &plan->moves[product->move].ends;
  exchange->move = product->move;
  exchange->tag = plan->exchange_count++;
  memcpy(exchange->reach, product->reach, sizeof exchange->reach);
  return exchange;
}

/* One product. Collective, as what is listed must be asked for. */
static dap_status add_exchange(dap_plan *plan, const dap_product *product, dap_error *err)
{
  dap_met met[DAP_MAX_NDIM] = {0};
  dap_exchange *exchange = start_exchange(plan, product);
  dap_status s = dap_agree(
      plan->comm, dap_order_set(plan->comm, exchange->ends, exchange->order, &exchange->across, err), err);
  if (!s) s = meet_listed(plan->comm, exchange->ends, product->reach, met, err);
  if (!s) s = dap_agree(plan->comm, dap_exchange_create(met, exchange, err), err);
  for (int k = 0; k < exchange->ends->ndim; k++) dap_met_release(&met[k]);
  return s;
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
    made->transports = options && options->transports ? options->transports
                                                      : DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED |
                                                            DAP_TRANSPORT_MESSAGES | DAP_TRANSPORT_FETCHED;
  }
  const bool whole = made && made->moves && made->exchanges;
  if (!whole && made) made->move_count = 0;
  const dap_status s = whole ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a plan");
  return comm == MPI_COMM_NULL ? s : dap_agree(comm, s, err);
}

static dap_status think(MPI_Comm comm, const dap_plan_options *options, int product_count,
                        const dap_product products[], dap_plan *plan, dap_error *err)
{
  DAP_TRY(dap_agree(comm, dap_comm_private(comm, &plan->comm, err), err));
  dap_status s = dap_mpi_check(MPI_Comm_size(plan->comm, &plan->nprocs), "MPI_Comm_size", err);
  if (!s) s = dap_mpi_check(MPI_Comm_rank(plan->comm, &plan->rank), "MPI_Comm_rank", err);
  DAP_TRY(dap_agree(comm, s, err));
  DAP_TRY(dap_node_create(plan->comm, &plan->station.node, err));
  for (int i = 0; i < product_count; i++) DAP_TRY(add_exchange(plan, &products[i], err));
  dap_places_set(plan);
  DAP_TRY(dap_plan_cut(plan, plan->comm, options, err));
  DAP_TRY(dap_places_reserve(plan, options, err));
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
  dap_exchange *exchange = start_exchange(*plan, &product);
  DAP_TRY(dap_order_set(MPI_COMM_NULL, ends, exchange->order, &exchange->across, err));
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
