/* Finds the overlaps of a plan's products along listed axes. Products that want the same share one query. */
#include "transfer_impl.h"

#include <stdlib.h>

void dap_listed_release(dap_listed *listed)
{
  for (int i = 0; listed->kept && i < listed->products->count * DAP_MAX_NDIM; i++)
    dap_rendezvous_release(&listed->kept[i]);
  free(listed->kept);
  *listed = (dap_listed){0};
}

static bool from_owner(const dap_product *product)
{
  return product->reads == DAP_READS_OWNER;
}

static bool is_alike(const dap_listed *listed, int a, int b, int axis)
{
  const dap_product *x = &listed->products->all[a], *y = &listed->products->all[b];
  return x->region[axis] == y->region[axis] && dap_product_is_reversed(x) == dap_product_is_reversed(y) &&
         from_owner(x) == from_owner(y);
}

/* Returns the overlaps that an earlier product has kept for this one; NULL: none has. */
static dap_rendezvous *find_kept(const dap_listed *listed, int product, int axis)
{
  for (int i = product - 1; i >= 0 && listed->kept; i--)
    if (is_alike(listed, i, product, axis)) return &listed->kept[i * DAP_MAX_NDIM + axis];
  return NULL;
}

static bool is_wanted_later(const dap_listed *listed, int product, int axis)
{
  for (int i = product + 1; i < listed->products->count; i++)
    if (is_alike(listed, i, product, axis)) return true;
  return false;
}

static dap_status keep(dap_listed *listed, int product, int axis, const dap_rendezvous *found, dap_error *err)
{
  const size_t count = (size_t)listed->products->count * DAP_MAX_NDIM;
  if (!listed->kept) listed->kept = calloc(count, sizeof *listed->kept);
  DAP_REQUIRE(listed->kept, err, DAP_ERR_NOMEM, "no memory for %d products of regions",
              listed->products->count);
  return dap_rendezvous_copy(found, &listed->kept[product * DAP_MAX_NDIM + axis], err);
}

/* Whether a process has these elements itself, because it owns them in an array that is updated in place. */
static bool is_own(const dap_plan *plan, const dap_listed *listed, dap_region region)
{
  return plan->context && listed->is_in_place && region == DAP_REGION_OWNED;
}

/* Asks the other processes for overlaps that are not known yet. */
static dap_status ask_others(const dap_plan *plan, const dap_listed *listed, const dap_problem *problem,
                             int product, dap_rendezvous rendezvous[], dap_error *err)
{
  const dap_product *asked = &listed->products->all[product];
  const dap_region *region = asked->region;
  MPI_Comm comm = plan->context ? plan->context->comm : MPI_COMM_NULL;
  for (int k = 0; k < problem->ndim; k++) {
    if (!dap_problem_is_listed(problem, k) || is_own(plan, listed, region[k])) continue;
    if (find_kept(listed, product, k)) continue;
    DAP_TRY(dap_rendezvous_create(comm, problem, k, region[k], from_owner(asked), &rendezvous[k], err));
  }
  return DAP_OK;
}

/* Takes the known overlaps, and keeps a copy of those that a later product wants. Not collective. */
static dap_status take_known(const dap_plan *plan, dap_listed *listed, const dap_problem *problem,
                             int product, dap_rendezvous rendezvous[], dap_error *err)
{
  const dap_region *region = listed->products->all[product].region;
  for (int k = 0; k < problem->ndim; k++) {
    dap_rendezvous *known = find_kept(listed, product, k);
    if (!dap_problem_is_listed(problem, k)) continue;
    if (is_own(plan, listed, region[k])) {
      DAP_TRY(dap_rendezvous_create_own(problem, k, &rendezvous[k], err));
      continue;
    }
    if (known) rendezvous[k] = *known;
    if (known) *known = (dap_rendezvous){0};
    if (is_wanted_later(listed, product, k)) DAP_TRY(keep(listed, product, k, &rendezvous[k], err));
  }
  return DAP_OK;
}

dap_status dap_listed_find(const dap_plan *plan, dap_listed *listed, int product, dap_rendezvous rendezvous[],
                           dap_error *err)
{
  const dap_problem reversed = dap_problem_reversed(&plan->problem);
  const dap_problem *problem =
      dap_product_is_reversed(&listed->products->all[product]) ? &reversed : &plan->problem;
  DAP_TRY(ask_others(plan, listed, problem, product, rendezvous, err));
  return take_known(plan, listed, problem, product, rendezvous, err);
}
