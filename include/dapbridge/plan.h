/**
 * @file
 * Plans move the elements of arrays from one layout to another.
 *
 * A program creates a plan once and runs it many times, on any buffers that have the layouts, strides and
 * types of the plan. One run can move several arrays. Plans redistribute and transpose arrays, gather and
 * scatter them, and update halos. Adapters also use plans to copy elements. The guide is
 * bridge/docs/moving.md.
 *
 * Functions that begin or end a run are collective on the communicator of the plan. All processes must call
 * the collective functions on a communicator in the same order. Threads may work concurrently on different
 * communicators if MPI provides MPI_THREAD_MULTIPLE. Functions that return a status return DAP_ERR_ARG if a
 * plan is NULL, or if they detect that the plan has been destroyed.
 *
 * **Copies.** Several processes can hold copies of one element. Plans expect these copies to be equal, unless
 * they combine the copies (see options.combine). On a 'u' axis, a plan reads an element from its owner, and
 * writes it to all processes that list the element's index. Along a replicated axis, a plan reads the nearest
 * copy. If options.from_owners is set, the plan reads the copy at coordinate 0 along that axis instead. If
 * options.combine is set, a plan combines the values of all processes that hold an element. The owner's value
 * comes first, and the other values follow in rank order. Before values are combined, they are converted and
 * multiplied by alpha. If the source is partial, a plan combines the addends of an element, but not its
 * copies. In this case, DAP_COMBINE_NONE means the sum. See bridge/docs/moving.md, "Replicas and partial
 * sums".
 *
 * **Two groups.** dap_plan_create() accepts an intercommunicator between coupled programs, or between parts
 * of one program. The group that holds the source passes NULL as `to`. The group that holds the destination
 * passes NULL as `from`. In runs, each group also passes NULL for the buffer of the other group. See
 * bridge/docs/moving.md, "Coupled programs".
 *
 * **Memory.** The memory of a plan on a process grows with the number of processes with which that process
 * exchanges elements, and with the number of contiguous ranges of indices along all axes. In addition, a plan
 * needs memory for messages and for slots (small buffers in shared memory). options.memory_bytes limits the
 * memory for messages and slots, so a large move takes several rounds. dap_plan_summarize() returns the sizes
 * of the plan and of its buffers.
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
 * Elements outside the destination part are not changed. If the types differ, elements are converted.
 * Collective on `comm`.
 *
 *     dap_side from = dap_side_of(a), to = dap_side_of(b);
 *     dap_plan_create(comm, &from, &to, 0, NULL, &plan, &err);
 *     dap_plan_run(plan, a.local->data, b.local->data, &err);
 *
 * @param comm      contains the processes of both layouts; may contain other processes, or be an
 *                  intercommunicator
 * @param from, to  source and destination, which can be parts of arrays
 * @param itemsize  size of an element in bytes; 0 means the size of the sides' dtype
 * @param options   NULL for the defaults
 * @param plan      receives the plan, to be freed with dap_plan_destroy(); NULL on error
 * @param err       receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, options contradict each other, a lossy
 *    cast is not allowed, or memory_bytes is too small
 *  - DAP_ERR_BUFFER: destination elements overlap or are read-only, or side.local does not match the layout
 *  - DAP_ERR_UNSUPPORTED: two processes that exchange elements have no allowed transport in common, a part
 *    adds too many axes (DAP_MAX_NDIM), or coupled programs use incompatible releases of dapbridge
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_plan_run(), dap_plan_create_halo(), dap_plan_preview()
 */
DAP_API dap_status dap_plan_create(MPI_Comm comm, const dap_side *from, const dap_side *to, int64_t itemsize,
                                   const dap_plan_options *options, dap_plan **plan, dap_error *err);

