/**
 * @file
 * Dense linear algebra on distributed arrays.
 *
 * Each function solves a whole problem with ScaLAPACK, for arrays of any layout, storage order and process
 * grid. If ScaLAPACK can use an operand in place, it computes in the caller's buffer. It treats a C-order
 * array as the transposed matrix. Otherwise dapbridge moves the operand to a block-cyclic copy, and moves
 * results back.
 *
 * For all functions:
 *
 *  - They are collective on `comm`, which must contain exactly the processes of every operand's layout, in
 *    rank order.
 *  - The caller keeps ownership of all arrays. A zeroed dap_darray stands for a result that is not wanted,
 *    where that is allowed.
 *  - Matrices have 2 axes and one type: float32, float64, complex64 or complex128. Vectors and right-hand
 *    sides may have 1 axis. Eigenvalues and singular values have the matrices' real type.
 *  - Communication padding is neither read nor written.
 *  - An operand described as workspace may be overwritten. options.keep preserves it by copying. A read-only
 *    operand is always preserved.
 *  - If A, or the triangle of A that is read, contains NaN or infinity, the status is DAP_ERR_NUMERIC. The
 *    text names one such element, and report.info is 0. Only products, dap_linalg_norm() and dap_linalg_qr()
 *    propagate NaN and infinity to their results.
 *  - Operands may share memory only if none of them is written. dap_array_overlaps() detects overlaps on each
 *    process. It may miss overlaps between buffers whose strides do not nest.
 *  - Unless stated otherwise, nothing is written to results on error. Workspace may have been overwritten.
 *  - `options` are the same on every process, except `report`.
 *  - BLACS is not thread-safe, so neither are these functions.
 *
 * bridge/docs/linalg.md lists the functions and says how each one computes, and what each error means.
 */
#ifndef DAPBRIDGE_LINALG_H
#define DAPBRIDGE_LINALG_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <dapbridge/mpi_family.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How an operand was used. */
typedef struct dap_linalg_use {
  char name[8];                /**< "A", as in the comment of the function */
  bool shared;                 /**< the function computed in the caller's buffer; the same on every process */
  int64_t moved_bytes;         /**< bytes that this process copied or sent, to the matrix and back */
  char reason[DAP_ERROR_TEXT]; /**< why it is shared, or why not; the same on every process */
} dap_linalg_use;

enum { DAP_LINALG_USES = 4 /**< the most operands of a function */ };

/**
 * The algorithm that finds eigenvalues and vectors, by the name of LAPACK's driver.
 *
 * DAP_EIGH_AUTO chooses the backend, if there is one that has the matrix's type. Otherwise it chooses
 * DAP_EIGH_EVR for vectors of at most n / 8 eigenvalues by index, and DAP_EIGH_EVD in all other cases.
 * DAP_EIGH_EVD replaces DAP_EIGH_EVR if that fails, and report.method says so. bridge/docs/linalg.md,
 * "Eigenvalues", names the routines.
 */
typedef enum dap_eigh_solver {
  DAP_EIGH_AUTO,   /**< chooses one of the others, see above */
  DAP_EIGH_EV,     /**< QR iteration (syev, heev): several times slower, with the least workspace */
  DAP_EIGH_EVD,    /**< divide and conquer: the steps of syevd and heevd */
  DAP_EIGH_EVR,    /**< MRRR, partly on process 0; vectors of close eigenvalues may be less orthogonal */
  DAP_EIGH_BACKEND /**< the backend; an error if it does not have the matrix's type */
} dap_eigh_solver;

struct dap_eigh_backend; /* eigh_backend.h */

/** Which eigenvalues are wanted. */
typedef enum dap_eigh_range {
  DAP_EIGH_ALL,      /**< all of them */
  DAP_EIGH_BY_INDEX, /**< numbers start <= k < stop, in ascending order, counted from 0 */
  DAP_EIGH_BY_VALUE  /**< above < w <= up_to; infinity is allowed */
} dap_eigh_range;

