/* Measures pairs of processes: how long a word takes from one to the other, and MPI's messages. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): sched_setaffinity() */
#include "node.h"

#include "fail.h"
#include "numbers.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* ---- made ---------------------------------------------------------------------------------------------- */

static char *make_buffer(int fill)
{
  char *buffer = aligned_alloc(4096, NODE_LARGE);
  if (!buffer) bench_fail("no memory for %d bytes", (int)NODE_LARGE);
  memset(buffer, fill, NODE_LARGE);
  return buffer;
}

/* Allocates the shared memory on the even process. */
static void share(node *n)
{
  MPI_Aint bytes;
  int unit;
  char *at;
  const size_t line = 4096, own = n->is_even ? sizeof(node_shared) + line : 0;
  MPI_Win_allocate_shared((MPI_Aint)own, 1, MPI_INFO_NULL, n->comm, (void *)&at, &n->window);
  MPI_Win_shared_query(n->window, n->is_even ? n->rank : n->rank - 1, &bytes, &unit, (void *)&at);
  /* Windows can begin at different addresses in each process, but pages are the same. */
  n->shared = (node_shared *)(void *)(at + (line - (uintptr_t)at % line) % line);
  if (n->is_even) memset((void *)n->shared, 0, sizeof *n->shared);
}

void node_open(MPI_Comm comm, node *n)
{
  MPI_Comm near;
  int size;
  *n = (node){.comm = comm};
  MPI_Comm_rank(comm, &n->rank);
  MPI_Comm_size(comm, &n->nprocs);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
  MPI_Comm_size(near, &size);
  MPI_Comm_free(&near);
  if (size != n->nprocs) bench_fail("bench_node: %d processes, of which %d share memory", n->nprocs, size);
  n->is_even = n->rank % 2 == 0;
  n->partner = n->is_even ? n->rank + 1 : n->rank - 1;
  if (n->partner == n->nprocs) n->partner = -1;
  n->from = make_buffer(1);
  n->to = make_buffer(0);
  share(n);
  MPI_Barrier(comm);
}

void node_close(node *n)
{
  MPI_Win_free(&n->window);
  free(n->from);
  free(n->to);
}

/* ---- turns --------------------------------------------------------------------------------------------- */

/* Waits like the library: after a long wait it yields its core. */
void node_await(const node *n, bool even)
{
  enum { PATIENCE = 1000 };
  for (int spins = 0; atomic_load_explicit(&n->shared->turn, memory_order_acquire) % 2 == even;) {
    if (++spins > PATIENCE) (void)sched_yield();
  }
}

void node_pass(const node *n)
{
  const int turn = atomic_load_explicit(&n->shared->turn, memory_order_relaxed);
  atomic_store_explicit(&n->shared->turn, turn + 1, memory_order_release);
}

void node_end_turns(const node *n)
{
  if (n->is_even) node_await(n, true);
}

double node_handover(const node *n)
{
  if (n->partner < 0) return 0;
  const double begun = bench_now();
  for (int i = 0; i < NODE_HANDOVERS; i++) {
    node_await(n, n->is_even);
    node_pass(n);
  }
  node_end_turns(n);
  return (bench_now() - begun) / 2;
}

/* Binds both processes of a pair to the first core that this one may use. */
double node_handover_one_core(const node *n)
{
#ifdef __linux__
  cpu_set_t all, one;
  size_t core = 0;
  if (n->partner < 0) return 0;
  if (sched_getaffinity(0, sizeof all, &all)) return -1;
  while (core < CPU_SETSIZE - 1 && !CPU_ISSET(core, &all)) core++;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  const bool is_bound = sched_setaffinity(0, sizeof one, &one) == 0;
  const double seconds = node_handover(n);
  if (is_bound) (void)sched_setaffinity(0, sizeof all, &all);
  return is_bound ? seconds : -1;
#else
  (void)n;
  return -1;
#endif
}

/* ---- messages ------------------------------------------------------------------------------------------ */

/* Sends a message there and back. */
double node_message(const node *n)
{
  enum { TIMES = 50 };
  char word[8] = {0};
  if (n->partner < 0) return 0;
  const double begun = bench_now();
  for (int i = 0; i < TIMES; i++) {
    if (n->is_even) MPI_Send(word, sizeof word, MPI_BYTE, n->partner, 0, n->comm);
    MPI_Recv(word, sizeof word, MPI_BYTE, n->partner, 0, n->comm, MPI_STATUS_IGNORE);
    if (!n->is_even) MPI_Send(word, sizeof word, MPI_BYTE, n->partner, 0, n->comm);
  }
  return (bench_now() - begun) / (2 * TIMES);
}

/* Sends to the other and receives from it at once. The message is written before each time, like packed
 * data. */
double node_messages(const node *n)
{
  enum { TIMES = 4, BYTES = 2 * NODE_CACHED };
  double seconds = 0;
  for (int i = 0; i < TIMES && n->partner >= 0; i++) {
    memset(n->from, i, BYTES);
    const double begun = bench_now();
    MPI_Sendrecv(n->from, BYTES, MPI_BYTE, n->partner, 0, n->to, BYTES, MPI_BYTE, n->partner, 0, n->comm,
                 MPI_STATUS_IGNORE);
    seconds += bench_now() - begun;
  }
  return seconds / TIMES;
}
