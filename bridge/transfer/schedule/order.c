/* Chooses the order of axes in which all processes of an exchange visit its elements. */
#include "schedule_impl.h"

/* Sorts axes by falling stride of this process's destination; axes of one element come first. The destination
 * is then written from low to high addresses. */
static void destination_order(const dap_problem *problem, int order[])
{
  int64_t step[DAP_MAX_NDIM];
  for (int k = 0; k < problem->ndim; k++) {
    step[k] = problem->to.extents[k] <= 1 ? INT64_MAX : dap_magnitude(problem->to.strides[k]);
    int at = k;
    for (; at > 0 && step[order[at - 1]] < step[k]; at--) order[at] = order[at - 1];
    order[at] = k;
  }
}

/* Returns the axis of this process's source with the least stride; -1: no axis has more than one element. */
static int fastest_source(const dap_problem *problem)
{
  int best = -1;
  for (int k = 0; k < problem->ndim; k++) {
    if (problem->from.extents[k] <= 1) continue;
    if (best < 0 || dap_magnitude(problem->from.strides[k]) < dap_magnitude(problem->from.strides[best]))
      best = k;
  }
  return best;
}

/* Proposals are numbers, and the least is taken. One is the order of axes of the lowest rank with elements
 * to write. The other is the fastest source axis of the lowest rank that has one. The rank is in the high
 * bits. */
enum { AXIS_BITS = 3, RANK_SHIFT = AXIS_BITS * DAP_MAX_NDIM };
_Static_assert(DAP_MAX_NDIM <= 1 << AXIS_BITS, "an axis must fit its bits");

void dap_order_propose(const dap_problem *problem, int64_t least[])
{
  int order[DAP_MAX_NDIM];
  const int across = problem->from.holds ? fastest_source(problem) : -1;
  least[DAP_ORDER_OF_AXES] = least[DAP_ORDER_ACROSS] = INT64_MAX;
  if (problem->to.holds) {
    for (int k = 0; k < DAP_MAX_NDIM; k++) order[k] = k;
    destination_order(problem, order);
    least[DAP_ORDER_OF_AXES] = (int64_t)problem->rank << RANK_SHIFT;
    for (int k = 0; k < DAP_MAX_NDIM; k++) least[DAP_ORDER_OF_AXES] |= (int64_t)order[k] << AXIS_BITS * k;
  }
  if (across >= 0) least[DAP_ORDER_ACROSS] = ((int64_t)problem->rank << RANK_SHIFT) | across;
}

void dap_order_take(const int64_t least[], int ndim, int order[], int *across)
{
  enum { AXIS = (1 << AXIS_BITS) - 1 };
  for (int k = 0; k < DAP_MAX_NDIM; k++)
    order[k] =
        least[DAP_ORDER_OF_AXES] == INT64_MAX ? k : (int)(least[DAP_ORDER_OF_AXES] >> AXIS_BITS * k & AXIS);
  *across = least[DAP_ORDER_ACROSS] == INT64_MAX ? -1 : (int)(least[DAP_ORDER_ACROSS] & AXIS);
  if (ndim > 0 && *across == order[ndim - 1]) *across = -1;
}