/**
 * Options of dap_linalg_eigh() and dap_linalg_eigh_generalized(). Zeroed: all eigenvalues, by DAP_EIGH_AUTO.
 *
 * A backend computes all eigenvalues up to the last one that is wanted. It needs workspace for n columns even
 * if vectors of only some eigenvalues are wanted.
 */
typedef struct dap_eigh_options {
  dap_eigh_solver solver; /**< the algorithm */
  dap_eigh_range range;   /**< eigenvalues that are wanted */
  /** DAP_EIGH_BY_INDEX: number of the first eigenvalue, counted from 0 */
  int64_t start;
  int64_t stop;                           /**< DAP_EIGH_BY_INDEX: number after the last eigenvalue */
  double above;                           /**< DAP_EIGH_BY_VALUE: eigenvalues are greater than this */
  double up_to;                           /**< DAP_EIGH_BY_VALUE: eigenvalues are at most this */
  const struct dap_eigh_backend *backend; /**< such as dap_elpa_backend() (elpa.h); NULL means none */
} dap_eigh_options;

/** The algorithm that finds singular values and vectors, by the name of LAPACK's driver. */
typedef enum dap_svd_solver {
  DAP_SVD_AUTO,  /**< DAP_SVD_GESDD, unless process 0 lacks the memory or the integers for it */
  DAP_SVD_GESVD, /**< QR iteration on every process (gesvd): many times slower, no matrix on process 0 */
  DAP_SVD_GESDD  /**< divide and conquer (gebrd; bdsdc of LAPACK on process 0; ormbr or unmbr) */
} dap_svd_solver;

/** Options of dap_linalg_svd(). Zeroed: DAP_SVD_AUTO. */
typedef struct dap_svd_options {
  dap_svd_solver solver; /**< the algorithm */
} dap_svd_options;

/**
 * A function's report. After an error it describes the steps that were done.
 *
 * dap_linalg_eigh() and dap_linalg_eigh_generalized() set solver, found and method. dap_linalg_svd(),
 * dap_linalg_schur() and dap_linalg_eig() set method.
 */
typedef struct dap_linalg_report {
  int count;                            /**< operands, in the order of the arguments */
  dap_linalg_use uses[DAP_LINALG_USES]; /**< [count] how each operand was used */
  /** with DAP_ERR_NUMERIC: the number in its text, counted from 1; else 0 */
  int64_t info;
  dap_eigh_solver solver;      /**< the algorithm that was used; never DAP_EIGH_AUTO */
  int64_t found;               /**< eigenvalues in the range */
  char method[DAP_ERROR_TEXT]; /**< the algorithm ("ELPA, 1 stage"), and why it was chosen */
} dap_linalg_report;

/**
 * Options of all functions. NULL or a zeroed struct means the defaults. Options are the same on every
 * process, except `report`.
 *
 * By default large matrices whose blocks would make a factorisation slow are moved, even if they could be
 * shared (bridge/docs/linalg.md, "Block sizes and grids"). `sharing` does not apply to eigenvalues and
 * singular values: every process computes all of them and stores those of its part.
 */
typedef struct dap_linalg_options {
  dap_sharing sharing;       /**< whether matrices and right-hand sides may be copies */
  bool keep;                 /**< preserve workspace, by copying it */
  int64_t block_size;        /**< block size of moved matrices; 0 means 64 or 32, or less for small ones */
  dap_linalg_report *report; /**< receives the report; may be NULL */
  dap_eigh_options eigh;     /**< options of dap_linalg_eigh() and dap_linalg_eigh_generalized() */
  dap_svd_options svd;       /**< options of dap_linalg_svd() */
} dap_linalg_options;

/* ---- linear systems ------------------------------------------------------------------------------ */