/**
 * Creates a plan that gathers all owned elements on one process.
 *
 * A run writes the elements to a contiguous C-order buffer of the whole array on `root`. Collective on
 * `comm`.
 *
 * @param comm      contains the layout's processes; not an intercommunicator
 * @param from      source
 * @param root      rank of the process that receives the array; the same on every process
 * @param itemsize  size of an element in bytes; 0 means the size of from->dtype
 * @param options   NULL for the defaults
 * @param plan      receives the plan, to be freed with dap_plan_destroy(); NULL on error
 * @param err       receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, options contradict each other, or
 *    memory_bytes is too small
 *  - DAP_ERR_BUFFER: from->local does not match the layout
 *  - DAP_ERR_UNSUPPORTED: two processes that exchange elements have no allowed transport in common
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
 * @param comm      contains the layout's processes; not an intercommunicator
 * @param root      rank of the process that has the array; the same on every process
 * @param to        destination
 * @param itemsize  size of an element in bytes; 0 means the size of to->dtype
 * @param options   NULL for the defaults
 * @param plan      receives the plan, to be freed with dap_plan_destroy(); NULL on error
 * @param err       receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, options contradict each other, or
 *    memory_bytes is too small
 *  - DAP_ERR_BUFFER: destination elements overlap or are read-only, or to->local does not match the layout
 *  - DAP_ERR_UNSUPPORTED: two processes that exchange elements have no allowed transport in common
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_plan_create_gather()
 */
DAP_API dap_status dap_plan_create_scatter(MPI_Comm comm, int root, const dap_side *to, int64_t itemsize,
                                           const dap_plan_options *options, dap_plan **plan, dap_error *err);

/**
 * Starts a run: packs and sends as many elements as possible without waiting.
 *
 * Until dap_plan_end() returns, the source must not change and the destination must not be accessed. Runs of
 * several plans can be active at once. No memory is allocated.
 *
 * Source and destination may be the same buffer if both sides have the same layout, strides and type, and the
 * plan neither scales nor conjugates elements. In this case, a plan from dap_plan_create() copies the owners'
 * values to ghosts on 'u' axes and, with fill_halos, to communication padding. In all other cases, source and
 * destination must not overlap. If a side is only a part of an array, overlaps are not detected.
 *
 * Collective.
 *
 * @param plan  the plan, which must move only one array
 * @param from  address of element (0, ..., 0) of this process's source; NULL if there are no elements
 * @param to    address of element (0, ..., 0) of this process's destination; NULL if there are no elements
 * @param err   receives the error; may be NULL
 * @return the status of this process. dap_plan_end() reports failures of MPI, NULL buffers, and overlapping
 *         buffers.
 *  - DAP_OK
 *  - DAP_ERR_ARG: a run of the plan is already active, or the plan moves several arrays; nothing is changed
 *  - DAP_ERR_LIBRARY: MPI is not running
 * @see dap_plan_run(), dap_plan_begin_many()
 */
DAP_API dap_status dap_plan_begin(dap_plan *plan, const void *from, void *to, dap_error *err);

/**
 * Starts a run of a plan that moves several arrays.
 *
 * Until dap_plan_end() returns, the sources must not change and the destinations must not be accessed. The
 * lists `from` and `to` may be freed after the call.
 *
 * Collective.
 *
 * @param plan  the plan, which must move options.arrays arrays
 * @param from  [arrays] address of element (0, ..., 0) of each source; NULL if this process has no elements
 * @param to    [arrays] address of element (0, ..., 0) of each destination; NULL if this process has no
 *              elements
 * @param err   receives the error; may be NULL
 * @return the status of this process. dap_plan_end() reports failures of MPI, NULL buffers, and overlapping
 *         buffers, including overlaps between different arrays. If very many buffers are interleaved in
 *         memory, some overlaps are not detected.
 *  - DAP_OK
 *  - DAP_ERR_ARG: a run of the plan is already active; nothing is changed
 *  - DAP_ERR_LIBRARY: MPI is not running
 * @see dap_plan_run_many(), dap_plan_end()
 */
DAP_API dap_status dap_plan_begin_many(dap_plan *plan, const void *const from[], void *const to[],
                                       dap_error *err);

