/**
 * @file
 * Dense linear algebra on distributed arrays.
 *
 * The functions solve complete problems, mostly with ScaLAPACK. Arrays may have any storage order, and any
 * layout without partial axes. ScaLAPACK computes in the caller's buffer if it supports the layout and
 * strides of this buffer. ScaLAPACK treats a buffer in C order as the transposed matrix. If ScaLAPACK does
 * not support a buffer, dapbridge copies the operand to a block-cyclic buffer and copies results back.
 *
 * These rules apply to all functions:
 *
 *  - The functions are collective on `comm`. `comm` must contain exactly the processes of every operand's
 *    layout, in the same order: rank i of `comm` is process i of each layout.
 *  - The caller keeps ownership of all arrays. To leave out an optional result, pass a zeroed struct:
 *    (dap_darray){0}.
 *  - Matrices have 2 axes. Vectors and right-hand sides may have 1 axis. All matrices and right-hand sides of
 *    a call must have the same element type: float32, float64, complex64 or complex128. Eigenvalues and
 *    singular values have the real type of the same precision.
 *  - Communication padding is neither read nor written.
 *  - An operand that is described as workspace may be overwritten. If options.keep is set, or the operand is
 *    read-only, the function works on a copy.
 *  - dap_linalg_least_squares(), dap_linalg_qr() and the functions of linalg_rank.h do not overwrite very
 *    tall matrices (bridge/docs/linalg.md, "Tall least squares and QR"). However, they may overwrite such a
 *    matrix if DAP_SHARE_OR_FAIL is set and the method for tall matrices would have to move an operand.
 *  - If `uplo` is 'L' or 'U', only this triangle is read. The other triangle may contain anything.
 *  - If A, or the triangle of A that is read, contains NaN or infinity, the status is DAP_ERR_NUMERIC. The
 *    text of the error names one of these elements, and report.info is 0. However, dap_linalg_norm(),
 *    dap_linalg_qr() and functions that compute products propagate NaN and infinity in A to their results.
 *  - NaN and infinity in right-hand sides propagate to the solutions.
 *  - Operands may share memory only if none of them is written. To find overlaps, each process calls
 *    dap_array_overlaps(), which can miss some overlaps of strided buffers.
 *  - After an error, results are unchanged, unless the function's comment says otherwise. Workspace may have
 *    been overwritten.
 *  - All members of `options` except `report` must be the same on every process.
 *  - The functions are not thread-safe, because BLACS is not.
 *
 * bridge/docs/linalg.md lists the functions and explains how each function works and what each error means.
 */
#ifndef DAPBRIDGE_LINALG_H
#define DAPBRIDGE_LINALG_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>
#include <dapbridge/linalg_eigh.h>
#include <dapbridge/linalg_multiply.h>
#include <dapbridge/linalg_options.h>
#include <dapbridge/linalg_svd.h>
#include <dapbridge/mpi_family.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Solves op(A) X = B by LU factorisation with partial pivoting.
 *
 * If A is singular, report.info is the smallest k with U(k, k) = 0, where U is the upper triangular factor of
 * A, or of A^T if A is in C order. If X exceeds the type's range, the function fails after it has overwritten
 * a shared B. Collective.
 *
 *     dap_linalg_solve(comm, 'N', a, b, NULL, &err); // B receives X
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param trans    op(A) is A ('N'), A^T ('T') or A^H ('C')
 * @param a        matrix (n, n); workspace
 * @param b        right-hand sides (n, nrhs) or (n,); receives X
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or B is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: A is singular or contains NaN or infinity, a pivot is out of the type's range, or X
 *    exceeds the type's range although B is finite
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_lu(), dap_linalg_solve_refined()
 */
DAP_API dap_status dap_linalg_solve(MPI_Comm comm, char trans, dap_darray a, dap_darray b,
                                    const dap_linalg_options *options, dap_error *err);

