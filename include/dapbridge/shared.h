/* dapbridge/shared.h: arrays in memory that the processes of a node share.
 *
 * In a plan, other processes of the node read or write such an array directly: one copy, without intermediate
 * buffers. In all other respects it is an ordinary array. */
#ifndef DAPBRIDGE_SHARED_H
#define DAPBRIDGE_SHARED_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <dapbridge/mpi_family.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As dap_array_init() with NULL `data`, for process `rank of comm` of `layout`, but in memory that is
 * mapped by all processes of `comm` on this node. The buffer is zeroed and aligned to 64 bytes. In two or
 * more dimensions each row (column, in Fortran order) longer than 64 bytes is aligned, too, and rows that
 * would be a multiple of 4096 bytes apart are padded by another 64 bytes; strides are then not contiguous.
 * Plans that transpose storage were measured to be 1.1 to 1.3 times as fast into such rows, but 0.7 to 0.9
 * times as fast from them into contiguous ones. Padded layouts of three or more dimensions, which
 * PETSc can share only if they are contiguous, get contiguous strides, and dap_array_alloc_contiguous()
 * gives these for any layout.
 *
 * Collective on `comm`, of which the layout's processes are the first ranks. The other processes get an
 * array without dimensions and data, which must be released, too; plans can move elements between it and
 * their node's arrays directly. Release it with dap_array_release(), which is not collective and may be
 * called after `comm` has been freed and after MPI_Finalize, but not while a plan is running on it. The
 * memory is freed when all processes of the node have released it. A child by fork() has the same memory, not
 * a copy; it must call nothing of the library, and end by _exit(). Without shared memory (a process alone
 * on its node, no space left, another operating system) it is private memory of the same form. *shared,
 * which may be NULL, tells which; it is the same on all processes of a node.
 * Errors, the same on every process: those of dap_array_init(); DAP_ERR_ARG (layout, dtype or the function
 * called differ; more processes than `comm` has), DAP_ERR_LIBRARY. On error *array is zeroed. */
DAP_API dap_status dap_array_alloc(MPI_Comm comm, const dap_layout *layout, dap_dtype dtype, dap_order order,
                                   dap_array *array, bool *shared, dap_error *err);
DAP_API dap_status dap_array_alloc_contiguous(MPI_Comm comm, const dap_layout *layout, dap_dtype dtype,
                                              dap_order order, dap_array *array, bool *shared,
                                              dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