/**
 * Solves op(A) X = B by LU factorisation with partial pivoting.
 *
 * If A is singular, report.info is the first k with U(k, k) = 0. U is the factor of A, or of the transposed
 * matrix if A is in C order. NaN and infinity in B reach X.
 *
 *     dap_linalg_solve(comm, 'N', a, b, NULL, &err); // B receives X
 *
 * Collective.
 *
 * @param comm     communicator whose rank i is process i of every operand's layout
 * @param trans    op(A) is A ('N'), its transpose ('T') or its conjugate transpose ('C')
 * @param a        matrix (n, n); workspace
 * @param b        right-hand sides (n, nrhs) or (n,); receives X
 * @param options  NULL for the defaults
 * @param err      receives the text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs between processes, extents are wrong, or operands overlap
 *  - DAP_ERR_BUFFER: an element type is unsupported or differs, a buffer does not match its layout, or B
 *    cannot be written
 *  - DAP_ERR_SHARE: a copy is needed, but DAP_SHARE_OR_FAIL forbids it
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_NUMERIC: A is singular or not finite, or a pivot or X is out of the type's range
 *  - DAP_ERR_UNSUPPORTED: a partial axis
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_lu(), dap_linalg_solve_refined()
 */
DAP_API dap_status dap_linalg_solve(MPI_Comm comm, char trans, dap_darray a, dap_darray b,
                                    const dap_linalg_options *options, dap_error *err);

/**
 * Solves A X = B for a symmetric (Hermitian) positive definite A by Cholesky factorisation.
 *
 * The triangle that is not read may hold anything. If A is not positive definite, report.info is the order of
 * the first leading minor that is not positive. ScaLAPACK has no factorisation for indefinite symmetric
 * matrices: use dap_linalg_solve(). NaN and infinity in B reach X. Collective.
 *
 * @param comm     communicator whose rank i is process i of every operand's layout
 * @param uplo     the triangle of A that is read: 'L' or 'U'
 * @param a        matrix (n, n); workspace
 * @param b        right-hand sides (n, nrhs) or (n,); receives X
 * @param options  NULL for the defaults
 * @param err      receives the text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs between processes, extents are wrong, or operands overlap
 *  - DAP_ERR_BUFFER: an element type is unsupported or differs, a buffer does not match its layout, or B
 *    cannot be written
 *  - DAP_ERR_SHARE: a copy is needed, but DAP_SHARE_OR_FAIL forbids it
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_NUMERIC: A is not positive definite, or the triangle is not finite
 *  - DAP_ERR_UNSUPPORTED: a partial axis
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_cholesky()
 */
DAP_API dap_status dap_linalg_cholesky_solve(MPI_Comm comm, char uplo, dap_darray a, dap_darray b,
                                             const dap_linalg_options *options, dap_error *err);

/**
 * Minimises ||A x - b|| for each column b of B, with A of full rank.
 *
 * X is the least squares solution if m >= n, otherwise the solution of least norm. Very tall A and B are only
 * read, see bridge/docs/linalg.md, "Tall least squares and QR". The function does not check the rank, but
 * fails if an element on the triangular factor's diagonal is exactly 0. report.info is the first such
 * element. NaN and infinity in B reach X. Collective.
 *
 * @param comm     communicator whose rank i is process i of every operand's layout
 * @param a        matrix (m, n) of full rank; workspace
 * @param b        right-hand sides (m, nrhs) or (m,); workspace
 * @param x        receives the solutions (n, nrhs) or (n,)
 * @param options  NULL for the defaults
 * @param err      receives the text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs between processes, extents are wrong, or operands overlap
 *  - DAP_ERR_BUFFER: an element type is unsupported or differs, a buffer does not match its layout, or X
 *    cannot be written
 *  - DAP_ERR_SHARE: a copy is needed, but DAP_SHARE_OR_FAIL forbids it
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_NUMERIC: a zero on the factor's diagonal, or A is not finite
 *  - DAP_ERR_UNSUPPORTED: a partial axis
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_least_squares_rank()
 */
DAP_API dap_status dap_linalg_least_squares(MPI_Comm comm, dap_darray a, dap_darray b, dap_darray x,
                                            const dap_linalg_options *options, dap_error *err);

