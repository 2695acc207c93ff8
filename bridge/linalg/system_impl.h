/* Declares the types and functions that the files for linear systems and products share: those that factor,
 * solve, estimate and multiply. */
#ifndef DAP_SYSTEM_IMPL_H
#define DAP_SYSTEM_IMPL_H

#include "room_impl.h"

/* lu.c: factors of a square matrix sigma M = P L U, over M. All are collective.
 * factor: tells a zero on U's diagonal by `singular`, which is not an error. DAP_ERR_NUMERIC if an element
 * of the diagonal is not finite, because the reciprocal of a subnormal pivot is infinite.
 * regular: DAP_ERR_NUMERIC if U's diagonal has a zero, or a subnormal number, by whose reciprocal trsm
 * multiplies.
 * pivots: gives every process the pivots of all rows.
 * first_defect: the first number with this defect on this process's diagonal, counted from 1; 0: there is
 * none. Not collective.
 * check_diagonal: DAP_ERR_NUMERIC "`name`(k, k) is `what`" if any process finds this defect at k. */
typedef struct dap_lu {
  const dap_scalapack_matrix *matrix;
  dap_scalapack_int
      *pivots;      /* [local rows + MB] 1-based rows with which local rows were swapped; NULL: none */
  int64_t singular; /* the first k with U(k, k) = 0, 1-based; 0: none */
  double sigma;     /* a power of 2, above 1 if M has very small elements only */
} dap_lu;

dap_status dap_lu_factor(dap_linalg_call *call, const dap_scalapack_matrix *view, dap_lu *lu);
dap_status dap_lu_regular(dap_linalg_call *call, const dap_lu *lu);
dap_status dap_lu_pivots(dap_linalg_call *call, const dap_lu *lu, dap_scalapack_int **pivots);

typedef enum dap_defect { DAP_DEFECT_ZERO, DAP_DEFECT_SUBNORMAL, DAP_DEFECT_NOT_FINITE } dap_defect;
dap_scalapack_int dap_linalg_first_defect(const dap_linalg_call *call, const dap_scalapack_matrix *view,
                                          dap_defect defect);
dap_status dap_linalg_check_diagonal(dap_linalg_call *call, const dap_scalapack_matrix *view,
                                     dap_defect defect, const char *name, const char *what);

/* equation.c: the form of op(A) X = B for the views M of A and S of B. */
typedef struct dap_equation {
  char trans;     /* 'N', 'T', 'C': M, M^T, M^H */
  bool conjugate; /* conj(M): trans is 'N', and right-hand sides and solutions are conjugated */
} dap_equation;

dap_equation dap_equation_of(char trans, char op_a, char op_b);

/* lu_solve.c. All are collective.
 * align: prepares the pivots of all rows [n], 1-based, for S, or for a matrix that is distributed like it.
 * lu_substitute: S = inv(t(M)) S or S inv(t(M)), with `trans` 'N', 'T' or 'C'.
 * substitute: replaces S with the solution of op(A) X = B. M has LU factors (uplo 0), or Cholesky's, for
 * which `swaps` is not read.
 * solution: the same for the factors of sigma A. DAP_ERR_NUMERIC if B is finite and X is not. */
typedef struct dap_swaps {
  int axis;                    /* the axis of S along which its lines are M's rows: 0 from the left, else 1 */
  dap_scalapack_int *lines[2]; /* [n] the line that comes to each place, forward and backward */
  bool any;                    /* a line moves; else the members below are not set */
  int *ranks;                  /* [processes along the axis] the ranks that exchange lines */
  /* sent, received */
  void *buffers[2];
  dap_scalapack_int *order[2]; /* [local lines] */
  int *counts[2];              /* [2 nprocs] */
} dap_swaps;

dap_status dap_lu_align(dap_linalg_call *call, const dap_scalapack_int pivots[],
                        const dap_scalapack_matrix *s, dap_swaps *swaps);
dap_status dap_lu_substitute(dap_linalg_call *call, const dap_scalapack_matrix *m, const dap_swaps *swaps,
                             char trans, const dap_scalapack_matrix *s);
dap_status dap_linalg_substitute(dap_linalg_call *call, char uplo, char trans, const dap_scalapack_matrix *m,
                                 const dap_swaps *swaps, const dap_scalapack_matrix *s);

