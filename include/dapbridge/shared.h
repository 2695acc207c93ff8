/* dapbridge/shared.h: arrays in memory that the processes of a node share.
 *
 * A plan reads or writes such an array directly from the other processes of its node: one copy, and no buffer
 * between. It is an ordinary array in every other respect. */
#ifndef DAPBRIDGE_SHARED_H
#define DAPBRIDGE_SHARED_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What dap_array_init() does with a NULL buffer, for process `rank of comm` of `layout`, in memory that the
 * processes of `comm` on this node map. The buffer is zeroed and begins on a multiple of 64 bytes. So does
 * each row (column, in Fortran order) of two or more dimensions if it is longer than that, and rows that
 * would be a multiple of 4096 bytes apart get one line more: transposes are up to 1.5 times as fast. Strides
 * are then not contiguous. They are for padded layouts of three or more dimensions, which PETSc shares only
 * so; dap_array_alloc_contiguous() does it for any layout.
 *
 * Collective on `comm`, of which the layout's processes are the first ranks. The others get an array without
 * dimensions and data, to be released too: until then they see the memory of their node, and plans move
 * elements between it and them directly. Release it with dap_array_release(), which is not collective and may
 * come after `comm` is freed and after MPI_Finalize(); no plan may be under way on it. The memory is given
 * back when all processes of the node have released it. Where there is no shared memory (a process alone on
 * its node, no space left, another operating system) it is private memory of the same form; *shared, which
 * may be NULL, says so, the same on every process of a node.
 * Errors, the same on every process: those of dap_array_init(); DAP_ERR_ARG (layouts, dtypes or the
 * functions that are called differ, more processes than `comm` has), DAP_ERR_LIBRARY. On error *array is
 * zeroed. */
DAP_API dap_status dap_array_alloc(MPI_Comm comm, const dap_layout *layout, dap_dtype dtype, dap_order order,
                                   dap_array *array, bool *shared, dap_error *err);
DAP_API dap_status dap_array_alloc_contiguous(MPI_Comm comm, const dap_layout *layout, dap_dtype dtype,
                                              dap_order order, dap_array *array, bool *shared,
                                              dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
