/**
 * @file
 * Factors of a matrix, which are computed once and used many times, and the expert solver.
 *
 *     dap_linalg_factors *factors = NULL;
 *     dap_status s = dap_linalg_lu(comm, a, NULL, &factors, &err);
 *     for (int step = 0; !s && step < steps; step++) {
 *       ... // the right-hand side of this step to b
 *       s = dap_linalg_factors_solve(factors, 'N', b, NULL, &err); // x, in b
 *     }
 *     dap_linalg_factors_destroy(&factors);
 *
 * The rules for all functions in linalg.h also apply here. Functions that use factors are collective on the
 * communicator that the factors were made on. This communicator must not be freed before the last such call.
 * The layout of A may be freed earlier. All processes must pass the same factors.
 *
 * If the factors are in a copy of A, their computation needs memory for another copy. On each of P processes
 * a later solution needs O(n^2 nrhs / P) operations, an estimate of the condition number O(n^2 / P), and the
 * determinant O(n / P).
 *
 * ScaLAPACK does not factor indefinite symmetric or Hermitian matrices (sytrf, hetrf). Use dap_linalg_lu() on
 * the complete matrix, which needs twice as many operations.
 */
#ifndef DAPBRIDGE_LINALG_FACTORS_H
#define DAPBRIDGE_LINALG_FACTORS_H

#include <dapbridge/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Factors of a matrix: an opaque type. */
typedef struct dap_linalg_factors dap_linalg_factors;

/* ---- made and ended ------------------------------------------------------------------------------ */

/**
 * Computes factors A = P L U with partial pivoting, in order to solve many systems.
 *
 * If ScaLAPACK can use A's buffer in place, the factors are stored there, and the caller must not write to A
 * until the factors are destroyed. If options->keep or DAP_SHARE_NEVER is set, or A is read-only, the factors
 * are in a copy, and the caller may reuse A at once. options->report says where they are. If A is singular,
 * report.info is the first k with U(k, k) = 0. Each process keeps all n pivots. Collective.
 *
 * @param comm     communicator whose rank i is process i of every layout
 * @param a        matrix (n, n); workspace
 * @param options  NULL for the defaults
 * @param factors  receives the factors, to be freed with dap_linalg_factors_destroy(); NULL on error
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or extents are wrong
 *  - DAP_ERR_BUFFER: types are unsupported or differ, or a buffer does not match its layout
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_NUMERIC: A is singular or not finite, or a pivot is out of the type's range
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_factors_solve(), dap_linalg_solve_refined()
 */
DAP_API dap_status dap_linalg_lu(MPI_Comm comm, dap_darray a, const dap_linalg_options *options,
                                 dap_linalg_factors **factors, dap_error *err);

/**
 * Computes factors of a positive definite A = L L^H or U^H U, in order to solve many systems.
 *
 * If ScaLAPACK can use A's buffer in place, the factors are stored there, and the caller must not write to A
 * until the factors are destroyed. If options->keep or DAP_SHARE_NEVER is set, or A is read-only, the factors
 * are in a copy, and the caller may reuse A at once. options->report says where they are. If A is not
 * positive definite, report.info is the order of the first leading minor that is not positive. Collective.
 *
 * @param comm     communicator whose rank i is process i of every layout
 * @param uplo     the triangle of A that is read and may be overwritten: 'L' or 'U'
 * @param a        symmetric (Hermitian) matrix (n, n); workspace
 * @param options  NULL for the defaults
 * @param factors  receives the factors, to be freed with dap_linalg_factors_destroy(); NULL on error
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, or extents are wrong
 *  - DAP_ERR_BUFFER: types are unsupported or differ, or a buffer does not match its layout
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_NUMERIC: A is not positive definite, or the triangle is not finite
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
 * Not collective. May be called after MPI_Finalize.
 *
 * @param factors  address of the factors; may be NULL or point to NULL
 */
DAP_API void dap_linalg_factors_destroy(dap_linalg_factors **factors);

/* ---- used ---------------------------------------------------------------------------------------- */

/**
 * Solves op(A) X = B with the factors.
 *
 * B may have a different layout in every call. The factors keep communicators, grids and plans for later
 * calls. B must not overlap factors that are in A's buffer. options->keep and block_size are ignored.
 * report.uses describes the factors and B. NaN and infinity in B propagate to X. Collective on the factors'
 * communicator.
 *
 * @param factors  factors that still exist
 * @param trans    op(A) is A ('N'), its transpose ('T') or its conjugate transpose ('C')
 * @param b        right-hand sides (n, nrhs) or (n,); receives X
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: the factors are invalid (on this process only), or another argument is invalid, differs or
 *    overlaps
 *  - DAP_ERR_BUFFER: types are unsupported or differ, a buffer does not match its layout, or B is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_NUMERIC: X exceeds the type's range
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_lu(), dap_linalg_cholesky()
 */
