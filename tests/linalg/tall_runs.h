/* What tests of QR factors and of least squares by the rows of tall matrices have in common. */
#ifndef DAP_TEST_LINALG_TALL_RUNS_H
#define DAP_TEST_LINALG_TALL_RUNS_H

#include "harness.h"

/* A matrix of so many rows for each process and 5 columns, of float64, laid out as a row of sources[]
 * says. */
trial tall_trial(int row, int64_t rows);

/* Whether operands are used where they are. */
typedef struct tall_sharing {
  const char *why;
  int source, how; /* how: the test's own bits */
  dap_sharing sharing;
  dap_status want;
  int shared[2]; /* of A, and of the other operand; -1: either way */
} tall_sharing;

/* Checks one row, with options that have its sharing and a report. */
typedef void tall_check(const trial *t, const tall_sharing *row, const dap_linalg_options *options);
/* Checks all rows. `alike`: bits of `how`, with any of which the other operand lies as A does. On one process
 * every operand does, so that it may be used where it is in any case. */
void tall_check_sharing(const tall_sharing rows[], size_t count, int alike, tall_check *check);

#endif
