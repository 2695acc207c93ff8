/* What tests of dap_linalg_eigh() share. A program is linked with ScaLAPACK's own algorithms (eigh_own.c),
 * or with a backend (tests/elpa/eigh_elpa.c), and is otherwise the same. */
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

/* ---- one call (eigh_check.c) --------------------------------------------------------------------------- */

typedef struct eigh_problem {
  const trial *t;
  formula *entry;
  char uplo;
  bool vectors, alike, keep; /* alike: Z lies as A does */
  dap_eigh_solver solver;    /* AUTO: with the backend, if there is one */
  dap_eigh_range range;
  int64_t first, count; /* wanted, of all eigenvalues in ascending order */
  int64_t more;         /* room for so many more, of a range of values */
} eigh_problem;

/* All eigenvalues and vectors of the trial's matrix. */
eigh_problem eigh_all(const trial *t, formula *entry, char uplo);

/* Calls dap_linalg_eigh() and checks everything. Returns what the report says of the algorithm. */
dap_linalg_report eigh_check(const eigh_problem *p);

/* A backend must be used for its types. */
void eigh_expect_backend(const element_type *type, const dap_linalg_report *report);

#endif
