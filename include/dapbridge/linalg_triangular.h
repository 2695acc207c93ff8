/**
 * @file
 * Linear systems and products with triangular matrices, and products of a matrix with its transpose.
 *
 * The rules that linalg.h states for all functions also apply here. Only one triangle of a triangular or
 * symmetric matrix is read. `uplo` names this triangle, whatever the array's storage order. 'L' is the
 * triangle on and below the diagonal, and 'U' is the triangle on and above it. The other triangle may contain
 * anything.
 */
#ifndef DAPBRIDGE_LINALG_TRIANGULAR_H
#define DAPBRIDGE_LINALG_TRIANGULAR_H

#include <dapbridge/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Solves op(A) X = alpha B or X op(A) = alpha B with a triangular A.
 *
 * If a diagonal element is zero or subnormal, report.info is the index, from 1, of the first such element.
 * Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param side     'L': op(A) is on the left; 'R': op(A) is on the right
 * @param uplo     the triangle of A that is read: 'L' or 'U'
 * @param trans    op(A) is A ('N'), A^T ('T') or A^H ('C')
 * @param diag     'N': the diagonal is read; 'U': ones are used instead
 * @param alpha    [2] real part, imaginary part (0 for real matrices); NULL means 1
 * @param a        matrix (m, m) for side 'L', (n, n) for 'R'; only read
 * @param b        right-hand sides (m, n) or (m,); receives X
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or B is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: a diagonal element is zero or subnormal, or the triangle contains NaN or infinity
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_linalg_triangular_solve(MPI_Comm comm, char side, char uplo, char trans, char diag,
                                               const double alpha[2], dap_darray a, dap_darray b,
                                               const dap_linalg_options *options, dap_error *err);

/**
 * Computes B = alpha op(A) B or B = alpha B op(A) with a triangular A.
 *
 * Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param side     'L': op(A) is on the left; 'R': op(A) is on the right
 * @param uplo     the triangle of A that is read: 'L' or 'U'
 * @param trans    op(A) is A ('N'), A^T ('T') or A^H ('C')
 * @param diag     'N': the diagonal is read; 'U': ones are used instead
 * @param alpha    [2] real part, imaginary part (0 for real matrices); NULL means 1
 * @param a        matrix (m, m) for side 'L', (n, n) for 'R'; only read
 * @param b        matrix (m, n) or (m,); receives the product
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or B is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_linalg_triangular_multiply(MPI_Comm comm, char side, char uplo, char trans, char diag,
                                                  const double alpha[2], dap_darray a, dap_darray b,
                                                  const dap_linalg_options *options, dap_error *err);

/**
 * Computes C = alpha A A' + beta C or C = alpha A' A + beta C.
 *
 * If `uplo` is 'A', only C's lower triangle is read. See bridge/docs/linalg.md, "Triangles". Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param form     'H': A' is A^H; 'S': A' is A^T
 * @param uplo     'L' or 'U': only this triangle of C is computed; 'A': both triangles are computed
 * @param trans    'N': A A' with A (n, k); 'T': A' A with A (k, n)
 * @param alpha    [2] real part, imaginary part (0 if `form` is 'H', or for real matrices); NULL means 1
 * @param a        matrix A, as described for `trans`, or one column (n,); only read
 * @param beta     [2] real part, imaginary part (0 if `form` is 'H', or for real matrices); NULL means 0
 * @param c        receives C (n, n); not read if beta is 0
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or C is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_linalg_rank_k(MPI_Comm comm, char form, char uplo, char trans, const double alpha[2],
                                     dap_darray a, const double beta[2], dap_darray c,
                                     const dap_linalg_options *options, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
