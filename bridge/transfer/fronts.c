/* Usual moves as plans: halo update, gather, scatter. */
#include "transfer_impl.h"

/* ---- halo update ------------------------------------------------------------------------------ */

static bool has_halo(const dap_map *map)
{
  for (int c = 0; map->halo && c < map->axis.procs; c++)
    if (map->halo[c][0] > 0 || map->halo[c][1] > 0) return true;
  return false;
}

/* The positions outside the owned block are no product, but one disjoint product per padded axis i: halo
 * along i, owned before it, everything behind it. Each corner falls to exactly one of them. */
static int halo_products(const dap_layout *layout, dap_product products[])
{
  int count = 0;
  for (int i = 0; i < layout->ndim; i++) {
    if (!has_halo(&layout->maps[i])) continue;
    products[count] = (dap_product){.move = 0};
    for (int k = 0; k < layout->ndim; k++)
      products[count].reach[k] = k < i ? DAP_REACH_OWNED : k == i ? DAP_REACH_HALO : DAP_REACH_ALL;
    count++;
  }
  return count;
}

/* What of the options concerns a halo update: elements stay as they are, and all of the padding is filled. */
static dap_plan_options plan_wide(const dap_plan_options *options)
{
  if (!options) return (dap_plan_options){0};
  return (dap_plan_options){.message_bytes = options->message_bytes,
                            .memory_bytes = options->memory_bytes,
                            .transports = options->transports};
}

dap_status dap_plan_create_halo(MPI_Comm comm, const dap_side *side, int64_t itemsize,
                                const dap_plan_options *options, dap_plan **plan, dap_error *err)
{
  dap_error own = {0};
  err = err ? err : &own;
  if (plan) *plan = NULL;
  DAP_TRY(dap_comm_check(comm, err));
  dap_ends ends = {0}; /* for the layout, which only some may have */
  dap_product products[DAP_MAX_NDIM];
  const dap_plan_options own_options = plan_wide(options);
  dap_status s = dap_ends_share(comm, side, side, &ends, err);
  const int count = s ? 0 : halo_products(ends.to, products);
  if (!s) s = dap_plan_build(comm, 1, side, side, &itemsize, &own_options, count, products, plan, err);
  dap_ends_release(&ends);
  return s;
}

/* ---- gather and scatter ----------------------------------------------------------------------- */

/* The layout of the whole array on one process. */
static dap_status whole_layout(MPI_Comm comm, const dap_layout *layout, int root, dap_layout **whole,
                               dap_error *err)
{
  int nprocs = 0;
  DAP_TRY(dap_mpi_check(MPI_Comm_size(comm, &nprocs), "MPI_Comm_size", err));
  DAP_REQUIRE(root >= 0 && root < nprocs, err, DAP_ERR_ARG,
              "root %d is outside the communicator's %d processes", root, nprocs);
  dap_dist dists[DAP_MAX_NDIM];
  for (int k = 0; k < layout->ndim; k++) dists[k] = dap_dist_even(layout->maps[k].axis.size, 1);
  return dap_layout_create(layout->ndim, dists, whole, err);
}

static dap_status create_with_root(MPI_Comm comm, const dap_side *side, int root, bool gathers,
                                   int64_t itemsize, const dap_plan_options *options, dap_plan **plan,
                                   dap_error *err)
{
  dap_error own = {0};
  err = err ? err : &own;
  if (plan) *plan = NULL;
  DAP_TRY(dap_comm_check(comm, err));
  dap_layout *whole = NULL;
  dap_ends ends = {0}; /* for the layout, which only some may have */
  dap_status s = dap_ends_share(comm, side, side, &ends, err);
  if (!s) s = dap_agree(comm, whole_layout(comm, ends.to, root, &whole, err), err);
  dap_ends_release(&ends);
  const dap_side one = {.layout = whole, .ranks = &root, .dtype = side ? side->dtype : DAP_NONE};
  if (!s)
    s = dap_plan_create(comm, gathers ? side : &one, gathers ? &one : side, itemsize, options, plan, err);
  dap_layout_destroy(&whole);
  return s;
}

dap_status dap_plan_create_gather(MPI_Comm comm, const dap_side *from, int root, int64_t itemsize,
                                  const dap_plan_options *options, dap_plan **plan, dap_error *err)
{
  return create_with_root(comm, from, root, true, itemsize, options, plan, err);
}

dap_status dap_plan_create_scatter(MPI_Comm comm, int root, const dap_side *to, int64_t itemsize,
                                   const dap_plan_options *options, dap_plan **plan, dap_error *err)
{
  return create_with_root(comm, to, root, false, itemsize, options, plan, err);
}
