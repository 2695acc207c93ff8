/* Allocates, copies and frees the overlaps of a rendezvous. Makes those that need no queries, because a
 * process owns the elements itself. */
#include "problem_impl.h"

#include <stdlib.h>

dap_status dap_rendezvous_allocate(int send_count, int receive_count, dap_rendezvous *rendezvous,
                                   dap_error *err)
{
  *rendezvous = (dap_rendezvous){.send = calloc((size_t)send_count, sizeof *rendezvous->send),
                                 .receive = calloc((size_t)receive_count, sizeof *rendezvous->receive),
                                 .send_count = send_count,
                                 .receive_count = receive_count};
  DAP_REQUIRE(rendezvous->send && rendezvous->receive, err, DAP_ERR_NOMEM,
              "no memory for a plan over %d processes", send_count + receive_count);
  return DAP_OK;
}

void dap_rendezvous_release(dap_rendezvous *rendezvous)
{
  for (int c = 0; rendezvous->send && c < rendezvous->send_count; c++)
    dap_overlap_release(&rendezvous->send[c]);
  for (int c = 0; rendezvous->receive && c < rendezvous->receive_count; c++)
    dap_overlap_release(&rendezvous->receive[c]);
  free(rendezvous->send);
  free(rendezvous->receive);
  *rendezvous = (dap_rendezvous){0};
}

static dap_status add_owned(const dap_problem *problem, int axis, dap_overlap *overlap, dap_error *err)
{
  const dap_map *map = dap_problem_to_map(problem, axis);
  const int coord = problem->to.coords[axis];
  for (int64_t i = 0; i < map->ops->extent(map, coord); i++) {
    const int64_t index = map->ops->globalize(map, coord, i) - problem->to.start[axis];
    if (index < 0 || index >= problem->shape[axis] || !map->ops->is_owned(map, coord, i)) continue;
    DAP_TRY(dap_overlap_add(overlap, i, i, 1, err));
  }
  return dap_overlap_finish(overlap, err);
}

dap_status dap_rendezvous_create_own(const dap_problem *problem, int axis, dap_rendezvous *rendezvous,
                                     dap_error *err)
{
  const int procs = dap_problem_to_map(problem, axis)->axis.procs;
  DAP_TRY(dap_rendezvous_allocate(procs, procs, rendezvous, err));
  if (problem->to.process < 0) return DAP_OK;
  dap_overlap *own = &rendezvous->receive[problem->to.coords[axis]];
  DAP_TRY(add_owned(problem, axis, own, err));
  return dap_overlap_copy(own, &rendezvous->send[problem->to.coords[axis]], err);
}

dap_status dap_rendezvous_copy(const dap_rendezvous *from, dap_rendezvous *to, dap_error *err)
{
  DAP_TRY(dap_rendezvous_allocate(from->send_count, from->receive_count, to, err));
  for (int c = 0; c < from->send_count; c++) DAP_TRY(dap_overlap_copy(&from->send[c], &to->send[c], err));
  for (int c = 0; c < from->receive_count; c++)
    DAP_TRY(dap_overlap_copy(&from->receive[c], &to->receive[c], err));
  return DAP_OK;
}
