/* dapbridge/scalapack.h: a distributed array as a ScaLAPACK matrix, and back.
 *
 * Get each operand as a matrix, call ScaLAPACK with the matrices' data, desc and op, restore. A C-order array
 * is seen as the transposed matrix (op 'T') and shared. scalapack_calls.h declares ScaLAPACK's routines;
 * linalg.h solves whole problems without calling any. BLACS and ScaLAPACK are not thread-safe, so neither are
 * these functions. */
#ifndef DAPBRIDGE_SCALAPACK_H
#define DAPBRIDGE_SCALAPACK_H

#include <dapbridge/adapter.h>
#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <dapbridge/matrix.h>
#include <dapbridge/part.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ScaLAPACK's and BLACS' INTEGER: 32 bits (LP64), or 64 where ScaLAPACK was built so (ILP64), which the
 * packages' configuration finds out and tells by this macro. */
#ifdef DAPBRIDGE_SCALAPACK_ILP64
typedef int64_t dap_scalapack_int;
#else
typedef int dap_scalapack_int;
#endif

/* An array, or two axes of it, seen as a column-major block-cyclic matrix. Filled by dap_scalapack_get() and ended by
 * dap_scalapack_restore(); it must stay where it was filled until then, and a copy of it is refused. With op 'N'
 * matrix element (i, j) is array element (i, j); with op 'T' it is array element (j, i). */
typedef struct dap_scalapack_matrix {
  void *data; /* local part, column-major with leading dimension desc[8]; NULL where it is empty */
  /* DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD (ScaLAPACK Users' Guide, chapter 4, "Array Descriptor for In-core Dense
   * Matrices"). CTXT and LLD are this process's own; CTXT is -1 on a process outside the matrix's grid, which calls
   * nothing. */
  dap_scalapack_int desc[9];
  dap_scalapack_int m, n; /* rows and columns of what was asked for: desc's but for a sub-matrix */
  /* Its first row and column in desc's matrix, 1-based: 1 but for a shared sub-matrix. */
  dap_scalapack_int ia, ja;
  char op;                     /* what to pass as TRANS to compute with the array itself: 'N' or 'T' */
  bool shared;                 /* data lies in the array's own buffer; the same on every process */
  char reason[DAP_ERROR_TEXT]; /* why shared, or the first condition that failed; the same on every process */
  int64_t moved_bytes;         /* that this process copied or sent for the view so far; 0 when shared */
  dap_view_handle view;        /* the library's; zeroed: not a live view */
} dap_scalapack_matrix;

/* What is to be seen, and what the routine to be called needs. NULL or zeroed: the defaults. The same on
 * every process. */
typedef struct dap_scalapack_options {
  dap_sharing sharing;

  /* The two axes of the array that are the matrix (part.axes, with naxes 2; -1: an axis of extent 1 that the array does
   * not have), its index along the others (part.start), and a sub-matrix (part.start and shape). NULL axes: {0, 1} of 2
   * axes, {0, -1} of 1 (N x 1), else the last two. */
  dap_part part;

  /* ---- needs: those of the routine and these together ---- */

  /* The routine to be called, "pdsyevd" or "syevd": the view is one with which it works correctly
   * (dap_matrix_needs_for()); with aligned_with, as one of its other matrices. What it cannot take at all,
   * another element type or a matrix that must be square and is not, is refused. No view mends the
   * norm 'F' of p?lange: see scalapack_calls.h. */
  const char *routine;
  /* any_sources only counts with aligned_with or context, as sources are 0 else; it and offset are the routine's if there
   * is one. align needs aligned_with. */
  dap_matrix_needs needs;
  /* A live view of the same processes that goes into the same call: same grid and context, and for a moved view the
   * same block sizes. grid, block_size and context must then be unset. */
  const struct dap_scalapack_matrix *aligned_with;
  /* A BLACS context of the caller's, -1 on processes of `comm` outside its grid: the view is on that grid, in the order
   * of processes that it has. It stays the caller's and must live as long as the view. NULL: the library's. */
  const dap_scalapack_int *context;
  /* 'N' or 'T' if the view must have it; 0: that of aligned_with, else the one that shares, else 'N' for F order and
   * for 1 axis, 'T' for every other. */
  char op;

  /* ---- a moved view, per axis of the two ---- */

  /* 0: the other one's; if both are 0, 64, or less: floor(size / processes) of the distributed axis where
   * that is more than 0. */
  int64_t block_size[2];
  /* Processes, using all that hold the array. 0: what the other one leaves; if both are 0, the array's own
   * grid if both its extents exceed 1, else the squarest, with more processes along the longer axis. */
  int grid[2];
} dap_scalapack_options;

