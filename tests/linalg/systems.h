/* What the tests of linear systems share: solve and Cholesky differ by their first argument and by the
 * matrix. */
#ifndef DAP_TEST_LINALG_SYSTEMS_H
#define DAP_TEST_LINALG_SYSTEMS_H

#include "harness.h"

typedef dap_status solver(MPI_Comm comm, char letter, dap_darray a, dap_darray b,
                          const dap_linalg_options *options, dap_error *err);

/* A function of linalg.h, and how it is tried. */
typedef struct system_kind {
  const char *name; /* as the table calls it */
  solver *solve;
  const char *letters; /* trans or uplo: each is tried */
  formula *entry;      /* of A */
  bool triangle;       /* letters are the triangles of a Hermitian A, of which the other holds NaN */
} system_kind;

/* One of the letters. */
char system_letter(const system_kind *kind, int number);

/* A on the trial's source, with NaN in the triangle that is not read. */
matrix system_matrix(const system_kind *kind, const trial *t, char letter, formula *entry);

/* All processes along `axis`, or with -1 on the squarest grid, with more columns than rows. */
void system_grid(int axis, int grid[2]);

/* Tests. Every source on every grid, with right-hand sides beside A, elsewhere, and as a vector. */
void systems_everywhere(const system_kind *kind);

/* The pairs of layouts in which both are shared though they do not lie alike: 0 bytes moved. */
void systems_shared(const system_kind *kind);

/* What keeps A, and who says so. */
void systems_keep(const system_kind *kind);

/* What is refused, by each of the rules that both functions have. */
void systems_refuse(const system_kind *kind);

/* Solves with A made of `entry`, which must fail with DAP_ERR_NUMERIC, `parts` in its text and *info in the
 * report, and leave B as it was. */
void systems_fail(const system_kind *kind, formula *entry, const char *parts, int64_t n, int64_t info);

#endif
