/* dapbridge/linalg.h: dense linear algebra on distributed arrays.
 *
 * Each function solves a whole problem with ScaLAPACK, for arrays of any layout, storage order and process
 * grid. If ScaLAPACK can use an operand in place (C order as the transposed matrix), it computes in the
 * caller's buffer; otherwise the operand is moved to a block-cyclic copy, and results are moved back.
 *
 * For all functions:
 * - They are collective on `comm`, which must be exactly the processes of every operand's layout, in rank
 *   order.
 * - The caller keeps ownership of all arrays. A zeroed dap_darray stands for a result that is not wanted,
 *   where that is allowed.
 * - Matrices are arrays of 2 axes and of one type: f4, f8, c8 or c16. Vectors and right-hand sides may have
 *   1 axis. Eigenvalues and singular values have the matrices' real type. Communication padding is neither
 *   read nor written.
 * - Workspace: an operand described as workspace may be overwritten. options.keep preserves it by copying;
 *   a read-only one is always preserved.
 * - NaN and infinity in A, or in the triangle of it that is read, give DAP_ERR_NUMERIC, whose text names
 *   one (report.info is 0). Only multiply, norm and qr propagate them to their results. Those in B
 *   propagate to X.
 * - Operands may share memory only if none of them is written. Overlaps are detected by
 *   dap_array_overlaps() on each process, which may miss one between buffers whose strides do not nest.
 * - Unless stated otherwise nothing is written to results on error, but workspace may have been
 *   overwritten.
 * - BLACS is not thread-safe, so neither are these functions. */

/* Errors of all functions, the same on every process:
 *   DAP_ERR_ARG      NULL; a letter or an option out of range; a layout that is not on comm's processes;
 *                    numbers of axes or extents that do not match (named); operands that overlap; arguments
 *                    that differ between processes
 *   DAP_ERR_BUFFER   element types; results that are read-only, have a stride of 0 or overlap themselves; a
 *                    buffer's extents; no data
 *   DAP_ERR_NUMERIC  no such solution: singular, not positive definite, no convergence; see report.info
 *   DAP_ERR_SHARE    with DAP_SHARE_OR_FAIL: an operand must be moved, or workspace preserved
 *   DAP_ERR_RANGE    numbers that exceed ScaLAPACK's integers
 *   DAP_ERR_LIBRARY  an MPI error, or a routine that rejects its arguments
 *   DAP_ERR_UNSUPPORTED, DAP_ERR_NOMEM */
#ifndef DAPBRIDGE_LINALG_H
#define DAPBRIDGE_LINALG_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <dapbridge/mpi_family.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How an operand was used. */
typedef struct dap_linalg_use {
  char name[8];                /* "A", as in the comment of the function */
  bool shared;                 /* computed in the caller's own buffer; the same on every process */
  int64_t moved_bytes;         /* bytes that this process copied or sent, to the matrix and back */
  char reason[DAP_ERROR_TEXT]; /* why it is shared, or why not; the same on every process */
} dap_linalg_use;

enum { DAP_LINALG_USES = 4 };

/* The algorithm that finds eigenvalues and vectors, by the name of LAPACK's driver. */
typedef enum dap_eigh_solver {
  /* The backend, if there is one that has the matrix's type. Otherwise DAP_EIGH_EVR for vectors of at most
   * n / 8 eigenvalues by index, and DAP_EIGH_EVD for all else. */
  DAP_EIGH_AUTO,
  DAP_EIGH_EV,  /* QR iteration (syev, heev): several times slower, the least work space */
  DAP_EIGH_EVD, /* divide and conquer (sytrd or hetrd, stedc, ormtr or unmtr: the steps of syevd and heevd) */
  /* MRRR (sytrd or hetrd; stemr of LAPACK on process 0; ormtr or unmtr). Its vectors of close eigenvalues may
   * be less orthogonal. DAP_EIGH_EVD takes its place where it fails; the report says so. */
  DAP_EIGH_EVR,
  DAP_EIGH_BACKEND /* the backend; an error where it cannot */
} dap_eigh_solver;

struct dap_eigh_backend; /* eigh_backend.h */

