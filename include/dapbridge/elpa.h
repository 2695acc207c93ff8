/**
 * @file
 * Eigenvalues and eigenvectors of distributed matrices with ELPA, and views of arrays as ELPA matrices.
 *
 * dap_elpa_eigh() and dap_elpa_eigh_generalized() solve complete eigenvalue problems. Both functions accept
 * arrays with any storage order, any process grid and any layout without partial axes. A program that calls
 * ELPA itself uses a *view* of an array: dap_elpa_get() returns the data of an ELPA matrix and an elpa_t that
 * is set up for this matrix. ELPA matrices are column-major ScaLAPACK matrices with square blocks. The first
 * block is on the first process of the grid. Each process row and each process column must have at least one
 * block. The view of a C-order array is the transposed matrix (op 'T'), so that the array can be shared. The
 * guide is bridge/docs/elpa.md.
 *
 * The communicator that is passed to a function must contain exactly the processes of each array's layout.
 * Rank i of the communicator must be process i of each layout.
 *
 * The functions may overwrite operands that are described as workspace. If options.keep is set, the functions
 * work on copies of these operands. A read-only operand is never overwritten. After an error, workspace and
 * shared results may have been overwritten. To leave out a result that is described as optional, pass a
 * zeroed dap_darray.
 *
 * Elements can be float64 or complex128, and also float32 or complex64 if ELPA was built with single
 * precision. Debian's ELPA was built without single precision.
 *
 * ELPA can use several threads if it was built with OpenMP. If ELPA uses several threads, the functions fail
 * unless MPI's thread level is MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE.
 *
 * The functions are not thread-safe, because BLACS is not.
 */
#ifndef DAPBRIDGE_ELPA_H
#define DAPBRIDGE_ELPA_H

#include <dapbridge/adapter.h>
#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <dapbridge/linalg.h>
#include <dapbridge/mpi_family.h>
#include <dapbridge/part.h>
#include <dapbridge/scalapack.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- whole problems ------------------------------------------------------------------------------ */

/** Describes how a function used one of its operands. */
typedef dap_linalg_use dap_elpa_use;

enum { DAP_ELPA_USES = DAP_LINALG_USES /**< largest number of operands of a function */ };

/** Report of dap_elpa_eigh() and dap_elpa_eigh_generalized(). All members except uses[].moved_bytes are the
 * same on every process. */
typedef struct dap_elpa_report {
  int count;                        /**< number of operands */
  dap_elpa_use uses[DAP_ELPA_USES]; /**< [count] how each operand was used, in argument order */
  int stages;                       /**< number of stages that were used: 1 or 2 */
  int grid[2];        /**< number of process rows and columns; a small matrix may use only some processes */
  int64_t block_size; /**< number of rows (and of columns) of a square block */
  /** index, from 1, of the minor or eigenvalue named in the text of DAP_ERR_NUMERIC; 0 if none is named */
  int64_t info;
} dap_elpa_report;

/**
 * Options of dap_elpa_eigh() and dap_elpa_eigh_generalized().
 *
 * NULL or a zeroed struct means the defaults. All options except `report` must be the same on every process.
 * By default, a large matrix is moved if its block size is below 16 or above 128, even if the matrix could be
 * shared. A matrix on P processes is large if n >= 512 and n >= 16 P. The move then saves more time than it
 * takes. The eigenvalues W may be copied even if `sharing` forbids copies. With 2 stages, ELPA first reduces
 * the matrix to a band matrix. If the band would not be narrower than the matrix, dapbridge selects 1 stage.
 */
typedef struct dap_elpa_solve_options {
  dap_sharing sharing; /**< whether dapbridge may copy matrices */
  bool keep;           /**< true: operands that are described as workspace are copied and not overwritten */
  int stages;          /**< 1: ELPA reduces A directly to tridiagonal form; 2: via a band matrix; 0 means 1 */
  int64_t block_size;  /**< block size of moved matrices; 0 means the default of dap_scalapack_options */
  /** Receives the report. After an error, the report describes the steps that were completed. May be NULL. */
  dap_elpa_report *report;
} dap_elpa_solve_options;

