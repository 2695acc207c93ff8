/* Compares functions of linalg.h with calls of ScaLAPACK that a program makes itself: the benchmarks' files
 * share these declarations.
 *
 * `best` operands have ScaLAPACK's preferred form: F order, square blocks, on a grid of processes. The
 * hand-written calls compute there, and so does the library, which shares them. `moved` operands are slabs
 * of rows in C order. The library always moves bands and diagonals. They are in one block of columns a
 * process, or in many. */
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

/* Form of best operands: the grid, and the size of blocks. */
typedef struct linalg_shape {
  int grid[2];
  int block;
} linalg_shape;

/* Kind of an operand of a problem of order n, with its first values. `some` is n / 3. */
typedef enum linalg_kind {
  LINALG_NONE,
  LINALG_GENERAL,         /* n x n, elements of -1/2 .. 1/2, like all that follow */
  LINALG_SYMMETRIC,       /* n x n */
  LINALG_DEFINITE,        /* n x n, symmetric, with n added to the diagonal */
  LINALG_SIDES,           /* n x LINALG_RIGHT_SIDES */
  LINALG_SIDE,            /* n x 1 */
  LINALG_BAND,            /* LINALG_DIAGONALS below the main one, and as many above, stored as in LAPACK */
  LINALG_LOWER_BAND,      /* its lower triangle; the main diagonal of both is dominant */
  LINALG_DIAGONAL,        /* n, dominant */
  LINALG_BESIDE,          /* n - 1, diagonals beside the main one */
  LINALG_BAND_SIDE,       /* n x 1, in blocks like the band's columns */
  LINALG_RESULT,          /* n x n, zeros, like all that follow */
  LINALG_RESULT_SIDES,    /* n x LINALG_RIGHT_SIDES */
  LINALG_RESULT_BY_HAND,  /* n x n, used by the hand-written calls only */
  LINALG_SOME_VECTORS,    /* n x some */
  LINALG_VALUES,          /* n, real, whole on every process */
  LINALG_SOME_VALUES,     /* some */
  LINALG_COMPLEX_VALUES,  /* n, complex */
  LINALG_COMPLEX_VECTORS, /* n x n, complex */
  LINALG_KINDS
} linalg_kind;

typedef struct linalg_operand {
  bool live, is_matrix; /* is_matrix: ScaLAPACK has views of it; false for a band */
  dap_access access;    /* of the library */
  dap_layout *layout;
  dap_array array, before; /* before: first values of the elements in each run */
  dap_scalapack_int desc[9];
} linalg_operand;

/* One problem with one kind of layout. */
typedef struct linalg_job {
  int64_t n;
  bool moved; /* operands are moved: the library may not share them, even if it could */
  int rank, nprocs, grid[2], block;
  dap_scalapack_int context;
  linalg_operand operands[LINALG_OPERANDS];
  double value;                                /* a result that is a number */
  dap_linalg_factors *factors;                 /* factors of operand 0 that the library made before a run */
  dap_scalapack_int *pivots;                   /* for factors by hand, which replace operand 0 */
  double *spaces[LINALG_OPERANDS];             /* copies of operands for hand-written calls */
  dap_scalapack_matrix views[LINALG_OPERANDS]; /* for runs that only move */
} linalg_job;

/* Kinds of runs: calls by hand; the library on the same matrices, and on slabs; only the moves of slabs. */
typedef enum linalg_method {
  LINALG_HAND,
  LINALG_SHARED,
  LINALG_MOVED,
  LINALG_MOVES,
  LINALG_METHODS
} linalg_method;

/* Comparison of results. By rows: the sum of (1 + i) |x(i, j)|, or |x(i)|, which changes under orthogonal
 * transformations and permutations of rows. The norm, of columns' squares, for results whose rows may be
 * in another order. A Schur form is not unique: norm and trace are compared, and the number is NaN if
 * elements below the subdiagonal are not zero. */
typedef enum linalg_compare { LINALG_BY_ROWS, LINALG_NORM, LINALG_SCHUR } linalg_compare;

/* Values that replace the number of an operand. */
enum { LINALG_VALUE = -1, LINALG_NOTHING = -2 };

/* A row of the table: a function, and hand-written calls to compare it with. */
typedef struct linalg_row {
  const char *name, *by; /* the function, the hand-written calls */
  linalg_kind operands[LINALG_OPERANDS];
  int results[2]; /* the operand that is compared, or LINALG_VALUE: by hand, and by the library */
  linalg_compare compare;
  /* Coefficients of n^3, n^2 and n in the number of operations of the type; each addition and each
   * multiplication counts as one. Sources: LAPACK Working Note 41, appendix C, whose routines are added
   * up; for divide and conquer, at most 4/3 n^3: J. W. Demmel, Applied Numerical Linear Algebra, 5.3.3.
   * The steps of QR iterations vary, so their counts are nominal: 9 n^3 for pdsyev, 25 and 10 for Schur
   * forms (G. H. Golub and C. F. Van Loan, Matrix Computations, 8.3 and 7.5), 26 1/3 for dgeev (Working
   * Note 41), 20 for svd. */
  double cubes, squares, lines;
  /* How the library takes views of matrices: the first one for this routine, and the others aligned with
   * it. NULL: for no routine, in square blocks. ops: op of each operand, ' ' for as it is; NULL: ' ' for
   * all. */
  const char *routine, *ops;
  void (*hand)(linalg_job *job);
  dap_status (*library)(linalg_job *job, const dap_linalg_options *options, dap_error *err);
  void (*before)(linalg_job *job, bool by_hand); /* prepares a run; NULL: not needed */
  bool complex;                                  /* whether elements are complex */
  bool always_moved;                             /* whether the library always moves */
  bool gathered;  /* the library gathers on process 0, so there is no run that only moves */
  bool no_target; /* the library does more than the calls by hand */
  bool shapes;    /* `bench shapes` measures it by default */
  bool partly;    /* the hand-written calls do a part of the function's work: only `bench shapes` uses it */
  int least_block, most_block; /* limits of blocks with which calls by hand are right; 0: no limit */
  int stretch;                 /* the order of bands is this times n; 0: not a band */
} linalg_row;

