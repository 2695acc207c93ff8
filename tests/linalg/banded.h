/* What the tests of linalg_banded.h share: band and tridiagonal systems of one matrix, solved, and checked
 * against that matrix. */
#ifndef DAP_TEST_LINALG_BANDED_H
#define DAP_TEST_LINALG_BANDED_H

#include "harness.h"

#include <dapbridge/linalg_banded.h>

typedef enum band_kind { BANDED, LOWER, UPPER, THREE, POSITIVE_THREE, BAND_KINDS } band_kind;

extern const char *const band_names[BAND_KINDS];

bool band_is_positive(band_kind kind);

/* ---- the matrix of the trial (harness_banded.c) ------------------------------------------------------ */

/* `entry` in the band, else 0. Formulas have no arguments of their own. */
typedef struct band_matrix {
  int64_t n, lower, upper;
  formula *entry;
} band_matrix;

extern band_matrix band;

/* Sets `band`, with the diagonals that the kind has. */
void band_choose(band_kind kind, int64_t n, int64_t lower, int64_t upper, formula *entry);

/* Hermitian, and positive definite with up to 7 diagonals on either side; what is above or below the diagonal
 * is the conjugate of the other, and the diagonal has imaginary parts that must not be read. */
double complex entry_strong(int64_t i, int64_t j);

/* No solution without pivots: zeros on the diagonal, and 1 more beside it. */
double complex entry_hollow(int64_t i, int64_t j);

/* ---- one system (harness_banded.c) --------------------------------------------------------------------- */

enum { BAND_OPERANDS = 4 }; /* at most */

typedef struct band_system {
  band_kind kind;
  matrix of[BAND_OPERANDS]; /* [count] A's, the last one is B */
  int count;
} band_system;

/* A's operands of `band` on the trial's source, or vector sources; B is there, too, or a vector with
 * nrhs < 0. */
band_system band_system_make(band_kind kind, const trial *t, int64_t nrhs);
dap_status band_system_solve(band_system *s, const dap_linalg_options *options, dap_error *err);
void band_system_free(band_system *s);

/* Makes a system of `band`, solves it, and checks all that the call has touched. */
void band_check(band_kind kind, const trial *t, int64_t nrhs);

/* ---- trials (harness_banded_trials.c) ------------------------------------------------------------------ */

enum { BAND_WIDTHS = 8 };
extern const int64_t band_widths[BAND_WIDTHS][2]; /* diagonals below and above */

/* A test: every source on every grid, with many widths and right-hand sides. */
void bands_everywhere(band_kind kind);

/* A trial of order n on one row of all processes. */
trial band_trial(int number, int64_t n);

#endif
