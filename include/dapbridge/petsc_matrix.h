/**
 * @file
 * Views of distributed arrays with two axes as PETSc matrices, and arrays made from dense PETSc matrices.
 *
 * Element (i, j) of the matrix is element (i, j) of the array, for any storage order. A matrix that uses the
 * array's buffer is *shared*. A matrix that is a copy is *moved*. PETSc can write to a shared matrix even if
 * the access is DAP_READ. Neither PETSc nor these functions are thread-safe.
 *
 * A view's communicator must contain exactly the processes of the array's layout, in the same order: rank i
 * is process i of the layout. If PetscInitialize() has not been called, getting a view fails with
 * DAP_ERR_LIBRARY on all processes.
 */
#ifndef DAPBRIDGE_PETSC_MATRIX_H
#define DAPBRIDGE_PETSC_MATRIX_H

#include <dapbridge/adapter.h>
#include <dapbridge/petsc_build.h>
#include <petscmat.h>

/* Each build of PETSc has its own symbol names for these functions. */
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
 * The type of a view's matrix.
 *
 * A matrix can be shared only if each process has a range of indices along one axis, and all indices along
 * the other. In addition, either the rows or the columns must be contiguous on all processes. There may be
 * gaps between rows or columns, as in a padded buffer. The leading dimension then includes the gap. With
 * DAP_PETSC_ANY, the shared matrix is
 *
 *  - a MATDENSE for ranges of rows and contiguous columns (F order)
 *  - the transpose (MatCreateTranspose()) of a MATDENSE for ranges of columns and contiguous rows (C order)
 *  - otherwise, a MATSHELL, which supports MatGetDiagonal(), and products such as MatMult() and MatMultAdd()
 *    with the matrix, its transpose and its Hermitian transpose.
 *
 * On one process, an F-order array can be shared as a MATDENSE, and a C-order array as the transpose of a
 * MATDENSE. With DAP_PETSC_DENSE, an array can be shared only as a MATDENSE. An array that cannot be shared
 * is copied to a matrix that PETSc allocates. If this matrix is a MATDENSE, its rows are distributed evenly.
 * A MATSCALAPACK is distributed block-cyclically. bridge/docs/petsc.md, "Vectors and matrices", describes
 * these copies, and a bug in PETSc's MatMatSolve().
 */
typedef enum dap_petsc_form {
  /** the first of these that can be shared: MATDENSE, its transpose, MATSHELL; otherwise a moved MATDENSE */
  DAP_PETSC_ANY,
  DAP_PETSC_DENSE,    /**< MATDENSE, with all of PETSc's dense operations */
  DAP_PETSC_SCALAPACK /**< MATSCALAPACK, which is always moved, because it allocates its own memory */
} dap_petsc_form;

/**
 * A view of an array as a matrix.
 *
 * dap_petsc_matrix_get() fills the struct. dap_petsc_matrix_restore() or dap_petsc_matrix_discard() ends the
 * view, even if the call fails. Afterwards only shared, reason and moved_bytes are set. After
 * PetscFinalize(), the functions that end views only free memory, and return DAP_ERR_LIBRARY. All functions
 * that take a view, except dap_petsc_matrix_describe(), are collective on the view's communicator.
 *
 * The communicator and the layout may be freed while the view is live. The struct must not be copied: a
 * function that is called with a copy fails with DAP_ERR_ARG and has no effect. After the view has ended, a
 * program that has its own reference to a shared matrix may only call MatDestroy() on that matrix. On
 * processes without a part of the array, `mat` is NULL. `shared` and `reason` are the same on every process.
 */
typedef struct dap_petsc_matrix {
  Mat mat;                     /**< the matrix */
  bool shared;                 /**< true if the matrix uses the array's buffer as its memory */
  char reason[DAP_ERROR_TEXT]; /**< why the matrix is shared (and as which type) or moved */
  int64_t moved_bytes; /**< number of bytes that this process has copied or sent for the view; 0 if shared */
  dap_view_handle handle; /**< internal */
} dap_petsc_matrix;

/**
 * Options of dap_petsc_matrix_get(). NULL or a zeroed struct means the defaults. All options must be the same
 * on every process.
 */
typedef struct dap_petsc_matrix_options {
  dap_sharing sharing; /**< whether the matrix may be a copy */
  dap_part part;       /**< a part of the array with two axes, rows first; zeroed: the whole array */
  dap_petsc_form form; /**< the type of the matrix */
  /** block sizes of a MATSCALAPACK; both 0: chosen by PETSc; only the second 0: equal to the first */
  int64_t block_size[2];
  bool lossy; /**< allow casts that can lose values; see dap_dtype_holds() */
} dap_petsc_matrix_options;

