/* The figures of a node: what the model of a run is made of (bridge/docs/model.md). */
#ifndef DAP_BENCH_NODE_H
#define DAP_BENCH_NODE_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  NODE_LARGE = 16 << 20,  /* bytes that no cache of a core holds */
  NODE_CACHED = 256 << 10 /* bytes that one holds, and of a slot */
};

/* What two processes, 2 k and 2 k + 1, share: a slot, and whose turn it is. */
typedef struct node_shared {
  _Alignas(64) _Atomic int turn; /* of the even one if even */
  _Alignas(4096) char slot[NODE_CACHED];
} node_shared;

typedef struct node {
  MPI_Comm comm;
  int rank, nprocs, partner; /* -1: none */
  bool is_even;
  char *from, *to; /* [NODE_LARGE] this process's own, from a page on */
  node_shared *shared;
  MPI_Win window;
} node;

/* node_pair.c */
void node_open(MPI_Comm comm, node *n);
void node_close(node *n);
void node_await(const node *n, bool even); /* until it is that one's turn */
void node_pass(const node *n);             /* the turn is the other's */
void node_end_turns(const node *n);        /* the odd one has had the last; the next is the even one's */

/* Each: seconds of one sample on this process; 0: it has no part in it; below 0: it cannot be measured here.
 * All processes call them together. */
typedef double node_sample(const node *n);

/* node_copies.c: alone */
node_sample node_copy_cached, node_copy, node_copy_past, node_gather;
/* node_slots.c: from one to another; a slot, written by the even one, or read by the odd one */
node_sample node_through_written, node_through_read, node_past_written, node_past_read;
/* node_pair.c: words and messages */
node_sample node_handover, node_handover_one_core, node_message, node_messages;
enum { NODE_HANDOVERS = 500, NODE_STEP = 512 };

/* node_caches.c: bytes of a core's cache of this level, 1 to 3; -1: not known */
int64_t node_cache_bytes(int level);

#endif
