/**
 * @file
 * A distributed array of two axes as a PETSc matrix, and dense matrices as arrays.
 *
 * Element (i, j) of the matrix is element (i, j) of the array, whatever the storage order. PETSc is not
 * thread-safe, so neither are these functions.
 */
#ifndef DAPBRIDGE_PETSC_MATRIX_H
#define DAPBRIDGE_PETSC_MATRIX_H

#include <dapbridge/adapter.h>
#include <dapbridge/petsc_build.h>
#include <petscmat.h>

/* The functions have different symbols in each build of PETSc. */
/** @cond */
#define dap_petsc_matrix_get DAP_PETSC_NAME(matrix_get)
#define dap_petsc_matrix_restore DAP_PETSC_NAME(matrix_restore)
#define dap_petsc_matrix_discard DAP_PETSC_NAME(matrix_discard)
#define dap_petsc_matrix_load DAP_PETSC_NAME(matrix_load)
#define dap_petsc_matrix_store DAP_PETSC_NAME(matrix_store)
#define dap_petsc_matrix_halo DAP_PETSC_NAME(matrix_halo)
#define dap_petsc_matrix_describe DAP_PETSC_NAME(matrix_describe)
#define dap_petsc_matrix_import DAP_PETSC_NAME(matrix_import)
/** @endcond */

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The type of the matrix.
 *
 * A matrix is shared if each process has all of one axis and a range of the other. Rows must be contiguous on
 * every process, or columns must be contiguous on every process. There may be gaps between rows or columns,
 * for example in a padded buffer (a leading dimension). With DAP_PETSC_ANY the shared matrix is
 *
 *  - a MATDENSE for ranges of rows and contiguous columns (F order)
 *  - the transpose (MatCreateTranspose()) of a MATDENSE for ranges of columns and contiguous rows (C order)
 *  - a MATSHELL otherwise, with MatGetDiagonal() and the products (also transposed, Hermitian and adding)
 *
 * On one process the first two forms are possible in either storage order. With DAP_PETSC_DENSE only the
 * first form is shared. Any other array is copied to a matrix that PETSc allocates. The rows of this matrix
 * are distributed evenly, or block-cyclically if it is a MATSCALAPACK. bridge/docs/petsc.md, "Vectors and
 * matrices", describes these copies and a fault of PETSc's MatMatSolve().
 */
typedef enum dap_petsc_form {
  DAP_PETSC_ANY,      /**< a form that shares the buffer, if possible: MATDENSE, its transpose, or a shell */
  DAP_PETSC_DENSE,    /**< MATDENSE, with all of PETSc's dense operations */
  DAP_PETSC_SCALAPACK /**< MATSCALAPACK, which owns its memory: always moved */
} dap_petsc_form;

/**
 * An array as a matrix.
 *
 * dap_petsc_matrix_get() fills the struct. dap_petsc_matrix_restore() or dap_petsc_matrix_discard() ends the
 * view. The struct must not be copied in between. All members except moved_bytes are the same on every
 * process. Processes without a part have no mat. The communicator and the layout may be freed while the view
 * lives. After the view has ended, a shared mat must not be used, only destroyed.
 */
typedef struct dap_petsc_matrix {
  Mat mat;                     /**< the matrix */
  bool shared;                 /**< the matrix's memory is the array's buffer */
  char reason[DAP_ERROR_TEXT]; /**< why the matrix is shared, and in which form, or why not */
  int64_t moved_bytes;         /**< bytes that this process has copied or sent for the view; 0 if shared */
  dap_view_handle handle;      /**< internal */
} dap_petsc_matrix;

/** Options of a matrix. NULL or a zeroed struct means the defaults. Options are the same on every process. */
typedef struct dap_petsc_matrix_options {
  dap_sharing sharing; /**< whether the matrix may be a copy */
  dap_part part;       /**< a part of the array with two axes, rows first; zeroed: the whole array */
  dap_petsc_form form; /**< the type of the matrix */
  /** block sizes of a MATSCALAPACK; if only the second is 0, it equals the first; if both are 0, PETSc
   * chooses */
  int64_t block_size[2];
  bool lossy; /**< allow lossy casts of the elements, see dap_dtype_holds() */
} dap_petsc_matrix_options;

/**
 * Gets an array, or a part of one, as a PETSc matrix.
 *
 * options->form chooses the type of the matrix. dap_petsc_form describes when a matrix of each type is
 * shared. PETSc can write to a shared matrix even if `access` is DAP_READ. A moved matrix starts with the
 * array's elements (DAP_READ) or with zeros. Collective.
 *
 * @param comm     rank i is the layout's process i
 * @param array    has two axes, or its part has; the buffer must exist until the view has ended
 * @param access   whether elements are read, written, or both
 * @param options  NULL for the defaults
 * @param matrix   receives the view, to be ended by restore or discard; zeroed on error
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes
 *  - DAP_ERR_BUFFER: a buffer does not match its layout or is read-only, or a cast is lossy
 *  - DAP_ERR_RANGE: a process has more elements than PETSc, BLAS or ScaLAPACK can count
 *  - DAP_ERR_UNSUPPORTED: the array or part does not have two axes, an axis is partial, a part with DAP_WRITE
 *    leaves out a replicated axis, or MATSCALAPACK is not possible with this PETSc or these extents
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_REMOTE: the owner of an index of a 'u' axis is unknown
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: the latter also before PetscInitialize
 */
