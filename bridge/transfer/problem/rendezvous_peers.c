/* Numbers the processes at one coordinate of an axis, and finds which processes are read where several have
 * the whole source. All processes at a coordinate want the same along the axis, so they share the work: each
 * finds the senders of some blocks of the source, and sends them the requests. */
#include "problem_impl.h"

#include <stdlib.h>
#include <string.h>

int dap_peers_count(const dap_layout *layout, int axis)
{
  return axis < 0 ? layout->nprocs : layout->nprocs / layout->maps[axis].axis.procs;
}

int dap_peers_number(const dap_layout *layout, int axis, int process)
{
  int coords[DAP_MAX_NDIM], number = 0;
  dap_layout_coords(layout, process, coords);
  for (int k = 0; k < layout->ndim; k++)
    if (k != axis) number = number * layout->maps[k].axis.procs + coords[k];
  return number;
}

int dap_peers_process(const dap_layout *layout, int axis, int coord, int number)
{
  int coords[DAP_MAX_NDIM];
  for (int k = layout->ndim - 1; k >= 0; k--) {
    const int procs = layout->maps[k].axis.procs;
    coords[k] = k == axis ? coord : number % procs;
    if (k != axis) number /= procs;
  }
  return dap_layout_rank(layout, coords);
}

/* Sets to[] to the coordinates of receiver `number` at coordinate q of the axis. Returns its rank. */
static int find_receiver(const dap_problem *problem, int axis, int q, int number, int to[])
{
  const int process = dap_peers_process(problem->to.layout, problem->to.axes[axis], q, number);
  dap_problem_coords(problem, false, process, to);
  return dap_problem_rank(problem, false, to);
}

bool dap_peers_read(const dap_problem *problem, int axis, int q)
{
  int from[DAP_MAX_NDIM], to[DAP_MAX_NDIM];
  const int count = dap_peers_count(problem->to.layout, problem->to.axes[axis]);
  memcpy(from, problem->from.coords, sizeof from);
  for (int i = 0; i < count; i++)
    if (find_receiver(problem, axis, q, i, to) != problem->rank &&
        dap_copies_read(problem, DAP_READS_NEAREST, true, from, to))
      return true;
  return false;
}

static dap_status add_sender(int rank, dap_senders *senders, dap_error *err)
{
  int *ranks = dap_grow(senders->ranks, senders->count, &senders->capacity, sizeof *ranks);
  DAP_REQUIRE(ranks, err, DAP_ERR_NOMEM, "no memory for %d processes to ask", senders->count + 1);
  senders->ranks = ranks;
  senders->ranks[senders->count++] = rank;
  return DAP_OK;
}

/* Adds the processes with block from[] that some receiver at this process's coordinate reads. */
static dap_status add_senders(const dap_problem *problem, int axis, const int from[], bool seen[],
                              dap_senders *senders, dap_error *err)
{
  int nearest[DAP_MAX_NDIM], to[DAP_MAX_NDIM];
  const int count = dap_peers_count(problem->to.layout, problem->to.axes[axis]);
  for (int i = 0; i < count; i++) {
    const int receiver = find_receiver(problem, axis, problem->to.coords[axis], i, to);
    memcpy(nearest, from, (size_t)problem->ndim * sizeof *nearest);
    (void)dap_copies_read(problem, DAP_READS_NEAREST, false, nearest, to);
    const int sender = dap_problem_rank(problem, true, nearest);
    if (sender == receiver || seen[sender]) continue;
    seen[sender] = true;
    DAP_TRY(add_sender(sender, senders, err));
  }
  return DAP_OK;
}

dap_status dap_senders_find(const dap_problem *problem, int axis, dap_senders *senders, dap_error *err)
{
  int from[DAP_MAX_NDIM], block = 0;
  dap_status s = DAP_OK;
  if (problem->to.process < 0) return DAP_OK;
  const int to_axis = problem->to.axes[axis], share = dap_peers_count(problem->to.layout, to_axis),
            own = dap_peers_number(problem->to.layout, to_axis, problem->to.process);
  const int ranks = problem->copies->from.count;
  bool *seen = calloc((size_t)ranks, sizeof *seen);
  DAP_REQUIRE(seen, err, DAP_ERR_NOMEM, "no memory to ask %d processes", ranks);
  for (int p = 0; p < problem->from.layout->nprocs && !s; p++) {
    dap_problem_coords(problem, true, p, from);
    const bool is_first = dap_copies_number_along(problem, true, problem->copies->from_replicated, from) == 0;
    if (is_first && block++ % share == own) s = add_senders(problem, axis, from, seen, senders, err);
  }
  free(seen);
  return s;
}
