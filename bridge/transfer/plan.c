/* Plans: thought out here, run in run.c. */
#include "transfer_impl.h"

#include <stdlib.h>
#include <string.h>

/* What the caller asks for. */
typedef struct request {
  const char *function; /* the caller's; NULL once it has been agreed on */
  const dap_side *from, *to;
  int64_t itemsize;
  const dap_plan_options *options;
  dap_find_products *find; /* or, of a later pass: */
  const dap_plan *first;   /* the plan of the first */
  int pass;
  dap_told *told; /* or NULL */
  dap_products products;
  dap_listed listed;
} request;

/* ---- exchanges -------------------------------------------------------------------------------- */

static dap_exchange *start_exchange(dap_plan *plan, const dap_product *product)
{
  const int tag = plan->schedule.exchange_count++;
  dap_exchange *exchange = &plan->schedule.exchanges[tag];
  *exchange = (dap_exchange){.problem = &plan->problem,
                             .tag = tag,
                             .combines = product->combines,
                             .reads = product->reads,
                             .portions = product->portions};
  memcpy(exchange->region, product->region, sizeof exchange->region);
  if (product->combines) plan->schedule.is_ordered = true;
  return exchange;
}

static bool has_lists(const dap_problem *problem)
{
  for (int k = 0; k < problem->ndim; k++)
    if (dap_problem_is_listed(problem, k)) return true;
  return false;
}

/* One product. Collective where elements are listed, which must be asked for, unless the plan is a
 * process's alone. */
static dap_status add_exchange(dap_plan *plan, request *r, int product, dap_error *err)
{
  dap_rendezvous rendezvous[DAP_MAX_NDIM] = {0};
  const dap_problem *problem = &plan->problem;
  dap_exchange *exchange = start_exchange(plan, &r->products.all[product]);
  dap_order_take(plan->order, problem->ndim, exchange->order, &exchange->across);
  dap_status s = DAP_OK;
  if (has_lists(problem)) s = dap_listed_find(plan, &r->listed, product, rendezvous, err);
  if (!s) s = dap_exchange_create(rendezvous, exchange, err);
  for (int k = 0; k < problem->ndim; k++) dap_rendezvous_release(&rendezvous[k]);
  return s;
}

/* ---- what follows ------------------------------------------------------------------------------ */

/* The second pass of two. */
static bool is_second(const request *r)
{
  return r->find == dap_copy_products || r->find == dap_refresh_products;
}

static void set_passes(dap_plan *plan, const request *r)
{
  const dap_plan *first = r->first ? r->first : plan;
  plan->follows = r->first ? DAP_FOLLOW_NONE : dap_move_follows(&plan->problem, r->find, r->options);
  plan->schedule.passes = r->first || plan->follows == DAP_FOLLOW_SPREAD ? dap_copies_passes(&first->problem)
                          : is_second(r) || plan->follows                ? 2
                                                                         : 1;
}

static dap_plan_options options_of_follow(const dap_plan_options *options)
{
  if (!options) return (dap_plan_options){0};
  return (dap_plan_options){.fill_halos = options->fill_halos,
                            .message_bytes = options->message_bytes,
                            .memory_bytes = options->memory_bytes,
                            .arrays = options->arrays,
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
  return DAP_OK;
}

/* Halo updates, either way, and the second passes of others. */
static bool is_in_place(const request *r)
{
  return r->find == dap_halo_products || r->find == dap_reverse_products || is_second(r);
}

/* The products, and room for their exchanges. */
static dap_status find_exchanges(dap_plan *plan, request *r, dap_error *err)
{
  r->products.count = 0;
  if (r->find) DAP_TRY(r->find(&plan->problem, r->options, &r->products, err));
  free(plan->schedule.exchanges);
  plan->schedule.exchanges = malloc((size_t)(r->products.count + 1) * sizeof *plan->schedule.exchanges);
  DAP_REQUIRE(plan->schedule.exchanges, err, DAP_ERR_NOMEM, "no memory for a plan");
  set_passes(plan, r);
  r->listed = (dap_listed){.products = &r->products, .is_in_place = is_in_place(r)};
  return DAP_OK;
}

/* What is filled, also in a second pass, and what becomes of padding that has been combined. */
static uint64_t hash_products(const request *r)
{
  uint64_t hash = r->find == dap_reverse_products ? (uint64_t)r->options->padding : (uint64_t)r->pass << 8;
  if (r->options && r->options->fill_halos) hash += 4;
  for (int i = 0; i < r->products.count; i++) {
    const dap_product *product = &r->products.all[i];
    const int kind[] = {product->combines, product->portions, (int)product->reads};
    hash = dap_hash(dap_hash(hash, kind, sizeof kind), product->region, sizeof product->region);
  }
  return hash;
}

/* All that this process can say of a problem whose layouts it knows. */
static dap_status look_at(dap_plan *plan, request *r, uint64_t words[], int64_t order[], dap_error *err)
{
  dap_problem *problem = &plan->problem;
  DAP_TRY(dap_problem_check(plan->nprocs, plan->rank, r->from, r->to, r->itemsize, r->options, problem, err));
  DAP_TRY(find_exchanges(plan, r, err));
  DAP_TRY(dap_aliases_create(plan, err));
  DAP_REQUIRE(r->products.count > 0 || problem->to->nprocs == 1 || r->first || r->options->allow_empty, err,
              DAP_ERR_ARG,
              "a halo update would do nothing, which needs options.allow_empty: %d processes have neither "
              "padding nor ghosts",
              problem->to->nprocs);
  dap_problem_words(problem, r->options, hash_products(r), words);
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
    DAP_TRY(dap_context_agree(context, &a, err));
    if (!s) memcpy(plan->order, order, sizeof plan->order);
    if (a.least[2] && a.least[3]) return DAP_OK;
    DAP_TRY(dap_problem_complete(context->comm, a.least, r->from, r->to, problem, err));
  }
}

