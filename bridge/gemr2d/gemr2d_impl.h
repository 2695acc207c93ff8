/* Declares what the files of the layer share. It does the calls of ScaLAPACK's p?gemr2d by plans. */
#ifndef DAP_GEMR2D_IMPL_H
#define DAP_GEMR2D_IMPL_H

#include "check.h"
#include <dapbridge/context.h>
#include <dapbridge/plan.h>
#include <dapbridge/scalapack_calls.h>
#include <limits.h>

/* The processes of a matrix's grid must agree on these words. */
typedef enum dap_gemr2d_word {
  DAP_GEMR2D_NPROW,
  DAP_GEMR2D_NPCOL,
  DAP_GEMR2D_M,
  DAP_GEMR2D_N,
  DAP_GEMR2D_MB,
  DAP_GEMR2D_NB,
  DAP_GEMR2D_RSRC,
  DAP_GEMR2D_CSRC,
  DAP_GEMR2D_I, /* first row and column of the sub-matrix, 1-based */
  DAP_GEMR2D_J,
  DAP_GEMR2D_WORDS
} dap_gemr2d_word;

/* A matrix as this process describes it. On a process outside its grid all members are 0. The struct has no
 * padding, because its bytes are compared. */
typedef struct dap_gemr2d_matrix {
  int64_t is_here; /* this process is in the grid */
  int64_t is_null; /* the pointer is NULL though elements are on this process */
  int64_t words[DAP_GEMR2D_WORDS];
  int64_t row, column, ld; /* this process's place, and its leading dimension */
} dap_gemr2d_matrix;

/* A call on this process, except the addresses of elements. Calls that are equal on every process of the
 * communicator have the same plan, whatever the numbers of their contexts. It has no padding. */
typedef struct dap_gemr2d_call {
  int64_t size[2]; /* rows and columns that move */
  int64_t itemsize;
  dap_gemr2d_matrix matrices[2]; /* A, B */
} dap_gemr2d_call;

/* Facts about a call that all processes know. */
typedef struct dap_gemr2d_facts {
  int nprocs, rank;
  int64_t size[2];
  bool same_size[2]; /* all processes have the same size */
  struct {
    int64_t words[DAP_GEMR2D_WORDS];
    bool same[DAP_GEMR2D_WORDS]; /* all processes of the grid have the same word */
    bool is_known;               /* at least one process is in the grid */
    int *ranks;                  /* [nprocs] rank at each place of the grid, in row-major order; -1: none */
  } matrices[2];
} dap_gemr2d_facts;

/* Argument numbers of p?gemr2d. A fault is 100 * argument + the entry of its descriptor, as ScaLAPACK
 * counts. */
enum { DAP_GEMR2D_ARG_M = 1, DAP_GEMR2D_ARG_A = 3, DAP_GEMR2D_ARG_B = 7, DAP_GEMR2D_ARG_CONTEXT = 11 };
enum { DAP_GEMR2D_NO_FAULT = INT_MAX, DAP_GEMR2D_FAILED = 0 /* no argument's fault: memory, MPI */ };

/* The name of the function in agreements, for the error if processes call different functions. */
#define DAP_GEMR2D_FUNCTION "p?gemr2d"

/* The plans of a communicator, the last used first. The order is the same on all processes. */
enum { DAP_GEMR2D_PLANS = 32 };
typedef struct dap_gemr2d_entry {
  dap_gemr2d_call call;
  dap_plan *plan;
} dap_gemr2d_entry;
typedef struct dap_gemr2d_cache {
  int count;
  dap_gemr2d_entry entries[DAP_GEMR2D_PLANS];
} dap_gemr2d_cache;

/* The small calls of a communicator. All members from `next` to `credit` are the same on all processes. */
enum { DAP_GEMR2D_CALLS = 32 };
typedef struct dap_gemr2d_history {
  uint64_t calls[DAP_GEMR2D_CALLS]; /* hashes of the last calls; 0: there was none */
  int next;                         /* the place in `calls` for the next call */
  bool has_cache;                   /* the communicator may have plans */
  int64_t pause;      /* microseconds of ScaLAPACK's calls until the processes agree again, see history.c */
  int64_t next_pause; /* length of the next pause */
  int64_t credit;     /* microseconds that agreements and new plans may take */
  MPI_Comm comm;      /* the communicator, which has the history as an attribute */
  struct dap_gemr2d_history *before; /* the history that this process made before this one */
} dap_gemr2d_history;

