/* Lays out a vector with memory of PETSc's own, to and from which elements are moved. */
#include "vector_impl.h"

#include <stdlib.h>

/* Chooses the slowest axis with more than one element, whose ranges are ranges of entries. -1 for a
 * scalar. */
static int choose_axis(const dap_view *view)
{
  const int ndim = dap_layout_ndim(view->layout);
  int axis = -1;
  for (int i = 0; i < ndim; i++) {
    const int k = dap_vector_order(view) == DAP_ORDER_C ? i : ndim - 1 - i;
    if (axis < 0 || view->shape[axis] <= 1) axis = k;
  }
  return axis;
}

/* Returns the fewest indices whose entries, `inner` of each, are whole blocks. Those of all `size` are. */
static int64_t choose_unit(int64_t size, int64_t inner, int64_t block_size)
{
  int64_t unit = 1;
  while (unit < size && unit * inner % block_size != 0) unit++;
  return unit;
}

/* Gives each process as many indices as PetscSplitOwnership() does, but in units of `unit`. */
static void split_evenly(int64_t size, int64_t unit, int procs, int64_t lengths[])
{
  const int64_t units = size / unit;
  for (int c = 0; c < procs; c++) lengths[c] = unit * (units / procs + (c < units % procs));
}

dap_status dap_vector_lay(dap_view *view, int target, dap_error *err)
{
  const int ndim = dap_layout_ndim(view->layout), axis = choose_axis(view);
  dap_layout *layout = NULL;
  dap_dist dist[DAP_MAX_NDIM + 1] = {{0}};
  int64_t *lengths = calloc((size_t)view->nprocs, sizeof *lengths);
  DAP_REQUIRE(lengths, err, DAP_ERR_NOMEM, "no memory for %d processes", view->nprocs);
  for (int k = 0; k < ndim; k++) dist[k] = dap_dist_even(view->shape[k], 1);
  if (axis >= 0) {
    int64_t inner = 1; /* entries of one index */
    for (int k = 0; k < ndim; k++)
      if (k != axis) inner *= view->shape[k];
    const int64_t unit = choose_unit(view->shape[axis], inner, dap_vector_block_size(view));
    split_evenly(view->shape[axis], unit, view->nprocs, lengths);
    dist[axis] = dap_dist_lengths(view->shape[axis], view->nprocs, lengths);
  }
  const dap_status s = dap_layout_create(ndim, dist, &layout, err);
  free(lengths);
  return s ? s : dap_view_lay(view, target, layout, view->ranks, dap_vector_order(view), NULL, err);
}
