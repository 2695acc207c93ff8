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

#endif