/**
 * Computes eigenvalues and eigenvectors of a symmetric (Hermitian) matrix with ELPA.
 *
 * The function computes the k smallest eigenvalues, where k is the length of W and 1 <= k <= n. Z can be
 * shared only if it is in F order. Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param uplo     triangle of A that is read: 'L' or 'U'; 'A' if both triangles are set
 * @param a        matrix (n, n); workspace
 * @param w        receives the real eigenvalues (k,), in A's precision, in ascending order
 * @param z        receives orthonormal eigenvectors (n, k) as columns; optional
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or a result is read-only
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_UNSUPPORTED: ELPA does not support the type, blocks leave a process row or column empty, or an
 *    axis is partial
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_NUMERIC: A or the eigenvalues contain NaN or infinity
 *  - DAP_ERR_NOMEM
 *  - DAP_ERR_LIBRARY: MPI or ELPA failed, or MPI's thread level is too low
 * @see dap_linalg_eigh()
 */
DAP_API dap_status dap_elpa_eigh(MPI_Comm comm, char uplo, dap_darray a, dap_darray w, dap_darray z,
                                 const dap_elpa_solve_options *options, dap_error *err);

/**
 * Solves A z = w B z with ELPA, for Hermitian A and B, where B is positive definite.
 *
 * The eigenvectors are B-orthonormal (Z^H B Z = I). If B is not positive definite, report.info is the order
 * of the first leading minor that is not positive. Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param uplo     triangle of A and B that is read: 'L' or 'U'; 'A' if both triangles are set
 * @param a        matrix (n, n); workspace
 * @param b        matrix (n, n); workspace
 * @param w        receives the k smallest eigenvalues (k,), in ascending order
 * @param z        receives the eigenvectors (n, k) as columns; optional
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or a result is read-only
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_UNSUPPORTED: ELPA does not support the type, blocks leave a process row or column empty, or an
 *    axis is partial
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_NUMERIC: B is not positive definite, or a matrix or the eigenvalues contain NaN or infinity
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_elpa_eigh_generalized(MPI_Comm comm, char uplo, dap_darray a, dap_darray b,
                                             dap_darray w, dap_darray z,
                                             const dap_elpa_solve_options *options, dap_error *err);

/**
 * Returns ELPA as a backend for dap_linalg_eigh() and dap_linalg_eigh_generalized().
 *
 * With this backend, these functions set report.method to "ELPA, 1 stage" or "ELPA, 2 stages". If `stages` is
 * not 0, 1 or 2, the solver DAP_EIGH_BACKEND fails with DAP_ERR_ARG, and DAP_EIGH_AUTO chooses another
 * algorithm. Not collective.
 *
 *     dap_linalg_options options = {.eigh = {.backend = dap_elpa_backend(1)}};
 *
 * @param stages  1: ELPA reduces A directly to tridiagonal form; 2: via a band matrix; 0 means 1
 * @return static data; never NULL
 */
DAP_API const struct dap_eigh_backend *dap_elpa_backend(int stages);

/* ---- views --------------------------------------------------------------------------------------- */

struct elpa_struct; /* declared by elpa/elpa.h; elpa_t is a pointer to this struct */

/**
 * A view of an array as an ELPA matrix: a ScaLAPACK view of the array and an elpa_t.
 *
 * dap_elpa_get() fills the struct and makes the view live. dap_elpa_restore() or dap_elpa_discard() ends the
 * view, even if the call returns an error. After that, only matrix.shared, matrix.reason and
 * matrix.moved_bytes are set. Both functions are collective on the communicator passed to dap_elpa_get().
 * After MPI_Finalize(), both functions only free memory and return DAP_ERR_LIBRARY. The memory of the elpa_t
 * is then lost, because ELPA can free it only while MPI runs.
 *
 * Do not copy or move the struct while the view is live. A function that is called with a copy fails with
 * DAP_ERR_ARG and has no effect. To load, store or describe the view, or to fill the array's padding, pass
 * the address of `matrix` to the functions of scalapack.h, such as dap_scalapack_load().
 *
 * Pass `handle` to ELPA's functions together with matrix.data. Set the handle's "solver" and other options
 * yourself. dapbridge frees the handle when the view ends. If a view was created with options.like, it uses
 * the handle of `like`, and must end before `like` does.
 */
