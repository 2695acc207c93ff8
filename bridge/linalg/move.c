/* Operands moved by plans of their own, where no view has what is needed. */
#include "linalg_impl.h"

dap_status dap_linalg_move(dap_linalg_call *call, int i, const dap_side *inside, void *data, bool back,
                           const char *reason)
{
  const dap_darray operand = call->arguments.operands[i].operand;
  const dap_side outside = dap_side_of(operand);
  dap_plan *plan;
  DAP_TRY(dap_plan_create(call->comm, back ? inside : &outside, back ? &outside : inside, 0, NULL, &plan,
                          call->err));
  void *own = operand.local->data;
  dap_status status = dap_plan_run(plan, back ? data : own, back ? own : data, call->err);
  status = dap_agree(call->comm, status, call->err);
  const dap_plan_stats stats = dap_plan_summarize(plan);
  dap_plan_destroy(&plan);
  dap_linalg_note(call, i, stats.bytes_local + stats.bytes_sent, reason);
  return status;
}
