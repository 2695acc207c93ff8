/* Declares the types and functions that the algorithms for singular values share. */
#ifndef DAP_SVD_IMPL_H
#define DAP_SVD_IMPL_H

#include "linalg_impl.h"

/* A bidiagonal matrix (k, k) of the real type and its decomposition, on process 0. */
typedef struct dap_linalg_bidiagonal {
  char uplo;          /* 'U': e is above the diagonal, 'L': below it */
  void *d, *e;        /* [k] each; e: one less */
  void *u, *vt;       /* [k * k] its singular vectors, column-major without gaps; NULL without vectors */
  void *work, *iwork; /* workspace of LAPACK */
} dap_linalg_bidiagonal;

typedef struct dap_linalg_svd_problem {
  const dap_scalapack_matrix *a;            /* M (m, n); overwritten */
  const dap_scalapack_matrix *left, *right; /* (m, k) and (k, n); NULL: not wanted */
  dap_scalapack_matrix spare;               /* for gesvd: stands in for one of them that is not wanted */
  dap_scalapack_int k;
  void *s; /* [k] of the real type, on every process */
  dap_scalapack_int info;
  dap_linalg_bidiagonal b; /* for gesdd */
} dap_linalg_svd_problem;

/* A whole matrix (m, n), column-major without gaps. */
typedef struct dap_linalg_dense {
  dap_scalapack_int m, n, k;  /* k = min(m, n) */
  bool has_vectors;           /* singular vectors are wanted */
  bool divide;                /* true: by gesdd, false: by gesvd */
  void *s;                    /* [k] of the real type; the caller's */
  void *a, *u, *vt;           /* (m, n), (m, k), (k, n) on every process; u, vt: empty without vectors */
  void *work, *rwork, *iwork; /* workspace of LAPACK */
  dap_scalapack_int lwork;
} dap_linalg_dense;

/* svd_dense.c: its decomposition by LAPACK on process 0. All are collective.
 * make_room: sets a, u, vt and the workspace.
 * decompose: overwrites a, sets s, u and vt on process 0; *info: 0 if it converged.
 * svd_gathered: decomposes M, which has fewer elements than the square of the number of processes. */
dap_status dap_linalg_dense_make_room(dap_linalg_call *call, dap_linalg_dense *d);
dap_status dap_linalg_dense_decompose(dap_linalg_call *call, const dap_linalg_dense *d,
                                      dap_scalapack_int *info);
dap_status dap_linalg_svd_gathered(dap_linalg_call *call, dap_linalg_svd_problem *p);

/* svd_gesdd.c. Both are collective.
 * make_room: reserves memory for b. DAP_ERR_NOMEM or DAP_ERR_RANGE where process 0 does not have the memory
 * or the integers.
 * gesdd: decomposes by divide and conquer. */
dap_status dap_linalg_gesdd_make_room(dap_linalg_call *call, dap_linalg_svd_problem *p);
dap_status dap_linalg_svd_gesdd(dap_linalg_call *call, dap_linalg_svd_problem *p);

/* svd_tall.c: decomposes matrices that are much longer than wide, or wider than long, by QR of their rows.
 * is_tall: whether the call's matrix is decomposed so; the same on every process. The rule is in linalg.md.
 * tall: decomposes it, with operands 0 to 3 of the call: A, U, S, VT. Sets *info as LAPACK does.
 * Collective. */
bool dap_linalg_svd_is_tall(const dap_linalg_call *call);
dap_status dap_linalg_svd_tall(dap_linalg_call *call, void *s, dap_scalapack_int *info);

#endif
