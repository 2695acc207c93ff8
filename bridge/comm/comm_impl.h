/* The comm layer: the only place where processes agree and where layouts are assembled. */
#ifndef DAP_COMM_IMPL_H
#define DAP_COMM_IMPL_H

#include "model_impl.h"
#include <dapbridge/comm.h>

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
enum { DAP_ASK_WORDS = 5 };
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

#endif
