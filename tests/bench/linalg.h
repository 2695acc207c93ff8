/* Functions of linalg.h beside calls of ScaLAPACK that a program makes itself: what the benchmark's files
 * share.
 *
 * All matrices are of doubles. `best` operands lie as ScaLAPACK likes them: F order, square blocks, the grid
 * closest to a square; both the hand-written calls and the library, which shares them, compute there. `moved`
 * ones are slabs of rows in C order. */
#ifndef DAP_BENCH_LINALG_H
#define DAP_BENCH_LINALG_H

#include <dapbridge/linalg.h>
#include <dapbridge/linalg_factors.h>
#include <dapbridge/linalg_schur.h>
#include <dapbridge/scalapack_calls.h>
#include <stdbool.h>

enum { LINALG_OPERANDS = 4, LINALG_BLOCK = 64, LINALG_RIGHT_SIDES = 64 };

/* How best operands lie: on which grid, in which blocks. */
typedef struct linalg_shape {
  int grid[2];
  int block;
} linalg_shape;

/* What an operand begins as. */
typedef enum linalg_fill {
  LINALG_NONE,
  LINALG_GENERAL,   /* elements of -1/2 .. 1/2 */
  LINALG_SYMMETRIC, /* the same */
  LINALG_DEFINITE,  /* the same, n more on the diagonal */
  LINALG_RESULT     /* zeros */
} linalg_fill;

typedef struct linalg_operand {
  linalg_fill fill;
  int64_t rows, cols; /* cols 0: a vector, whole on every process */
  dap_layout *layout;
  dap_array array, before; /* before: the elements that a run begins with */
  dap_scalapack_int desc[9];
} linalg_operand;

/* One problem on one kind of layout. */
typedef struct linalg_job {
  int64_t n;
  int rank, nprocs, grid[2], block;
  dap_scalapack_int context;
  linalg_operand operands[LINALG_OPERANDS];
  int first_moved;             /* operands before it are not moved by the call */
  dap_linalg_factors *factors; /* of operand 0, made before a run: the library's */
  dap_scalapack_int *pivots;   /* those by hand are in its place, and here */
} linalg_job;

/* A row of the table: a function, and what it is compared with. */
typedef struct linalg_row {
  const char *name, *by; /* the function, the hand-written calls */
  struct {
    linalg_fill fill;
    int shape; /* 3: n x 1; 2: n x n; 1: n x LINALG_RIGHT_SIDES; 0: n */
  } operands[LINALG_OPERANDS];
  int result;   /* the operand whose norm is compared; -1: none */
  double flops; /* times n^3 */
  void (*hand)(linalg_job *job);
  dap_status (*library)(linalg_job *job, const dap_linalg_options *options, dap_error *err);
  void (*before)(linalg_job *job, bool by_hand); /* what is done before a run; NULL: nothing */
  double squares;                                /* more operations, times n^2 */
} linalg_row;

extern const linalg_row linalg_rows[]; /* linalg_rows.c; ends with a row without a name */

/* linalg_job.c. Collective.
 * shape: the grid closest to a square, and blocks of LINALG_BLOCK.
 * make: operands of the row that lie as best ones do; NULL: as moved ones.
 * begin: all elements as they are before a run, and what the row does before. end: frees what that made.
 * result: the norm of the row's result.
 * move: takes a view of each matrix as ScaLAPACK wants it, and ends it, which is what a call has to move. */
linalg_shape linalg_best_shape(void);
linalg_job linalg_job_make(const linalg_row *row, int64_t n, const linalg_shape *best);
void linalg_job_free(linalg_job *job);
void linalg_job_begin(const linalg_row *row, linalg_job *job, bool by_hand);
void linalg_job_end(linalg_job *job);
double linalg_job_result(const linalg_row *row, const linalg_job *job);
void linalg_job_move(linalg_job *job);

static inline dap_darray linalg_array(const linalg_job *job, int i)
{
  return (dap_darray){job->operands[i].layout, (dap_array *)&job->operands[i].array};
}

/* linalg_hand.c: calls of ScaLAPACK on best operands, with all that a program has to do around them. */
void linalg_hand_solve(linalg_job *job);
void linalg_hand_cholesky(linalg_job *job);
void linalg_hand_least_squares(linalg_job *job);
void linalg_hand_inverse(linalg_job *job);
void linalg_hand_multiply(linalg_job *job);
void linalg_hand_qr(linalg_job *job);
void linalg_hand_syevd(linalg_job *job);
void linalg_hand_syevr(linalg_job *job);
void linalg_hand_syev(linalg_job *job);
void linalg_hand_values(linalg_job *job);
void linalg_hand_pair(linalg_job *job);
void linalg_hand_svd(linalg_job *job);

void linalg_hand_schur(linalg_job *job); /* linalg_schur.c */

/* linalg_factors.c: factors before a run, and solutions by them. */
void linalg_before_lu(linalg_job *job, bool by_hand);
void linalg_before_cholesky(linalg_job *job, bool by_hand);
void linalg_hand_getrs(linalg_job *job);
void linalg_hand_potrs(linalg_job *job);

/* Products of matrices that each process has alone, all at once: 10^9 operations a second, of all. */
double linalg_dgemm(void);

#endif
