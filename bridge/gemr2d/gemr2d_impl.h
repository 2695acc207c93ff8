/* ScaLAPACK's p?gemr2d by dapbridge's plans. What the layer's files share, by the file that defines it. */
#ifndef DAP_GEMR2D_IMPL_H
#define DAP_GEMR2D_IMPL_H

#include "check.h"
#include <dapbridge/context.h>
#include <dapbridge/plan.h>
#include <dapbridge/scalapack_calls.h>
#include <limits.h>

/* Words on which the processes of a matrix's grid must agree, in this order. */
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

/* A matrix as this process describes it: all zeros on a process outside its grid. No padding: compared as
 * bytes. */
typedef struct dap_gemr2d_matrix {
  int64_t is_here, is_null; /* in the grid; NULL where there are elements */
  int64_t words[DAP_GEMR2D_WORDS];
  int64_t row, column, ld; /* this process's place, and its leading dimension */
} dap_gemr2d_matrix;

/* A call as this process sees it, but for where the elements are. Calls that are equal on every process of
 * the communicator are the same plan, whatever the numbers of their contexts. No padding. */
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
    bool is_known;               /* the grid has at least one process */
    int *ranks;                  /* [nprocs] rank at each place of the grid, in row-major order; -1: none */
  } matrices[2];
} dap_gemr2d_facts;

/* Argument numbers of p?gemr2d. A fault is 100 * argument + the entry of its descriptor, as ScaLAPACK
 * counts. */
enum { DAP_GEMR2D_ARG_M = 1, DAP_GEMR2D_ARG_A = 3, DAP_GEMR2D_ARG_B = 7, DAP_GEMR2D_ARG_CONTEXT = 11 };
enum { DAP_GEMR2D_NO_FAULT = INT_MAX, DAP_GEMR2D_FAILED = 0 /* no argument's fault: memory, MPI */ };

/* The name of the function, for processes that call another one. */
#define DAP_GEMR2D_FUNCTION "p?gemr2d"

/* Plans of a communicator, the last used first: in the same order on all its processes. */
enum { DAP_GEMR2D_PLANS = 32 };
typedef struct dap_gemr2d_entry {
  dap_gemr2d_call call;
  dap_plan *plan;
} dap_gemr2d_entry;
typedef struct dap_gemr2d_cache {
  int count;
  dap_gemr2d_entry entries[DAP_GEMR2D_PLANS];
} dap_gemr2d_cache;

/* Small calls of a communicator. All processes have the same numbers here, except those in `calls`. */
enum { DAP_GEMR2D_CALLS = 32 };
typedef struct dap_gemr2d_history {
  uint64_t calls[DAP_GEMR2D_CALLS]; /* hashes of the last calls; 0: there was none */
  int next;                         /* the place in `calls` for the next call */
  bool has_cache;                   /* there may be plans */
  int64_t pause; /* microseconds of ScaLAPACK's calls until the processes agree; history.c */
  int64_t next_pause;
  int64_t credit; /* microseconds that agreements and new plans may take */
} dap_gemr2d_history;

typedef enum dap_gemr2d_step {
  DAP_GEMR2D_PASS,     /* ScaLAPACK's */
  DAP_GEMR2D_REMEMBER, /* the same, after dap_gemr2d_history_add(), as an agreement is near */
  DAP_GEMR2D_AGREE
} dap_gemr2d_step;

typedef enum dap_gemr2d_outcome {
  DAP_GEMR2D_BY_NETLIB, /* after an agreement */
  DAP_GEMR2D_BY_NEW_PLAN,
  DAP_GEMR2D_BY_PLAN
} dap_gemr2d_outcome;

/* arguments.c: a call as it came. */
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

dap_gemr2d_call dap_gemr2d_read(const dap_gemr2d_arguments *arguments);
/* The communicator of the processes that call. MPI_COMM_NULL: this process is not among them, or there is
 * none. */
MPI_Comm dap_gemr2d_comm(const dap_gemr2d_arguments *arguments);
/* The program has asked for it: all calls go by plans, and wrong arguments do not end the program. */
bool dap_gemr2d_takes_plans_only(void);
/* Tells PXERBLA, and ends the program as ScaLAPACK's does, unless dap_gemr2d_takes_plans_only(). */
void dap_gemr2d_report(const dap_gemr2d_arguments *arguments, int fault);

/* facts.c: collective on the communicator. */
dap_status dap_gemr2d_gather(MPI_Comm comm, const dap_gemr2d_call *call, dap_gemr2d_facts *facts,
                             dap_error *err);
void dap_gemr2d_facts_release(dap_gemr2d_facts *facts);

/* check.c */
/* Whether elements of the sub-matrix are on this process, which is in the grid; true where words that are
 * wrong do not say. */
bool dap_gemr2d_may_have(const dap_gemr2d_matrix *matrix, const int64_t size[2]);
/* The first argument that is wrong, for this process alone. */
int dap_gemr2d_check(const dap_gemr2d_facts *facts, const dap_gemr2d_call *call,
                     const dap_gemr2d_arguments *arguments);

/* cache.c */
/* NULL: no memory. Not collective. */
dap_gemr2d_cache *dap_gemr2d_cache_of(dap_context *context);
/* Finds the call's plan, or NULL. *earlier has a bit for each earlier call that is like this one, on this
 * process, and receives the bits that all processes have. Collective on `comm`. */
dap_status dap_gemr2d_cache_find(dap_gemr2d_cache *cache, MPI_Comm comm, const dap_gemr2d_call *call,
                                 uint32_t *earlier, dap_plan **plan, dap_error *err);
/* Adds a plan, and frees the one that was not used for the longest time if there are too many. */
void dap_gemr2d_cache_add(dap_gemr2d_cache *cache, const dap_gemr2d_call *call, dap_plan *plan);

/* history.c: each answer is the same on all processes of the communicator. Not collective. */
/* The communicator's history, made at the first call. *history is NULL if all calls go by plans. */
dap_status dap_gemr2d_history_of(MPI_Comm comm, dap_gemr2d_history **history, dap_error *err);
/* How to go on with a call that moves so many bytes. */
dap_gemr2d_step dap_gemr2d_history_step(dap_gemr2d_history *history, int64_t bytes);
/* Adds a call. The result has a bit for each of the last calls that is like it, on this process. */
uint32_t dap_gemr2d_history_add(dap_gemr2d_history *history, const dap_gemr2d_call *call);
/* Whether a call without a plan should get one, if it came before. */
bool dap_gemr2d_history_may_plan(const dap_gemr2d_history *history);
/* Counts a call that the processes agreed in. */
void dap_gemr2d_history_count(dap_gemr2d_history *history, int64_t bytes, dap_gemr2d_outcome outcome);

/* netlib.c: each answer is the same on all processes of the context */
/* There is little to move, and ScaLAPACK's own p?gemr2d can be called for it. */
bool dap_gemr2d_may_call_netlib(const dap_gemr2d_arguments *arguments);
/* Calls it. Collective. */
void dap_gemr2d_call_netlib(const dap_gemr2d_arguments *arguments);

/* move.c */
void dap_gemr2d_move(const dap_gemr2d_arguments *arguments);

#endif
