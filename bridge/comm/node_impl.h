/* Declares what files of the comm layer share about this process, its node and the node's memory. */
#ifndef DAP_NODE_IMPL_H
#define DAP_NODE_IMPL_H

#include "model_impl.h"
#include <dapbridge/context.h>

/* self.c: this process's own data, an attribute of MPI_COMM_SELF until MPI_Finalize. */
typedef struct dap_allocation dap_allocation;
/* Attributes of communicators: hosts of dap_node_pretend(), limits of dap_wait_limit(), contexts. */
typedef enum dap_key { DAP_KEY_HOST, DAP_KEY_LIMIT, DAP_KEY_CONTEXT, DAP_KEYS } dap_key;
typedef struct dap_self {
  uint64_t id;                /* dap_process_id() */
  int keys[DAP_KEYS];         /* MPI_KEYVAL_INVALID: no communicator has had such an attribute yet */
  void (*end_contexts)(void); /* set with the first context: ends all contexts as MPI ends */
  dap_context *contexts;      /* a list, the newest first: context.c */
  void *by_address, *by_id;   /* trees of dap_allocation, for tfind(): segments.c */
} dap_self;
/* Locks the data for this thread. dap_self_unlock() must follow in every case. NULL: there is none, and it
 * could not be made or `make` is false. */
dap_self *dap_self_lock(bool make);
void dap_self_unlock(void);
/* Leaves memory that begins with this to MPI, which may use it until the process ends. It stays in a list, by
 * which memory checkers see that it is known. */
typedef struct dap_left {
  struct dap_left *next;
} dap_left;
void dap_self_leave(dap_left *memory);
/* Returns MPI's number of a kind of attribute, which dap_self_make_key() makes if there is none. It is valid
 * until MPI ends. MPI_KEYVAL_INVALID: there is none, or no memory for it. */
int dap_self_key(dap_key key);
int dap_self_make_key(dap_key key, MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *end);
/* Returns a number that tells processes of a node apart, the same while MPI runs; 0: no memory to keep
 * it. */
uint64_t dap_process_id(void);
uint64_t dap_process_draw(void); /* returns a random number, not 0, that nobody else guesses or draws */
/* Returns the state of a process as the letter of proc(5), and its parent's number, or 0. '\0': there is no
 * such process. '?': the system does not tell. */
char dap_process_state(int64_t process, int64_t *parent);

/* node.c: the processes of a communicator that share memory with this one */
typedef struct dap_node {
  MPI_Comm comm;   /* private, of this node's processes */
  int rank, size;  /* of `comm` */
  int whole_rank;  /* in the whole communicator */
  int *node_ranks; /* [processes of the whole communicator] rank in node->comm; -1: on another node */
  uint64_t *ids;   /* [size] dap_process_id() of each */
  bool is_joined;  /* the whole communicator has processes of several MPI_COMM_WORLDs, joined while running */
} dap_node;
/* Finds the processes of `comm` that share memory with this one. Collective on `comm`; agreed. */
dap_status dap_node_create(MPI_Comm comm, dap_node *node, dap_error *err);
/* Agrees on the node as dap_agree() does. Errors name the rank in the whole communicator. */
dap_status dap_node_agree(const dap_node *node, dap_status status, dap_error *err);
void dap_node_release(dap_node *node); /* collective on the node; accepts a zeroed one */
/* Makes processes of `comm`, and of its duplicates, count as being on different nodes if they name different
 * hosts. Tests use it. All processes must name one. False: no memory. */
bool dap_node_pretend(MPI_Comm comm, int host);
/* Pretends for `to` the host that `from` has, if any. Not collective. */
dap_status dap_node_pretend_alike(MPI_Comm from, MPI_Comm to, dap_error *err);

