/* Creates and destroys plans. make_plan() makes all passes of a plan, and make_pass() has the steps of one.
 * run.c runs a plan. */
#include "transfer_impl.h"

#include <stdlib.h>
#include <string.h>

/* ---- check, agree --------------------------------------------------------------------------------- */

/* Hashes the products, the pass, and the treatment of padding that has been combined. */
static uint64_t hash_products(const dap_request *r)
{
  const dap_plan_options *options = r->arguments.options;
  uint64_t hash = r->kind == DAP_PLAN_HALO_REVERSE ? (uint64_t)options->padding : (uint64_t)r->pass << 8;
  if (options->fill_halos) hash += 4;
  if (options->from_owners) hash += 8;
  for (int i = 0; i < r->products.count; i++) {
    const dap_product *product = &r->products.all[i];
    const int kind[] = {product->combines, product->is_segmented, (int)product->reads};
    hash = dap_hash(dap_hash(hash, kind, sizeof kind), product->region, sizeof product->region);
  }
  return hash;
}

/* Checks a problem whose layouts this process knows, and writes the words that all processes must have
 * alike. */
static dap_status check_problem(dap_plan *plan, dap_request *r, uint64_t words[], dap_error *err)
{
  dap_problem *problem = &plan->problem;
  const dap_plan_options *options = r->arguments.options;
  DAP_TRY(dap_problem_check(plan->nprocs, plan->rank, &r->arguments, problem, err));
  DAP_TRY(dap_request_products(r, plan, err));
  DAP_TRY(dap_aliases_create(plan, err));
  DAP_REQUIRE(r->products.count > 0 || problem->to.layout->nprocs == 1 || r->first || options->allow_empty,
              err, DAP_ERR_ARG,
              "a halo update would do nothing, which needs options.allow_empty: %d processes have neither "
              "padding nor ghosts",
              problem->to.layout->nprocs);
  dap_problem_words(problem, options, hash_products(r), words);
  return DAP_OK;
}

/* Checks the problem, and agrees on it and on the order of its axes. Layouts that only some processes know
 * are sent to the others first. Otherwise this is one reduction. Collective; agreed, on `s` too. */
static dap_status check_and_agree(dap_context *context, dap_request *r, dap_status s, dap_plan *plan,
                                  dap_error *err)
{
  uint64_t words[DAP_PROBLEM_WORDS];
  const dap_side *from = r->arguments.from, *to = r->arguments.to;
  dap_problem *problem = s ? NULL : &plan->problem;
  bool is_checked = false;
  if (!s) s = dap_problem_take(from, to, problem, err);
  for (;; r->function = NULL) {
    dap_agreement a = {.function = r->function, .names = dap_problem_names, .words = words};
    int64_t *const order = a.least + DAP_PROBLEM_LEAST;
    if (!s) dap_problem_write_known(problem, context->rank, a.least);
    if (!s && !is_checked && problem->from.layout && problem->to.layout) {
      s = check_problem(plan, r, words, err);
      is_checked = !s;
    }
    if (is_checked) {
      dap_order_propose(problem, order);
      a.count = DAP_PROBLEM_WORDS;
    }
    a.status = s;
    DAP_TRY(dap_context_agree(context, &a, err));
    if (!s) memcpy(plan->order, order, sizeof plan->order);
    if (a.least[DAP_FROM_IS_KNOWN] && a.least[DAP_TO_IS_KNOWN]) return DAP_OK;
    DAP_TRY(dap_problem_complete(context->comm, context->rank, a.least, from, to, problem, err));
  }
}

/* Finds which processes share a node, where one of several copies of the source is chosen. Collective;
 * agreed. */
static dap_status find_hosts(dap_plan *plan, dap_error *err)
{
  dap_copies *copies = plan->problem.copies;
  const bool chooses = copies && copies->from_replicas > 1 && !plan->in_place;
  return chooses ? dap_context_hosts(plan->context, &copies->hosts, err) : DAP_OK;
}

/* ---- one pass ------------------------------------------------------------------------------------- */

/* Makes one pass of a plan. Each step is agreed by all processes, so that all go on or none. Collective on
 * the context's communicator; borrows the context; err is not NULL. */
