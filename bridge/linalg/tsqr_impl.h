/* The QR factorisation of a tall matrix A (m, n), m much larger than n, whose rows are whole on each process.
 *
 * Each process factors its rows in chunks that fit into a cache, then the triangles of its chunks under each
 * other. A binary tree of processes does the same with two triangles at each node. The reflectors are kept,
 * so Q X can be formed for an X (n, n). This is TSQR: J. Demmel, L. Grigori, M. Hoemmen, J. Langou,
 * "Communication-optimal parallel and sequential QR and LU factorizations", SIAM J. Sci. Comput. 34 (2012).
 * Householder reflectors do all of it, so it is as stable as LAPACK's geqrf.
 *
 * A may be seen as the transpose of an array: `along` is the array's axis of m elements. */
#ifndef DAP_TSQR_IMPL_H
#define DAP_TSQR_IMPL_H

#include "linalg_impl.h"

/* A matrix (rows, n), rows >= n, column-major without gaps. When it is factored it holds R and, below it, the
 * reflectors V, with Q = I - V T V^H. */
typedef struct dap_tsqr_block {
  int64_t rows;
  void *v; /* [n][rows] */
  void *t; /* [n][n] */
} dap_tsqr_block;

enum { DAP_TSQR_LEVELS = 32 }; /* more than the tree has: ranks are ints */

typedef struct dap_tsqr {
  /* Set by the caller. */
  int64_t n;
  int along;
  dap_array from;   /* this process's rows of A */
  dap_array to;     /* receives the reflectors, then Q X; may be `from` itself; data NULL without vectors */
  bool has_vectors; /* Q X is wanted */
  double sigma;     /* A is multiplied by it */
  /* Set by dap_tsqr_make_room(). */
  int64_t rows, chunks;                  /* of one chunk; how many of them */
  dap_tsqr_block chunk;                  /* the one that is in work */
  dap_tsqr_block stack;                  /* the triangles of all chunks */
  dap_tsqr_block nodes[DAP_TSQR_LEVELS]; /* of the tree; this process has the first node_count */
  int node_count;
  void *chunk_t; /* [chunks][n][n] T of each chunk; without vectors [n][n] */
  void *parts;   /* [n][stack.rows] Q X of the stack */
  void *result;  /* [n][rows] of a chunk, or of a node */
  void *work;    /* [n][n] */
  MPI_Comm comm; /* a duplicate, for messages between two processes */
} dap_tsqr;

/* tsqr_block.c: with LAPACK and BLAS on this process. Not collective.
 * factor: factors `block`; work: [n][n].
 * triangle: copies R to `r`, whose columns are `ld` elements apart, with zeros below the diagonal.
 * expand: result [n][rows] = Q X of the block's Q and the X (n, n) whose columns are `ld` elements apart. It
 * overwrites R with the upper triangle of V. */
void dap_tsqr_block_factor(const dap_linalg_call *call, int64_t n, const dap_tsqr_block *block, void *work);
void dap_tsqr_block_triangle(const dap_linalg_call *call, int64_t n, const dap_tsqr_block *block, void *r,
                             int64_t ld);
void dap_tsqr_block_expand(const dap_linalg_call *call, int64_t n, const dap_tsqr_block *block, const void *x,
                           int64_t ld, void *work, void *result);

/* tsqr_chunk.c: chunk number `c` of an array, to and from t->chunk. Not collective.
 * read: copies its rows and fills the chunk up with zeros.
 * write: copies `values` [n][t->rows] to the array's rows. */
dap_status dap_tsqr_read(const dap_tsqr *t, const dap_array *from, int64_t c, dap_error *err);
dap_status dap_tsqr_write(const dap_tsqr *t, const dap_array *to, int64_t c, void *values, dap_error *err);

/* tsqr_scan.c: DAP_ERR_NUMERIC if A has NaN or infinity, which the text places by `layout`, A's or that of
 * its copy. Else sets *most to the largest absolute value of a real or imaginary part. Collective. */
dap_status dap_tsqr_scan(dap_linalg_call *call, const dap_tsqr *t, const dap_layout *layout, double *most);

/* tsqr.c. All are collective.
 * make_room: all memory that the others need; end frees it, but the communicator needs close.
 * factor: sets r [n][n] to R of sigma A on process 0; it is overwritten everywhere.
 * expand: t->to = Q X; `x` [n][n] is X on process 0, and is overwritten everywhere.
 * close: frees the communicator. Not an error if there is none. */
dap_status dap_tsqr_make_room(dap_linalg_call *call, dap_tsqr *t);
dap_status dap_tsqr_factor(dap_linalg_call *call, dap_tsqr *t, void *r);
dap_status dap_tsqr_expand(dap_linalg_call *call, dap_tsqr *t, void *x);
void dap_tsqr_close(dap_tsqr *t);

#endif
