/* Overlaps along a listed axis that need no queries: of what a process owns itself, and copies of others. */
#include "problem_impl.h"

#include <stdlib.h>

static dap_overlap *allocate_overlaps(int count, dap_error *err)
{
  dap_overlap *overlaps = calloc((size_t)count, sizeof *overlaps);
  if (!overlaps) (void)dap_fail(err, DAP_ERR_NOMEM, "no memory for a plan over %d processes", count);
  return overlaps;
}

static dap_status add_owned(const dap_problem *problem, int axis, dap_overlap *overlap, dap_error *err)
{
  const dap_map *map = dap_problem_to_map(problem, axis);
  const int coord = problem->to_coords[axis];
  for (int64_t i = 0; i < map->ops->extent(map, coord); i++) {
    const int64_t index = map->ops->globalize(map, coord, i) - problem->to_start[axis];
    if (index < 0 || index >= problem->shape[axis] || !map->ops->is_owned(map, coord, i)) continue;
    DAP_TRY(dap_overlap_add(overlap, i, i, 1, err));
  }
  return dap_overlap_finish(overlap, err);
}

dap_status dap_rendezvous_create_own(const dap_problem *problem, int axis, dap_rendezvous *rendezvous,
                                     dap_error *err)
{
  const int procs = dap_problem_to_map(problem, axis)->axis.procs;
  *rendezvous = (dap_rendezvous){.send_count = procs, .receive_count = procs};
  rendezvous->send = allocate_overlaps(procs, err);
  rendezvous->receive = rendezvous->send ? allocate_overlaps(procs, err) : NULL;
  if (!rendezvous->receive) {
    rendezvous->receive_count = 0;
    rendezvous->send_count = rendezvous->send ? procs : 0;
    return DAP_ERR_NOMEM;
  }
  if (problem->to_process < 0) return DAP_OK;
  dap_overlap *own = &rendezvous->receive[problem->to_coords[axis]];
  DAP_TRY(add_owned(problem, axis, own, err));
  return dap_overlap_copy(own, &rendezvous->send[problem->to_coords[axis]], err);
}

static dap_status copy_overlaps(const dap_overlap from[], int count, dap_overlap **to, int *made,
                                dap_error *err)
{
  *to = allocate_overlaps(count, err);
  if (!*to) return DAP_ERR_NOMEM;
  *made = count;
  for (int c = 0; c < count; c++) DAP_TRY(dap_overlap_copy(&from[c], &(*to)[c], err));
  return DAP_OK;
}

dap_status dap_rendezvous_copy(const dap_rendezvous *from, dap_rendezvous *to, dap_error *err)
{
  *to = (dap_rendezvous){0};
  DAP_TRY(copy_overlaps(from->send, from->send_count, &to->send, &to->send_count, err));
  return copy_overlaps(from->receive, from->receive_count, &to->receive, &to->receive_count, err);
}
