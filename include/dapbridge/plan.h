/**
 * @file
 * Moves the elements of arrays from one layout to another.
 *
 * A plan is created once and run many times, on any buffers with the layouts, strides and types that it was
 * made for. It can move several arrays at once. Redistribution, transposition of storage, gather, scatter,
 * halo updates and all copies that adapters make are plans. The guide is bridge/docs/moving.md.
 *
 * Collective functions on a communicator, and the begins and ends of its plans, must come in the same order
 * on all its processes. Threads may work concurrently on different communicators (MPI_THREAD_MULTIPLE). Every
 * function returns DAP_ERR_ARG for a plan that is NULL, or destroyed as far as that can be detected.
 *
 * **Copies.** Several processes can hold copies of one element, which are expected to be equal. On a 'u' axis
 * an element is read from its owner, and written to all processes that list it. Along a replicated axis it is
 * read from the nearest copy, or with options.from_owners from the copy at coordinate 0. With options.combine
 * the values of all processes that hold it are combined: the owner's comes first, then the others in the
 * order of their ranks. Each value is converted and multiplied by alpha. If the source is partial, only its
 * addends are combined, and DAP_COMBINE_NONE adds them up. See bridge/docs/moving.md, "Replicas and partial
 * sums".
 *
 * **Two groups.** dap_plan_create() accepts an intercommunicator between coupled programs, or between parts
 * of one program. The group that holds the source passes `from`, the other group `to`. For the other side,
 * also in runs, each passes NULL. See bridge/docs/moving.md, "Coupled programs".
 *
 * **Memory** of a plan on each process is proportional to the number of peers, and to the number of runs of
 * all axes. Buffers need further memory, within options.memory_bytes; large moves are made in rounds.
 * dap_plan_summarize() returns the bytes.
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
 * Parts select ranges and permute axes. Other elements of the destination are not changed. Different types
 * are converted; a cast that can lose values needs options->lossy. Collective on `comm`.
 *
 *     dap_side from = dap_side_of(a), to = dap_side_of(b);
 *     dap_plan_create(comm, &from, &to, 0, NULL, &plan, &err);
 *     dap_plan_run(plan, a.local->data, b.local->data, &err);
 *
 * @param comm      contains the processes of both layouts, and may have others; may be an intercommunicator
 * @param from, to  source and destination
 * @param itemsize  bytes of an element; 0 means the size of the sides' dtype
 * @param options   NULL for the defaults; the same on every process
 * @param plan      receives the plan, to be freed with dap_plan_destroy(); NULL on error
 * @param err       receives the error, with rank and rule; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs, options contradict each other, a cast is lossy, or
 *    memory_bytes is too small
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
 *  - DAP_ERR_ARG: an argument is invalid or differs, options contradict each other, memory_bytes is too
 *    small, or `comm` is an intercommunicator
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
 *  - DAP_ERR_ARG: an argument is invalid or differs, options contradict each other, memory_bytes is too
 *    small, or `comm` is an intercommunicator
 *  - DAP_ERR_BUFFER: destination elements overlap or are read-only, or to->local is not this process's part
 *  - DAP_ERR_UNSUPPORTED: no allowed transport connects two processes
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_plan_create_gather()
 */
DAP_API dap_status dap_plan_create_scatter(MPI_Comm comm, int root, const dap_side *to, int64_t itemsize,
                                           const dap_plan_options *options, dap_plan **plan, dap_error *err);

