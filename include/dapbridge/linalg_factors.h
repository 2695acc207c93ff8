/**
 * @file
 * Matrix factors that are computed once and used many times, and a solver that also computes error bounds.
 *
 *     dap_linalg_factors *factors = NULL;
 *     dap_status s = dap_linalg_lu(comm, a, NULL, &factors, &err);
 *     for (int step = 0; !s && step < steps; step++) {
 *       ... // store this step's right-hand side in b
 *       s = dap_linalg_factors_solve(factors, 'N', b, NULL, &err); // b receives x
 *     }
 *     dap_linalg_factors_destroy(&factors);
 *
 * The rules that linalg.h states for all functions also apply here.
 *
 * dap_linalg_lu() and dap_linalg_cholesky() store the factors in A's buffer if ScaLAPACK can use that buffer.
 * In this case, do not read or write A until the factors are destroyed. If options->keep or DAP_SHARE_NEVER
 * is set, or A is read-only, the factors are stored in a copy, and you can use A immediately. options->report
 * says where the factors are stored.
 *
 * Functions that use factors are collective on the communicator with which the factors were computed. Do not
 * free this communicator before the last call that uses the factors. The layout of A may be freed earlier.
 * All processes must pass factors from the same call of dap_linalg_lu() or dap_linalg_cholesky().
 *
 * If the factors are stored in a copy of A, memory for a second copy is needed while the factors are
 * computed. On each of P processes, a solve takes O(n^2 nrhs / P) operations. Estimating the condition number
 * takes O(n^2 / P) operations, and computing the determinant takes O(n / P).
 *
 * ScaLAPACK has no counterpart to LAPACK's sytrf and hetrf, which factor indefinite symmetric or Hermitian
 * matrices. For such a matrix, set both triangles and call dap_linalg_lu(), which needs twice as many
 * operations as a symmetric factorisation.
 */
#ifndef DAPBRIDGE_LINALG_FACTORS_H
#define DAPBRIDGE_LINALG_FACTORS_H

#include <dapbridge/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Factors of a matrix. The type is opaque. */
typedef struct dap_linalg_factors dap_linalg_factors;

/* ---- computing and freeing factors ------------------------------------------------------------------- */

/**
 * Computes the factorisation A = P L U with partial pivoting, for repeated solves.
 *
 * The factors may be stored in A's buffer. Unless options->keep or DAP_SHARE_NEVER is set, do not use A until
 * the factors are destroyed. If A is singular, report.info is the smallest k with U(k, k) = 0. Each process
 * stores all n pivots. Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param a        matrix (n, n); workspace
 * @param options  NULL for the defaults
 * @param factors  receives the factors, to be freed with dap_linalg_factors_destroy(); NULL on error
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes
 *  - DAP_ERR_BUFFER: element types are wrong, or a buffer does not match its layout
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: A is singular or contains NaN or infinity, or a pivot is out of the type's range
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_factors_solve(), dap_linalg_solve_refined()
 */
DAP_API dap_status dap_linalg_lu(MPI_Comm comm, dap_darray a, const dap_linalg_options *options,
                                 dap_linalg_factors **factors, dap_error *err);

/**
 * Factors a positive definite matrix as A = L L^H or A = U^H U, for repeated solves.
 *
 * The factors may be stored in A's buffer. Unless options->keep or DAP_SHARE_NEVER is set, do not use A until
 * the factors are destroyed. If A is not positive definite, report.info is the order of the first leading
 * minor that is not positive. Collective.
 *
 * @param comm     contains exactly the layouts' processes, in the same order
 * @param uplo     the triangle of A that is read and may be overwritten: 'L' or 'U'
 * @param a        symmetric (Hermitian) matrix (n, n); workspace
 * @param options  NULL for the defaults
 * @param factors  receives the factors, to be freed with dap_linalg_factors_destroy(); NULL on error
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes
 *  - DAP_ERR_BUFFER: element types are wrong, or a buffer does not match its layout
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: A is not positive definite, or the triangle contains NaN or infinity
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_factors_solve()
 */
DAP_API dap_status dap_linalg_cholesky(MPI_Comm comm, char uplo, dap_darray a,
                                       const dap_linalg_options *options, dap_linalg_factors **factors,
                                       dap_error *err);

/**
 * Frees the factors and sets *factors to NULL.
 *
 * Not collective. May be called after MPI_Finalize().
 *
 * @param factors  address of the factors; may be NULL or point to NULL
 */
DAP_API void dap_linalg_factors_destroy(dap_linalg_factors **factors);

/* ---- using factors ----------------------------------------------------------------------------------- */

