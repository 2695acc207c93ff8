/**
 * @file
 * Checks the parts of all processes and creates the layout of the array, on one process without MPI.
 */
#ifndef DAPBRIDGE_JOIN_H
#define DAPBRIDGE_JOIN_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The input of dap_layout_join(): the number of processes, and callbacks that provide the parts and report
 * broken rules.
 *
 * dapbridge calls `part` several times for each process. For a given process, the callback must provide the
 * same part each time. Indices of 'u' axes must stay valid until dap_layout_join() returns. dapbridge does
 * not release the part.
 *
 * dapbridge calls `tell` for each broken rule. finding->rank is the rank of the process that breaks the rule,
 * and finding->rule is the rule's number (rules.h). If `tell` is NULL, dap_layout_join() stops at the first
 * broken rule. Otherwise the function continues as far as possible.
 */
typedef struct dap_join {
  int nprocs;    /**< number of processes, >= 1 */
  void *context; /**< passed to `part` and `tell` */
  /** Sets *array to the part of process `rank`. */
  dap_status (*part)(void *context, int rank, dap_array *array, dap_error *err);
  /** Receives a broken rule; may be NULL. */
  void (*tell)(void *context, dap_status status, const dap_error *finding);
  const char *rules;    /**< protocol version whose rules apply to all parts; NULL: each part's own version */
  bool without_buffers; /**< true: check only dictionaries, and not shape, strides, data or dtype */
} dap_join;

/**
 * Creates the layout of an array whose parts are all in this process.
 *
 * The function performs the same checks as dap_layout_assemble(). The new layout contains all indices of 'u'
 * axes. If the parts of some processes in the grid are missing, the function returns DAP_ERR_LAYOUT and sets
 * err->rule to 6. To check a single part, use dap_array_check(). Not collective.
 *
 * @param join    number of processes, and callbacks
 * @param layout  receives the layout, to be freed with dap_layout_destroy(); NULL on error
 * @param err     receives the first error, with the broken rule and a text that begins with "rank R:"; may be
 *                NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, nprocs is less than 1, or a part's abi is not DAP_ARRAY_ABI
 *  - DAP_ERR_VERSION: a part's version, or `rules`, is unknown
 *  - DAP_ERR_DIM: a dictionary breaks a rule
 *  - DAP_ERR_LAYOUT: the parts contradict each other
 *  - DAP_ERR_BUFFER: shape, element type or data of a part do not match its dictionaries
 *  - DAP_ERR_RANGE: sizes exceed 2^63 - 1
 *  - DAP_ERR_NOMEM
 *  - any status that join->part returns
 * @see dap_layout_assemble()
 */
DAP_API dap_status dap_layout_join(const dap_join *join, dap_layout **layout, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
