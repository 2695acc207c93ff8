/* dapbridge/context.h: the library's data for a communicator. For authors of adapters (adapter.h); other
 * programs do not need it, and dapbridge.h does not include it.
 *
 * The first plan, shared array or view on a communicator creates its context, as an attribute of the
 * communicator; later ones find it there. It has a private duplicate of the communicator, the processes of
 * each node and memory that they share, and objects that adapters keep from call to call, such as a
 * library's grids. A duplicate of a communicator gets a context of its own. A context exists until its
 * communicator has been freed and it has no users, or until MPI_Finalize. If a run of a plan has failed
 * (dap_plan_is_broken()), or a wait was given up (dap_wait_limit()), processes that have learned of it keep
 * the duplicate until MPI_Finalize, because messages may still be on their way on it.
 *
 * Threads may work concurrently on different communicators, with MPI_THREAD_MULTIPLE. */
#ifndef DAPBRIDGE_CONTEXT_H
#define DAPBRIDGE_CONTEXT_H

#include <dapbridge/comm.h>
#include <dapbridge/mpi_family.h>
#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dap_context dap_context;

/* Gets the context of `comm`, creates it if there is none, and adds a user to it. Collective on `comm`, but
 * only creating it communicates, beginning with dap_agree_call() for `function`, the name of the calling
 * function; NULL if that has been called already. With a context that is there the call returns at once,
 * even if other processes are in another function: they are told by the caller's own first agreement, so
 * make that a dap_agree_call(), too.
 * Errors, the same on every process: DAP_ERR_ARG (no communicator, an intercommunicator; while creating: a
 * process in another function), DAP_ERR_NOMEM, DAP_ERR_LIBRARY (MPI's; MPI is not running). On error
 * *context is NULL. */
DAP_API dap_status dap_context_get(MPI_Comm comm, const char *function, dap_context **context,
                                   dap_error *err);

/* Removes a user and sets the pointer to NULL. If the communicator has been freed, removing the last user
 * frees the context and its communicators, so all processes must do it. Accepts a pointer to NULL; may be
 * called after MPI_Finalize. */
DAP_API void dap_context_release(dap_context **context);

/* The context's duplicate of the communicator, with MPI_ERRORS_RETURN, for the adapter's collective calls;
 * hints and assertions of the original do not apply to it, and point-to-point messages on it are reserved
 * for the library. Not to be freed. MPI_COMM_NULL after MPI_Finalize. Not collective. */
DAP_API MPI_Comm dap_context_comm(const dap_context *context);

/* A kind of object that a context keeps, one object of each kind. It is identified by its address, so make it
 * static and const. */
typedef struct dap_kept_kind {
  size_t bytes; /* size of the object, which is zeroed when it is created */
  /* Called when the communicator is freed or MPI is about to be finalized, on all processes, so that it may
   * be collective. The object is freed when this returns; whatever has users of its own and must exist
   * longer needs memory of its own. */
  void (*destroy)(void *object, bool mpi_ends);
} dap_kept_kind;

/* The context's object of this kind, created if there is none; NULL if memory cannot be allocated. The
 * context owns it. Not collective. */
DAP_API void *dap_context_keep(dap_context *context, const dap_kept_kind *kind);

/* Replaces each of words[count] by its minimum, or its bitwise AND, over all processes. Collective on the
 * context's communicator; faster than MPI_Allreduce if all processes are on one node. It is no agreement:
 * where MPI fails on some processes the others do not know of it, and words[] hold nothing there.
 * Errors: DAP_ERR_ARG (processes in different functions), DAP_ERR_LIBRARY (MPI's; after MPI_Finalize). */
typedef enum dap_reduction { DAP_REDUCE_MIN, DAP_REDUCE_AND } dap_reduction;
DAP_API dap_status dap_context_reduce(dap_context *context, dap_reduction reduction, int64_t words[],
                                      int count, dap_error *err);

/* True iff MPI has been initialised and not finalised. Not collective. */
DAP_API bool dap_mpi_is_running(void);

#ifdef __cplusplus
}
#endif

#endif
