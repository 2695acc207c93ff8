/* dapbridge/linalg.h: dense linear algebra on distributed arrays.
 *
 * Whole problems, for arrays of any layout, storage order and process grid, computed by ScaLAPACK. Each function
 * sees its operands where they lie when ScaLAPACK can take them so (C order as the transposed matrix), and moves
 * them otherwise; results are in the caller's arrays.
 *
 * What holds for all of them:
 * - Collective on `comm`, which must be exactly the processes of every operand's layout, in rank order.
 * - Matrices are arrays of 2 axes of one type, f4, f8, c8 or c16; vectors and right-hand sides may have 1 axis. Real
 *   results (eigenvalues, singular values) have the matrices' real type. Communication padding is neither read nor
 *   written.
 * - An operand that is overwritten needs a writable buffer. One that is only work space (said at each function) may be
 *   changed where its buffer is shared; options.keep keeps it, at the price of a copy, and a read-only one is kept
 *   always.
 * - NaN and infinity: where A, or the triangle of it that is read, has one, DAP_ERR_NUMERIC names it (report.info is 0).
 *   Only multiply, norm and qr let them pass into their results; and those of B go into X.
 * - Errors, the same on every process: DAP_ERR_ARG (NULL; a letter or an option that is none of its values; a layout
 *   that is not on comm's processes; numbers of axes or extents that do not fit: named; two operands in one buffer
 *   that one of them changes; arguments that differ between processes), DAP_ERR_BUFFER (types, read-only results,
 *   strides of 0 in them, extents of a buffer, no data), DAP_ERR_NUMERIC (the problem has no such solution: singular, not
 *   definite, no convergence; words, and report.info), DAP_ERR_RANGE (more than ScaLAPACK's integers hold),
 *   DAP_ERR_SHARE (with DAP_SHARE_OR_FAIL; also for work space that must be kept), DAP_ERR_UNSUPPORTED, DAP_ERR_NOMEM,
 *   DAP_ERR_LIBRARY (MPI; a routine that refuses its arguments). Where nothing else is said results are not written on
 *   error, and work space may have been.
 * - BLACS is not thread-safe, so neither are these. */
#ifndef DAPBRIDGE_LINALG_H
#define DAPBRIDGE_LINALG_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One distributed array as this process sees it. Both are borrowed for the call. A zeroed one stands for a result
 * that is not wanted, where that is allowed. */
typedef struct dap_operand {
  const dap_layout *layout;
  const dap_array *array;
} dap_operand;

/* What became of an operand. */
typedef struct dap_linalg_use {
  char name[8];                /* "A", as in the function's comment */
  bool shared;                 /* computed in the caller's own buffer; the same on every process */
  int64_t moved_bytes;         /* bytes that this process copied or sent for it, there and back */
  char reason[DAP_ERROR_TEXT]; /* why shared, or the first condition that failed; the same on every process */
} dap_linalg_use;

enum { DAP_LINALG_USES = 4 };

typedef struct dap_linalg_report {
  int count; /* of uses, in the order of the arguments */
  dap_linalg_use uses[DAP_LINALG_USES];
  int64_t info; /* with DAP_ERR_NUMERIC: the number that its text names, as columns from 1 on; else 0 */
} dap_linalg_report;

/* NULL or zeroed: the defaults. The same on every process but for `report`. */
typedef struct dap_linalg_options {
  dap_sharing sharing;       /* of all operands: DAP_SHARE_OR_FAIL makes a move an error */
  bool keep;                 /* work space keeps its values */
  int64_t block_size;        /* of moved matrices; 0: 64, or less if the matrix is small */
  dap_linalg_report *report; /* NULL, or filled, as far as it got on error */
} dap_linalg_options;

/* ---- linear systems ------------------------------------------------------------------------------ */

/* Solves op(A) X = B by LU factorisation with partial pivoting (getrf). A (n, n) is work space. B (n, nrhs), or (n,)
 * for one right-hand side, is overwritten with X. trans: 'N' op(A) = A, 'T' the transpose, 'C' the conjugate
 * transpose. DAP_ERR_NUMERIC: A is singular; info is the first column k with U(k, k) = 0 in A's, or with an
 * A in C order its transpose's, factor. */
DAP_API dap_status dap_linalg_solve(MPI_Comm comm, char trans, dap_operand a, dap_operand b,
                                    const dap_linalg_options *options, dap_error *err);

/* Solves A X = B for a symmetric (Hermitian) positive definite A by Cholesky factorisation (potrf), reading one
 * triangle of A, uplo 'L' or 'U', of which the other may hold anything. A (n, n) is work space; B as above.
 * DAP_ERR_NUMERIC: the leading minor of order info is not positive. */
DAP_API dap_status dap_linalg_cholesky_solve(MPI_Comm comm, char uplo, dap_operand a, dap_operand b,
                                             const dap_linalg_options *options, dap_error *err);