/**
 * Solves A X = B for a symmetric (Hermitian) positive definite A by Cholesky factorisation.
 *
 * If A is not positive definite, report.info is the order of the first leading minor that is not positive.
 * For indefinite matrices, use dap_linalg_solve(). If X exceeds the type's range, the function fails after it
 * has overwritten a shared B. Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param uplo     the triangle of A that is read: 'L' or 'U'
 * @param a        matrix (n, n); workspace
 * @param b        right-hand sides (n, nrhs) or (n,); receives X
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or B is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: A is not positive definite, the triangle contains NaN or infinity, or X exceeds the
 *    type's range although B is finite
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_cholesky()
 */
DAP_API dap_status dap_linalg_cholesky_solve(MPI_Comm comm, char uplo, dap_darray a, dap_darray b,
                                             const dap_linalg_options *options, dap_error *err);

/**
 * Minimises ||A x - b|| for each column b of B, where A has full rank.
 *
 * X is the least squares solution if m >= n, and otherwise the solution of least norm. The function does not
 * check the rank, but fails if any diagonal element of the triangular factor is exactly 0. report.info is
 * then the index, from 1, of the first such element. Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param a        matrix (m, n) of full rank; workspace
 * @param b        right-hand sides (m, nrhs) or (m,); workspace
 * @param x        receives the solutions (n, nrhs) or (n,)
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or X is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: the triangular factor has a zero on its diagonal, or A contains NaN or infinity
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_least_squares_rank()
 */
DAP_API dap_status dap_linalg_least_squares(MPI_Comm comm, dap_darray a, dap_darray b, dap_darray x,
                                            const dap_linalg_options *options, dap_error *err);

/**
 * Overwrites A with its inverse.
 *
 * If A is singular, the function may have overwritten a shared A before it fails. To solve linear systems,
 * call dap_linalg_solve(), which is faster and more accurate. Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param a        matrix (n, n); receives the inverse
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or A is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: A is singular or contains NaN or infinity, or its inverse exceeds the type's range
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_factors_inverse()
 */
DAP_API dap_status dap_linalg_inverse(MPI_Comm comm, dap_darray a, const dap_linalg_options *options,
                                      dap_error *err);

/**
 * Computes the determinant of A in the form sign * exp(log), which cannot overflow.
 *
 * If A is singular, the sign is 0 and *log is -infinity. For n = 0, the determinant is 1. Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param a        matrix (n, n); workspace
 * @param sign     [2] receives the sign (real and imaginary parts), whose absolute value is 1 or 0
 * @param log      receives the logarithm of the determinant's absolute value
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes
 *  - DAP_ERR_BUFFER: element types are wrong, or a buffer does not match its layout
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: A contains NaN or infinity, or a pivot is out of the type's range
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_factors_determinant()
 */
DAP_API dap_status dap_linalg_determinant(MPI_Comm comm, dap_darray a, double sign[2], double *log,
                                          const dap_linalg_options *options, dap_error *err);

/**
 * Estimates the reciprocal condition number 1 / (||A|| ||inverse of A||).
 *
 * Apart from rounding, the estimate is never smaller than the exact value. The estimate is 0 for a singular
 * A, and 1 for n = 0. Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param norm     '1' for the 1-norm (column sums), 'I' for the infinity norm (row sums)
 * @param a        matrix (n, n); workspace
 * @param rcond    receives the estimate
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes
 *  - DAP_ERR_BUFFER: element types are wrong, or a buffer does not match its layout
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: A contains NaN or infinity, or a pivot is out of the type's range
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_factors_condition()
 */
DAP_API dap_status dap_linalg_condition(MPI_Comm comm, char norm, dap_darray a, double *rcond,
                                        const dap_linalg_options *options, dap_error *err);

/**
 * Computes the factorisation A = Q R, where Q has orthonormal columns.
 *
 * Q has k = min(m, n) columns. If m >= n, `q` may be the same array as `a`, with the same layout and strides.
 * In this case A is overwritten, even if options.keep is set. Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param a        matrix (m, n); workspace
 * @param q        receives Q (m, k); optional
 * @param r        receives R (k, n), upper triangular, with zeros below the diagonal; optional
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or a result is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_qr_pivoted()
 */
DAP_API dap_status dap_linalg_qr(MPI_Comm comm, dap_darray a, dap_darray q, dap_darray r,
                                 const dap_linalg_options *options, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
