/* dapbridge/linalg_banded.h: linear systems with band matrices, on distributed arrays.
 *
 * What linalg.h says of all its functions holds here, errors and options too, but for what follows.
 *
 * A band is an array of its diagonals, as LAPACK and scipy.linalg.solve_banded hold it: element (i, j) of the
 * matrix, with `upper` diagonals above the main one, is AB[upper + i - j, j]. The corners of AB that stand
 * for no element of the matrix are not read, and may hold anything. Each operand may lie in any layout.
 *
 * ScaLAPACK factors a band in blocks of columns, one block to a process, in storage with room for what is
 * filled in (SRC/pdgbtrf.f, SRC/pdpbtrf.f). So operands are always moved there by plans, and
 * DAP_SHARE_OR_FAIL is refused; bands are only read, and options.keep and options.block_size mean nothing.
 * Blocks have at least twice as many columns as the band has diagonals beside the main one: a wide or a short
 * band is factored on fewer processes, and on one by LAPACK. Memory is the band's, and as much again for what
 * is filled in.
 *
 * Pivots are sought within a block, so factors are not LAPACK's; they are as stable. There may be more
 * diagonals than the matrix has rows. */
#ifndef DAPBRIDGE_LINALG_BANDED_H
#define DAPBRIDGE_LINALG_BANDED_H

#include <dapbridge/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Solves A X = B with A of `lower` diagonals below the main one and `upper` above it, by LU factorisation
 * with partial pivoting (gbtrf, gbtrs).
 * AB (lower + upper + 1, n): only read. B (n, nrhs), or (n,) for one right-hand side: overwritten with X.
 * DAP_ERR_ARG also for numbers of diagonals that are negative or are not AB's.
 * DAP_ERR_NUMERIC: A is singular; its first info columns are linearly dependent. */
DAP_API dap_status dap_linalg_banded_solve(MPI_Comm comm, int64_t lower, int64_t upper, dap_darray ab,
                                           dap_darray b, const dap_linalg_options *options, dap_error *err);

/* The same for a Hermitian positive definite A by Cholesky factorisation (pbtrf, pbtrs). AB holds one
 * triangle with `uplo` 'U': A(i, j) is AB[k + i - j, j], or 'L': A(i, j) is AB[i - j, j], i.e. the main
 * diagonal is AB's last row or its first one. Imaginary parts there are not read.
 * AB (k + 1, n) with at least one row: only read. B (n, nrhs) or (n,): overwritten with X.
 * DAP_ERR_NUMERIC: A is not positive definite; its leading principal submatrix of order info is not. */
DAP_API dap_status dap_linalg_positive_banded_solve(MPI_Comm comm, char uplo, dap_darray ab, dap_darray b,
                                                    const dap_linalg_options *options, dap_error *err);

/* dap_linalg_banded_solve() for a tridiagonal matrix, given by its three diagonals: A(i + 1, i) = DL[i],
 * A(i, i) = D[i], A(i, i + 1) = DU[i]. With pivoting, as ScaLAPACK's own routine (dtsv) has none and is right
 * only for diagonally dominant matrices.
 * DL (n - 1,), D (n,), DU (n - 1,); DL and DU (0,) if n is 0: only read. B (n, nrhs) or (n,): overwritten
 * with X.
 * DAP_ERR_NUMERIC: as of dap_linalg_banded_solve(). */
DAP_API dap_status dap_linalg_tridiagonal_solve(MPI_Comm comm, dap_darray dl, dap_darray d, dap_darray du,
                                                dap_darray b, const dap_linalg_options *options,
                                                dap_error *err);

/* dap_linalg_positive_banded_solve() for a Hermitian tridiagonal matrix: A(i + 1, i) = E[i], and its
 * conjugate above the diagonal; A(i, i) is the real part of D[i].
 * D (n,), E (n - 1,) or, if n is 0, (0,): of one type, and only read. B (n, nrhs) or (n,): overwritten
 * with X.
 * DAP_ERR_NUMERIC: as of dap_linalg_positive_banded_solve(). */
DAP_API dap_status dap_linalg_positive_tridiagonal_solve(MPI_Comm comm, dap_darray d, dap_darray e,
                                                         dap_darray b, const dap_linalg_options *options,
                                                         dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
