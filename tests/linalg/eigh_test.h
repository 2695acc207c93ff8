/* What finds the eigenvalues in the tests of dap_linalg_eigh(): a program is linked with ScaLAPACK's own
 * algorithms (eigh_own.c), or with a backend (tests/elpa/eigh_elpa.c), and is otherwise the same. */
#ifndef DAP_TEST_EIGH_TEST_H
#define DAP_TEST_EIGH_TEST_H

#include "harness.h"

#include <dapbridge/eigh_backend.h>

/* For options.eigh, with DAP_EIGH_AUTO; `number` chooses among several. NULL: there is none. */
const dap_eigh_backend *eigh_backend(int number);

/* Whether there is a backend, and it takes elements of this type. Collective. */
bool eigh_is_backends(const element_type *type);

/* Whether A is shared, as far as is known from the rows of tables: 1, 0, or -1: it depends. Collective. */
int eigh_shares(const trial *t, const matrix *a);

/* What the report must say of a call with DAP_EIGH_AUTO. */
static inline void eigh_expect_solver(const trial *t, const dap_linalg_report *report)
{
  const bool is_backends = eigh_is_backends(t->type);
  EXPECT_INT(report->solver, is_backends ? DAP_EIGH_BACKEND : DAP_EIGH_EVD);
  if (t->size[0] > 0)
    EXPECT_MSG((strncmp(report->method, "divide", 6) != 0) == is_backends, "%s", report->method);
}

#endif
