/* Counts the messages of a process in one phase and in two, for several numbers of processes, and prints
 * which the library chooses. Needs no MPI; see README.md. Private: programs cannot force phases.
 *
 *   bench_phases [most processes, 4096] */
#include "problem_impl.h"

#include <stdio.h>
#include <stdlib.h>

static const int procs[] = {64, 256, 1024, 4096};
enum { PROCS = sizeof procs / sizeof *procs, SAMPLES = 5 /* processes that are inspected */ };

/* A move of an array with one axis or two. */
typedef struct move {
  const char *about;
  int ndim;
  int64_t size;
  void (*cut)(int64_t size, int nprocs, dap_dist from[], dap_dist to[]);
} move;

static int side_of_grid(int nprocs)
{
  int side = 1;
  while (side * side < nprocs) side *= 2;
  return side;
}

static void slab_to_cyclic(int64_t size, int nprocs, dap_dist from[], dap_dist to[])
{
  const int side = side_of_grid(nprocs);
  from[0] = dap_dist_even(size, nprocs);
  from[1] = dap_dist_local(size);
  to[0] = dap_dist_cyclic(size, nprocs / side, 64);
  to[1] = dap_dist_cyclic(size, side, 64);
}

static void transpose(int64_t size, int nprocs, dap_dist from[], dap_dist to[])
{
  from[0] = to[1] = dap_dist_even(size, nprocs);
  from[1] = to[0] = dap_dist_local(size);
}

static void single_to_block(int64_t size, int nprocs, dap_dist from[], dap_dist to[])
{
  from[0] = dap_dist_cyclic(size, nprocs, 1);
  to[0] = dap_dist_even(size, nprocs);
}

static const move moves[] = {
    {"slabs to cyclic(64)", 2, 16384, slab_to_cyclic},   {"slabs to cyclic(64)", 2, 262144, slab_to_cyclic},
    {"slabs to slabs, transposed", 2, 4096, transpose},  {"slabs to slabs, transposed", 2, 65536, transpose},
    {"cyclic(1) to block", 1, 1 << 20, single_to_block}, {"cyclic(1) to block", 1, 1 << 26, single_to_block},
    {"cyclic(1) to block", 1, 1 << 30, single_to_block}};
enum { MOVES = sizeof moves / sizeof *moves };

/* Returns the largest numbers of the inspected processes. */
static dap_status look(int nprocs, const dap_side *from, const dap_side *to, unsigned forced,
                       dap_plan_stats *most, dap_error *err)
{
  const dap_plan_options options = {.transports = forced};
  *most = (dap_plan_stats){0};
  for (int i = 0; i < SAMPLES; i++) {
    dap_plan_stats s;
    const int rank = (int)((int64_t)(nprocs - 1) * i / (SAMPLES - 1));
    const dap_status status = dap_plan_preview(nprocs, rank, from, to, sizeof(double), &options, &s, err);
    if (status) return status;
    if (s.messages_sent > most->messages_sent) most->messages_sent = s.messages_sent;
    if (s.bytes_sent > most->bytes_sent) most->bytes_sent = s.bytes_sent;
    if (s.phases > most->phases) most->phases = s.phases;
  }
  return DAP_OK;
}

static dap_status print(const move *m, int nprocs, dap_error *err)
{
  dap_dist before[2], after[2];
  dap_layout *from = NULL, *to = NULL;
  dap_plan_stats one, two, chosen;
  m->cut(m->size, nprocs, before, after);
  dap_status s = dap_layout_create(m->ndim, before, &from, err);
  if (!s) s = dap_layout_create(m->ndim, after, &to, err);
  const dap_side a = {.layout = from, .contiguous = true}, b = {.layout = to, .contiguous = true};
  if (!s) s = look(nprocs, &a, &b, DAP_FORCED_ONE_PHASE, &one, err);
  if (!s) s = look(nprocs, &a, &b, DAP_FORCED_TWO_PHASES, &two, err);
  if (!s) s = look(nprocs, &a, &b, 0, &chosen, err);
  if (!s)
    printf("%-27s %d-D %10lld %6d %8lld %11lld %8lld %11lld %7s %7s\n", m->about, m->ndim, (long long)m->size,
           nprocs, (long long)one.messages_sent, (long long)one.bytes_sent, (long long)two.messages_sent,
           (long long)two.bytes_sent, two.phases == 2 ? "yes" : "no", chosen.phases == 2 ? "two" : "one");
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  return s;
}

int main(int argc, char **argv)
{
  const int most = argc > 1 ? atoi(argv[1]) : procs[PROCS - 1]; /* NOLINT(cert-err34-c): 0 prints nothing */
  printf("The most that %d of the processes send in a run, elements of 8 bytes\n"
         "%-27s %3s %10s %6s %20s %20s %7s %7s\n%49s %8s %11s %8s %11s\n",
         (int)SAMPLES, "", "", "extent", "procs", "one phase", "two phases", "can be", "chosen", "",
         "messages", "bytes", "messages", "bytes");
  for (int m = 0; m < MOVES; m++)
    for (int p = 0; p < PROCS && procs[p] <= most; p++) {
      dap_error err = {0};
      if (print(&moves[m], procs[p], &err)) {
        fprintf(stderr, "bench_phases: %s\n", err.text);
        return EXIT_FAILURE;
      }
    }
  return EXIT_SUCCESS;
}
