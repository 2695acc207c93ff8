/* The comm layer: the only place where processes agree and where layouts are assembled. */
#ifndef DAP_COMM_IMPL_H
#define DAP_COMM_IMPL_H

#include "model_impl.h"
#include <dapbridge/comm.h>
#include <dapbridge/shared.h>

/* agree.c */
/* What no collective can agree on is refused before it starts: no communicator, or an intercommunicator. */
dap_status dap_comm_check(MPI_Comm comm, dap_error *err);
/* The status of an MPI call: DAP_OK, or DAP_ERR_LIBRARY with `what` and MPI's own text. */
dap_status dap_mpi_check(int code, const char *what, dap_error *err);
/* Collective: a private duplicate of `comm` that returns its errors instead of aborting. */
dap_status dap_comm_private(MPI_Comm comm, MPI_Comm *own, dap_error *err);

/* counts.c */
/* `value` as the int that MPI takes; DAP_ERR_RANGE naming `what` when it does not fit. */
dap_status dap_to_int(int64_t value, const char *what, int *result, dap_error *err);

/* ask.c: questions to other processes */
enum { DAP_ASK_WORDS = 7 };
typedef struct dap_ask {
  int64_t count;    /* this process' questions */
  int ask_words;    /* int64_t in a question, at most DAP_ASK_WORDS */
  int answer_words; /* in an answer, at most DAP_ASK_WORDS; 0: nothing comes back */
  void *context;    /* given to all functions */
  /* Writes question i < count and returns the rank that answers it. Called twice for each. */
  int (*ask)(void *context, int64_t i, int64_t question[]);
  /* On the process asked, by rank `from`, whose questions come in the order of their i. */
  void (*answer)(void *context, int from, const int64_t question[], int64_t answer[]);
  /* Back on the process that asked, in the order of i. May be NULL. */
  void (*take)(void *context, int64_t i, const int64_t answer[]);
} dap_ask;
/* Puts all questions of all processes, in rounds of bounded memory. Collective on `comm`; status and text are
 * the same on every process, but for failures of MPI itself. */
dap_status dap_ask_all(MPI_Comm comm, const dap_ask *ask, dap_error *err);

/* assemble_lists.c */
/* The map of a 'u' axis of the array whose other dictionaries are `dims`, told[procs] the number of indices at
 * each coordinate. Collective on `comm`, whose rank at each place of the grid is ranks[place] (NULL: place). */
dap_status dap_lists_assemble(MPI_Comm comm, int ndim, const dap_dim dims[], int axis, const int64_t held[],
                              const int *ranks, dap_map *map, dap_error *err);

/* lookup.c */
/* Asks who owns indices of a 'u' axis and where, of the processes that keep the directory. For index i < count:
 * global(context, i) -> found(context, i, coord, local). Collective on `comm`; ranks[r] is the rank there of the
 * layout's process r (NULL: r), `process` this one's number in the layout or -1. */
typedef struct dap_lookup {
  const dap_layout *layout;
  int axis, process;
  const int *ranks;
  int64_t count;
  void *context;
  int64_t (*global)(void *context, int64_t i);
  void (*found)(void *context, int64_t i, int coord, int64_t local);
} dap_lookup;
/* All processes of `comm` bring the same layout, and are those it is of. Collective. */
dap_status dap_layout_agree(MPI_Comm comm, const dap_layout *layout, dap_error *err);
dap_status dap_lookup_run(MPI_Comm comm, const dap_lookup *lookup, dap_error *err);

/* self.c: what this process keeps until MPI_Finalize. It hangs on MPI_COMM_SELF. */
typedef struct dap_allocation dap_allocation;
typedef struct dap_self {
  uint64_t id;                 /* dap_process_id() */
  uint64_t counter;            /* of dap_process_next() */
  int host_key;                /* of dap_node_pretend(); MPI_KEYVAL_INVALID: nobody did */
  dap_allocation *allocations; /* a list, the newest first: segments.c */
} dap_self;
/* For this thread alone until it calls dap_self_unlock(), which it does in every case. NULL: there is none
 * and it was not to be made, or could not be. */
