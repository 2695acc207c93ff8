/**
 * @file
 * Prototypes of ScaLAPACK's routines, for which ScaLAPACK has no C header.
 *
 * The routines belong to ScaLAPACK, not to dapbridge. The comments in REDIST/SRC, SRC and TOOLS of ScaLAPACK
 * 2.2 document the routines and their arguments. This header also includes pblas_calls.h, spectra_calls.h and
 * blacs_calls.h.
 *
 * dapbridge itself uses this header, and so can C programs that call the routines directly. No other header
 * of dapbridge includes it, so programs can use their own declarations instead.
 *
 * The prototypes follow Fortran's conventions: all arguments are addresses. INTEGER is dap_scalapack_int. The
 * hidden lengths of character arguments are omitted, as is usual in C programs for single characters. A
 * `void *` points to elements of the type that a letter in the routine's name denotes: s for float32, d for
 * float64, c for complex64, z for complex128, and i for INTEGER. In comments, ? stands for this letter.
 */
#ifndef DAPBRIDGE_SCALAPACK_CALLS_H
#define DAPBRIDGE_SCALAPACK_CALLS_H

#include <dapbridge/blacs_calls.h>
#include <dapbridge/pblas_calls.h>
#include <dapbridge/scalapack.h>
#include <dapbridge/spectra_calls.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Redistribution (REDIST/SRC) ----------------------------------------------------------------------- */

/** Type of p?gemr2d. */
typedef void dap_pgemr2d(const dap_scalapack_int *m, const dap_scalapack_int *n, const void *a,
                         const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                         const dap_scalapack_int *desca, void *b, const dap_scalapack_int *ib,
                         const dap_scalapack_int *jb, const dap_scalapack_int *descb,
                         const dap_scalapack_int *context);
dap_pgemr2d pigemr2d_, psgemr2d_, pdgemr2d_, pcgemr2d_, pzgemr2d_;

/** Type of p?gemr2do, an older variant of p?gemr2d. All processes of the program must call these routines. */
typedef void dap_pgemr2do(const dap_scalapack_int *m, const dap_scalapack_int *n, const void *a,
                          const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                          const dap_scalapack_int *desca, void *b, const dap_scalapack_int *ib,
                          const dap_scalapack_int *jb, const dap_scalapack_int *descb);
dap_pgemr2do pigemr2do_, psgemr2do_, pdgemr2do_, pcgemr2do_, pzgemr2do_;

/** Type of Cp?gemr2d, the C interface of p?gemr2d. */
typedef void dap_Cpgemr2d(dap_scalapack_int m, dap_scalapack_int n, const void *a, dap_scalapack_int ia,
                          dap_scalapack_int ja, const dap_scalapack_int *desca, void *b, dap_scalapack_int ib,
                          dap_scalapack_int jb, const dap_scalapack_int *descb, dap_scalapack_int context);
dap_Cpgemr2d Cpigemr2d, Cpsgemr2d, Cpdgemr2d, Cpcgemr2d, Cpzgemr2d;

/** Type of Cp?gemr2do, the C interface of p?gemr2do. */
typedef void dap_Cpgemr2do(dap_scalapack_int m, dap_scalapack_int n, const void *a, dap_scalapack_int ia,
                           dap_scalapack_int ja, const dap_scalapack_int *desca, void *b,
                           dap_scalapack_int ib, dap_scalapack_int jb, const dap_scalapack_int *descb);
dap_Cpgemr2do Cpigemr2do, Cpsgemr2do, Cpdgemr2do, Cpcgemr2do, Cpzgemr2do;

/* ---- Linear systems ------------------------------------------------------------------------------------ */

/** Type of p?getrf. */
typedef void dap_pgetrf(const dap_scalapack_int *m, const dap_scalapack_int *n, void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, dap_scalapack_int *pivots, dap_scalapack_int *info);
dap_pgetrf psgetrf_, pdgetrf_, pcgetrf_, pzgetrf_;

