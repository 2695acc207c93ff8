/* The comm layer: this process, the processes of its node, and the memory that they share. An index of these
 * files; the others' is comm_impl.h. */
#ifndef DAP_NODE_IMPL_H
#define DAP_NODE_IMPL_H

#include "model_impl.h"
#include <dapbridge/context.h>

/* self.c: what this process keeps until MPI_Finalize. It hangs on MPI_COMM_SELF. */
typedef struct dap_allocation dap_allocation;
typedef struct dap_self {
  uint64_t id;                   /* dap_process_id() */
  uint64_t counter;              /* of dap_process_next() */
  int host_key;                  /* of dap_node_pretend(); MPI_KEYVAL_INVALID: nobody did */
  int limit_key;                 /* of dap_wait_limit(); the same */
  int context_key;               /* of contexts; MPI_KEYVAL_INVALID: there was none yet */
  void (*end_contexts)(int key); /* set with the key: ends all contexts as MPI ends */
  dap_context *contexts;         /* a list, the newest first: context.c */
  void *by_address, *by_id;      /* trees of dap_allocation, for tfind(): segments.c */
} dap_self;
/* For this thread alone until it calls dap_self_unlock(), which it does in every case. NULL: there is none
 * and it was not to be made, or could not be. */
dap_self *dap_self_lock(bool make);
void dap_self_unlock(void);
/* A number that tells processes of a node apart, the same as long as MPI runs; 0: no memory to remember
 * it. */
uint64_t dap_process_id(void);
uint64_t dap_process_next(void); /* 1, 2, ...; 0: no memory */
uint64_t dap_process_draw(void); /* a random number that nobody else guesses or draws, not 0 */

/* node.c: the processes of a communicator that share memory with this one */
typedef struct dap_node {
  MPI_Comm comm;   /* private, of this node's processes */
  int rank, size;  /* in it */
  int whole_rank;  /* in the whole communicator */
  int *node_ranks; /* [processes of the whole communicator] rank in node->comm; -1: on another node */
  uint64_t *ids;   /* [size] what tells processes apart: dap_process_id() of each */
  bool is_joined;  /* the whole communicator has processes of several MPI_COMM_WORLDs, joined while running */
} dap_node;
/* Collective on `comm`; agreed. */
dap_status dap_node_create(MPI_Comm comm, dap_node *node, dap_error *err);
/* dap_agree() on the node, with the rank in the whole communicator. */
dap_status dap_node_agree(const dap_node *node, dap_status status, dap_error *err);
void dap_node_release(dap_node *node); /* collective on the node; a zeroed one may be released */
/* For tests: processes of `comm`, and of its duplicates, that name different hosts count as being on
 * different nodes. All of them name one. False: no memory. */
bool dap_node_pretend(MPI_Comm comm, int host);
/* `to` pretends what `from` does. Not collective. */
dap_status dap_node_pretend_alike(MPI_Comm from, MPI_Comm to, dap_error *err);

/* pages.c: memory with a name, bytes > 0, which other processes of the machine can map. Where it is not to
 * be had: DAP_ERR_NOMEM. */
/* Zeroed, open to no other user; *file is the caller's to close, also on error. name[] is random, and of at
 * most 30 characters, which every system takes; it is for dap_pages_open(), until it is forgotten. On error,
 * or if it is not kept, it is empty: others open what dap_pages_find() tells, while the file is open. */
enum { DAP_PAGES_NAME = 24 };
dap_status dap_pages_create(char name[DAP_PAGES_NAME], bool keeps_name, int64_t bytes, char **at, int *file,
                            dap_error *err);
typedef struct dap_pages_place {
  int64_t process;         /* the kernel's number */
  int file;                /* of it, */
  uint64_t device, number; /* which is this one */
  uint64_t space;          /* the namespace that has the process's number; 0: not known */
} dap_pages_place;
void dap_pages_find(int file, dap_pages_place *place);
/* DAP_ERR_UNSUPPORTED: it is not seen here, which does not say that by a name it were not either. If the
 * process has ended: DAP_ERR_NOMEM. */
dap_status dap_pages_open_at(const dap_pages_place *place, int64_t bytes, char **at, dap_error *err);
/* Takes the pages of `file`, which is mapped at `mapped`. Without this a full system shows itself only when
 * the memory is written to, by a signal. */
dap_status dap_pages_reserve(int file, char *mapped, int64_t bytes, dap_error *err);
void dap_pages_close(int file); /* accepts -1 */
/* Maps the memory of that name, which its maker must not have forgotten yet. DAP_ERR_UNSUPPORTED: this
 * process does not see the name, or it finds the memory of another process under it. It is on another
 * machine, or in a container of its own. */
