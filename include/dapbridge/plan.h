/**
 * @file
 * Moves the elements of arrays from one layout to another.
 *
 * A plan is created once and run many times, on any buffers with the layouts, strides and types that it was
 * made for. It can move several arrays at once. Redistribution, transposition of storage, gather, scatter,
 * halo updates and all copies that adapters make use plans. The guide is bridge/docs/moving.md.
 *
 * All processes of a communicator must call its collective functions, and begin and end its plans, in the
 * same order. Threads may work concurrently on different communicators (MPI_THREAD_MULTIPLE). Every function
 * returns DAP_ERR_ARG for a plan that is NULL, and also for a destroyed plan if the function can detect that.
 *
 * **Copies.** Several processes can hold copies of one element. Plans expect these copies to be equal. On a
 * 'u' axis an element is read from its owner, and written to all processes that list it. Along a replicated
 * axis it is read from the nearest copy, or, if options.from_owners is set, from the copy at coordinate 0. If
 * options.combine is set, the values of all processes that hold the element are combined. The owner's value
 * comes first, and the others follow in the order of their ranks. Each value is converted and multiplied by
 * alpha. If the source is partial, only its addends are combined, and DAP_COMBINE_NONE adds them up. See
 * bridge/docs/moving.md, "Replicas and partial sums".
 *
 * **Two groups.** dap_plan_create() accepts an intercommunicator between coupled programs, or between parts
 * of one program. The group that holds the source passes NULL as `to`. The group that holds the destination
 * passes NULL as `from`. The groups also pass NULL for these sides in runs. See bridge/docs/moving.md,
 * "Coupled programs".
 *
 * **Memory** of a plan on each process is proportional to the number of peers, and to the number of
 * contiguous ranges along all axes. Buffers need further memory, at most options.memory_bytes, so large moves
 * are made in rounds. dap_plan_summarize() returns both sizes.
 */
#ifndef DAPBRIDGE_PLAN_H
#define DAPBRIDGE_PLAN_H

#include <dapbridge/comm.h>
#include <dapbridge/halo.h>
#include <dapbridge/layout.h>
#include <dapbridge/mpi_family.h>
#include <dapbridge/part.h>
#include <dapbridge/plan_options.h>
#include <dapbridge/plan_stats.h>
#include <dapbridge/replicas.h>
#include <dapbridge/side.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Creates a plan that moves elements from the layout of `from` to the layout of `to`.
 *
 * Axis j of the source part becomes axis j of the destination part, so both parts must have the same shape.
 * Parts select ranges and permute axes. Elements outside the destination part are not changed. Different
 * types are converted. A cast that can lose values needs options->lossy. Collective on `comm`.
 *
 *     dap_side from = dap_side_of(a), to = dap_side_of(b);
 *     dap_plan_create(comm, &from, &to, 0, NULL, &plan, &err);
 *     dap_plan_run(plan, a.local->data, b.local->data, &err);
 *
 * @param comm      contains the processes of both layouts, and possibly others; may be an intercommunicator
 * @param from, to  source and destination
 * @param itemsize  bytes of an element; 0 means the size of the sides' dtype
 * @param options   NULL for the defaults; the same on every process
 * @param plan      receives the plan, to be freed with dap_plan_destroy(); NULL on error
 * @param err       receives the error, with rank and rule; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, options contradict each other, a cast is
 *    lossy, or memory_bytes is too small
 *  - DAP_ERR_BUFFER: destination elements overlap or are read-only, or side.local is not this process's part
 *  - DAP_ERR_UNSUPPORTED: no allowed transport connects two processes, the parts make more than DAP_MAX_NDIM
 *    axes, or coupled programs have incompatible releases
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_plan_run(), dap_plan_create_halo(), dap_plan_preview()
 */
DAP_API dap_status dap_plan_create(MPI_Comm comm, const dap_side *from, const dap_side *to, int64_t itemsize,
                                   const dap_plan_options *options, dap_plan **plan, dap_error *err);