/** Type of p?getrs. */
typedef void dap_pgetrs(const char *trans, const dap_scalapack_int *n, const dap_scalapack_int *nrhs,
                        const void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const dap_scalapack_int *pivots, void *b,
                        const dap_scalapack_int *ib, const dap_scalapack_int *jb,
                        const dap_scalapack_int *descb, dap_scalapack_int *info);
dap_pgetrs psgetrs_, pdgetrs_, pcgetrs_, pzgetrs_;

/** Type of p?gesv. */
typedef void dap_pgesv(const dap_scalapack_int *n, const dap_scalapack_int *nrhs, void *a,
                       const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                       const dap_scalapack_int *desca, dap_scalapack_int *pivots, void *b,
                       const dap_scalapack_int *ib, const dap_scalapack_int *jb,
                       const dap_scalapack_int *descb, dap_scalapack_int *info);
dap_pgesv psgesv_, pdgesv_, pcgesv_, pzgesv_;

/** Type of p?getri. */
typedef void dap_pgetri(const dap_scalapack_int *n, void *a, const dap_scalapack_int *ia,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca,
                        const dap_scalapack_int *pivots, void *work, const dap_scalapack_int *lwork,
                        dap_scalapack_int *iwork, const dap_scalapack_int *liwork, dap_scalapack_int *info);
dap_pgetri psgetri_, pdgetri_, pcgetri_, pzgetri_;

/** Type of p?gecon. */
typedef void dap_pgecon(const char *norm, const dap_scalapack_int *n, const void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const void *anorm, void *rcond, void *work,
                        const dap_scalapack_int *lwork, void *iwork, const dap_scalapack_int *liwork,
                        dap_scalapack_int *info);
dap_pgecon psgecon_, pdgecon_, pcgecon_, pzgecon_;

/** Type of p?potrf. */
typedef void dap_ppotrf(const char *uplo, const dap_scalapack_int *n, void *a, const dap_scalapack_int *ia,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca, dap_scalapack_int *info);
dap_ppotrf pspotrf_, pdpotrf_, pcpotrf_, pzpotrf_;

/** Type of p?potrs. */
typedef void dap_ppotrs(const char *uplo, const dap_scalapack_int *n, const dap_scalapack_int *nrhs,
                        const void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, void *b, const dap_scalapack_int *ib,
                        const dap_scalapack_int *jb, const dap_scalapack_int *descb, dap_scalapack_int *info);
dap_ppotrs pspotrs_, pdpotrs_, pcpotrs_, pzpotrs_;

/** Type of p?posv. */
typedef void dap_pposv(const char *uplo, const dap_scalapack_int *n, const dap_scalapack_int *nrhs, void *a,
                       const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                       const dap_scalapack_int *desca, void *b, const dap_scalapack_int *ib,
                       const dap_scalapack_int *jb, const dap_scalapack_int *descb, dap_scalapack_int *info);
dap_pposv psposv_, pdposv_, pcposv_, pzposv_;

/** Type of p?gels. */
typedef void dap_pgels(const char *trans, const dap_scalapack_int *m, const dap_scalapack_int *n,
                       const dap_scalapack_int *nrhs, void *a, const dap_scalapack_int *ia,
                       const dap_scalapack_int *ja, const dap_scalapack_int *desca, void *b,
                       const dap_scalapack_int *ib, const dap_scalapack_int *jb,
                       const dap_scalapack_int *descb, void *work, const dap_scalapack_int *lwork,
                       dap_scalapack_int *info);
dap_pgels psgels_, pdgels_, pcgels_, pzgels_;

/** Type of p?lapiv. */
typedef void dap_plapiv(const char *direc, const char *rowcol, const char *pivroc, const dap_scalapack_int *m,
                        const dap_scalapack_int *n, void *a, const dap_scalapack_int *ia,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca,
                        const dap_scalapack_int *pivots, const dap_scalapack_int *ip,
                        const dap_scalapack_int *jp, const dap_scalapack_int *descip,
                        dap_scalapack_int *iwork);
dap_plapiv pslapiv_, pdlapiv_, pclapiv_, pzlapiv_;

/* ---- Orthogonal factorisations ------------------------------------------------------------------------- */

