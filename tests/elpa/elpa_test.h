/* What the tests of problems share: the harness of linear algebra, with ELPA's reports. */
#ifndef DAP_ELPA_TEST_H
#define DAP_ELPA_TEST_H

#include "harness.h"

#include <dapbridge/elpa.h>

/* As the harness takes it: both have the same kind of uses. */
dap_linalg_report report_of(const dap_elpa_report *report);

/* Whether ELPA solves problems of this type: single precision is left out of some builds. Then every function
 * refuses it alike, which this checks. Collective. */
bool has_type(const element_type *type);

/* 1: the matrix is shared, as far as its row of sources says, and no process row or column is empty; 0: it is
 * not; -1: it depends. */
int shares(const trial *t, const matrix *m);

/* Largest absolute value. */
double largest(int64_t n, const double complex *values);

/* || A Z - B Z diag(w) || / (scale n eps) of k vectors; b NULL: the identity. */
double residual_pairs(int64_t n, int64_t k, const double complex *a, const double complex *b,
                      const double complex *w, const double complex *z, double scale, double eps);

#endif
