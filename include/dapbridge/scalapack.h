/**
 * @file
 * Views of distributed arrays as ScaLAPACK matrices, and arrays that use the memory of ScaLAPACK matrices.
 *
 * Get a view of each operand, pass each view's `data`, `desc` and `op` to ScaLAPACK, and restore the views. A
 * view that uses the array's buffer is *shared*. A view that uses a copy of the elements is *moved*. By
 * default, the view of a C-order array is the transposed matrix (op 'T'), so that the array can be shared.
 * scalapack_calls.h declares ScaLAPACK's routines. The functions of linalg.h solve complete problems, so that
 * your program does not call ScaLAPACK itself.
 *
 * A view's communicator must contain exactly the processes of the array's layout, in the same order: rank i
 * is process i of the layout.
 *
 * BLACS, ScaLAPACK and these functions are not thread-safe.
 */
#ifndef DAPBRIDGE_SCALAPACK_H
#define DAPBRIDGE_SCALAPACK_H

#include <dapbridge/adapter.h>
#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <dapbridge/matrix.h>
#include <dapbridge/mpi_family.h>
#include <dapbridge/part.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The INTEGER of ScaLAPACK and BLACS has 32 bits (LP64) or 64 bits (ILP64), depending on how ScaLAPACK was
 * built. The CMake and pkg-config packages of dapbridge define DAPBRIDGE_SCALAPACK_ILP64 if INTEGER has 64
 * bits. */
#ifdef DAPBRIDGE_SCALAPACK_ILP64
/** The INTEGER type of ScaLAPACK and BLACS. */
typedef int64_t dap_scalapack_int;
#else
/** The INTEGER type of ScaLAPACK and BLACS. */
typedef int dap_scalapack_int;
#endif

/**
 * A view of an array, or of two of its axes, as a column-major block-cyclic matrix.
 *
 * dap_scalapack_get() fills the struct. dap_scalapack_restore() or dap_scalapack_discard() ends the view,
 * even if the call fails. Afterwards only shared, reason and moved_bytes are set. After MPI_Finalize(), the
 * functions that end views only free memory, and return DAP_ERR_LIBRARY. All functions that take a view,
 * except dap_scalapack_describe(), are collective on the view's communicator.
 *
 * The communicator and the layout may be freed while the view is live. The struct must not be copied or
 * moved: a function that is called with a copy fails with DAP_ERR_ARG and has no effect.
 *
 * With op 'N', matrix element (i, j) is array element (i, j). With op 'T', matrix element (i, j) is array
 * element (j, i).
 *
 * `desc` contains DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC and LLD (ScaLAPACK Users' Guide, chapter 4, "Array
 * Descriptor for In-core Dense Matrices"). CTXT and LLD can differ between processes. On a process outside
 * the matrix's grid, CTXT is -1, and the process must not pass the view to ScaLAPACK. On a process in the
 * grid, `data` is not NULL, even if the process has no elements, because ScaLAPACK can pass `data` to MPI.
 */
typedef struct dap_scalapack_matrix {
  void *data;                  /**< elements of this process; NULL outside the matrix's grid */
  dap_scalapack_int desc[9];   /**< array descriptor; desc[8] is the leading dimension of `data` */
  dap_scalapack_int m;         /**< number of rows of the matrix, or of the requested sub-matrix */
  dap_scalapack_int n;         /**< number of columns of the matrix, or of the requested sub-matrix */
  dap_scalapack_int ia;        /**< first row of a shared sub-matrix, counted from 1; otherwise 1 */
  dap_scalapack_int ja;        /**< first column of a shared sub-matrix, counted from 1; otherwise 1 */
  char op;                     /**< 'N' or 'T'; pass `op` as TRANS to compute with the array itself */
  bool shared;                 /**< true if `data` is in the array's buffer; the same on every process */
  char reason[DAP_ERROR_TEXT]; /**< why the view is shared or moved; the same on every process */
  int64_t moved_bytes;  /**< number of bytes that this process has copied or sent for the view; 0 if shared */
  dap_view_handle view; /**< internal; zeroed if the struct is not a live view */
} dap_scalapack_matrix;

