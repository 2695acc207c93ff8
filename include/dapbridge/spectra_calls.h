/**
 * @file
 * Prototypes of ScaLAPACK's routines for eigenvalues and singular values.
 *
 * The routines belong to ScaLAPACK, not to dapbridge. Comments in the folder SRC of ScaLAPACK 2.2 document
 * the routines and their arguments. scalapack_calls.h describes the conventions of the prototypes, and
 * includes this header.
 */
#ifndef DAPBRIDGE_SPECTRA_CALLS_H
#define DAPBRIDGE_SPECTRA_CALLS_H

#include <dapbridge/scalapack.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Steps of eigenvalue problems; d, e and the data of stedc are real --------------------------------- */

/** Type of p?sytrd and p?hetrd. */
typedef void dap_psytrd(const char *uplo, const dap_scalapack_int *n, void *a, const dap_scalapack_int *ia,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca, void *d, void *e,
                        void *tau, void *work, const dap_scalapack_int *lwork, dap_scalapack_int *info);
dap_psytrd pssytrd_, pdsytrd_, pchetrd_, pzhetrd_;

/** Type of p?stedc. */
typedef void dap_pstedc(const char *compz, const dap_scalapack_int *n, void *d, void *e, void *q,
                        const dap_scalapack_int *iq, const dap_scalapack_int *jq,
                        const dap_scalapack_int *descq, void *work, const dap_scalapack_int *lwork,
                        dap_scalapack_int *iwork, const dap_scalapack_int *liwork, dap_scalapack_int *info);
dap_pstedc psstedc_, pdstedc_;

/** Type of p?ormtr and p?unmtr. */
typedef void dap_pormtr(const char *side, const char *uplo, const char *trans, const dap_scalapack_int *m,
                        const dap_scalapack_int *n, const void *a, const dap_scalapack_int *ia,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca, const void *tau, void *c,
                        const dap_scalapack_int *ic, const dap_scalapack_int *jc,
                        const dap_scalapack_int *descc, void *work, const dap_scalapack_int *lwork,
                        dap_scalapack_int *info);
dap_pormtr psormtr_, pdormtr_, pcunmtr_, pzunmtr_;

/**
 * Type of p?gehrd. These routines reduce a matrix to upper Hessenberg form. To reduce the complete matrix,
 * pass ilo = 1 and ihi = n.
 */
typedef void dap_pgehrd(const dap_scalapack_int *n, const dap_scalapack_int *ilo,
                        const dap_scalapack_int *ihi, void *a, const dap_scalapack_int *ia,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca, void *tau, void *work,
                        const dap_scalapack_int *lwork, dap_scalapack_int *info);
dap_pgehrd psgehrd_, pdgehrd_, pcgehrd_, pzgehrd_;

/** Type of p?ormhr and p?unmhr. These routines multiply a matrix by the factor Q of p?gehrd. */
typedef void dap_pormhr(const char *side, const char *trans, const dap_scalapack_int *m,
                        const dap_scalapack_int *n, const dap_scalapack_int *ilo,
                        const dap_scalapack_int *ihi, const void *a, const dap_scalapack_int *ia,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca, const void *tau, void *c,
                        const dap_scalapack_int *ic, const dap_scalapack_int *jc,
                        const dap_scalapack_int *descc, void *work, const dap_scalapack_int *lwork,
                        dap_scalapack_int *info);
dap_pormhr psormhr_, pdormhr_, pcunmhr_, pzunmhr_;

/**
 * Type of p?hseqr. These routines compute the Schur form of a real upper Hessenberg matrix. The matrix must
 * have square blocks of at least 6 x 6 elements, and RSRC = CSRC = 0. If info is -7777 or -8888, the routine
 * has switched to a different algorithm, and does not report whether that algorithm succeeded. Warning: if n
 * is a multiple of the block size and the last eigenvalue is real, wr(n) is 0 instead of this eigenvalue.
 * Take real eigenvalues from the diagonal of the Schur form instead.
 */
typedef void dap_phseqr(const char *job, const char *compz, const dap_scalapack_int *n,
                        const dap_scalapack_int *ilo, const dap_scalapack_int *ihi, void *h,
                        const dap_scalapack_int *desch, void *wr, void *wi, void *z,
                        const dap_scalapack_int *descz, void *work, const dap_scalapack_int *lwork,
                        dap_scalapack_int *iwork, const dap_scalapack_int *liwork, dap_scalapack_int *info);