/**
 * Overwrites A with its inverse.
 *
 * If A is singular, report.info is the first k with U(k, k) = 0 in its LU factors. The factors may then have
 * overwritten a shared A. For systems of equations dap_linalg_solve() is faster and more accurate.
 * Collective.
 *
 * @param comm     communicator whose rank i is process i of every operand's layout
 * @param a        matrix (n, n); receives the inverse
 * @param options  NULL for the defaults
 * @param err      receives the text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs between processes, or extents are wrong
 *  - DAP_ERR_BUFFER: an element type is unsupported or differs, a buffer does not match its layout, or A
 *    cannot be written
 *  - DAP_ERR_SHARE: a copy is needed, but DAP_SHARE_OR_FAIL forbids it
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_NUMERIC: A is singular or not finite, or its inverse exceeds the type's range
 *  - DAP_ERR_UNSUPPORTED: a partial axis
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_factors_inverse()
 */
DAP_API dap_status dap_linalg_inverse(MPI_Comm comm, dap_darray a, const dap_linalg_options *options,
                                      dap_error *err);

/**
 * Computes the determinant of A as sign * exp(log), which cannot overflow.
 *
 * For a singular A sign is 0 and *log is -infinity. For n = 0 the determinant is 1. Collective.
 *
 * @param comm     communicator whose rank i is process i of every operand's layout
 * @param a        matrix (n, n); workspace
 * @param sign     [2] receives the real and imaginary part of a number of absolute value 1
 * @param log      receives the logarithm of the absolute value
 * @param options  NULL for the defaults
 * @param err      receives the text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs between processes, or extents are wrong
 *  - DAP_ERR_BUFFER: an element type is unsupported or differs, or a buffer does not match its layout
 *  - DAP_ERR_SHARE: a copy is needed, but DAP_SHARE_OR_FAIL forbids it
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_NUMERIC: A or a pivot is not finite
 *  - DAP_ERR_UNSUPPORTED: a partial axis
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_factors_determinant()
 */
DAP_API dap_status dap_linalg_determinant(MPI_Comm comm, dap_darray a, double sign[2], double *log,
                                          const dap_linalg_options *options, dap_error *err);

/**
 * Estimates the reciprocal condition number 1 / (||A|| ||inverse of A||).
 *
 * The estimator is Higham's, because ScaLAPACK's psgecon and pdgecon are wrong. Except for rounding the
 * estimate is never too small. The estimate is 0 for a singular A and 1 for n = 0. Collective.
 *
 * @param comm     communicator whose rank i is process i of every operand's layout
 * @param norm     '1': largest column sum; 'I': largest row sum
 * @param a        matrix (n, n); workspace
 * @param rcond    receives the estimate
 * @param options  NULL for the defaults
 * @param err      receives the text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs between processes, or extents are wrong
 *  - DAP_ERR_BUFFER: an element type is unsupported or differs, or a buffer does not match its layout
 *  - DAP_ERR_SHARE: a copy is needed, but DAP_SHARE_OR_FAIL forbids it
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_NUMERIC: A or a pivot is not finite
 *  - DAP_ERR_UNSUPPORTED: a partial axis
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_factors_condition()
 */
DAP_API dap_status dap_linalg_condition(MPI_Comm comm, char norm, dap_darray a, double *rcond,
                                        const dap_linalg_options *options, dap_error *err);

/* ---- products and norms -------------------------------------------------------------------------- */

/**
 * Computes C = alpha op(A) op(B) + beta C.
 *
 * op(A) is (m, k), op(B) is (k, n) and C is (m, n). A vector (n,) counts as a column. NaN and infinity
 * propagate. Collective.
 *
 *     dap_linalg_multiply(comm, 'N', 'N', NULL, a, b, NULL, c, NULL, &err); // C = A B
 *
 * @param comm     communicator whose rank i is process i of every operand's layout
 * @param trans_a  op(A) is A ('N'), its transpose ('T') or its conjugate transpose ('C')
 * @param trans_b  op(B) is B ('N'), its transpose ('T') or its conjugate transpose ('C')
 * @param alpha    [2] real and imaginary part; NULL means 1; imaginary part 0 for real matrices
 * @param a        first factor; only read
 * @param b        second factor; only read
 * @param beta     [2] real and imaginary part; NULL means 0; imaginary part 0 for real matrices
 * @param c        receives the product; not read if beta is 0; must not overlap A or B
 * @param options  NULL for the defaults
 * @param err      receives the text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs between processes, extents are wrong, or operands overlap
 *  - DAP_ERR_BUFFER: an element type is unsupported or differs, a buffer does not match its layout, or C
 *    cannot be written
 *  - DAP_ERR_SHARE: a copy is needed, but DAP_SHARE_OR_FAIL forbids it
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_UNSUPPORTED: a partial axis
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_rank_k(), dap_linalg_triangular_multiply()
 */
