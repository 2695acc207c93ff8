/**
 * @file
 * Schur form, eigenvalues and eigenvectors of general distributed matrices.
 *
 * The rules that linalg.h states for all functions also apply here, except as described below.
 *
 * Process 0 receives the whole matrix and calls LAPACK (gees, geev) on one core. Process 0 needs memory for
 * n^2 elements. If vectors are wanted, it needs memory for 2 n^2 elements, or 4 n^2 elements for eigenvectors
 * of a real matrix. If process 0 has too little memory, use SLEPc on a PETSc Mat made from the same array
 * (bridge/docs/linalg.md). For symmetric and Hermitian matrices, dap_linalg_eigh() is faster and more
 * accurate, and uses all processes.
 *
 * A is always moved, so the functions fail if DAP_SHARE_OR_FAIL is set. A is never overwritten, so
 * options.keep has no effect.
 *
 * Eigenvalues have a complex type, even for real matrices. If the matrix is real, eigenvalues that are not
 * real come in conjugate pairs, in which the eigenvalue with the positive imaginary part comes first. The
 * pairs and the real eigenvalues are not sorted. Every process receives the same eigenvalues.
 */
#ifndef DAPBRIDGE_LINALG_SCHUR_H
#define DAPBRIDGE_LINALG_SCHUR_H

#include <dapbridge/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Computes the Schur form A = Z T Z^H of a general matrix.
 *
 * Z is unitary, and T is upper triangular. If A is real, T is real, and each pair of complex conjugate
 * eigenvalues gives a 2 x 2 diagonal block with equal diagonal elements. If the iteration fails, the first
 * report.info eigenvalues did not converge. Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param a        matrix (n, n); only read
 * @param t        receives T (n, n); optional
 * @param z        receives Z (n, n); optional
 * @param w        receives the complex eigenvalues (n,), in the order of T's diagonal; optional
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or a result is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL is set
 *  - DAP_ERR_RANGE: n exceeds 46340, and LAPACK's integers have 32 bits
 *  - DAP_ERR_NUMERIC: A contains NaN or infinity, the iteration did not converge, or an eigenvalue exceeds
 *    the type's range
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM: too little memory on process 0
 *  - DAP_ERR_LIBRARY
 * @see dap_linalg_eig()
 */
DAP_API dap_status dap_linalg_schur(MPI_Comm comm, dap_darray a, dap_darray t, dap_darray z, dap_darray w,
                                    const dap_linalg_options *options, dap_error *err);

/**
 * Computes eigenvalues and right eigenvectors of a general matrix.
 *
 * Column j of V is an eigenvector of norm 1 for the eigenvalue W[j]. For a conjugate pair of eigenvalues of a
 * real matrix, the second vector is the conjugate of the first. If the iteration fails, the first report.info
 * eigenvalues did not converge. Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param a        matrix (n, n); only read
 * @param w        receives the complex eigenvalues (n,)
 * @param v        receives the complex eigenvectors (n, n) as columns; optional
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or a result is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL is set
 *  - DAP_ERR_RANGE: n exceeds 46340, and LAPACK's integers have 32 bits
 *  - DAP_ERR_NUMERIC: A contains NaN or infinity, the iteration did not converge, or an eigenvalue exceeds
 *    the type's range
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM: too little memory on process 0
 *  - DAP_ERR_LIBRARY
 * @see dap_linalg_eigh(), dap_linalg_schur()
 */
DAP_API dap_status dap_linalg_eig(MPI_Comm comm, dap_darray a, dap_darray w, dap_darray v,
                                  const dap_linalg_options *options, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
