/**
 * @file
 * A distributed array as a ScaLAPACK matrix, and back.
 *
 * Get each operand as a matrix, call ScaLAPACK with the matrices' data, desc and op, and restore the
 * matrices. A C-order array becomes the transposed matrix (op 'T') and is shared. scalapack_calls.h declares
 * ScaLAPACK's routines. To solve complete problems without calling them, use linalg.h.
 *
 * BLACS and ScaLAPACK are not thread-safe, so neither are these functions.
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

/* The INTEGER of ScaLAPACK and BLACS has 32 bits (LP64) or 64 bits (ILP64), as ScaLAPACK was built. The CMake
 * and pkg-config packages of dapbridge define the macro. */
#ifdef DAPBRIDGE_SCALAPACK_ILP64
/** The INTEGER of ScaLAPACK and BLACS. */
typedef int64_t dap_scalapack_int;
#else
/** The INTEGER of ScaLAPACK and BLACS. */
typedef int dap_scalapack_int;
#endif

/**
 * An array, or two axes of an array, as a column-major block-cyclic matrix.
 *
 * dap_scalapack_get() fills the struct. dap_scalapack_restore() or dap_scalapack_discard() ends the view. The
 * struct must not be copied or moved in between. The communicator and the layout may be freed while the view
 * lives. With op 'N' matrix element (i, j) is array element (i, j). With op 'T' it is array element (j, i).
 *
 * `desc` is DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD (ScaLAPACK Users' Guide, chapter 4, "Array Descriptor
 * for In-core Dense Matrices"). CTXT and LLD can differ between processes. A process outside the matrix's
 * grid has CTXT -1 and must not call ScaLAPACK. If the local part is empty, `data` points to no elements. It
 * is not NULL, because ScaLAPACK can pass it to MPI.
 */
typedef struct dap_scalapack_matrix {
  void *data;                  /**< local part; leading dimension desc[8]; NULL outside the matrix's grid */
  dap_scalapack_int desc[9];   /**< array descriptor, see above */
  dap_scalapack_int m;         /**< rows of the matrix, or of the requested sub-matrix */
  dap_scalapack_int n;         /**< columns of the matrix, or of the requested sub-matrix */
  dap_scalapack_int ia;        /**< first row of a shared sub-matrix, counted from 1; else 1 */
  dap_scalapack_int ja;        /**< first column of a shared sub-matrix, counted from 1; else 1 */
  char op;                     /**< 'N' or 'T': pass it as TRANS to compute with the array itself */
  bool shared;                 /**< data points into the array's buffer; the same on every process */
  char reason[DAP_ERROR_TEXT]; /**< why the view is shared, or why not; the same on every process */
  int64_t moved_bytes;         /**< bytes that this process has copied or sent for the view; 0 if shared */
  dap_view_handle view;        /**< internal; zeroed: not a live view */
} dap_scalapack_matrix;

/**
 * The part of the array that is wanted, and the requirements of the routine to be called.
 *
 * NULL or a zeroed struct means the defaults. Options are the same on every process.
 *
 * **Part.** part.axes contains the two axes of the matrix, and part.naxes is 2. The value -1 means an
 * additional axis of extent 1. If part.axes is NULL, the axes are {0, 1} for an array of 2 axes, and {0, -1}
 * (N x 1) for an array of 1 axis. For any other array they are the last two axes. part.start gives the
 * indices along the other axes. part.start and part.shape together can also select a sub-matrix. The matrix
 * is on the processes that own the indices along the other axes. Other processes receive an empty view with
 * context -1, and their copies of the elements are not written.
 *
 * **Requirements.** `routine` and `needs` are combined. If no view can have the required element type or
 * shape, the call fails. `aligned_with` is a live view that you pass to the same call, usually as its first
 * matrix. It must be on the same processes. The new view must then meet the requirements on the routine's
 * other matrices. The new view has the grid and context of `aligned_with`, and the same block sizes if it is
 * moved. So `grid`, `block_size` and `context` must be unset.
 *
 * needs.align requires `aligned_with`. needs.any_sources and needs.offset are used only without `routine`.
 * needs.any_sources also needs `aligned_with` or `context`. A context must exist as long as the view. If op
 * is 0, the view has the op of `aligned_with`. Without `aligned_with`, dapbridge chooses an op that allows
 * sharing. If no op allows sharing, the op is 'N' for F order and for arrays of 1 axis, otherwise 'T'.
 *
 * **A moved view.** block_size and grid contain a number for each axis of the part.
 *
 * If one block size is 0, it equals the other. If both are 0, blocks have 64 elements, or 32 if an extent is
 * below 2048. Blocks are smaller if floor(size / processes) of a distributed axis is smaller and not 0. If
 * the other axis has DAP_LONG_SIZE elements or more, blocks of an axis on one process are at most as long as
 * the axis.
 *
 * If one extent of the grid is 0, it follows from the other and the number of processes that hold the array.
 * If both are 0, the grid is that of the array, provided that both extents of this grid exceed 1. Otherwise
 * it is the grid closest to a square, with more processes along the longer axis. For a square matrix more
 * processes are along its columns, or, with needs.tall_grid, along its rows. With needs.factorised up to 4
 * processes form one row. Processes outside the grid receive an empty view with context -1.
 *
 * If `columns` is set, as for ELPA's eigenvectors, the view is always moved. Columns beyond those of the
 * array start as zeros.
 */
