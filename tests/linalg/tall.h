/* Formulas of tall matrices that are hard to factor. */
#ifndef DAP_TEST_LINALG_TALL_H
#define DAP_TEST_LINALG_TALL_H

#include "harness.h"

double complex entry_tall_graded(int64_t i, int64_t j);    /* columns from 1 to 2^-60, rows from 1 to 2^-20 */
double complex entry_tall_graded_up(int64_t i, int64_t j); /* small rows first */
double complex entry_tall_equal(int64_t i, int64_t j);     /* all columns are the same: rank 1 */
double complex entry_tall_dependent(int64_t i, int64_t j); /* rank 3, after rounding */
double complex entry_tall_corner(int64_t i, int64_t j);
double complex entry_tall_small(int64_t i, int64_t j); /* squares underflow in single precision */
double complex entry_tall_large(int64_t i, int64_t j);

#endif
