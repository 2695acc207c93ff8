/**
 * @file
 * Prototypes of the PBLAS routines, ScaLAPACK's parallel BLAS. scalapack_calls.h includes this header.
 *
 * The routines belong to ScaLAPACK, not to dapbridge. The comments in PBLAS/SRC of ScaLAPACK 2.2 document the
 * routines and their arguments. scalapack_calls.h describes the conventions of the prototypes.
 */
#ifndef DAPBRIDGE_PBLAS_CALLS_H
#define DAPBRIDGE_PBLAS_CALLS_H

#include <dapbridge/scalapack.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Type of p?gemm. */
typedef void dap_pgemm(const char *transa, const char *transb, const dap_scalapack_int *m,
                       const dap_scalapack_int *n, const dap_scalapack_int *k, const void *alpha,
                       const void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                       const dap_scalapack_int *desca, const void *b, const dap_scalapack_int *ib,
                       const dap_scalapack_int *jb, const dap_scalapack_int *descb, const void *beta, void *c,
                       const dap_scalapack_int *ic, const dap_scalapack_int *jc,
                       const dap_scalapack_int *descc);
dap_pgemm psgemm_, pdgemm_, pcgemm_, pzgemm_;

/** Type of p?trsm and p?trmm. */
typedef void dap_ptrsm(const char *side, const char *uplo, const char *transa, const char *diag,
                       const dap_scalapack_int *m, const dap_scalapack_int *n, const void *alpha,
                       const void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                       const dap_scalapack_int *desca, void *b, const dap_scalapack_int *ib,
                       const dap_scalapack_int *jb, const dap_scalapack_int *descb);
dap_ptrsm pstrsm_, pdtrsm_, pctrsm_, pztrsm_;
dap_ptrsm pstrmm_, pdtrmm_, pctrmm_, pztrmm_;

/** Type of p?syrk and p?herk. alpha and beta of p?herk are real. */
typedef void dap_psyrk(const char *uplo, const char *trans, const dap_scalapack_int *n,
                       const dap_scalapack_int *k, const void *alpha, const void *a,
                       const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                       const dap_scalapack_int *desca, const void *beta, void *c, const dap_scalapack_int *ic,
                       const dap_scalapack_int *jc, const dap_scalapack_int *descc);
dap_psyrk pssyrk_, pdsyrk_, pcsyrk_, pzsyrk_, pcherk_, pzherk_;

/** Type of p?swap. To swap columns, set incx and incy to 1. To swap rows, set incx to M of descx, and incy to
 * M of descy. */
typedef void dap_pswap(const dap_scalapack_int *n, void *x, const dap_scalapack_int *ix,
                       const dap_scalapack_int *jx, const dap_scalapack_int *descx,
                       const dap_scalapack_int *incx, void *y, const dap_scalapack_int *iy,
                       const dap_scalapack_int *jy, const dap_scalapack_int *descy,
                       const dap_scalapack_int *incy);
dap_pswap psswap_, pdswap_, pcswap_, pzswap_;

/** Type of p?geadd. */
typedef void dap_pgeadd(const char *trans, const dap_scalapack_int *m, const dap_scalapack_int *n,
                        const void *alpha, const void *a, const dap_scalapack_int *ia,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca, const void *beta,
                        void *c, const dap_scalapack_int *ic, const dap_scalapack_int *jc,
                        const dap_scalapack_int *descc);
dap_pgeadd psgeadd_, pdgeadd_, pcgeadd_, pzgeadd_;

/** Type of p?tradd. */
typedef void dap_ptradd(const char *uplo, const char *trans, const dap_scalapack_int *m,
                        const dap_scalapack_int *n, const void *alpha, const void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const void *beta, void *c,
                        const dap_scalapack_int *ic, const dap_scalapack_int *jc,
                        const dap_scalapack_int *descc);
dap_ptradd pstradd_, pdtradd_, pctradd_, pztradd_;

/** Type of p?tran, p?tranu and p?tranc. */
typedef void dap_ptran(const dap_scalapack_int *m, const dap_scalapack_int *n, const void *alpha,
                       const void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                       const dap_scalapack_int *desca, const void *beta, void *c, const dap_scalapack_int *ic,
                       const dap_scalapack_int *jc, const dap_scalapack_int *descc);
dap_ptran pstran_, pdtran_, pctranu_, pztranu_, pctranc_, pztranc_;

#ifdef __cplusplus
}
#endif

#endif
