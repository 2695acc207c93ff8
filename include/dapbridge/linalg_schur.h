/**
 * @file
 * Schur form, eigenvalues and eigenvectors of general distributed matrices.
 *
 * What linalg.h says of all functions holds for these, too, except for what follows.
 *
 * Process 0 gets the whole matrix and calls LAPACK (gees, geev) on one core. It needs memory for n^2
 * elements, with vectors for 2 n^2, and for 4 n^2 with eigenvectors of real matrices. For larger matrices use
 * SLEPc, which takes the same array as a Mat: bridge/docs/linalg.md. For symmetric and Hermitian matrices
 * dap_linalg_eigh() is faster, more accurate and distributed.
 *
 * A keeps its values and is always moved. So DAP_SHARE_OR_FAIL is an error, and options.keep has no effect.
 *
 * Eigenvalues are complex, also those of real matrices. The complex ones of a real matrix come in conjugate
 * pairs, the one with the positive imaginary part first. Otherwise they have no order. Every process gets the
 * same ones.
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
 * Z is unitary and T upper triangular. T of a real matrix is real, and has a 2 x 2 block on its diagonal for
 * each pair of complex eigenvalues, with equal diagonal elements. If report.info is not 0, eigenvalues up to
 * that number did not converge. Collective.
 *
 * @param comm     the processes of every operand's layout, in rank order
 * @param a        matrix (n, n); only read
 * @param t        receives T (n, n); zeroed: not wanted
 * @param z        receives Z (n, n); zeroed: not wanted
 * @param w        receives the eigenvalues (n,), complex, in the order of T's diagonal; zeroed: not wanted
 * @param options  NULL: the defaults
 * @param err      receives the text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an invalid or differing argument, wrong extents, or overlapping operands
 *  - DAP_ERR_BUFFER: element types or a buffer do not fit, or a result cannot be written
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL, because A is always moved
 *  - DAP_ERR_RANGE: n exceeds LAPACK's integers (46340 with 32 bits)
 *  - DAP_ERR_NUMERIC: no convergence, A is not finite, or an eigenvalue is out of range
 *  - DAP_ERR_UNSUPPORTED: a partial axis
 *  - DAP_ERR_NOMEM: too little memory on process 0
 *  - DAP_ERR_LIBRARY
 * @see dap_linalg_eig()
 */
DAP_API dap_status dap_linalg_schur(MPI_Comm comm, dap_darray a, dap_darray t, dap_darray z, dap_darray w,
                                    const dap_linalg_options *options, dap_error *err);

/**
 * Computes eigenvalues and right eigenvectors of a general matrix.
 *
 * Column j of V is an eigenvector for W[j], of norm 1. In a pair of a real matrix the second one is the
 * conjugate of the first. If report.info is not 0, eigenvalues up to that number did not converge.
 * Collective.
 *
 * @param comm     the processes of every operand's layout, in rank order
 * @param a        matrix (n, n); only read
 * @param w        receives the eigenvalues (n,), complex
 * @param v        receives the eigenvectors (n, n), complex, as columns; zeroed: not wanted
 * @param options  NULL: the defaults
 * @param err      receives the text of an error; may be NULL
 * @return the same status on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: an invalid or differing argument, wrong extents, or overlapping operands
 *  - DAP_ERR_BUFFER: element types or a buffer do not fit, or a result cannot be written
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL, because A is always moved
 *  - DAP_ERR_RANGE: n exceeds LAPACK's integers (46340 with 32 bits)
 *  - DAP_ERR_NUMERIC: no convergence, A is not finite, or an eigenvalue is out of range
 *  - DAP_ERR_UNSUPPORTED: a partial axis
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