/**
 * Completes a run. After success, all elements of this process are in place, and the plan can be run again.
 *
 * A process waits only for the processes with which it exchanges elements, so DAP_OK does not mean that other
 * processes have received their elements. An error on one process does not leave other processes waiting.
 * After an error, the values of the destinations' elements are unspecified. Sources are unchanged, unless
 * they are also destinations. bridge/docs/reliability.md, "Runs of plans", lists the processes that return
 * the error.
 *
 * After DAP_ERR_LIBRARY, the plan is broken. Before the plan is destroyed, all processes must take part in
 * one more run, or agree on the result of dap_plan_is_broken().
 *
 * Collective.
 *
 * @param plan  the plan whose run is completed
 * @param err   receives the error, with the lowest rank at fault that this process knows of; may be NULL
 * @return the status of this process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: no run of the plan is active; only this process returns the error
 *  - DAP_ERR_ARG: a buffer is NULL, overlaps another buffer, or is not in shared memory although only
 *    DAP_TRANSPORT_DIRECT is allowed. The plan can be run again.
 *  - DAP_ERR_LIBRARY: MPI failed, or a process did not answer in time (see dap_wait_limit())
 */
DAP_API dap_status dap_plan_end(dap_plan *plan, dap_error *err);

/**
 * Runs a plan: dap_plan_begin() and dap_plan_end() in one call.
 *
 * Collective.
 *
 * @param plan  the plan, which must move only one array
 * @param from  address of element (0, ..., 0) of this process's source; NULL if there are no elements
 * @param to    address of element (0, ..., 0) of this process's destination, or NULL if there are no
 *              elements; may equal `from`
 * @param err   receives the error; may be NULL
 * @return the status of this process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: a run of the plan is active, the plan moves several arrays, or a buffer is not allowed (see
 *    dap_plan_end())
 *  - DAP_ERR_LIBRARY: MPI failed, or a process did not answer in time; the plan is broken
 */
DAP_API dap_status dap_plan_run(dap_plan *plan, const void *from, void *to, dap_error *err);

/**
 * Runs a plan that moves several arrays: dap_plan_begin_many() and dap_plan_end() in one call.
 *
 *     const dap_plan_options options = {.arrays = 3};
 *     dap_plan_create_halo(comm, &side, 0, &options, &plan, &err);
 *     dap_plan_run_many(plan, (const void *[]){u, v, w}, (void *[]){u, v, w}, &err);
 *
 * Collective.
 *
 * @param plan  the plan, which must move options.arrays arrays
 * @param from  [arrays] address of element (0, ..., 0) of each source; NULL if this process has no elements
 * @param to    [arrays] address of element (0, ..., 0) of each destination; NULL if this process has no
 *              elements
 * @param err   receives the error; may be NULL
 * @return the status of this process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: a run of the plan is active, or a buffer is not allowed (see dap_plan_end())
 *  - DAP_ERR_LIBRARY: MPI failed, or a process did not answer in time; the plan is broken
 */
DAP_API dap_status dap_plan_run_many(dap_plan *plan, const void *const from[], void *const to[],
                                     dap_error *err);

/**
 * Returns true if this process knows that a run of the plan has failed.
 *
 * A broken plan can only be destroyed. If a run fails on one process, processes that receive its elements
 * learn of the failure in the next run at the latest. Other processes may never learn of the failure. So
 * before the program creates a new plan, it must combine the results of this function on all processes, for
 * example with MPI_Allreduce(). Not collective.
 *
 * @param plan  any pointer
 * @return true if `plan` is broken, or does not point to a plan
 */
DAP_API bool dap_plan_is_broken(const dap_plan *plan);

/**
 * Frees a plan.
 *
 * Each process must destroy all its plans, in any order. The function waits for other processes only if a run
 * of the plan is active. If the plan is broken, the function waits only for messages that MPI has already
 * matched. The function may be called after the communicator has been freed, and after MPI_Finalize.
 *
 * @param plan  address of the plan, which is set to NULL; may be NULL or point to NULL
 */
DAP_API void dap_plan_destroy(dap_plan **plan);

#ifdef __cplusplus
}
#endif

#endif
