/* dapbridge/petsc_matrix.h: a distributed array of two axes as a PETSc matrix, and dense matrices as arrays.
 *
 * Element (i, j) of the matrix is element (i, j) of the array, whatever order its buffers are in. PETSc is not
 * thread-safe, so neither are these functions. */
#ifndef DAPBRIDGE_PETSC_MATRIX_H
#define DAPBRIDGE_PETSC_MATRIX_H

#include <dapbridge/adapter.h>
#include <dapbridge/petsc_build.h>
#include <petscmat.h>

/* The library for this build of PETSc has its own names for the functions. */
#define dap_petsc_matrix_get DAP_PETSC_NAME(matrix_get)
#define dap_petsc_matrix_restore DAP_PETSC_NAME(matrix_restore)
#define dap_petsc_matrix_discard DAP_PETSC_NAME(matrix_discard)
#define dap_petsc_matrix_load DAP_PETSC_NAME(matrix_load)
#define dap_petsc_matrix_store DAP_PETSC_NAME(matrix_store)
#define dap_petsc_matrix_halo DAP_PETSC_NAME(matrix_halo)
#define dap_petsc_matrix_describe DAP_PETSC_NAME(matrix_describe)
#define dap_petsc_matrix_import DAP_PETSC_NAME(matrix_import)