dap_status dap_pages_open(const char *name, int64_t bytes, char **at, dap_error *err);
void dap_pages_forget(const char *name);         /* who has mapped it keeps it */
void dap_pages_release(char *at, int64_t bytes); /* accepts NULL */

/* memory.c: memory that a node's processes share, one part from each */
typedef struct dap_memory {
  int size;       /* processes of the node; 0: there is none, */
  bool never;     /* nor will there be: some do not see the memory of others */
  char **parts;   /* [size] where this process sees them; each begins on a page; NULL if it has no bytes */
  int64_t *bytes; /* [size] */
} dap_memory;
/* This process brings `bytes` >= 0, zeroed and reserved. Collective on the node; agreed there. Where
 * shared memory is not to be had: DAP_OK, memory->size 0 and the reason in err->text, on all processes of
 * the node. */
dap_status dap_memory_create(const dap_node *node, int64_t bytes, dap_memory *memory, dap_error *err);
void dap_memory_release(dap_memory *memory); /* not collective */

/* pool.c: memory that the processes of a context's node share, for regions of its plans */
typedef struct dap_reservation {
  int segment;
  int64_t offset, bytes; /* in this process's part of the segment; bytes 0: none */
} dap_reservation;
typedef struct dap_pool {
  dap_memory *segments; /* [segment_count]; with 0 segments there is no shared memory */
  bool never;           /* the system has none, so no process of the node asks again */
  int segment_count, node_rank;
  dap_reservation *taken; /* [taken_count] of this process's parts, by segment and offset */
  int taken_count, capacity;
} dap_pool;
/* A region of this process's part, which may hold anything. Not collective; region->bytes is 0 where there is
 * no room. */
dap_status dap_pool_take(dap_pool *pool, int64_t bytes, dap_reservation *region, dap_error *err);
void dap_pool_give_back(dap_pool *pool, dap_reservation *region); /* not collective; accepts 0 bytes */
char *dap_pool_at(const dap_pool *pool, int node_rank, int segment, int64_t offset);
int64_t dap_pool_first(int segment);   /* where regions of a segment begin: the first one has the board */
int64_t dap_pool_round(int64_t bytes); /* what a region of so many bytes takes */

/* pool_memory.c: where a pool gets its memory */
/* Collective on `comm`, whose processes `node` tells apart; agreed. No memory to be had: DAP_OK, without
 * segments. */
dap_status dap_pool_create(dap_pool *pool, const dap_node *node, MPI_Comm comm, dap_error *err);
void dap_pool_release(dap_pool *pool); /* not collective */
/* Room for the most bytes that a process of the node lacks; 0: this one lacks none. Collective on the node;
 * agreed there. *has_room: nobody lacks any, or all now have that much. No memory to be had: DAP_OK, and no
 * room. */
dap_status dap_pool_grow(dap_pool *pool, const dap_node *node, int64_t bytes, bool *has_room, dap_error *err);

/* segments.c: the arrays of dap_array_alloc(), found by address */
enum { DAP_LINE = 64 /* bytes: a cache line, and an AVX-512 register */ };
/* Allocates `bytes` >= 0 for this process, zeroed, from a multiple of DAP_LINE on. Without shared memory, all
 * processes of the node get DAP_OK, *allocation is NULL, and err->text has the reason. Collective on the
 * node; agreed there. */
dap_status dap_allocation_create(const dap_node *node, int64_t bytes, dap_allocation **allocation,
                                 dap_error *err);
char *dap_allocation_data(const dap_allocation *allocation);
/* Releases *allocation, which may be NULL, and sets it to NULL. Not collective. May be called after
 * MPI_Finalize. */
void dap_allocation_release(dap_allocation **allocation);
typedef struct dap_segment {
  uint64_t id;       /* of the allocation, the same on all processes of the node; 0: not in shared memory */
  int32_t node_rank; /* whose part of it */
  int64_t offset;    /* in that part, bytes */
} dap_segment;
/* dap_segment_find() finds the segment of an address in this process's own arrays. dap_segment_at() returns
 * where this process sees a segment; NULL: it does not see it. `self` comes from dap_self_lock(false);
 * dap_self_unlock() comes after these calls. */
dap_segment dap_segment_find(const dap_self *self, const void *at);
char *dap_segment_at(const dap_self *self, const dap_segment *segment);
/* Whether process `id` sees a segment of this process. It does until it releases its own part. The answer is
 * that of dap_segment_at() on the other process, if its last release happened before both calls. */
bool dap_segment_seen(const dap_self *self, const dap_segment *segment, uint64_t id);

#endif
