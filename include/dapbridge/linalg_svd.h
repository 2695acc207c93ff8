/**
 * @file
 * Singular values and singular vectors.
 *
 * The rules that linalg.h states for all functions also apply here. After an error, a shared U or VT may
 * have been overwritten.
 */
#ifndef DAPBRIDGE_LINALG_SVD_H
#define DAPBRIDGE_LINALG_SVD_H

#include <dapbridge/array.h>
#include <dapbridge/linalg_options.h>
#include <dapbridge/mpi_family.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Computes the singular value decomposition A = U diag(S) VT.
 *
 * The number k of singular values is min(m, n). options->svd selects the algorithm. For the algorithms and
 * the memory that they need, see bridge/docs/linalg.md, "Singular values". Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param a        matrix (m, n); workspace; not overwritten if A is very tall or wide, unless
 *                 DAP_SHARE_OR_FAIL is set
 * @param u        receives the left singular vectors U (m, k); optional
 * @param s        receives the real singular values (k,), in descending order
 * @param vt       receives the conjugate transpose of the right singular vectors (k, n); optional
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or a result is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed the integer range of ScaLAPACK or (with DAP_SVD_GESDD) of LAPACK
 *  - DAP_ERR_NUMERIC: A contains NaN or infinity, the iteration did not converge, or a singular value is not
 *    finite
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM: a process has too little memory, for example process 0 with DAP_SVD_GESDD
 *  - DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_linalg_svd(MPI_Comm comm, dap_darray a, dap_darray u, dap_darray s, dap_darray vt,
                                  const dap_linalg_options *options, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