#ifdef __cplusplus
extern "C" {
#endif

/* What the matrix is to be. */
typedef enum dap_petsc_form {
  DAP_PETSC_ANY, /* what shares the buffer: MATDENSE, its transposed view, a shell; else a MATDENSE of its own */
  DAP_PETSC_DENSE,    /* MATDENSE itself: all of PETSc's dense operations */
  DAP_PETSC_SCALAPACK /* MATSCALAPACK, which owns its memory: always moved */
} dap_petsc_form;

/* An array seen as a matrix: filled by dap_petsc_matrix_get(), ended by dap_petsc_matrix_restore() or
 * _discard(), and not to be copied in between. All but moved_bytes is the same on every process; those that
 * have nothing of the part asked for have no mat. */
typedef struct dap_petsc_matrix {
  Mat mat;
  bool shared;                 /* its memory is the array's own buffer */
  char reason[DAP_ERROR_TEXT]; /* why shared, and as what; or the first condition that failed, in words */
  int64_t moved_bytes;    /* that this process copied or sent for the view so far, but for what PETSc moves
                          from MATDENSE to MATSCALAPACK or back; 0 when shared */
  dap_view_handle handle; /* the library's */
} dap_petsc_matrix;

/* NULL or zeroed: the defaults. The same on every process. */
typedef struct dap_petsc_matrix_options {
  dap_sharing sharing;
  dap_part part; /* of the array, with two axes: its first is the rows'. Zeroed: all of an array of two */
  dap_petsc_form form;
  /* Of MATSCALAPACK, rows and columns; 0: for columns that of the rows, for both PETSc's default. */
  int64_t block_size[2];
  bool lossy; /* allow casts that can lose something of the elements */
} dap_petsc_matrix_options;

/* Gives an array, or a part of one, as a matrix. Collective on `comm`, which must be exactly the layout's
 * processes. Elements of another type than PetscScalar's, or in the other byte order, are converted. Starts
 * PETSc if need be. Shared when one axis lies whole on every process and the other in ranges, and the elements
 * that a process owns are a block with a leading dimension, rows or columns contiguous on every process
 * (padding and windows included):
 *   ranges of rows, columns contiguous (F order): MATDENSE with the buffer's leading dimension;
 *   ranges of columns, rows contiguous (C order): the transposed view (MatCreateTranspose) of such a one;
 *   ranges of rows, rows contiguous (C order), and of columns, columns contiguous, which no MATDENSE can hold
 *     on several processes: a shell with multiplication, also transposed, Hermitian and adding, and the
 *     diagonal.
 * On one process the first two take either order. All but the first need DAP_PETSC_ANY. Otherwise the elements
 * are moved (DAP_READ; else zeros) to a matrix of PETSc's, whose rows are spread evenly, or block-cyclically
 * for MATSCALAPACK, by way of a MATDENSE that lives while they are.
 * mat lives on `comm`; where ranks are not in the order of the ranges, or only some processes have the part, on
 * a communicator of its own. Vectors (MatCreateVecs) are spread as the ranges along that axis; along the other
 * alike if the matrix is square, else evenly. A duplicate of a shell (MatDuplicate()) multiplies with the
 * array's buffer, too. On one process MatMatSolve() of PETSc 3.18 leaves, without a word, wrong elements in a
 * shared MATDENSE with padding that it is to fill: ask for DAP_SHARE_NEVER there.
 *
 * The array and `comm` may be dropped afterwards; the buffer must stay until the view has ended. A matrix has
 * no locks: with DAP_READ alone nobody keeps PETSc from writing to a shared one, and what it writes stays.
 * Errors, the same on every process: those of dap_view_get() (adapter.h), and DAP_ERR_ARG (a form or block size
 * outside its range), DAP_ERR_UNSUPPORTED (another number of axes; MATSCALAPACK in a PETSc without it, or with
 * an extent that it cannot spread: it wants equal ranges on all processes but the last), DAP_ERR_RANGE (more
 * elements, on one process, than PETSc, BLAS or ScaLAPACK count). On error *matrix is zeroed. */
DAP_API dap_status dap_petsc_matrix_get(MPI_Comm comm, dap_darray array, dap_access access,
                                        const dap_petsc_matrix_options *options, dap_petsc_matrix *matrix,
                                        dap_error *err);

/* Ends a view. Collective on the communicator of dap_petsc_matrix_get(), which may have been freed. With
 * DAP_WRITE the array then holds the matrix, which must be assembled, on every process that owns an element or
 * holds a copy of it ('u' duplicates), and its communication padding is filled from the owners. The reference
 * to mat is dropped, and *matrix is zeroed but for shared, reason and moved_bytes. A shared matrix must not be
 * used afterwards through another reference, only destroyed. Accepts NULL, a zeroed and a restored one.
 * Errors: those of dap_view_restore(), and DAP_ERR_ARG (a moved matrix that is not assembled);
 * DAP_ERR_LIBRARY also when PETSc was finalised before. The view is ended all the same. */
DAP_API dap_status dap_petsc_matrix_restore(dap_petsc_matrix *matrix, dap_error *err);

/* The same, but nothing is moved back: a moved matrix's elements are lost, a shared array's stay written. */
DAP_API dap_status dap_petsc_matrix_discard(dap_petsc_matrix *matrix, dap_error *err);

/* For a view that goes on. load: the array was written to: a moved matrix gets its elements anew; of a shared
 * one solvers notice (and what MatScale() and its kin did to a shell is taken back). store: the array gets the
 * matrix's elements, and its communication padding is filled. halo: only that padding is filled, from what the
 * array holds. Collective, as dap_petsc_matrix_restore().
 * Errors: those of dap_view_load(), and DAP_ERR_ARG (store of a moved matrix that is not assembled). */
DAP_API dap_status dap_petsc_matrix_load(dap_petsc_matrix *matrix, dap_error *err);
DAP_API dap_status dap_petsc_matrix_store(dap_petsc_matrix *matrix, dap_error *err);
DAP_API dap_status dap_petsc_matrix_halo(dap_petsc_matrix *matrix, dap_error *err);

/* Writes the view in words to `text` of `capacity` bytes, as dap_layout_describe(): "24 x 12 matrix; shared,
 * 0 bytes moved: <reason>". Not collective. */
DAP_API size_t dap_petsc_matrix_describe(const dap_petsc_matrix *matrix, char *text, size_t capacity);

/* Gives a matrix as an array of two axes. Collective on the matrix's communicator, whose ranks are the array's processes.
 * A MATDENSE is shared: F order with its leading dimension, ranges of rows. The array keeps a reference to the matrix,
 * which must not be touched until dap_array_release() gives its memory back and marks it as changed; if that is the
 * last reference, release on all processes.
 * A MATSCALAPACK lends nothing: the array is a copy, read-only, in the matrix's own block-cyclic layout.
 * *layout (NULL: not wanted) is the caller's.
 * Errors, the same on every process: DAP_ERR_ARG (array is NULL, a matrix that is not assembled), DAP_ERR_UNSUPPORTED
 * (other types, named; a factored matrix), DAP_ERR_RANGE (a MATSCALAPACK of more than 2^31 - 1 bytes on a process, which
 * ScaLAPACK cannot move), DAP_ERR_NOMEM, DAP_ERR_LIBRARY. A NULL matrix names no communicator: DAP_ERR_ARG on that
 * process alone. On error *array is zeroed and *layout is NULL. */
DAP_API dap_status dap_petsc_matrix_import(Mat matrix, dap_array *array, dap_layout **layout, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