/**
 * Gets an array, or a part of an array, as a PETSc matrix.
 *
 * dap_petsc_form describes the types that the matrix can have, and when the matrix is shared. A moved matrix
 * initially contains the array's elements (with DAP_READ) or zeros. Collective.
 *
 * @param comm     contains exactly the layout's processes, in the same order
 * @param array    array with two axes, unless options->part selects two; its buffer must exist until the view
 *                 ends
 * @param access   whether elements are read, written, or both
 * @param options  NULL for the defaults
 * @param matrix   receives the view, to be restored or discarded; zeroed on error
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes
 *  - DAP_ERR_BUFFER: a buffer does not match its layout or is read-only, or a cast is lossy
 *  - DAP_ERR_RANGE: a process has more elements than PETSc, BLAS or ScaLAPACK can count
 *  - DAP_ERR_UNSUPPORTED: the array or part does not have two axes, an axis is partial, a part to be written
 *    leaves out a replicated axis, or PETSc cannot make the MATSCALAPACK
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_REMOTE: the owner of an index of a 'u' axis is unknown
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_petsc_matrix_get(MPI_Comm comm, dap_darray array, dap_access access,
                                        const dap_petsc_matrix_options *options, dap_petsc_matrix *matrix,
                                        dap_error *err);

/**
 * Writes the matrix to the array if the access includes DAP_WRITE, and ends the view.
 *
 * Ghosts and communication padding of the array are also filled. A moved matrix must be assembled. If it is
 * not, the view ends, but the array does not receive the matrix's elements. Collective.
 *
 * @param matrix  the view; may be NULL, zeroed, or already ended
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is a bitwise copy; only this process fails
 *  - DAP_ERR_ARG: a moved matrix is not assembled
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_matrix_discard(), dap_petsc_matrix_store()
 */
DAP_API dap_status dap_petsc_matrix_restore(dap_petsc_matrix *matrix, dap_error *err);

/**
 * Ends a view without writing to the array.
 *
 * Changes to a shared matrix remain in the array. Collective.
 *
 * @param matrix  the view; may be NULL, zeroed, or already ended
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is a bitwise copy; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_matrix_restore()
 */
DAP_API dap_status dap_petsc_matrix_discard(dap_petsc_matrix *matrix, dap_error *err);

/**
 * Copies the array's current elements to a moved matrix.
 *
 * A shared matrix is marked as changed. If a shared matrix is a MATSHELL, the effects of MatScale() and
 * similar operations are undone. Collective.
 *
 * @param matrix  a live view whose access includes DAP_READ
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is not a live view with DAP_READ; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_matrix_store()
 */
DAP_API dap_status dap_petsc_matrix_load(dap_petsc_matrix *matrix, dap_error *err);

/**
 * Writes the matrix to the array, like dap_petsc_matrix_restore(), but does not end the view.
 *
 * Collective.
 *
 * @param matrix  a live view whose access includes DAP_WRITE
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is not a live view with DAP_WRITE; only this process fails
 *  - DAP_ERR_ARG: a moved matrix is not assembled
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_petsc_matrix_load(), dap_petsc_matrix_restore()
 */
DAP_API dap_status dap_petsc_matrix_store(dap_petsc_matrix *matrix, dap_error *err);

/**
 * Fills the array's ghosts and communication padding with the owners' values, in place.
 *
 * A moved matrix is not changed. Collective.
 *
 * @param matrix  a live view whose access includes DAP_WRITE
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is not a live view with DAP_WRITE; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 */
DAP_API dap_status dap_petsc_matrix_halo(dap_petsc_matrix *matrix, dap_error *err);

/**
 * Writes a description of the view to `text`, as one line without a newline.
 *
 * An example is "24 x 12 matrix; shared, 0 bytes moved: <reason>". Like snprintf(), the function truncates
 * the line to fit. Not collective.
 *
 * @param matrix    the view; may be NULL
 * @param text      receives the description; may be NULL
 * @param capacity  size of `text` in bytes
 * @return length of the full description, without the NUL
 */
DAP_API size_t dap_petsc_matrix_describe(const dap_petsc_matrix *matrix, char *text, size_t capacity);

/**
 * Makes an array with two axes from a dense PETSc matrix.
 *
 * For a MATDENSE, the array uses the matrix's memory. The array is in F order, has the matrix's leading
 * dimension, and has a range of rows on each process. The array keeps a reference to the matrix. Do not use
 * the matrix until dap_array_release() has marked it as changed. If the array holds the last reference to the
 * matrix, all processes must release the array. A MATSCALAPACK does not give access to its memory, so the
 * array is a read-only copy with the same block-cyclic layout. Collective on the matrix's communicator.
 *
 * @param matrix  an assembled MATDENSE or MATSCALAPACK
 * @param array   receives the array, to be released with dap_array_release(); zeroed on error
 * @param layout  receives the layout, to be freed with dap_layout_destroy(); NULL on error. May be NULL.
 * @param err     receives the error; may be NULL
 * @return the same on every process, unless a line says otherwise:
 *  - DAP_OK
 *  - DAP_ERR_ARG: `matrix` is NULL; only this process returns the error
 *  - DAP_ERR_ARG: `matrix` is not assembled, or `array` is NULL
 *  - DAP_ERR_UNSUPPORTED: the matrix is neither a MATDENSE nor a MATSCALAPACK, or is factored
 *  - DAP_ERR_RANGE: a process holds more than 2^31 - 1 bytes of a MATSCALAPACK
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_petsc_matrix_import(Mat matrix, dap_array *array, dap_layout **layout, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
