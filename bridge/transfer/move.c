/* Finds the products of regions that dap_plan_create() moves, and which later passes a plan has. */
#include "transfer_impl.h"

static bool has_beta(const dap_problem *problem)
{
  return problem->transform.beta[0] != 0 || problem->transform.beta[1] != 0;
}

static bool has_listed_copies(const dap_problem *problem)
{
  for (int k = 0; k < problem->ndim; k++)
    if (dap_has_listed_ghosts(dap_problem_to_map(problem, k))) return true;
  return false;
}

/* Whether copies of a replicated destination each receive a part and hand it on: for sums of addends, and
 * in trees. It is not so with beta, or where padding or listed copies follow, because these need an owner. */
static bool has_segments(const dap_problem *problem, const dap_plan_options *options)
{
  const dap_copies *copies = problem->copies;
  if (!copies || copies->to_replicas == 1 || has_beta(problem)) return false;
  if (problem->sums) return !options->fill_halos && !has_listed_copies(problem);
  return !problem->combine && copies->is_tree && dap_copies_passes(problem) > 1;
}

/* With beta, and where elements are combined, a second pass gives copies and filled padding their owner's
 * result. Reversed halo updates have it only if padding is to be refreshed. */
dap_plan_kind dap_move_next_kind(const dap_problem *problem, dap_plan_kind kind,
                                 const dap_plan_options *options)
{
  const bool sums = has_beta(problem) || problem->combine, fills = options->fill_halos;
  const bool has_padding = dap_has_copies(problem, (dap_filling){.padding = true});
  const bool has_copies = dap_has_copies(problem, (dap_filling){.padding = fills, .replicas = true});
  if (kind == DAP_PLAN_MOVE && has_segments(problem, options)) return DAP_PLAN_SPREAD;
  if (kind == DAP_PLAN_HALO_REVERSE) return fills && has_padding ? DAP_PLAN_REFRESH : DAP_PLAN_NONE;
  return kind == DAP_PLAN_MOVE && sums && has_copies ? DAP_PLAN_COPIES : DAP_PLAN_NONE;
}

/* Returns the region to fill along an axis. Copies are filled at once, unless they need their owner's
 * result. */
static dap_region find_region(const dap_problem *problem, const dap_plan_options *options, int k)
{
  const dap_map *map = dap_problem_to_map(problem, k);
  if (map->axis.replicated) {
    const bool has_owner = has_beta(problem) || problem->combine;
    return !has_owner || has_segments(problem, options) ? DAP_REGION_ALL : DAP_REGION_OWNED;
  }
  const bool all = options->fill_halos || map->axis.dist_type == 'u';
  return all && !problem->combine ? DAP_REGION_ALL : DAP_REGION_OWNED;
}

/* Adds the products. They move the owners' elements, then those of other holders, to be combined; or the
 * first addends, then the others; or the elements of the nearest copies. */
dap_status dap_move_products(const dap_problem *problem, const dap_plan_options *options,
                             dap_products *products, dap_error *err)
{
  const bool has_owners = problem->combine && !problem->sums;
  DAP_REQUIRE(!has_owners || !options->from_owners, err, DAP_ERR_ARG,
              "options.combine takes all copies of an element, and options.from_owners only the owner's");
  dap_product product = {.is_segmented = has_segments(problem, options),
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
