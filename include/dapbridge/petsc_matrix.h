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
 *  - a MATSHELL otherwise, with its diagonal and multiplication (also transposed, Hermitian and adding)
 *
 * On one process the first two forms are possible in either order. With DAP_PETSC_DENSE only the first form
 * is shared. Any other array is copied to a matrix that PETSc allocates. Its rows are distributed evenly, or
 * block-cyclically in a MATSCALAPACK. bridge/docs/petsc.md, "Vectors and matrices", describes these copies,
 * and a fault of PETSc's MatMatSolve().
 */
typedef enum dap_petsc_form {
  DAP_PETSC_ANY,      /**< one that shares the buffer, if possible: MATDENSE, its transpose, or a shell */
  DAP_PETSC_DENSE,    /**< MATDENSE, with all of PETSc's dense operations */
  DAP_PETSC_SCALAPACK /**< MATSCALAPACK, which owns its memory: always moved */
} dap_petsc_form;

/**
 * An array as a matrix.
 *
 * dap_petsc_matrix_get() fills the struct. dap_petsc_matrix_restore() or dap_petsc_matrix_discard() ends the
 * view. The struct must not be copied in between. All members except moved_bytes are the same on every
 * process. Processes without a part have no mat. The communicator and the layout may be freed while the view
 * lives. A shared mat can only be destroyed after it has ended.
 */
typedef struct dap_petsc_matrix {
  Mat mat;                     /**< the matrix */
  bool shared;                 /**< the matrix's memory is the array's buffer */
  char reason[DAP_ERROR_TEXT]; /**< why the matrix is shared, and in which form, or why not */
  int64_t moved_bytes;         /**< bytes that dapbridge copied or sent on this process so far; 0 if shared */
  dap_view_handle handle;      /**< internal */
} dap_petsc_matrix;

/** Options of a matrix. NULL or a zeroed struct means the defaults. Options are the same on every process. */
typedef struct dap_petsc_matrix_options {
  dap_sharing sharing; /**< whether the matrix may be a copy */
  dap_part part;       /**< a part of the array with two axes, rows first; zeroed: the array */
  dap_petsc_form form; /**< the type of the matrix */
  /** block sizes of a MATSCALAPACK; if the second is 0, it equals the first; both 0: PETSc's default */
  int64_t block_size[2];
  bool lossy; /**< allow lossy casts of the elements, see dap_dtype_holds() */
} dap_petsc_matrix_options;

/**
 * Gets an array, or a part of one, as a PETSc matrix.
 *
 * options->form chooses the type, which decides when the matrix is shared; see dap_petsc_form. PETSc can
 * write to a shared matrix even with DAP_READ. A moved matrix starts with the array's elements (DAP_READ) or
 * with zeros. Collective.
 *
 * @param comm     the layout's processes, in rank order
 * @param array    two axes; the buffer must exist until the view has ended
 * @param access   whether elements are read, written, or both
 * @param options  NULL for the defaults
 * @param matrix   receives the view, to be ended by restore or discard; zeroed on error
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs
 *  - DAP_ERR_BUFFER: a buffer does not match its layout or is read-only, or a cast is lossy
 *  - DAP_ERR_RANGE: a process has more elements than PETSc, BLAS or ScaLAPACK can count
 *  - DAP_ERR_UNSUPPORTED: the array does not have two axes, an axis is partial, a part with DAP_WRITE leaves
 *    out a replicated axis, or MATSCALAPACK is not possible with this PETSc or these extents
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_REMOTE: the owner of an index of a 'u' axis is unknown
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: the latter also before PetscInitialize
 */
DAP_API dap_status dap_petsc_matrix_get(MPI_Comm comm, dap_darray array, dap_access access,
                                        const dap_petsc_matrix_options *options, dap_petsc_matrix *matrix,
                                        dap_error *err);

/**
 * Ends a view, and first writes the matrix to the array if the view has DAP_WRITE.
 *
 * The matrix must be assembled. Copies on 'u' axes and communication padding are filled. *matrix keeps only
 * shared, reason and moved_bytes. The view ends even on error. Collective on the view's communicator.
 *
 * @param matrix  the view; NULL, zeroed and ended ones are allowed
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is a bitwise copy (on this process only; nothing happens), or a moved matrix is not
 *    assembled
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
 * @param matrix  the view; NULL, zeroed and ended ones are allowed
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is a bitwise copy; on this process only; nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes; the latter also after PetscFinalize
 * @see dap_petsc_matrix_restore()
 */
DAP_API dap_status dap_petsc_matrix_discard(dap_petsc_matrix *matrix, dap_error *err);

/**
 * Copies the array's current elements to a moved matrix.
 *
 * A shared matrix is marked as changed. On a shell, MatScale() and similar operations are undone. Collective
 * on the view's communicator.
 *
 * @param matrix  a live view with DAP_READ
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is not such a view; on this process only; nothing happens
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
 *  - DAP_ERR_ARG: *matrix is not such a view (on this process only; nothing happens), or a moved matrix
 *    is not assembled
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
 *  - DAP_ERR_ARG: *matrix is not such a view; on this process only; nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 */
DAP_API dap_status dap_petsc_matrix_halo(dap_petsc_matrix *matrix, dap_error *err);

/**
 * Writes a description of the view to `text`.
 *
 * It is one line: "24 x 12 matrix; shared, 0 bytes moved: <reason>". Like snprintf(), it truncates the text
 * to fit and terminates it with NUL. Not collective.
 *
 * @param matrix    the view; may be NULL
 * @param text      receives the description; may be NULL
 * @param capacity  bytes of `text`
 * @return the length of the full text, without NUL
 */
DAP_API size_t dap_petsc_matrix_describe(const dap_petsc_matrix *matrix, char *text, size_t capacity);

/**
 * Makes an array with two axes from a dense matrix.
 *
 * A MATDENSE is shared: the array has F order with its leading dimension, and ranges of rows. The array keeps
 * a reference to the matrix. Nobody may use the matrix until dap_array_release() returns its memory and marks
 * it as changed. If that is the last reference, all processes must release it. A MATSCALAPACK does not give
 * access to its memory, so the array is a read-only copy in the same block-cyclic layout. Collective on the
 * matrix's communicator.
 *
 * @param matrix  an assembled MATDENSE or MATSCALAPACK
 * @param array   receives the array, to be ended with dap_array_release(); zeroed on error
 * @param layout  receives its layout, to be freed with dap_layout_destroy(); may be NULL; NULL on error
 * @param err     receives the error; may be NULL
 * @return the same on every process, unless `matrix` has no communicator:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `matrix` is NULL (on this process only) or not assembled, or `array` is NULL
 *  - DAP_ERR_UNSUPPORTED: the matrix has another type or is factored
 *  - DAP_ERR_RANGE: a process has more than 2^31 - 1 bytes of a MATSCALAPACK, which ScaLAPACK cannot move
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_petsc_matrix_import(Mat matrix, dap_array *array, dap_layout **layout, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
