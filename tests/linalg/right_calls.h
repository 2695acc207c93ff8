/* Makes calls of linear algebra that are refused. A row of test_refused.c changes one thing in a right
 * call of the table RIGHT_CALLS. */
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

/* Calls that would be right. A row has character arguments, two letters for the shape of each operand, types
 * of the operands, elements of the first two operands (NULL: entry_any), and the call.
 * Sizes are k = 3 columns, n = 5, m = n + 3, and d = n - 1. '1' is an axis that a vector does not have.
 * Types: f is float64, s float32, z complex128, i int32; t: each type in turn, r: its real type, c: its
 * complex type. Further operands have the last type. right_calls.c has the names that calls use. */
#define RIGHT_CALLS(ROW)                                                                                     \
  ROW(SOLVE, "N", "nn nk", "t", OF(NULL), dap_linalg_solve(ON, *l, a, b, o, err))                            \
  ROW(CHOLESKY, "L", "nn nk", "t", OF(entry_definite), dap_linalg_cholesky_solve(ON, *l, a, b, o, err))      \
  ROW(REFINED, "N1", "nn nk nk", "t", OF(NULL),                                                              \
      dap_linalg_solve_refined(ON, *l, a, b, c, forward, NULL, &refinement, o, err))                         \
  ROW(INVERSE, "", "nn", "t", OF(NULL), dap_linalg_inverse(ON, a, o, err))                                   \
  ROW(DETERMINANT, "11", "nn", "t", OF(NULL), dap_linalg_determinant(ON, a, sign, log, o, err))              \
  ROW(CONDITION, "11", "nn", "t", OF(NULL), dap_linalg_condition(ON, *l, a, value, o, err))                  \
  ROW(LU, "1", "nn", "t", OF(NULL), dap_linalg_lu(ON, a, o, at, err))                                        \
  ROW(KEPT_CHOLESKY, "L", "nn", "t", OF(entry_definite), dap_linalg_cholesky(ON, *l, a, o, at, err))         \
  ROW(FACTORS_SOLVE, "N", "nn nk", "t", OF(NULL), dap_linalg_factors_solve(factors, *l, b, o, err))          \
  ROW(FACTORS_INVERSE, "", "nn nn", "t", OF(NULL), dap_linalg_factors_inverse(factors, b, o, err))           \
  ROW(FACTORS_DETERMINANT, "11", "nn", "t", OF(NULL),                                                        \
      dap_linalg_factors_determinant(factors, sign, log, err))                                               \
  ROW(FACTORS_CONDITION, "11", "nn", "t", OF(NULL), dap_linalg_factors_condition(factors, *l, value, err))   \
  ROW(NORM, "11", "nn", "t", OF(NULL), dap_linalg_norm(ON, *l, a, value, o, err))                            \
  ROW(MULTIPLY, "NN1", "nn nd nd", "t", OF(NULL),                                                            \
      dap_linalg_multiply(ON, l[0], l[1], alpha, a, b, NULL, c, o, err))                                     \
  ROW(RANK_K, "HLN1", "nk nn", "t", OF(NULL),                                                                \
      dap_linalg_rank_k(ON, l[0], l[1], l[2], alpha, a, NULL, b, o, err))                                    \
  ROW(TRIANGULAR, "LLNN1", "nn nk", "t", OF(NULL),                                                           \
      dap_linalg_triangular_multiply(ON, l[0], l[1], l[2], l[3], alpha, a, b, o, err))                       \
  ROW(TRIANGULAR_SOLVE, "LLNN1", "nn nk", "t", OF(entry_dominant),                                           \
      dap_linalg_triangular_solve(ON, l[0], l[1], l[2], l[3], alpha, a, b, o, err))                          \
  ROW(SQUARES, "", "mn mk nk", "t", OF(NULL), dap_linalg_least_squares(ON, a, b, c, o, err))                 \
  ROW(SQUARES_RANK, "1", "mn mk nk", "t", OF(NULL),                                                          \
      dap_linalg_least_squares_rank(ON, tolerance, a, b, c, &rank, o, err))                                  \
  ROW(QR, "", "mn mn nn", "t", OF(NULL), dap_linalg_qr(ON, a, b, c, o, err))                                 \
  ROW(PIVOTED, "1", "mn mn nn n1", "ttti", OF(NULL),                                                         \
      dap_linalg_qr_pivoted(ON, tolerance, a, b, c, d, &rank, o, err))                                       \
  ROW(EIGH, "L", "nn n1 nn", "trt", OF(entry_hermitian), dap_linalg_eigh(ON, *l, a, b, c, o, err))           \
  ROW(EIGH_VALUES, "L", "nn n1", "tr", OF(entry_hermitian), dap_linalg_eigh(ON, *l, a, b, c, o, err))        \
  ROW(GENERALIZED, "L", "nn nn n1 nn", "ttrt", OF(entry_hermitian, entry_definite),                          \
      dap_linalg_eigh_generalized(ON, *l, a, b, c, d, o, err))                                               \
  ROW(SVD, "", "mn mn n1 nn", "ttrt", OF(NULL), dap_linalg_svd(ON, a, b, c, d, o, err))                      \
  ROW(SCHUR, "", "nn nn n1", "ttc", OF(NULL), dap_linalg_schur(ON, a, b, none, c, o, err))                   \
  ROW(EIG, "", "nn n1", "tc", OF(NULL), dap_linalg_eig(ON, a, b, none, o, err))                              \
  ROW(BANDED, "", "kn nk", "t", OF(NULL), dap_linalg_banded_solve(ON, lower, upper, a, b, o, err))           \
  ROW(POSITIVE_BANDED, "L", "kn nk", "t", OF(heavy_row),                                                     \
      dap_linalg_positive_banded_solve(ON, *l, a, b, o, err))                                                \
  ROW(TRIDIAGONAL, "", "d1 n1 d1 nk", "t", OF(NULL), dap_linalg_tridiagonal_solve(ON, a, b, c, d, o, err))   \
  ROW(POSITIVE_TRIDIAGONAL, "", "n1 d1 nk", "t", OF(heavy),                                                  \
      dap_linalg_positive_tridiagonal_solve(ON, a, b, c, o, err))