/* What is near: asked for once on a communicator, and only where copies can be chosen from. */
static dap_status find_hosts(dap_plan *plan, dap_error *err)
{
  dap_copies *copies = plan->problem.copies;
  return copies && copies->replicas > 1 ? dap_context_hosts(plan->context, &copies->hosts, err) : DAP_OK;
}

static dap_status prepare(dap_plan *plan, request *r, dap_error *err)
{
  dap_status s = DAP_OK;
  const bool asks = has_lists(&plan->problem);
  DAP_TRY(find_hosts(plan, err));
  if (r->first) DAP_TRY(dap_spread_exchanges(r->first, r->pass, plan, err));
  for (int i = 0; i < r->products.count && !s; i++) {
    s = add_exchange(plan, r, i, err);
    if (asks) DAP_TRY(dap_agree(plan->context->comm, s, err));
  }
  if (!s) s = dap_turns_create(&plan->schedule, err);
  DAP_TRY(dap_node_memory_create(plan, r->options, s, err));
  return dap_context_tags(plan->context, plan->schedule.exchange_count, &plan->tags, err);
}

/* Borrows the context; err is not NULL. */
static dap_status build(dap_context *context, request *r, dap_plan **plan, dap_error *err)
{
  static const dap_plan_options defaults = {0};
  dap_plan *made = NULL;
  if (!r->options) r->options = &defaults;
  const double start = dap_log_is_on() ? MPI_Wtime() : 0;
  context->users++; /* the plan */
  dap_status s = start_plan(context, r->options, &made, err);
  if (!s) s = dap_problem_take_told(r->told, &made->problem);
  if (!s && !plan) s = dap_fail(err, DAP_ERR_ARG, "plan must not be NULL");
  s = set_problem(context, r, s, made, err);
  if (!s) s = prepare(made, r, err);
  if (!s && dap_log_is_on()) dap_plan_log(made, MPI_Wtime() - start);
  dap_listed_release(&r->listed);
  dap_products_release(&r->products);
  if (s) dap_plan_destroy(&made);
  if (plan) *plan = made;
  return s;
}

dap_status dap_plan_build(MPI_Comm comm, const char *function, const dap_side *from, const dap_side *to,
                          int64_t itemsize, const dap_plan_options *options, dap_find_products *find,
                          dap_plan **plan, dap_error *err)
{
  dap_error own = {0};
  dap_context *context;
  request r = {
      .function = function, .from = from, .to = to, .itemsize = itemsize, .options = options, .find = find};
  err = err ? err : &own;
  if (plan) *plan = NULL;
  DAP_TRY(dap_context_get(comm, function, &context, err));
  const dap_status s = build(context, &r, plan, err);
  dap_context_release(&context);
  return s;
}

/* One later pass after the other, each behind the one before. */
static dap_status add_spread(const dap_side *to, const dap_plan_options *options, dap_plan *plan,
                             dap_error *err)
{
  const dap_problem *problem = &plan->problem;
  dap_plan *last = plan;
  for (int pass = 1; pass < plan->schedule.passes; pass++, last = last->follow) {
    request r = {.function = "dap_plan_create",
                 .from = to,
                 .to = to,
                 .itemsize = problem->transform.to == DAP_NONE ? problem->to_item : 0,
                 .options = options,
                 .first = plan,
                 .pass = pass};
    DAP_TRY(build(plan->context, &r, &last->follow, err));
    last->follow->in_place = true;
  }
  return DAP_OK;
}

