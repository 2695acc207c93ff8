/* Plans: thought out here, run in run.c. */
#include "transfer_impl.h"

#include <stdlib.h>
#include <string.h>

/* ---- exchanges -------------------------------------------------------------------------------- */

static dap_status find_listed(const dap_plan *plan, const dap_region region[], dap_rendezvous rendezvous[],
                              dap_error *err)
{
  const dap_problem *problem = &plan->problem;
  for (int k = 0; k < problem->ndim; k++) {
    if (!dap_problem_is_listed(problem, k)) continue;
    if (plan->context)
      DAP_TRY(dap_rendezvous_create(plan->context->comm, problem, k, region[k], &rendezvous[k], err));
    else
      DAP_TRY(dap_rendezvous_create_known(problem, k, region[k], &rendezvous[k], err));
  }
  return DAP_OK;
}

static dap_exchange *start_exchange(dap_plan *plan, const dap_product *product)
{
  dap_exchange *exchange = &plan->schedule.exchanges[plan->schedule.exchange_count];
  exchange->problem = &plan->problem;
  exchange->tag = plan->schedule.exchange_count++;
  memcpy(exchange->region, product->region, sizeof exchange->region);
  return exchange;
}

/* One product. Collective where elements are listed, which must be asked for, unless the plan is a
 * process's alone. */
static dap_status add_exchange(dap_plan *plan, const dap_product *product, dap_error *err)
{
  dap_rendezvous rendezvous[DAP_MAX_NDIM] = {0};
  const dap_problem *problem = &plan->problem;
  dap_exchange *exchange = start_exchange(plan, product);
  dap_order_take(plan->order, problem->ndim, exchange->order, &exchange->across);
  dap_status s = find_listed(plan, product->region, rendezvous, err);
  if (!s) s = dap_exchange_create(rendezvous, exchange, err);
  for (int k = 0; k < problem->ndim; k++) dap_rendezvous_release(&rendezvous[k]);
  return s;
}

static bool has_lists(const dap_problem *problem)
{
  for (int k = 0; k < problem->ndim; k++)
    if (dap_problem_is_listed(problem, k)) return true;
  return false;
}

/* ---- copies after a sum ------------------------------------------------------------------------- */

/* With beta != 0 ghosts, and padding that is filled, get their owner's sum in a second pass. */
static bool has_follow(const dap_problem *problem, const dap_plan_options *options)
{
  dap_product products[DAP_MAX_NDIM] = {0};
  const double *beta = problem->transform.beta;
  return (beta[0] != 0 || beta[1] != 0) && dap_copy_products(problem, options, products) > 0;
}

static void set_passes(dap_plan *plan, dap_find_products *find, const dap_plan_options *options)
{
  plan->schedule.passes = find == dap_copy_products || has_follow(&plan->problem, options) ? 2 : 1;
}

static dap_plan_options options_of_follow(const dap_plan_options *options)
{
  return (dap_plan_options){.fill_halos = options->fill_halos,
                            .message_bytes = options->message_bytes,
                            .memory_bytes = options->memory_bytes,
                            .transports = options->transports};
}

/* ---- made ------------------------------------------------------------------------------------- */

/* Takes the context over, which may be NULL. */
static dap_status start_plan(dap_context *context, const dap_plan_options *options, dap_plan **plan,
                             dap_error *err)
{
  dap_plan *made = *plan = calloc(1, sizeof *made);
  if (!made) dap_context_release(&context);
  DAP_REQUIRE(made, err, DAP_ERR_NOMEM, "no memory for a plan");
  dap_plan_mark(made, true);
  made->context = context;
  made->kernels = dap_kernels_best();
  made->schedule.transports =
      options && options->transports
          ? options->transports
          : DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES | DAP_TRANSPORT_FETCHED;
  if (context) {
    made->rank = context->rank;
    made->nprocs = context->nprocs;
    made->window.node = &context->node;
  }
  made->schedule.exchanges = calloc(DAP_MAX_NDIM, sizeof *made->schedule.exchanges);
  DAP_REQUIRE(made->schedule.exchanges, err, DAP_ERR_NOMEM, "no memory for a plan");
  return DAP_OK;
}

