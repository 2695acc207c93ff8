/* Makes plans that gather to one process and scatter from one. */
#include "transfer_impl.h"

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
  dap_problem problem = {0}; /* has the layout, which only some processes may have been given */
  dap_status s = dap_problem_share(comm, gathers ? "dap_plan_create_gather" : "dap_plan_create_scatter", side,
                                   side, &problem, err);
  if (!s) s = dap_agree(comm, whole_layout(comm, problem.to.layout, root, &whole, err), err);
  dap_problem_release(&problem);
  const dap_side one = {
      .layout = whole, .ranks = &root, .contiguous = true, .dtype = side ? side->dtype : DAP_NONE};
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
