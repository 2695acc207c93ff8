/* Finds the overlaps of a plan's products along listed axes. Products that want the same share one query. */
#include "transfer_impl.h"

#include <stdlib.h>

void dap_listed_release(dap_request *r)
{
  for (int i = 0; r->kept && i < r->products.count * DAP_MAX_NDIM; i++) dap_rendezvous_release(&r->kept[i]);
  free(r->kept);
  r->kept = NULL;
}

static bool from_owner(const dap_product *product)
{
  return product->reads == DAP_READS_OWNER;
}

static bool is_alike(const dap_request *r, int a, int b, int axis)
{
  const dap_product *x = &r->products.all[a], *y = &r->products.all[b];
  return x->region[axis] == y->region[axis] && dap_product_is_reversed(x) == dap_product_is_reversed(y) &&
         from_owner(x) == from_owner(y);
}

/* Returns the overlaps that an earlier product has kept for this one; NULL: none has. */
static dap_rendezvous *find_kept(const dap_request *r, int product, int axis)
{
  for (int i = product - 1; i >= 0 && r->kept; i--)
    if (is_alike(r, i, product, axis)) return &r->kept[i * DAP_MAX_NDIM + axis];
  return NULL;
}

/* Keeps a copy of overlaps if a later product wants them. */
static dap_status keep(dap_request *r, int product, int axis, const dap_rendezvous *found, dap_error *err)
{
  const int count = r->products.count;
  int later = product + 1;
  while (later < count && !is_alike(r, later, product, axis)) later++;
  if (later == count) return DAP_OK;
  if (!r->kept) r->kept = calloc((size_t)count * DAP_MAX_NDIM, sizeof *r->kept);
  DAP_REQUIRE(r->kept, err, DAP_ERR_NOMEM, "no memory for %d products of regions", count);
  return dap_rendezvous_copy(found, &r->kept[product * DAP_MAX_NDIM + axis], err);
}

/* Elements that a process owns in an array that is updated in place are its own, so it asks nobody. A process
 * that has failed goes on, because the others may ask it. */
dap_status dap_listed_find(const dap_plan *plan, dap_request *r, int product, dap_rendezvous rendezvous[],
                           dap_error *err)
{
  const dap_product *asked = &r->products.all[product];
  const dap_problem reversed = dap_problem_reversed(&plan->problem);
  const dap_problem *problem = dap_product_is_reversed(asked) ? &reversed : &plan->problem;
  MPI_Comm comm = plan->context ? plan->context->comm : MPI_COMM_NULL;
  dap_status s = DAP_OK;
  for (int k = 0; k < problem->ndim; k++) {
    const dap_region region = asked->region[k];
    dap_rendezvous *known = find_kept(r, product, k);
    if (!dap_problem_is_listed(problem, k)) continue;
    if (plan->context && plan->in_place && region == DAP_REGION_OWNED) {
      if (!s) s = dap_rendezvous_create_own(problem, k, &rendezvous[k], err);
      continue;
    }
    if (known) {
      rendezvous[k] = *known;
      *known = (dap_rendezvous){0};
    } else {
      DAP_TRY(dap_rendezvous_create(comm, problem, k, region, from_owner(asked), &rendezvous[k], err));
    }
    if (!s) s = keep(r, product, k, &rendezvous[k], err);
  }
  return s;
}
