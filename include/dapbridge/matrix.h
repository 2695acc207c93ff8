/* dapbridge/matrix.h: whether ScaLAPACK can take a distributed array where it lies.
 *
 * The one predicate: what the adapter does, what the command says and what tests expect is decided here. A
 * part of it looks at the layout, which is the same on every process; the other at one process's buffer. It
 * needs neither MPI nor ScaLAPACK. Nothing here is collective.
 *
 * A matrix is column-major. With op 'N' matrix element (i, j) is array element (i, j), with op 'T' it is
 * array element (j, i): so the buffer of a C-order array is the transposed matrix, on the transposed process
 * grid. */
#ifndef DAPBRIDGE_MATRIX_H
#define DAPBRIDGE_MATRIX_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where in its blocks a sub-matrix that goes into a routine may begin. */
typedef enum dap_offset {
  DAP_OFFSET_NONE,  /* it must be the whole matrix: IA = JA = 1 */
  DAP_OFFSET_BLOCK, /* at a block's first row and column */
  DAP_OFFSET_ANY
} dap_offset;

/* How a matrix must lie beside another one of the same call, which is called the first here. */
typedef enum dap_align {
  DAP_ALIGN_GRID,   /* the same process grid */
  DAP_ALIGN_ROWS,   /* and row blocks of the size of the first's, from the same process row on */
  DAP_ALIGN_LONGER, /* as ROWS, or, where the first has more columns than rows, of its column blocks' size */
  DAP_ALIGN_SAME    /* and row and column blocks as the first's: descriptors that differ in extents at most */
} dap_align;

/* What a routine demands of a matrix. Zeroed: nothing but sources of 0. */
typedef struct dap_matrix_needs {
  uint32_t dtypes;    /* element types that it takes, bit 1 << dap_dtype of each; 0: all that ScaLAPACK has */
  bool square;        /* M = N */
  int64_t least_size; /* of M and N, where neither is 0; 0: any */
  bool square_blocks; /* MB = NB */
  bool any_sources;   /* RSRC and CSRC other than 0 are taken; else they must be 0 */
  bool several_blocks; /* more columns than NB, where there is more than one process */
  bool spans_grid;     /* as many rows, or as many columns, as there are processes, at least */
  int64_t least_block; /* bounds of MB and NB; 0: none */
  int64_t most_block;
  dap_offset offset;
  dap_align align; /* of the other matrices of the call */
} dap_matrix_needs;

/* What `routine` demands of its first matrix (first = true) or of the others. The name is ScaLAPACK's, with
 * or without "p" and the letter of the type: "pdsyevd", "syevd". With the letter, that type alone will do;
 * without, those for which the routine exists.
 * Source: the ScaLAPACK routines' own comments ("Alignment requirements", SRC/pd*.f), and trials against
 * serial LAPACK: syev (of parts), syevd, syevr, syevx and gesvd, and their complex kin, give wrong results,
 * with info = 0, where these needs are not met.
 * Errors: DAP_ERR_ARG for NULL and for a routine that is not known or does not exist for the letter, naming
 * it. */
DAP_API dap_status dap_matrix_needs_for(const char *routine, bool first, dap_matrix_needs *needs,
                                        dap_error *err);

/* Whether a routine with these needs takes a matrix of size [2] (M, N) with such elements at all, shared or
 * copied.
 * Errors: DAP_ERR_BUFFER (element type), DAP_ERR_ARG (NULL; not square), DAP_ERR_UNSUPPORTED (too small). */
DAP_API dap_status dap_matrix_check(const dap_matrix_needs *needs, dap_dtype dtype, const int64_t size[2],
                                    dap_error *err);

/* How an array is seen as a matrix. [0]: the matrix's rows, [1]: its columns. */
typedef struct dap_matrix_form {
  char op;          /* 'N' or 'T' */
  int64_t size[2];  /* M, N */
  int64_t block[2]; /* MB, NB */
  int procs[2];     /* NPROW, NPCOL */
  int source[2];    /* process row and column of block 0, in the array's grid; -1: any, as all are alike */
} dap_matrix_form;

/* Sets *form to the array of `layout`, 2 axes, seen with `op`, if blocks dealt round robin describe it and it
 * meets `needs` (NULL: none). Where more than one block size fits (an axis on one process, or with no more
 * than one block), `wish` [2] (MB, NB) is taken if it fits, or what needs demand.
 * Offset and alignment are not looked at here: they concern a call, not an array.
 * Errors: DAP_ERR_SHARE with the first condition that fails and what it was; DAP_ERR_UNSUPPORTED (not 2
 * axes), DAP_ERR_ARG (NULL, op). */
DAP_API dap_status dap_matrix_fit(const dap_layout *layout, char op, const dap_matrix_needs *needs,
                                  const int64_t wish[2], dap_matrix_form *form, dap_error *why);

/* Writes the form in words, without an end of line, to `text` of `capacity` bytes; as
 * dap_layout_describe(). */
DAP_API size_t dap_matrix_describe(const dap_matrix_form *form, char *text, size_t capacity);

/* Where process `rank` of `layout` has its part of the matrix in `array`'s buffer, seen with `op`: *data is
 * its first element (NULL: it has none), *lld the leading dimension in elements, at least 1; communication
 * padding is left out. Needs elements of one of ScaLAPACK's types in this machine's byte order, a contiguous
 * fast axis (axis 0 with 'N', 1 with 'T'), and a stride of the other that is a whole number of elements and
 * no less than the extent.
 * Errors: DAP_ERR_SHARE with the first condition that fails and what it was; DAP_ERR_ARG (NULL, op, rank). */
DAP_API dap_status dap_matrix_place(const dap_layout *layout, int rank, const dap_array *array, char op,
                                    void **data, int64_t *lld, dap_error *why);

#ifdef __cplusplus
}
#endif

#endif