static dap_status make_pass(dap_context *context, dap_request *r, dap_plan **plan, dap_error *err)
{
  static const dap_plan_options defaults = {0};
  dap_plan *made = NULL;
  if (!r->arguments.options) r->arguments.options = &defaults;
  const double start = dap_log_is_on() ? MPI_Wtime() : 0;
  context->users++; /* the plan is one more user */
  dap_status s = dap_request_start(r, context, &made, err);
  if (!s) s = dap_problem_receive(r->received, &made->problem);
  if (!s && !plan) s = dap_fail(err, DAP_ERR_ARG, "plan must not be NULL");
  s = check_and_agree(context, r, s, made, err);
  if (!s) s = find_hosts(made, err);
  if (!s) s = dap_plan_set_up(made, dap_request_exchanges(r, made, err), err);
  if (!s) s = dap_context_tags(context, made->schedule.exchange_count + 1, &made->tags, err);
  if (!s && dap_log_is_on()) dap_plan_log(made, MPI_Wtime() - start);
  dap_request_release(r);
  if (s) dap_plan_destroy(&made);
  if (plan) *plan = made;
  return s;
}

/* ---- all passes ----------------------------------------------------------------------------------- */

/* Adds the later passes of a plan, one behind the other. They give copies the values of their owners after
 * the first pass, because with beta each copy would add what it held itself. */
static dap_status add_later_passes(const dap_plan_arguments *arguments, dap_plan *plan, dap_error *err)
{
  const dap_plan_options options = dap_request_next_pass_options(arguments->options);
  dap_side to = *arguments->to;
  dap_plan *last = plan;
  if (!to.layout) { /* this process has received it for the first pass */
    to.layout = plan->problem.to.layout;
    to.ranks = plan->problem.to.ranks;
  }
  for (int pass = 1; pass < plan->schedule.passes; pass++, last = last->next_pass) {
    dap_request r = dap_request_next_pass(plan, pass, &to, &options);
    DAP_TRY(make_pass(plan->context, &r, &last->next_pass, err));
  }
  return DAP_OK;
}

/* Whether each element stays where it is, except copies and padding. */
static bool is_same_form(const dap_problem *p)
{
  bool same =
      dap_layout_is_equal(p->from.layout, p->to.layout) && !p->transforms && p->from.process == p->to.process;
  for (int k = 0; k < p->ndim; k++)
    same = same && p->from.axes[k] == p->to.axes[k] && p->from.start[k] == p->to.start[k] &&
           p->from.strides[k] == p->to.strides[k];
  return same && p->from.swapped == p->to.swapped;
}

/* Makes all passes of a plan. */
static dap_status make_plan(dap_context *context, dap_request *r, dap_plan **plan, dap_error *err)
{
  DAP_TRY(make_pass(context, r, plan, err));
  (*plan)->in_place = (*plan)->in_place || is_same_form(&(*plan)->problem);
  if (!(*plan)->next_kind) return DAP_OK;
  const dap_status s = add_later_passes(&r->arguments, *plan, err);
  if (s) dap_plan_destroy(plan);
  return s;
}

/* Makes a plan over an intercommunicator: its sides become sides of the communicator of both groups. */
static dap_status make_between_groups(dap_context *context, const dap_request *r, dap_plan **plan,
                                      dap_error *err)
{
  dap_request own = *r;
  dap_group_sides sides;
  dap_status s = dap_group_sides_create(context, r->arguments.from, r->arguments.to, &sides, err);
  own.arguments.from = &sides.side[0];
  own.arguments.to = &sides.side[1];
  own.received = &sides.received;
  own.sender = sides.sender;
  if (!s) s = make_plan(context, &own, plan, err);
  if (s) dap_groups_name(&context->groups, sides.sender, err);
  dap_group_sides_release(&sides);
  return s;
}

dap_status dap_plan_build(MPI_Comm comm, const char *function, const dap_plan_arguments *arguments,
                          dap_plan_kind kind, dap_plan **plan, dap_error *err)
{
  dap_error own = {0};
  dap_context *context;
  dap_request r = {.function = function, .arguments = *arguments, .kind = kind};
  err = err ? err : &own;
  if (plan) *plan = NULL;
  DAP_TRY((kind == DAP_PLAN_MOVE ? dap_context_get_any : dap_context_get)(comm, function, &context, err));
  const dap_status s = context->groups.size[0] > 0 ? make_between_groups(context, &r, plan, err)
                                                   : make_plan(context, &r, plan, err);
  dap_context_release(&context);
  return s;
}

dap_status dap_plan_create(MPI_Comm comm, const dap_side *from, const dap_side *to, int64_t itemsize,
                           const dap_plan_options *options, dap_plan **plan, dap_error *err)
{
  const dap_plan_arguments arguments = {.from = from, .to = to, .itemsize = itemsize, .options = options};
  return dap_plan_build(comm, "dap_plan_create", &arguments, DAP_PLAN_MOVE, plan, err);
}

void dap_plan_destroy(dap_plan **plan)
{
  if (!plan || !*plan) return;
  dap_plan *last = *plan;
  *plan = NULL;
  if (dap_plan_check(last, NULL)) return;
  if (last->under_way) (void)dap_plan_end(last, NULL);
  dap_plan_take_down(last);
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
