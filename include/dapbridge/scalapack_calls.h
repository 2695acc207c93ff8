/**
 * @file
 * Prototypes of ScaLAPACK's routines, which come without a C header.
 *
 * The routines are ScaLAPACK's, not dapbridge's. The comments in ScaLAPACK 2.2's REDIST/SRC, SRC and TOOLS
 * document them and their arguments. This header also includes pblas_calls.h, spectra_calls.h and
 * blacs_calls.h.
 *
 * It is for dapbridge, and for C programs that call the routines themselves. No other header includes it, so
 * programs can use declarations of their own instead.
 *
 * The prototypes have Fortran's conventions. All arguments are addresses. INTEGER is dap_scalapack_int. The
 * hidden lengths of character arguments are omitted, as C programs usually do for single characters. `void *`
 * stands for the element type named by the letter: s float32, d float64, c complex64, z complex128.
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

typedef void dap_pgemr2d(const dap_scalapack_int *m, const dap_scalapack_int *n, const void *a,
                         const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                         const dap_scalapack_int *desca, void *b, const dap_scalapack_int *ib,
                         const dap_scalapack_int *jb, const dap_scalapack_int *descb,
                         const dap_scalapack_int *context);
dap_pgemr2d pigemr2d_, psgemr2d_, pdgemr2d_, pcgemr2d_, pzgemr2d_;

/* The older variants, on all processes. */
typedef void dap_pgemr2do(const dap_scalapack_int *m, const dap_scalapack_int *n, const void *a,
                          const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                          const dap_scalapack_int *desca, void *b, const dap_scalapack_int *ib,
                          const dap_scalapack_int *jb, const dap_scalapack_int *descb);
dap_pgemr2do pigemr2do_, psgemr2do_, pdgemr2do_, pcgemr2do_, pzgemr2do_;

/* The C interface of both. */
typedef void dap_Cpgemr2d(dap_scalapack_int m, dap_scalapack_int n, const void *a, dap_scalapack_int ia,
                          dap_scalapack_int ja, const dap_scalapack_int *desca, void *b, dap_scalapack_int ib,
                          dap_scalapack_int jb, const dap_scalapack_int *descb, dap_scalapack_int context);
dap_Cpgemr2d Cpigemr2d, Cpsgemr2d, Cpdgemr2d, Cpcgemr2d, Cpzgemr2d;

typedef void dap_Cpgemr2do(dap_scalapack_int m, dap_scalapack_int n, const void *a, dap_scalapack_int ia,
                           dap_scalapack_int ja, const dap_scalapack_int *desca, void *b,
                           dap_scalapack_int ib, dap_scalapack_int jb, const dap_scalapack_int *descb);
dap_Cpgemr2do Cpigemr2do, Cpsgemr2do, Cpdgemr2do, Cpcgemr2do, Cpzgemr2do;

/* ---- Linear systems ------------------------------------------------------------------------------------ */

typedef void dap_pgetrf(const dap_scalapack_int *m, const dap_scalapack_int *n, void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, dap_scalapack_int *pivots, dap_scalapack_int *info);
dap_pgetrf psgetrf_, pdgetrf_, pcgetrf_, pzgetrf_;

typedef void dap_pgetrs(const char *trans, const dap_scalapack_int *n, const dap_scalapack_int *nrhs,
                        const void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const dap_scalapack_int *pivots, void *b,
                        const dap_scalapack_int *ib, const dap_scalapack_int *jb,
                        const dap_scalapack_int *descb, dap_scalapack_int *info);
dap_pgetrs psgetrs_, pdgetrs_, pcgetrs_, pzgetrs_;

typedef void dap_pgesv(const dap_scalapack_int *n, const dap_scalapack_int *nrhs, void *a,
                       const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                       const dap_scalapack_int *desca, dap_scalapack_int *pivots, void *b,
                       const dap_scalapack_int *ib, const dap_scalapack_int *jb,
                       const dap_scalapack_int *descb, dap_scalapack_int *info);
dap_pgesv psgesv_, pdgesv_, pcgesv_, pzgesv_;

typedef void dap_pgetri(const dap_scalapack_int *n, void *a, const dap_scalapack_int *ia,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca,
                        const dap_scalapack_int *pivots, void *work, const dap_scalapack_int *lwork,
                        dap_scalapack_int *iwork, const dap_scalapack_int *liwork, dap_scalapack_int *info);
