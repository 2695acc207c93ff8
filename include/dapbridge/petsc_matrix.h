/* dapbridge/petsc_matrix.h: a distributed array of two axes as a PETSc matrix, and dense matrices as arrays.
 *
 * Element (i, j) of the matrix is element (i, j) of the array, whatever the storage order. PETSc is not
 * thread-safe, so neither are these functions.
 *
 * Errors of the functions that take a live view (restore, discard, load, store, halo): DAP_ERR_ARG, on that
 * process alone, for a view that is not live or a copy of one, and nothing happens; DAP_ERR_NOMEM and
 * DAP_ERR_LIBRARY, the same on every process. restore and discard accept NULL, a zeroed view and one that has
 * ended, and end the view even if they fail; after PetscFinalize they return DAP_ERR_LIBRARY. */
#ifndef DAPBRIDGE_PETSC_MATRIX_H
#define DAPBRIDGE_PETSC_MATRIX_H

#include <dapbridge/adapter.h>
#include <dapbridge/petsc_build.h>
#include <petscmat.h>

/* The functions have different symbols in each build of PETSc. */
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

/* The type of the matrix. With DAP_PETSC_ANY it is shared if each process has all of one axis and a range
 * of the other, and its elements are contiguous along rows or columns, the same on every process, with a
 * leading dimension (as the owned part of a padded buffer is):
 *   ranges of rows, columns contiguous (F order): a MATDENSE with the buffer's leading dimension;
 *   ranges of columns, rows contiguous (C order): the transpose (MatCreateTranspose()) of such a MATDENSE;
 *   ranges of rows, rows contiguous (C order), or of columns, columns contiguous, which no MATDENSE can be on
 *     several processes: a MATSHELL with multiplication, also transposed, Hermitian and adding, and diagonal.
 * On one process the first two are possible in either order. With DAP_PETSC_DENSE only the first is shared.
 * Otherwise the matrix is PETSc's own, with rows distributed evenly (MATSCALAPACK: block-cyclically), and
 * gets the elements, converted to PetscScalar, with DAP_READ, and zeros without. A duplicate of a shell
 * (MatDuplicate()) also uses the array's buffer. On one process MatMatSolve() of PETSc 3.18 to 3.25 silently
 * writes wrong elements to a shared, padded MATDENSE: use DAP_SHARE_NEVER for its result. */
typedef enum dap_petsc_form {
  DAP_PETSC_ANY,      /* one that shares the buffer, if possible: MATDENSE, its transpose, or a shell */
  DAP_PETSC_DENSE,    /* MATDENSE, with all of PETSc's dense operations */
  DAP_PETSC_SCALAPACK /* MATSCALAPACK, which owns its memory: always moved */
} dap_petsc_form;

/* An array as a matrix: filled by dap_petsc_matrix_get(), ended by dap_petsc_matrix_restore() or
 * dap_petsc_matrix_discard(), and not to be copied in between. All but moved_bytes is the same on every
 * process; mat is NULL on those that have nothing of the part asked for. */
typedef struct dap_petsc_matrix {
  Mat mat;
  bool shared;                 /* its memory is the array's own buffer */
  char reason[DAP_ERROR_TEXT]; /* why it is shared, and as what; or why not */
  /* Bytes that this process copied or sent for the view so far, except between MATDENSE and MATSCALAPACK by
   * PETSc; 0 if shared. */
  int64_t moved_bytes;
  dap_view_handle handle; /* internal */
} dap_petsc_matrix;

/* NULL or zeroed: the defaults. The same on every process. */
typedef struct dap_petsc_matrix_options {
  dap_sharing sharing;
  dap_part part; /* a part of the array with two axes, rows first. Zeroed: all of an array of two axes */
  dap_petsc_form form;
  /* Of MATSCALAPACK, along rows and columns. 0: the second as the first; if both are 0, PETSc's default. */
  int64_t block_size[2];
  bool lossy; /* allow lossy casts of the elements, see dap_dtype_holds() */
} dap_petsc_matrix_options;