/**
 * Options of dap_scalapack_get(): the part of the array, the requirements of a routine, and the form of a
 * moved view.
 *
 * NULL or a zeroed struct means the defaults. All options must be the same on every process.
 *
 * **Part.** part.axes contains the two axes of the matrix, and part.naxes is 2. An axis number of -1 stands
 * for an additional axis of extent 1. If part.axes is NULL, the axes are {0, 1} for an array with 2 axes, and
 * {0, -1} (N x 1) for an array with 1 axis. For an array with more than 2 axes, the last two axes are used.
 * part.start gives the indices along the other axes. If part.shape is set, part.start and part.shape also
 * select a sub-matrix. The matrix is on the processes that own the given indices along the other axes. Other
 * processes receive an empty view with context -1. Restoring the view does not write to copies of the
 * elements on those processes.
 *
 * **Requirements.** The requirements of `routine` and `needs` are combined. If no view can have the required
 * element type or shape, dap_scalapack_get() fails. needs.any_sources and needs.offset are used only if
 * `routine` is NULL.
 *
 * **Several matrices of one call.** Set `aligned_with` to a live view that you will pass to the same
 * ScaLAPACK call as the new view. Usually, `aligned_with` is the view of the call's first matrix. Both views
 * must be on the same processes. The new view meets the routine's requirements for matrices other than the
 * first. The new view also has the grid and context of `aligned_with`, and, if it is moved, the same block
 * sizes. So `grid`, `block_size` and `context` must not be set. Values of needs.align other than
 * DAP_ALIGN_GRID require `aligned_with`. needs.any_sources has an effect only with `aligned_with` or
 * `context`. If you set `context`, do not set `grid`, and keep the context until the view has ended.
 *
 * **Op.** If `op` is 0, the view has the op of `aligned_with`. Without `aligned_with`, dapbridge chooses an
 * op that allows sharing. If no op allows sharing, the op is 'N' for arrays in F order or with 1 axis, and
 * 'T' otherwise.
 *
 * **A moved view.** block_size[k] and grid[k] apply to axis k of the part. The number of processes in the
 * grid must not exceed the number of processes that have parts of the array.
 *
 * If only one of the two block sizes is 0, both axes have the other block size. If both are 0, the block size
 * is 64, or 32 if an extent is below 2048. For each distributed axis, let q be floor(extent / processes along
 * the axis). If every q is smaller than this block size, the block size is the largest q, unless the largest
 * q is 0. An axis that is not distributed is a single block if it is shorter than this block size and the
 * other axis has at least DAP_LONG_SIZE elements.
 *
 * If only one extent of the grid is 0, dapbridge computes it from the other extent and the number of
 * processes that hold the array. If both are 0, the view has the array's own grid, provided that both extents
 * of this grid exceed 1. Otherwise the view's grid is as square as possible, with more processes along the
 * longer axis. The grid of a square matrix has at least as many process columns as process rows, or, with
 * needs.tall_grid, at most as many. With needs.factorised, and without needs.tall_grid and needs.occupied,
 * the grid of a square matrix on up to 4 processes has only one process row. Processes outside the grid
 * receive an empty view with context -1.
 *
 * If `columns` exceeds the array's number of columns, as for ELPA's eigenvectors, the view is always moved.
 * The additional columns are initially zero.
 */
typedef struct dap_scalapack_options {
  dap_sharing sharing; /**< whether the view may be a copy */
  dap_part part;       /**< the part of the array that becomes the matrix; zeroed: the default axes */

  /* ---- requirements ---- */

  const char *routine;    /**< routine that you will call, such as "pdsyevd" or "syevd"; NULL means none */
  dap_matrix_needs needs; /**< further requirements */
  const struct dap_scalapack_matrix *aligned_with; /**< live view for the same call; NULL means none */
  /** address of the BLACS context that the view uses (-1 outside its grid); NULL: dapbridge provides one */
  const dap_scalapack_int *context;
  char op; /**< 'N' or 'T'; 0: chosen by dapbridge */

  /* ---- a moved view ---- */

  int64_t block_size[2]; /**< block size for each axis; 0: chosen by dapbridge */
  int grid[2];           /**< processes along each axis; 0: chosen by dapbridge */
  /** number of columns of the matrix (N), at least as many as the array has; 0: as many as the array has */
  int64_t columns;
} dap_scalapack_options;

/**
 * Gets a view of an array, or of two of its axes, as a ScaLAPACK matrix.
 *
 * The view uses the array's buffer if ScaLAPACK can work in the buffer on every process, regardless of
 * `access`. Otherwise dapbridge allocates a block-cyclic buffer, which initially contains the array's
 * elements (with DAP_READ) or zeros.
 *
 *     dap_scalapack_get(comm, a, DAP_READ_WRITE, NULL, &m, &err);
 *     pdgetrf_(&m.m, &m.n, m.data, &m.ia, &m.ja, m.desc, pivots, &info);
 *     dap_scalapack_restore(&m, &err);
 *
 * Collective.
 *
 * @param comm     contains exactly the layout's processes, in the same order
 * @param array    the array; its buffer must exist until the view ends
 * @param access   whether elements are read, written, or both
 * @param options  NULL for the defaults
 * @param matrix   receives the view, to be restored or discarded; zeroed on error
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument or option is invalid or differs between processes
 *  - DAP_ERR_BUFFER: ScaLAPACK does not support the type, extents do not match the layout, or a read-only
 *    buffer is to be written
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_UNSUPPORTED: an axis is partial, the part is not a matrix, a part to be written leaves out a
 *    replicated axis, or no view meets the requirements
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_REMOTE: the owner of an index of a 'u' axis is unknown
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_scalapack_get(MPI_Comm comm, dap_darray array, dap_access access,
                                     const dap_scalapack_options *options, dap_scalapack_matrix *matrix,
                                     dap_error *err);

/**
 * Writes the elements of a moved view to the array if the access includes DAP_WRITE, and ends the view.
 *
 * The function writes all copies on a 'u' axis, but not communication padding. Collective.
 *
 * @param matrix  the view; may be NULL, zeroed, or already ended
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is a bitwise copy; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_scalapack_discard(), dap_scalapack_store()
 */
