/* Makes the plan of one process without the others, for previews. It cannot be run. */
#include "transfer_impl.h"
#include "two_phase_impl.h"

/* Makes all of the plan except its phases. */
static dap_status set_up(int nprocs, int rank, dap_request *r, dap_plan *plan, dap_error *err)
{
  dap_problem *problem = &plan->problem;
  plan->rank = rank;
  plan->nprocs = nprocs;
  DAP_TRY(dap_problem_take(r->arguments.from, r->arguments.to, problem, err));
  DAP_TRY(dap_problem_check(nprocs, rank, &r->arguments, problem, err));
  dap_order_propose(problem, plan->order);
  DAP_TRY(dap_request_products(r, plan, err));
  DAP_TRY(dap_request_exchanges(r, plan, err));
  return dap_schedule_set(MPI_COMM_NULL, &plan->schedule, err);
}

/* Processes of a side that are asked: the first, one in the middle and the last along all axes. One of them
 * has the most peers and elements, unless blocks are uneven. */
enum { ENDS = 3 };

static int example(const dap_problem *problem, bool of_from, int i)
{
  int coords[DAP_MAX_NDIM] = {0};
  for (int k = 0; k < problem->ndim; k++) {
    const dap_map *map = of_from ? dap_problem_from_map(problem, k) : dap_problem_to_map(problem, k);
    coords[k] = (map->axis.procs - 1) * i / (ENDS - 1);
  }
  return dap_problem_rank(problem, of_from, coords);
}

/* Finds what another process would propose for the same plan. Its strides are not known. */
static dap_status propose(const dap_plan *plan, int rank, const dap_request *request, int64_t words[],
                          dap_error *err)
{
  dap_side from = *request->arguments.from, to = *request->arguments.to;
  dap_request r = *request;
  dap_plan *other = NULL;
  from.strides = to.strides = NULL;
  from.contiguous = to.contiguous = true;
  r.arguments.from = &from;
  r.arguments.to = &to;
  r.products = (dap_products){0};
  r.kept = NULL;
  DAP_TRY(dap_request_start(&r, NULL, &other, err));
  const dap_status s = set_up(plan->nprocs, rank, &r, other, err);
  if (!s) dap_two_phase_propose(other, words);
  dap_request_release(&r);
  dap_plan_destroy(&other);
  return s;
}

/* Chooses one phase or two by the proposals of some processes. A real plan uses those of all. */
static dap_status choose_phases(const dap_request *r, dap_plan *plan, dap_error *err)
{
  int64_t words[DAP_TWO_PHASE_WORDS], others[DAP_TWO_PHASE_WORDS];
  dap_two_phase_propose(plan, words);
  for (int i = 0; i < 2 * ENDS && words[DAP_TWO_PHASE_IS_OPEN]; i++) {
    DAP_TRY(propose(plan, example(&plan->problem, i < ENDS, i % ENDS), r, others, err));
    for (int w = 0; w < DAP_TWO_PHASE_WORDS; w++) words[w] = dap_smaller(words[w], others[w]);
  }
  return dap_two_phase_create(plan, words, err);
}

static dap_status build(int nprocs, int rank, dap_request *r, dap_plan **plan, dap_error *err)
{
  DAP_TRY(dap_request_start(r, NULL, plan, err));
  dap_status s = set_up(nprocs, rank, r, *plan, err);
  if (!s) s = choose_phases(r, *plan, err);
  dap_request_release(r);
  return s;
}

dap_status dap_plan_create_alone(int nprocs, int rank, const dap_plan_arguments *arguments, dap_plan **plan,
                                 dap_error *err)
{
  const dap_plan_options defaults = {0}, *o = arguments->options ? arguments->options : &defaults;
  dap_side from = *arguments->from, to = *arguments->to;
  from.local = to.local = NULL; /* these are the caller's buffers, not those of `rank` */
  dap_request r = {.arguments = {.from = &from, .to = &to, .itemsize = arguments->itemsize, .options = o},
                   .kind = DAP_PLAN_MOVE};
  DAP_TRY(build(nprocs, rank, &r, plan, err));
  const dap_plan_options next_pass = dap_request_next_pass_options(o);
  dap_plan *last = *plan;
  for (int pass = 1; pass < (*plan)->schedule.passes; pass++, last = last->next_pass) {
    r = dap_request_next_pass(*plan, pass, &to, &next_pass);
    DAP_TRY(build(nprocs, rank, &r, &last->next_pass, err));
  }
  return DAP_OK;
}

dap_status dap_plan_preview(int nprocs, int rank, const dap_side *from, const dap_side *to, int64_t itemsize,
                            const dap_plan_options *options, dap_plan_stats *stats, dap_error *err)
{
  dap_error own = {0};
  dap_plan *plan = NULL;
  err = err ? err : &own;
  if (stats) *stats = (dap_plan_stats){0};
  DAP_REQUIRE(from && to && from->layout && to->layout && stats, err, DAP_ERR_ARG,
              "from, to, their layouts and stats must not be NULL");
  DAP_REQUIRE(rank >= 0 && rank < nprocs, err, DAP_ERR_ARG, "rank %d is outside 0 .. %d", rank, nprocs - 1);
  const dap_plan_arguments arguments = {.from = from, .to = to, .itemsize = itemsize, .options = options};
  dap_status s = dap_plan_create_alone(nprocs, rank, &arguments, &plan, err);
  if (!s) *stats = dap_plan_summarize(plan);
  dap_plan_destroy(&plan);
  return s;
}