/** Type of p?geqrf. */
typedef void dap_pgeqrf(const dap_scalapack_int *m, const dap_scalapack_int *n, void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, void *tau, void *work, const dap_scalapack_int *lwork,
                        dap_scalapack_int *info);
dap_pgeqrf psgeqrf_, pdgeqrf_, pcgeqrf_, pzgeqrf_;

/** Type of p?orgqr and p?ungqr. */
typedef void dap_porgqr(const dap_scalapack_int *m, const dap_scalapack_int *n, const dap_scalapack_int *k,
                        void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const void *tau, void *work,
                        const dap_scalapack_int *lwork, dap_scalapack_int *info);
dap_porgqr psorgqr_, pdorgqr_, pcungqr_, pzungqr_;

/** Type of p?gelqf. */
typedef void dap_pgelqf(const dap_scalapack_int *m, const dap_scalapack_int *n, void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, void *tau, void *work, const dap_scalapack_int *lwork,
                        dap_scalapack_int *info);
dap_pgelqf psgelqf_, pdgelqf_, pcgelqf_, pzgelqf_;

/** Type of p?orglq and p?unglq. */
typedef void dap_porglq(const dap_scalapack_int *m, const dap_scalapack_int *n, const dap_scalapack_int *k,
                        void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const void *tau, void *work,
                        const dap_scalapack_int *lwork, dap_scalapack_int *info);
dap_porglq psorglq_, pdorglq_, pcunglq_, pzunglq_;

/**
 * Type of p?ormqr, p?unmqr, p?ormlq and p?unmlq. These routines multiply a matrix by the factor Q of p?geqrf
 * or p?gelqf without forming Q. trans is 'N' or 'T' for real types, and 'N' or 'C' for complex types.
 */
typedef void dap_pormqr(const char *side, const char *trans, const dap_scalapack_int *m,
                        const dap_scalapack_int *n, const dap_scalapack_int *k, const void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const void *tau, void *c, const dap_scalapack_int *ic,
                        const dap_scalapack_int *jc, const dap_scalapack_int *descc, void *work,
                        const dap_scalapack_int *lwork, dap_scalapack_int *info);
dap_pormqr psormqr_, pdormqr_, pcunmqr_, pzunmqr_, psormlq_, pdormlq_, pcunmlq_, pzunmlq_;

/**
 * Type of p?geqpf for real types. These routines compute a QR factorisation with column pivoting. For each
 * local column, pivots receives the original number of this column, counted from 1. psgeqpf sends these
 * numbers as floats, so they are exact only up to 2^24. Warning: if a process has rows but no columns, the
 * routines write one element beyond the lwork elements of work.
 */
typedef void dap_pgeqpf(const dap_scalapack_int *m, const dap_scalapack_int *n, void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, dap_scalapack_int *pivots, void *tau, void *work,
                        const dap_scalapack_int *lwork, dap_scalapack_int *info);
/** Type of p?geqpf for complex types. */
typedef void dap_pcgeqpf(const dap_scalapack_int *m, const dap_scalapack_int *n, void *a,
                         const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                         const dap_scalapack_int *desca, dap_scalapack_int *pivots, void *tau, void *work,
                         const dap_scalapack_int *lwork, void *rwork, const dap_scalapack_int *lrwork,
                         dap_scalapack_int *info);
dap_pgeqpf psgeqpf_, pdgeqpf_;
dap_pcgeqpf pcgeqpf_, pzgeqpf_;

/* ---- Bands --------------------------------------------------------------------------------------------- */

/**
 * Type of p?gbtrf. Warning: pivots must have at least NB + 2 BWL + 3 BWU elements, which is more than the
 * routine's comments require. The matrix must have at least one diagonal besides the main one. If a process
 * finds a zero pivot in its own columns, one of the routine's messages is never received. Later calls may
 * receive this message by mistake.
 */
typedef void dap_pgbtrf(const dap_scalapack_int *n, const dap_scalapack_int *bwl,
                        const dap_scalapack_int *bwu, void *a, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, dap_scalapack_int *pivots, void *af,
                        const dap_scalapack_int *laf, void *work, const dap_scalapack_int *lwork,
                        dap_scalapack_int *info);
