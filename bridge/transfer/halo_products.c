/* What a destination holds of other processes' elements, in disjoint products. */
#include "transfer_impl.h"

static bool has_halo(const dap_map *map)
{
  for (int c = 0; map->halo && c < map->axis.procs; c++)
    if (map->halo[c][0] > 0 || map->halo[c][1] > 0) return true;
  return false;
}

static bool has_ghosts(const dap_map *map)
{
  for (int c = 0; map->lists && c < map->axis.procs; c++)
    if (map->lists->owned[c] < map->lists->held[c]) return true;
  return false;
}

/* The positions outside the owned block are no product, but one disjoint product per axis i that is filled:
 * what others own along i, owned before it, everything that is filled behind it. Each corner falls to exactly
 * one of them. */
static int find_products(const dap_problem *problem, bool fills_padding, dap_product products[])
{
  int count = 0;
  for (int i = 0; i < problem->ndim; i++) {
    const dap_map *map = dap_problem_to_map(problem, i);
    if (!has_ghosts(map) && !(fills_padding && has_halo(map))) continue;
    for (int k = 0; k < problem->ndim; k++) {
      const bool all = fills_padding || dap_problem_to_map(problem, k)->lists;
      products[count].region[k] = k == i ? DAP_REGION_HALO : k > i && all ? DAP_REGION_ALL : DAP_REGION_OWNED;
    }
    count++;
  }
  return count;
}

int dap_halo_products(const dap_problem *problem, const dap_plan_options *options, dap_product products[])
{
  (void)options;
  return find_products(problem, true, products);
}

int dap_copy_products(const dap_problem *problem, const dap_plan_options *options, dap_product products[])
{
  return find_products(problem, options->fill_halos, products);
}
