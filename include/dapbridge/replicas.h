/**
 * @file
 * Whether copies of elements on several processes are equal.
 */
#ifndef DAPBRIDGE_REPLICAS_H
#define DAPBRIDGE_REPLICAS_H

#include <dapbridge/array.h>
#include <dapbridge/mpi_family.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Checks that all copies of each element have the same bytes as the owner's.
 *
 * The function compares copies on 'u' axes with duplicates and along replicated axes. An array without
 * duplicates passes. Use the function in programs that write all copies. Other functions do not detect copies
 * that differ. They read an element from its owner, or from any copy if it is replicated. Collective on
 * `comm`.
 *
 * @param comm   its processes are the layout's
 * @param array  layout of the whole, the same on every process, and this process's part
 * @param err    receives rank and text of an error, with the first element that differs; may be NULL
 * @return the same status on every process:
 *  - DAP_OK: all copies are equal
 *  - DAP_ERR_ARG: an argument is NULL, layouts differ between processes, or `comm` has another size
 *  - DAP_ERR_BUFFER: copies differ, or array.local does not match the layout
 *  - DAP_ERR_RANGE: the buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_replicas_check(MPI_Comm comm, dap_darray array, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
