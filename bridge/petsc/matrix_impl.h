/* Declares what the files of matrices share. */
#ifndef DAP_MATRIX_IMPL_H
#define DAP_MATRIX_IMPL_H

#include <dapbridge/adapter.h>
#include <dapbridge/petsc_matrix.h>

#include "petsc_impl.h"

/* The largest integer of BLAS and LAPACK, to which PETSc passes its dense matrices. */
#define DAP_BLAS_MAX ((int64_t)(sizeof(PetscBLASInt) >= 8 ? INT64_MAX : INT32_MAX))

/* The elements that this process owns, as a column-major block whose columns run along axis `inner`. With
 * axis == inner it is a part of a MATDENSE with rows along that axis. */
typedef struct dap_mat_block {
  int64_t size[2]; /* of the matrix */
  int axis;        /* is spread over the processes in ranges; the other axis lies whole on each */
  int inner;       /* the axis along which elements are contiguous, on every process */
  bool in_order;   /* the ranges ascend with the ranks */
  int position;    /* this process's place in the order of the ranges */
  int64_t owned;   /* elements along `axis` here */
  int64_t lead;    /* leading dimension, elements */
  bool has_gaps; /* a process's leading dimension is not the number of elements that it owns along `inner` */
  void *data;    /* the first element; never NULL */
} dap_mat_block;

/* dap_view.form of a shared matrix. */
typedef struct dap_mat_form {
  int axis, inner;
} dap_mat_form;

static inline PetscErrorCode dap_mat_assemble(Mat mat)
{
  PetscCall(MatAssemblyBegin(mat, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(mat, MAT_FINAL_ASSEMBLY);
}

/* Functions of dap_adapter, in matrix_share.c and matrix_move.c. */
uint64_t dap_mat_vote(const dap_view *view);
dap_status dap_mat_share(dap_view *view, int target, char reason[], dap_error *why);
dap_status dap_mat_get_memory(dap_view *view, int target, dap_access access, void **memory, dap_error *err);
dap_status dap_mat_restore_memory(dap_view *view, int target, dap_access access, void *memory,
                                  dap_error *err);

/* matrix_share.c: returns the block of a shared view's member. */
dap_mat_block dap_mat_block_of(const dap_view *view);

/* matrix_dense.c: MATDENSE, shared and PETSc's own.
 * share: makes the matrix on the block, or a transposed view of it, with axis == inner. `comm` has the
 * ranges' order. Collective.
 * create: makes a zeroed one, with rows spread evenly or, if `equal`, as MATSCALAPACK wants them.
 * Collective.
 * expect: the layout of the latter. layout: that of any, and the strides of this process's part. Not
 * collective. */
PetscErrorCode dap_dense_share(MPI_Comm comm, const dap_mat_block *block, Mat *mat);
PetscErrorCode dap_dense_create(MPI_Comm comm, const int64_t sizes[2], bool equal, Mat *mat);
dap_status dap_dense_expect(const int64_t sizes[2], int nprocs, bool equal, dap_layout **layout,
                            dap_error *err);
dap_status dap_dense_layout(Mat mat, dap_layout **layout, int64_t strides[2], dap_error *err);

/* matrix_repair.c: replaces operations that PETSc gets wrong if the leading dimension is not the number of
 * rows. Not collective, but all processes do it or none. */
PetscErrorCode dap_dense_repair(Mat mat);

/* matrix_shell.c: makes a matrix that multiplies with the block, for the layouts that MATDENSE cannot hold,
 * with axis != inner. Collective. */
PetscErrorCode dap_shell_create(MPI_Comm comm, const dap_mat_block *block, Mat *mat);

/* matrix_scalapack.c: MATSCALAPACK.
 * check: DAP_OK if this PETSc makes a MATSCALAPACK of these sizes, and can convert it. Not collective.
 * create: makes a zeroed one. fill: takes all elements from a MATDENSE made with `equal`. read: makes such a
 * MATDENSE of all elements. layout: finds where its elements lie; not agreed. All are collective. */
dap_status dap_matscalapack_check(const int64_t sizes[2], int nprocs, dap_error *err);
PetscErrorCode dap_matscalapack_create(MPI_Comm comm, const int64_t sizes[2], const int64_t block_size[2],
                                       Mat *mat);
PetscErrorCode dap_matscalapack_fill(Mat mat, Mat dense);
PetscErrorCode dap_matscalapack_read(Mat mat, Mat *dense);
dap_status dap_matscalapack_layout(Mat mat, dap_layout **layout, dap_error *err);

#endif