/* Gives `array`, or the part of it that the options choose, as a matrix. Collective on `comm`, which must be
 * exactly the layout's processes in rank order; elements f4, f8, c8 or c16, or ScaLAPACK's integers. The array's
 * dictionaries are not read again.
 * Shared when matrix.h's predicate holds, on every process, for what the options ask; if one process cannot
 * share, none does. Then *matrix is a view of the buffer itself, whatever `access` says. Otherwise the elements are
 * moved (DAP_READ) to a block-cyclic buffer that the view owns, which starts as zeros without DAP_READ; of a
 * sub-matrix only its elements.
 * Other axes of the array: the matrix is on the processes that own the index; the others get an empty view, context
 * -1, and what they have of that index (copies on a 'u' axis, communication padding) is not written.
 * The array's dictionaries may be dropped afterwards; its buffer must stay until dap_scalapack_restore(). Grids and
 * plans are kept with the communicator and freed with it: a view of a kind that was had before costs one reduction and
 * its moves, and views whose processes sit alike have the same context.
 * Errors, the same on every process: DAP_ERR_ARG (NULL, an access, option or part outside its range or not the
 * same on every process, layouts that differ, a communicator of another size, a context that is not one of
 * `comm`'s processes, a matrix that is not square for a routine that needs it), DAP_ERR_UNSUPPORTED (not two axes; needs that no view can meet),
 * DAP_ERR_BUFFER (type, extents that are not the layout's, no data, or DAP_WRITE to a
 * read-only buffer or one with a zero stride), DAP_ERR_RANGE (an extent exceeds ScaLAPACK's integers), DAP_ERR_SHARE
 * (with DAP_SHARE_OR_FAIL), DAP_ERR_REMOTE (an index along a 'u' axis of an assembled layout: not all processes know
 * who owns it), DAP_ERR_NOMEM, DAP_ERR_LIBRARY. On error *matrix is zeroed. */
DAP_API dap_status dap_scalapack_get(MPI_Comm comm, dap_darray array, dap_access access,
                                     const dap_scalapack_options *options, dap_scalapack_matrix *matrix,
                                     dap_error *err);

/* Ends a view. Collective on the communicator of dap_scalapack_get(), which may have been freed. A moved
 * view with DAP_WRITE is first written back to the array's buffer, on every process that holds an element:
 * those of a 'u' axis with duplicates all get it, communication padding does not.
 * Afterwards *matrix is zeroed but for shared, reason and moved_bytes. Accepts NULL, a zeroed matrix and a restored
 * one; after MPI_Finalize() it frees what is this process's own.
 * Errors: DAP_ERR_ARG for a copy of a view, on that process alone, and nothing happens. DAP_ERR_LIBRARY, the same on
 * every process: the view is ended all the same. */
DAP_API dap_status dap_scalapack_restore(dap_scalapack_matrix *matrix, dap_error *err);

/* The same without writing anything back: of a shared view, what was changed stays changed. */
DAP_API dap_status dap_scalapack_discard(dap_scalapack_matrix *matrix, dap_error *err);

/* For a view that goes on. load: a moved view takes what the array holds now, as dap_scalapack_get() did with
 * DAP_READ; store: it is written to the array as dap_scalapack_restore() would; both do nothing for a shared view. halo:
 * the array's communication padding (of a part: the part's) is filled with its owners' values, in place; a moved
 * view stays as it is.
 * Collective as dap_scalapack_restore().
 * Errors: DAP_ERR_ARG (NULL, no live view, a view without DAP_READ (load) or DAP_WRITE (the others): on that process
 * alone), DAP_ERR_NOMEM, DAP_ERR_LIBRARY, the same on every process. */
DAP_API dap_status dap_scalapack_load(dap_scalapack_matrix *matrix, dap_error *err);
DAP_API dap_status dap_scalapack_store(dap_scalapack_matrix *matrix, dap_error *err);
DAP_API dap_status dap_scalapack_halo(dap_scalapack_matrix *matrix, dap_error *err);

/* Writes the view in words, one line, to `text` of `capacity` bytes; as dap_layout_describe(). Not
 * collective. */
DAP_API size_t dap_scalapack_describe(const dap_scalapack_matrix *matrix, char *text, size_t capacity);

/* Makes a distributed array of a matrix that ScaLAPACK has: `desc` [9] with `data`, this process's local
 * part, which stays the caller's and must live as long as *array. With op 'N' the array is (M, N) in F order,
 * with 'T' its transpose (N, M) in C order; both in the same memory. Each axis is 'c' with block size MB or
 * NB, and begins on process RSRC or CSRC. Collective on `comm`, whose processes must be exactly those of the
 * context's grid, in any order. The caller ends *layout with dap_layout_destroy(), *array with
 * dap_array_release().
 * Errors, the same on every process: DAP_ERR_ARG (NULL, op, MPI_COMM_NULL, processes that are not the grid's,
 * a descriptor that is not DTYPE 1, has M, N < 0, MB, NB < 1, sources outside the grid or LLD below the local
 * rows, or differs between processes in anything but CTXT and LLD: named), DAP_ERR_BUFFER (no data where
 * there are elements, a type that ScaLAPACK does not have), DAP_ERR_NOMEM, DAP_ERR_LIBRARY. On error both are
 * zeroed or NULL. */
DAP_API dap_status dap_scalapack_import(MPI_Comm comm, const dap_scalapack_int desc[9], void *data,
                                        dap_dtype dtype, char op, dap_array *array, dap_layout **layout,
                                        dap_error *err);

/* The communicator of a BLACS context's grid (Cblacs_get() with WHAT = 10): its processes, in an order of
 * BLACS' own. It stays BLACS', and lives as long as the context. MPI_COMM_NULL for a context that is not live
 * on this process. Not collective. */
DAP_API MPI_Comm dap_scalapack_context_comm(dap_scalapack_int context);

#ifdef __cplusplus
}
#endif

#endif
