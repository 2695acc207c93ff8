/* QR factors, least squares and singular values of matrices with many rows for each column and process. */
#ifndef DAP_TEST_LINALG_BY_ROWS_H
#define DAP_TEST_LINALG_BY_ROWS_H

#include "harness.h"

/* WIDE: the singular values of the transpose. */
typedef enum kind { QR, SQUARES, SVD, WIDE, KINDS } kind;
extern const char *const by_rows_names[KINDS];

/* Where results lie: beside A; Q in A's place. What is left out: the long vectors or Q. B and X have one
 * axis. */
enum { ALIKE = 1, IN_PLACE = 2, LESS = 4, VECTORS = 8, KEEP = 16 };

/* A (m, n) and what goes with it: Q, B or the long vectors, and R, X or the short vectors. */
typedef struct problem {
  kind kind;
  trial t; /* sizes of the tall matrix, on the grid of A */
  int how;
  int exponents[2];     /* of A, and of B */
  const source *beside; /* where Q, B and the long vectors lie; NULL: as `how` says */
  matrix a, other, small, s;
} problem;

enum { SIDES = 2 }; /* columns of B and X */

/* In the layout of a row of sources[], with `rows` for each process. Each has whole rows, or all of some
 * columns if `split`. */
problem problem_of(kind k, int number, int row, const element_type *type, int64_t rows, int64_t cols,
                   bool split);
void problem_make(problem *p, formula *entry);
void problem_end(problem *p);
dap_status problem_call(const problem *p, const dap_linalg_options *options, dap_error *err);

/* The whole of a matrix times 2^-by, and if `is_turned` the transpose where A is one. */
double complex *problem_whole(const problem *p, const matrix *m, int by, bool is_turned);

/* What the results must be of the whole matrix `a`. */
void problem_check(const problem *p, const double complex *a);

/* Makes, calls, checks and ends; `is_by_rows`: and what the report says of such a matrix. */
void problem_run(problem *p, formula *entry, bool is_by_rows);

#endif
