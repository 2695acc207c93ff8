/* dapbridge/matrix.h: whether ScaLAPACK can use a distributed array in place.
 *
 * The adapter (scalapack.h), the command `dapbridge explain` and the tests all use this predicate. One part
 * of it looks at the layout, which is the same on every process, the other at one process's buffer. It
 * needs neither MPI nor ScaLAPACK. Nothing in this header is collective.
 *
 * A matrix is column-major. With op 'N' matrix element (i, j) is array element (i, j), with op 'T' it is
 * array element (j, i): the buffer of a C-order array is the transposed matrix, on the transposed process
 * grid. */
#ifndef DAPBRIDGE_MATRIX_H
#define DAPBRIDGE_MATRIX_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a sub-matrix that is passed to a routine may begin. */
typedef enum dap_offset {
  DAP_OFFSET_NONE,  /* only at the matrix's first element: IA = JA = 1 */
  DAP_OFFSET_BLOCK, /* at the first row and column of a block */
  DAP_OFFSET_ANY
} dap_offset;

/* How a matrix must be aligned with the first matrix of the same call. Each includes the same process
 * grid. */
typedef enum dap_align {
  DAP_ALIGN_GRID,   /* nothing else */
  DAP_ALIGN_ROWS,   /* MB and RSRC equal to the first's */
  DAP_ALIGN_LONGER, /* as ROWS, but MB equal to the first's NB if that has more columns than rows */
  DAP_ALIGN_SAME,   /* MB, NB, RSRC and CSRC equal to the first's: only extents may differ */
  DAP_ALIGN_LEADING /* MB, NB, RSRC, CSRC and LLD equal to the first's on each process: ELPA needs it */
} dap_align;

/* The requirements of a routine on a matrix. Zeroed: none, except that RSRC and CSRC must be 0. */
typedef struct dap_matrix_needs {
  uint32_t dtypes;     /* allowed element types, a bit 1 << dap_dtype each; 0: all of ScaLAPACK's */
  bool square;         /* M = N */
  int64_t least_size;  /* least M and N, unless one of them is 0; 0: any */
  bool square_blocks;  /* MB = NB */
  bool any_sources;    /* RSRC and CSRC may be other than 0 */
  bool several_blocks; /* N > NB, if there is more than one process */
  bool spans_grid;     /* M or N is at least the number of processes */
  bool occupied;       /* each process row and column has a block, as ELPA needs it; where the grid is free, a
                          small moved matrix has fewer processes */
  bool tall_grid;      /* square and moved: NPROW >= NPCOL where the grid is free; never a reason to move */
  bool factorised;     /* blocks pass dap_matrix_check_speed(), unless sharing is required or their sizes are
                          given; a square moved one on a free grid of up to 4 processes has one row of them */
  bool no_row_pair;    /* on several processes the matrix is not 1 x 2; with the other op it is 2 x 1 */
  int64_t least_block; /* bounds of MB and NB; 0: none */
  int64_t most_block;
  dap_offset offset;
  dap_align align; /* of the other matrices of the call with the first */
} dap_matrix_needs;

/* Sets *needs to the requirements of `routine` on its first matrix (first = true) or on the others. The
 * name is ScaLAPACK's, with or without "p" and the letter of the type: "pdsyevd", "syevd". With the letter
 * only that type is allowed, without it all types for which the routine exists.
 * Source: the comments of the ScaLAPACK routines ("Alignment requirements", SRC/pd*.f), and comparison with
 * serial LAPACK: syev (of sub-matrices), syevd, syevr, syevx, gesvd, and their complex counterparts, give
 * wrong results with info = 0 if these requirements are not met. syevr and heevr hang on several processes
 * for some ordinary singular matrices in any layout: see bridge/docs/linalg.md, "Eigenvalues".
 * Errors: DAP_ERR_ARG (NULL; an unknown routine, or one that does not exist for the letter; the routine is
 * named). */
DAP_API dap_status dap_matrix_needs_for(const char *routine, bool first, dap_matrix_needs *needs,
                                        dap_error *err);