/* What the caller asks for. */
typedef struct request {
  const char *function; /* the caller's; NULL once it has been agreed on */
  const dap_side *from, *to;
  int64_t itemsize;
  const dap_plan_options *options;
  dap_find_products *find;
  dap_product products[DAP_MAX_NDIM];
  int count; /* of products */
} request;

/* All that this process can say of a problem whose layouts it knows. */
static dap_status look_at(dap_plan *plan, request *r, uint64_t words[], int64_t order[], dap_error *err)
{
  dap_problem *problem = &plan->problem;
  DAP_TRY(dap_problem_check(plan->nprocs, plan->rank, r->from, r->to, r->itemsize, r->options, problem, err));
  r->count = r->find(problem, r->options, r->products);
  DAP_REQUIRE(r->count > 0 || problem->to->nprocs == 1 || r->options->allow_empty, err, DAP_ERR_ARG,
              "a halo update would do nothing, which needs options.allow_empty: %d processes have neither "
              "padding nor ghosts",
              problem->to->nprocs);
  const uint64_t variant = dap_hash((uint64_t)r->count, r->products, sizeof r->products);
  dap_problem_words(problem, r->options, variant, words);
  dap_order_propose(problem, order);
  return DAP_OK;
}

/* The problem, and the order of its axes. One reduction, if all know both layouts. Collective; agreed, on `s`
 * too. */
static dap_status set_problem(dap_context *context, request *r, dap_status s, dap_plan *plan, dap_error *err)
{
  uint64_t words[DAP_PROBLEM_WORDS];
  dap_problem *problem = s ? NULL : &plan->problem;
  if (!s) s = dap_problem_take(r->from, r->to, problem, err);
  for (;; r->function = NULL) {
    dap_agreement a = {.function = r->function, .names = dap_problem_names, .words = words};
    int64_t *const order = a.least + DAP_PROBLEM_TELLS;
    if (!s) dap_problem_tell(problem, context->rank, a.least);
    if (!s && problem->from && problem->to) {
      s = look_at(plan, r, words, order, err);
      a.count = s ? 0 : DAP_PROBLEM_WORDS;
    }
    a.status = s;
    DAP_TRY(dap_agree_all(context->comm, &a, err));
    if (!s) memcpy(plan->order, order, sizeof plan->order);
    if (a.least[2] && a.least[3]) return DAP_OK;
    DAP_TRY(dap_problem_complete(context->comm, a.least, r->from, r->to, problem, err));
  }
}

static dap_status prepare(dap_plan *plan, const request *r, dap_error *err)
{
  dap_status s = DAP_OK;
  const bool asks = has_lists(&plan->problem);
  set_passes(plan, r->find, r->options);
  for (int i = 0; i < r->count && !s; i++) {
    s = add_exchange(plan, &r->products[i], err);
    if (asks) DAP_TRY(dap_agree(plan->context->comm, s, err));
  }
  DAP_TRY(dap_node_memory_create(plan, r->options, s, err));
  return dap_context_tags(plan->context, r->count, &plan->tags, err);
}

dap_status dap_plan_build(MPI_Comm comm, const char *function, const dap_side *from, const dap_side *to,
                          int64_t itemsize, const dap_plan_options *options, dap_find_products *find,
                          dap_plan **plan, dap_error *err)
{
  dap_error own = {0};
  dap_context *context, *plans;
  dap_plan *made = NULL;
  request r = {
      .function = function, .from = from, .to = to, .itemsize = itemsize, .options = options, .find = find};
  err = err ? err : &own;
  if (plan) *plan = NULL;
  DAP_TRY(dap_context_get(comm, function, &context, err));
  const double start = dap_log_is_on() ? MPI_Wtime() : 0;
  plans = context;
  plans->users++;
  dap_status s = start_plan(plans, options, &made, err);
  if (!s && !plan) s = dap_fail(err, DAP_ERR_ARG, "plan must not be NULL");
  s = set_problem(context, &r, s, made, err);
  if (!s) s = prepare(made, &r, err);
  if (!s && dap_log_is_on()) dap_plan_log(made, MPI_Wtime() - start);
  if (s) dap_plan_destroy(&made);
  if (plan) *plan = made;
  dap_context_release(&context);
  return s;
}

/* destination = alpha * source + beta * destination would add to each copy what that held before: copies
 * get the owner's sum afterwards. */