/**
 * Creates a plan that gathers all owned elements on one process.
 *
 * A run puts them in a contiguous C-order buffer of the whole array on `root`. Collective on `comm`.
 *
 * @param comm      contains the layout's processes
 * @param from      source
 * @param root      rank in `comm` that receives the array; the same on every process
 * @param itemsize  bytes of an element; 0 means the size of from->dtype
 * @param options   NULL for the defaults; the same on every process
 * @param plan      receives the plan, to be freed with dap_plan_destroy(); NULL on error
 * @param err       receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, options contradict each other,
 *    memory_bytes is too small, or `comm` is an intercommunicator
 *  - DAP_ERR_BUFFER: from->local is not this process's part
 *  - DAP_ERR_UNSUPPORTED: no allowed transport connects two processes
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_plan_create_scatter()
 */
DAP_API dap_status dap_plan_create_gather(MPI_Comm comm, const dap_side *from, int root, int64_t itemsize,
                                          const dap_plan_options *options, dap_plan **plan, dap_error *err);

/**
 * Creates a plan that scatters an array from one process.
 *
 * A run reads a contiguous C-order buffer of the whole array on `root`. Collective on `comm`.
 *
 * @param comm      contains the layout's processes
 * @param root      rank in `comm` that has the array; the same on every process
 * @param to        destination
 * @param itemsize  bytes of an element; 0 means the size of to->dtype
 * @param options   NULL for the defaults; the same on every process
 * @param plan      receives the plan, to be freed with dap_plan_destroy(); NULL on error
 * @param err       receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, options contradict each other,
 *    memory_bytes is too small, or `comm` is an intercommunicator
 *  - DAP_ERR_BUFFER: destination elements overlap or are read-only, or to->local is not this process's part
 *  - DAP_ERR_UNSUPPORTED: no allowed transport connects two processes
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_plan_create_gather()
 */
DAP_API dap_status dap_plan_create_scatter(MPI_Comm comm, int root, const dap_side *to, int64_t itemsize,
                                           const dap_plan_options *options, dap_plan **plan, dap_error *err);

/**
 * Starts a run: packs and sends as many elements as possible without waiting.
 *
 * Until dap_plan_end() returns, the source must not change and the destination must not be accessed. Several
 * plans can be active together, if all processes begin and end them in the same order. The function allocates
 * no memory.
 *
 * Source and destination must not overlap, but they may be the same buffer, as in a halo update. Both sides
 * must then have the same layout, strides and type, and the plan must not scale or conjugate. Such a run
 * refreshes padding and listed copies. Overlaps of parts within one buffer are not checked.
 *
 * Collective on the plan's communicator.
 *
 * @param plan  moves one array
 * @param from  element (0, ..., 0) of this process's source; NULL if it has no elements
 * @param to    element (0, ..., 0) of this process's destination; NULL if it has no elements
 * @param err   receives the error; may be NULL
 * @return the status of this process. dap_plan_end() reports buffers that are NULL or overlap, and failures
 *         of MPI.
 *  - DAP_OK
 *  - DAP_ERR_ARG: the plan has been begun already, or moves several arrays; nothing happens
 *  - DAP_ERR_LIBRARY: MPI is not running
 * @see dap_plan_run(), dap_plan_begin_many()
 */
DAP_API dap_status dap_plan_begin(dap_plan *plan, const void *from, void *to, dap_error *err);

/**
 * Starts a run of a plan of several arrays.
 *
 * Until dap_plan_end() returns, the sources must not change and the destinations must not be accessed. The
 * lists `from` and `to` may be freed after the call. bridge/docs/moving.md, "Several arrays at once",
 * explains how messages and memory depend on the number of arrays.
 *
 * Collective on the plan's communicator.
 *
 * @param plan  moves options.arrays arrays, or one
 * @param from  [arrays] element (0, ..., 0) of each source; NULL if this process has no elements
 * @param to    [arrays] element (0, ..., 0) of each destination; NULL if this process has no elements
 * @param err   receives the error; may be NULL
 * @return the status of this process. dap_plan_end() reports failures of MPI, and buffers that are NULL or
 *         overlap, also those of different arrays. If very many buffers are interleaved in memory, some
 *         overlaps are not detected.
 *  - DAP_OK
 *  - DAP_ERR_ARG: the plan has been begun already; nothing happens
 *  - DAP_ERR_LIBRARY: MPI is not running
 * @see dap_plan_run_many(), dap_plan_end()
 */
DAP_API dap_status dap_plan_begin_many(dap_plan *plan, const void *const from[], void *const to[],
                                       dap_error *err);

