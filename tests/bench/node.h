/* Declares the figures of a node, from which the model of a run is made (bridge/docs/model.md). */
#ifndef DAP_BENCH_NODE_H
#define DAP_BENCH_NODE_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  NODE_LARGE = 16 << 20,  /* bytes that do not fit into a core's cache */
  NODE_CACHED = 256 << 10 /* bytes that fit, and the size of a slot */
};

/* Memory that two processes, 2 k and 2 k + 1, share: a slot, and the current turn. */
typedef struct node_shared {
  _Alignas(64) _Atomic int turn; /* even: turn of the even process */
  _Alignas(4096) char slot[NODE_CACHED];
} node_shared;

typedef struct node {
  MPI_Comm comm;
  int rank, nprocs, partner; /* -1: none */
  bool is_even;
  char *from, *to; /* [NODE_LARGE] memory of this process, from a page on */
  node_shared *shared;
  MPI_Win window;
} node;

/* Functions of node_pair.c. */
void node_open(MPI_Comm comm, node *n);
void node_close(node *n);
void node_await(const node *n, bool even); /* waits for that process's turn */
void node_pass(const node *n);             /* passes the turn to the other process */
void node_end_turns(const node *n);        /* after the odd one's last turn, waits for the even one's */

/* A sample returns its seconds on this process; 0: this process takes no part; below 0: cannot be measured
 * here. All processes call a sample together. */
typedef double node_sample(const node *n);

/* node_copies.c: copies of each process. */
node_sample node_copy_cached, node_copy, node_copy_past, node_gather;
/* node_slots.c: the even process writes a slot, and the odd one reads it. */
node_sample node_through_written, node_through_read, node_past_written, node_past_read;
/* node_pair.c: words and messages. */
node_sample node_handover, node_handover_one_core, node_message, node_messages;
enum { NODE_HANDOVERS = 500, NODE_STEP = 512 };

/* Returns the bytes of a core's cache of this level, 1 to 3, or -1 if unknown. In node_caches.c. */
int64_t node_cache_bytes(int level);

#endif
