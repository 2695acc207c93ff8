/* dapbridge/linalg_schur.h: Schur form, eigenvalues and eigenvectors of general distributed matrices.
 *
 * What linalg.h says of all its functions holds here, errors and options too, but for what follows.
 *
 * Process 0 gets the whole matrix and computes by LAPACK (gees, geev) on one core. It needs memory for n^2
 * elements, with vectors for 2 n^2, and for 4 n^2 with eigenvectors of real matrices. If there is less, the
 * status is DAP_ERR_NOMEM. With LAPACK's integers of 32 bits n is at most 46340. If n is greater, the status
 * is DAP_ERR_RANGE. For larger matrices use SLEPc, which takes the same array as a Mat:
 * bridge/docs/linalg.md.
 * A keeps its values and is always moved, so DAP_SHARE_OR_FAIL is refused, and options.keep means nothing.
 * For symmetric and Hermitian matrices dap_linalg_eigh() is faster, more accurate, and distributed.
 *
 * Eigenvalues W are complex, also those of real matrices, whose complex ones come in conjugate pairs: the one
 * with the positive imaginary part first. They have no order. Every process gets the same ones. */
#ifndef DAPBRIDGE_LINALG_SCHUR_H
#define DAPBRIDGE_LINALG_SCHUR_H

#include <dapbridge/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A = Z T Z^H with a unitary Z. T is upper triangular; of a real matrix it is real, and has a block of 2 x 2
 * on its diagonal for each pair of complex eigenvalues, with equal diagonal elements.
 * A (n, n): only read. T (n, n) and Z (n, n): of A's type. W (n,): complex, in the order of T's diagonal.
 * Each result may be zeroed if it is not wanted.
 * DAP_ERR_NUMERIC: the eigenvalues up to number info did not converge. */
DAP_API dap_status dap_linalg_schur(MPI_Comm comm, dap_darray a, dap_darray t, dap_darray z, dap_darray w,
                                    const dap_linalg_options *options, dap_error *err);

/* Eigenvalues and, unless it is zeroed, right eigenvectors (geev): column j of V is an eigenvector for W[j],
 * of norm 1; of a pair of a real matrix the second one is the conjugate of the first.
 * A (n, n): only read. W (n,) and V (n, n): complex.
 * DAP_ERR_NUMERIC: as above. */
DAP_API dap_status dap_linalg_eig(MPI_Comm comm, dap_darray a, dap_darray w, dap_darray v,
                                  const dap_linalg_options *options, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