/**
 * Type of p?gbtrs. Warning: the routine ignores `trans` and always solves with the matrix itself. The matrix
 * must have at least one diagonal besides the main one.
 */
typedef void dap_pgbtrs(const char *trans, const dap_scalapack_int *n, const dap_scalapack_int *bwl,
                        const dap_scalapack_int *bwu, const dap_scalapack_int *nrhs, void *a,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca,
                        dap_scalapack_int *pivots, void *b, const dap_scalapack_int *ib,
                        const dap_scalapack_int *descb, void *af, const dap_scalapack_int *laf, void *work,
                        const dap_scalapack_int *lwork, dap_scalapack_int *info);
dap_pgbtrf psgbtrf_, pdgbtrf_, pcgbtrf_, pzgbtrf_;
dap_pgbtrs psgbtrs_, pdgbtrs_, pcgbtrs_, pzgbtrs_;

/**
 * Type of p?pbtrf. Warning: if the last process has a complete block, af must have BW * BW more elements than
 * the routine's comments require.
 */
typedef void dap_ppbtrf(const char *uplo, const dap_scalapack_int *n, const dap_scalapack_int *bw, void *a,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca, void *af,
                        const dap_scalapack_int *laf, void *work, const dap_scalapack_int *lwork,
                        dap_scalapack_int *info);
/** Type of p?pbtrs. */
typedef void dap_ppbtrs(const char *uplo, const dap_scalapack_int *n, const dap_scalapack_int *bw,
                        const dap_scalapack_int *nrhs, void *a, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, void *b, const dap_scalapack_int *ib,
                        const dap_scalapack_int *descb, void *af, const dap_scalapack_int *laf, void *work,
                        const dap_scalapack_int *lwork, dap_scalapack_int *info);
dap_ppbtrf pspbtrf_, pdpbtrf_, pcpbtrf_, pzpbtrf_;
dap_ppbtrs pspbtrs_, pdpbtrs_, pcpbtrs_, pzpbtrs_;

/* ---- Tools --------------------------------------------------------------------------------------------- */

/** Type of p?laset. */
typedef void dap_plaset(const char *uplo, const dap_scalapack_int *m, const dap_scalapack_int *n,
                        const void *alpha, const void *beta, void *a, const dap_scalapack_int *ia,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca);
dap_plaset pslaset_, pdlaset_, pclaset_, pzlaset_;

/** Type of p?lacpy. */
typedef void dap_placpy(const char *uplo, const dap_scalapack_int *m, const dap_scalapack_int *n,
                        const void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, void *b, const dap_scalapack_int *ib,
                        const dap_scalapack_int *jb, const dap_scalapack_int *descb);
dap_placpy pslacpy_, pdlacpy_, pclacpy_, pzlacpy_;

/** Type of p?lascl. cfrom and cto are real, even for complex matrices. */
typedef void dap_plascl(const char *type, const void *cfrom, const void *cto, const dap_scalapack_int *m,
                        const dap_scalapack_int *n, void *a, const dap_scalapack_int *ia,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca, dap_scalapack_int *info);
dap_plascl pslascl_, pdlascl_, pclascl_, pzlascl_;

/**
 * Computes a norm of a float32 matrix. Warning: with LAPACK 3.10 and later, the Frobenius norm ('F') can be
 * wrong by a factor of 10 or more. This happens if only some columns or processes have elements with
 * magnitudes above 4.5e15 (float32) or 2e146 (float64), or below 1e-19 (float32) or 1.5e-146 (float64).
 * p?lansy, p?lanhe, p?lantr and p?lanhs have the same fault, but dap_linalg_norm() does not.
 */
float pslange_(const char *norm, const dap_scalapack_int *m, const dap_scalapack_int *n, const void *a,
               const dap_scalapack_int *ia, const dap_scalapack_int *ja, const dap_scalapack_int *desca,
               void *work);

