/**
 * @file
 * The numerical rank of distributed matrices, from a QR factorisation with column pivoting.
 *
 * The rules that linalg.h states for all functions also apply here. If the elements of A are so large that
 * the norm of a column exceeds the type's range, the functions return DAP_ERR_NUMERIC. Scale A in this case.
 *
 * The default tolerance is max(m, n) times the type's epsilon (1.2e-7 for float32), but at most 65,536 times
 * epsilon. A few matrices, such as Kahan's, have a singular value that is much smaller than all diagonal
 * elements of the factor R. For such matrices, the functions can return a rank that is too large. If in
 * doubt, use the singular values from dap_linalg_svd().
 *
 * ScaLAPACK's geqpf can pivot only columns, so A can be shared only if it is in F order. Very tall matrices
 * can be shared in any storage order, because each process first factors its own rows. geqpf works on one
 * column at a time, so it is only as fast as matrix-vector products.
 */
#ifndef DAPBRIDGE_LINALG_RANK_H
#define DAPBRIDGE_LINALG_RANK_H

#include <dapbridge/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Computes A P = Q R with column pivoting, and finds the numerical rank.
 *
 * Column j of Q R is column P[j] of A. The diagonal elements of R decrease in magnitude. Q has k = min(m, n)
 * columns. The rank is the number of diagonal elements with |R(i, i)| > tolerance |R(0, 0)|. Collective.
 *
 * @param comm       contains exactly the layouts' processes, in the same order
 * @param tolerance  tolerance relative to |R(0, 0)|; a negative value means the default
 * @param a          matrix (m, n); workspace
 * @param q          receives Q (m, k); optional
 * @param r          receives R (k, n), upper triangular, with zeros below the diagonal; optional
 * @param p          receives the column indices P (n,), of type int32 or int64, counted from 0; optional
 * @param rank       receives the rank; may be NULL
 * @param options    NULL for the defaults
 * @param err        receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or a result is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: A contains NaN or infinity, or an element of R exceeds the type's range
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_least_squares_rank(), dap_linalg_qr()
 */
DAP_API dap_status dap_linalg_qr_pivoted(MPI_Comm comm, double tolerance, dap_darray a, dap_darray q,
                                         dap_darray r, dap_darray p, int64_t *rank,
                                         const dap_linalg_options *options, dap_error *err);

/**
 * Minimises ||A x - b|| for each column b of B, where A may have any rank.
 *
 * X is the minimum-norm solution, as in LAPACK's gelsy. bridge/docs/linalg.md, "Rank", describes the method.
 * Collective.
 *
 * @param comm       contains exactly the layouts' processes, in the same order
 * @param tolerance  see dap_linalg_qr_pivoted(); a negative value means the default
 * @param a          matrix (m, n); workspace
 * @param b          right-hand sides (m, nrhs) or (m,); workspace
 * @param x          receives the solutions (n, nrhs) or (n,)
 * @param rank       receives the rank; may be NULL
 * @param options    NULL for the defaults
 * @param err        receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or X is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: A contains NaN or infinity, or an element of R exceeds the type's range
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_least_squares()
 */
DAP_API dap_status dap_linalg_least_squares_rank(MPI_Comm comm, double tolerance, dap_darray a, dap_darray b,
                                                 dap_darray x, int64_t *rank,
                                                 const dap_linalg_options *options, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
