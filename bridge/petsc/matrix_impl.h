/* Matrices inside: an index of what their files offer each other. */
#ifndef DAP_MATRIX_IMPL_H
#define DAP_MATRIX_IMPL_H

#include <dapbridge/petsc_matrix.h>

#include "petsc_impl.h"

/* What BLAS and LAPACK count, which PETSc hands its dense matrices to. */
#define DAP_BLAS_MAX ((int64_t)(sizeof(PetscBLASInt) >= 8 ? INT64_MAX : INT32_MAX))

/* ---- matrix_share.c: may the matrix be the array's buffer? --------------------------------------- */

/* An array that a matrix can share: the block of elements that this process owns, column-major in the sense that axis
 * `inner` is contiguous. With cut == inner it is a part of a MATDENSE with rows along that axis. */
typedef struct dap_fit {
  int cut;       /* the axis whose ranges are spread over the processes; the other lies whole on each */
  int inner;     /* the axis along which elements are contiguous, on every process */
  bool in_order; /* the ranges ascend with the ranks */
  int place;     /* of this process in the order of the ranges */
  int64_t owned; /* elements along `cut` here */
  int64_t lead;  /* leading dimension, elements */
  bool gaps;     /* some process' leading dimension is not what it owns along `inner` */
  void *data;    /* the first element; never NULL */
} dap_fit;

struct dap_petsc_matrix_state;

/* Fills *fit; or DAP_ERR_SHARE with the first condition that fails. Collective on the state's communicator; agreed. */
dap_status dap_fit_find(const struct dap_petsc_matrix_state *state, dap_fit *fit, dap_error *why);

/* ---- matrix_dense.c: MATDENSE, shared and PETSc's own ---------------------------------------------- */

/* The matrix on the fit's block, or its transposed view: cut == inner. `comm` has the ranges' order. Collective. */
PetscErrorCode dap_dense_share(MPI_Comm comm, const dap_layout *layout, const dap_fit *fit, Mat *mat);

/* A zeroed one, with rows spread evenly, or as MATSCALAPACK wants them. Collective. */
PetscErrorCode dap_dense_create(MPI_Comm comm, const dap_layout *layout, bool equal, Mat *mat);

/* The layout of a MATDENSE, and the strides of this process' part. Not collective. */
dap_status dap_dense_layout(Mat mat, dap_layout **layout, int64_t strides[2], dap_error *err);

/* ---- matrix_repair.c: what a leading dimension breaks ------------------------------------------------ */

/* Replaces what PETSc does wrong where the leading dimension is not the number of rows. Not collective, but all
 * processes do it or none. */
PetscErrorCode dap_dense_repair(Mat mat);

/* ---- matrix_shell.c: the layouts that MATDENSE cannot hold ----------------------------------------- */

/* Multiplies with the fit's block: cut != inner. Collective. */
PetscErrorCode dap_shell_create(MPI_Comm comm, const dap_layout *layout, const dap_fit *fit, Mat *mat);

/* ---- matrix_scalapack.c: MATSCALAPACK -------------------------------------------------------------- */

/* DAP_OK iff this PETSc makes a MATSCALAPACK of these sizes, and can convert it. Not collective. */
dap_status dap_matscalapack_check(const int64_t sizes[2], int nprocs, dap_error *err);

/* A zeroed one. Collective. */
PetscErrorCode dap_matscalapack_create(MPI_Comm comm, const dap_layout *layout, const int64_t block_size[2],
                                       Mat *mat);

/* All elements from a MATDENSE made with `equal`; and such a MATDENSE of all elements. Collective. */
PetscErrorCode dap_matscalapack_fill(Mat mat, Mat dense);
PetscErrorCode dap_matscalapack_read(Mat mat, Mat *dense);

/* Where its elements lie. Collective; not agreed. */
dap_status dap_matscalapack_layout(Mat mat, dap_layout **layout, dap_error *err);

/* ---- matrix_state.c: what a live view holds ---------------------------------------------------------- */

struct dap_petsc_matrix_state {
  MPI_Comm comm; /* its own */
  dap_access access;
  dap_petsc_matrix_options options;
  dap_layout *layout;
  int64_t sizes[2];
  dap_work work;
  int coords[2]; /* of this process */
  Mat mat;
  dap_plan *
      out; /* what restore runs: MATDENSE -> array, or where that is shared the array's padding; NULL: nothing */
};

/* Checks the arguments of dap_petsc_matrix_get() on this process and takes them in. Not collective. */
dap_status dap_mat_fill(struct dap_petsc_matrix_state *state, MPI_Comm comm, const dap_layout *layout,
                        const dap_array *array, dap_access access, const dap_petsc_matrix_options *options,
                        dap_error *err);

/* Are the arguments the same on every process? Collective. */
dap_status dap_mat_check_same(const struct dap_petsc_matrix_state *state, dap_error *err);

/* Collective on the state's communicator. Accepts a half-built state. */
dap_status dap_mat_destroy(struct dap_petsc_matrix_state *state, dap_error *err);

/* ---- matrix_move.c: between the array and a MATDENSE -------------------------------------------------- */

/* Moves the array's elements to `dense`. Collective on the state's communicator; agreed. */
dap_status dap_mat_read(const struct dap_petsc_matrix_state *state, Mat dense, int64_t *moved,
                        dap_error *err);

/* Plans, for dap_mat_write(), the move from a matrix like `dense`; or, with NULL, the update of the array's
 * padding. Collective; agreed. */
dap_status dap_mat_plan(struct dap_petsc_matrix_state *state, Mat dense, dap_error *err);

/* Moves the elements of `dense`, and fills the array's padding; with NULL only that. Collective; agreed. */
dap_status dap_mat_write(const struct dap_petsc_matrix_state *state, Mat dense, int64_t *moved,
                         dap_error *err);

/* ---- matrix_copy.c: matrices of PETSc's own ----------------------------------------------------------- */

/* Makes state->mat as its options say, and fills it. Collective; agreed. */
dap_status dap_copy_make(MPI_Comm comm, struct dap_petsc_matrix_state *state, int64_t *moved, dap_error *err);

/* Moves its elements back, if there is a plan for that. Collective; agreed. */
dap_status dap_copy_write(struct dap_petsc_matrix_state *state, int64_t *moved, dap_error *err);

#endif