/* pages.c: memory that other processes of the machine can map. DAP_ERR_NOMEM: the system does not give it. */
/* Tells other processes where to find the memory: by its name, or among its maker's open files. */
typedef struct dap_pages_place {
  char name[24];           /* "": it has none */
  int64_t process;         /* the kernel's number of the process that made the memory */
  int file;                /* its open file; -1: none */
  uint64_t device, number; /* identify the file; 0: not known */
  uint64_t space;          /* the namespace that has the process's number; 0: not known */
  int64_t bytes;
} dap_pages_place;
/* Creates `bytes` > 0, zeroed, open to no other user, and maps them. The caller closes place->file, also on
 * error. With a name, others find the memory until it is forgotten, otherwise while the file is open. On
 * error there is no name. */
dap_status dap_pages_create(bool has_name, int64_t bytes, dap_pages_place *place, char **at, dap_error *err);
/* Maps the memory of another process. DAP_ERR_UNSUPPORTED: this process does not see it, because it is on
 * another machine or in another container; without a name, it might see a name. DAP_ERR_NOMEM: no memory, or
 * the process that made it without a name has ended. */
dap_status dap_pages_open(const dap_pages_place *place, char **at, dap_error *err);
void dap_pages_forget(dap_pages_place *place); /* removes the name, if any; mapped memory stays */
/* Reserves the pages, which are mapped at `mapped`. Without this, a full system ends the program by a signal
 * when it writes to the memory. */
dap_status dap_pages_reserve(const dap_pages_place *place, char *mapped, dap_error *err);
void dap_pages_release(char *at, int64_t bytes); /* accepts NULL */

/* memory.c: memory that a node's processes share, one part from each */
typedef struct dap_memory {
  int size;       /* processes of the node; 0: there is no such memory */
  bool never;     /* there will be none, because some processes do not see the memory of others */
  char **parts;   /* [size] where this process sees them; each begins on a page; NULL if it has no bytes */
  int64_t *bytes; /* [size] */
} dap_memory;
/* Creates memory in which this process's part has `bytes` >= 0, zeroed and reserved. Collective on the node;
 * agreed there. Without shared memory, all processes of the node get DAP_OK, memory->size is 0, and
 * err->text has the reason. */
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
/* Takes a region of this process's part. Its bytes are not initialised. If there is no room, region->bytes
 * is 0. Not collective. */
dap_status dap_pool_take(dap_pool *pool, int64_t bytes, dap_reservation *region, dap_error *err);
void dap_pool_give_back(dap_pool *pool, dap_reservation *region); /* not collective; accepts 0 bytes */
char *dap_pool_at(const dap_pool *pool, int node_rank, int segment, int64_t offset);
int64_t dap_pool_first(int segment);   /* the first region's offset; in segment 0 a board comes before it */
int64_t dap_pool_round(int64_t bytes); /* the bytes that a region of `bytes` takes */

/* pool_memory.c: where a pool gets its memory */
/* Creates a pool for the processes of `comm` on `node`. Without shared memory it returns DAP_OK, and the
 * pool has no segments. Collective on `comm`; agreed. */
dap_status dap_pool_create(dap_pool *pool, const dap_node *node, MPI_Comm comm, dap_error *err);
void dap_pool_release(dap_pool *pool); /* not collective */
/* Makes room for a region. `bytes` is what this process lacks; 0: nothing. All processes of the node get
 * room for the largest number. *has_room receives whether nobody lacks any now. Without shared memory it
 * returns DAP_OK. Collective on the node; agreed there. */
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
  int32_t node_rank; /* the process whose part it is in */
  int64_t offset;    /* in that part, bytes */
} dap_segment;
/* Finds the segment of an address in this process's own arrays. The caller holds dap_self_lock(false) for
 * all of these functions. */
dap_segment dap_segment_find(const dap_self *self, const void *at);
/* Returns where this process sees a segment; NULL: it does not see it. */
char *dap_segment_at(const dap_self *self, const dap_segment *segment);
/* Returns whether process `id` sees a segment of this process. It does until it releases its own part. The
 * answer is that of dap_segment_at() on the other process, if its last release happened before both
 * calls. */
bool dap_segment_seen(const dap_self *self, const dap_segment *segment, uint64_t id);

#endif
