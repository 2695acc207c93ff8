/* Declares the serial LAPACK and BLAS routines that compute references, because no header declares them
 * here. Source: the comments in the routines (LAPACK 3.11, SRC/z*.f and sgels.f, BLAS/SRC/zgemm.f). All
 * routines except sgels are double complex, which holds the values of every other type; the lengths that
 * Fortran adds to character arguments are left out. */
#ifndef DAP_TEST_LAPACK_H
#define DAP_TEST_LAPACK_H

#include <complex.h>
#include <stdint.h>

#ifdef DAPBRIDGE_SCALAPACK_ILP64
typedef int64_t lapack_int;
#else
typedef int lapack_int;
#endif

void zgemm_(const char *transa, const char *transb, const lapack_int *m, const lapack_int *n,
            const lapack_int *k, const double complex *alpha, const double complex *a, const lapack_int *lda,
            const double complex *b, const lapack_int *ldb, const double complex *beta, double complex *c,
            const lapack_int *ldc);
void zgetrf_(const lapack_int *m, const lapack_int *n, double complex *a, const lapack_int *lda,
             lapack_int *pivots, lapack_int *info);
void zgetrs_(const char *trans, const lapack_int *n, const lapack_int *nrhs, const double complex *a,
             const lapack_int *lda, const lapack_int *pivots, double complex *b, const lapack_int *ldb,
             lapack_int *info);
void zgelsy_(const lapack_int *m, const lapack_int *n, const lapack_int *nrhs, double complex *a,
             const lapack_int *lda, double complex *b, const lapack_int *ldb, lapack_int *pivots,
             const double *rcond, lapack_int *rank, double complex *work, const lapack_int *lwork,
             double *rwork, lapack_int *info);
void sgels_(const char *trans, const lapack_int *m, const lapack_int *n, const lapack_int *nrhs, float *a,
            const lapack_int *lda, float *b, const lapack_int *ldb, float *work, const lapack_int *lwork,
            lapack_int *info);
void zheev_(const char *jobz, const char *uplo, const lapack_int *n, double complex *a, const lapack_int *lda,
            double *w, double complex *work, const lapack_int *lwork, double *rwork, lapack_int *info);
void zgeev_(const char *jobvl, const char *jobvr, const lapack_int *n, double complex *a,
            const lapack_int *lda, double complex *w, double complex *vl, const lapack_int *ldvl,
            double complex *vr, const lapack_int *ldvr, double complex *work, const lapack_int *lwork,
            double *rwork, lapack_int *info);
void zgesvd_(const char *jobu, const char *jobvt, const lapack_int *m, const lapack_int *n, double complex *a,
             const lapack_int *lda, double *s, double complex *u, const lapack_int *ldu, double complex *vt,
             const lapack_int *ldvt, double complex *work, const lapack_int *lwork, double *rwork,
             lapack_int *info);

#endif
