/* Access to a problem: the maps of its pairs of axes, ranks and coordinates, and the reversed problem. */
#include "problem_impl.h"

#include <string.h>

const dap_map *dap_problem_from_map(const dap_problem *problem, int axis)
{
  const int own = problem->from_axes[axis];
  return own < 0 ? &problem->single : &problem->from->maps[own];
}

const dap_map *dap_problem_to_map(const dap_problem *problem, int axis)
{
  const int own = problem->to_axes[axis];
  return own < 0 ? &problem->single : &problem->to->maps[own];
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

dap_problem dap_problem_reversed(const dap_problem *problem)
{
  dap_problem r = *problem;
  r.from = problem->to;
  r.to = problem->from;
  r.from_ranks = problem->to_ranks;
  r.to_ranks = problem->from_ranks;
  r.from_process = problem->to_process;
  r.to_process = problem->from_process;
  memcpy(r.from_axes, problem->to_axes, sizeof r.from_axes);
  memcpy(r.to_axes, problem->from_axes, sizeof r.to_axes);
  memcpy(r.from_start, problem->to_start, sizeof r.from_start);
  memcpy(r.to_start, problem->from_start, sizeof r.to_start);
  memcpy(r.from_coords, problem->to_coords, sizeof r.from_coords);
  memcpy(r.to_coords, problem->from_coords, sizeof r.to_coords);
  return r;
}

void dap_problem_coords(const dap_problem *problem, bool of_from, int process, int coords[])
{
  int own[DAP_MAX_NDIM];
  const int *axes = of_from ? problem->from_axes : problem->to_axes;
  dap_layout_coords(of_from ? problem->from : problem->to, process, own);
  for (int k = 0; k < problem->ndim; k++) coords[k] = axes[k] < 0 ? 0 : own[axes[k]];
}

int dap_problem_rank(const dap_problem *problem, bool of_from, const int coords[])
{
  int own[DAP_MAX_NDIM];
  const int *axes = of_from ? problem->from_axes : problem->to_axes;
  for (int k = 0; k < problem->ndim; k++)
    if (axes[k] >= 0) own[axes[k]] = coords[k];
  const int process = dap_layout_rank(of_from ? problem->from : problem->to, own);
  const int *ranks = of_from ? problem->from_ranks : problem->to_ranks;
  return ranks ? ranks[process] : process;
}
