/* Linear systems and products: an index of what the files share that factor, solve, estimate and multiply. */
#ifndef DAP_SYSTEM_IMPL_H
#define DAP_SYSTEM_IMPL_H

#include "room_impl.h"

/* lu.c: factors of a square matrix sigma M = P L U, over M. All are collective.
 * factor: a zero on U's diagonal is not an error: `singular` tells it. DAP_ERR_NUMERIC if an element of the
 * diagonal is not finite, because the reciprocal of a subnormal pivot is infinite.
 * regular: a zero on U's diagonal, or a subnormal number, by whose reciprocal trsm multiplies, is an error.
 * first_defect: the first number of its kind on the diagonal of a view's matrix, counted from 1; 0: none.
 * pivots: of all rows, on every process. */
typedef struct dap_lu {
  const dap_scalapack_matrix *matrix;
  dap_scalapack_int
      *pivots;      /* [local rows + MB] the 1-based row that a local row was swapped with; NULL: none */
  int64_t singular; /* the first k with U(k, k) = 0, 1-based; 0: none */
  double sigma;     /* a power of 2: above 1 if M has very small elements only */
} dap_lu;

dap_status dap_lu_factor(dap_linalg_call *call, const dap_scalapack_matrix *view, dap_lu *lu);
dap_status dap_lu_regular(dap_linalg_call *call, const dap_lu *lu);
dap_status dap_lu_pivots(dap_linalg_call *call, const dap_lu *lu, dap_scalapack_int **pivots);

typedef enum dap_defect { DAP_DEFECT_ZERO, DAP_DEFECT_SUBNORMAL, DAP_DEFECT_NOT_FINITE } dap_defect;
dap_status dap_linalg_first_defect(dap_linalg_call *call, const dap_scalapack_matrix *view, dap_defect defect,
                                   dap_scalapack_int *first);

/* equation.c: what op(A) X = B is for the views M of A and S of B. */
typedef struct dap_equation {
  char trans;     /* 'N', 'T', 'C': M, M^T, M^H */
  bool conjugate; /* conj(M): trans is 'N', and right-hand sides and solutions are conjugated */
} dap_equation;

dap_equation dap_equation_of(char trans, char op_a, char op_b);

/* lu_solve.c: S = inv(t(M)) S or S inv(t(M)), with `trans` 'N', 'T' or 'C'. Both are collective.
 * align: takes the pivots of all rows [n], 1-based, for S, or what is distributed like it. */
typedef struct dap_swaps {
  int axis;                    /* of S, along which its lines are M's rows: 0 from the left, else 1 */
  dap_scalapack_int *lines[2]; /* [n] the line that comes to each place, forward and backward */
  bool any;                    /* one comes from elsewhere; else there is nothing below */
  int *ranks;                  /* [processes along the axis] with whom lines are exchanged */
  /* sent, received */
  void *buffers[2];
  dap_scalapack_int *order[2]; /* [local lines] */
  int *counts[2];              /* [2 nprocs] */
} dap_swaps;

dap_status dap_lu_align(dap_linalg_call *call, const dap_scalapack_int pivots[],
                        const dap_scalapack_matrix *s, dap_swaps *swaps);
dap_status dap_lu_substitute(dap_linalg_call *call, const dap_scalapack_matrix *m, const dap_swaps *swaps,
                             char trans, const dap_scalapack_matrix *s);

/* inverse.c: that of M over its factors. All are collective.
 * inversion: reserves its workspace, for which it reads M's view only. */
typedef struct dap_inversion {
  dap_workspace w;
  void *iwork;
  dap_scalapack_int liwork;
} dap_inversion;

dap_status dap_lu_inversion(dap_linalg_call *call, const dap_scalapack_matrix *a, dap_inversion *s);
dap_status dap_lu_invert(dap_linalg_call *call, const dap_lu *lu, dap_inversion *s);

/* cholesky.c: M = U^H U or L L^H over the triangle `uplo` of M.
 * triangle: that of a view's matrix which holds the array's triangle. factor is collective. */
char dap_linalg_triangle(char uplo, char op);
dap_status dap_cholesky_factor(dap_linalg_call *call, char uplo, const dap_scalapack_matrix *a);
void dap_cholesky_substitute(const dap_linalg_call *call, char uplo, const dap_scalapack_matrix *a,
                             const dap_scalapack_matrix *s);

/* estimate.c: 1-norms of matrices of which only products with vectors are known, from below; infinity or NaN
 * where they overflow. All are collective.
 * norms: of x.n matrices K(j) at once; column j of x is for K(j). values [x.n].
 * norm_of_inverse: the norm '1' or 'I' of the inverse of a matrix whose factors are in M: LU factors (uplo
 * 0), or Cholesky's in the triangle `uplo`. */
typedef struct dap_linalg_product {
  dap_scalapack_matrix x; /* n x count, of any distribution, from IA = JA = 1 on */
  /* x(j) = K(j) x(j), or with `adjoint` K(j)^H x(j), for all j */
  dap_status (*apply)(void *context, const dap_scalapack_matrix *x, bool adjoint);
  void *context;
} dap_linalg_product;

dap_status dap_linalg_norms(dap_linalg_call *call, const dap_linalg_product *product, double values[]);
dap_status dap_linalg_norm_of_inverse(dap_linalg_call *call, const dap_scalapack_matrix *m, char uplo,
                                      char norm, double *value);

/* condition.c: 1 / (||A|| ||inverse||) */
double dap_linalg_reciprocal(double norm, double norm_of_inverse);

/* determinant.c: sign * exp(log). Never overflows. Of P L U, by its diagonal and pivots. Collective. */
typedef struct dap_determinant {
  double sign[2]; /* real and imaginary part of a number of absolute value 1; or 0 */
  double log;     /* of the absolute value */
} dap_determinant;

dap_status dap_linalg_determinant_of(dap_linalg_call *call, const dap_lu *lu, dap_determinant *result);

/* equation.c. The view of right-hand sides is S = B (op 'N') or its transpose (op 'T'): the matrix that is
 * solved with stands on its left or on its right.
 * view_right_side: collective; operand `i` on the grid of `like`, with the op that can be shared.
 * triangular: S = inv(t(T)) S or S inv(t(T)), T the triangle of `a`. Collective. */
dap_status dap_linalg_view_right_side(dap_linalg_call *call, int i, const dap_scalapack_matrix *like,
                                      dap_scalapack_matrix **view);
static inline char dap_linalg_side(const dap_scalapack_matrix *s)
{
  return s->op == 'N' ? 'L' : 'R';
}
void dap_linalg_triangular(const dap_linalg_call *call, char uplo, char trans, char diag,
                           const dap_scalapack_matrix *a, const dap_scalapack_matrix *s);

/* scalar.c: factors of products, such as alpha.
 * number_of: takes `given` [2], or `otherwise` if `given` is NULL.
 * check_numbers: refuses numbers that differ between processes, or are not real with a real matrix.
 * Collective.
 * scalar_of: converts a number to the matrix's type. */
typedef struct dap_linalg_number {
  const char *name;
  double parts[2]; /* real and imaginary */
} dap_linalg_number;

typedef union dap_linalg_scalar {
  float singles[2];
  double doubles[2];
} dap_linalg_scalar;

dap_linalg_number dap_linalg_number_of(const char *name, const double given[2], double otherwise);
dap_status dap_linalg_check_numbers(dap_linalg_call *call, const dap_linalg_number numbers[], int count);
dap_linalg_scalar dap_linalg_scalar_of(const dap_linalg_call *call, const double parts[2]);

#endif