DAP_API dap_status dap_linalg_multiply(MPI_Comm comm, char trans_a, char trans_b, const double alpha[2],
                                       dap_darray a, dap_darray b, const double beta[2], dap_darray c,
                                       const dap_linalg_options *options, dap_error *err);

/**
 * Computes a norm of A.
 *
 * Sums and maxima are those of absolute values. An empty matrix has norm 0. NaN and infinity propagate.
 * dapbridge computes the norm itself, because ScaLAPACK's lange can be wrong with 'F' and ignores NaN with
 * the others. Collective.
 *
 * @param comm     communicator whose rank i is process i of every operand's layout
 * @param norm     '1': largest column sum; 'I': largest row sum; 'M': largest element; 'F': Frobenius norm
 * @param a        matrix (m, n); only read
 * @param value    receives the norm
 * @param options  NULL for the defaults
 * @param err      receives the text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs between processes, or extents are wrong
 *  - DAP_ERR_BUFFER: the element type is unsupported, or the buffer does not match its layout
 *  - DAP_ERR_SHARE: a copy is needed, but DAP_SHARE_OR_FAIL forbids it
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_UNSUPPORTED: a partial axis
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_linalg_norm(MPI_Comm comm, char norm, dap_darray a, double *value,
                                   const dap_linalg_options *options, dap_error *err);

/* ---- factorisations ------------------------------------------------------------------------------ */

/**
 * Factors A = Q R with orthonormal columns in Q.
 *
 * k is min(m, n). If m >= n, Q may be A itself, with the same layout and strides; A is then overwritten even
 * with options.keep. Very tall A is only read unless Q is A, see bridge/docs/linalg.md,
 * "Tall least squares and QR". NaN and infinity propagate. Collective.
 *
 * @param comm     communicator whose rank i is process i of every operand's layout
 * @param a        matrix (m, n); workspace
 * @param q        receives Q (m, k); pass a zeroed dap_darray if you do not want it
 * @param r        receives R (k, n), upper triangular, with zeros below the diagonal; pass a zeroed
 *                 dap_darray if you do not want it
 * @param options  NULL for the defaults
 * @param err      receives the text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs between processes, extents are wrong, or operands overlap
 *  - DAP_ERR_BUFFER: an element type is unsupported or differs, a buffer does not match its layout, or a
 *    result cannot be written
 *  - DAP_ERR_SHARE: a copy is needed, but DAP_SHARE_OR_FAIL forbids it
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_UNSUPPORTED: a partial axis
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_qr_pivoted()
 */
DAP_API dap_status dap_linalg_qr(MPI_Comm comm, dap_darray a, dap_darray q, dap_darray r,
                                 const dap_linalg_options *options, dap_error *err);

/* ---- eigenvalues and singular values --------------------------------------------------------------- */

/**
 * Computes eigenvalues and eigenvectors of a symmetric (Hermitian) matrix.
 *
 * options->eigh chooses the algorithm and a part of the spectrum. k is n, or stop - start. For a range of
 * values, k is the capacity of W and Z. Beyond the first report.found, W is then NaN and Z zero. Z can be
 * shared only in F order, and may then have been overwritten on error. Collective.
 *
 * @param comm     communicator whose rank i is process i of every operand's layout
 * @param uplo     the part of A that is read: 'L' or 'U' (this triangle), or 'A' (all)
 * @param a        matrix (n, n); workspace
 * @param w        receives the eigenvalues (k,), real, in ascending order
 * @param z        receives orthonormal eigenvectors (n, k) as columns; pass a zeroed dap_darray if you do not
 *                 want them
 * @param options  NULL for the defaults
 * @param err      receives the text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs, extents are wrong, operands overlap, or W is too short
 *  - DAP_ERR_BUFFER: an element type is unsupported or differs, a buffer does not match its layout, or a
 *    result cannot be written
 *  - DAP_ERR_SHARE: a copy is needed, but DAP_SHARE_OR_FAIL forbids it
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_NUMERIC: an eigenvalue did not converge or is not finite, or A is not finite
 *  - DAP_ERR_UNSUPPORTED: the backend does not have the type, or an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY, and the backend's errors
 * @see dap_linalg_eigh_generalized()
 */