DAP_API dap_status dap_petsc_matrix_get(MPI_Comm comm, dap_darray array, dap_access access,
                                        const dap_petsc_matrix_options *options, dap_petsc_matrix *matrix,
                                        dap_error *err);

/**
 * Ends a view. If the view has DAP_WRITE, the matrix is first written to the array.
 *
 * The matrix must be assembled. The array's copies on 'u' axes and its communication padding are filled.
 * *matrix keeps only shared, reason and moved_bytes. The view ends even on error. Collective on the view's
 * communicator.
 *
 * @param matrix  the view; may be NULL, zeroed, or ended
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is a bitwise copy (only this process fails, and nothing happens), or a
 *    moved matrix is not assembled
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes; the latter also after PetscFinalize
 * @see dap_petsc_matrix_discard(), dap_petsc_matrix_store()
 */
DAP_API dap_status dap_petsc_matrix_restore(dap_petsc_matrix *matrix, dap_error *err);

/**
 * Ends a view without writing anything back.
 *
 * Changes made to a shared matrix remain. *matrix keeps only shared, reason and moved_bytes. The view ends
 * even on error. Collective on the view's communicator.
 *
 * @param matrix  the view; may be NULL, zeroed, or ended
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is a bitwise copy; only this process fails, and nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes; the latter also after PetscFinalize
 * @see dap_petsc_matrix_restore()
 */
DAP_API dap_status dap_petsc_matrix_discard(dap_petsc_matrix *matrix, dap_error *err);

/**
 * Copies the array's current elements to a moved matrix.
 *
 * A shared matrix is marked as changed. The effects of MatScale() and similar operations on a shell are
 * undone. Collective on the view's communicator.
 *
 * @param matrix  a live view with DAP_READ
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is not such a view; only this process fails, and nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_matrix_store()
 */
DAP_API dap_status dap_petsc_matrix_load(dap_petsc_matrix *matrix, dap_error *err);

/**
 * Writes the matrix's elements to the array. The view stays live.
 *
 * The matrix must be assembled. Ghosts and communication padding of the array are filled. Collective on the
 * view's communicator.
 *
 * @param matrix  a live view with DAP_WRITE
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is not such a view (only this process fails, and nothing happens), or a
 *    moved matrix is not assembled
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_matrix_load(), dap_petsc_matrix_restore()
 */
DAP_API dap_status dap_petsc_matrix_store(dap_petsc_matrix *matrix, dap_error *err);

/**
 * Fills the array's ghosts and communication padding with their owners' values, in place.
 *
 * A moved matrix is not changed. Collective on the view's communicator.
 *
 * @param matrix  a live view with DAP_WRITE
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is not such a view; only this process fails, and nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 */
DAP_API dap_status dap_petsc_matrix_halo(dap_petsc_matrix *matrix, dap_error *err);

/**
 * Writes a description of the view to `text`.
 *
 * The text is one line: "24 x 12 matrix; shared, 0 bytes moved: <reason>". Like snprintf(), the function
 * truncates the text to fit and terminates it with NUL. Not collective.
 *
 * @param matrix    the view; may be NULL
 * @param text      receives the description; may be NULL
 * @param capacity  size of `text` in bytes
 * @return the length of the full text, without the NUL
 */
DAP_API size_t dap_petsc_matrix_describe(const dap_petsc_matrix *matrix, char *text, size_t capacity);

/**
 * Makes an array with two axes from a dense matrix.
 *
 * A MATDENSE is shared. The array then has F order and the matrix's leading dimension, and each process has a
 * range of rows. The array keeps a reference to the matrix. Nobody may use the matrix until
 * dap_array_release() returns its memory and marks it as changed. If the array holds the last reference, all
 * processes must release the array. A MATSCALAPACK does not give access to its memory, so the array is a
 * read-only copy in the same block-cyclic layout. Collective on the matrix's communicator.
 *
 * @param matrix  an assembled MATDENSE or MATSCALAPACK
 * @param array   receives the array, to be released with dap_array_release(); zeroed on error
 * @param layout  receives the array's layout, to be freed with dap_layout_destroy(), or NULL on error; may be
 *                NULL
 * @param err     receives the error; may be NULL
 * @return the same on every process, unless `matrix` has no communicator:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `matrix` is NULL (only this process returns the error) or not assembled, or `array` is NULL
 *  - DAP_ERR_UNSUPPORTED: the matrix has another type or is factored
 *  - DAP_ERR_RANGE: a process has more than 2^31 - 1 bytes of a MATSCALAPACK, which ScaLAPACK cannot move
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_petsc_matrix_import(Mat matrix, dap_array *array, dap_layout **layout, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