/* Which eigenvalues are wanted. */
typedef enum dap_eigh_range {
  DAP_EIGH_ALL,
  DAP_EIGH_BY_INDEX, /* number start <= k < stop, in ascending order from 0 */
  DAP_EIGH_BY_VALUE  /* above < w <= up_to; infinity is allowed */
} dap_eigh_range;

/* Zeroed: all eigenvalues, by DAP_EIGH_AUTO. */
typedef struct dap_eigh_options {
  dap_eigh_solver solver;
  dap_eigh_range range;
  int64_t start, stop; /* of DAP_EIGH_BY_INDEX */
  double above, up_to; /* of DAP_EIGH_BY_VALUE */
  /* Another library that finds eigenvalues: dap_elpa_backend() (elpa.h), or one's own (eigh_backend.h). NULL:
   * none. It computes all eigenvalues up to the last one that is wanted. Vectors of a part of the spectrum
   * take workspace for n columns. */
  const struct dap_eigh_backend *backend;
} dap_eigh_options;

/* The algorithm that finds singular values and vectors, by the name of LAPACK's driver. */
typedef enum dap_svd_solver {
  DAP_SVD_AUTO,  /* DAP_SVD_GESDD, unless process 0 has not the memory or the integers for it */
  DAP_SVD_GESVD, /* QR iteration on every process (gesvd): many times slower, and no matrix on process 0 */
  DAP_SVD_GESDD  /* divide and conquer (gebrd; bdsdc of LAPACK on process 0; ormbr or unmbr) */
} dap_svd_solver;

/* Zeroed: DAP_SVD_AUTO. */
typedef struct dap_svd_options {
  dap_svd_solver solver;
} dap_svd_options;

typedef struct dap_linalg_report {
  int count; /* of uses, in the order of the arguments */
  dap_linalg_use uses[DAP_LINALG_USES];
  int64_t info; /* with DAP_ERR_NUMERIC: the number that its text names, columns counted from 1; else 0 */
  /* Of dap_linalg_eigh() and dap_linalg_eigh_generalized(): */
  dap_eigh_solver solver; /* what was taken, never DAP_EIGH_AUTO */
  int64_t found;          /* eigenvalues in the range */
  /* The same in words, as "divide and conquer" or "ELPA, 1 stage", and why it is not what was to be
   * preferred; of dap_linalg_svd(), dap_linalg_schur() and dap_linalg_eig(), too. */
  char method[DAP_ERROR_TEXT];
} dap_linalg_report;

/* NULL or zeroed: the defaults. The same on every process but for `report`. */
typedef struct dap_linalg_options {
  /* For matrices and right-hand sides; DAP_SHARE_OR_FAIL makes moving one an error. By default a large matrix
   * that is factorised is moved although it could be shared, if its blocks would make that slow
   * (bridge/docs/linalg.md, "Block sizes and grids"). It does not apply to eigenvalues and singular values:
   * every process computes all of them and stores its own. */
  dap_sharing sharing;
  bool keep;                 /* preserve workspace, by copying it */
  int64_t block_size;        /* of moved matrices; 0: 64, or 32, or less for small ones */
  dap_linalg_report *report; /* NULL, or filled; on error as far as the function got */
  dap_eigh_options eigh;     /* of dap_linalg_eigh() and dap_linalg_eigh_generalized() */
  dap_svd_options svd;       /* of dap_linalg_svd() */
} dap_linalg_options;

/* ---- linear systems ------------------------------------------------------------------------------ */

/* Solves op(A) X = B by LU factorisation with partial pivoting (getrf). trans: op(A) is A ('N'), its
 * transpose ('T') or its conjugate transpose ('C').
 * A (n, n): workspace. B (n, nrhs), or (n,) for one right-hand side: overwritten with X.
 * DAP_ERR_NUMERIC: A is singular; info is the first k with U(k, k) = 0 in the factors of A, or of its
 * transpose if A is in C order. */
DAP_API dap_status dap_linalg_solve(MPI_Comm comm, char trans, dap_darray a, dap_darray b,
                                    const dap_linalg_options *options, dap_error *err);

