/**
 * @file
 * Linear systems with band matrices, on distributed arrays.
 *
 * The rules that linalg.h states for all functions also apply here, except as described below.
 *
 * A band matrix is stored as an array AB of its diagonals, as in LAPACK and scipy.linalg.solve_banded. If
 * there are `upper` diagonals above the main one, element (i, j) of the matrix is AB[upper + i - j, j]. The
 * corners of AB, which do not correspond to elements of the matrix, are not read. AB may have more diagonals
 * than the matrix has rows.
 *
 * ScaLAPACK factors a band in a special storage format, with one block of columns on each process
 * (SRC/pdgbtrf.f, SRC/pdpbtrf.f). So dapbridge always moves the operands, and the functions fail if
 * DAP_SHARE_OR_FAIL is set. The diagonals are only read, so options.keep has no effect. options.block_size is
 * ignored.
 *
 * Each block has more than 2 d columns, where d is the number of stored diagonals besides the main one. So if
 * the band is wide or the matrix is small, only some of the processes take part in the factorisation. If only
 * one process factors the matrix, it calls LAPACK. Because of fill-in, the factors need twice the memory of
 * the band. ScaLAPACK chooses pivots within a block, so the factors differ from LAPACK's, but the method is
 * equally stable.
 */
#ifndef DAPBRIDGE_LINALG_BANDED_H
#define DAPBRIDGE_LINALG_BANDED_H

#include <dapbridge/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Solves A X = B with a band matrix A, by LU factorisation with partial pivoting.
 *
 * A(i, j) is AB[upper + i - j, j]. If A is singular, its first report.info columns are linearly dependent.
 * Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param lower    number of diagonals below the main one, >= 0
 * @param upper    number of diagonals above the main one, >= 0
 * @param ab       the diagonals (lower + upper + 1, n); only read
 * @param b        right-hand sides (n, nrhs) or (n,); receives X
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or B is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL is set
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: A is singular or contains NaN or infinity
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_positive_banded_solve(), dap_linalg_tridiagonal_solve()
 */
DAP_API dap_status dap_linalg_banded_solve(MPI_Comm comm, int64_t lower, int64_t upper, dap_darray ab,
                                           dap_darray b, const dap_linalg_options *options, dap_error *err);

/**
 * Solves A X = B with a Hermitian positive definite band matrix A, by Cholesky factorisation.
 *
 * If `uplo` is 'U', A(i, j) is AB[k + i - j, j]. If `uplo` is 'L', A(i, j) is AB[i - j, j]. The imaginary
 * parts of the main diagonal are not read. If A is not positive definite, its leading submatrix of order
 * report.info is not positive definite either. Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param uplo     the triangle that AB contains: 'L' or 'U'
 * @param ab       the k + 1 diagonals, as an array of shape (k + 1, n) with k >= 0; only read
 * @param b        right-hand sides (n, nrhs) or (n,); receives X
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or B is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL is set
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: A is not positive definite, or contains NaN or infinity
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_linalg_positive_banded_solve(MPI_Comm comm, char uplo, dap_darray ab, dap_darray b,
                                                    const dap_linalg_options *options, dap_error *err);

/**
 * Solves A X = B with a tridiagonal matrix A, by LU factorisation with pivoting.
 *
 * A(i + 1, i) is DL[i], A(i, i) is D[i] and A(i, i + 1) is DU[i]. If A is singular, its first report.info
 * columns are linearly dependent. Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param dl       diagonal below the main one (max(n - 1, 0),); only read
 * @param d        main diagonal (n,); only read
 * @param du       diagonal above the main one (max(n - 1, 0),); only read
 * @param b        right-hand sides (n, nrhs) or (n,); receives X
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or B is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL is set
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: A is singular or contains NaN or infinity
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_linalg_tridiagonal_solve(MPI_Comm comm, dap_darray dl, dap_darray d, dap_darray du,
                                                dap_darray b, const dap_linalg_options *options,
                                                dap_error *err);

/**
 * Solves A X = B with a Hermitian positive definite tridiagonal matrix A, by Cholesky factorisation.
 *
 * A(i, i) is the real part of D[i], A(i + 1, i) is E[i], and A(i, i + 1) is the conjugate of E[i]. If A is
 * not positive definite, its leading submatrix of order report.info is not positive definite either.
 * Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param d        main diagonal (n,), of the same type as E; only read
 * @param e        diagonal below the main one (max(n - 1, 0),); only read
 * @param b        right-hand sides (n, nrhs) or (n,); receives X
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or B is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL is set
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: A is not positive definite, or contains NaN or infinity
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_linalg_positive_tridiagonal_solve(MPI_Comm comm, dap_darray d, dap_darray e,
                                                         dap_darray b, const dap_linalg_options *options,
                                                         dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
