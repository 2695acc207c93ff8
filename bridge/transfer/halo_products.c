/* The padding of a destination, in disjoint products. */
#include "transfer_impl.h"

static bool has_halo(const dap_map *map)
{
  for (int c = 0; map->halo && c < map->axis.procs; c++)
    if (map->halo[c][0] > 0 || map->halo[c][1] > 0) return true;
  return false;
}

/* The positions outside the owned block are no product, but one disjoint product per padded axis i: halo
 * along i, owned before it, everything behind it. Each corner falls to exactly one of them. */
int dap_halo_products(const dap_problem *problem, const dap_plan_options *options, dap_product products[])
{
  int count = 0;
  (void)options;
  for (int i = 0; i < problem->ndim; i++) {
    if (!has_halo(dap_problem_to_map(problem, i))) continue;
    for (int k = 0; k < problem->ndim; k++)
      products[count].region[k] = k < i ? DAP_REGION_OWNED : k == i ? DAP_REGION_HALO : DAP_REGION_ALL;
    count++;
  }
  return count;
}