/* destination = alpha * source + beta * destination would add to each copy what that held before: copies
 * get the owner's sum afterwards. Who was given no layout has been told it for the first pass. */
dap_status dap_plan_add_follow(const dap_side *given, const dap_plan_options *options, dap_plan *plan,
                               dap_error *err)
{
  const dap_plan_options own = options_of_follow(options);
  dap_side side = *given, *to = &side;
  if (!side.layout) {
    side.layout = plan->problem.to;
    side.ranks = plan->problem.to_ranks;
  }
  if (plan->follows == DAP_FOLLOW_SPREAD) return add_spread(to, &own, plan, err);
  request r = {.function = "dap_plan_create",
               .from = to,
               .to = to,
               .options = &own,
               .find = plan->follows == DAP_FOLLOW_REFRESH ? dap_refresh_products : dap_copy_products};
  DAP_TRY(build(plan->context, &r, &plan->follow, err));
  plan->follow->in_place = true;
  return DAP_OK;
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

dap_status dap_plan_create_within(dap_context *context, const dap_side *from, const dap_side *to,
                                  int64_t itemsize, const dap_plan_options *options, dap_told *told,
                                  dap_plan **plan, dap_error *err)
{
  request r = {.function = "dap_plan_create",
               .from = from,
               .to = to,
               .itemsize = itemsize,
               .options = options,
               .find = dap_move_products,
               .told = told};
  DAP_TRY(build(context, &r, plan, err));
  (*plan)->in_place = is_same_form(&(*plan)->problem);
  if (!(*plan)->follows) return DAP_OK;
  const dap_status s = dap_plan_add_follow(to, r.options, *plan, err);
  if (s) dap_plan_destroy(plan);
  return s;
}

/* ---- a process alone -------------------------------------------------------------------------- */

static dap_status build_alone(int nprocs, int rank, request *r, dap_plan **plan, dap_error *err)
{
  DAP_TRY(start_plan(NULL, r->options, plan, err));
  dap_problem *problem = &(*plan)->problem;
  (*plan)->rank = rank;
  (*plan)->nprocs = nprocs;
  problem->from = dap_layout_retain(r->from->layout);
  problem->to = dap_layout_retain(r->to->layout);
  DAP_TRY(dap_problem_ranks(r->from, &problem->from_ranks, err));
  DAP_TRY(dap_problem_ranks(r->to, &problem->to_ranks, err));
  DAP_TRY(dap_problem_check(nprocs, rank, r->from, r->to, r->itemsize, r->options, problem, err));
  dap_order_propose(problem, (*plan)->order);
  dap_status s = find_exchanges(*plan, r, err);
  if (!s && r->first) s = dap_spread_exchanges(r->first, r->pass, *plan, err);
  for (int i = 0; i < r->products.count && !s; i++) s = add_exchange(*plan, r, i, err);
  dap_listed_release(&r->listed);
  dap_products_release(&r->products);
  return s ? s : dap_schedule_set(MPI_COMM_NULL, r->options, &(*plan)->schedule, err);
}

static dap_status add_follow_alone(const dap_side *to, const dap_plan_options *options, dap_plan *plan,
                                   dap_error *err)
{
  const dap_problem *problem = &plan->problem;
  const bool spreads = plan->follows == DAP_FOLLOW_SPREAD;
  dap_plan *last = plan;
  for (int pass = 1; pass < plan->schedule.passes; pass++, last = last->follow) {
    request r = {.from = to,
                 .to = to,
                 .itemsize = problem->transform.to == DAP_NONE ? problem->to_item : 0,
                 .options = options,
                 .find = spreads ? NULL : dap_copy_products,
                 .first = spreads ? plan : NULL,
                 .pass = spreads ? pass : 0};
    DAP_TRY(build_alone(plan->nprocs, plan->rank, &r, &last->follow, err));
  }
  return DAP_OK;
}

dap_status dap_plan_create_alone(int nprocs, int rank, const dap_side *from, const dap_side *to,
                                 int64_t itemsize, const dap_plan_options *options, dap_plan **plan,
                                 dap_error *err)
{
  const dap_plan_options defaults = {0};
  request r = {.from = from,
               .to = to,
               .itemsize = itemsize,
               .options = options ? options : &defaults,
               .find = dap_move_products};
  DAP_TRY(build_alone(nprocs, rank, &r, plan, err));
  if (!(*plan)->follows) return DAP_OK;
  const dap_plan_options own = options_of_follow(r.options);
  return add_follow_alone(to, &own, *plan, err);
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
  dap_clearing_release(&last->clearing);
  dap_problem_release(&last->problem);
  dap_turns_release(&last->schedule);
  free(last->ranges);
  free(last->schedule.exchanges);
  dap_context_release(&last->context);
  dap_plan_mark(last, false);
  free(last);
}