/* Minimises ||A x - b|| for each column b of B: the least squares solution of full rank A (m, n) with m >= n, else
 * the one of least norm (gels, by QR or LQ). A and B, (m, nrhs) or (m,), are work space; X, (n, nrhs) or (n,), is the
 * result. The rank is not checked, but for exact zeros on the factor's diagonal: DAP_ERR_NUMERIC, info is the first
 * one's place. */
DAP_API dap_status dap_linalg_least_squares(MPI_Comm comm, dap_operand a, dap_operand b, dap_operand x,
                                            const dap_linalg_options *options, dap_error *err);

/* Overwrites A (n, n) with its inverse (getrf, getri). DAP_ERR_NUMERIC: singular at column info; A is then not its
 * old self where it was shared. */
DAP_API dap_status dap_linalg_inverse(MPI_Comm comm, dap_operand a, const dap_linalg_options *options,
                                      dap_error *err);

/* The determinant of A (n, n), which is work space, as sign * exp(log): sign[2] is a number of absolute value 1 (real
 * part, imaginary part), or 0 where A is singular, and *log then -infinity. Never overflows. Of n = 0: 1. */
DAP_API dap_status dap_linalg_determinant(MPI_Comm comm, dap_operand a, double sign[2], double *log,
                                          const dap_linalg_options *options, dap_error *err);

/* Estimates 1 / (||A|| ||inverse of A||) of A (n, n), which is work space, in the norm '1' or 'I'; never too small but
 * for rounding (Higham's estimator; gecon's real version is wrong). 0 where A is singular, 1 of n = 0. */
DAP_API dap_status dap_linalg_condition(MPI_Comm comm, char norm, dap_operand a, double *rcond,
                                        const dap_linalg_options *options, dap_error *err);

/* ---- products and norms -------------------------------------------------------------------------- */

/* C = alpha op(A) op(B) + beta C (gemm); op by trans_a and trans_b, each 'N', 'T' or 'C'. op(A) (m, k), op(B) (k, n),
 * C (m, n); a vector (n,) counts as a column. alpha and beta [2]: real and imaginary part; NULL: 1, and 0, with which C
 * is not read. C must not overlap A or B. DAP_ERR_ARG also for an imaginary part of alpha or beta with real
 * matrices. */
DAP_API dap_status dap_linalg_multiply(MPI_Comm comm, char trans_a, char trans_b, const double alpha[2],
                                       dap_operand a, dap_operand b, const double beta[2], dap_operand c,
                                       const dap_linalg_options *options, dap_error *err);

/* A norm of A (m, n), which is only read: '1' largest column sum, 'I' largest row sum, 'F' Frobenius, 'M' largest
 * absolute value (lange; of complex elements moduli). Of an empty matrix 0. */
DAP_API dap_status dap_linalg_norm(MPI_Comm comm, char norm, dap_operand a, double *value,
                                   const dap_linalg_options *options, dap_error *err);

/* ---- factorisations ------------------------------------------------------------------------------ */

/* A = Q R with Q's columns orthonormal (geqrf, orgqr or ungqr), k = min(m, n): Q (m, k), R (k, n) upper triangular,
 * zeros below the diagonal; either may be zeroed: not wanted. A (m, n) is work space. Q may be A itself, with the same
 * layout and strides, where m >= n; options.keep then has no say. NaN and infinity of A are not refused: they go into Q
 * and R. */
DAP_API dap_status dap_linalg_qr(MPI_Comm comm, dap_operand a, dap_operand q, dap_operand r,
                                 const dap_linalg_options *options, dap_error *err);

/* ---- eigenvalues and singular values --------------------------------------------------------------- */

/* Eigenvalues W (n,), ascending, real, and, unless Z is zeroed, orthonormal eigenvectors of a symmetric (Hermitian)
 * A (n, n), of which the triangle uplo is read: column k of Z (n, n) belongs to W[k] (syev, heev). A is work space. Z can
 * be shared in F order only, as ScaLAPACK writes the vectors as columns. DAP_ERR_NUMERIC: eigenvalue number info did not
 * converge or is not finite; n + 1: the processes computed different ones. */
DAP_API dap_status dap_linalg_eigh(MPI_Comm comm, char uplo, dap_operand a, dap_operand w, dap_operand z,
                                   const dap_linalg_options *options, dap_error *err);

/* A = U diag(S) VT (gesvd), k = min(m, n): singular values S (k,), descending, real; U (m, k) and VT (k, n), the conjugate
 * transpose of the right singular vectors; both may be zeroed, or one. A (m, n) is work space. A matrix with fewer rows and
 * columns than there are processes is computed on process 0 (LAPACK). DAP_ERR_NUMERIC: no convergence, by info
 * superdiagonals, or singular value number info is not finite; k + 1: the processes computed different ones. */
DAP_API dap_status dap_linalg_svd(MPI_Comm comm, dap_operand a, dap_operand u, dap_operand s, dap_operand vt,
                                  const dap_linalg_options *options, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