dap_pgetri psgetri_, pdgetri_, pcgetri_, pzgetri_;

typedef void dap_pgecon(const char *norm, const dap_scalapack_int *n, const void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const void *anorm, void *rcond, void *work,
                        const dap_scalapack_int *lwork, void *iwork, const dap_scalapack_int *liwork,
                        dap_scalapack_int *info);
dap_pgecon psgecon_, pdgecon_, pcgecon_, pzgecon_;

typedef void dap_ppotrf(const char *uplo, const dap_scalapack_int *n, void *a, const dap_scalapack_int *ia,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca, dap_scalapack_int *info);
dap_ppotrf pspotrf_, pdpotrf_, pcpotrf_, pzpotrf_;

typedef void dap_ppotrs(const char *uplo, const dap_scalapack_int *n, const dap_scalapack_int *nrhs,
                        const void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, void *b, const dap_scalapack_int *ib,
                        const dap_scalapack_int *jb, const dap_scalapack_int *descb, dap_scalapack_int *info);
dap_ppotrs pspotrs_, pdpotrs_, pcpotrs_, pzpotrs_;

typedef void dap_pposv(const char *uplo, const dap_scalapack_int *n, const dap_scalapack_int *nrhs, void *a,
                       const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                       const dap_scalapack_int *desca, void *b, const dap_scalapack_int *ib,
                       const dap_scalapack_int *jb, const dap_scalapack_int *descb, dap_scalapack_int *info);
dap_pposv psposv_, pdposv_, pcposv_, pzposv_;

typedef void dap_pgels(const char *trans, const dap_scalapack_int *m, const dap_scalapack_int *n,
                       const dap_scalapack_int *nrhs, void *a, const dap_scalapack_int *ia,
                       const dap_scalapack_int *ja, const dap_scalapack_int *desca, void *b,
                       const dap_scalapack_int *ib, const dap_scalapack_int *jb,
                       const dap_scalapack_int *descb, void *work, const dap_scalapack_int *lwork,
                       dap_scalapack_int *info);
dap_pgels psgels_, pdgels_, pcgels_, pzgels_;

typedef void dap_plapiv(const char *direc, const char *rowcol, const char *pivroc, const dap_scalapack_int *m,
                        const dap_scalapack_int *n, void *a, const dap_scalapack_int *ia,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca,
                        const dap_scalapack_int *pivots, const dap_scalapack_int *ip,
                        const dap_scalapack_int *jp, const dap_scalapack_int *descip,
                        dap_scalapack_int *iwork);
dap_plapiv pslapiv_, pdlapiv_, pclapiv_, pzlapiv_;

/* ---- Orthogonal factorisations ------------------------------------------------------------------------- */

typedef void dap_pgeqrf(const dap_scalapack_int *m, const dap_scalapack_int *n, void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, void *tau, void *work, const dap_scalapack_int *lwork,
                        dap_scalapack_int *info);
dap_pgeqrf psgeqrf_, pdgeqrf_, pcgeqrf_, pzgeqrf_;

typedef void dap_porgqr(const dap_scalapack_int *m, const dap_scalapack_int *n, const dap_scalapack_int *k,
                        void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const void *tau, void *work,
                        const dap_scalapack_int *lwork, dap_scalapack_int *info);
dap_porgqr psorgqr_, pdorgqr_, pcungqr_, pzungqr_;

typedef void dap_pgelqf(const dap_scalapack_int *m, const dap_scalapack_int *n, void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, void *tau, void *work, const dap_scalapack_int *lwork,
                        dap_scalapack_int *info);
dap_pgelqf psgelqf_, pdgelqf_, pcgelqf_, pzgelqf_;

typedef void dap_porglq(const dap_scalapack_int *m, const dap_scalapack_int *n, const dap_scalapack_int *k,
                        void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const void *tau, void *work,
                        const dap_scalapack_int *lwork, dap_scalapack_int *info);
dap_porglq psorglq_, pdorglq_, pcunglq_, pzunglq_;

/* Multiply by Q of geqrf, or of gelqf (ormlq), which is not formed. trans: 'N', or 'T' ('C' if complex). */
typedef void dap_pormqr(const char *side, const char *trans, const dap_scalapack_int *m,
                        const dap_scalapack_int *n, const dap_scalapack_int *k, const void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const void *tau, void *c, const dap_scalapack_int *ic,
                        const dap_scalapack_int *jc, const dap_scalapack_int *descc, void *work,
                        const dap_scalapack_int *lwork, dap_scalapack_int *info);
