/* dapbridge/linalg_factors.h: factors of a matrix, made once and used many times; and the expert solver.
 *
 *     dap_linalg_factors *factors = NULL;
 *     dap_status s = dap_linalg_lu(comm, a, NULL, &factors, &err);
 *     for (int step = 0; !s && step < steps; step++) {
 *       ... // the right-hand side of this step to b
 *       s = dap_linalg_factors_solve(factors, 'N', b, NULL, &err); // x, in b
 *     }
 *     dap_linalg_factors_destroy(&factors);
 *
 * Where the factors are: if ScaLAPACK can use A in place, in A's own buffer, which stays the caller's. Nobody
 * may write to it until the factors are destroyed; afterwards it holds the factors. Otherwise, and with
 * options.keep, with DAP_SHARE_NEVER and for a read-only A, they are in a copy that belongs to the factors,
 * and A is free at once. (While such a copy is made, there are two for a moment.) options.report tells which.
 *
 * What linalg.h says of all functions, and of errors, is true of these, too. Those that take factors are
 * collective on the communicator that the factors were made on, which must not be freed before the last such
 * call; the layout of A may. They fail with DAP_ERR_ARG, on that process alone, for factors that are NULL or
 * were destroyed; and on all if these are not the same factors everywhere.
 *
 * ScaLAPACK has no factors of symmetric or Hermitian matrices that are indefinite (sytrf, hetrf): take
 * dap_linalg_lu() of the whole matrix, which costs twice the operations. */
#ifndef DAPBRIDGE_LINALG_FACTORS_H
#define DAPBRIDGE_LINALG_FACTORS_H

#include <dapbridge/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dap_linalg_factors dap_linalg_factors;

/* ---- made and ended ------------------------------------------------------------------------------ */

/* A = P L U by partial pivoting (getrf). A (n, n): workspace, see above. Each process also keeps all n
 * pivots. The caller ends *factors with dap_linalg_factors_destroy(); on error it is NULL.
 * DAP_ERR_NUMERIC: A is singular; info as of dap_linalg_solve(). */
DAP_API dap_status dap_linalg_lu(MPI_Comm comm, dap_darray a, const dap_linalg_options *options,
                                 dap_linalg_factors **factors, dap_error *err);

/* A = L L^H or U^H U (potrf) of a symmetric (Hermitian) positive definite A (n, n): workspace, see above.
 * Only the triangle `uplo` of A is read, 'L' or 'U', and only it may be overwritten.
 * DAP_ERR_NUMERIC: the leading minor of order info is not positive. */
DAP_API dap_status dap_linalg_cholesky(MPI_Comm comm, char uplo, dap_darray a,
                                       const dap_linalg_options *options, dap_linalg_factors **factors,
                                       dap_error *err);

/* Frees the factors and sets *factors to NULL. Not collective; may be called after MPI_Finalize. Accepts NULL
 * and a pointer to NULL. */
DAP_API void dap_linalg_factors_destroy(dap_linalg_factors **factors);

/* ---- used ---------------------------------------------------------------------------------------- */

/* Solves op(A) X = B with the factors (getrs, potrs; by trsm). trans: op(A) is A ('N'), its transpose ('T')
 * or its conjugate transpose ('C'). B (n, nrhs), or (n,) for one right-hand side: overwritten with X.
 * B is shared or moved as that of dap_linalg_solve(); it must not overlap factors that are in A's buffer.
 * options.keep and block_size do not count. The report's uses are the factors and B.
 * Cost: O(n^2 nrhs / P); communicators, grids and plans of B are kept from call to call. */
DAP_API dap_status dap_linalg_factors_solve(dap_linalg_factors *factors, char trans, dap_darray b,
                                            const dap_linalg_options *options, dap_error *err);

/* Writes the inverse of A to X (n, n), whose elements are not read. As dap_linalg_factors_solve() of the
 * identity: dap_linalg_inverse() takes two thirds of the operations, but overwrites the factors. */
DAP_API dap_status dap_linalg_factors_inverse(dap_linalg_factors *factors, dap_darray x,
                                              const dap_linalg_options *options, dap_error *err);

/* The determinant of A as sign * exp(log), as dap_linalg_determinant(); and the reciprocal condition number
 * in the norm '1' or 'I', estimated as by dap_linalg_condition(). O(n / P) and O(n^2 / P) operations.
 * On error nothing is written. */
DAP_API dap_status dap_linalg_factors_determinant(dap_linalg_factors *factors, double sign[2], double *log,
                                                  dap_error *err);
DAP_API dap_status dap_linalg_factors_condition(dap_linalg_factors *factors, char norm, double *rcond,
                                                dap_error *err);

/* ---- the expert solver --------------------------------------------------------------------------- */

/* What dap_linalg_solve_refined() did. */
typedef struct dap_linalg_refinement {
  /* Reciprocal condition number of A as it was factored, estimated, in the norm '1', or 'I' unless trans is
   * 'N'. Below the type's eps (1.2e-7, 2.2e-16) no digit of X is certain. 1 for n = 0. */
  double rcond;
  bool scaled_rows, scaled_columns; /* they were equilibrated, by powers of 2 */
  int steps;                        /* corrections that X got, the most of a right-hand side; at most 5 */
} dap_linalg_refinement;

/* Solves op(A) X = B by LU factors of a copy of A, equilibrated where that helps, and refines X with
 * residuals in the working precision: the method of LAPACK's gesvx. (ScaLAPACK's p?gesvx and p?gerfs are
 * not called, as their estimates are wrong in the same way as p?gecon's.) A badly scaled or nearly
 * singular A is so solved as well as its type allows, and the bounds say how well that is:
 *   forward [nrhs]   of each solution x: a bound of max |x_i - t_i| / max |x_i|, t being the exact solution;
 *                    estimated, and almost always too large by less than a factor of some tens
 *   backward [nrhs]  the smallest relative change of elements of A and b of which x is the exact solution:
 *                    max |b - op(A) x|_i / (|op(A)| |x| + |b|)_i. Above a few eps: refinement has not
 *                    converged. Infinity for an x that is not finite
 * Both are the same on every process, and have any values on error. Either may be NULL, and then on all
 * processes; without `forward` it is faster, by some solves. refinement may be NULL.
 * A (n, n) and B (n, nrhs) or (n,): only read. X, of B's extents: the result. All three are shared or
 * moved as A and B of dap_linalg_solve(); options.keep does not count.
 * Memory beside that: a copy of A and a panel of it, 5 times what B has, and some numbers for each row on
 * every process.
 * DAP_ERR_NUMERIC: A is singular; info as of dap_linalg_solve(), of the equilibrated matrix.
 * Source: N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., SIAM 2002, sections
 * 7.1, 12 and 15.2. */
DAP_API dap_status dap_linalg_solve_refined(MPI_Comm comm, char trans, dap_darray a, dap_darray b,
                                            dap_darray x, double forward[], double backward[],
                                            dap_linalg_refinement *refinement,
                                            const dap_linalg_options *options, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
