/* The two ways to decompose a matrix, by its views. */
#ifndef DAP_SVD_IMPL_H
#define DAP_SVD_IMPL_H

#include "linalg_impl.h"

typedef struct dap_linalg_svd_problem {
  const dap_scalapack_matrix *a;            /* M (m, n); overwritten */
  const dap_scalapack_matrix *left, *right; /* (m, k) and (k, n); NULL: not wanted */
  dap_scalapack_matrix spare;               /* stands in for one of them that is not wanted */
  dap_scalapack_int k;
  void *s; /* [k] of the real type, on every process */
  dap_scalapack_int info;
} dap_linalg_svd_problem;

/* svd_distributed.c: by ScaLAPACK's gesvd. Collective.
 * Its processes take QR steps if they have a row of the left or a column of the right vectors, dealt one by
 * one, and else another algorithm, whose values differ in the last bits; gesvd calls that an error or, seen
 * with M 1 x 2 on 4 processes, hangs. So M must have as many rows or columns as there are processes. */
dap_status dap_linalg_svd_distributed(dap_linalg_call *call, dap_linalg_svd_problem *p);

/* svd_gathered.c: of the others, which have less elements than the square of the number of processes, by
 * LAPACK on one process. Collective. */
dap_status dap_linalg_svd_gathered(dap_linalg_call *call, dap_linalg_svd_problem *p);

#endif