dap_self *dap_self_lock(bool make);
void dap_self_unlock(void);
/* What tells processes of a node apart, the same as long as MPI runs; 0: no memory to remember it. */
uint64_t dap_process_id(void);
uint64_t dap_process_next(void); /* 1, 2, ...; 0: no memory */

/* node.c: the processes of a communicator that share memory with this one */
typedef struct dap_node {
  MPI_Comm comm;  /* private, of this node's processes */
  int rank, size; /* in it */
  int *places;    /* [processes of the whole communicator] rank in node->comm; -1: on another node */
  uint64_t *ids;  /* [size] what tells processes apart: dap_process_id() of each */
} dap_node;
/* Collective on `comm`; agreed. */
dap_status dap_node_create(MPI_Comm comm, dap_node *node, dap_error *err);
void dap_node_release(dap_node *node); /* collective on the node; a zeroed one may be released */
/* For tests: processes of `comm`, and of its duplicates, that name different hosts count as being on
 * different nodes. All of them name one. False: no memory. */
bool dap_node_pretend(MPI_Comm comm, int host);

/* pages.c: memory with a name, bytes > 0, which other processes of the machine can map. Where it is not to
 * be had: DAP_ERR_NOMEM. */
/* Zeroed. *file is the caller's to close, also on error. */
dap_status dap_pages_create(const char *name, int64_t bytes, char **at, int *file, dap_error *err);
/* Without this a full system shows itself only when the memory is written to, by a signal. */
dap_status dap_pages_reserve(int file, int64_t bytes, dap_error *err);
void dap_pages_close(int file); /* accepts -1 */
dap_status dap_pages_open(const char *name, int64_t bytes, char **at, dap_error *err);
void dap_pages_forget(const char *name);         /* who has mapped it keeps it */
void dap_pages_release(char *at, int64_t bytes); /* accepts NULL */

/* memory.c: memory that a node's processes share, one part from each */
typedef struct dap_memory {
  int size;       /* processes of the node; 0: there is none */
  char **parts;   /* [size] where this process sees them; each begins on a page; NULL if it has no bytes */
  int64_t *bytes; /* [size] */
} dap_memory;
/* This process brings `bytes` >= 0, zeroed and reserved. Collective on the node; agreed there. Where
 * shared memory is not to be had: DAP_OK, memory->size 0 and the reason in err->text, on all processes of
 * the node. */
dap_status dap_memory_create(const dap_node *node, int64_t bytes, dap_memory *memory, dap_error *err);
void dap_memory_release(dap_memory *memory); /* not collective */

/* segments.c: the arrays of dap_array_alloc(), found by address */
enum { DAP_LINE = 64 /* bytes: a cache line, and an AVX-512 register */ };
/* This process' part holds `bytes` >= 0, zeroed, and begins on a multiple of DAP_LINE. Collective on the
 * node; agreed there. Where shared memory is not to be had: DAP_OK, NULL, and the reason in err->text, on
 * all of the node. */
dap_status dap_allocation_create(const dap_node *node, int64_t bytes, dap_allocation **allocation,
                                 dap_error *err);
char *dap_allocation_data(const dap_allocation *allocation);
/* Not collective; sets it to NULL; accepts a pointer to NULL. May come after MPI_Finalize. */
void dap_allocation_release(dap_allocation **allocation);
typedef struct dap_segment {
  uint64_t id;    /* of the allocation, the same on all processes of the node; 0: not in shared memory */
  int32_t place;  /* whose part of it */
  int64_t offset; /* in that part, bytes */
} dap_segment;
dap_segment dap_segment_find(const void *at);     /* of this process' own arrays */
char *dap_segment_at(const dap_segment *segment); /* where this process sees it; NULL: nowhere */
/* Process `id` sees this segment, which must be this process' own, until it releases its own part. Both sides
 * answer alike when the other's last release happened before: dap_segment_at() there, this here. */
bool dap_segment_seen(const dap_segment *segment, uint64_t id);

#endif
