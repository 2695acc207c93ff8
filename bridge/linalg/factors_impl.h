/* Declares the types and functions that the files for kept factors share. */
#ifndef DAP_FACTORS_IMPL_H
#define DAP_FACTORS_IMPL_H

#include "system_impl.h"

/* The matrix M of A's view with its factors over it: P L U or, in its triangle `uplo`, Cholesky's. It is
 * held as an array, so only its use is collective: each call takes a shared view of it. */
struct dap_linalg_factors {
  uint64_t magic;
  uint64_t number; /* the same on every process; no other live factors have it */
  MPI_Comm comm;   /* the caller's */
  dap_layout *layout;
  dap_array array; /* in the caller's buffer, or its own */
  const char *routine;
  char op;                   /* the view's */
  char uplo;                 /* 'L', 'U'; 0: LU */
  double norms[2];           /* '1' and 'I' of A */
  double sigma;              /* A was multiplied by it, as in dap_lu */
  dap_scalapack_int *pivots; /* LU: [n] 1-based, of M's rows */
};

#endif