typedef enum dap_gemr2d_step {
  DAP_GEMR2D_PASS,     /* the call goes to ScaLAPACK */
  DAP_GEMR2D_REMEMBER, /* it goes there after dap_gemr2d_history_add(), because an agreement is near */
  DAP_GEMR2D_AGREE     /* the processes agree on how to do it */
} dap_gemr2d_step;

/* arguments.c: the arguments of a call, as the program gave them. */
typedef struct dap_gemr2d_arguments {
  const char *routine;
  int64_t itemsize;
  dap_scalapack_int m, n;
  const void *a;
  void *b;
  dap_scalapack_int start[2][2]; /* IA, JA; IB, JB */
  const dap_scalapack_int *descs[2];
  dap_scalapack_int context;
  bool has_context; /* false: the processes are those of MPI_COMM_WORLD */
} dap_gemr2d_arguments;

/* Reads the descriptors on this process. */
dap_gemr2d_call dap_gemr2d_read(const dap_gemr2d_arguments *arguments);
/* Returns the communicator of the processes that call. MPI_COMM_NULL: this process is not among them, or the
 * context has none. */
MPI_Comm dap_gemr2d_comm(const dap_gemr2d_arguments *arguments);
/* Returns whether the environment asks for plans only. Then wrong arguments do not end the program. */
bool dap_gemr2d_takes_plans_only(void);
/* Calls PXERBLA, and then ends the program as ScaLAPACK's p?gemr2d does, unless it takes plans only. */
void dap_gemr2d_report(const dap_gemr2d_arguments *arguments, int fault);

/* facts.c */
/* Gathers the facts of a call. Collective on `comm`. */
dap_status dap_gemr2d_gather(MPI_Comm comm, const dap_gemr2d_call *call, dap_gemr2d_facts *facts,
                             dap_error *err);
void dap_gemr2d_facts_release(dap_gemr2d_facts *facts);

/* check.c */
/* Returns whether this process, which is in the grid, has elements of the sub-matrix. If wrong words do not
 * tell, it returns true. */
bool dap_gemr2d_may_have(const dap_gemr2d_matrix *matrix, const int64_t size[2]);
/* Returns the first argument that this process finds wrong, or DAP_GEMR2D_NO_FAULT. */
int dap_gemr2d_check(const dap_gemr2d_facts *facts, const dap_gemr2d_call *call,
                     const dap_gemr2d_arguments *arguments);

/* cache.c */
/* Returns the context's cache of plans; NULL: no memory. Not collective. */
dap_gemr2d_cache *dap_gemr2d_cache_of(dap_context *context);
/* Finds the call's plan; NULL: there is none. *earlier has a bit for each earlier call that is like this one
 * on this process, and receives the bits that all processes have. Collective on `comm`. */
dap_status dap_gemr2d_cache_find(dap_gemr2d_cache *cache, MPI_Comm comm, const dap_gemr2d_call *call,
                                 uint32_t *earlier, dap_plan **plan, dap_error *err);
/* Adds a plan. If there are too many, it frees the one that has not been used for the longest time. */
void dap_gemr2d_cache_add(dap_gemr2d_cache *cache, const dap_gemr2d_call *call, dap_plan *plan);

/* history.c: results are the same on all processes of the communicator. Not collective. */
/* Gets the communicator's history, which it makes at the first call. *history is NULL if all calls go by
 * plans. */
dap_status dap_gemr2d_history_of(MPI_Comm comm, dap_gemr2d_history **history, dap_error *err);
/* Decides what to do with a call that moves `bytes`. */
dap_gemr2d_step dap_gemr2d_history_step(dap_gemr2d_history *history, int64_t bytes);
/* Adds a call. The result has a bit for each of the last calls that is like it on this process. */
uint32_t dap_gemr2d_history_add(dap_gemr2d_history *history, const dap_gemr2d_call *call);
/* Returns whether a call that came before should get a plan. */
bool dap_gemr2d_history_may_plan(const dap_gemr2d_history *history);
/* Counts a call with an agreement, which has a plan, or makes one, or goes to ScaLAPACK. */
void dap_gemr2d_history_count(dap_gemr2d_history *history, int64_t bytes, bool has_plan, bool makes_plan);

/* netlib.c */
/* Returns whether there is little to move and ScaLAPACK's own p?gemr2d is there. The result is the same on
 * all processes of the context. */
bool dap_gemr2d_may_call_netlib(const dap_gemr2d_arguments *arguments);
/* Calls ScaLAPACK's own p?gemr2d. Collective. */
void dap_gemr2d_call_netlib(const dap_gemr2d_arguments *arguments);

/* move.c: does a call. Collective. */
void dap_gemr2d_move(const dap_gemr2d_arguments *arguments);

#endif