/* Checks whether a routine with these requirements can be used, in place or on a copy, for a matrix of
 * size[2] (M, N) with elements of type `dtype`.
 * Errors: DAP_ERR_BUFFER (element type), DAP_ERR_ARG (NULL; not square), DAP_ERR_UNSUPPORTED (too small). */
DAP_API dap_status dap_matrix_check(const dap_matrix_needs *needs, dap_dtype dtype, const int64_t size[2],
                                    dap_error *err);

/* Blocks that factorisations are fast with. Below DAP_FAST_SIZE rows or columns all do. */
enum { DAP_FAST_BLOCK_LEAST = 16, DAP_FAST_BLOCK_MOST = 128, DAP_FAST_SIZE = 512 };

/* The usual block size of an axis that allows any. Beside an axis of at least DAP_LONG_SIZE elements, a
 * shorter axis gets one block of its own size. The workspace of QR factors is the long axis times this
 * block. */
enum { DAP_USUAL_BLOCK = 64, DAP_LONG_SIZE = 16384 };

/* Checks whether a factorisation of a matrix of size[2] (M, N) in blocks of block[2] (MB, NB) on `nprocs`
 * processes is about as fast as in other blocks; if not, moving it first is faster. Panels are a block wide
 * and factorised by slow operations, and processes are idle when their last blocks are done, so wide blocks
 * take up to nine times as long as good ones; narrow ones exchange many short messages. Along the longer
 * dimension of a slender matrix few blocks are ever done with: there, in small matrices, and with less than
 * DAP_FAST_BLOCK_LEAST rows or columns a process all blocks pass. dapbridge/linalg.h, dapbridge/elpa.h and
 * needs.factorised go by this. Not collective.
 * Source: measured; bridge/docs/linalg.md, "Block sizes and grids".
 * Errors: DAP_ERR_SHARE (the blocks), DAP_ERR_ARG (NULL; nprocs < 1). */
DAP_API dap_status dap_matrix_check_speed(const int64_t size[2], const int64_t block[2], int nprocs,
                                          dap_error *why);

/* An array as a matrix. [0]: along the matrix's rows (M), [1]: along its columns (N). */
typedef struct dap_matrix_form {
  char op;          /* 'N' or 'T' */
  int64_t size[2];  /* M, N */
  int64_t block[2]; /* MB, NB */
  int procs[2];     /* NPROW, NPCOL */
  int source[2];    /* process row and column of block 0, in the array's grid; -1: any */
} dap_matrix_form;

/* Sets *form to the matrix that an array of `layout`, which has 2 axes, is with `op`, if it is block-cyclic
 * and meets `needs` (NULL: none). If more than one block size fits (an axis on one process, or with at most
 * one block), `wish` [2] (MB, NB) is used if it fits, or what `needs` requires. A wish of 0 is the usual
 * block size. Offset and alignment are not checked, as they concern a call, not an array.
 * Errors: DAP_ERR_SHARE with the first condition that is not met; DAP_ERR_UNSUPPORTED (not 2 axes),
 * DAP_ERR_ARG (NULL, op). */
DAP_API dap_status dap_matrix_fit(const dap_layout *layout, char op, const dap_matrix_needs *needs,
                                  const int64_t wish[2], dap_matrix_form *form, dap_error *why);

/* Writes a description of the form, without a newline, to `text` of `capacity` bytes; as
 * dap_layout_describe(). */
DAP_API size_t dap_matrix_describe(const dap_matrix_form *form, char *text, size_t capacity);

/* Finds the local part of the matrix, without communication padding, in `array.local`, the buffer of process
 * `rank`: *data is its first element (NULL: it is empty), *lld the leading dimension in elements, at
 * least 1. This is possible if the elements have one of ScaLAPACK's types and this machine's byte order,
 * the fast axis (0 with op 'N', 1 with 'T') is contiguous, and the other's stride is a whole number of
 * elements and at least the extent.
 * Errors: DAP_ERR_SHARE with the first condition that is not met; DAP_ERR_ARG (NULL, op, rank). */
DAP_API dap_status dap_matrix_local(dap_darray array, int rank, char op, void **data, int64_t *lld,
                                    dap_error *why);

#ifdef __cplusplus
}
#endif

#endif
