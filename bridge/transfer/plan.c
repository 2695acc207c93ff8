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
  dap_find_products *find;
  dap_products products;
  dap_listed listed;
} request;

/* ---- exchanges -------------------------------------------------------------------------------- */

static dap_exchange *start_exchange(dap_plan *plan, const dap_product *product)
{
  dap_exchange *exchange = &plan->schedule.exchanges[plan->schedule.exchange_count];
  exchange->problem = &plan->problem;
  exchange->tag = plan->schedule.exchange_count++;
  exchange->combines = product->combines;
  memcpy(exchange->region, product->region, sizeof exchange->region);
  if (product->combines) plan->schedule.is_ordered = true;
  return exchange;
}

/* One product. Collective where elements are listed, which must be asked for, unless the plan is a
 * process's alone. */
static dap_status add_exchange(dap_plan *plan, const request *r, int product, dap_error *err)
{
  dap_rendezvous rendezvous[DAP_MAX_NDIM] = {0};
  const dap_problem *problem = &plan->problem;
  dap_exchange *exchange = start_exchange(plan, &r->products.all[product]);
  dap_order_take(plan->order, problem->ndim, exchange->order, &exchange->across);
  dap_status s = dap_listed_find(plan, &r->listed, product, rendezvous, err);
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

/* With beta != 0, and where elements are combined, ghosts, and padding that is filled, get their owner's sum
 * in a second pass; not ghosts that are to be kept or cleared. */
static bool has_follow(const request *r, const dap_problem *problem)
{
  const double *beta = problem->transform.beta;
  const bool sums = beta[0] != 0 || beta[1] != 0 || problem->combine;
  const bool fills = r->options->fill_halos;
  return sums && (fills || r->find != dap_reverse_products) && dap_has_copies(problem, fills);
}

static void set_passes(dap_plan *plan, const request *r)
{
  plan->has_follow = has_follow(r, &plan->problem);
  plan->schedule.passes = r->find == dap_copy_products || plan->has_follow ? 2 : 1;
}

static dap_plan_options options_of_follow(const dap_plan_options *options)
{
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
  return r->find == dap_halo_products || r->find == dap_reverse_products || r->find == dap_copy_products;
}

/* The products, and room for their exchanges. */
static dap_status find_exchanges(dap_plan *plan, request *r, dap_error *err)
{
  dap_listed_release(&r->listed);
  r->products.count = 0;
  DAP_TRY(r->find(&plan->problem, r->options, &r->products, err));
  free(plan->schedule.exchanges);
  plan->schedule.exchanges = calloc((size_t)r->products.count + 1, sizeof *plan->schedule.exchanges);
  DAP_REQUIRE(plan->schedule.exchanges, err, DAP_ERR_NOMEM, "no memory for a plan");
  set_passes(plan, r);
  return dap_listed_create(&r->products, is_in_place(r), &r->listed, err);
}

static void free_tables(dap_plan *plan)
{
  free(plan->sources);
  free(plan->destinations);
  free(plan->ranges);
  plan->sources = NULL;
  plan->destinations = NULL;
  plan->ranges = NULL;
}

/* What a run takes down of its buffers. */
static dap_status make_tables(dap_plan *plan, dap_error *err)
{
  const size_t arrays = (size_t)plan->problem.arrays;
  free_tables(plan);
  plan->sources = calloc(arrays, sizeof *plan->sources);
  plan->destinations = calloc(arrays, sizeof *plan->destinations);
  DAP_REQUIRE(plan->sources && plan->destinations, err, DAP_ERR_NOMEM, "no memory for %zu arrays", arrays);
  return dap_aliases_create(plan, err);
}

/* What is filled, also in a second pass, and what becomes of padding that has been combined. */
static uint64_t hash_products(const request *r)
{
  uint64_t hash = r->find == dap_reverse_products ? (uint64_t)r->options->padding : 0;
  if (r->options && r->options->fill_halos) hash += 4;
  for (int i = 0; i < r->products.count; i++) {
    const dap_product *product = &r->products.all[i];
    hash = dap_hash(hash + product->combines, product->region, sizeof product->region);
  }
  return hash;
}

/* All that this process can say of a problem whose layouts it knows. */
static dap_status look_at(dap_plan *plan, request *r, uint64_t words[], int64_t order[], dap_error *err)
{
  dap_problem *problem = &plan->problem;
  DAP_TRY(dap_problem_check(plan->nprocs, plan->rank, r->from, r->to, r->itemsize, r->options, problem, err));
  DAP_TRY(find_exchanges(plan, r, err));
  DAP_TRY(make_tables(plan, err));
  DAP_REQUIRE(r->products.count > 0 || problem->to->nprocs == 1 || r->options->allow_empty, err, DAP_ERR_ARG,
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
  for (int i = 0; i < r->products.count && !s; i++) {
    s = add_exchange(plan, r, i, err);
    if (asks) DAP_TRY(dap_agree(plan->context->comm, s, err));
  }
  if (!s) s = dap_turns_create(&plan->schedule, err);
  DAP_TRY(dap_node_memory_create(plan, r->options, s, err));
  return dap_context_tags(plan->context, r->products.count, &plan->tags, err);
}

dap_status dap_plan_build(MPI_Comm comm, const char *function, const dap_side *from, const dap_side *to,
                          int64_t itemsize, const dap_plan_options *options, dap_find_products *find,
                          dap_plan **plan, dap_error *err)
{
  dap_error own = {0};
  dap_context *context, *plans;
  dap_plan *made = NULL;
  const dap_plan_options defaults = {0};
  request r = {.function = function,
               .from = from,
               .to = to,
               .itemsize = itemsize,
               .options = options ? options : &defaults,
               .find = find};
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
  dap_listed_release(&r.listed);
  dap_products_release(&r.products);
  if (s) dap_plan_destroy(&made);
  if (plan) *plan = made;
  dap_context_release(&context);
  return s;
}

/* destination = alpha * source + beta * destination would add to each copy what that held before: copies
 * get the owner's sum afterwards. */
dap_status dap_plan_add_follow(MPI_Comm comm, const dap_side *to, const dap_plan_options *options,
                               dap_plan *plan, dap_error *err)
{
  const dap_plan_options own = options_of_follow(options);
  DAP_TRY(dap_plan_build(comm, "dap_plan_create", to, to, 0, &own, dap_copy_products, &plan->follow, err));
  plan->follow->in_place = true;
  return DAP_OK;
}

/* What owners have; then what others hold of their elements is combined with that. */
static dap_status find_products(const dap_problem *problem, const dap_plan_options *options,
                                dap_products *products, dap_error *err)
{
  dap_product product = {0};
  for (int k = 0; k < problem->ndim; k++) {
    const bool all = options->fill_halos || dap_problem_to_map(problem, k)->lists;
    product.region[k] = all && !options->combine ? DAP_REGION_ALL : DAP_REGION_OWNED;
  }
  DAP_TRY(dap_products_add(&product, products, err));
  return options->combine ? dap_combine_products(problem, false, products, err) : DAP_OK;
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

dap_status dap_plan_create_within(MPI_Comm comm, const dap_side *from, const dap_side *to, int64_t itemsize,
                                  const dap_plan_options *options, dap_plan **plan, dap_error *err)
{
  DAP_TRY(dap_plan_build(comm, "dap_plan_create", from, to, itemsize, options, find_products, plan, err));
  (*plan)->in_place = is_same_form(&(*plan)->problem);
  if (!(*plan)->has_follow) return DAP_OK;
  const dap_status s = dap_plan_add_follow(comm, to, options, *plan, err);
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
  (*plan)->rank = rank;
  (*plan)->nprocs = nprocs;
  problem->from = dap_layout_retain(from->layout);
  problem->to = dap_layout_retain(to->layout);
  DAP_TRY(dap_problem_ranks(from, &problem->from_ranks, err));
  DAP_TRY(dap_problem_ranks(to, &problem->to_ranks, err));
  DAP_TRY(dap_problem_check(nprocs, rank, from, to, itemsize, options, problem, err));
  dap_order_propose(problem, (*plan)->order);
  request r = {.options = options, .find = find};
  dap_status s = find_exchanges(*plan, &r, err);
  for (int i = 0; i < r.products.count && !s; i++) s = add_exchange(*plan, &r, i, err);
  dap_listed_release(&r.listed);
  dap_products_release(&r.products);
  return s ? s : dap_schedule_set(MPI_COMM_NULL, options, &(*plan)->schedule, err);
}

dap_status dap_plan_create_alone(int nprocs, int rank, const dap_side *from, const dap_side *to,
                                 int64_t itemsize, const dap_plan_options *options, dap_plan **plan,
                                 dap_error *err)
{
  const dap_plan_options defaults = {0};
  options = options ? options : &defaults;
  DAP_TRY(build_alone(nprocs, rank, from, to, itemsize, options, find_products, plan, err));
  if (!(*plan)->has_follow) return DAP_OK;
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
  dap_clearing_release(&last->clearing);
  dap_problem_release(&last->problem);
  dap_turns_release(&last->schedule);
  free_tables(last);
  free(last->schedule.exchanges);
  dap_context_release(&last->context);
  dap_plan_mark(last, false);
  free(last);
}