static dap_status add_follow(MPI_Comm comm, const dap_side *to, const dap_plan_options *options,
                             dap_plan *plan, dap_error *err)
{
  const dap_plan_options own = options_of_follow(options);
  DAP_TRY(dap_plan_build(comm, "dap_plan_create", to, to, 0, &own, dap_copy_products, &plan->follow, err));
  plan->follow->in_place = true;
  return DAP_OK;
}

static int find_product(const dap_problem *problem, const dap_plan_options *options, dap_product products[])
{
  for (int k = 0; k < problem->ndim; k++) {
    const bool all = (options && options->fill_halos) || dap_problem_to_map(problem, k)->lists;
    products[0].region[k] = all ? DAP_REGION_ALL : DAP_REGION_OWNED;
  }
  return 1;
}

/* Each element stays where it is, but for copies and padding. */
static bool is_same_form(const dap_problem *p)
{
  bool same = dap_layout_is_equal(p->from, p->to) && !p->transforms && p->from_process == p->to_process;
  for (int k = 0; k < p->ndim; k++)
    same = same && p->from_axes[k] == p->to_axes[k] && p->from_start[k] == p->to_start[k] &&
           p->from_strides[k] == p->to_strides[k];
  return same && p->from_swapped == p->to_swapped;
}

dap_status dap_plan_create(MPI_Comm comm, const dap_side *from, const dap_side *to, int64_t itemsize,
                           const dap_plan_options *options, dap_plan **plan, dap_error *err)
{
  dap_error own = {0};
  err = err ? err : &own;
  DAP_TRY(dap_plan_build(comm, "dap_plan_create", from, to, itemsize, options, find_product, plan, err));
  (*plan)->in_place = is_same_form(&(*plan)->problem);
  if (!has_follow(&(*plan)->problem, options)) return DAP_OK;
  const dap_status s = add_follow(comm, to, options, *plan, err);
  if (s) dap_plan_destroy(plan);
  return s;
}

/* ---- a process alone -------------------------------------------------------------------------- */

static dap_status build_alone(int nprocs, int rank, const dap_side *from, const dap_side *to,
                              int64_t itemsize, const dap_plan_options *options, dap_find_products *find,
                              dap_plan **plan, dap_error *err)
{
  DAP_TRY(start_plan(NULL, options, plan, err));
  dap_problem *problem = &(*plan)->problem;
  dap_product products[DAP_MAX_NDIM] = {0};
  (*plan)->rank = rank;
  (*plan)->nprocs = nprocs;
  problem->from = dap_layout_retain(from->layout);
  problem->to = dap_layout_retain(to->layout);
  DAP_TRY(dap_problem_ranks(from, &problem->from_ranks, err));
  DAP_TRY(dap_problem_ranks(to, &problem->to_ranks, err));
  DAP_TRY(dap_problem_check(nprocs, rank, from, to, itemsize, options, problem, err));
  dap_order_propose(problem, (*plan)->order);
  set_passes(*plan, find, options);
  const int count = find(problem, options, products);
  for (int i = 0; i < count; i++) DAP_TRY(add_exchange(*plan, &products[i], err));
  return dap_schedule_set(MPI_COMM_NULL, options, &(*plan)->schedule, err);
}

dap_status dap_plan_create_alone(int nprocs, int rank, const dap_side *from, const dap_side *to,
                                 int64_t itemsize, const dap_plan_options *options, dap_plan **plan,
                                 dap_error *err)
{
  DAP_TRY(build_alone(nprocs, rank, from, to, itemsize, options, find_product, plan, err));
  if (!has_follow(&(*plan)->problem, options)) return DAP_OK;
  const dap_plan_options own = options_of_follow(options);
  return build_alone(nprocs, rank, to, to, 0, &own, dap_copy_products, &(*plan)->follow, err);
}

void dap_plan_destroy(dap_plan **plan)
{
  if (!plan || !*plan) return;
  dap_plan *last = *plan;
  *plan = NULL;
  if (dap_plan_check(last, NULL)) return;
  if (last->under_way) (void)dap_plan_end(last, NULL);
  dap_node_memory_release(last);
  for (int i = 0; i < last->schedule.exchange_count; i++) dap_exchange_release(&last->schedule.exchanges[i]);
  dap_plan_destroy(&last->follow);
  dap_problem_release(&last->problem);
  free(last->schedule.exchanges);
  dap_context_release(&last->context);
  dap_plan_mark(last, false);
  free(last);
}
