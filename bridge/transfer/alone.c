/* What one process would have of a plan, without the others: it cannot be run. */
#include "transfer_impl.h"

static dap_status set_up(int nprocs, int rank, dap_request *r, dap_plan *plan, dap_error *err)
{
  dap_problem *problem = &plan->problem;
  bool few_notices = false;
  plan->rank = rank;
  plan->nprocs = nprocs;
  DAP_TRY(dap_problem_take(r->from, r->to, problem, err));
  DAP_TRY(dap_problem_check(nprocs, rank, r->from, r->to, r->itemsize, r->options, problem, err));
  dap_order_propose(problem, plan->order);
  DAP_TRY(dap_request_products(r, plan, err));
  DAP_TRY(dap_request_exchanges(r, plan, err));
  DAP_TRY(dap_schedule_set(MPI_COMM_NULL, r->options, &plan->schedule, err));
  DAP_TRY(dap_relay_create_alone(plan, r->options, err));
  DAP_TRY(dap_notices_create(plan, &few_notices, err));
  dap_notices_agree(plan, few_notices && !plan->relay);
  return DAP_OK;
}

static dap_status build(int nprocs, int rank, dap_request *r, dap_plan **plan, dap_error *err)
{
  DAP_TRY(dap_request_start(r, NULL, plan, err));
  const dap_status s = set_up(nprocs, rank, r, *plan, err);
  dap_request_release(r);
  return s;
}

dap_status dap_plan_create_alone(int nprocs, int rank, const dap_side *from, const dap_side *to,
                                 int64_t itemsize, const dap_plan_options *options, dap_plan **plan,
                                 dap_error *err)
{
  const dap_plan_options defaults = {0}, *o = options ? options : &defaults;
  dap_request r = {.from = from, .to = to, .itemsize = itemsize, .options = o, .find = dap_move_products};
  DAP_TRY(build(nprocs, rank, &r, plan, err));
  const dap_plan_options follow = dap_request_follow_options(o);
  dap_plan *last = *plan;
  for (int pass = 1; pass < (*plan)->schedule.passes; pass++, last = last->follow) {
    r = dap_request_follow(*plan, pass, to, &follow);
    DAP_TRY(build(nprocs, rank, &r, &last->follow, err));
  }
  return DAP_OK;
}
