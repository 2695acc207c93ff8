/**
 * @file
 * Contexts, which contain the data that dapbridge keeps for communicators.
 *
 * Only authors of adapters (adapter.h) need this header. dapbridge.h does not include it.
 *
 * The first plan, shared array or view on a communicator creates a *context*, which is stored as an attribute
 * of the communicator. Later plans, arrays and views use the same context. A context owns a private duplicate
 * of the communicator. The context records which processes are on the same node, and owns memory that these
 * processes share. It also keeps adapters' objects, such as BLACS grids, from one call to the next. If a
 * program duplicates the communicator, the duplicate has a separate context.
 *
 * A context exists until its communicator has been freed and all uses of the context have been released, or
 * until MPI_Finalize(). After a run of a plan has failed, or a process has given up waiting, messages may
 * still arrive on the private duplicate. Processes that know of the failure keep this duplicate until
 * MPI_Finalize().
 *
 * With MPI_THREAD_MULTIPLE, threads may work concurrently on different communicators.
 */
#ifndef DAPBRIDGE_CONTEXT_H
#define DAPBRIDGE_CONTEXT_H

#include <dapbridge/comm.h>
#include <dapbridge/mpi_family.h>
#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The data that dapbridge keeps for one communicator. dap_context_get() finds or creates a context. */
typedef struct dap_context dap_context;

/**
 * Finds or creates a communicator's context and counts one more use of the context.
 *
 * If the context does not exist, dap_context_get() first calls dap_agree_call() with `function`. If the
 * context exists, dap_context_get() does not communicate, and cannot detect that processes have called
 * different functions. So the caller must also use dap_agree_call() the first time that its processes agree.
 * Collective on `comm`.
 *
 * @param comm      the communicator
 * @param function  name of the calling function; NULL if the caller has already called dap_agree_call()
 * @param context   receives the context, to be released with dap_context_release(); NULL on error
 * @param err       receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `comm` is MPI_COMM_NULL or an intercommunicator
 *  - DAP_ERR_ARG: a new context is needed, and processes have called different functions
 *  - DAP_ERR_NOMEM
 *  - DAP_ERR_LIBRARY: MPI failed or is not running
 */
DAP_API dap_status dap_context_get(MPI_Comm comm, const char *function, dap_context **context,
                                   dap_error *err);

/**
 * Releases one use of a context.
 *
 * Call this function once for each call of dap_context_get(). If the communicator has been freed, releasing
 * the last use frees the context and its communicators. Freeing is collective, so every process must release
 * its uses. The function may be called after MPI_Finalize().
 *
 * @param context  address of a pointer to a context; the pointer may be NULL and is set to NULL
 */
DAP_API void dap_context_release(dap_context **context);

/**
 * Returns the context's duplicate of the communicator, for the adapter's collective calls.
 *
 * The duplicate's error handler is MPI_ERRORS_RETURN. The duplicate does not have the hints and assertions of
 * the original communicator. Only dapbridge may send point-to-point messages on the duplicate. Not
 * collective.
 *
 * @param context  the context
 * @return the communicator, which must not be freed; MPI_COMM_NULL after MPI_Finalize()
 */
DAP_API MPI_Comm dap_context_comm(const dap_context *context);

/**
 * A kind of object that a context keeps. A context has at most one object of each kind. The address of this
 * struct identifies the kind, so the struct must be static and const.
 *
 * dapbridge calls `destroy` on all processes when the communicator is freed, or when MPI is about to be
 * finalised (`mpi_ends` is true). So `destroy` may be collective. dapbridge frees the object after the call,
 * so copy data that must live longer.
 */
typedef struct dap_kept_kind {
  size_t bytes; /**< size of the object, in bytes; dapbridge zeroes new objects */
  /** Releases everything that the object owns. dapbridge then frees the object itself. */
  void (*destroy)(void *object, bool mpi_ends);
} dap_kept_kind;

/**
 * Returns the context's object of a kind, and creates the object if the context has none.
 *
 * Not collective.
 *
 * @param context  the context, which owns the object
 * @param kind     the kind; static data
 * @return the object; NULL if memory cannot be allocated
 */
DAP_API void *dap_context_keep(dap_context *context, const dap_kept_kind *kind);

/** Specifies how dap_context_reduce() combines words. */
typedef enum dap_reduction {
  DAP_REDUCE_MIN, /**< the minimum */
  DAP_REDUCE_AND  /**< the bitwise AND */
} dap_reduction;

/**
 * Replaces each word with the minimum or the bitwise AND of its values on all processes.
 *
 * For at most 64 processes on one node, the function is faster than a reduction by MPI. If MPI fails on some
 * processes, the other processes may return DAP_OK, although their words are unspecified. Collective on the
 * context's communicator.
 *
 * @param context    the context
 * @param reduction  how words are combined; the same on every process
 * @param words      [count] in: the words of this process; out: the combined words
 * @param count      number of words; the same on every process
 * @param err        receives the error; may be NULL
 * @return the status of this process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: processes have called different functions
 *  - DAP_ERR_LIBRARY: MPI failed or has been finalised, or a process did not answer (dap_wait_limit())
 */
DAP_API dap_status dap_context_reduce(dap_context *context, dap_reduction reduction, int64_t words[],
                                      int count, dap_error *err);

/**
 * Returns whether MPI has been initialised and has not been finalised.
 *
 * Not collective.
 *
 * @return true between MPI_Init() and MPI_Finalize()
 */
DAP_API bool dap_mpi_is_running(void);

#ifdef __cplusplus
}
#endif

#endif
