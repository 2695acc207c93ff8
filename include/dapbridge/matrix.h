/**
 * @file
 * Functions that decide whether ScaLAPACK can use a distributed array in place.
 *
 * The ScaLAPACK adapter (scalapack.h) and the `dapbridge explain` command use these functions.
 * dap_matrix_fit() checks the layout, with the same result on every process. dap_matrix_local() checks the
 * buffer of one process. The functions need neither MPI nor ScaLAPACK, and none of them is collective.
 *
 * ScaLAPACK's matrices are column-major. With op 'N', matrix element (i, j) is array element (i, j). With op
 * 'T', matrix element (i, j) is array element (j, i). So a C-order array is a column-major matrix with op
 * 'T', on the transposed process grid.
 */
#ifndef DAPBRIDGE_MATRIX_H
#define DAPBRIDGE_MATRIX_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Specifies where a routine allows a sub-matrix to begin. */
typedef enum dap_offset {
  DAP_OFFSET_NONE,  /**< only at the matrix's first element: IA = JA = 1 */
  DAP_OFFSET_BLOCK, /**< at the first element of a block */
  DAP_OFFSET_ANY    /**< anywhere */
} dap_offset;

/** Specifies how a matrix must be aligned with the first matrix of the same ScaLAPACK call. All values
 * require that both matrices are on the same process grid. */
typedef enum dap_align {
  DAP_ALIGN_GRID,   /**< the same process grid suffices */
  DAP_ALIGN_ROWS,   /**< MB and RSRC equal those of the first matrix */
  DAP_ALIGN_LONGER, /**< like DAP_ALIGN_ROWS, but if the first matrix has M < N, MB equals that matrix's NB */
  DAP_ALIGN_SAME,   /**< MB, NB, RSRC and CSRC equal those of the first matrix; extents may differ */
  DAP_ALIGN_LEADING /**< MB, NB, RSRC, CSRC and LLD equal those of the first matrix; ELPA requires this */
} dap_align;

/**
 * The requirements that a routine places on a matrix. If the struct is zeroed, the routine requires one of
 * ScaLAPACK's element types, RSRC = CSRC = 0, DAP_OFFSET_NONE and DAP_ALIGN_GRID.
 *
 * `occupied`, `tall_grid` and `factorised` also affect the grid of a moved matrix, unless the caller chooses
 * the grid. If `occupied` is set, the grid has no more process rows than the matrix has rows, and no more
 * process columns than the matrix has columns. If `factorised` is set, but neither `occupied` nor `tall_grid`
 * is, a square matrix on up to 4 processes is moved to a grid with one process row. If `factorised` is set, a
 * matrix is moved for speed only if the caller neither sets block sizes nor requires sharing.
 *
 * The requirements that dap_matrix_needs_for() returns come from the routines' comments ("Alignment
 * requirements", SRC/pd*.f), and from comparisons with serial LAPACK.
 */
typedef struct dap_matrix_needs {
  uint32_t dtypes;     /**< allowed element types, bitwise OR of 1 << dap_dtype; 0: all ScaLAPACK types */
  bool square;         /**< M = N */
  int64_t least_size;  /**< smallest allowed M and N; 0 means any; not checked if M or N is 0 */
  bool square_blocks;  /**< MB = NB */
  bool any_sources;    /**< RSRC and CSRC may differ from 0 */
  bool several_blocks; /**< N > NB, if there is more than one process */
  bool spans_grid;     /**< M or N is at least the number of processes */
  /** each process row and each process column has at least one block, as ELPA requires */
  bool occupied;
  bool tall_grid;      /**< if a square matrix is moved, the new grid has NPROW >= NPCOL */
  bool factorised;     /**< the matrix is moved if dap_matrix_check_speed() fails */
  bool no_row_pair;    /**< a 1 x 2 matrix is not allowed on several processes, but a 2 x 1 matrix is */
  int64_t least_block; /**< smallest allowed MB and NB; 0 means any */
  int64_t most_block;  /**< largest allowed MB and NB; 0 means any */
  dap_offset offset;   /**< where a sub-matrix may begin */
  dap_align align;     /**< how the other matrices of a call must be aligned with the first matrix */
} dap_matrix_needs;

/**
 * Sets *needs to the requirements of a ScaLAPACK routine.
 *
 * If the name contains a type letter ("pdsyevd", "dsyevd"), only that type is allowed. If it does not
 * ("syevd"), all types for which the routine exists are allowed. If a matrix does not meet the requirements,
 * the routine can return wrong results although info is 0 (bridge/docs/linalg.md, "ScaLAPACK's own
 * routines"). Not collective.
 *
 * @param routine  name of the routine, with or without the "p", the type letter and a final "_"
 * @param first    true for the routine's first matrix, false for its other matrices
 * @param needs    receives the requirements; unchanged on error
 * @param err      receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, the routine is unknown, or the routine does not exist for the type
 * @see dap_matrix_check(), dap_matrix_fit()
 */
DAP_API dap_status dap_matrix_needs_for(const char *routine, bool first, dap_matrix_needs *needs,
                                        dap_error *err);

/**
 * Checks whether a routine accepts a matrix of the given type and size, regardless of whether the matrix is
 * shared or moved.
 *
 * Not collective.
 *
 * @param needs  the routine's requirements
 * @param dtype  type of the elements
 * @param size   [2] rows and columns: M, N
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, or the routine needs a square matrix
 *  - DAP_ERR_BUFFER: the routine does not exist for this type
 *  - DAP_ERR_UNSUPPORTED: the matrix is smaller than needs->least_size
 * @see dap_matrix_needs_for()
 */
