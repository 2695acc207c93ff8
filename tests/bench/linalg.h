/* Functions of linalg.h beside calls of ScaLAPACK that a program makes itself: what the benchmarks' files
 * share.
 *
 * `best` operands lie as ScaLAPACK likes them: F order, square blocks, on a grid of processes. Both the
 * hand-written calls and the library, which shares them, compute there. `moved` ones are slabs of rows in C
 * order. Bands and diagonals, which the library always moves, lie in one block of columns a process, or in
 * many. */
#ifndef DAP_BENCH_LINALG_H
#define DAP_BENCH_LINALG_H

#include <dapbridge/linalg.h>
#include <dapbridge/linalg_banded.h>
#include <dapbridge/linalg_factors.h>
#include <dapbridge/linalg_rank.h>
#include <dapbridge/linalg_schur.h>
#include <dapbridge/linalg_triangular.h>
#include <dapbridge/scalapack.h>
#include <dapbridge/scalapack_calls.h>
#include <stdbool.h>

enum { LINALG_OPERANDS = 4, LINALG_RIGHT_SIDES = 64, LINALG_DIAGONALS = 8, LINALG_SHAPES = 128 };

/* How best operands lie: on which grid, in which blocks. */
typedef struct linalg_shape {
  int grid[2];
  int block;
} linalg_shape;

/* What an operand of a problem of order n is, and begins as. `some` is n / 3. */
typedef enum linalg_kind {
  LINALG_NONE,
  LINALG_GENERAL,         /* n x n, elements of -1/2 .. 1/2; so are all that follow */
  LINALG_SYMMETRIC,       /* n x n */
  LINALG_DEFINITE,        /* n x n, symmetric, n more on the diagonal */
  LINALG_SIDES,           /* n x LINALG_RIGHT_SIDES */
  LINALG_SIDE,            /* n x 1 */
  LINALG_BAND,            /* LINALG_DIAGONALS below the main one, as many above; as LAPACK stores it */
  LINALG_LOWER_BAND,      /* its lower triangle; of both the main one is dominant */
  LINALG_DIAGONAL,        /* n, dominant */
  LINALG_BESIDE,          /* n - 1, of the diagonals beside it */
  LINALG_BAND_SIDE,       /* n x 1, in blocks as the band's columns */
  LINALG_RESULT,          /* n x n, zeros; so are all that follow */
  LINALG_RESULT_SIDES,    /* n x LINALG_RIGHT_SIDES */
  LINALG_RESULT_BY_HAND,  /* n x n, that the hand-written calls need and the library does not */
  LINALG_SOME_VECTORS,    /* n x some */
  LINALG_VALUES,          /* n, real, whole on every process */
  LINALG_SOME_VALUES,     /* some */
  LINALG_COMPLEX_VALUES,  /* n, complex */
  LINALG_COMPLEX_VECTORS, /* n x n, complex */
  LINALG_KINDS
} linalg_kind;

typedef struct linalg_operand {
  bool live, is_matrix; /* is_matrix: of ScaLAPACK's, which a band is not */
  dap_access access;    /* the library's */
  dap_layout *layout;
  dap_array array, before; /* before: the elements that a run begins with */
  dap_scalapack_int desc[9];
} linalg_operand;

/* One problem on one kind of layout. */
typedef struct linalg_job {
  int64_t n;
  bool moved; /* operands are: the library must not share them, though it might */
  int rank, nprocs, grid[2], block;
  dap_scalapack_int context;
  linalg_operand operands[LINALG_OPERANDS];
  double value;                                /* a result that is a number */
  dap_linalg_factors *factors;                 /* of operand 0, made before a run: the library's */
  dap_scalapack_int *pivots;                   /* those by hand are in its place, and here */
  double *spaces[LINALG_OPERANDS];             /* copies of operands as hand-written calls want them */
  dap_scalapack_matrix views[LINALG_OPERANDS]; /* of a run that is the move alone */
} linalg_job;

/* A run: calls by hand; the library on the same matrices, and on slabs; the moves of slabs alone. */
typedef enum linalg_method {
  LINALG_HAND,
  LINALG_SHARED,
  LINALG_MOVED,
  LINALG_MOVES,
  LINALG_METHODS
} linalg_method;

/* What is compared of a result. By rows: the sum of (1 + i) |x(i, j)|, or |x(i)|, which neither an orthogonal
 * transformation keeps nor another order of rows. The norm, of columns' squares, for one whose rows may be in
 * another order. Of a Schur form, which is not unique: norm and trace, and NaN if there is anything but zeros
 * below the diagonal beside the main one. */
typedef enum linalg_compare { LINALG_BY_ROWS, LINALG_NORM, LINALG_SCHUR } linalg_compare;

/* Instead of the number of an operand. */
enum { LINALG_VALUE = -1, LINALG_NOTHING = -2 };