dap_phseqr pshseqr_, pdhseqr_;

/**
 * Type of p?gebrd. These routines reduce a matrix to upper bidiagonal form if m >= n, and to lower bidiagonal
 * form otherwise. d and e receive the two diagonals of this form, which also replace two diagonals of the
 * matrix.
 */
typedef void dap_pgebrd(const dap_scalapack_int *m, const dap_scalapack_int *n, void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, void *d, void *e, void *tauq, void *taup, void *work,
                        const dap_scalapack_int *lwork, dap_scalapack_int *info);
dap_pgebrd psgebrd_, pdgebrd_, pcgebrd_, pzgebrd_;

/**
 * Type of p?ormbr and p?unmbr. These routines multiply a matrix by the factor Q (vect 'Q') or P (vect 'P') of
 * p?gebrd. k is the number of columns (vect 'Q') or rows (vect 'P') of the matrix that was reduced.
 */
typedef void dap_pormbr(const char *vect, const char *side, const char *trans, const dap_scalapack_int *m,
                        const dap_scalapack_int *n, const dap_scalapack_int *k, const void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const void *tau, void *c, const dap_scalapack_int *ic,
                        const dap_scalapack_int *jc, const dap_scalapack_int *descc, void *work,
                        const dap_scalapack_int *lwork, dap_scalapack_int *info);
dap_pormbr psormbr_, pdormbr_, pcunmbr_, pzunmbr_;

/** Type of p?sygst and p?hegst. The real output *scale is always 1 (SRC/pdsygst.f). */
typedef void dap_psygst(const dap_scalapack_int *ibtype, const char *uplo, const dap_scalapack_int *n,
                        void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const void *b, const dap_scalapack_int *ib,
                        const dap_scalapack_int *jb, const dap_scalapack_int *descb, void *scale,
                        dap_scalapack_int *info);
dap_psygst pssygst_, pdsygst_, pchegst_, pzhegst_;

/* ---- Eigenvalues and singular values; the complex routines have an additional real work array ---------- */

/** Type of p?syev. */
typedef void dap_psyev(const char *jobz, const char *uplo, const dap_scalapack_int *n, void *a,
                       const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                       const dap_scalapack_int *desca, void *w, void *z, const dap_scalapack_int *iz,
                       const dap_scalapack_int *jz, const dap_scalapack_int *descz, void *work,
                       const dap_scalapack_int *lwork, dap_scalapack_int *info);
dap_psyev pssyev_, pdsyev_;

/** Type of p?heev. */
typedef void dap_pheev(const char *jobz, const char *uplo, const dap_scalapack_int *n, void *a,
                       const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                       const dap_scalapack_int *desca, void *w, void *z, const dap_scalapack_int *iz,
                       const dap_scalapack_int *jz, const dap_scalapack_int *descz, void *work,
                       const dap_scalapack_int *lwork, void *rwork, const dap_scalapack_int *lrwork,
                       dap_scalapack_int *info);
dap_pheev pcheev_, pzheev_;

/** Type of p?syevd. */
typedef void dap_psyevd(const char *jobz, const char *uplo, const dap_scalapack_int *n, void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, void *w, void *z, const dap_scalapack_int *iz,
                        const dap_scalapack_int *jz, const dap_scalapack_int *descz, void *work,
                        const dap_scalapack_int *lwork, dap_scalapack_int *iwork,
                        const dap_scalapack_int *liwork, dap_scalapack_int *info);
dap_psyevd pssyevd_, pdsyevd_;

/** Type of p?heevd. */
typedef void dap_pheevd(const char *jobz, const char *uplo, const dap_scalapack_int *n, void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, void *w, void *z, const dap_scalapack_int *iz,
                        const dap_scalapack_int *jz, const dap_scalapack_int *descz, void *work,
                        const dap_scalapack_int *lwork, void *rwork, const dap_scalapack_int *lrwork,
                        dap_scalapack_int *iwork, const dap_scalapack_int *liwork, dap_scalapack_int *info);
dap_pheevd pcheevd_, pzheevd_;

