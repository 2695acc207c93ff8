/**
 * @file
 * Products and norms of matrices.
 *
 * The rules that linalg.h states for all functions also apply here.
 */
#ifndef DAPBRIDGE_LINALG_MULTIPLY_H
#define DAPBRIDGE_LINALG_MULTIPLY_H

#include <dapbridge/array.h>
#include <dapbridge/linalg_options.h>
#include <dapbridge/mpi_family.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Computes C = alpha op(A) op(B) + beta C.
 *
 * The shapes are (m, k) for op(A), (k, n) for op(B) and (m, n) for C. A vector is treated as one column.
 * Collective.
 *
 *     dap_linalg_multiply(comm, 'N', 'N', NULL, a, b, NULL, c, NULL, &err); // C = A B
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param trans_a  op(A) is A ('N'), A^T ('T') or A^H ('C')
 * @param trans_b  op(B) is B ('N'), B^T ('T') or B^H ('C')
 * @param alpha    [2] real part, imaginary part (0 for real matrices); NULL means 1
 * @param a        first factor; only read
 * @param b        second factor; only read
 * @param beta     [2] real part, imaginary part (0 for real matrices); NULL means 0
 * @param c        receives C; not read if beta is 0
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
 * @see dap_linalg_rank_k(), dap_linalg_triangular_multiply()
 */
DAP_API dap_status dap_linalg_multiply(MPI_Comm comm, char trans_a, char trans_b, const double alpha[2],
                                       dap_darray a, dap_darray b, const double beta[2], dap_darray c,
                                       const dap_linalg_options *options, dap_error *err);

/**
 * Computes a norm of A.
 *
 * Sums and maxima are taken over absolute values. The norm of an empty matrix is 0. dapbridge does not use
 * ScaLAPACK's lange, because lange ignores NaN and can return wrong Frobenius norms. Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param norm     '1': largest column sum; 'I': largest row sum; 'M': largest element; 'F': Frobenius norm
 * @param a        matrix (m, n); only read
 * @param value    receives the norm
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes
 *  - DAP_ERR_BUFFER: the type is unsupported, or the buffer does not match its layout
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_linalg_norm(MPI_Comm comm, char norm, dap_darray a, double *value,
                                   const dap_linalg_options *options, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
