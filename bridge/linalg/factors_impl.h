/* Factors that are kept: an index of what their files share. */
#ifndef DAP_FACTORS_IMPL_H
#define DAP_FACTORS_IMPL_H

#include "system_impl.h"

/* The matrix M of A's view with its factors over it, P L U or, in its triangle `uplo`, Cholesky's. It is held
 * as an array, not as a view, so that nothing of it is collective but its use: each call gets a shared view
 * of it. */
struct dap_linalg_factors {
  uint64_t magic;
  uint64_t number; /* the same on every process, and no other factors' that live */
  MPI_Comm comm;   /* the caller's */
  dap_layout *layout;
  dap_array array; /* in the caller's buffer, or its own */
  const char *routine;
  char op;                   /* of the view */
  char uplo;                 /* 'L', 'U'; 0: LU */
  double norms[2];           /* of A: '1', 'I' */
  double sigma;              /* what A was multiplied by, as in dap_lu */
  dap_scalapack_int *pivots; /* LU: [n] 1-based, of M's rows */
};

/* factors.c: DAP_ERR_ARG for what is none or was destroyed */
dap_status dap_factors_check(const dap_linalg_factors *factors, dap_error *err);

/* hermitian_norm.c: the norm '1', which is 'I', of the Hermitian matrix of whose view's matrix the triangle
 * `uplo` is given. Collective. */
dap_status dap_linalg_hermitian_norm(dap_linalg_call *call, char uplo, const dap_scalapack_matrix *view,
                                     double *value);

#endif
