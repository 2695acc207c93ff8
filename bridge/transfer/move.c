/* What dap_plan_create() moves: products of the axes' regions, and what follows them in later passes. */
#include "transfer_impl.h"

static bool has_beta(const dap_problem *problem)
{
  return problem->transform.beta[0] != 0 || problem->transform.beta[1] != 0;
}

/* Some element has copies in the lists of a 'u' axis. */
static bool has_listed_copies(const dap_problem *problem)
{
  for (int k = 0; k < problem->ndim; k++)
    if (dap_has_listed_ghosts(dap_problem_to_map(problem, k))) return true;
  return false;
}

/* Copies of a replicated destination share the work, each with elements for all of them: where terms are
 * added up, and of a tree. Not if padding or listed copies are filled after it, or beta counts, which have
 * owners. */
static bool has_portions(const dap_problem *problem, const dap_plan_options *options)
{
  const dap_copies *copies = problem->copies;
  if (!copies || copies->targets == 1 || has_beta(problem)) return false;
  if (problem->sums) return !options->fill_halos && !has_listed_copies(problem);
  return !problem->combine && copies->is_tree && dap_copies_passes(problem) > 1;
}

/* With beta != 0, and where elements are combined, ghosts, and padding that is filled, get their owner's sum
 * in a second pass; not ghosts that are to be kept or cleared. */
dap_next_pass dap_move_next_pass(const dap_problem *problem, dap_find_products *find,
                                 const dap_plan_options *options)
{
  const bool sums = has_beta(problem) || problem->combine, fills = options->fill_halos;
  if (find == dap_move_products && has_portions(problem, options)) return DAP_NEXT_PASS_SPREAD;
  if (find == dap_reverse_products)
    return fills && dap_has_copies(problem, (dap_filling){.padding = true}) ? DAP_NEXT_PASS_REFRESH
                                                                            : DAP_NEXT_PASS_NONE;
  const bool has_copies = dap_has_copies(problem, (dap_filling){.padding = fills, .replicas = true});
  return sums && has_copies ? DAP_NEXT_PASS_COPIES : DAP_NEXT_PASS_NONE;
}

/* Copies are filled from the start unless they are to get what comes of something at their owner. */
static dap_region find_region(const dap_problem *problem, const dap_plan_options *options, int k)
{
  const dap_map *map = dap_problem_to_map(problem, k);
  if (map->axis.replicated) {
    const bool has_owner = has_beta(problem) || problem->combine;
    return !has_owner || has_portions(problem, options) ? DAP_REGION_ALL : DAP_REGION_OWNED;
  }
  const bool all = options->fill_halos || map->axis.dist_type == 'u';
  return all && !problem->combine ? DAP_REGION_ALL : DAP_REGION_OWNED;
}

/* What owners have, then what others hold of their elements, combined with that; or the first terms, then the
 * others; or what any copy has. */
dap_status dap_move_products(const dap_problem *problem, const dap_plan_options *options,
                             dap_products *products, dap_error *err)
{
  const bool has_owners = problem->combine && !problem->sums;
  dap_product product = {.portions = has_portions(problem, options),
                         .reads = has_owners      ? DAP_READS_OWNER
                                  : problem->sums ? DAP_READS_FIRST
                                                  : DAP_READS_NEAREST};
  for (int k = 0; k < problem->ndim; k++) product.region[k] = find_region(problem, options, k);
  DAP_TRY(dap_products_add(&product, products, err));
  if (has_owners) return dap_combine_products(problem, (dap_filling){.replicas = true}, products, err);
  if (!problem->sums) return DAP_OK;
  product.reads = DAP_READS_OTHERS;
  product.combines = true;
  return dap_products_add(&product, products, err);
}
