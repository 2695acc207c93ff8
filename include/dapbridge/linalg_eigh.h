/**
 * @file
 * Eigenvalues and eigenvectors of symmetric (Hermitian) matrices.
 *
 * The rules for all functions in linalg.h also apply here.
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
 * options->eigh chooses the algorithm and a part of the spectrum. k is n, or stop - start for
 * DAP_EIGH_BY_INDEX. For DAP_EIGH_BY_VALUE, k is the capacity of W and Z. Beyond the first report.found
 * entries, W is then NaN and Z is 0. Z can be shared only in F order. On error, a shared Z may have been
 * overwritten. Collective.
 *
 * @param comm     communicator whose rank i is process i of every layout
 * @param uplo     triangle of A that is read, 'L' or 'U'; 'A': all of A
 * @param a        matrix (n, n); workspace
 * @param w        receives the real eigenvalues (k,), ascending
 * @param z        receives orthonormal eigenvectors (n, k) as columns; optional
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, extents are wrong, operands overlap, or
 *    W is too short
 *  - DAP_ERR_BUFFER: types are unsupported or differ, a buffer does not match its layout, or a result is
 *    read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_NUMERIC: an eigenvalue did not converge or is not finite, or A is not finite
 *  - DAP_ERR_UNSUPPORTED: an axis is partial, the backend does not have the type, or options->block_size
 *    leaves processes of the backend empty
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY, and the backend's errors
 * @see dap_linalg_eigh_generalized()
 */
DAP_API dap_status dap_linalg_eigh(MPI_Comm comm, char uplo, dap_darray a, dap_darray w, dap_darray z,
                                   const dap_linalg_options *options, dap_error *err);

/**
 * Solves A z = w B z with a Hermitian A and a Hermitian positive definite B.
 *
 * options->eigh chooses the algorithm and a part of the spectrum, which determines k (see dap_linalg_eigh()).
 * Vectors are B-orthonormal: Z^H B Z = I. On error, a shared Z may have been overwritten. Collective.
 *
 * @param comm     communicator whose rank i is process i of every layout
 * @param uplo     triangle of A and B that is read, 'L' or 'U'; 'A': both are set, and one is read
 * @param a        matrix (n, n); workspace
 * @param b        matrix (n, n); workspace
 * @param w        receives the real eigenvalues (k,), ascending
 * @param z        receives the eigenvectors (n, k) as columns; optional
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, extents are wrong, operands overlap, or
 *    W is too short
 *  - DAP_ERR_BUFFER: types are unsupported or differ, a buffer does not match its layout, or a result is
 *    read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_NUMERIC: B is not positive definite, an eigenvalue did not converge or is not finite, or A or B
 *    is not finite
 *  - DAP_ERR_UNSUPPORTED: an axis is partial, the backend does not have the type, or options->block_size
 *    leaves processes of the backend empty
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY, and the backend's errors
 * @see dap_linalg_eigh()
 */
DAP_API dap_status dap_linalg_eigh_generalized(MPI_Comm comm, char uplo, dap_darray a, dap_darray b,
                                               dap_darray w, dap_darray z, const dap_linalg_options *options,
                                               dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