#define RIGHT_NAME(name, ...) name,
typedef enum refused_function { RIGHT_CALLS(RIGHT_NAME) FUNCTIONS } refused_function;

typedef struct right_call {
  const char *name, *letters, *shapes, *types;
  formula *entries[REFUSAL_OPERANDS];
} right_call;
extern const right_call right_calls[];

typedef struct refusal {
  refused_function function;
  const char *why;
  const char *parts;   /* of the error's text */
  const char *letters; /* NULL: as they should be. '0': an argument that is NULL; 'n': NaN; 'i': a factor with
                          an imaginary part */
  int operand;         /* counted from 1: the operand with these rows and columns. {0, 0}: it is left out */
  int64_t size[2];
  const char *types;
  dap_status status; /* DAP_OK: DAP_ERR_ARG */
  formula *entries[REFUSAL_OPERANDS];
  int64_t n;            /* 0: 5 */
  int64_t info;         /* in the report; -1: any */
  int worked;           /* this number of operands, from the first on, may hold results */
  int readonly, longer; /* operands from 1 on: read-only; of more columns than the layout says */
  int same, with;       /* operand `same` is given as `with` */
  int source;           /* of the matrices; 0: one that is shared */
  int least;            /* only on this number of processes or more */
  int64_t lower, upper; /* diagonals; 0 and 0: one of each */
  dap_linalg_options options;
  bool is_last; /* only the last process has these options; with diagonals: 1 more and 1 less */
  bool is_fine; /* it is not an error */
} refusal;

/* Operand k of a call with types number `number`. */
const element_type *right_call_type(const refusal *r, int k, int number);
matrix right_call_operand(const refusal *r, int k, const int64_t size[2], const source *on, int number);

/* Makes the call. Checks that a refused call does not write numbers that are returned by pointer. */
dap_status right_call_run(const refusal *r, const dap_darray of[], const dap_linalg_options *o,
                          dap_error *err);

#endif
