/* Makes the products, passes and exchanges that follow from a plan's arguments. They are the same whether
 * the other processes take part (plan.c) or not (alone.c). */
#include "transfer_impl.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY = 64 * 1024 * 1024 }; /* bytes: the default of options.memory_bytes */

dap_status dap_request_start(const dap_request *r, dap_context *context, dap_plan **plan, dap_error *err)
{
  const dap_plan_options *options = r->arguments.options;
  dap_plan *made = *plan = calloc(1, sizeof *made);
  if (!made) dap_context_release(&context);
  DAP_REQUIRE(made, err, DAP_ERR_NOMEM, "no memory for a plan");
  dap_plan_mark(made, true);
  made->context = context;
  made->kernels = dap_kernels_best();
  made->schedule.sender = r->sender;
  const unsigned allowed = options->transports & DAP_TRANSPORTS;
  made->schedule.transports = allowed ? allowed : DAP_TRANSPORTS;
  made->schedule.forced = options->transports & DAP_FORCED;
  made->schedule.memory = options->memory_bytes ? options->memory_bytes : MEMORY;
  made->schedule.longest = options->message_bytes;
  made->schedule.cache_bytes = context ? context->cache_bytes : dap_cache_bytes();
  if (context) {
    if (context->limit) made->wait_seconds = context->limit->seconds;
    made->rank = context->rank;
    made->nprocs = context->nprocs;
    made->window.node = &context->node;
    made->window.groups = &context->groups;
    made->schedule.groups = &context->groups;
  }
  return DAP_OK;
}

static dap_status find_products(dap_request *r, const dap_problem *problem, dap_error *err)
{
  const dap_plan_options *options = r->arguments.options;
  dap_filling filling = {.padding = true};
  if (r->kind == DAP_PLAN_SPREAD) return DAP_OK;
  if (r->kind == DAP_PLAN_MOVE) return dap_move_products(problem, options, &r->products, err);
  if (r->kind == DAP_PLAN_HALO_REVERSE) return dap_combine_products(problem, filling, &r->products, err);
  if (r->kind == DAP_PLAN_COPIES) filling.padding = options->fill_halos;
  filling.replicas = r->kind != DAP_PLAN_REFRESH;
  return dap_fill_products(problem, filling, &r->products, err);
}

static void set_passes(dap_plan *plan, const dap_request *r)
{
  const bool is_second = r->kind == DAP_PLAN_COPIES || r->kind == DAP_PLAN_REFRESH;
  plan->next_kind = dap_move_next_kind(&plan->problem, r->kind, r->arguments.options);
  if (r->first || plan->next_kind == DAP_PLAN_SPREAD)
    plan->schedule.passes = dap_copies_passes(r->first ? &r->first->problem : &plan->problem);
  else
    plan->schedule.passes = is_second || plan->next_kind ? 2 : 1;
}

dap_status dap_request_products(dap_request *r, dap_plan *plan, dap_error *err)
{
  DAP_TRY(find_products(r, &plan->problem, err));
  plan->schedule.exchanges = malloc((size_t)(r->products.count + 1) * sizeof *plan->schedule.exchanges);
  DAP_REQUIRE(plan->schedule.exchanges, err, DAP_ERR_NOMEM, "no memory for a plan");
  set_passes(plan, r);
  plan->in_place = r->kind != DAP_PLAN_MOVE;
  return DAP_OK;
}

void dap_request_release(dap_request *r)
{
  dap_listed_release(r);
  dap_products_release(&r->products);
}

/* Adds the exchange of one product. Collective where elements are listed, unless the plan is for one process
 * only. */
static dap_status add_exchange(dap_request *r, int product, dap_plan *plan, dap_error *err)
{
  dap_rendezvous rendezvous[DAP_MAX_NDIM] = {0};
  const dap_problem *problem = &plan->problem;
  const int tag = plan->schedule.exchange_count++;
  dap_exchange *exchange = &plan->schedule.exchanges[tag];
  *exchange = (dap_exchange){.problem = problem, .product = r->products.all[product], .tag = tag};
  if (exchange->product.combines) plan->schedule.is_ordered = true;
  dap_order_take(plan->order, problem->ndim, exchange->order, &exchange->across);
  dap_status s = DAP_OK;
  if (dap_problem_has_lists(problem)) s = dap_listed_find(plan, r, product, rendezvous, err);
  if (!s) s = dap_exchange_create(rendezvous, exchange, err);
  for (int k = 0; k < problem->ndim; k++) dap_rendezvous_release(&rendezvous[k]);
  return s;
}

dap_status dap_request_exchanges(dap_request *r, dap_plan *plan, dap_error *err)
{
  const bool asks = plan->context && dap_problem_has_lists(&plan->problem);
  dap_status s = DAP_OK;
  if (r->first) return dap_spread_exchanges(r->first, r->pass, plan, err);
  for (int i = 0; i < r->products.count && !s; i++) {
    s = add_exchange(r, i, plan, err);
    if (asks) s = dap_agree(plan->context->comm, s, err);
  }
  return s ? s : dap_turns_create(&plan->schedule, err);
}

dap_plan_options dap_request_limits(const dap_plan_options *options)
{
  if (!options) return (dap_plan_options){0};
  return (dap_plan_options){.message_bytes = options->message_bytes,
                            .memory_bytes = options->memory_bytes,
                            .arrays = options->arrays,
                            .allow_empty = options->allow_empty,
                            .transports = options->transports};
}

dap_plan_options dap_request_next_pass_options(const dap_plan_options *options)
{
  dap_plan_options own = dap_request_limits(options);
  own.fill_halos = options->fill_halos;
  return own;
}

dap_request dap_request_next_pass(const dap_plan *plan, int pass, const dap_side *to,
                                  const dap_plan_options *options)
{
  const dap_problem *problem = &plan->problem;
  const bool spreads = plan->next_kind == DAP_PLAN_SPREAD;
  return (dap_request){.function = "dap_plan_create",
                       .arguments = {.from = to,
                                     .to = to,
                                     .itemsize = problem->transform.to == DAP_NONE ? problem->to.item : 0,
                                     .options = options},
                       .kind = plan->next_kind,
                       .sender = plan->schedule.sender,
                       .first = spreads ? plan : NULL,
                       .pass = spreads ? pass : 0};
}