/* Solves A X = B for a symmetric (Hermitian) positive definite A by Cholesky factorisation (potrf). Only the
 * triangle `uplo` of A is read, 'L' or 'U'; the other one may hold anything.
 * A (n, n): workspace. B (n, nrhs) or (n,): overwritten with X.
 * DAP_ERR_NUMERIC: the leading minor of order info is not positive. Indefinite matrices are for
 * dap_linalg_solve(): ScaLAPACK has no factorisation that uses their symmetry. */
DAP_API dap_status dap_linalg_cholesky_solve(MPI_Comm comm, char uplo, dap_darray a, dap_darray b,
                                             const dap_linalg_options *options, dap_error *err);

/* Minimises ||A x - b|| for each column b of B, with A (m, n) of full rank (gels, by QR or LQ): the least
 * squares solution if m >= n, else the solution of least norm.
 * A (m, n) and B (m, nrhs) or (m,): workspace. X (n, nrhs) or (n,): the result.
 * A and B are only read if there are 65,536 rows or more for each process, and 64 or more for each column
 * and process (bridge/docs/linalg.md, "Tall least squares and QR").
 * DAP_ERR_NUMERIC: element info of the triangular factor's diagonal is exactly 0. The rank is not checked
 * beyond that. */
DAP_API dap_status dap_linalg_least_squares(MPI_Comm comm, dap_darray a, dap_darray b, dap_darray x,
                                            const dap_linalg_options *options, dap_error *err);

/* Overwrites A (n, n) with its inverse (getrf, getri).
 * DAP_ERR_NUMERIC: A is singular, U(info, info) = 0. A shared A has then been overwritten by its factors. */
DAP_API dap_status dap_linalg_inverse(MPI_Comm comm, dap_darray a, const dap_linalg_options *options,
                                      dap_error *err);

/* The determinant of A (n, n) as sign * exp(log), which cannot overflow. sign [2]: real and imaginary part of
 * a number of absolute value 1. If A is singular, sign is 0 and *log is -infinity. 1 for n = 0.
 * A: workspace. */
DAP_API dap_status dap_linalg_determinant(MPI_Comm comm, dap_darray a, double sign[2], double *log,
                                          const dap_linalg_options *options, dap_error *err);

/* Estimates the reciprocal condition number 1 / (||A|| ||inverse of A||) of A (n, n) in the norm '1' or 'I',
 * with Higham's estimator, as ScaLAPACK's psgecon and pdgecon are wrong. But for rounding the estimate is
 * never too small. 0 if A is singular; 1 for n = 0.
 * A: workspace. */
DAP_API dap_status dap_linalg_condition(MPI_Comm comm, char norm, dap_darray a, double *rcond,
                                        const dap_linalg_options *options, dap_error *err);

/* ---- products and norms -------------------------------------------------------------------------- */

/* C = alpha op(A) op(B) + beta C (gemm); trans_a and trans_b as `trans` of dap_linalg_solve(). op(A) (m, k),
 * op(B) (k, n), C (m, n); a vector (n,) counts as a column. C must not overlap A or B.
 * alpha, beta [2]: real and imaginary part. NULL: alpha = 1, beta = 0. With beta = 0 C is not read.
 * DAP_ERR_ARG also for an imaginary part of alpha or beta with real matrices. */
DAP_API dap_status dap_linalg_multiply(MPI_Comm comm, char trans_a, char trans_b, const double alpha[2],
                                       dap_darray a, dap_darray b, const double beta[2], dap_darray c,
                                       const dap_linalg_options *options, dap_error *err);

/* A norm of A (m, n), which is only read. norm: '1' largest column sum, 'I' largest row sum, 'M' largest
 * absolute value, or 'F' Frobenius; by own sums, as lange's 'F' can be wrong (scalapack_calls.h) and its
 * others pass over NaN. Sums and largest value are of absolute values. 0 for an empty matrix. */
DAP_API dap_status dap_linalg_norm(MPI_Comm comm, char norm, dap_darray a, double *value,
                                   const dap_linalg_options *options, dap_error *err);

/* ---- factorisations ------------------------------------------------------------------------------ */