typedef struct dap_elpa_matrix {
  dap_scalapack_matrix matrix; /**< the ScaLAPACK view; its `data` is NULL outside the grid */
  struct elpa_struct *handle;  /**< elpa_t; NULL on processes outside the grid, which must not call ELPA */
  int size;                    /**< number of rows of the matrix (n) */
  int block_size;              /**< number of rows (and of columns) of a square block */
  int grid[2];                 /**< number of process rows and of process columns */
  int place[2];                /**< this process's row and column in the grid; -1, -1 outside the grid */
  int local_nrows;             /**< leading dimension of matrix.data; 0 outside the grid */
  int local_ncols;             /**< number of columns on this process; 0 outside the grid */
  /* ---- internal ---- */
  const void *self;            /**< address of this struct while the view is live */
  struct dap_context *context; /**< context of the caller's communicator */
  MPI_Comm comm;               /**< the grid's processes, row by row; MPI_COMM_NULL outside the grid */
  dap_dtype dtype;             /**< type of the elements */
  bool owns;                   /**< true if `comm` and `handle` belong to this view and are freed with it */
} dap_elpa_matrix;

/**
 * Options of dap_elpa_get(). NULL or a zeroed struct means the defaults. All options must be the same on
 * every process.
 *
 * Set `like` to another live view if you will pass both views to the same ELPA call. The two views must have
 * the same element type and the same processes. The new view uses the grid, blocks, leading dimension and
 * handle of `like`, and must end before `like` does. If `like` is an n x n matrix, the new view's array must
 * have n rows but may have fewer columns. The new view is then also an n x n matrix, because ELPA requires
 * this for eigenvectors. The first columns of the view are the columns of the array. Without `like`, the
 * array must be square.
 *
 * If `like` is set, the members `vectors`, `block_size` and `grid` must be 0. Without `like`, `block_size`
 * and `grid` apply only to a moved view. A grid of 0, 0 means the default of dap_scalapack_options, or a
 * smaller grid if a process row or column would otherwise be empty. If only one extent of the grid is 0,
 * dapbridge computes it from the other one and the number of processes. A block size of 0 means the default
 * of dap_scalapack_options, or a smaller size if a process row or column would otherwise have no block.
 */
typedef struct dap_elpa_options {
  dap_sharing sharing; /**< whether the view may be a copy */
  dap_part part;       /**< a part with 2 axes; zeroed: the whole array */
  char op;             /**< 'N' or 'T'; 0: the op of `like` or, without `like`, an op that allows sharing */
  int vectors;         /**< ELPA's nev: number of eigenvectors (of the smallest eigenvalues); 0 means n */
  const struct dap_elpa_matrix *like; /**< another view for the same ELPA calls; NULL means none */
  int64_t block_size;                 /**< number of rows (and columns) of a block; 0: dapbridge chooses */
  int grid[2]; /**< number of processes along each of the part's two axes; 0: dapbridge chooses */
} dap_elpa_options;

/**
 * Creates a view of an array as an ELPA matrix, with an elpa_t for this matrix.
 *
 * The view is shared if ELPA can use the array's layout. ELPA's functions then overwrite the array's buffer.
 * If the view cannot be shared, dapbridge allocates a buffer and copies the elements into it, or fills it
 * with zeros if `access` is DAP_WRITE. Collective.
 *
 * @param comm     contains exactly the layout's processes, in the same order
 * @param array    the array; must be square, unless options->like is set; its buffer must exist until the
 *                 view has ended
 * @param access   whether elements are read, written, or both
 * @param options  NULL for the defaults
 * @param matrix   receives the view, to be restored or discarded; zeroed on error
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or the matrix is not square
 *  - DAP_ERR_BUFFER: the type is unsupported, or the buffer is read-only or does not match its layout
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's or ELPA's integer range
 *  - DAP_ERR_UNSUPPORTED: ELPA does not support the type, blocks leave a process row or column empty, an axis
 *    is partial, or a part to be written leaves out a replicated axis
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_REMOTE: the owner of an index of a 'u' axis is unknown
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_elpa_eigh()
 */
DAP_API dap_status dap_elpa_get(MPI_Comm comm, dap_darray array, dap_access access,
                                const dap_elpa_options *options, dap_elpa_matrix *matrix, dap_error *err);

/**
 * Writes the elements of a moved view to the array if the access includes DAP_WRITE, and ends the view.
 *
 * Collective.
 *
 * @param matrix  the view; may be NULL, zeroed, or ended
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is a bitwise copy; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_elpa_discard(), dap_scalapack_restore()
 */
DAP_API dap_status dap_elpa_restore(dap_elpa_matrix *matrix, dap_error *err);

/**
 * Ends a view without writing to the array.
 *
 * Changes to a shared view remain in the array. Collective.
 *
 * @param matrix  the view; may be NULL, zeroed, or ended
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is a bitwise copy; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_elpa_restore(), dap_scalapack_discard()
 */
DAP_API dap_status dap_elpa_discard(dap_elpa_matrix *matrix, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
