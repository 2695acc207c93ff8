/**
 * @file
 * Arrays in memory that the processes of a node share.
 *
 * When a plan runs, other processes of the node read or write such an array directly, with one copy and no
 * intermediate buffers. In all other respects, the array is an ordinary array.
 *
 * The buffer is zeroed and aligned to 64 bytes. The buffer is in private memory if the node has only one
 * process, or if shared memory is unavailable or full. A child process created by fork() shares this memory
 * with its parent instead of getting a copy. The child must not call dapbridge, and must end with _exit().
 *
 * In arrays with two or more axes, dap_array_alloc() also aligns each row (in Fortran order, each column)
 * that is longer than 64 bytes. If the distance between rows would then be a multiple of 4096 bytes,
 * dap_array_alloc() adds 64 bytes to this distance. So there can be gaps between rows. Plans that transpose
 * elements in memory are faster if the destination's rows are aligned, but slower if only the source's rows
 * are. Padded arrays with three or more axes always get contiguous strides, because PETSc can share such
 * arrays only with contiguous strides.
 */
#ifndef DAPBRIDGE_SHARED_H
#define DAPBRIDGE_SHARED_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <dapbridge/mpi_family.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Allocates this process's part of an array in memory that the processes of the node share.
 *
 * The comment at the top of this header describes the memory and the strides. Processes outside the layout
 * get an array without axes or data.
 *
 *     dap_array_alloc(comm, layout, DAP_F8, DAP_ORDER_C, &a, NULL, &err);
 *     ...
 *     dap_array_release(&a);
 *
 * dap_array_release() is not collective. The caller may release the array after MPI_Finalize, but not while a
 * plan is running on it. The memory is freed when all processes of the node have released the array.
 *
 * Collective on `comm`.
 *
 * @param comm    rank i must be the layout's process i; further processes are allowed
 * @param layout  layout of the whole array; the same on every process
 * @param dtype   type of the elements; the same on every process
 * @param order   storage order
 * @param array   receives the part, to be freed with dap_array_release() on every process; zeroed on error
 * @param shared  receives true if the node's processes share the memory; may be NULL
 * @param err     receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or `comm` has too few processes
 *  - DAP_ERR_RANGE: the buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_UNSUPPORTED: the protocol cannot express the layout, for example because an axis is partial
 *  - DAP_ERR_REMOTE: a process does not know its indices along a 'u' axis
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_array_alloc_contiguous(), dap_array_init()
 */
DAP_API dap_status dap_array_alloc(MPI_Comm comm, const dap_layout *layout, dap_dtype dtype, dap_order order,
                                   dap_array *array, bool *shared, dap_error *err);

/**
 * Allocates this process's part of an array, with contiguous strides, in memory that the processes of the
 * node share.
 *
 * Unlike dap_array_alloc(), the function does not align rows. Collective on `comm`.
 *
 * @param comm    rank i must be the layout's process i; further processes are allowed
 * @param layout  layout of the whole array; the same on every process
 * @param dtype   type of the elements; the same on every process
 * @param order   storage order
 * @param array   receives the part, to be freed with dap_array_release() on every process; zeroed on error
 * @param shared  receives true if the node's processes share the memory; may be NULL
 * @param err     receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or `comm` has too few processes
 *  - DAP_ERR_RANGE: the buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_UNSUPPORTED: the protocol cannot express the layout, for example because an axis is partial
 *  - DAP_ERR_REMOTE: a process does not know its indices along a 'u' axis
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_array_alloc()
 */
DAP_API dap_status dap_array_alloc_contiguous(MPI_Comm comm, const dap_layout *layout, dap_dtype dtype,
                                              dap_order order, dap_array *array, bool *shared,
                                              dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
