/* Finds the disjoint products of regions that halo updates fill or combine: copies, padding and ghosts. */
#include "transfer_impl.h"

#include <stdlib.h>

bool dap_has_listed_ghosts(const dap_map *map)
{
  return map->lists && !dap_map_is_all_owned(map);
}

bool dap_has_ghosts(const dap_map *map)
{
  if (dap_map_is_whole(map)) return map->axis.procs > 1 && map->axis.size > 0;
  return dap_has_listed_ghosts(map);
}

static bool is_filled(const dap_map *map, dap_filling filling)
{
  if (map->axis.replicated && !filling.replicas) return false;
  return dap_has_ghosts(map) || (filling.padding && map->halo && !dap_map_is_all_owned(map));
}

bool dap_has_copies(const dap_problem *problem, dap_filling filling)
{
  for (int k = 0; k < problem->ndim; k++)
    if (is_filled(dap_problem_to_map(problem, k), filling)) return true;
  return false;
}

void dap_products_release(dap_products *products)
{
  free(products->all);
  *products = (dap_products){0};
}

dap_status dap_products_add(const dap_product *product, dap_products *products, dap_error *err)
{
  dap_product *all = dap_grow(products->all, products->count, &products->capacity, sizeof *all);
  DAP_REQUIRE(all, err, DAP_ERR_NOMEM, "no memory for %d products of regions", products->count + 1);
  products->all = all;
  products->all[products->count++] = *product;
  return DAP_OK;
}

/* Finds the product of axis i. The positions outside the owned block are one disjoint product for each
 * axis that is filled: the halo along i, owned positions along earlier axes, all filled ones along later
 * axes. Each corner is in exactly one of them. */
static bool find_product(const dap_problem *problem, dap_filling filling, int i, dap_product *product)
{
  if (!is_filled(dap_problem_to_map(problem, i), filling)) return false;
  for (int k = 0; k < problem->ndim; k++) {
    const dap_axis *axis = &dap_problem_to_map(problem, k)->axis;
    const bool all = filling.padding || axis->dist_type == 'u',
               is_own = axis->replicated && !filling.replicas;
    product->region[k] = is_own         ? DAP_REGION_REPLICA
                         : k == i       ? DAP_REGION_HALO
                         : k > i && all ? DAP_REGION_ALL
                                        : DAP_REGION_OWNED;
  }
  return true;
}

dap_status dap_fill_products(const dap_problem *problem, dap_filling filling, dap_products *products,
                             dap_error *err)
{
  for (int i = 0; i < problem->ndim; i++) {
    dap_product product = {0};
    if (find_product(problem, filling, i, &product)) DAP_TRY(dap_products_add(&product, products, err));
  }
  return DAP_OK;
}

/* Cuts a region of an axis into parts in which a process has no element twice. Padding that wraps round on
 * one process repeats owned elements, and on one or two processes its two ends may have the same ones.
 * Returns the number of parts. */
static int cut_region(const dap_map *map, dap_region region, dap_region parts[])
{
  const int procs = map->axis.procs;
  bool wraps = false, meets = false;
  for (int c = 0; c < procs && procs <= 2 && map->halo; c++) {
    const int64_t padding = map->halo[c][0] + map->halo[c][1];
    wraps = wraps || (procs == 1 && padding > 0);
    meets = meets || padding > map->ops->owned(map, procs - 1 - c);
  }
  int count = 0;
  const bool has_owned = region == DAP_REGION_ALL;
  if (region == DAP_REGION_OWNED || !(meets || (wraps && has_owned))) {
    parts[count++] = region;
    return count;
  }
  if (has_owned) parts[count++] = DAP_REGION_OWNED;
  if (!meets) parts[count++] = DAP_REGION_HALO;
  if (meets) parts[count++] = DAP_REGION_LOW;
  if (meets) parts[count++] = DAP_REGION_HIGH;
  return count;
}

/* Adds the product, cut along all axes from `axis` on. */
static dap_status add_parts(const dap_problem *problem, int axis, dap_product *product,
                            dap_products *products, dap_error *err)
{
  dap_region parts[3];
  if (axis == problem->ndim) return dap_products_add(product, products, err);
  const dap_region region = product->region[axis];
  const int count = cut_region(dap_problem_to_map(problem, axis), region, parts);
  for (int i = 0; i < count; i++) {
    product->region[axis] = parts[i];
    DAP_TRY(add_parts(problem, axis + 1, product, products, err));
  }
  product->region[axis] = region;
  return DAP_OK;
}

dap_status dap_combine_products(const dap_problem *problem, dap_filling filling, dap_products *products,
                                dap_error *err)
{
  const dap_problem reversed = dap_problem_reversed(problem);
  for (int i = 0; i < problem->ndim; i++) {
    dap_product product = {.combines = true};
    if (find_product(&reversed, filling, i, &product))
      DAP_TRY(add_parts(&reversed, 0, &product, products, err));
  }
  return DAP_OK;
}