/** Computes a norm of a float64 matrix. Warning: the Frobenius norm can be wrong (see pslange_()). */
double pdlange_(const char *norm, const dap_scalapack_int *m, const dap_scalapack_int *n, const void *a,
                const dap_scalapack_int *ia, const dap_scalapack_int *ja, const dap_scalapack_int *desca,
                void *work);

/** Computes a norm of a complex64 matrix. Warning: the Frobenius norm can be wrong (see pslange_()). */
float pclange_(const char *norm, const dap_scalapack_int *m, const dap_scalapack_int *n, const void *a,
               const dap_scalapack_int *ia, const dap_scalapack_int *ja, const dap_scalapack_int *desca,
               void *work);

/** Computes a norm of a complex128 matrix. Warning: the Frobenius norm can be wrong (see pslange_()). */
double pzlange_(const char *norm, const dap_scalapack_int *m, const dap_scalapack_int *n, const void *a,
                const dap_scalapack_int *ia, const dap_scalapack_int *ja, const dap_scalapack_int *desca,
                void *work);

/**
 * Prints that argument number *info of `routine` has an illegal value, and returns. `length` is the length of
 * the routine's name. A program may define its own pxerbla_().
 */
void pxerbla_(const dap_scalapack_int *context, const char *routine, const dap_scalapack_int *info,
              size_t length);

/**
 * Returns the number of elements on process iproc. The n elements are distributed over nprocs processes in
 * blocks of nb elements, and block 0 is on process isrcproc.
 */
dap_scalapack_int numroc_(const dap_scalapack_int *n, const dap_scalapack_int *nb,
                          const dap_scalapack_int *iproc, const dap_scalapack_int *isrcproc,
                          const dap_scalapack_int *nprocs);

/**
 * Returns the process that has the element with the global index `index`. Indices start at 1. iproc is
 * ignored.
 */
dap_scalapack_int indxg2p_(const dap_scalapack_int *index, const dap_scalapack_int *nb,
                           const dap_scalapack_int *iproc, const dap_scalapack_int *isrcproc,
                           const dap_scalapack_int *nprocs);

/** Converts the global index `index` to a local index. Indices start at 1. iproc and isrcproc are ignored. */
dap_scalapack_int indxg2l_(const dap_scalapack_int *index, const dap_scalapack_int *nb,
                           const dap_scalapack_int *iproc, const dap_scalapack_int *isrcproc,
                           const dap_scalapack_int *nprocs);

/** Converts the local index `index` on process iproc to a global index. Indices start at 1. */
dap_scalapack_int indxl2g_(const dap_scalapack_int *index, const dap_scalapack_int *nb,
                           const dap_scalapack_int *iproc, const dap_scalapack_int *isrcproc,
                           const dap_scalapack_int *nprocs);

/**
 * Fills the descriptor desc[9] of an m x n matrix in blocks of mb x nb elements. The first block is on
 * process (irsrc, icsrc) of `context`. *info receives -i if argument i is invalid, and 0 otherwise.
 */
void descinit_(dap_scalapack_int *desc, const dap_scalapack_int *m, const dap_scalapack_int *n,
               const dap_scalapack_int *mb, const dap_scalapack_int *nb, const dap_scalapack_int *irsrc,
               const dap_scalapack_int *icsrc, const dap_scalapack_int *context, const dap_scalapack_int *lld,
               dap_scalapack_int *info);

/** Type of p?elset. These routines set element (ia, ja) on the process that has this element. Indices start
 * at 1. */
typedef void dap_pelset(void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const void *alpha);
/**
 * Type of p?elget. These routines copy element (ia, ja) to *alpha on all processes of `scope`. All these
 * processes must call the routine. With scope " ", only the process that has the element sets *alpha. Indices
 * start at 1.
 */
typedef void dap_pelget(const char *scope, const char *topology, void *alpha, const void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca);
dap_pelset pselset_, pdelset_, pcelset_, pzelset_;
dap_pelget pselget_, pdelget_, pcelget_, pzelget_;

#ifdef __cplusplus
}
#endif

#endif
