/* Makes a side of an array, and gives access to problems: the maps of pairs of axes, ranks and coordinates,
 * and the reversed problem. */
#include "problem_impl.h"

dap_side dap_side_of(dap_darray array)
{
  dap_side side = {.layout = array.layout};
  if (!array.local) return side;
  side.strides = array.local->strides;
  side.dtype = array.local->dtype;
  side.swapped = array.local->swapped;
  side.local = array.local;
  return side;
}

static const dap_problem_side *side_of(const dap_problem *problem, bool of_from)
{
  return of_from ? &problem->from : &problem->to;
}

const dap_map *dap_problem_map(const dap_problem *problem, bool of_from, int axis)
{
  const dap_problem_side *side = side_of(problem, of_from);
  return side->axes[axis] < 0 ? &problem->single : &side->layout->maps[side->axes[axis]];
}

const dap_map *dap_problem_from_map(const dap_problem *problem, int axis)
{
  return dap_problem_map(problem, true, axis);
}

const dap_map *dap_problem_to_map(const dap_problem *problem, int axis)
{
  return dap_problem_map(problem, false, axis);
}

bool dap_problem_is_listed(const dap_problem *problem, int axis)
{
  return dap_problem_from_map(problem, axis)->lists || dap_problem_to_map(problem, axis)->lists;
}

bool dap_problem_has_lists(const dap_problem *problem)
{
  for (int k = 0; k < problem->ndim; k++)
    if (dap_problem_is_listed(problem, k)) return true;
  return false;
}

bool dap_problem_moves_all(const dap_problem *problem)
{
  for (int k = 0; k < problem->ndim; k++)
    if (problem->shape[k] < dap_problem_from_map(problem, k)->axis.size ||
        problem->shape[k] < dap_problem_to_map(problem, k)->axis.size)
      return false;
  return true;
}

dap_problem dap_problem_reversed(const dap_problem *problem)
{
  dap_problem reversed = *problem;
  reversed.from = problem->to;
  reversed.to = problem->from;
  return reversed;
}

void dap_problem_coords(const dap_problem *problem, bool of_from, int process, int coords[])
{
  int own[DAP_MAX_NDIM];
  const dap_problem_side *side = side_of(problem, of_from);
  dap_layout_coords(side->layout, process, own);
  for (int k = 0; k < problem->ndim; k++) coords[k] = side->axes[k] < 0 ? 0 : own[side->axes[k]];
}

int dap_problem_rank(const dap_problem *problem, bool of_from, const int coords[])
{
  int own[DAP_MAX_NDIM];
  const dap_problem_side *side = side_of(problem, of_from);
  for (int k = 0; k < problem->ndim; k++)
    if (side->axes[k] >= 0) own[side->axes[k]] = coords[k];
  const int process = dap_layout_rank(side->layout, own);
  return side->ranks ? side->ranks[process] : process;
}
