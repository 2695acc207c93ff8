/* Finds buffers of a run that are NULL or overlap, and makes the errors of these faults. */
#include "transfer_impl.h"

#include <inttypes.h>
#include <stdio.h>

/* Returns the first array whose buffer is NULL; -1: none is. */
static int64_t find_null(const void *const buffers[], int64_t arrays)
{
  for (int64_t a = 0; a < arrays; a++)
    if (!buffers[a]) return a;
  return -1;
}

int64_t dap_fault_find(const dap_plan *plan)
{
  const dap_problem *problem = &plan->problem;
  if (plan->failure.fault) return plan->failure.fault;
  int64_t array = problem->from.holds ? find_null((const void *const *)plan->sources, problem->arrays) : -1;
  if (array >= 0) return dap_fault_of(plan, plan->rank, DAP_FAULT_SOURCE, array);
  if (problem->to.holds) array = find_null((const void *const *)plan->destinations, problem->arrays);
  if (array >= 0) return dap_fault_of(plan, plan->rank, DAP_FAULT_DESTINATION, array);
  array = dap_aliases_own(plan);
  if (array >= 0) return dap_fault_of(plan, plan->rank, DAP_FAULT_OVERLAP, array);
  array = dap_aliases_find(plan);
  return array >= 0 ? dap_fault_of(plan, plan->rank, DAP_FAULT_ALIAS, array) : DAP_FAULT_NONE;
}

dap_status dap_fault_fail(const dap_plan *plan, dap_error *err)
{
  static const char *const texts[DAP_FAULTS] = {
      [DAP_FAULT_SOURCE] = "the source buffer is NULL, but this process has elements in it",
      [DAP_FAULT_DESTINATION] = "the destination buffer is NULL, but this process has elements in it",
      [DAP_FAULT_OVERLAP] = "the source and destination buffers overlap",
      [DAP_FAULT_ALIAS] = "its buffers overlap those of an array before it",
      [DAP_FAULT_PRIVATE] =
          ("options.transports allows only direct copies, but neither all sources nor all destinations were "
           "allocated by dap_array_alloc()"),
      [DAP_FAULT_NEXT_PASS] =
          ("options.transports allows only direct copies, but copies and padding get their values from the "
           "destinations, and not all destinations were allocated by dap_array_alloc()")};
  const int64_t arrays = plan->problem.arrays, number = plan->first_fault / arrays;
  const int rank = (int)(number / DAP_FAULTS), what = (int)(number % DAP_FAULTS);
  const bool is_of_all = what == DAP_FAULT_PRIVATE || what == DAP_FAULT_NEXT_PASS;
  char array[64] = "";
  if (arrays > 1 && !is_of_all)
    (void)snprintf(array, sizeof array, "array %" PRId64 ": ", plan->first_fault % arrays);
  (void)dap_fail(err, DAP_ERR_ARG, "rank %d: %s%s", rank, array,
                 what == DAP_FAULT_PRIVATE && plan->schedule.is_ordered
                     ? "options.transports allows only direct copies, but receivers combine the sources, and "
                       "not all sources were allocated by dap_array_alloc()"
                     : texts[what]);
  if (err) err->rank = rank;
  return DAP_ERR_ARG;
}
