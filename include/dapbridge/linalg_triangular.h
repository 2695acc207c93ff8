/* dapbridge/linalg_triangular.h: triangular matrices, and products of a matrix with itself.
 *
 * What linalg.h says of all functions, and of errors, is true of these, too. Of triangular and of symmetric
 * matrices only one triangle is read, which `uplo` names as it is in the array, whatever its storage order:
 * 'L' is on and below the diagonal, 'U' on and above it. The other one may hold anything.
 *
 * alpha, beta [2]: real and imaginary part; NULL: alpha = 1, beta = 0. DAP_ERR_ARG if they differ between
 * processes, or have imaginary parts with real matrices. */
#ifndef DAPBRIDGE_LINALG_TRIANGULAR_H
#define DAPBRIDGE_LINALG_TRIANGULAR_H

#include <dapbridge/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Solves op(A) X = alpha B (side 'L') or X op(A) = alpha B ('R') with a triangular A (trsm). trans: op(A)
 * is A ('N'), its transpose ('T') or its conjugate transpose ('C'). diag: 'U' takes the diagonal for ones
 * without reading it, 'N' reads it.
 * A (m, m) with side 'L', (n, n) with 'R': only read. B (m, n), or (m,), which counts as a column:
 * overwritten with X.
 * DAP_ERR_NUMERIC: A is singular, and A(info, info) is the first zero on its diagonal; or A(info, info) is
 * subnormal; or an element of its triangle is not finite (info is 0). BLAS may multiply by the reciprocal of
 * a subnormal element, which overflows. */
DAP_API dap_status dap_linalg_triangular_solve(MPI_Comm comm, char side, char uplo, char trans, char diag,
                                               const double alpha[2], dap_darray a, dap_darray b,
                                               const dap_linalg_options *options, dap_error *err);

/* B = alpha op(A) B (side 'L') or B = alpha B op(A) ('R'), with a triangular A (trmm); arguments as
 * above. NaN and infinity propagate. */
DAP_API dap_status dap_linalg_triangular_multiply(MPI_Comm comm, char side, char uplo, char trans, char diag,
                                                  const double alpha[2], dap_darray a, dap_darray b,
                                                  const dap_linalg_options *options, dap_error *err);

/* C = alpha A A' + beta C (trans 'N') or C = alpha A' A + beta C ('T'), where ' is the conjugate
 * transpose if form is 'H' (herk; syrk of real matrices), and the transpose if it is 'S' (syrk).
 * A (n, k) with trans 'N', (k, n) with 'T', or (n,), which counts as a column: only read. C (n, n): with
 * beta = 0 not read. uplo: the triangle of C that is computed, 'L' or 'U', while the other one keeps its
 * values; or 'A': both, of which only the lower one is read.
 * NaN and infinity propagate. DAP_ERR_ARG also for imaginary parts of alpha or beta with form 'H'.
 * Elements on the diagonal of C have imaginary parts of 0 with form 'H', and theirs are not read. */
DAP_API dap_status dap_linalg_rank_k(MPI_Comm comm, char form, char uplo, char trans, const double alpha[2],
                                     dap_darray a, const double beta[2], dap_darray c,
                                     const dap_linalg_options *options, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