/**
 * Solves op(A) X = B with the factors.
 *
 * B may have a different layout in every call. If the factors are stored in A's buffer, B must not overlap
 * this buffer. options->keep and options->block_size are ignored. report.uses describes the factors and B.
 * NaN and infinity in B propagate to X. If X exceeds the type's range, the function fails after it has
 * overwritten a shared B. Collective.
 *
 * @param factors  the factors
 * @param trans    op(A) is A ('N'), A^T ('T') or A^H ('C')
 * @param b        right-hand sides (n, nrhs) or (n,); receives X
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process, except for the first DAP_ERR_ARG:
 *  - DAP_OK
 *  - DAP_ERR_ARG: the factors are invalid on this process; only this process fails
 *  - DAP_ERR_ARG: another argument is invalid or differs between processes, or B overlaps A
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or B is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: X exceeds the type's range although B is finite
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_lu(), dap_linalg_cholesky()
 */
DAP_API dap_status dap_linalg_factors_solve(dap_linalg_factors *factors, char trans, dap_darray b,
                                            const dap_linalg_options *options, dap_error *err);

/**
 * Writes the inverse of A to X.
 *
 * For LU factors, the function needs one third fewer operations if X has the same layout as the factors.
 * Collective.
 *
 * @param factors  the factors
 * @param x        receives the inverse (n, n); not read
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process, except for the first DAP_ERR_ARG:
 *  - DAP_OK
 *  - DAP_ERR_ARG: the factors are invalid on this process; only this process fails
 *  - DAP_ERR_ARG: another argument is invalid or differs between processes, or X overlaps A
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or X is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: the inverse exceeds the type's range
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_linalg_factors_inverse(dap_linalg_factors *factors, dap_darray x,
                                              const dap_linalg_options *options, dap_error *err);

/**
 * Computes the determinant of A in the form sign * exp(log), which cannot overflow.
 *
 * Collective.
 *
 * @param factors  the factors
 * @param sign     [2] receives the sign (real and imaginary parts), whose absolute value is 1
 * @param log      receives the logarithm of the determinant's absolute value
 * @param err      receives the error; may be NULL
 * @return the same on every process, except for the first DAP_ERR_ARG:
 *  - DAP_OK
 *  - DAP_ERR_ARG: the factors are invalid on this process; only this process fails
 *  - DAP_ERR_ARG: the factors differ between processes, or a pointer is NULL
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_determinant()
 */
DAP_API dap_status dap_linalg_factors_determinant(dap_linalg_factors *factors, double sign[2], double *log,
                                                  dap_error *err);

/**
 * Estimates the reciprocal condition number 1 / (||A|| ||inverse of A||).
 *
 * Apart from rounding, the estimate is never smaller than the exact value. The estimate is 1 for n = 0.
 * Collective.
 *
 * @param factors  the factors
 * @param norm     '1' for the 1-norm (column sums), 'I' for the infinity norm (row sums)
 * @param rcond    receives the estimate
 * @param err      receives the error; may be NULL
 * @return the same on every process, except for the first DAP_ERR_ARG:
 *  - DAP_OK
 *  - DAP_ERR_ARG: the factors are invalid on this process; only this process fails
 *  - DAP_ERR_ARG: another argument is invalid or differs between processes
 *  - DAP_ERR_RANGE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_linalg_factors_condition(dap_linalg_factors *factors, char norm, double *rcond,
                                                dap_error *err);

/* ---- solving with error bounds ----------------------------------------------------------------------- */

/** Report of dap_linalg_solve_refined(). */
typedef struct dap_linalg_refinement {
  /** reciprocal condition number of the scaled matrix; if it is below epsilon, no digit of X is certain */
  double rcond;
  bool scaled_rows;    /**< true if rows were scaled by powers of 2 */
  bool scaled_columns; /**< true if columns were scaled by powers of 2 */
  int steps;           /**< largest number of corrections made to any column of X; at most 5 */
} dap_linalg_refinement;

/**
 * Solves op(A) X = B by LU factorisation and iterative refinement, and computes error bounds.
 *
 * The method is that of LAPACK's gesvx (bridge/docs/linalg.md, "Error bounds"). Collective.
 *
 * @param comm        contains exactly the layouts' processes, in the same order
 * @param trans       op(A) is A ('N'), A^T ('T') or A^H ('C')
 * @param a           matrix (n, n); only read
 * @param b           right-hand sides (n, nrhs) or (n,); only read
 * @param x           receives the solutions; must have the shape of B
 * @param forward     [nrhs] receives bounds on max |x_i - t_i| / max |x_i|, where t is the exact solution;
 *                    may be NULL on all processes
 * @param backward    [nrhs] receives the componentwise backward errors; may be NULL on all processes
 * @param refinement  receives a report of the refinement; may be NULL
 * @param options     NULL for the defaults
 * @param err         receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or operands overlap
 *  - DAP_ERR_BUFFER: element types are wrong, a buffer does not match its layout, or X is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integer range
 *  - DAP_ERR_NUMERIC: A is singular or contains NaN or infinity, or a pivot is out of the type's range
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_solve()
 */
DAP_API dap_status dap_linalg_solve_refined(MPI_Comm comm, char trans, dap_darray a, dap_darray b,
                                            dap_darray x, double forward[], double backward[],
                                            dap_linalg_refinement *refinement,
                                            const dap_linalg_options *options, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