/* A = Q R with orthonormal columns in Q (geqrf; orgqr or ungqr); k = min(m, n).
 * A (m, n): workspace. Q (m, k). R (k, n): upper triangular, with zeros below the diagonal. Q or R may be
 * zeroed if it is not wanted. If m >= n, Q may be A itself, with the same layout and strides; A is then
 * overwritten even with options.keep.
 * A is only read, unless Q is A, if there are 65,536 rows or more for each process, and 64 or more for each
 * column and process (bridge/docs/linalg.md, "Tall least squares and QR"). */
DAP_API dap_status dap_linalg_qr(MPI_Comm comm, dap_darray a, dap_darray q, dap_darray r,
                                 const dap_linalg_options *options, dap_error *err);

/* ---- eigenvalues and singular values --------------------------------------------------------------- */

/* Eigenvalues and eigenvectors of a symmetric (Hermitian) matrix. uplo: the triangle of A that is read, 'L'
 * or 'U'; 'A': all of A, which saves a backend that needs both triangles from filling one.
 * options.eigh chooses a part of the spectrum, and the algorithm.
 * A (n, n): workspace. W (k,): the eigenvalues, real, in ascending order. Z (n, k): column j is an
 * eigenvector for W[j], and all are orthonormal; zeroed: no vectors are wanted. k is n, or stop - start; of a
 * range of values it is the room there is: report.found of it is used, W is NaN and Z zero in the rest.
 * ScaLAPACK writes vectors as columns, so Z can be shared in F order only, and together with A only if that
 * is in F order, too. A shared Z may have been overwritten on error.
 * DAP_ERR_ARG: a range that is none, or has more values than W has room for (report.found says how many).
 * DAP_ERR_NUMERIC: eigenvalue number info did not converge or is not finite; n + 1: the processes computed
 * different ones.
 * With a backend also its errors; with DAP_EIGH_BACKEND DAP_ERR_UNSUPPORTED if it has not the type. */
DAP_API dap_status dap_linalg_eigh(MPI_Comm comm, char uplo, dap_darray a, dap_darray w, dap_darray z,
                                   const dap_linalg_options *options, dap_error *err);

/* The same of A z = w B z, with a Hermitian positive definite B (potrf, sygst or hegst, trsm). Of both only
 * the triangle `uplo` is read ('A': one of them). The vectors are B-orthonormal: Z^H B Z = I.
 * A (n, n) and B (n, n): workspace. W and Z: as above.
 * DAP_ERR_NUMERIC also if B is not positive definite: info is the order of the leading minor. */
DAP_API dap_status dap_linalg_eigh_generalized(MPI_Comm comm, char uplo, dap_darray a, dap_darray b,
                                               dap_darray w, dap_darray z, const dap_linalg_options *options,
                                               dap_error *err);

/* A = U diag(S) VT; k = min(m, n). options.svd chooses the algorithm.
 * A (m, n): workspace. S (k,): the singular values, real, in descending order. U (m, k): the left singular
 * vectors. VT (k, n): the conjugate transpose of the right ones. U or VT may be zeroed if it is not wanted.
 * Where they are shared they may have been overwritten on error.
 * Memory: vectors by DAP_SVD_GESDD take 5 k^2 real elements on process 0 (k = 10000 doubles: 4 GB), and
 * integers of 32 bits count to k = 26754. Where it cannot have that DAP_SVD_AUTO takes DAP_SVD_GESVD and
 * report.method says so, while DAP_SVD_GESDD is DAP_ERR_NOMEM or DAP_ERR_RANGE. If m is at least 1.6 n, or
 * n 1.6 m, it factors A first (geqrf, gelqf) and takes k^2 / P elements more of each of P processes.
 * A matrix with fewer rows and fewer columns than there are processes is decomposed by LAPACK on process 0.
 * A matrix with at least four rows for each column and process, or four columns for each row and process, is
 * decomposed by QR factors of its rows or columns (bridge/docs/linalg.md, "Tall and wide matrices"). A is
 * then only read, and the memory is a few MB if n is small.
 * DAP_ERR_NUMERIC: info superdiagonals (of DAP_SVD_GESDD: a singular value) did not converge, or singular
 * value number info is not finite; with DAP_SVD_GESVD k + 1: the processes computed different ones. */
DAP_API dap_status dap_linalg_svd(MPI_Comm comm, dap_darray a, dap_darray u, dap_darray s, dap_darray vt,
                                  const dap_linalg_options *options, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
