/* Eigenvalues, which every process of the grid has, into a distributed vector. */
#include "elpa_impl.h"

#include <stdio.h>

/* From the grid's first process, so that all copies of an element are the same bits. */
static dap_status make_plan(const dap_elpa_call *call, const dap_elpa_operand *w, dap_plan **plan,
                            dap_error *err)
{
  const dap_dist whole = dap_dist_local(call->wanted);
  dap_layout *layout = NULL;
  dap_status status = dap_agree(call->comm, dap_layout_create(1, &whole, &layout, err), err);
  const dap_side from = {.layout = layout,
                         .ranks = &call->views[call->order[0]].first,
                         .contiguous = true,
                         .dtype = call->lib->real};
  const dap_side to = dap_side_of(w->array);
  if (!status) status = dap_plan_create(call->comm, &from, &to, 0, NULL, plan, err);
  dap_layout_destroy(&layout);
  return status;
}

dap_status dap_elpa_store_values(dap_elpa_call *call)
{
  const dap_elpa_operand *w = &call->operands[DAP_ELPA_W];
  dap_plan *plan = NULL;
  DAP_TRY(make_plan(call, w, &plan, call->err));
  const dap_status status =
      dap_agree(call->comm, dap_plan_run(plan, call->values, w->array.local->data, call->err), call->err);
  dap_plan_destroy(&plan);
  w->use->moved_bytes += dap_array_bytes(w->array.local);
  (void)snprintf(w->use->reason, sizeof w->use->reason, "ELPA gives the values to every process of its grid");
  return status;
}