typedef struct dap_scalapack_options {
  dap_sharing sharing; /**< whether the view may be a copy */
  dap_part part;       /**< the two axes, an index along the others, a sub-matrix; zeroed: see above */

  /* ---- requirements ---- */

  const char *routine;    /**< routine to be called, "pdsyevd" or "syevd"; NULL means none */
  dap_matrix_needs needs; /**< further requirements */
  const struct dap_scalapack_matrix *aligned_with; /**< live view for the same call; NULL means none */
  const dap_scalapack_int *context; /**< context whose grid is used, -1 outside the grid; NULL: dapbridge's */
  char op;                          /**< 'N' or 'T': this op; 0: chosen as described above */

  /* ---- a moved view ---- */

  int64_t block_size[2]; /**< block size for each axis; 0: chosen as described above */
  /** number of processes for each axis, at most all that hold the array; 0: chosen as described above */
  int grid[2];
  int64_t columns; /**< number of columns (N), if the view has more than the array; 0 means the array's */
} dap_scalapack_options;

/**
 * Gets an array, or two axes of an array, as a ScaLAPACK matrix.
 *
 * The view uses the array's buffer if ScaLAPACK can use this buffer on every process, whatever `access` is.
 * Otherwise it has a separate block-cyclic buffer, which starts with the array's elements (DAP_READ) or with
 * zeros.
 *
 *     dap_scalapack_get(comm, a, DAP_READ_WRITE, NULL, &m, &err);
 *     pdgetrf_(&m.m, &m.n, m.data, &m.ia, &m.ja, m.desc, pivots, &info);
 *     dap_scalapack_restore(&m, &err);
 *
 * Collective.
 *
 * @param comm     rank i is the layout's process i
 * @param array    its buffer must exist until the view has ended
 * @param access   whether elements are read, written, or both
 * @param options  NULL for the defaults; the same on every process
 * @param matrix   receives the view, to be ended with dap_scalapack_restore() or _discard(); zeroed on error
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument or option is invalid or differs between processes
 *  - DAP_ERR_BUFFER: ScaLAPACK does not have the type, extents do not match the layout, or the buffer is
 *    read-only
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_UNSUPPORTED: an axis is partial, the part is not a matrix, a part with DAP_WRITE leaves out a
 *    replicated axis, or no view meets the requirements
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_REMOTE: the owner of an index of a 'u' axis is unknown
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_scalapack_get(MPI_Comm comm, dap_darray array, dap_access access,
                                     const dap_scalapack_options *options, dap_scalapack_matrix *matrix,
                                     dap_error *err);

/**
 * Ends a view. A moved view with DAP_WRITE is first written back to the array.
 *
 * All copies on a 'u' axis are written, but communication padding is not. *matrix keeps only shared, reason
 * and moved_bytes. The view ends even on error. Collective on the view's communicator.
 *
 * @param matrix  the view; may be NULL, zeroed, or ended
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is a bitwise copy; only this process fails, and nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes; the latter also after MPI_Finalize, when the function
 *    only frees memory
 * @see dap_scalapack_discard(), dap_scalapack_store()
 */