/* Gets an array, or a part of one, as a matrix, shared or moved as described above. Collective on `comm`,
 * which must be exactly the layout's processes. The program has called PetscInitialize(). `array`'s structs
 * and `comm` may be freed afterwards; its buffer must stay until the view has ended. Even with DAP_READ alone
 * PETSc can write to a shared matrix, as a Mat cannot be locked, and the buffer stays changed. The matrix
 * has a communicator of its own instead of `comm` if ranks are not in the order of the ranges, or only some
 * processes have the part. Vectors from MatCreateVecs() have the ranges along the distributed axis and, if
 * the matrix is square, along the other; else they are distributed evenly.
 * Errors, the same on every process: those of dap_view_get() (adapter.h), and DAP_ERR_ARG (a form or block
 * size out of range), DAP_ERR_UNSUPPORTED (another number of axes; a PETSc without MATSCALAPACK, or an
 * extent that it cannot distribute: it needs equal ranges on all processes but the last), DAP_ERR_RANGE
 * (more elements on one process than PETSc, BLAS or ScaLAPACK can count). On error *matrix is zeroed. */
DAP_API dap_status dap_petsc_matrix_get(MPI_Comm comm, dap_darray array, dap_access access,
                                        const dap_petsc_matrix_options *options, dap_petsc_matrix *matrix,
                                        dap_error *err);

/* Ends a view. Collective on the communicator of dap_petsc_matrix_get(), which may have been freed. With
 * DAP_WRITE the array, all copies of its elements on a 'u' axis and its communication padding then have the
 * elements of the matrix, which must be assembled. The reference to mat is released, and *matrix is zeroed
 * except for shared, reason and moved_bytes. A shared matrix must afterwards not be used through other
 * references, only destroyed.
 * Errors: as above, and DAP_ERR_ARG (a moved matrix that is not assembled). */
DAP_API dap_status dap_petsc_matrix_restore(dap_petsc_matrix *matrix, dap_error *err);

/* The same without writing anything back; changes made to a shared matrix remain. */
DAP_API dap_status dap_petsc_matrix_discard(dap_petsc_matrix *matrix, dap_error *err);

/* For a view that remains live. load: the array has been written to; a moved matrix gets its elements, a
 * shared one is marked as changed (and MatScale() and the like of a shell are undone). store: the array
 * gets the matrix's elements, and its padding and ghosts are filled. halo: only these are filled,
 * from the array's elements.
 * Collective like dap_petsc_matrix_restore().
 * Errors: as above, and DAP_ERR_ARG for a view without DAP_READ (load) or DAP_WRITE (store, halo), on that
 * process alone, and for store of a moved matrix that is not assembled. */
DAP_API dap_status dap_petsc_matrix_load(dap_petsc_matrix *matrix, dap_error *err);
DAP_API dap_status dap_petsc_matrix_store(dap_petsc_matrix *matrix, dap_error *err);
DAP_API dap_status dap_petsc_matrix_halo(dap_petsc_matrix *matrix, dap_error *err);

/* Writes a description of the view, "24 x 12 matrix; shared, 0 bytes moved: <reason>", to `text` of
 * `capacity` bytes; as dap_layout_describe(). Not collective. */
DAP_API size_t dap_petsc_matrix_describe(const dap_petsc_matrix *matrix, char *text, size_t capacity);

/* Gets a matrix as an array of two axes. Collective on the matrix's communicator, whose ranks are the
 * array's processes. The caller owns *layout (NULL: not wanted) and ends *array with dap_array_release(). A
 * MATDENSE is shared: F order with its leading dimension, ranges of rows. The array keeps a reference to
 * the matrix, which must not be used until dap_array_release() returns its memory and marks it as changed;
 * if that is the last reference, all processes must release. Of a MATSCALAPACK, which gives no access to
 * its memory, the array is a read-only copy in the same block-cyclic layout.
 * Errors, the same on every process: DAP_ERR_ARG (array is NULL; a matrix that is not assembled),
 * DAP_ERR_UNSUPPORTED (other types, named; a factored matrix), DAP_ERR_RANGE (a MATSCALAPACK of more than
 * 2^31 - 1 bytes on a process, which ScaLAPACK cannot move), DAP_ERR_NOMEM, DAP_ERR_LIBRARY; for a NULL
 * matrix DAP_ERR_ARG on that process alone. On error *array is zeroed and *layout is NULL. */
DAP_API dap_status dap_petsc_matrix_import(Mat matrix, dap_array *array, dap_layout **layout, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
