/* Matrices whose elements say where they are, found by nothing but their descriptor. */
#ifndef DAP_TEST_NUMBERED_H
#define DAP_TEST_NUMBERED_H

#include <dapbridge/scalapack.h>

/* Sets elements of a part of a matrix to 1 + 1000 i + j, or counts those that are not. i and j count from the
 * part's first element. */
int64_t walk(const dap_scalapack_matrix *m, bool set);

#endif