dap_pormqr psormqr_, pdormqr_, pcunmqr_, pzunmqr_, psormlq_, pdormlq_, pcunmlq_, pzunmlq_;

/* With column pivoting. pivots: of the local columns, the original one, counted from 1; psgeqpf sends them as
 * floats, which hold those up to 2^24. work: where a process has rows and no columns one element more than
 * lwork is written. */
typedef void dap_pgeqpf(const dap_scalapack_int *m, const dap_scalapack_int *n, void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, dap_scalapack_int *pivots, void *tau, void *work,
                        const dap_scalapack_int *lwork, dap_scalapack_int *info);
typedef void dap_pcgeqpf(const dap_scalapack_int *m, const dap_scalapack_int *n, void *a,
                         const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                         const dap_scalapack_int *desca, dap_scalapack_int *pivots, void *tau, void *work,
                         const dap_scalapack_int *lwork, void *rwork, const dap_scalapack_int *lrwork,
                         dap_scalapack_int *info);
dap_pgeqpf psgeqpf_, pdgeqpf_;
dap_pcgeqpf pcgeqpf_, pzgeqpf_;

/* ---- Bands --------------------------------------------------------------------------------------------- */

/* Warning: pivots needs more room than the comments of p?gbtrf ask for: NB + 2 BWL + 3 BWU. Both need a
 * diagonal beside the main one. Where a process meets a pivot of 0 in its own columns a message is left that
 * spoils later calls. p?gbtrs solves with the matrix itself whatever `trans` is. */
typedef void dap_pgbtrf(const dap_scalapack_int *n, const dap_scalapack_int *bwl,
                        const dap_scalapack_int *bwu, void *a, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, dap_scalapack_int *pivots, void *af,
                        const dap_scalapack_int *laf, void *work, const dap_scalapack_int *lwork,
                        dap_scalapack_int *info);
typedef void dap_pgbtrs(const char *trans, const dap_scalapack_int *n, const dap_scalapack_int *bwl,
                        const dap_scalapack_int *bwu, const dap_scalapack_int *nrhs, void *a,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca,
                        dap_scalapack_int *pivots, void *b, const dap_scalapack_int *ib,
                        const dap_scalapack_int *descb, void *af, const dap_scalapack_int *laf, void *work,
                        const dap_scalapack_int *lwork, dap_scalapack_int *info);
dap_pgbtrf psgbtrf_, pdgbtrf_, pcgbtrf_, pzgbtrf_;
dap_pgbtrs psgbtrs_, pdgbtrs_, pcgbtrs_, pzgbtrs_;

/* Warning: where the last process has a whole block af needs BW * BW elements more than the comments ask
 * for. */
typedef void dap_ppbtrf(const char *uplo, const dap_scalapack_int *n, const dap_scalapack_int *bw, void *a,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca, void *af,
                        const dap_scalapack_int *laf, void *work, const dap_scalapack_int *lwork,
                        dap_scalapack_int *info);
typedef void dap_ppbtrs(const char *uplo, const dap_scalapack_int *n, const dap_scalapack_int *bw,
                        const dap_scalapack_int *nrhs, void *a, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, void *b, const dap_scalapack_int *ib,
                        const dap_scalapack_int *descb, void *af, const dap_scalapack_int *laf, void *work,
                        const dap_scalapack_int *lwork, dap_scalapack_int *info);
dap_ppbtrf pspbtrf_, pdpbtrf_, pcpbtrf_, pzpbtrf_;
dap_ppbtrs pspbtrs_, pdpbtrs_, pcpbtrs_, pzpbtrs_;

/* ---- Tools --------------------------------------------------------------------------------------------- */

typedef void dap_plaset(const char *uplo, const dap_scalapack_int *m, const dap_scalapack_int *n,
                        const void *alpha, const void *beta, void *a, const dap_scalapack_int *ia,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca);
dap_plaset pslaset_, pdlaset_, pclaset_, pzlaset_;

typedef void dap_placpy(const char *uplo, const dap_scalapack_int *m, const dap_scalapack_int *n,
                        const void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, void *b, const dap_scalapack_int *ib,
                        const dap_scalapack_int *jb, const dap_scalapack_int *descb);
dap_placpy pslacpy_, pdlacpy_, pclacpy_, pzlacpy_;

