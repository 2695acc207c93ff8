/* Takes process grids from Cartesian topologies. MPI numbers the processes of a topology in row-major order
 * (MPI 4.0, 8.2), as layouts do, so only dimensions and periods are taken. */
#include "comm_impl.h"

#include <string.h>

typedef struct topology {
  int ndim;
  int procs[DAP_MAX_NDIM], periodic[DAP_MAX_NDIM]; /* [ndim] */
  int axes[DAP_MAX_NDIM];                          /* [ndim] the array's axis along each dimension */
} topology;

static dap_status read_topology(MPI_Comm comm, topology *t, dap_error *err)
{
  int kind = MPI_UNDEFINED, coords[DAP_MAX_NDIM] = {0};
  DAP_TRY(dap_comm_check(comm, err));
  DAP_TRY(dap_mpi_check(MPI_Topo_test(comm, &kind), "MPI_Topo_test", err));
  DAP_REQUIRE(kind != MPI_UNDEFINED, err, DAP_ERR_ARG,
              "comm has no topology: MPI_Cart_create() makes a communicator with one");
  DAP_REQUIRE(kind == MPI_CART, err, DAP_ERR_ARG, "comm has the topology of a graph, which is not a grid");
  DAP_TRY(dap_mpi_check(MPI_Cartdim_get(comm, &t->ndim), "MPI_Cartdim_get", err));
  DAP_REQUIRE(t->ndim <= DAP_MAX_NDIM, err, DAP_ERR_UNSUPPORTED,
              "the topology of comm has %d axes, more than %d", t->ndim, DAP_MAX_NDIM);
  return dap_mpi_check(MPI_Cart_get(comm, t->ndim, t->procs, t->periodic, coords), "MPI_Cart_get", err);
}

/* Checks the axes of an array of one process, which need not match the topology. */
static dap_status check_alone(int ndim, const dap_dist dists[], dap_error *err)
{
  for (int k = 0; k < ndim; k++)
    DAP_REQUIRE(dists[k].procs == 0 || dists[k].procs == 1, err, DAP_ERR_ARG,
                "axis %d: procs is %d, and the topology of comm has one process", k, dists[k].procs);
  return DAP_OK;
}

/* Finds the axis of each dimension: the axis of the same number, or if the numbers differ, the next axis that
 * is distributed. Dimensions of one process at the end may be left out. */
static dap_status find_axes(topology *t, int ndim, const dap_dist dists[], dap_error *err)
{
  int distributed = 0;
  const int given = t->ndim;
  while (t->ndim > ndim && t->procs[t->ndim - 1] == 1) t->ndim--;
  for (int k = 0; k < ndim; k++) {
    if (t->ndim != ndim && dists[k].procs == 1) continue;
    if (distributed < t->ndim) t->axes[distributed] = k;
    distributed++;
  }
  if (t->ndim == distributed) return DAP_OK;
  bool is_alone = true;
  for (int i = 0; i < t->ndim; i++) is_alone = is_alone && t->procs[i] == 1;
  if (is_alone) {
    t->ndim = 0;
    return check_alone(ndim, dists, err);
  }
  return dap_fail(err, DAP_ERR_ARG, "dists distributes %d of %d axes, but the topology of comm has %d",
                  distributed, ndim, given);
}

static bool is_contiguous(const dap_dist *dist)
{
  return dist->kind == DAP_DIST_EVEN || dist->kind == DAP_DIST_CEIL || dist->kind == DAP_DIST_LENGTHS;
}

static dap_status set_axis(const topology *t, int i, dap_dist *dist, dap_error *err)
{
  const int axis = t->axes[i];
  DAP_REQUIRE(dist->procs == 0 || dist->procs == t->procs[i], err, DAP_ERR_ARG,
              "axis %d: procs is %d, and the topology of comm has %d processes along it; 0 takes these", axis,
              dist->procs, t->procs[i]);
  DAP_REQUIRE(!(dist->periodic || dist->wraps) || t->periodic[i], err, DAP_ERR_ARG,
              "axis %d: dists says periodic, and the topology of comm is not periodic along it", axis);
  dist->procs = t->procs[i];
  if (!t->periodic[i] || !is_contiguous(dist)) return DAP_OK;
  dist->periodic = true;
  if (dist->halo > 0 && dist->boundary[0] == 0 && dist->boundary[1] == 0) dist->wraps = true;
  return DAP_OK;
}

dap_status dap_grid_from_cart(MPI_Comm comm, int ndim, dap_dist dists[], dap_error *err)
{
  topology t = {0};
  dap_dist found[DAP_MAX_NDIM];
  DAP_REQUIRE(ndim >= 0 && ndim <= DAP_MAX_NDIM, err, DAP_ERR_ARG, "ndim %d is outside 0 .. %d", ndim,
              DAP_MAX_NDIM);
  DAP_REQUIRE(dists || ndim == 0, err, DAP_ERR_ARG, "dists must not be NULL");
  DAP_TRY(read_topology(comm, &t, err));
  DAP_TRY(find_axes(&t, ndim, dists, err));
  if (ndim == 0) return DAP_OK;
  memcpy(found, dists, (size_t)ndim * sizeof *found);
  for (int i = 0; i < t.ndim; i++) DAP_TRY(set_axis(&t, i, &found[t.axes[i]], err));
  for (int k = 0; k < ndim; k++)
    if (found[k].procs == 0) found[k].procs = 1;
  memcpy(dists, found, (size_t)ndim * sizeof *found);
  return DAP_OK;
}
