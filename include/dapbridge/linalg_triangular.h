/**
 * @file
 * Triangular matrices, and products of a matrix with itself.
 *
 * The rules for all functions in linalg.h also apply here. Only one triangle of a triangular or symmetric
 * matrix is read. `uplo` names the triangle of the array, whatever its storage order: 'L' is the part on and
 * below the diagonal, 'U' the part on and above it. The other triangle may contain anything.
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
 * report.info is the index of the first zero or subnormal element on A's diagonal. The reciprocal of a
 * subnormal number may overflow. Collective.
 *
 * @param comm     communicator whose rank i is process i of every layout
 * @param side     'L': op(A) is on the left; 'R': on the right
 * @param uplo     the triangle of A that is read: 'L' or 'U'
 * @param trans    op(A) is A ('N'), its transpose ('T') or its conjugate transpose ('C')
 * @param diag     'N': the diagonal is read; 'U': ones are used instead
 * @param alpha    [2] real and imaginary part; NULL means 1. For real matrices the imaginary part must be 0.
 * @param a        matrix, (m, m) with side 'L' or (n, n) with 'R'; only read
 * @param b        right-hand sides (m, n), or (m,) for one column; receives X
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, extents are wrong, or operands overlap
 *  - DAP_ERR_BUFFER: types are unsupported or differ, a buffer does not match its layout, or B is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_NUMERIC: a diagonal element is zero or subnormal, or the triangle is not finite
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_linalg_triangular_solve(MPI_Comm comm, char side, char uplo, char trans, char diag,
                                               const double alpha[2], dap_darray a, dap_darray b,
                                               const dap_linalg_options *options, dap_error *err);

/**
 * Computes B = alpha op(A) B or B = alpha B op(A) with a triangular A.
 *
 * The function uses ScaLAPACK's trmm. NaN and infinity propagate. Collective.
 *
 * @param comm     communicator whose rank i is process i of every layout
 * @param side     'L': op(A) is on the left; 'R': on the right
 * @param uplo     the triangle of A that is read: 'L' or 'U'
 * @param trans    op(A) is A ('N'), its transpose ('T') or its conjugate transpose ('C')
 * @param diag     'N': the diagonal is read; 'U': ones are used instead
 * @param alpha    [2] real and imaginary part; NULL means 1. For real matrices the imaginary part must be 0.
 * @param a        matrix, (m, m) with side 'L' or (n, n) with 'R'; only read
 * @param b        matrix (m, n), or (m,) for one column; receives the product
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, extents are wrong, or operands overlap
 *  - DAP_ERR_BUFFER: types are unsupported or differ, a buffer does not match its layout, or B is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_linalg_triangular_multiply(MPI_Comm comm, char side, char uplo, char trans, char diag,
                                                  const double alpha[2], dap_darray a, dap_darray b,
                                                  const dap_linalg_options *options, dap_error *err);

/**
 * Computes C = alpha A A' + beta C, or C = alpha A' A + beta C.
 *
 * With form 'H', imaginary parts on C's diagonal are not read, and become 0. With uplo 'A', only C's lower
 * triangle is read. NaN and infinity propagate. Collective.
 *
 * @param comm     communicator whose rank i is process i of every layout
 * @param form     A' is the conjugate transpose ('H') or the transpose ('S')
 * @param uplo     the triangle of C that is computed: 'L' or 'U' (the other triangle is unchanged), or 'A'
 *                 for both
 * @param trans    'N': A A' with A (n, k); 'T': A' A with A (k, n)
 * @param alpha    [2] real and imaginary part; NULL means 1. Must be real with form 'H'.
 * @param a        factor; (n,) counts as one column; only read
 * @param beta     [2] real and imaginary part; NULL means 0. Must be real with form 'H'.
 * @param c        receives the product (n, n); not read if beta is 0
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, extents are wrong, or operands overlap
 *  - DAP_ERR_BUFFER: types are unsupported or differ, a buffer does not match its layout, or C is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
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
