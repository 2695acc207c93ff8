/**
 * @file
 * Checks whether copies of elements on several processes are equal.
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
 * Checks that all copies of each element are bitwise equal to the owner's value.
 *
 * The function compares copies along replicated axes, and, on 'u' axes, copies of elements whose index is in
 * the lists of several processes. Collective on `comm`.
 *
 * @param comm   contains exactly the layout's processes: rank i of `comm` is process i of the layout
 * @param array  layout of the whole array (the same on every process), and this process's part
 * @param err    receives the error, which names the first element that differs; may be NULL
 * @return the same on every process:
 *  - DAP_OK: all copies are equal, or there are no copies
 *  - DAP_ERR_ARG: a pointer is NULL, layouts differ, or the sizes of `comm` and the layout differ
 *  - DAP_ERR_BUFFER: copies differ, or array.local does not match the layout
 *  - DAP_ERR_RANGE: the buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_replicas_check(MPI_Comm comm, dap_darray array, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
