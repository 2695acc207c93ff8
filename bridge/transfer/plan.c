/* Plans: made here by all processes of a communicator, and run in run.c. */
#include "transfer_impl.h"

#include <stdlib.h>
#include <string.h>

/* ---- agreed on --------------------------------------------------------------------------------- */

/* What is filled, also in a second pass, and what becomes of padding that has been combined. */
static uint64_t hash_products(const dap_request *r)
{
  uint64_t hash = r->find == dap_reverse_products ? (uint64_t)r->options->padding : (uint64_t)r->pass << 8;
  if (r->options->fill_halos) hash += 4;
  for (int i = 0; i < r->products.count; i++) {
    const dap_product *product = &r->products.all[i];
    const int kind[] = {product->combines, product->portions, (int)product->reads};
    hash = dap_hash(dap_hash(hash, kind, sizeof kind), product->region, sizeof product->region);
  }
  return hash;
}

/* All that this process can say of a problem whose layouts it knows. */
static dap_status look_at(dap_plan *plan, dap_request *r, uint64_t words[], int64_t order[], dap_error *err)
{
  dap_problem *problem = &plan->problem;
  DAP_TRY(dap_problem_check(plan->nprocs, plan->rank, r->from, r->to, r->itemsize, r->options, problem, err));
  DAP_TRY(dap_request_products(r, plan, err));
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
static dap_status set_problem(dap_context *context, dap_request *r, dap_status s, dap_plan *plan,
                              dap_error *err)
{
  uint64_t words[DAP_PROBLEM_WORDS];
  dap_problem *problem = s ? NULL : &plan->problem;
  if (!s) s = dap_problem_take(r->from, r->to, problem, err);
  for (;; r->function = NULL) {
    dap_agreement a = {.function = r->function, .names = dap_problem_names, .words = words};
    int64_t *const order = a.least + DAP_PROBLEM_LEAST;
    if (!s) dap_problem_tell(problem, context->rank, a.least);
    if (!s && problem->from && problem->to) {
      s = look_at(plan, r, words, order, err);
      a.count = s ? 0 : DAP_PROBLEM_WORDS;
    }
    a.status = s;
    DAP_TRY(dap_context_agree(context, &a, err));
    if (!s) memcpy(plan->order, order, sizeof plan->order);
    if (a.least[DAP_FROM_IS_KNOWN] && a.least[DAP_TO_IS_KNOWN]) return DAP_OK;
    DAP_TRY(dap_problem_complete(context->comm, context->rank, a.least, r->from, r->to, problem, err));
  }
}

/* What is near: asked for once on a communicator, and only where copies are chosen from, which nobody does in
 * place. */
static dap_status find_hosts(dap_plan *plan, dap_error *err)
{
  dap_copies *copies = plan->problem.copies;
  const bool chooses = copies && copies->replicas > 1 && !plan->in_place;
  return chooses ? dap_context_hosts(plan->context, &copies->hosts, err) : DAP_OK;
}

/* ---- made ------------------------------------------------------------------------------------- */

static dap_status prepare(dap_plan *plan, dap_request *r, dap_error *err)
{
  DAP_TRY(find_hosts(plan, err));
  dap_status s = dap_request_exchanges(r, plan, err);
  if (!s) s = dap_turns_create(&plan->schedule, err);
  DAP_TRY(dap_node_memory_create(plan, r->options, s, err));
  return dap_context_tags(plan->context, plan->schedule.exchange_count + 2, &plan->tags, err);
}

/* Borrows the context; err is not NULL. */
static dap_status build(dap_context *context, dap_request *r, dap_plan **plan, dap_error *err)
{
  static const dap_plan_options defaults = {0};
  dap_plan *made = NULL;
  if (!r->options) r->options = &defaults;
  const double start = dap_log_is_on() ? MPI_Wtime() : 0;
  context->users++; /* the plan */
  dap_status s = dap_request_start(r, context, &made, err);
  if (!s) s = dap_problem_take_told(r->told, &made->problem);
  if (!s && !plan) s = dap_fail(err, DAP_ERR_ARG, "plan must not be NULL");
  s = set_problem(context, r, s, made, err);
  if (!s) s = prepare(made, r, err);
  if (!s && dap_log_is_on()) dap_plan_log(made, MPI_Wtime() - start);
  dap_request_release(r);
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
  dap_request r = {
      .function = function, .from = from, .to = to, .itemsize = itemsize, .options = options, .find = find};
  err = err ? err : &own;
  if (plan) *plan = NULL;
  DAP_TRY(dap_context_get(comm, function, &context, err));
  const dap_status s = build(context, &r, plan, err);
  dap_context_release(&context);
  return s;
}

/* One pass after the other, each behind the one before: destination = alpha * source + beta * destination
 * would add to each copy what that held before, so copies get the owner's sum afterwards. Who was given no
 * layout has been told it for the first pass. */
dap_status dap_plan_add_next_pass(const dap_side *given, const dap_plan_options *options, dap_plan *plan,
                                  dap_error *err)
{
  const dap_plan_options own = dap_request_next_pass_options(options);
  dap_side to = *given;
  dap_plan *last = plan;
  if (!to.layout) {
    to.layout = plan->problem.to;
    to.ranks = plan->problem.to_ranks;
  }
  for (int pass = 1; pass < plan->schedule.passes; pass++, last = last->next_pass) {
    dap_request r = dap_request_next_pass(plan, pass, &to, &own);
    DAP_TRY(build(plan->context, &r, &last->next_pass, err));
  }
  dap_notices_unite(plan);
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
  dap_request r = {.function = "dap_plan_create",
                   .from = from,
                   .to = to,
                   .itemsize = itemsize,
                   .options = options,
                   .find = dap_move_products,
                   .told = told};
  DAP_TRY(build(context, &r, plan, err));
  (*plan)->in_place = is_same_form(&(*plan)->problem);
  dap_status s = (*plan)->next_pass_kind ? dap_plan_add_next_pass(to, r.options, *plan, err) : DAP_OK;
  if (s) dap_plan_destroy(plan);
  return s;
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
  dap_plan_destroy(&last->next_pass);
  dap_clearing_release(&last->clearing);
  dap_problem_release(&last->problem);
  dap_turns_release(&last->schedule);
  free(last->ranges);
  free(last->schedule.exchanges);
  dap_context_release(&last->context);
  dap_plan_mark(last, false);
  free(last);
}
