/* dapbridge/scalapack.h: a distributed array as a ScaLAPACK matrix, and back.
 *
 * Get each operand as a matrix, call ScaLAPACK with the matrices' data, desc and op, and restore them. A
 * C-order array becomes the transposed matrix (op 'T') and is shared. scalapack_calls.h declares
 * ScaLAPACK's routines; linalg.h solves whole problems without them. BLACS and ScaLAPACK are not
 * thread-safe, so neither are these functions.
 *
 * Errors of the functions that take a live view (restore, discard, load, store, halo): DAP_ERR_ARG, on that
 * process alone, for a view that is not live or a copy of one, and nothing happens; DAP_ERR_NOMEM and
 * DAP_ERR_LIBRARY, the same on every process. restore and discard accept NULL, a zeroed view and one that has
 * ended, and end the view even if they fail. */
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

/* The INTEGER of ScaLAPACK and BLACS: 32 bits (LP64), or 64 if ScaLAPACK was built with that (ILP64).
 * dapbridge's CMake and pkg-config packages define the macro. */
#ifdef DAPBRIDGE_SCALAPACK_ILP64
typedef int64_t dap_scalapack_int;
#else
typedef int dap_scalapack_int;
#endif

/* An array, or two axes of one, as a column-major block-cyclic matrix. Filled by dap_scalapack_get() and
 * ended by dap_scalapack_restore() or dap_scalapack_discard(); it must not be copied or moved in between.
 * With op 'N' matrix element (i, j) is array element (i, j); with op 'T' it is array element (j, i). */
typedef struct dap_scalapack_matrix {
  /* Local part, column-major with leading dimension desc[8]. If it is empty, data is an address without
   * elements, because ScaLAPACK may pass it to MPI. NULL on a process outside the matrix's grid. */
  void *data;
  /* DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD (ScaLAPACK Users' Guide, chapter 4, "Array Descriptor for
   * In-core Dense Matrices"). CTXT and LLD are this process's own. CTXT is -1 on a process outside the
   * matrix's grid, which must not call ScaLAPACK. */
  dap_scalapack_int desc[9];
  dap_scalapack_int m, n; /* rows and columns of the matrix, or of the sub-matrix that was asked for */
  /* First row and column of the sub-matrix, counted from 1; 1 if there is none or it was moved. */
  dap_scalapack_int ia, ja;
  char op;                     /* what to pass as TRANS to compute with the array itself: 'N' or 'T' */
  bool shared;                 /* data points into the array's own buffer; the same on every process */
  char reason[DAP_ERROR_TEXT]; /* why it is shared, or why not; the same on every process */
  int64_t moved_bytes;         /* bytes that this process copied or sent for the view so far; 0 if shared */
  dap_view_handle view;        /* internal; zeroed: not a live view */
} dap_scalapack_matrix;

/* The part of the array that is wanted, and the requirements of the routine to be called. NULL or zeroed: the
 * defaults. The same on every process. */
typedef struct dap_scalapack_options {
  dap_sharing sharing;

  /* The two axes of the array that form the matrix (part.axes, with naxes 2; -1: an additional axis of
   * extent 1), the index along the others (part.start), and a sub-matrix (part.start and shape). axes NULL:
   * {0, 1} of 2 axes, {0, -1} of 1 (N x 1), else the last two. */
  dap_part part;

  /* ---- requirements: routine and needs are combined ---- */

  /* The routine to be called, "pdsyevd" or "syevd": the view meets its requirements
   * (dap_matrix_needs_for()); with aligned_with, those on its other matrices. It is an error if no view
   * can: a wrong element type, or a matrix that is not square. (The norm 'F' of p?lange can be wrong with
   * any view: see scalapack_calls.h.) */
  const char *routine;
  /* any_sources is used only with aligned_with or context (otherwise sources are 0), and, like offset, only
   * without routine. align needs aligned_with. */
  dap_matrix_needs needs;
  /* A live view on the same processes that is passed to the same call: the view gets its grid and context
   * and, if it is moved, its block sizes. grid, block_size and context must then be unset. */
  const struct dap_scalapack_matrix *aligned_with;
  /* The caller's BLACS context, -1 on processes of `comm` outside its grid: the view uses that grid and its
   * order of processes. It must exist as long as the view. NULL: a context of the library's. */
  const dap_scalapack_int *context;
  /* 'N' or 'T' to require that; 0: that of aligned_with, else the one that allows sharing, else 'N' for F
   * order and for 1 axis, otherwise 'T'. */
  char op;

  /* ---- a moved view: for each of the two axes ---- */

  /* 0: the same as the other; if both are 0: 64, or 32 if an extent is below 2048, or floor(size / processes)
   * of the distributed axis if that is less and not 0. An axis on one process beside one of
   * DAP_LONG_SIZE elements has at most as many as it has elements. */
  int64_t block_size[2];
  /* The process grid. 0: as the other one implies, on all processes that hold the array. Both may name a grid
   * of fewer processes; the others get an empty view with context -1. If both are 0: the array's own grid if
   * both its extents exceed 1, else the one closest to a square, with more processes along the longer axis,
   * of a square matrix along its columns (needs.tall_grid: along its rows; up to 4 processes with
   * needs.factorised: one row of them). */
  int grid[2];
  /* Columns of the matrix (N) if the routine needs room for more than the array has, as ELPA does for
   * eigenvectors. Then the view is moved, and the columns beyond begin as zeros. 0: those of the array. */
  int64_t columns;
} dap_scalapack_options;