/**
 * Completes a run. All elements of this process are then in place, and the plan can be run again.
 *
 * A process waits only for those that it exchanges elements with, so DAP_OK does not mean that other
 * processes have their elements. An error never leaves other processes waiting. After an error sources are
 * unchanged, and the contents of destinations are unspecified.
 *
 * After DAP_ERR_LIBRARY a plan is broken. All processes must still take part in the next run, or agree on
 * dap_plan_is_broken(). Then destroy the plan. bridge/docs/reliability.md, "Runs of plans", explains which
 * processes return an error.
 *
 * Collective on the plan's communicator.
 *
 * @param plan  a plan that has been begun
 * @param err   receives the error, with the lowest rank at fault that this process knows of; may be NULL
 * @return the status of this process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: the plan has not been begun; only this process returns the error
 *  - DAP_ERR_ARG: a buffer is NULL, overlaps, or is not shared although only DAP_TRANSPORT_DIRECT is allowed.
 *    The buffer's process and all processes that receive from it return the error. Other processes that
 *    exchange elements with it can also return the error. The plan can be run again.
 *  - DAP_ERR_LIBRARY: MPI failed, or a process did not answer (dap_wait_limit())
 */
DAP_API dap_status dap_plan_end(dap_plan *plan, dap_error *err);

/**
 * Runs a plan: dap_plan_begin() and dap_plan_end() in one call.
 *
 * Collective on the plan's communicator.
 *
 * @param plan  moves one array
 * @param from  element (0, ..., 0) of this process's source; NULL if it has no elements
 * @param to    element (0, ..., 0) of this process's destination, or NULL; may equal `from`, but not partly
 *              overlap it
 * @param err   receives the error; may be NULL
 * @return the status of this process:
 *  - DAP_OK: its elements are in place
 *  - DAP_ERR_ARG: the plan has been begun or moves several arrays, or a buffer is at fault, as in
 *    dap_plan_end()
 *  - DAP_ERR_LIBRARY: MPI failed, or a process did not answer; the plan is broken
 */
DAP_API dap_status dap_plan_run(dap_plan *plan, const void *from, void *to, dap_error *err);

/**
 * Runs a plan of several arrays: dap_plan_begin_many() and dap_plan_end() in one call.
 *
 *     const dap_plan_options options = {.arrays = 3};
 *     dap_plan_create_halo(comm, &side, 0, &options, &plan, &err);
 *     dap_plan_run_many(plan, (const void *[]){u, v, w}, (void *[]){u, v, w}, &err);
 *
 * Collective on the plan's communicator.
 *
 * @param plan  moves options.arrays arrays, or one
 * @param from  [arrays] element (0, ..., 0) of each source; NULL if this process has no elements
 * @param to    [arrays] element (0, ..., 0) of each destination; NULL if this process has no elements
 * @param err   receives the error; may be NULL
 * @return the status of this process:
 *  - DAP_OK: all its elements are in place
 *  - DAP_ERR_ARG: the plan has been begun, or a buffer is at fault, as in dap_plan_end()
 *  - DAP_ERR_LIBRARY: MPI failed, or a process did not answer; the plan is broken
 */
DAP_API dap_status dap_plan_run_many(dap_plan *plan, const void *const from[], void *const to[],
                                     dap_error *err);

/**
 * Returns whether a run of the plan has failed, as far as this process knows.
 *
 * A broken plan can only be destroyed. If the run failed on a process, those that wait for it learn of the
 * failure in the next run. Other processes might never learn of it. So all processes must agree on the result
 * before they make a new plan. Not collective.
 *
 * @param plan  any pointer
 * @return true if the plan is broken, or is not a plan
 */
DAP_API bool dap_plan_is_broken(const dap_plan *plan);

/**
 * Frees a plan.
 *
 * Every process must call the function for each of its plans, in any order. The function waits for other
 * processes only to end a run that has been begun, and to receive matched messages of a broken plan. It may
 * be called after the communicator has been freed, and after MPI_Finalize.
 *
 * @param plan  is set to NULL; may be NULL or point to NULL
 */
DAP_API void dap_plan_destroy(dap_plan **plan);

#ifdef __cplusplus
}
#endif

#endif
