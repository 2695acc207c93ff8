/* What the tests of dap_linalg_schur() and dap_linalg_eig() share. */
#ifndef DAP_TEST_SCHUR_TEST_H
#define DAP_TEST_SCHUR_TEST_H

#include "harness.h"

#include <dapbridge/linalg_schur.h>

/* The complex type of the trial's precision; and a vector of it, on one of vector_sources. */
const element_type *schur_complex(const trial *t);
matrix schur_values(const trial *t);

/* Rotations by known angles, one smaller: pairs of eigenvalues, some of them twice, that are not those of the
 * transpose's order. */
double complex entry_rotations(int64_t i, int64_t j);

/* What the report must say; AUTO: of the orders that are tested LAPACK computes. */
void schur_expect_method(dap_schur_solver solver, const dap_linalg_report *report);

/* Decomposes a matrix of the trial's and checks everything; `alone`: without Z. Collective. */
void schur_check(const trial *t, bool alone, formula *entry, dap_schur_solver solver, int64_t block);

#endif
