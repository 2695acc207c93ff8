/* Matrices inside: an index of what their files offer each other. */
#ifndef DAP_MATRIX_IMPL_H
#define DAP_MATRIX_IMPL_H

#include <dapbridge/adapter.h>
#include <dapbridge/petsc_matrix.h>

#include "petsc_impl.h"

/* The largest integer of BLAS and LAPACK, to which PETSc passes its dense matrices. */
#define DAP_BLAS_MAX ((int64_t)(sizeof(PetscBLASInt) >= 8 ? INT64_MAX : INT32_MAX))

/* A block of elements that this process owns, column-major in the sense that axis `inner` is contiguous. With
 * axis == inner it is a part of a MATDENSE with rows along that axis. */
typedef struct dap_mat_block {
  int64_t size[2]; /* of the matrix */
  int axis;        /* whose ranges are spread over the processes; the other lies whole on each */
  int inner;       /* the axis along which elements are contiguous, on every process */
  bool in_order;   /* the ranges ascend with the ranks */
  int position;    /* of this process in the order of the ranges */
  int64_t owned;   /* elements along `axis` here */
  int64_t lead;    /* leading dimension, elements */
  bool has_gaps;   /* some process's leading dimension is not what it owns along `inner` */
  void *data;      /* the first element; never NULL */
} dap_mat_block;

/* dap_view.form: of a shared matrix, what is the same for all buffers of one kind. */
typedef struct dap_mat_form {
  int axis, inner;
} dap_mat_form;

/* dap_view.state */
typedef struct dap_mat_state {
  Mat mat;
  Mat dense; /* through which elements come to a MATSCALAPACK and go, while they do */
} dap_mat_state;

/* ---- matrix_share.c: may the matrix be the array's buffer? --------------------------------------- */

/* Functions of dap_adapter. */
uint64_t dap_mat_vote(const dap_view *view);
dap_status dap_mat_share(dap_view *view, int target, char reason[], dap_error *why);

/* The block of a shared view's member. */
dap_mat_block dap_mat_block_of(const dap_view *view);

/* ---- matrix_dense.c: MATDENSE, shared and PETSc's own ---------------------------------------------- */

/* The matrix on the block, or its transposed view: axis == inner. `comm` has the ranges' order.
 * Collective. */
PetscErrorCode dap_dense_share(MPI_Comm comm, const dap_mat_block *block, Mat *mat);

/* A zeroed one, with rows spread evenly, or as MATSCALAPACK wants them. Collective. */
PetscErrorCode dap_dense_create(MPI_Comm comm, const int64_t sizes[2], bool equal, Mat *mat);

/* The layout of such a one. Not collective. */
dap_status dap_dense_expect(const int64_t sizes[2], int nprocs, bool equal, dap_layout **layout,
                            dap_error *err);

/* The layout of a MATDENSE, and the strides of this process's part. Not collective. */
dap_status dap_dense_layout(Mat mat, dap_layout **layout, int64_t strides[2], dap_error *err);

/* ---- matrix_repair.c: what a leading dimension breaks ------------------------------------------------ */

/* Replaces what PETSc does wrong where the leading dimension is not the number of rows. Not collective, but
 * all processes do it or none. */
PetscErrorCode dap_dense_repair(Mat mat);

/* ---- matrix_shell.c: the layouts that MATDENSE cannot hold ----------------------------------------- */

/* Multiplies with the block: axis != inner. Collective. */
PetscErrorCode dap_shell_create(MPI_Comm comm, const dap_mat_block *block, Mat *mat);

/* ---- matrix_scalapack.c: MATSCALAPACK -------------------------------------------------------------- */

/* DAP_OK iff this PETSc makes a MATSCALAPACK of these sizes, and can convert it. Not collective. */
dap_status dap_matscalapack_check(const int64_t sizes[2], int nprocs, dap_error *err);

/* A zeroed one. Collective. */
PetscErrorCode dap_matscalapack_create(MPI_Comm comm, const int64_t sizes[2], const int64_t block_size[2],
                                       Mat *mat);

/* All elements from a MATDENSE made with `equal`; and such a MATDENSE of all elements. Collective. */
PetscErrorCode dap_matscalapack_fill(Mat mat, Mat dense);
PetscErrorCode dap_matscalapack_read(Mat mat, Mat *dense);

/* Where its elements lie. Collective; not agreed. */
dap_status dap_matscalapack_layout(Mat mat, dap_layout **layout, dap_error *err);

/* ---- matrix_move.c: the memory of a matrix of PETSc's own -------------------------------------------- */

/* Functions of dap_adapter. */
dap_status dap_mat_get_memory(dap_view *view, int target, dap_access access, void **memory, dap_error *err);
dap_status dap_mat_restore_memory(dap_view *view, int target, dap_access access, void *memory,
                                  dap_error *err);

#endif