/** Type of p?syevr. */
typedef void dap_psyevr(const char *jobz, const char *range, const char *uplo, const dap_scalapack_int *n,
                        void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const void *vl, const void *vu,
                        const dap_scalapack_int *il, const dap_scalapack_int *iu, dap_scalapack_int *m,
                        dap_scalapack_int *nz, void *w, void *z, const dap_scalapack_int *iz,
                        const dap_scalapack_int *jz, const dap_scalapack_int *descz, void *work,
                        const dap_scalapack_int *lwork, dap_scalapack_int *iwork,
                        const dap_scalapack_int *liwork, dap_scalapack_int *info);
dap_psyevr pssyevr_, pdsyevr_;

/** Type of p?heevr. */
typedef void dap_pheevr(const char *jobz, const char *range, const char *uplo, const dap_scalapack_int *n,
                        void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const void *vl, const void *vu,
                        const dap_scalapack_int *il, const dap_scalapack_int *iu, dap_scalapack_int *m,
                        dap_scalapack_int *nz, void *w, void *z, const dap_scalapack_int *iz,
                        const dap_scalapack_int *jz, const dap_scalapack_int *descz, void *work,
                        const dap_scalapack_int *lwork, void *rwork, const dap_scalapack_int *lrwork,
                        dap_scalapack_int *iwork, const dap_scalapack_int *liwork, dap_scalapack_int *info);
dap_pheevr pcheevr_, pzheevr_;

/** Type of p?syevx. */
typedef void dap_psyevx(const char *jobz, const char *range, const char *uplo, const dap_scalapack_int *n,
                        void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const void *vl, const void *vu,
                        const dap_scalapack_int *il, const dap_scalapack_int *iu, const void *abstol,
                        dap_scalapack_int *m, dap_scalapack_int *nz, void *w, const void *orfac, void *z,
                        const dap_scalapack_int *iz, const dap_scalapack_int *jz,
                        const dap_scalapack_int *descz, void *work, const dap_scalapack_int *lwork,
                        dap_scalapack_int *iwork, const dap_scalapack_int *liwork, dap_scalapack_int *ifail,
                        dap_scalapack_int *iclustr, void *gap, dap_scalapack_int *info);
dap_psyevx pssyevx_, pdsyevx_;

/** Type of p?heevx. */
typedef void dap_pheevx(const char *jobz, const char *range, const char *uplo, const dap_scalapack_int *n,
                        void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const void *vl, const void *vu,
                        const dap_scalapack_int *il, const dap_scalapack_int *iu, const void *abstol,
                        dap_scalapack_int *m, dap_scalapack_int *nz, void *w, const void *orfac, void *z,
                        const dap_scalapack_int *iz, const dap_scalapack_int *jz,
                        const dap_scalapack_int *descz, void *work, const dap_scalapack_int *lwork,
                        void *rwork, const dap_scalapack_int *lrwork, dap_scalapack_int *iwork,
                        const dap_scalapack_int *liwork, dap_scalapack_int *ifail, dap_scalapack_int *iclustr,
                        void *gap, dap_scalapack_int *info);
dap_pheevx pcheevx_, pzheevx_;

/** Type of p?gesvd for real types. */
typedef void dap_pgesvd(const char *jobu, const char *jobvt, const dap_scalapack_int *m,
                        const dap_scalapack_int *n, void *a, const dap_scalapack_int *ia,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca, void *s, void *u,
                        const dap_scalapack_int *iu, const dap_scalapack_int *ju,
                        const dap_scalapack_int *descu, void *vt, const dap_scalapack_int *ivt,
                        const dap_scalapack_int *jvt, const dap_scalapack_int *descvt, void *work,
                        const dap_scalapack_int *lwork, dap_scalapack_int *info);
dap_pgesvd psgesvd_, pdgesvd_;

/** Type of p?gesvd for complex types. */
typedef void dap_pcgesvd(const char *jobu, const char *jobvt, const dap_scalapack_int *m,
                         const dap_scalapack_int *n, void *a, const dap_scalapack_int *ia,
                         const dap_scalapack_int *ja, const dap_scalapack_int *desca, void *s, void *u,
                         const dap_scalapack_int *iu, const dap_scalapack_int *ju,
                         const dap_scalapack_int *descu, void *vt, const dap_scalapack_int *ivt,
                         const dap_scalapack_int *jvt, const dap_scalapack_int *descvt, void *work,
                         const dap_scalapack_int *lwork, void *rwork, dap_scalapack_int *info);
dap_pcgesvd pcgesvd_, pzgesvd_;

#ifdef __cplusplus
}
#endif

#endif