typedef struct dap_linalg_system {
  char uplo, trans;
  double sigma;
  const dap_scalapack_matrix *matrix; /* the factors */
  const dap_swaps *swaps;
} dap_linalg_system;

dap_status dap_linalg_solution(dap_linalg_call *call, const dap_linalg_system *system,
                               const dap_scalapack_matrix *s);

/* inverse.c: the inverse of M, over its factors. Both are collective.
 * inversion: reserves workspace, by M's view only. invert: computes. */
typedef struct dap_inversion {
  dap_workspace w;
  void *iwork;
  dap_scalapack_int liwork;
} dap_inversion;

dap_status dap_lu_inversion(dap_linalg_call *call, const dap_scalapack_matrix *a, dap_inversion *s);
dap_status dap_lu_invert(dap_linalg_call *call, const dap_lu *lu, dap_inversion *s);

/* cholesky.c: M = U^H U or L L^H over the triangle `uplo` of M. factor is collective.
 * triangle: returns the triangle of a view's matrix that holds the triangle `uplo` of the array. */
char dap_linalg_triangle(char uplo, char op);
dap_status dap_cholesky_factor(dap_linalg_call *call, char uplo, const dap_scalapack_matrix *a);

/* estimate.c: lower bounds of 1-norms of matrices that are only known by products with vectors; infinity or
 * NaN if they overflow. Both are collective.
 * norms: the norms of x.n matrices K(j) at once. Column j of x is for K(j). values [x.n].
 * norm_of_inverse: the norm '1' or 'I' of the inverse of a matrix whose factors are in M: LU factors (uplo
 * 0), or Cholesky's in the triangle `uplo`. */
typedef struct dap_linalg_product {
  dap_scalapack_matrix x; /* n x count, of any distribution, with IA = JA = 1 */
  /* x(j) = K(j) x(j), or with `adjoint` K(j)^H x(j), for all j */
  dap_status (*apply)(void *context, const dap_scalapack_matrix *x, bool adjoint);
  void *context;
} dap_linalg_product;

dap_status dap_linalg_norms(dap_linalg_call *call, const dap_linalg_product *product, double values[]);
dap_status dap_linalg_norm_of_inverse(dap_linalg_call *call, const dap_scalapack_matrix *m, char uplo,
                                      char norm, double *value);

/* condition.c: 1 / (||A|| ||inverse||) */
double dap_linalg_reciprocal(double norm, double norm_of_inverse);

/* determinant.c: sign * exp(log) of P L U, by its diagonal and pivots. Never overflows. Collective. */
typedef struct dap_determinant {
  double sign[2]; /* real and imaginary part of a number of absolute value 1; or 0 */
  double log;     /* the logarithm of the absolute value */
} dap_determinant;

dap_status dap_linalg_determinant_of(dap_linalg_call *call, const dap_lu *lu, dap_determinant *result);

/* The view of right-hand sides is S = B (op 'N') or its transpose (op 'T'). The matrix of the system stands
 * on its left or on its right, which dap_linalg_side() tells.
 * view_right_side (aligned.c): takes operand `i` on the grid of `like`, with the op that can be shared.
 * Collective.
 * triangular (equation.c): S = inv(t(T)) S or S inv(t(T)), with T the triangle `uplo` of `a`. Collective.
 * cholesky_substitute (equation.c): the same for M, by its factors in that triangle. Collective. */
dap_status dap_linalg_view_right_side(dap_linalg_call *call, int i, const dap_scalapack_matrix *like,
                                      dap_scalapack_matrix **view);
static inline char dap_linalg_side(const dap_scalapack_matrix *s)
{
  return s->op == 'N' ? 'L' : 'R';
}
void dap_linalg_triangular(const dap_linalg_call *call, char uplo, char trans, char diag,
                           const dap_scalapack_matrix *a, const dap_scalapack_matrix *s);
void dap_cholesky_substitute(const dap_linalg_call *call, char uplo, const dap_scalapack_matrix *a,
                             const dap_scalapack_matrix *s);

/* multiply.c: scalar_of: `given` [2], or `otherwise` if `given` is NULL. number_of: a number of the matrix's
 * type. */
typedef union dap_linalg_number {
  float singles[2];
  double doubles[2];
} dap_linalg_number;

dap_linalg_scalar dap_linalg_scalar_of(const char *name, const double given[2], double otherwise);
dap_linalg_number dap_linalg_number_of(const dap_linalg_call *call, const double parts[2]);

#endif
