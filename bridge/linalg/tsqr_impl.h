/* Declares the QR factorisation of a tall matrix A (m, n), m much larger than n, whose rows are whole on each
 * process. This is TSQR: J. Demmel, L. Grigori, M. Hoemmen, J. Langou, "Communication-optimal parallel and
 * sequential QR and LU factorizations", SIAM J. Sci. Comput. 34 (2012). It is as stable as LAPACK's geqrf,
 * and its chunks are short, so single precision keeps its digits. */
#ifndef DAP_TSQR_IMPL_H
#define DAP_TSQR_IMPL_H

#include "qr_impl.h"

/* A matrix (rows, n), rows >= n, with nrhs more columns, column-major without gaps. When it is factored it
 * holds R and, below it, the reflectors V, with Q = I - V T V^H. Its other columns are multiplied by Q^H. */
typedef struct dap_tsqr_block {
  int64_t rows;
  void *v; /* [n + nrhs][rows] */
  void *t; /* [n][n] */
} dap_tsqr_block;

/* The rows of an operand. They are used where they are if each process has whole rows, which for operands
 * beside A lie as those of A. Else a copy with such rows takes their place. */
typedef struct dap_tsqr_rows {
  bool direct;
  const dap_layout *layout; /* the operand's or the copy's */
  dap_layout *own;          /* the copy's, to be freed */
  dap_array part;           /* this process's rows, with two axes; columns of a copy have no gaps */
} dap_tsqr_rows;

enum { DAP_TSQR_LEVELS = 32 }; /* more than a tree can have, because ranks are ints */

/* A factorisation of A. A matrix B (m, nrhs) may stand beside A. It is multiplied by Q^H while A is factored,
 * so a process needs no more than a chunk of both. A may be seen as the transpose of an array: `along` is the
 * array's axis of m elements. */
typedef struct dap_tsqr {
  /* Set by the caller. */
  int64_t n, nrhs; /* nrhs: 0 if there is no B, and if vectors are wanted */
  int along;
  dap_tsqr_rows a;
  dap_tsqr_rows b;  /* the same rows of B */
  dap_tsqr_rows q;  /* receive the reflectors, then Q X; may be the rows of A */
  bool has_vectors; /* Q X is wanted */
  double sigma;     /* A is multiplied by it */
  double sigma_b;   /* B is multiplied by it */
  /* Set by dap_tsqr_make_room(). */
  int64_t rows, chunks;                  /* rows of a chunk, and the number of chunks */
  dap_tsqr_block chunk;                  /* the chunk that is being factored or multiplied */
  dap_tsqr_block stack;                  /* the triangles of all chunks */
  dap_tsqr_block nodes[DAP_TSQR_LEVELS]; /* of the tree; this process has the first node_count */
  int64_t upper[DAP_TSQR_LEVELS];        /* rows of a node's own triangle that are not 0; the others follow */
  int node_count;
  void *chunk_t; /* [chunks][n][n] T of each chunk; without vectors [n][n] */
  void *parts;   /* [n][stack.rows] Q X of the stack */
  void *result;  /* [n][rows] of a chunk, or of a node */
  void *work;    /* [n + nrhs][n] */
  MPI_Comm comm; /* a duplicate, for messages between two processes */
} dap_tsqr;

/* tsqr_block.c: computes by LAPACK and BLAS on this process. Not collective.
 * factor: factors `block` and multiplies its other columns by Q^H.
 * triangle: copies the first n rows to `r` [n + nrhs], whose columns are `ld` elements apart: R with zeros
 * below the diagonal, and those of the other columns.
 * expand: result [n][rows] = Q X of the block's Q and the X (n, n) whose columns are `ld` elements apart. It
 * overwrites R with the upper triangle of V.
 * solve: replaces the first `rows` rows of X [nrhs][n] with inv(T) X, with T the triangle `uplo` of r
 * [n][n]. */
void dap_tsqr_block_factor(const dap_linalg_call *call, const dap_tsqr *t, const dap_tsqr_block *block);
void dap_tsqr_block_triangle(const dap_linalg_call *call, const dap_tsqr *t, const dap_tsqr_block *block,
                             void *r, int64_t ld);
void dap_tsqr_block_expand(const dap_linalg_call *call, int64_t n, const dap_tsqr_block *block, const void *x,
                           int64_t ld, void *work, void *result);
void dap_tsqr_solve(const dap_linalg_call *call, const char *uplo, int64_t rows, int64_t n, int64_t nrhs,
                    const void *r, void *x);

/* tsqr_chunk.c: chunk number `c` of an array, whose columns become `values` [.][t->rows]. Not collective.
 * read: copies its rows and fills the chunk up with zeros.
 * write: copies the values to the array's rows. */
dap_status dap_tsqr_read(const dap_tsqr *t, const dap_array *from, int64_t c, void *values, dap_error *err);
dap_status dap_tsqr_write(const dap_tsqr *t, const dap_array *to, int64_t c, void *values, dap_error *err);

/* tsqr_chunk.c: scan sets *most to the largest absolute value of a real or imaginary part of A.
 * DAP_ERR_NUMERIC if A has NaN or infinity. With `of_b` it looks at B instead, and *most is 0 if B has NaN or
 * infinity. Collective. */
dap_status dap_tsqr_scan(dap_linalg_call *call, const dap_tsqr *t, bool of_b, double *most);

/* tsqr.c. All are collective.
 * make_room: reserves all memory that the others need, which the end of the call frees, and a communicator.
 * factor: sets r [n + nrhs][n] to R of sigma A, and to the first n rows of sigma_b Q^H B, on process 0.
 * Overwrites it on the others.
 * expand: t->q = Q X; `x` [n][n] is X on process 0, and is overwritten on all.
 * close: frees the communicator and the layouts of copies, if there are any.
 *
 * Each process factors its rows in chunks that fit into a cache, then the triangles of its chunks under each
 * other. A binary tree of processes does the same with two triangles at each node. The reflectors are kept,
 * so Q X can be formed for an X (n, n). */
