/* What the tests of ELPA share beside the harness of linear algebra. */
#ifndef DAP_ELPA_TEST_H
#define DAP_ELPA_TEST_H

#include "harness.h"

#include <dapbridge/elpa.h>

/* Whether ELPA solves problems of this type: single precision is left out of some builds. Then every function
 * refuses it alike, which this checks. Collective. */
bool has_type(const element_type *type);

/* 1: the matrix is shared, as far as its row of sources says, and no process row or column is empty; 0: it is
 * not; -1: it depends. */
int shares(const source *s, const matrix *m, const int grid[2]);

#endif
