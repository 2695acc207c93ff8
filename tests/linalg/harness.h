/* Provides the tests of linalg.h with arrays in every layout, and with references from serial LAPACK.
 * Functions are collective on MPI_COMM_WORLD, or give the same result on every process, unless their comment
 * says otherwise. Complete matrices are double complex, column-major without gaps, on every process, and are
 * freed with free(). */
#ifndef DAP_TEST_LINALG_HARNESS_H
#define DAP_TEST_LINALG_HARNESS_H

#include <complex.h>
#include <float.h>
#include <math.h>

#include <dapbridge/linalg.h>
#include <dapbridge/scalapack.h>

#include "case.h"
#include "mpi_test.h"

#ifndef CMPLX /* glibc has it only for GCC, not for clang; re + im * I spoils NaN and infinity */
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

/* ---- elements (harness_matrix.c) ----------------------------------------------------------------- */

typedef struct element_type {
  dap_dtype dtype;
  dap_dtype real; /* of its eigenvalues */
  const char *name;
  double eps;
  bool is_complex;
} element_type;

enum { ELEMENT_TYPES = 4 };
extern const element_type element_types[ELEMENT_TYPES]; /* f4, f8, c8, c16 */

const element_type *element_type_of(dap_dtype dtype);

/* One element, in this machine's byte order. A real type keeps the real part. */
void element_store(dap_dtype dtype, double complex value, void *element);
double complex element_load(dap_dtype dtype, const void *element);
double complex times_power(double complex value, int exponent); /* times 2^exponent */

/* A formula gives element (i, j) of a matrix of any size, or element (i, 0) of a vector. The elements of
 * these formulas have few bits, so every type holds them exactly. A real type holds the real part, which
 * has the same properties. */
typedef double complex formula(int64_t i, int64_t j);
#define FORMULA(name, element) static EXPORTED_FORMULA(name, element)
#define EXPORTED_FORMULA(name, element)                                                                      \
  double complex name(int64_t i, int64_t j)                                                                  \
  {                                                                                                          \
    (void)i, (void)j;                                                                                        \
    return element;                                                                                          \
  }

formula entry_any;       /* irregular, |real|, |imaginary| <= 1 */
formula entry_dominant;  /* the same, well conditioned: 64 more on the diagonal */
formula entry_hermitian; /* indefinite, no special eigenvalues */
formula entry_definite;  /* Hermitian, positive definite to order 300 */
formula entry_zero, entry_identity;
formula entry_nans; /* NaN everywhere: a result before it is computed */

/* ---- source layouts (harness_matrix.c) ------------------------------------------------------------ */

typedef struct source {
  case_layout layout; /* called `why`; sizes and widths of padding are replaced by those of the matrix */
  test_form form;
  bool swapped; /* bytes in the other order */
} source;

/* [source_count] rows of matrices, [vector_source_count] rows of vectors, which have a row's first axis. */
extern const source sources[];
extern const int source_count, vector_source_count;
enum { ROWS_OF_5 = 0, COLUMNS_OF_5 = 1, UNEQUAL_BLOCKS = 14, WITH_GAPS = 19, BACKWARDS = 20 };

/* Whether a routine that needs square blocks shares an array of this row: 1 yes, 0 no, -1: it depends. The
 * routine has no other needs. The answer follows from the row alone. */
int source_shares(const source *s, const int64_t size[2], const int grid[2]);

/* Puts all processes along `axis`; -1: into the grid nearest to a square, with more columns than rows. */
void set_grid(int axis, int grid[2]);

/* One of the sources, with a type and a grid. */
typedef struct trial {
  int number;
  const source *source;
  const element_type *type;
  int64_t size[2];
  int grid[2];
} trial;

/* Trial `number`. Trials use all sources in turn, with other types and grids in each round. Sets the
 * TEST_CASE(). */
trial trial_of(int number, int64_t rows, int64_t cols);

/* ---- arrays (harness_matrix.c) ------------------------------------------------------------------- */

typedef struct matrix {
  int ndim;        /* 1 or 2 */
  int64_t size[2]; /* rows, columns; of a vector n, 1 */
  const element_type *type;
  held_array held;       /* NaN bits in padding, gaps and margins */
  array_walk places;     /* the first of all positions */
  unsigned char *before; /* the buffer's memory as matrix_fill() or matrix_set() left it */
} matrix;

/* Makes an array in the layout of a row, over exactly `grid` processes along its axes. If `columns` is -1,
 * it is a vector (rows,). vector_make() uses row `number` of sources. Ends the program if the library
 * refuses the layout. */
matrix matrix_make(const source *s, const element_type *type, int64_t rows, int64_t columns,
                   const int grid[2], formula *entry);
matrix vector_make(int number, const element_type *type, int64_t n, formula *entry);
void matrix_free(matrix *m);

/* On the trial's source, type and grid. */
matrix trial_matrix(const trial *t, int64_t rows, int64_t columns, formula *entry);

/* Makes a matrix on another source and grid, or a vector if `columns` is -1, because operands need not lie
 * alike. They differ from trial to trial. */
matrix trial_other(const trial *t, const element_type *type, int64_t rows, int64_t columns, formula *entry);

#define matrix_operand(m) held_darray(&(m)->held) /* borrows *m, which must stay where it is */

/* Sets all elements and copies, or none if the formula is NULL. Remembers the memory for later checks. */
void matrix_fill(matrix *m, formula *entry);

/* Sets the elements above ('U') or below ('L') the diagonal, or else element (i, j), and remembers. */
void matrix_set(matrix *m, char where, int64_t i, int64_t j, double complex value);