/* A row of the table: a function, and what it is compared with. */
typedef struct linalg_row {
  const char *name, *by; /* the function, the hand-written calls */
  linalg_kind operands[LINALG_OPERANDS];
  int results[2]; /* the operand that is compared, or LINALG_VALUE: by hand, and the library's */
  linalg_compare compare;
  /* Operations: so many times n^3, n^2 and n, of the type, each addition and each multiplication being one.
   * Sources: LAPACK Working Note 41, appendix C, whose routines are added up; divide and conquer, 4/3 n^3 at
   * most: J. W. Demmel, Applied Numerical Linear Algebra, 5.3.3. QR iterations differ in their steps, so that
   * theirs are nominal: 9 n^3 of pdsyev, 25 and 10 of Schur forms (G. H. Golub and C. F. Van Loan, Matrix
   * Computations, 8.3 and 7.5), 26 1/3 of dgeev (Working Note 41), 20 of svd. */
  double cubes, squares, lines;
  /* How the library takes views of matrices: for this routine, the first one; the others beside it. NULL: for
   * none, in square blocks. ops: of each operand, ' ' as it comes; NULL: all. */
  const char *routine, *ops;
  void (*hand)(linalg_job *job);
  dap_status (*library)(linalg_job *job, const dap_linalg_options *options, dap_error *err);
  void (*before)(linalg_job *job, bool by_hand); /* what is done before a run; NULL: nothing */
  bool complex;                                  /* elements */
  bool always_moved;                             /* by the library */
  bool gathered;  /* by the library, on process 0: there is no move of views alone */
  bool no_target; /* the library does more than what is done by hand */
  bool shapes;    /* bench_shapes measures it unless it is told what to measure */
  bool partly;    /* the hand-written calls are a part of what the function does: bench_shapes only */
  int least_block, most_block; /* by hand it is right with blocks of so many; 0: any */
  int stretch;                 /* of bands: the order is so many times n; 0: of no band */
} linalg_row;

/* The table, by topics; each ends with a row without a name. */
extern const linalg_row linalg_systems[], linalg_products[], linalg_orthogonal[], linalg_eigen[],
    linalg_general[], linalg_kept[], linalg_bands[];

/* linalg_rows.c.
 * at: row number `i` of all; NULL: there are no more.
 * are_rows: every word of a list with commas (NULL: there is none) names a row that is wanted.
 * has_moves: the library moves its matrices by views, so that there is a move alone. */
const linalg_row *linalg_row_at(int i);
bool linalg_are_rows(const char *list, bool (*is_wanted)(const linalg_row *row));
bool linalg_has_moves(const linalg_row *row);

/* linalg_job.c. Collective.
 * order: the row's for n. make: operands of the row that lie as best ones do; NULL: as moved ones.
 * restore: all elements as they are before a run.
 * hand: the calls by hand, with room that only they need. */
int64_t linalg_order(const linalg_row *row, int64_t n);
linalg_job linalg_job_make(const linalg_row *row, int64_t n, const linalg_shape *best);
void linalg_job_free(linalg_job *job);
void linalg_job_restore(linalg_job *job);
void linalg_job_hand(const linalg_row *row, linalg_job *job);

/* linalg_move.c: what a call has to move. Collective.
 * before: of kept factors, which the call does not move, a view. move: takes a view of each matrix that the
 * call moves, as the call does, and ends them. after: ends the first one. */
void linalg_move_before(const linalg_row *row, linalg_job *job);
void linalg_move(const linalg_row *row, linalg_job *job);
void linalg_move_after(linalg_job *job);

/* linalg_result.c: what is compared of the row's result, or its value. Collective. */
double linalg_result(const linalg_row *row, const linalg_job *job, bool by_hand);

/* What is seen of a run. */
typedef struct linalg_seen {
  dap_linalg_report report; /* the library's */
  int64_t bytes;            /* the most that a process took beyond what there was before; -1: not known */
  double result;            /* not of moves */
} linalg_seen;

/* linalg_run.c: restores the elements, does what the row does before, and then runs; the time of that. seen:
 * NULL: nothing but the time. Collective. */
double linalg_run(const linalg_row *row, linalg_method method, linalg_job *job, linalg_seen *seen);

/* linalg_fill.c: the elements that an operand begins with. indices: those along an axis that process `rank`
 * has, as the layouts are products of axes; the caller frees them; of an axis that there is not: one, 0.
 * noise: a number of -1/2 .. 1/2 for each pair of indices, the same whichever comes first. */
void linalg_fill(linalg_kind kind, int64_t n, const linalg_operand *operand, int rank);
int64_t *linalg_indices(const linalg_operand *operand, int rank, int axis);
double linalg_noise(int64_t i, int64_t j);

/* linalg_shapes.c. Collective.
 * list: all grids of the processes, with each of the block sizes; as many whole grids as there is room for.
 * Returns how many shapes.
 * is_right: the row's hand-written calls are right with such a shape, and every process gets some blocks.
 * time: of a run by hand; the shortest of some if they are short, with what is done before them.
 * choose: the fastest one that is right; a band's own. */
int linalg_shapes_list(int nprocs, const int64_t blocks[], int count, linalg_shape shapes[LINALG_SHAPES]);
bool linalg_shape_is_right(const linalg_row *row, int64_t n, const linalg_shape *shape);
double linalg_shape_time(const linalg_row *row, int64_t n, const linalg_shape *shape, int turns);
linalg_shape linalg_shape_choose(const linalg_row *row, int64_t n, const linalg_shape shapes[], int count);

static inline dap_darray linalg_array(const linalg_job *job, int i)
{
  return (dap_darray){job->operands[i].layout, (dap_array *)&job->operands[i].array};
}

/* linalg_products.c: products of matrices that each process has alone, all at once: 10^9 operations a second,
 * of all. */
double linalg_dgemm(void);

#endif