/* cfrom, cto: of the real type. */
typedef void dap_plascl(const char *type, const void *cfrom, const void *cto, const dap_scalapack_int *m,
                        const dap_scalapack_int *n, void *a, const dap_scalapack_int *ia,
                        const dap_scalapack_int *ja, const dap_scalapack_int *desca, dap_scalapack_int *info);
dap_plascl pslascl_, pdlascl_, pclascl_, pzlascl_;

/* Warning: with LAPACK 3.10 and later the norm 'F' can be wrong by a factor of 10 and more if some columns
 * or processes have elements above 4.5e15 (float) or 2e146 (double), or below 1e-19 or 1.5e-146, and
 * others do not. The same is true of p?lansy, p?lanhe, p?lantr and p?lanhs. dap_linalg_norm() does not
 * have this problem. */
float pslange_(const char *norm, const dap_scalapack_int *m, const dap_scalapack_int *n, const void *a,
               const dap_scalapack_int *ia, const dap_scalapack_int *ja, const dap_scalapack_int *desca,
               void *work);
double pdlange_(const char *norm, const dap_scalapack_int *m, const dap_scalapack_int *n, const void *a,
                const dap_scalapack_int *ia, const dap_scalapack_int *ja, const dap_scalapack_int *desca,
                void *work);
float pclange_(const char *norm, const dap_scalapack_int *m, const dap_scalapack_int *n, const void *a,
               const dap_scalapack_int *ia, const dap_scalapack_int *ja, const dap_scalapack_int *desca,
               void *work);
double pzlange_(const char *norm, const dap_scalapack_int *m, const dap_scalapack_int *n, const void *a,
                const dap_scalapack_int *ia, const dap_scalapack_int *ja, const dap_scalapack_int *desca,
                void *work);

/* Prints that argument `info` of `routine`, a name of `length` characters, is wrong, and returns. A
 * program may define its own. */
void pxerbla_(const dap_scalapack_int *context, const char *routine, const dap_scalapack_int *info,
              size_t length);

/* The number of elements on process iproc of nprocs, of n in blocks of nb; block 0 is on isrcproc. */
dap_scalapack_int numroc_(const dap_scalapack_int *n, const dap_scalapack_int *nb,
                          const dap_scalapack_int *iproc, const dap_scalapack_int *isrcproc,
                          const dap_scalapack_int *nprocs);

/* The process that has the global index `index`, counted from 1; its local index there; and the global
 * index of a local one on process iproc. indxg2p_() ignores iproc, indxg2l_() iproc and isrcproc. */
dap_scalapack_int indxg2p_(const dap_scalapack_int *index, const dap_scalapack_int *nb,
                           const dap_scalapack_int *iproc, const dap_scalapack_int *isrcproc,
                           const dap_scalapack_int *nprocs);
dap_scalapack_int indxg2l_(const dap_scalapack_int *index, const dap_scalapack_int *nb,
                           const dap_scalapack_int *iproc, const dap_scalapack_int *isrcproc,
                           const dap_scalapack_int *nprocs);
dap_scalapack_int indxl2g_(const dap_scalapack_int *index, const dap_scalapack_int *nb,
                           const dap_scalapack_int *iproc, const dap_scalapack_int *isrcproc,
                           const dap_scalapack_int *nprocs);

/* Fills the descriptor desc[9] of an m x n matrix in blocks of mb x nb, the first on process (irsrc,
 * icsrc) of `context`. *info: -i if argument i is wrong, else 0. */
void descinit_(dap_scalapack_int *desc, const dap_scalapack_int *m, const dap_scalapack_int *n,
               const dap_scalapack_int *mb, const dap_scalapack_int *nb, const dap_scalapack_int *irsrc,
               const dap_scalapack_int *icsrc, const dap_scalapack_int *context, const dap_scalapack_int *lld,
               dap_scalapack_int *info);

/* Set element (ia, ja), counted from 1, on the process that has it; get it as *alpha on all processes of
 * the scope (" ": on that process alone), collectively. */
typedef void dap_pelset(void *a, const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca, const void *alpha);
typedef void dap_pelget(const char *scope, const char *topology, void *alpha, const void *a,
                        const dap_scalapack_int *ia, const dap_scalapack_int *ja,
                        const dap_scalapack_int *desca);
dap_pelset pselset_, pdelset_, pcelset_, pzelset_;
dap_pelget pselget_, pdelget_, pcelget_, pzelget_;

#ifdef __cplusplus
}
#endif

#endif