DAP_API dap_status dap_matrix_check(const dap_matrix_needs *needs, dap_dtype dtype, const int64_t size[2],
                                    dap_error *err);

/** The smallest and largest block sizes with which factorisations are fast. All block sizes are fast if
 * the smaller extent of the matrix is below DAP_FAST_SIZE. */
enum { DAP_FAST_BLOCK_LEAST = 16, DAP_FAST_BLOCK_MOST = 128, DAP_FAST_SIZE = 512 };

/**
 * DAP_USUAL_BLOCK is the default block size of an axis for which any block size is possible. An axis shorter
 * than DAP_USUAL_BLOCK becomes one block if the other axis has at least DAP_LONG_SIZE elements. This single
 * block limits the workspace of a QR factorisation, whose size is the length of the long axis times the block
 * size of the short axis.
 */
enum { DAP_USUAL_BLOCK = 64, DAP_LONG_SIZE = 16384 };

/**
 * Checks whether a factorisation with these block sizes is about as fast as with other block sizes.
 *
 * If the check fails, moving the matrix to blocks of a different size before the factorisation saves time.
 * Every block size passes if the smaller extent of the matrix is below DAP_FAST_SIZE, or at most a quarter of
 * the larger extent. Every block size also passes if the smaller extent is below DAP_FAST_BLOCK_LEAST times
 * the number of processes. See bridge/docs/linalg.md, "Block sizes and grids". Not collective.
 *
 * @param size    [2] rows and columns: M, N
 * @param block   [2] MB and NB; 0 for an axis on one process, whose block size can be chosen
 * @param nprocs  number of processes in the grid
 * @param why     receives the reason; may be NULL
 * @return
 *  - DAP_OK: the block sizes pass
 *  - DAP_ERR_ARG: a pointer is NULL, or nprocs < 1
 *  - DAP_ERR_SHARE: other block sizes are faster
 */
DAP_API dap_status dap_matrix_check_speed(const int64_t size[2], const int64_t block[2], int nprocs,
                                          dap_error *why);

/** A matrix that an array represents. In members with two elements, the first element is for the rows (M),
 * and the second is for the columns (N). */
typedef struct dap_matrix_form {
  char op;          /**< 'N' or 'T' */
  int64_t size[2];  /**< M, N */
  int64_t block[2]; /**< MB, NB */
  int procs[2];     /**< NPROW, NPCOL */
  int source[2];    /**< process row and column of block 0, in the array's grid; -1 means any */
} dap_matrix_form;

/**
 * Describes an array with 2 axes as a matrix, if its layout is block-cyclic.
 *
 * The block size of an axis is *free* (can be chosen) if the axis is on one process or has at most one block.
 * needs->offset and needs->align are not checked, because they depend on the ScaLAPACK call. Not collective.
 *
 * @param layout  the array's layout
 * @param op      'N': the matrix is the array; 'T': the matrix is the transposed array
 * @param needs   requirements of the matrix; NULL means none
 * @param wish    [2] wanted MB and NB, used for free block sizes if `needs` allows them; 0: the default size
 * @param form    receives the matrix; unspecified on error
 * @param why     receives the first condition that is not met; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, or op is neither 'N' nor 'T'
 *  - DAP_ERR_UNSUPPORTED: the layout does not have 2 axes
 *  - DAP_ERR_SHARE: the layout is not block-cyclic, or does not meet `needs`
 * @see dap_matrix_local(), dap_layout_blocks()
 */
DAP_API dap_status dap_matrix_fit(const dap_layout *layout, char op, const dap_matrix_needs *needs,
                                  const int64_t wish[2], dap_matrix_form *form, dap_error *why);

/**
 * Writes a description of the matrix to `text`, as one line without a newline.
 *
 * Like snprintf(), the function truncates the line to fit. Not collective.
 *
 * @param form      the matrix, from dap_matrix_fit()
 * @param text      receives the description; may be NULL if `capacity` is 0
 * @param capacity  size of `text` in bytes
 * @return length of the full description, without the NUL
 */
DAP_API size_t dap_matrix_describe(const dap_matrix_form *form, char *text, size_t capacity);

/**
 * Describes the elements in a process's buffer, without communication padding, as a column-major matrix.
 *
 * The elements must have one of ScaLAPACK's types and this machine's byte order, and must be aligned. The
 * axis that runs down each column of the matrix (axis 0 with op 'N', axis 1 with 'T') must be contiguous. The
 * stride of the other axis must be a multiple of the element size, and at least the size of a column in
 * bytes. Not collective.
 *
 * @param array  array.local must be process `rank`'s buffer
 * @param rank   rank of a process of the layout
 * @param op     'N' or 'T', as for dap_matrix_fit()
 * @param data   receives the address of the first element; NULL if there are no elements
 * @param lld    receives the leading dimension in elements, at least 1
 * @param why    receives the first condition that is not met; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, or op or rank is invalid
 *  - DAP_ERR_UNSUPPORTED: the layout does not have 2 axes
 *  - DAP_ERR_SHARE: the buffer does not meet a condition
 * @see dap_matrix_fit()
 */
DAP_API dap_status dap_matrix_local(dap_darray array, int rank, char op, void **data, int64_t *lld,
                                    dap_error *why);

#ifdef __cplusplus
}
#endif

#endif