DAP_API dap_status dap_scalapack_restore(dap_scalapack_matrix *matrix, dap_error *err);

/**
 * Ends a view without writing to the array.
 *
 * Changes to a shared view remain in the array. Collective.
 *
 * @param matrix  the view; may be NULL, zeroed, or already ended
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is a bitwise copy; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_scalapack_restore()
 */
DAP_API dap_status dap_scalapack_discard(dap_scalapack_matrix *matrix, dap_error *err);

/**
 * Copies the array's current elements to a moved view.
 *
 * A shared view is not changed. Collective.
 *
 * @param matrix  a live view whose access includes DAP_READ
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is not a live view with DAP_READ; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_scalapack_store()
 */
DAP_API dap_status dap_scalapack_load(dap_scalapack_matrix *matrix, dap_error *err);

/**
 * Writes the elements of a moved view to the array, like dap_scalapack_restore(), but keeps the view live.
 *
 * If the view is shared, nothing happens. Collective.
 *
 * @param matrix  a live view whose access includes DAP_WRITE
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is not a live view with DAP_WRITE; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_scalapack_load(), dap_scalapack_halo()
 */
DAP_API dap_status dap_scalapack_store(dap_scalapack_matrix *matrix, dap_error *err);

/**
 * Fills the array's communication padding with the owners' values, in place.
 *
 * For a view of a part of the array, only the padding of this part is filled. The copied elements of a moved
 * view are not changed. Collective.
 *
 * @param matrix  a live view whose access includes DAP_WRITE
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is not a live view with DAP_WRITE; only this process fails
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_scalapack_store()
 */
DAP_API dap_status dap_scalapack_halo(dap_scalapack_matrix *matrix, dap_error *err);

/**
 * Writes a description of the view to `text`, as one line without a newline.
 *
 * Like snprintf(), the function truncates the line to fit. Without a live view, the description is "no live
 * view". Not collective.
 *
 * @param matrix    the view; may be NULL
 * @param text      receives the description; may be NULL
 * @param capacity  size of `text` in bytes
 * @return length of the full description, without the NUL
 */
DAP_API size_t dap_scalapack_describe(const dap_scalapack_matrix *matrix, char *text, size_t capacity);

/**
 * Makes a distributed array that uses the memory of a ScaLAPACK matrix.
 *
 * With op 'N', the array has shape (M, N) and F order. With op 'T', the array is the transpose, with shape
 * (N, M) and C order. Each axis is block-cyclic ('c') with block size MB or NB, and begins on process row
 * RSRC or column CSRC. Collective.
 *
 * @param comm    contains exactly the processes of the context's grid, in any order
 * @param desc    [9] descriptor; CTXT and LLD may differ between processes
 * @param data    elements of this process, owned by the caller; must exist as long as *array
 * @param dtype   float32, float64, complex64, complex128, or ScaLAPACK's integer type
 * @param op      'N' or 'T'
 * @param array   receives the array, to be released with dap_array_release(); zeroed on error
 * @param layout  receives the layout, to be freed with dap_layout_destroy(); NULL on error
 * @param err     receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument or the descriptor is invalid or differs between processes, or the processes of
 *    `comm` are not those of the grid
 *  - DAP_ERR_BUFFER: ScaLAPACK does not support the type, or `data` is NULL although the process has elements
 *  - DAP_ERR_RANGE: the matrix exceeds 2^63 - 1 elements or bytes
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_scalapack_context_comm()
 */
DAP_API dap_status dap_scalapack_import(MPI_Comm comm, const dap_scalapack_int desc[9], void *data,
                                        dap_dtype dtype, char op, dap_array *array, dap_layout **layout,
                                        dap_error *err);

/**
 * Returns the communicator of a BLACS context's grid.
 *
 * Pass this communicator to dap_scalapack_import() if you have only a descriptor. BLACS chooses the order of
 * the processes and owns the communicator, which exists as long as the context. The function calls
 * Cblacs_get() with WHAT = 10. Not collective.
 *
 * @param context  a BLACS context, such as desc[1]
 * @return the communicator; MPI_COMM_NULL if the context does not exist on this process
 */
DAP_API MPI_Comm dap_scalapack_context_comm(dap_scalapack_int context);

#ifdef __cplusplus
}
#endif

#endif