DAP_API dap_status dap_linalg_factors_solve(dap_linalg_factors *factors, char trans, dap_darray b,
                                            const dap_linalg_options *options, dap_error *err);

/**
 * Writes the inverse of A to X.
 *
 * The factors stay valid. If X has the layout of the LU factors, the function needs only two thirds of the
 * operations. Collective on the factors' communicator.
 *
 * @param factors  factors that still exist
 * @param x        receives the inverse (n, n); its elements are not read
 * @param options  NULL for the defaults
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: the factors are invalid (on this process only), or another argument is invalid, differs or
 *    overlaps
 *  - DAP_ERR_BUFFER: types are unsupported or differ, a buffer does not match its layout, or X is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_NUMERIC: the inverse exceeds the type's range
 *  - DAP_ERR_UNSUPPORTED: an axis is partial
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_linalg_factors_inverse(dap_linalg_factors *factors, dap_darray x,
                                              const dap_linalg_options *options, dap_error *err);

/**
 * Computes the determinant of A as sign * exp(log), which cannot overflow.
 *
 * Collective on the factors' communicator.
 *
 * @param factors  factors that still exist
 * @param sign     [2] receives the real and imaginary part of a number with absolute value 1
 * @param log      receives the logarithm of the absolute value
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: the factors are invalid (on this process only) or differ, or a pointer is NULL
 *  - DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 * @see dap_linalg_determinant()
 */
DAP_API dap_status dap_linalg_factors_determinant(dap_linalg_factors *factors, double sign[2], double *log,
                                                  dap_error *err);

/**
 * Estimates the reciprocal condition number 1 / (||A|| ||inverse of A||).
 *
 * Apart from rounding, the estimate is never too small. It is 1 for n = 0. Collective on the factors'
 * communicator.
 *
 * @param factors  factors that still exist
 * @param norm     '1': largest column sum; 'I': largest row sum
 * @param rcond    receives the estimate
 * @param err      receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: the factors are invalid (on this process only), or arguments differ between processes
 *  - DAP_ERR_RANGE, DAP_ERR_NOMEM, DAP_ERR_LIBRARY
 */
DAP_API dap_status dap_linalg_factors_condition(dap_linalg_factors *factors, char norm, double *rcond,
                                                dap_error *err);

/* ---- the expert solver --------------------------------------------------------------------------- */

/** Describes what dap_linalg_solve_refined() did. */
typedef struct dap_linalg_refinement {
  /** reciprocal condition number of the factored matrix; below epsilon, no digit of X is certain */
  double rcond;
  bool scaled_rows;    /**< rows were scaled by powers of 2 */
  bool scaled_columns; /**< columns were scaled by powers of 2 */
  int steps;           /**< largest number of corrections of a right-hand side, at most 5 */
} dap_linalg_refinement;

/**
 * Solves op(A) X = B with error bounds, by LU factors and iterative refinement.
 *
 * The function equilibrates a copy of A if that helps, and corrects X with residuals in working precision, as
 * LAPACK's gesvx does. bridge/docs/linalg.md, "Error bounds", describes the method and its memory.
 * Collective.
 *
 * @param comm        communicator whose rank i is process i of every layout
 * @param trans       op(A) is A ('N'), its transpose ('T') or its conjugate transpose ('C')
 * @param a           matrix (n, n); only read
 * @param b           right-hand sides (n, nrhs) or (n,); only read
 * @param x           receives the solutions, with B's extents
 * @param forward     [nrhs] receives bounds of max |x_i - exact| / max |x_i|; NULL on all processes if not
 *                    wanted
 * @param backward    [nrhs] receives the componentwise backward errors; NULL on all processes if not wanted
 * @param refinement  receives the condition number and the number of steps; may be NULL
 * @param options     NULL for the defaults
 * @param err         receives the error; may be NULL
 * @return the same on every process:
 *  - DAP_OK
 *  - DAP_ERR_ARG: arguments are invalid or differ between processes, extents are wrong, or operands overlap
 *  - DAP_ERR_BUFFER: types are unsupported or differ, a buffer does not match its layout, or X is read-only
 *  - DAP_ERR_SHARE: DAP_SHARE_OR_FAIL forbids a copy
 *  - DAP_ERR_RANGE: sizes exceed ScaLAPACK's integers
 *  - DAP_ERR_NUMERIC: A is singular or not finite, or a pivot is out of range
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