/* The table, by topics. Each topic ends with a row without a name. */
extern const linalg_row linalg_systems[], linalg_products[], linalg_orthogonal[], linalg_eigen[],
    linalg_general[], linalg_kept[], linalg_bands[];

/* linalg_rows.c. linalg_row_at() returns row number `i` of all, or NULL at the end. linalg_are_rows()
 * returns whether every word of a list with commas (NULL: no list) names a wanted row. linalg_has_moves()
 * returns whether the library moves matrices by views, so that there can be a run that only moves. */
const linalg_row *linalg_row_at(int i);
bool linalg_are_rows(const char *list, bool (*is_wanted)(const linalg_row *row));
bool linalg_has_moves(const linalg_row *row);

/* linalg_job.c. All are collective. linalg_order() returns the row's order for n. linalg_job_make() makes
 * operands in the best form, or moved ones for NULL. linalg_job_restore() sets all elements to their
 * values before a run. linalg_job_hand() makes the calls by hand, with memory that only they need. */
int64_t linalg_order(const linalg_row *row, int64_t n);
linalg_job linalg_job_make(const linalg_row *row, int64_t n, const linalg_shape *best);
void linalg_job_free(linalg_job *job);
void linalg_job_restore(linalg_job *job);
void linalg_job_hand(const linalg_row *row, linalg_job *job);

/* linalg_move.c: moves the matrices of a call. All are collective. linalg_move_before() takes a view of
 * kept factors, which the call does not move. linalg_move() takes a view of each matrix that the call
 * moves, as the call does, and ends them. linalg_move_after() ends the view of linalg_move_before(). */
void linalg_move_before(const linalg_row *row, linalg_job *job);
void linalg_move(const linalg_row *row, linalg_job *job);
void linalg_move_after(linalg_job *job);

/* linalg_result.c: returns the number by which the row's result is compared, or its value. Collective. */
double linalg_result(const linalg_row *row, const linalg_job *job, bool by_hand);

/* Observations of a run. */
typedef struct linalg_seen {
  dap_linalg_report report; /* of the library */
  int64_t bytes;            /* most bytes that a process took beyond its earlier ones; -1: unknown */
  double result;            /* not for moves */
} linalg_seen;

/* linalg_run.c: restores the elements, prepares the row, and returns the time of a run. seen: NULL to
 * measure only the time. Collective. */
double linalg_run(const linalg_row *row, linalg_method method, linalg_job *job, linalg_seen *seen);

/* linalg_fill.c. linalg_fill() sets the first values of an operand. linalg_indices() returns the indices
 * along an axis that process `rank` has, because layouts are products of axes; the caller frees them. A
 * missing axis has one index, 0. linalg_noise() returns a number of -1/2 .. 1/2 for each pair of indices
 * in any order. */
void linalg_fill(linalg_kind kind, int64_t n, const linalg_operand *operand, int rank);
int64_t *linalg_indices(const linalg_operand *operand, int rank, int axis);
double linalg_noise(int64_t i, int64_t j);

/* linalg_shapes.c. All are collective. linalg_shapes_list() lists grids of the processes, each with all
 * block sizes, as far as the list has room, and returns their number. linalg_shape_is_right() returns
 * whether the hand-written calls are right with this shape, and every process gets some blocks.
 * linalg_shape_time() returns the least time of up to `turns` runs by hand, fewer if these, with their
 * preparation, take long. linalg_shape_choose() returns the fastest shape that is right, or a band's own. */
int linalg_shapes_list(int nprocs, const int64_t blocks[], int count, linalg_shape shapes[LINALG_SHAPES]);
bool linalg_shape_is_right(const linalg_row *row, int64_t n, const linalg_shape *shape);
double linalg_shape_time(const linalg_row *row, int64_t n, const linalg_shape *shape, int turns);
linalg_shape linalg_shape_choose(const linalg_row *row, int64_t n, const linalg_shape shapes[], int count);

static inline dap_darray linalg_array(const linalg_job *job, int i)
{
  return (dap_darray){job->operands[i].layout, (dap_array *)&job->operands[i].array};
}

/* linalg_products.c: returns the speed of all processes together, in 10^9 operations a second, while each
 * multiplies its own matrices. */
double linalg_dgemm(void);

#endif
