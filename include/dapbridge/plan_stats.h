/**
 * @file
 * Statistics of plans, and of moves for which no plan has been created.
 */
#ifndef DAPBRIDGE_PLAN_STATS_H
#define DAPBRIDGE_PLAN_STATS_H

#include <dapbridge/layout.h>
#include <dapbridge/plan_options.h>
#include <dapbridge/side.h>
#include <dapbridge/status.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Statistics of one run of a plan on this process, for all arrays together. Byte counts of moved elements
 * are based on the size of the source's element type. */
typedef struct dap_plan_stats {
  int64_t bytes_local;       /**< bytes copied from source to destination on this process */
  int64_t bytes_sent;        /**< bytes sent to other processes by any transport, including bytes_handed_on */
  int64_t bytes_received;    /**< bytes received from other processes, including bytes_handed_on */
  int64_t messages_sent;     /**< messages sent or slots filled; direct copies are not counted */
  int64_t messages_received; /**< messages received or slots read; direct copies are not counted */
  int64_t rounds;            /**< largest number of messages to or from any one process */
  int64_t bytes_buffer;      /**< bytes of message buffers, and of this process's slots in shared memory */
  int64_t bytes_plan;        /**< bytes of all other memory of the plan */
  int64_t bytes_handed_on;   /**< bytes that this process received only to pass them on; 0 if `phases` is 1 */
  int64_t phases;            /**< 2 if elements pass through a third process (bridge/docs/model.md); else 1 */
} dap_plan_stats;

/**
 * Returns this process's statistics of one run of a plan (bytes, messages, memory).
 *
 * Not collective.
 *
 * @param plan  the plan
 * @return the statistics; zeroed if `plan` does not point to a plan
 * @see dap_plan_preview()
 */
DAP_API dap_plan_stats dap_plan_summarize(const dap_plan *plan);

/**
 * Estimates the statistics of a plan on process `rank`, without MPI and without creating the plan.
 *
 * The function assumes that each process is on its own node. The byte counts of moved elements are exact,
 * unless the plan would read replicated elements from copies on the same node. Messages and buffers are
 * estimated as if all processes moved as many bytes as process `rank`. See bridge/docs/model.md, "Messages in
 * two phases". Not collective.
 *
 * @param nprocs    number of processes in the communicator
 * @param rank      rank of the process
 * @param from, to  source and destination, with the strides of the buffers on process `rank`. Both must have
 *                  a layout.
 * @param itemsize  size of an element in bytes; 0 means the size of the sides' dtype
 * @param options   NULL for the defaults
 * @param stats     receives the statistics; zeroed on error
 * @param err       receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid, options contradict each other, a lossy cast is not allowed, or
 *    memory_bytes is too small
 *  - DAP_ERR_BUFFER: elements of the destination overlap
 *  - DAP_ERR_UNSUPPORTED: options->transports excludes messages, which two processes need, or a part adds
 *    too many axes (DAP_MAX_NDIM)
 *  - DAP_ERR_REMOTE: this process does not know all indices of a 'u' axis
 *  - DAP_ERR_RANGE: a buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM
 * @see dap_plan_summarize()
 */
DAP_API dap_status dap_plan_preview(int nprocs, int rank, const dap_side *from, const dap_side *to,
                                    int64_t itemsize, const dap_plan_options *options, dap_plan_stats *stats,
                                    dap_error *err);

/**
 * Writes a description of a plan to `text`, like snprintf().
 *
 * The text describes the move, the number of bytes that this process exchanges with each other process, and
 * the transports that are used, with reasons. Not collective.
 *
 * @param plan      the plan; if the pointer is invalid, the description is an error message
 * @param text      receives the description; may be NULL if `capacity` is 0
 * @param capacity  size of `text` in bytes
 * @return length of the full text, without the NUL
 */
DAP_API size_t dap_plan_describe(const dap_plan *plan, char *text, size_t capacity);

/* ---- moves between two layouts ----------------------------------------------------------------------- */

/**
 * Finds an order of the destination's processes for which few elements move to other processes.
 *
 * The function assumes a move of all elements to the same indices. For up to 256 processes, the order is
 * optimal. For more processes, the function uses a greedy matching, whose running time is roughly linear in
 * the number of processes. The order is never worse than ranks[i] = i. Not collective; the result is the same
 * on every process.
 *
 * @param from    layout of the source
 * @param to      layout of the destination
 * @param ranks   [nprocs of to] receives the list for dap_side.ranks: the rank of each process of `to`. Ranks
 *                without a process of `from` occur only if `to` has more processes than `from`.
 * @param before  receives the number of elements that move to another process if ranks[i] = i; may be NULL
 * @param after   receives the number of elements that move to another process in the new order; may be NULL
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, or the shapes differ
 *  - DAP_ERR_REMOTE: this process does not know all indices of a 'u' axis
 *  - DAP_ERR_RANGE: the processes together hold more than 2^63 - 1 elements
 *  - DAP_ERR_NOMEM
 * @see dap_plan_volumes(), dap_layout_reorder()
 */
DAP_API dap_status dap_plan_relabel(const dap_layout *from, const dap_layout *to, int ranks[],
                                    int64_t *before, int64_t *after, dap_error *err);

/**
 * Computes the communication matrix of a move of all elements to the same indices.
 *
 * On a 'u' axis, an element goes from the owner to all processes that list its index. Along a replicated
 * axis, a process reads its own copy. The function assumes that a process without a copy reads the first
 * copy, although a run of a plan reads the nearest one. Addends of a partial source are counted; padding is
 * not. Time and memory grow with the number of entries in the matrix. For each axis, time and memory also
 * grow with the number of contiguous ranges on the side that has fewer ranges. Not collective.
 *
 * @param from      layout of the source
 * @param to        layout of the destination
 * @param elements  [nprocs of from][nprocs of to] entry [p][q] receives the number of elements that process q
 *                  of `to` gets from process p of `from`
 * @param err       receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, or the shapes differ
 *  - DAP_ERR_REMOTE: this process does not know all indices of a 'u' axis
 *  - DAP_ERR_RANGE: the processes together hold more than 2^63 - 1 elements
 *  - DAP_ERR_NOMEM
 * @see dap_plan_relabel()
 */
DAP_API dap_status dap_plan_volumes(const dap_layout *from, const dap_layout *to, int64_t elements[],
                                    dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