/**
 * Starts a run: packs and sends as much as possible without waiting.
 *
 * Until dap_plan_end() returns, the source must not change and the destination must not be accessed. Several
 * plans can be active together, if all processes begin and end them in the same order. No memory is
 * allocated.
 *
 * The buffers must not overlap, except that both may be the same buffer, as in a halo update. Both sides must
 * then have the same layout, strides and type, and nothing may be scaled or conjugated. Padding and listed
 * copies are refreshed. Overlaps of parts within one buffer are not checked.
 *
 * Collective on the plan's communicator.
 *
 * @param plan  moves one array
 * @param from  element (0, ..., 0) of this process's source; NULL if it has no elements
 * @param to    element (0, ..., 0) of this process's destination; NULL if it has no elements
 * @param err   receives the error; may be NULL
 * @return the status of this process only. dap_plan_end() reports buffers that are NULL or overlap, and
 *         failures of MPI.
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
 * lists may be freed after the call. bridge/docs/moving.md, "Several arrays at once", says how messages and
 * memory depend on the number of arrays.
 *
 * Collective on the plan's communicator.
 *
 * @param plan  moves options.arrays arrays, or one
 * @param from  [arrays] element (0, ..., 0) of each source; NULL if this process has no elements
 * @param to    [arrays] element (0, ..., 0) of each destination; NULL if this process has no elements
 * @param err   receives the error; may be NULL
 * @return the status of this process only. dap_plan_end() reports failures of MPI, and buffers that are NULL
 *         or overlap, also those of different arrays. If very many buffers are interleaved in memory, some
 *         are not compared.
 *  - DAP_OK
 *  - DAP_ERR_ARG: the plan has been begun already; nothing happens
 *  - DAP_ERR_LIBRARY: MPI is not running
 * @see dap_plan_run_many(), dap_plan_end()
 */
DAP_API dap_status dap_plan_begin_many(dap_plan *plan, const void *const from[], void *const to[],
                                       dap_error *err);

/**
 * Completes a run: all elements of this process are in place, and the plan can be run again.
 *
 * A process waits only for those that it exchanges elements with, so DAP_OK does not say that others have
 * their elements. An error never leaves others waiting, and no source is changed. After an error destinations
 * are unspecified.
 *
 * After DAP_ERR_LIBRARY a plan is broken. All processes must still take part in the next run, or agree on
 * dap_plan_is_broken(). Then destroy the plan. bridge/docs/reliability.md, "Runs of plans", says which
 * processes return an error.
 *
 * Collective on the plan's communicator.
 *
 * @param plan  has been begun
 * @param err   receives the error, with the lowest rank at fault that this process knows; may be NULL
 * @return the status of this process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: the plan has not been begun; on this process only
 *  - DAP_ERR_ARG: a buffer is NULL, overlaps, or is not shared although only DAP_TRANSPORT_DIRECT is allowed.
 *    Its process and all that receive from it return the error; others that exchange elements with it may.
 *    The plan can be run again.
 *  - DAP_ERR_LIBRARY: MPI failed, or a process did not answer (dap_wait_limit())
 */
DAP_API dap_status dap_plan_end(dap_plan *plan, dap_error *err);

/**
 * Runs a plan: dap_plan_begin() and dap_plan_end() in one.
 *
 * Collective on the plan's communicator.
 *
 * @param plan  moves one array
 * @param from  element (0, ..., 0) of this process's source; NULL if it has none
 * @param to    element (0, ..., 0) of its destination; NULL if it has none; may be `from`, but not overlap it
 * @param err   receives the error; may be NULL
 * @return the status of this process:
 *  - DAP_OK: its elements are in place
 *  - DAP_ERR_ARG: the plan has been begun or moves several arrays, or a buffer is at fault, as in
 *    dap_plan_end()
 *  - DAP_ERR_LIBRARY: MPI failed, or a process did not answer; the plan is broken
 */
DAP_API dap_status dap_plan_run(dap_plan *plan, const void *from, void *to, dap_error *err);

/**
 * Runs a plan of several arrays: dap_plan_begin_many() and dap_plan_end() in one.
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
 * A broken plan can only be destroyed. Processes that wait for one on which the run failed know it after the
 * next run, others may never. So a program must agree on the result before it makes a new plan. Not
 * collective.
 *
 * @param plan  any pointer
 * @return true if the plan is broken, or is not a plan
 */
DAP_API bool dap_plan_is_broken(const dap_plan *plan);

/**
 * Frees a plan.
 *
 * Every process must call it, for its plans in any order. It waits for others only to end a run that has been
 * begun, and to receive matched messages of a broken plan. It may be called after the communicator has been
 * freed, and after MPI_Finalize.
 *
 * @param plan  is set to NULL; may be NULL or point to NULL
 */
DAP_API void dap_plan_destroy(dap_plan **plan);

#ifdef __cplusplus
}
#endif

#endif