/* Gets `array`, or the part chosen by the options, as a matrix of type f4, f8, c8, c16 or ScaLAPACK's
 * integer.
 * Collective on `comm`, which must be exactly the layout's processes in rank order. `array`'s structs may
 * be freed afterwards; its buffer must stay until the view has ended. If the predicate of matrix.h holds on
 * every process, for what the options require, the view is shared: it is the buffer itself, whatever
 * `access` is. Otherwise the view has a block-cyclic buffer of its own, which gets the elements with
 * DAP_READ and zeros without. If the array has other axes, the matrix is on the processes that own the
 * index; the others get an empty view with context -1, and their copies of that index (on a 'u' axis, or in
 * communication padding) are not written. Grids and plans are kept with the communicator: a second view of
 * the same kind costs one reduction, two where processes differ in which plans fit, and its moves. Views with
 * the same processes on the grid have the same context.
 * Errors, the same on every process: those of dap_view_get() (adapter.h), and DAP_ERR_ARG (a context that
 * is not on `comm`'s processes; a matrix that is not square for a routine that needs it),
 * DAP_ERR_UNSUPPORTED (not two axes; requirements that no view can meet), DAP_ERR_BUFFER (element type),
 * DAP_ERR_RANGE (an extent exceeds ScaLAPACK's integers, or a process's elements do, unless `routine` is one
 * of PBLAS), DAP_ERR_REMOTE (an index along a 'u' axis whose
 * owner not all processes know). On error *matrix is zeroed. */
DAP_API dap_status dap_scalapack_get(MPI_Comm comm, dap_darray array, dap_access access,
                                     const dap_scalapack_options *options, dap_scalapack_matrix *matrix,
                                     dap_error *err);

/* Ends a view. Collective on the communicator of dap_scalapack_get(), which may have been freed. A moved
 * view with DAP_WRITE is first written back to the array's buffer, to all copies of an element on a 'u'
 * axis, but not to communication padding. Afterwards *matrix is zeroed except for shared, reason and
 * moved_bytes. After MPI_Finalize it only frees this process's memory. Errors: as above. */
DAP_API dap_status dap_scalapack_restore(dap_scalapack_matrix *matrix, dap_error *err);

/* The same without writing anything back; changes made to a shared view remain. */
DAP_API dap_status dap_scalapack_discard(dap_scalapack_matrix *matrix, dap_error *err);

/* For a view that remains live. load copies the array's current elements to a moved view, as
 * dap_scalapack_get() does with DAP_READ; store copies them back, as dap_scalapack_restore() does; both do
 * nothing for a shared view. halo fills the array's communication padding (of a part: the part's) with the
 * owners' values, in place; a moved view is not changed. Collective like dap_scalapack_restore().
 * Errors: as above, and DAP_ERR_ARG on this process alone for a view without DAP_READ (load) or DAP_WRITE
 * (store, halo). */
DAP_API dap_status dap_scalapack_load(dap_scalapack_matrix *matrix, dap_error *err);
DAP_API dap_status dap_scalapack_store(dap_scalapack_matrix *matrix, dap_error *err);
DAP_API dap_status dap_scalapack_halo(dap_scalapack_matrix *matrix, dap_error *err);

/* Writes a description of the view, one line, to `text` of `capacity` bytes; as dap_layout_describe(). Not
 * collective. */
DAP_API size_t dap_scalapack_describe(const dap_scalapack_matrix *matrix, char *text, size_t capacity);

/* Makes a distributed array of a ScaLAPACK matrix, in place: `desc` [9] and `data`, this process's local
 * part, which stays the caller's and must exist as long as *array. With op 'N' the array is (M, N) in F
 * order, with 'T' the transpose (N, M) in C order. Each axis is 'c' with block size MB or NB, and begins on
 * process RSRC or CSRC.
 * Collective on `comm`, whose processes must be exactly those of the context's grid, in any order. The
 * caller frees *layout with dap_layout_destroy() and *array with dap_array_release().
 * Errors, the same on every process: DAP_ERR_ARG (NULL, op, MPI_COMM_NULL; processes that are not the
 * grid's; a descriptor that is not DTYPE 1, has M or N < 0, MB or NB < 1, sources outside the grid or LLD
 * less than the local rows, or differs between processes in anything but CTXT and LLD; named),
 * DAP_ERR_BUFFER (no data where there are elements, a type that ScaLAPACK does not have), DAP_ERR_NOMEM,
 * DAP_ERR_LIBRARY. On error *array is zeroed and *layout is NULL. */
DAP_API dap_status dap_scalapack_import(MPI_Comm comm, const dap_scalapack_int desc[9], void *data,
                                        dap_dtype dtype, char op, dap_array *array, dap_layout **layout,
                                        dap_error *err);

/* The communicator of a BLACS context's grid (Cblacs_get() with WHAT = 10), in an order of processes
 * chosen by BLACS: for dap_scalapack_import() where there is a descriptor only. BLACS owns it, and it
 * exists as long as the context. MPI_COMM_NULL if the context does not exist on this process. Not
 * collective. */
DAP_API MPI_Comm dap_scalapack_context_comm(dap_scalapack_int context);

#ifdef __cplusplus
}
#endif

#endif
