/**
 * @file
 * Arrays in memory that the processes of a node share.
 *
 * When a plan runs, other processes of the node read or write such an array directly, with one copy and no
 * intermediate buffers. In all other respects it is an ordinary array.
 *
 * The buffer is zeroed and aligned to 64 bytes. If the node has only one process, no space is left, or the
 * system has no shared memory, the buffer is in private memory. A child process made by fork() has the same
 * memory, not a copy. The child must not call the library, and must end with _exit().
 *
 * If the array has two or more axes, dap_array_alloc() also aligns each row (in Fortran order, each column)
 * that is longer than 64 bytes. If rows would be a multiple of 4096 bytes apart, each row is padded by a
 * further 64 bytes. Strides are then not contiguous. Plans that transpose storage are faster if they write
 * aligned rows, but slower if they read aligned rows and write contiguous ones. Arrays with padding and three
 * or more axes always have contiguous strides, because PETSc cannot share them otherwise.
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
 * Allocates this process's part of an array in memory that its node shares.
 *
 * Plans can move elements directly between such arrays of one node. Rows are aligned, so strides need not be
 * contiguous. The layout's processes are the first ranks of `comm`. Other processes get an array without axes
 * or data.
 *
 *     dap_array_alloc(comm, layout, DAP_F8, DAP_ORDER_C, &a, NULL, &err);
 *     ...
 *     dap_array_release(&a);
 *
 * dap_array_release() is not collective here. It may be called after MPI_Finalize, but not while a plan is
 * running on the array. The memory is freed when all processes of the node have released it.
 *
 * Collective on `comm`.
 *
 * @param comm    its first ranks are the layout's processes
 * @param layout  layout of the whole; the same on every process
 * @param dtype   type of the elements; the same on every process
 * @param order   storage order
 * @param array   receives the part, to be freed with dap_array_release() on every process; zeroed on error
 * @param shared  receives whether the node's processes share the memory; may be NULL
 * @param err     receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or `comm` has too few processes
 *  - DAP_ERR_RANGE: the buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_UNSUPPORTED: the protocol cannot express the layout, such as a partial axis
 *  - DAP_ERR_REMOTE: a process does not know its indices along a 'u' axis
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_array_alloc_contiguous(), dap_array_init()
 */
DAP_API dap_status dap_array_alloc(MPI_Comm comm, const dap_layout *layout, dap_dtype dtype, dap_order order,
                                   dap_array *array, bool *shared, dap_error *err);

/**
 * Allocates this process's part of an array in memory that its node shares, with contiguous strides.
 *
 * The function does the same as dap_array_alloc(), but does not align rows. Collective on `comm`.
 *
 * @param comm    its first ranks are the layout's processes
 * @param layout  layout of the whole; the same on every process
 * @param dtype   type of the elements; the same on every process
 * @param order   storage order
 * @param array   receives the part, to be freed with dap_array_release() on every process; zeroed on error
 * @param shared  receives whether the node's processes share the memory; may be NULL
 * @param err     receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or `comm` has too few processes
 *  - DAP_ERR_RANGE: the buffer exceeds 2^63 - 1 bytes
 *  - DAP_ERR_UNSUPPORTED: the protocol cannot express the layout, such as a partial axis
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
