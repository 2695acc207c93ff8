/**
 * @file
 * Eigenvalues and eigenvectors of symmetric (Hermitian) matrices.
 *
 * The rules that linalg.h states for all functions also apply here. After an error, a shared Z may have been
 * overwritten.
 */
#ifndef DAPBRIDGE_LINALG_EIGH_H
#define DAPBRIDGE_LINALG_EIGH_H

#include <dapbridge/array.h>
#include <dapbridge/linalg_options.h>
#include <dapbridge/mpi_family.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Computes eigenvalues and eigenvectors of a symmetric (Hermitian) matrix.
 *
 * options->eigh selects the algorithm and the eigenvalues. The length k of W must be n, or, with
 * DAP_EIGH_BY_INDEX, stop - start. With DAP_EIGH_BY_VALUE, k must be at least report.found. Elements of W
 * beyond the first report.found are set to NaN, and the corresponding columns of Z to 0. Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param uplo     triangle of A that is read: 'L' or 'U'; 'A' if both triangles are set
 * @param a        matrix (n, n); workspace
 * @param w        receives the real eigenvalues (k,), in ascending order
 * @param z        receives orthonormal eigenvectors (n, k) as columns; optional
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, operands overlap, or W is too short
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or a result is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: A contains NaN or infinity, or an eigenvalue did not converge or is not finite
 *  - DAP_ERR_UNSUPPORTED: an axis is partial, or the backend rejects the type or options->block_size
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY, or any error of the backend
 * @see dap_linalg_eigh_generalized()
 */
DAP_API dap_status dap_linalg_eigh(MPI_Comm comm, char uplo, dap_darray a, dap_darray w, dap_darray z,
                                   const dap_linalg_options *options, dap_error *err);

/**
 * Solves A z = w B z with a Hermitian A and a Hermitian positive definite B.
 *
 * options->eigh selects the algorithm and the eigenvalues. The length k of W follows the rules of
 * dap_linalg_eigh(). Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param uplo     triangle of A and B that is read: 'L' or 'U'; 'A' if both triangles are set
 * @param a        matrix (n, n); workspace
 * @param b        matrix (n, n); workspace
 * @param w        receives the real eigenvalues (k,), in ascending order
 * @param z        receives the eigenvectors (n, k) as columns, with Z^H B Z = I; optional
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, operands overlap, or W is too short
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or a result is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: A or B contains NaN or infinity, B is not positive definite, or an eigenvalue is not
 *    finite or did not converge
 *  - DAP_ERR_UNSUPPORTED: an axis is partial, or the backend rejects the type or options->block_size
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY, or any error of the backend
 * @see dap_linalg_eigh()
 */
DAP_API dap_status dap_linalg_eigh_generalized(MPI_Comm comm, char uplo, dap_darray a, dap_darray b,
                                               dap_darray w, dap_darray z, const dap_linalg_options *options,
                                               dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
