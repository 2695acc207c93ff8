/* Chooses which copy of a replicated source is read, and which addends of a partial one. */
#include "problem_impl.h"

#include <string.h>

/* Whether a rank has block and addend from[]. Sets own[] to its coordinates if so. */
static bool has_block(const dap_problem *problem, int rank, const int from[], int own[])
{
  if (!dap_copies_find(problem, true, rank, own)) return false;
  for (int k = 0; k < problem->ndim; k++)
    if (own[k] != from[k] && !problem->copies->from_replicated[k]) return false;
  return true;
}

/* Sets by_host[] to the copies of block and addend from[]. It keeps the last ones, because many channels
 * ask for the same. Changes from[] along replicated axes. */
static void group_by_host(const dap_problem *problem, int from[])
{
  dap_copies *c = problem->copies;
  bool chosen[DAP_MAX_NDIM] = {false};
  for (int k = 0; k < problem->ndim; k++) chosen[k] = !c->from_replicated[k];
  const int number = dap_copies_number_along(problem, true, chosen, from);
  if (number == c->hosts_of) return;
  for (int i = 0; i < c->from_replicas; i++) {
    dap_copies_coords_along(problem, true, c->from_replicated, i, from);
    c->by_host[i] = (dap_grouped){c->hosts[dap_problem_rank(problem, true, from)], i};
  }
  dap_grouped_sort(c->by_host, c->from_replicas);
  c->hosts_of = number;
}

/* Sets from[] along replicated axes to the copy that `rank` reads: its own, else one on its node, else any
 * one, so that the readers are spread over the copies. With from_owners it is the first. */
static void find_nearest(const dap_problem *problem, int rank, int from[])
{
  const dap_copies *c = problem->copies;
  int chosen = rank % c->from_replicas, own[DAP_MAX_NDIM];
  if (c->from_replicas == 1) return;
  if (c->from_owners) {
    dap_copies_coords_along(problem, true, c->from_replicated, 0, from);
    return;
  }
  if (has_block(problem, rank, from, own)) {
    memcpy(from, own, (size_t)problem->ndim * sizeof *from);
    return;
  }
  if (c->hosts) {
    group_by_host(problem, from);
    int first;
    const int near = dap_grouped_find(c->by_host, c->from_replicas, c->hosts[rank], &first);
    if (near > 0) chosen = c->by_host[first + rank % near].copy;
  }
  dap_copies_coords_along(problem, true, c->from_replicated, chosen, from);
}

int dap_copies_first(const dap_problem *problem, int rank)
{
  int own[DAP_MAX_NDIM];
  if (!dap_copies_find(problem, true, rank, own)) return rank;
  dap_copies_coords_along(problem, true, problem->copies->from_replicated, 0, own);
  return dap_problem_rank(problem, true, own);
}

static bool is_first_addend(const dap_problem *problem, const int from[])
{
  return dap_copies_number_along(problem, true, problem->copies->is_partial, from) == 0;
}

bool dap_copies_read(const dap_problem *problem, dap_reads reads, bool is_send, int from[], const int to[])
{
  int nearest[DAP_MAX_NDIM];
  const size_t bytes = (size_t)problem->ndim * sizeof *from;
  if (reads == DAP_READS_FIRST && !is_first_addend(problem, from)) return false;
  if (reads == DAP_READS_OTHERS && is_first_addend(problem, from)) return false;
  if (problem->copies->from_replicas == 1) return true;
  memcpy(nearest, from, bytes);
  find_nearest(problem, dap_problem_rank(problem, false, to), nearest);
  if (!is_send) memcpy(from, nearest, bytes);
  return memcmp(from, nearest, bytes) == 0;
}
