/* What the tests of dap_linalg_schur() and dap_linalg_eig() share. */
#ifndef DAP_TEST_SCHUR_TEST_H
#define DAP_TEST_SCHUR_TEST_H

#include "harness.h"

#include <dapbridge/linalg_schur.h>

/* ---- arrays and checks (schur_check.c) ----------------------------------------------------------- */

/* A trial's number with which results lie in no lists, of which tests have short ones only; for any i. */
int schur_number(int i);

/* The complex type of the trial's precision; a vector of it, on one of vector_sources; and a square matrix,
 * beside A or elsewhere. */
const element_type *schur_complex(const trial *t);
matrix schur_values(const trial *t);
matrix schur_vectors(const trial *t);

/* Rotations by known angles, one smaller: pairs of eigenvalues, some of them twice, that are not those of the
 * transpose's order. */
double complex entry_rotations(int64_t i, int64_t j);

/* Checks what the report says of the method. */
void schur_expect_method(const dap_linalg_report *report);

/* Decomposes a matrix of the trial's and checks everything; `alone`: without Z, and eigenvalues instead.
 * Collective. */
void schur_check(const trial *t, bool alone, formula *entry);

/* ---- eigenvalues (schur_values.c) ---------------------------------------------------------------- */

/* What a matrix's eigenvalues are, and by how much changes of the matrix move each. */
typedef struct spectrum {
  int64_t n;
  double complex *values; /* [n] in no order */
  double *sensitivity;    /* [n] 1 of normal matrices */
  double norm;            /* of the matrix, 'F' */
} spectrum;

/* Of a whole matrix, by serial LAPACK on process 0. Collective. */
spectrum schur_spectrum(int64_t n, const double complex *whole);
void schur_spectrum_free(spectrum *s);

/* How far w [n] are from these values, each of which they must be once: the largest distance, in units of
 * what a change of the matrix by eps explains; infinity if one is not finite. expect: records it if it is
 * more than some units, and returns it. Not collective. */
double schur_distance(const spectrum *s, const double complex *w, double eps);
double schur_expect_values(const char *what, const spectrum *s, const double complex *w, double eps);

#endif
