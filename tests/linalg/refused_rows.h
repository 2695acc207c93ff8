/* Calls of linear algebra that are refused (refused_rows.c), as test_refused.c makes them. */
#ifndef DAP_TEST_LINALG_REFUSED_ROWS_H
#define DAP_TEST_LINALG_REFUSED_ROWS_H

#include "harness.h"

#include <dapbridge/eigh_backend.h>
#include <dapbridge/linalg_banded.h>
#include <dapbridge/linalg_factors.h>
#include <dapbridge/linalg_rank.h>
#include <dapbridge/linalg_schur.h>
#include <dapbridge/linalg_triangular.h>

enum { REFUSAL_OPERANDS = 4 };

typedef struct refusal refusal;

/* Calls a function with its operands in the order of its parameters. */
typedef dap_status refused_call(const refusal *r, const dap_darray of[], const dap_linalg_options *options,
                                dap_error *err);

struct refusal {
  const char *function; /* NULL: behind the last row */
  refused_call *call;
  const char *why;
  const char *letters;                /* its character arguments; what others mean is in test_refused.c */
  int64_t sizes[REFUSAL_OPERANDS][2]; /* columns -1: a vector; {0, 0}: the operand is left out */
  const char *types;                  /* of the operands: f, s, z, i; those not named are f */
  const char *parts;                  /* of the error's text */
  dap_status status;                  /* DAP_OK: DAP_ERR_ARG */
  formula *entries[2];                /* of the first two operands; NULL: entry_any */
  int64_t info;                       /* in the report */
  int worked;                         /* so many operands, from the first on, may hold what was computed */
  int readonly, same, with;           /* operands from 1 on: read-only; `same` is given as `with` */
  int source;                         /* of the matrices; 0: one that is shared */
  int least;                          /* only on so many processes or more */
  int64_t lower, upper;               /* diagonals */
  dap_linalg_options options;
  bool is_last; /* only the last process has these options; with diagonals: 1 more and 1 less */
};

extern const refusal *const refusals[]; /* tables; NULL: behind the last one */

refused_call call_solve, call_cholesky, call_refined, call_inverse, call_determinant, call_condition,
    call_norm, call_multiply, call_rank_k, call_triangular, call_triangular_solve, call_squares,
    call_squares_rank, call_qr, call_pivoted, call_eigh, call_generalized, call_svd, call_schur, call_eig,
    call_banded, call_positive_banded, call_tridiagonal, call_positive_tridiagonal;

#endif
