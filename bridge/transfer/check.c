/* Checks by a mark in a plan's memory whether it has been destroyed, and whether the plan is broken. */
#include "transfer_impl.h"

enum { MAGIC = 0x706c616e }; /* "plan" */

void dap_plan_mark(dap_plan *plan, bool lives)
{
  *(volatile uint32_t *)&plan->magic =
      lives ? MAGIC : 0; /* volatile keeps the store, which only code after free() reads */
}

dap_status dap_plan_check(const dap_plan *plan, dap_error *err)
{
  DAP_REQUIRE(plan, err, DAP_ERR_ARG, "plan must not be NULL");
  DAP_REQUIRE(plan->magic == MAGIC, err, DAP_ERR_ARG, "plan is not a plan, or was destroyed");
  return DAP_OK;
}

bool dap_plan_is_broken(const dap_plan *plan)
{
  return dap_plan_check(plan, NULL) || plan->failure.fault;
}