dap_status dap_tsqr_make_room(dap_linalg_call *call, dap_tsqr *t);
dap_status dap_tsqr_factor(dap_linalg_call *call, dap_tsqr *t, void *r);
dap_status dap_tsqr_expand(dap_linalg_call *call, dap_tsqr *t, void *x);
void dap_tsqr_close(dap_tsqr *t);

/* tsqr_pivoted.c: QR factors with column pivoting of the triangle R (n, n), which process 0 has: R P = Q' R'.
 * pivot_room: reserves memory, also for nrhs right-hand sides. Collective.
 * pivot: replaces R with R' and, below it, the reflectors of Q'. Sets order and found->rank on every process.
 * Collective.
 * The others compute on process 0, and are not collective.
 * pivot_apply: C = Q' C, or Q'^H C if `adjoint`, for a C (n, columns).
 * pivot_clear: replaces the reflectors with zeros.
 * pivot_solve: replaces X (n, nrhs) with the solution Y of least norm of R Y = X, with `rank` rows of R'. */
typedef struct dap_tsqr_pivoted {
  int64_t n, nrhs;
  int64_t *order; /* [n] the column of A at each place, counted from 0 */
  double *sizes;  /* [n] absolute values on R's diagonal */
  dap_scalapack_int *pivots;
  void *tau, *work, *rwork;
  dap_scalapack_int lwork;
} dap_tsqr_pivoted;

dap_status dap_tsqr_pivot_room(dap_linalg_call *call, int64_t n, int64_t nrhs, dap_tsqr_pivoted *p);
dap_status dap_tsqr_pivot(dap_linalg_call *call, dap_tsqr_pivoted *p, void *r, dap_linalg_rank *found);
void dap_tsqr_pivot_apply(const dap_linalg_call *call, const dap_tsqr_pivoted *p, const void *r, bool adjoint,
                          int64_t columns, void *c);
void dap_tsqr_pivot_clear(const dap_linalg_call *call, const dap_tsqr_pivoted *p, void *r);
void dap_tsqr_pivot_solve(const dap_linalg_call *call, const dap_tsqr_pivoted *p, void *r, int64_t rank,
                          void *x);

/* tsqr_place.c: where the rows of A and of matrices beside it are.
 * is_tall: whether a matrix (longer, shorter) is factored so for singular values. The rule is in linalg.md.
 * is_faster: whether a matrix (rows, columns) is factored so for anything else.
 * are_direct: whether operand 0 is used where it is, and so is operand `i` if it is given. Each row is then
 * on one process, and the rows of both are on the same processes in the same order.
 * may_move: whether operands that are not direct may be moved.
 * take: takes operand `i`. If `direct`, it is used where it is, and the report gets `reason`. Else makes a
 * copy without elements, whose rows lie as those of `like`, or in blocks if that is NULL. Collective.
 * take_result: takes operand `i` for t->q, which is A's copy if there is one. Collective.
 * move: moves operand `i` to the copy or, with `back`, from it. Does nothing without a copy. Collective.
 * plan_back: makes the plan for moving it back. Collective. */
bool dap_tsqr_is_tall(const dap_linalg_call *call, int64_t longer, int64_t shorter);
bool dap_tsqr_is_faster(const dap_linalg_call *call, int64_t rows, int64_t columns);
bool dap_tsqr_are_direct(const dap_linalg_call *call, int i, int along);
bool dap_tsqr_may_move(const dap_linalg_call *call);
dap_status dap_tsqr_take(dap_linalg_call *call, int i, int along, bool direct, const dap_layout *like,
                         const char *reason, dap_tsqr_rows *rows);
dap_status dap_tsqr_take_result(dap_linalg_call *call, dap_tsqr *t, int i, const char *reason);
dap_status dap_tsqr_move(dap_linalg_call *call, int i, const dap_tsqr_rows *rows, bool back,
                         const char *reason);
dap_status dap_tsqr_plan_back(dap_linalg_call *call, int i, const dap_tsqr_rows *rows, dap_plan **plan);

/* least_squares_tall.c: least squares by the QR factors of the rows of A, with B beside A. The operands of
 * the call are A, B, X; none is empty.
 * is_tall: whether they are solved so; the same on every process. Not collective.
 * tall: sets X, and the rank if `found` is not NULL. If it is NULL, a rank below n is an error. Collective.
 * full_rank, for other factors as well: DAP_ERR_NUMERIC if `zero` is not 0 on any process. It counts the
 * element of the diagonal that is 0, from 1. Collective.
 * zero (least_squares.c): sets X, which may be empty, to 0. Collective. */
bool dap_linalg_least_squares_is_tall(const dap_linalg_call *call);
dap_status dap_linalg_least_squares_tall(dap_linalg_call *call, dap_linalg_rank *found);
dap_status dap_linalg_full_rank(dap_linalg_call *call, dap_scalapack_int zero);
dap_status dap_linalg_least_squares_zero(dap_linalg_call *call);

/* qr_tall.c: the QR factors by the rows of A, for the operands A, Q, R of the call. A is not empty.
 * is_tall: whether A is factored so; the same on every process. Not collective.
 * tall: A = Q R. If `found` is not NULL, A P = Q R with pivots: sets the rank, and *order as in
 * dap_linalg_pivoted_factor(). Collective. */
bool dap_linalg_qr_is_tall(const dap_linalg_call *call);
dap_status dap_linalg_qr_tall(dap_linalg_call *call, dap_linalg_rank *found, int64_t **order);

#endif
