/* The order of axes in which all processes of an exchange go through its elements. */
#include "transfer_impl.h"

#include <limits.h>

/* Axes by falling stride of this process' destination, those of one element first: written in that
 * order, the destination is walked through from low to high addresses. */
static void destination_order(const dap_ends *ends, int order[])
{
  int64_t step[DAP_MAX_NDIM];
  for (int k = 0; k < ends->ndim; k++) {
    const bool single = dap_layout_extent(ends->to, k, ends->to_coords[k]) <= 1;
    step[k] = single ? INT64_MAX : dap_magnitude(ends->to_strides[k]);
    int at = k;
    for (; at > 0 && step[order[at - 1]] < step[k]; at--) order[at] = order[at - 1];
    order[at] = k;
  }
}

/* The axis of the least stride in this process' source, of those with more than one element; -1: none. */
static int fastest_source(const dap_ends *ends)
{
  int best = -1;
  for (int k = 0; k < ends->ndim; k++) {
    if (dap_layout_extent(ends->from, ends->axes[k], ends->from_coords[k]) <= 1) continue;
    if (best < 0 || dap_magnitude(ends->from_strides[k]) < dap_magnitude(ends->from_strides[best])) best = k;
  }
  return best;
}

/* `words` of the lowest rank that has a word, on all. Collective, unless `comm` is null. */
static dap_status take_lowest(MPI_Comm comm, int rank, bool has, int words[], int count, dap_error *err)
{
  const int mine = has ? rank : INT_MAX;
  int first = INT_MAX;
  if (comm == MPI_COMM_NULL) return DAP_OK;
  DAP_TRY(dap_mpi_check(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce", err));
  if (first == INT_MAX) return DAP_OK;
  return dap_mpi_check(MPI_Bcast(words, count, MPI_INT, first, comm), "MPI_Bcast", err);
}

/* One order for all messages: that of the lowest rank with elements to write; and the axis along which sources
 * are read, of the lowest rank that has one. Collective. */
dap_status dap_order_set(MPI_Comm comm, const dap_ends *ends, int order[], int *across, dap_error *err)
{
  for (int k = 0; k < DAP_MAX_NDIM; k++) order[k] = k;
  if (ends->holds_to) destination_order(ends, order);
  *across = ends->holds_from ? fastest_source(ends) : -1;
  DAP_TRY(take_lowest(comm, ends->rank, ends->holds_to, order, DAP_MAX_NDIM, err));
  DAP_TRY(take_lowest(comm, ends->rank, *across >= 0, across, 1, err));
  if (ends->ndim > 0 && *across == order[ends->ndim - 1]) *across = -1;
  return DAP_OK;
}
