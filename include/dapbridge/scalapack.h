/* dapbridge/scalapack.h: a distributed array as a ScaLAPACK matrix.
 *
 * The three steps of a dense solve: get each operand as a matrix, call ScaLAPACK with the matrices'
 * data, desc and op, restore. A C-order array is seen as the transposed matrix (op 'T') and shared.
 * BLACS and ScaLAPACK are not thread-safe, so neither are these functions. */
#ifndef DAPBRIDGE_SCALAPACK_H
#define DAPBRIDGE_SCALAPACK_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A 2-D array seen as a column-major block-cyclic matrix. Filled by dap_scalapack_get(); ended by
 * dap_scalapack_restore(); copied by nobody in between. With op 'N' matrix element (i, j) is array
 * element (i, j); with op 'T' it is array element (j, i).
 * The owner of element (0, 0) is process (0, 0) of the BLACS grid: RSRC and CSRC are always 0. */
typedef struct dap_scalapack_matrix {
  void *data;  /* local part, column-major with leading dimension desc[8]; NULL where it is empty */
  int desc[9]; /* DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD (ScaLAPACK Users' Guide, chapter 4, "Array
                  Descriptor for In-core Dense Matrices"); CTXT and LLD are this process' own */
  char op;     /* what to pass as TRANS to compute with the array itself: 'N' or 'T' */
  bool shared; /* data lies in the array's own buffer; the same on every process */
  char reason[DAP_ERROR_TEXT]; /* why shared, or the first condition that failed; the same on every process */
  int64_t moved_bytes;         /* bytes this process copied or sent for the view so far; 0 when shared */
  struct dap_scalapack_state *state; /* the library's; NULL: not a live view */
} dap_scalapack_matrix;

/* What the routine to be called needs. NULL or zeroed: the defaults. The same on every process. */
typedef struct dap_scalapack_options {
  dap_sharing sharing;
  char op;               /* 'N' or 'T' if the view must have it; 0: that of `like`, else the one that
                            shares, else 'N' for F order and 'T' for every other */
  bool square_blocks;    /* MB = NB is required (LU, Cholesky, eigenproblems) */
  int64_t block_size[2]; /* of a moved view, per array axis; 0: the other one's, and if both are 0, 64, or
                            less: floor(size / processes) of the distributed axis where that is more */
  int grid[2];           /* of a moved view, processes per array axis, using all of comm; 0: what the other
                            one leaves, and if both are 0, the array's own grid if both its extents exceed 1,
                            else the squarest, with more processes along the longer axis */
  const struct dap_scalapack_matrix *like; /* a live view on the same communicator that goes into the same
                                              call: same context, and for a moved view the same block
                                              sizes; grid and block_size must then be 0 */
  bool aligned; /* with like: MB must be like's MB, as for the right-hand sides of a solve */
} dap_scalapack_options;

/* Gives the array whose local part is `array`, laid out as `layout` says, as a matrix. Collective on
 * `comm`, which must be exactly the layout's processes in rank order; two dimensions, elements f4, f8,
 * c8 or c16. The array's dictionaries are not read again.
 * Shared when the layout is block-cyclic on every process, in any order of ranks, C or F order, padded or
 * not, the elements are in this machine's byte order, and what the options ask for holds; if one process
 * cannot share, none does. Then *matrix is a view of the buffer
 * itself, whatever `access` says. Otherwise the elements are moved (DAP_READ) to a block-cyclic buffer
 * that the view owns, which starts as zeros without DAP_READ.
 * `array` may be dropped afterwards; its buffer must stay until dap_scalapack_restore(). Live views on
 * one communicator whose processes sit alike on the BLACS grid have the same context; it is made with
 * the first and freed with the last of them.
 * Errors, the same on every process: DAP_ERR_ARG (NULL, an access or option outside its range or not the
 * same on every process, layouts that differ, a communicator of another size), DAP_ERR_UNSUPPORTED (not
 * two dimensions), DAP_ERR_BUFFER (type, extents that are not the layout's, no data, or DAP_WRITE to a
 * read-only buffer or one with a zero stride), DAP_ERR_RANGE (an extent exceeds int), DAP_ERR_SHARE (with
 * DAP_SHARE_OR_FAIL), DAP_ERR_NOMEM, DAP_ERR_LIBRARY. On error *matrix is zeroed. */
DAP_API dap_status dap_scalapack_get(MPI_Comm comm, const dap_layout *layout, const dap_array *array,
                                     dap_access access, const dap_scalapack_options *options,
                                     dap_scalapack_matrix *matrix, dap_error *err);

/* Ends a view. Collective on the communicator of dap_scalapack_get(), which may have been freed. A moved
 * view with DAP_WRITE is first written back to the array's buffer, on every process that holds an element:
 * those of a 'u' axis with duplicates all get it, communication padding does not.
 * Afterwards *matrix is zeroed but for moved_bytes. Accepts NULL, a zeroed matrix and a restored one.
 * Errors: DAP_ERR_LIBRARY, the same on every process; the view is ended all the same. */
DAP_API dap_status dap_scalapack_restore(dap_scalapack_matrix *matrix, dap_error *err);

/* Writes the view in words, one line, to `text` of `capacity` bytes; as dap_layout_describe(). Not
 * collective. */
DAP_API size_t dap_scalapack_describe(const dap_scalapack_matrix *matrix, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
