/* Moves one process's array, or the sum of one addend on each process, to all processes. Private: programs
 * cannot force the width of the tree. */
#include "problem_impl.h"
#include "times.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHECKED = 1 << 13 /* elements */ };

typedef struct copies {
  MPI_Comm comm;
  int rank, nprocs;
  bool is_sum, is_checked;
  int64_t n;
  double *source, *destination; /* only process 0 has the source of a broadcast */
} copies;

static void must(dap_status s, const dap_error *err)
{
  if (!s) return;
  (void)fprintf(stderr, "%s\n", err->text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void run_plan(const copies *c, int fan_out, const times_clock *clock)
{
  const dap_dist from[] = {dap_dist_even(c->n, 1),
                           c->is_sum ? dap_dist_partial(1, c->nprocs) : dap_dist_local(1)},
                 to[] = {dap_dist_even(c->n, 1), dap_dist_replicated(1, c->nprocs)};
  dap_layout *layouts[2];
  dap_plan *plan = NULL;
  dap_error err;
  must(dap_layout_create(2, from, &layouts[0], &err), &err);
  must(dap_layout_create(2, to, &layouts[1], &err), &err);
  const dap_side a = {.layout = layouts[0], .dtype = DAP_F8, .contiguous = true},
                 b = {.layout = layouts[1], .dtype = DAP_F8, .contiguous = true};
  const dap_plan_options options = {.transports =
                                        DAP_TRANSPORT_MESSAGES | DAP_FORCED_FAN_OUT * (unsigned)fan_out};
  must(dap_plan_create(c->comm, &a, &b, 8, &options, &plan, &err), &err);
  clock->start();
  must(dap_plan_run(plan, c->source, c->destination, &err), &err);
  clock->stop();
  dap_plan_destroy(&plan);
  for (int i = 0; i < 2; i++) dap_layout_destroy(&layouts[i]);
}

static void run_mpi(const copies *c, const times_clock *clock)
{
  clock->start();
  if (c->is_sum)
    MPI_Allreduce(c->source, c->destination, (int)c->n, MPI_DOUBLE, MPI_SUM, c->comm);
  else
    MPI_Bcast(c->rank == 0 ? c->source : c->destination, (int)c->n, MPI_DOUBLE, 0, c->comm);
  clock->stop();
}

static void check(const copies *c, bool has_own)
{
  const int64_t addends = c->is_sum ? c->nprocs : 1;
  for (int64_t i = 0; c->is_checked && i < c->n; i++)
    if (c->destination[i] != (double)(addends * i) && (has_own || c->rank > 0)) {
      (void)fprintf(stderr, "rank %d: an element is wrong\n", c->rank);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

bool times_copies(const char *name, const char *method, MPI_Comm comm, int64_t n, const times_clock *clock)
{
  const bool is_sum = strcmp(name, "sum") == 0, is_mpi = strcmp(method, "mpi") == 0;
  if (!is_sum && strcmp(name, "copy") != 0) return false;
  copies c = {.comm = comm, .is_sum = is_sum, .is_checked = n <= MOST_CHECKED, .n = n};
  MPI_Comm_rank(comm, &c.rank);
  MPI_Comm_size(comm, &c.nprocs);
  c.source = times_alloc(n, !c.is_checked);
  c.destination = times_alloc(n, !c.is_checked);
  for (int64_t i = 0; c.is_checked && i < n; i++) c.source[i] = (double)i;
  if (is_mpi)
    run_mpi(&c, clock);
  else
    run_plan(&c, (int)strtol(method, NULL, 10), clock);
  check(&c, !is_mpi || is_sum);
  times_free(c.source, !c.is_checked);
  times_free(c.destination, !c.is_checked);
  return true;
}