DAP_API dap_status dap_scalapack_restore(dap_scalapack_matrix *matrix, dap_error *err);

/**
 * Ends a view without writing anything back.
 *
 * Changes made to a shared view remain. *matrix keeps only shared, reason and moved_bytes. The view ends even
 * on error. Collective on the view's communicator.
 *
 * @param matrix  the view; may be NULL, zeroed, or ended
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is a bitwise copy; only this process fails, and nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes; the latter also after MPI_Finalize, when the function
 *    only frees memory
 * @see dap_scalapack_restore()
 */
DAP_API dap_status dap_scalapack_discard(dap_scalapack_matrix *matrix, dap_error *err);

/**
 * Copies the array's current elements to a moved view.
 *
 * A shared view needs no copy, so nothing happens. Collective on the view's communicator.
 *
 * @param matrix  a live view with DAP_READ
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is not such a view; only this process fails, and nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_scalapack_store()
 */
DAP_API dap_status dap_scalapack_load(dap_scalapack_matrix *matrix, dap_error *err);

/**
 * Copies the elements of a moved view back to the array. The view stays live.
 *
 * All copies on a 'u' axis are written, but communication padding is not. A shared view needs no copy, so
 * nothing happens. Collective on the view's communicator.
 *
 * @param matrix  a live view with DAP_WRITE
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is not such a view; only this process fails, and nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_scalapack_load(), dap_scalapack_halo()
 */
DAP_API dap_status dap_scalapack_store(dap_scalapack_matrix *matrix, dap_error *err);

/**
 * Fills the array's communication padding with the owners' values, in place.
 *
 * For a view of a part, only the part's padding is filled. A moved view is not changed. Collective on the
 * view's communicator.
 *
 * @param matrix  a live view with DAP_WRITE
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: *matrix is not such a view; only this process fails, and nothing happens
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY: on all processes
 * @see dap_scalapack_store()
 */
DAP_API dap_status dap_scalapack_halo(dap_scalapack_matrix *matrix, dap_error *err);

/**
 * Writes a description of the view to `text`, as one line without a newline.
 *
 * Like snprintf(), the function truncates the text to fit and terminates it with NUL. Without a live view the
 * text is "no live view". Not collective.
 *
 * @param matrix    the view; may be NULL
 * @param text      receives the description; may be NULL
 * @param capacity  size of `text` in bytes
 * @return the length of the full text, without the NUL
 */
DAP_API size_t dap_scalapack_describe(const dap_scalapack_matrix *matrix, char *text, size_t capacity);

/**
 * Makes a distributed array from a ScaLAPACK matrix, in place.
 *
 * With op 'N' the array has shape (M, N) and F order. With op 'T' it is the transpose, with shape (N, M) and
 * C order. Each axis is 'c' with block size MB or NB, and begins on process RSRC or CSRC. Collective.
 *
 * @param comm    contains exactly the processes of the context's grid, in any order
 * @param desc    [9] descriptor; CTXT and LLD may differ between processes
 * @param data    this process's local part; belongs to the caller, and must exist as long as *array
 * @param dtype   float32, float64, complex64, complex128, or ScaLAPACK's integer
 * @param op      'N' or 'T'
 * @param array   receives the array, to be released with dap_array_release(); zeroed on error
 * @param layout  receives the array's layout, to be freed with dap_layout_destroy(); NULL on error
 * @param err     receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument or the descriptor is invalid or differs, or `comm` has other processes than the
 *    grid
 *  - DAP_ERR_BUFFER: ScaLAPACK does not have the type, or `data` is NULL although the process has elements
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
 * Use this communicator for dap_scalapack_import() if you have only a descriptor. BLACS chooses the order of
 * the processes and owns the communicator, which exists as long as the context (Cblacs_get() with WHAT = 10).
 * Not collective.
 *
 * @param context  a BLACS context, such as desc[1]
 * @return the communicator; MPI_COMM_NULL if the context does not exist on this process
 */
DAP_API MPI_Comm dap_scalapack_context_comm(dap_scalapack_int context);

#ifdef __cplusplus
}
#endif

#endif
