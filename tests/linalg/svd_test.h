/* What the tests of dap_linalg_svd() share. */
#ifndef DAP_TEST_SVD_TEST_H
#define DAP_TEST_SVD_TEST_H

#include "harness.h"

/* What is asked for: vectors; beside A, or elsewhere; options. */
enum { SVD_LEFT = 1, SVD_RIGHT = 2, SVD_ALIKE = 4, SVD_KEEP = 8, SVD_GESVD = 16, SVD_GESDD = 32 };

/* Decomposes a matrix of the trial's and checks everything; `name` is a row of the log. Collective. */
void svd_check(const trial *t, int how, formula *entry, const char *name);

/* Whether LAPACK decomposes it on process 0: it is smaller than the grid, or has one row or column of two. */
bool svd_is_tiny(const trial *t);

/* Whether its rows, or those of its transpose, are factored first: there are four for each column and
 * process. */
bool svd_is_tall(const trial *t);

#endif
