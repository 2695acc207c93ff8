/* Makes refused calls of linear algebra. A right call (right_calls.c) gets one change from its row in
 * test_refused.c. */
#ifndef DAP_TEST_LINALG_RIGHT_CALLS_H
#define DAP_TEST_LINALG_RIGHT_CALLS_H

#include "harness.h"

#include <dapbridge/eigh_backend.h>
#include <dapbridge/linalg_banded.h>
#include <dapbridge/linalg_factors.h>
#include <dapbridge/linalg_rank.h>
#include <dapbridge/linalg_schur.h>
#include <dapbridge/linalg_triangular.h>

enum { REFUSAL_OPERANDS = 4 };

typedef enum refused_function {
  SOLVE,
  CHOLESKY,
  REFINED,
  INVERSE,
  DETERMINANT,
  CONDITION,
  LU,
  KEPT_CHOLESKY,
  FACTORS_SOLVE,
  FACTORS_INVERSE,
  FACTORS_NUMBERS,
  NORM,
  MULTIPLY,
  RANK_K,
  TRIANGULAR,
  TRIANGULAR_SOLVE,
  SQUARES,
  SQUARES_RANK,
  QR,
  PIVOTED,
  EIGH,
  EIGH_VALUES,
  GENERALIZED,
  SVD,
  SCHUR,
  EIG,
  BANDED,
  POSITIVE_BANDED,
  TRIDIAGONAL,
  POSITIVE_TRIDIAGONAL,
  FUNCTIONS
} refused_function;

/* A call that would be right. Sizes are k = 3 columns, n = 5, m = n + 3, and d = n - 1; '1' is an axis that
 * a vector does not have. Types: f, s, z, i; t: all in turn, r: its real type, c: its complex one. */
typedef struct right_call {
  const char *name;
  const char *letters; /* character arguments */
  const char *shapes;  /* two letters for each operand */
  const char *types;   /* of the operands, the last of which goes on */
  formula *entries[2]; /* of the first two operands; NULL: entry_any */
} right_call;
extern const right_call right_calls[FUNCTIONS];

typedef struct refusal {
  refused_function function;
  const char *why;
  const char *parts;   /* of the error's text */
  const char *letters; /* NULL: as they should be. '0': an argument that is NULL; 'n': NaN; 'i': a factor with
                          an imaginary part */
  int operand;         /* from 1 on: the one that has these rows and columns. {0, 0}: it is left out */
  int64_t size[2];
  const char *types;
  dap_status status;    /* DAP_OK: DAP_ERR_ARG */
  formula *entries[2];  /* of the first two operands */
  int64_t n;            /* 0: 5 */
  int64_t info;         /* in the report; -1: any */
  int worked;           /* so many operands, from the first on, may hold what was computed */
  int readonly, longer; /* operands from 1 on: read-only; of more columns than the layout says */
  int same, with;       /* operand `same` is given as `with` */
  int source;           /* of the matrices; 0: one that is shared */
  int least;            /* only on so many processes or more */
  int64_t lower, upper; /* diagonals; 0 and 0: one of each */
  dap_linalg_options options;
  bool is_last; /* only the last process has these options; with diagonals: 1 more and 1 less */
  bool is_fine; /* it is no error */
} refusal;

/* Whether this call's elements are floats, which formulas of numbers near the ends of the range ask. */
extern bool refused_is_single;

/* Calls with types number `number` on a source; with each row, and in several layouts what is refused for its
 * elements, as each has its own places. */
void refused_check(const refusal *r, const source *on, int number);
void refused_check_all(const refusal rows[]);

#endif