/* Gathers the whole matrix by asking the layout what each position is. Checks that each element has one
 * owner, and that copies have the owner's value. */
double complex *matrix_whole(const matrix *m);

/* These checks record failures as EXPECT() does, on the process that finds them. They return whether the
 * check held. */
bool expect_padding(const matrix *m); /* no bit of padding, gaps and margins has changed */
bool expect_same(const matrix *m);    /* no bit of it at all has changed */
bool expect_copies(const matrix *m, const double complex *whole); /* all elements and copies here are these */

/* Checks that uses[index] has this name, that shared, moved_bytes and reason fit each other on all
 * processes, and `wanted`: 1 shared, 0 moved, -1 either. The array may be NULL. */
bool expect_use(const dap_linalg_report *report, int index, const char *name, const matrix *m, int wanted);

/* Checks an operand that the call may use as work space. If it was moved or `kept`, no bit of the buffer
 * has changed. If it was shared, the buffer has changed, provided that it has at least 2 x 2 elements and
 * `changes` says that the routine changes them. */
bool expect_work(const matrix *m, const dap_linalg_use *use, bool kept, bool changes);

/* Checks that a residual is at most RESIDUAL_LIMIT. NaN fails. */
enum { RESIDUAL_LIMIT = 10 };
#define expect_residual(what, residual)                                                                      \
  EXPECT_MSG((residual) <= RESIDUAL_LIMIT, "%s: residual %g", (what), (residual))

/* ---- whole matrices, and references by LAPACK on one process (harness_reference.c) ---------------- */

typedef dap_scalapack_int lapack_int; /* LAPACK's INTEGER */

/* Not collective. Arguments are not changed, and results are freed with free(). Norms are those of
 * dap_linalg_norm(), and NaN if an element is NaN. */
double complex *whole_make(int64_t m, int64_t n, formula *entry, const element_type *type);
double complex *whole_op(char trans, int64_t m, int64_t n, const double complex *a); /* (n, m) unless 'N' */
double whole_norm(char norm, int64_t m, int64_t n, const double complex *a);
void whole_scale(int64_t m, int64_t n, double complex *a,
                 const double complex *factors); /* columns, in place */
void *zeros(int64_t count, size_t size);         /* at least one more; never NULL */

/* op(A) op(B) with op(A) (m, k), op(B) (k, n) */
double complex *serial_multiply(char trans_a, char trans_b, int64_t m, int64_t n, int64_t k,
                                const double complex *a, const double complex *b);
/* X of op(A) X = B, or I where B is NULL; NULL: singular */
double complex *serial_solve(char trans, int64_t n, int64_t nrhs, const double complex *a,
                             const double complex *b);
double complex *serial_least_squares_rank(int64_t m, int64_t n, int64_t nrhs, const double complex *a,
                                          const double complex *b, double tolerance,
                                          int64_t *rank); /* (n, nrhs), of least norm, by gelsy */
double complex serial_determinant(int64_t n, const double complex *a,
                                  double *log); /* sign; 0: log is -infinity */
/* 1 / (||A|| ||inverse||), exactly; 0: singular or not finite; 1 of empty ones */
double serial_condition(char norm, int64_t n, const double complex *a);
double complex *serial_eigenvalues(char uplo, int64_t n, const double complex *a); /* (n), ascending */
/* (n), of any matrix, in no order, by geev. sensitivity [n]: 1 / |y^H x| of unit left and right
 * eigenvectors. A small change of A moves an eigenvalue by at most this multiple of it. It is 1 for normal
 * matrices. */
double complex *serial_general_eigenvalues(int64_t n, const double complex *a, double sensitivity[]);
double complex *serial_singular_values(int64_t m, int64_t n, const double complex *a); /* (min), descending */

/* || a - b ||_1, and || Q^H Q - I ||_1 of Q (m, k) */
double whole_distance(int64_t m, int64_t n, const double complex *a, const double complex *b);
double whole_skew(int64_t m, int64_t k, const double complex *q);

/* ---- residuals (harness_reference.c) ------------------------------------------------------------- */

/* Residuals are in units of the type's eps and grow slowly with sizes. Backward stable algorithms have
 * residuals around 1 or less. Empty matrices have 0; NaN or infinity means that an element is not finite.
 * Not collective. All arguments are whole matrices. */

/* largest over columns: || op(A) x - b || / (||A|| ||x|| n eps) */
double residual_solve(char trans, int64_t n, int64_t nrhs, const double complex *a, const double complex *x,
                      const double complex *b, double eps);
/* || got - want || / (scale n eps), for any scale; 0 if both are equal */
double residual_difference(int64_t m, int64_t n, const double complex *got, const double complex *want,
                           double scale, int64_t terms, double eps);
/* || A Z - Z diag(w) || / (scale n eps) of k vectors */
double residual_eigen(int64_t n, int64_t k, const double complex *a, const double complex *w,
                      const double complex *z, double scale, double eps);
/* || A - U diag(s) VT || / (||A|| max(m, n) eps) */
double residual_svd(int64_t m, int64_t n, const double complex *a, const double complex *u,
                    const double complex *s, const double complex *vt, double eps);
/* || A^H A x - A^H b || / (||A|| (||b|| + ||A|| ||x||) max(m, n) eps), for least squares with m >= n */
double residual_normal(int64_t m, int64_t n, int64_t nrhs, const double complex *a, const double complex *x,
                       const double complex *b, double eps);
/* largest |element| below the diagonal, which must be 0 */
double below_diagonal(int64_t m, int64_t n, const double complex *r);
/* the larger, or NaN if either is */
double worse(double a, double b);

#endif
