/* dapbridge/context.h: what the library keeps for a communicator. It is for those who bridge to another
 * library (adapter.h); programs do not need it, and dapbridge.h leaves it out.
 *
 * The first plan, shared array or view on a communicator gives it a context, all others find it there: a
 * private duplicate of the communicator, the processes of each node and memory that they share, and what an
 * adapter wants to find again at the next call, such as a library's own grids or plans. A duplicate of a
 * communicator gets a context of its own. A context lasts until the communicator is freed and nobody uses it
 * any more, or until MPI ends.
 *
 * Threads: functions of this library may be called by several threads at once if these work on different
 * communicators and MPI provides MPI_THREAD_MULTIPLE. */
#ifndef DAPBRIDGE_CONTEXT_H
#define DAPBRIDGE_CONTEXT_H

#include <dapbridge/comm.h>
#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dap_context dap_context;

/* The context of `comm`, made if there is none, and one user more. Collective on `comm`. `function` names the
 * caller's function to processes that are in another one, as in dap_agree_call(); NULL if it has begun with
 * that. Errors, the same on every process: DAP_ERR_ARG (no communicator, an intercommunicator, a process in
 * another function), DAP_ERR_NOMEM, DAP_ERR_LIBRARY (MPI's; MPI is not running). On error *context is NULL.
 */
DAP_API dap_status dap_context_get(MPI_Comm comm, const char *function, dap_context **context,
                                   dap_error *err);

/* One user less; sets it to NULL. Where `comm` was freed the last one frees the context, which frees
 * communicators: all processes release it. Accepts a pointer to NULL; may come after MPI_Finalize. */
DAP_API void dap_context_release(dap_context **context);

/* The duplicate, which returns its errors: for collective calls of the adapter's own; messages on it are the
 * library's. It is the context's: not to be freed. MPI_COMM_NULL after MPI_Finalize. Not collective. */
DAP_API MPI_Comm dap_context_comm(const dap_context *context);

/* A kind of object that a context keeps, one of each kind; its address tells it from others, so it is static
 * and const. */
typedef struct dap_kept_kind {
  size_t bytes; /* of the object, which begins as zeros */
  /* The communicator was freed, or MPI ends; the object's memory goes when this returns. MPI still works, and
   * all processes come here, so it may be collective. What still has users of its own lasts: give it memory
   * of its own. */
  void (*destroy)(void *object, bool mpi_ends);
} dap_kept_kind;

/* The context's object of this kind, made if there is none; NULL if there is no memory for it. Not
 * collective. */
DAP_API void *dap_context_keep(dap_context *context, const dap_kept_kind *kind);

/* Over all processes: the least of each of words [count], or the bits that all of them have set, on every
 * process. Collective on the context's communicator. Costs less than MPI_Allreduce where all processes are on
 * one node. Errors: DAP_ERR_ARG (processes in different functions), DAP_ERR_LIBRARY. */
typedef enum dap_reduction { DAP_REDUCE_MIN, DAP_REDUCE_AND } dap_reduction;
DAP_API dap_status dap_context_reduce(dap_context *context, dap_reduction reduction, int64_t words[],
                                      int count, dap_error *err);

/* MPI was initialised and not finalised. */
DAP_API bool dap_mpi_is_running(void);

#ifdef __cplusplus
}
#endif

#endif