DAP_API dap_status dap_linalg_eigh(MPI_Comm comm, char uplo, dap_darray a, dap_darray w, dap_darray z,
                                   const dap_linalg_options *options, dap_error *err);

/**
 * Solves A z = w B z with a Hermitian A and a Hermitian positive definite B.
 *
 * options->eigh chooses the algorithm and a part of the spectrum, which determines k (see dap_linalg_eigh()).
 * The vectors are B-orthonormal: Z^H B Z = I. A shared Z may have been overwritten on error. Collective.
 *
 * @param comm     communicator whose rank i is process i of every operand's layout
 * @param uplo     the triangle of A and B that is read: 'L' or 'U'; 'A': both are set, and one is read
 * @param a        matrix (n, n); workspace
 * @param b        matrix (n, n); workspace
 * @param w        receives the eigenvalues (k,), real, in ascending order
 * @param z        receives the eigenvectors (n, k) as columns; pass a zeroed dap_darray if you do not want
 *                 them
 * @param options  NULL for the defaults
 * @param err      receives the text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs, extents are wrong, operands overlap, or W is too short
 *  - DAP_ERR_BUFFER: an element type is unsupported or differs, a buffer does not match its layout, or a
 *    result cannot be written
 *  - DAP_ERR_SHARE: a copy is needed, but DAP_SHARE_OR_FAIL forbids it
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_NUMERIC: B is not positive definite, an eigenvalue did not converge or is not finite, or A or B
 *    is not finite
 *  - DAP_ERR_UNSUPPORTED: the backend does not have the type, or an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY, and the backend's errors
 * @see dap_linalg_eigh()
 */
DAP_API dap_status dap_linalg_eigh_generalized(MPI_Comm comm, char uplo, dap_darray a, dap_darray b,
                                               dap_darray w, dap_darray z, const dap_linalg_options *options,
                                               dap_error *err);

/**
 * Computes singular values and vectors: A = U diag(S) VT.
 *
 * k is min(m, n). options->svd chooses the algorithm, and report.method names it. If process 0 has too little
 * memory for DAP_SVD_GESDD, DAP_SVD_AUTO chooses DAP_SVD_GESVD. bridge/docs/linalg.md, "Singular values",
 * lists the memory needed, and describes the methods for small, tall and wide matrices. A shared U or VT may
 * have been overwritten on error. Collective.
 *
 * @param comm     communicator whose rank i is process i of every operand's layout
 * @param a        matrix (m, n); workspace; only read if it is tall or wide
 * @param u        receives left singular vectors (m, k); pass a zeroed dap_darray if you do not want them
 * @param s        receives the singular values (k,), real, in descending order
 * @param vt       receives the conjugate transpose of the right vectors (k, n); pass a zeroed dap_darray if
 *                 you do not want it
 * @param options  NULL for the defaults
 * @param err      receives the text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is invalid or differs between processes, extents are wrong, or operands overlap
 *  - DAP_ERR_BUFFER: an element type is unsupported or differs, a buffer does not match its layout, or a
 *    result cannot be written
 *  - DAP_ERR_SHARE: a copy is needed, but DAP_SHARE_OR_FAIL forbids it
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers, or with DAP_SVD_GESDD those of LAPACK
 *  - DAP_ERR_NUMERIC: no convergence, or A or a value is not finite
 *  - DAP_ERR_UNSUPPORTED: a partial axis
 *  - DAP_ERR_NOMEM: a process has too little memory, such as process 0 for DAP_SVD_GESDD
 *  - DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_linalg_svd(MPI_Comm comm, dap_darray a, dap_darray u, dap_darray s, dap_darray vt,
                                  const dap_linalg_options *options, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
