/* dapbridge/linalg_rank.h: the rank of distributed matrices, by QR factorisation with column pivoting.
 *
 * What linalg.h says of all its functions holds here, errors and options too. NaN and infinity in A give
 * DAP_ERR_NUMERIC, and so do elements so large that a column's length exceeds the type: scale them.
 *
 * The numerical rank is the number of elements k of R's diagonal, before the first one that is not, with
 * |R(k, k)| > tolerance * |R(0, 0)|. A tolerance below 0 stands for max(m, n) times the type's epsilon, which
 * is 1.2e-7 for float, but for 65,536 times epsilon at most. A few matrices, such as Kahan's, have a singular
 * value that is much smaller than all these elements. dap_linalg_svd() finds the singular values themselves.
 *
 * ScaLAPACK pivots columns only (geqpf), so A can be shared in F order only, unless its rows are factored.
 * It goes column by column, at the speed of matrix-vector products. */
#ifndef DAPBRIDGE_LINALG_RANK_H
#define DAPBRIDGE_LINALG_RANK_H

#include <dapbridge/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A P = Q R with orthonormal columns in Q and the absolute values on R's diagonal in descending order (geqpf;
 * orgqr or ungqr): column j of Q R is column P[j] of A. k = min(m, n).
 * A (m, n): workspace. Q (m, k). R (k, n): upper triangular, with zeros below the diagonal. P (n,): i4 or i8,
 * from 0. Q, R and P may be zeroed if they are not wanted. *rank: the numerical rank; NULL: not wanted.
 * DAP_ERR_ARG also for a tolerance that is NaN. */
DAP_API dap_status dap_linalg_qr_pivoted(MPI_Comm comm, double tolerance, dap_darray a, dap_darray q,
                                         dap_darray r, dap_darray p, int64_t *rank,
                                         const dap_linalg_options *options, dap_error *err);

/* Minimises ||A x - b|| for each column b of B, with A (m, n) of any rank; of all solutions the one of least
 * norm, as LAPACK's gelsy: by the factors above, of which what is beyond the rank is taken for 0, and an LQ
 * factorisation of the rest (gelqf).
 * A (m, n) and B (m, nrhs) or (m,): workspace. X (n, nrhs) or (n,): the result. *rank: as above.
 * DAP_ERR_ARG also for a tolerance that is NaN. */
DAP_API dap_status dap_linalg_least_squares_rank(MPI_Comm comm, double tolerance, dap_darray a, dap_darray b,
                                                 dap_darray x, int64_t *rank,
                                                 const dap_linalg_options *options, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
