/* Compares dap_linalg_solve_refined() with solutions of higher precision, and with LAPACK's gesvx. */
#include "harness.h"

#include <dapbridge/linalg_factors.h>

/* ---- matrices -------------------------------------------------------------------------------------- */

/* A matrix as nearly singular as the type allows: a Hilbert matrix with a little more on its diagonal. */
static double ridge;
FORMULA(entry_near, 1 / (double)(i + j + 1) + (i == j ? ridge : 0) + I * (double)(i - j) / 1024)

/* Rows have sizes from 2^-22 to 2^22, and columns from 2^-18 to 2^18. */
static double complex entry_uneven(int64_t i, int64_t j)
{
  const int row = (int)(i * 7 % 23 - 11) * 2, col = (int)(j * 5 % 19 - 9) * 2;
  return ldexp(1, row + col) * entry_dominant(i, j);
}

/* Another matrix that needs gesvx: one row is far larger than the others, which LU without equilibration
 * loses. */
FORMULA(entry_one_row, (i == 2 ? 0x1p30 : 1) * entry_any(i, j) + (i == j ? 8 : 0))

static formula *const entries[] = {entry_any, entry_near, entry_uneven, entry_dominant, entry_one_row};
enum { ENTRIES = 5 };

/* ---- what is right --------------------------------------------------------------------------------- */

typedef long double complex wide;

static double complex element(char trans, int64_t n, const double complex *a, int64_t i, int64_t j)
{
  const double complex value = trans == 'N' ? a[i + j * n] : a[j + i * n];
  return trans == 'C' ? conj(value) : value;
}

/* Sets r to b - op(A) x of one column, and `bound`, if it is not NULL, to |op(A)| |x| + |b|. */
static void residual_of(char trans, int64_t n, const double complex *a, const wide *x,
                        const double complex *b, double complex *r, double *bound)
{
  for (int64_t i = 0; i < n; i++) {
    wide sum = b[i];
    long double size = cabsl(sum);
    for (int64_t j = 0; j < n; j++) {
      const wide product = (wide)element(trans, n, a, i, j) * x[j];
      sum -= product;
      size += cabsl(product);
    }
    r[i] = (double complex)sum;
    if (bound) bound[i] = (double)size;
  }
}

/* Solves for one column to the last digits of a double. The solution is corrected with residuals of higher
 * precision, until nothing changes any more. */
static void solve_exactly(char trans, int64_t n, const double complex *a, const double complex *b, wide *x)
{
  double complex *r = whole_op('N', n, 1, b);
  for (int64_t i = 0; i < n; i++) x[i] = 0;
  bool goes_on = true;
  for (int step = 0; goes_on && step < 30; step++) {
    double complex *d = serial_solve(trans, n, 1, a, r);
    double change = 0, size = 0;
    for (int64_t i = 0; i < n && d; i++) {
      x[i] += d[i];
      change = fmax(change, cabs(d[i]));
      size = fmax(size, (double)cabsl(x[i]));
    }
    free(d);
    residual_of(trans, n, a, x, b, r, NULL);
    goes_on = change > 1e-18 * size;
  }
  free(r);
}

/* The errors of one column of a solution. */
static double backward_error_of(char trans, int64_t n, const double complex *a, const double complex *x,
                                const double complex *b)
{
  wide *wide_x = calloc((size_t)n + 1, sizeof *wide_x);
  double complex *r = whole_op('N', n, 1, b);
  double *bound = calloc((size_t)n + 1, sizeof *bound), error = 0;
  for (int64_t i = 0; i < n; i++) wide_x[i] = x[i];
  residual_of(trans, n, a, wide_x, b, r, bound);
  for (int64_t i = 0; i < n; i++)
    if (cabs(r[i]) > 0) error = fmax(error, cabs(r[i]) / bound[i]);
  free(bound), free(r), free(wide_x);
  return error;
}

static double forward_error_of(char trans, int64_t n, const double complex *a, const double complex *x,
                               const double complex *b)
{
  wide *exactly = calloc((size_t)n + 1, sizeof *exactly);
  double off = 0, largest = 0;
  solve_exactly(trans, n, a, b, exactly);
  for (int64_t i = 0; i < n; i++) {
    off = fmax(off, (double)cabsl((wide)x[i] - exactly[i]));
    largest = fmax(largest, cabs(x[i]));
  }
  free(exactly);
  return off > 0 ? off / largest : 0;
}

void zgesvx_(const char *fact, const char *trans, const lapack_int *n, const lapack_int *nrhs,
             double complex *a, const lapack_int *lda, double complex *af, const lapack_int *ldaf,
             lapack_int *pivots, char *equed, double *r, double *c, double complex *b, const lapack_int *ldb,
             double complex *x, const lapack_int *ldx, double *rcond, double *ferr, double *berr,
             double complex *work, double *rwork, lapack_int *info);

/* Solves with gesvx (LAPACK 3.11, SRC/zgesvx.f). Returns also error bounds [nrhs] and the reciprocal
 * condition number of the equilibrated matrix. */
static double complex *serial_solve_refined(char trans, int64_t n, int64_t nrhs, const double complex *a,
                                            const double complex *b, double forward[], double backward[],
                                            double *rcond)
{
  const lapack_int order = (lapack_int)n, columns = (lapack_int)nrhs, ld = n > 0 ? (lapack_int)n : 1;
  double complex *own_a = whole_op('N', n, n, a), *own_b = whole_op('N', n, nrhs, b),
                 *lu = zeros(n * n, sizeof *lu), *x = zeros(n * nrhs, sizeof *x),
                 *work = zeros(2 * n, sizeof *work);
  double *scales = zeros(4 * n, sizeof *scales);
  lapack_int *pivots = zeros(n, sizeof *pivots), info = 0;
  char scaled = 'N';
  zgesvx_("E", &trans, &order, &columns, own_a, &ld, lu, &ld, pivots, &scaled, scales, scales + n, own_b, &ld,
          x, &ld, rcond, forward, backward, work, scales + 2 * n, &info);
  free(pivots), free(scales), free(work), free(lu), free(own_b), free(own_a);
  return x;
}

/* ---- one system ------------------------------------------------------------------------------------ */

enum { MOST_COLUMNS = 20 };

typedef struct solved {
  double forward[MOST_COLUMNS], backward[MOST_COLUMNS];
  dap_linalg_refinement refinement;
} solved;

static void check_column(const trial *t, char trans, const double complex *a, const double complex *x,
                         const double complex *b, double forward, double backward, double reference)
{
  const int64_t n = t->size[0];
  const double eps = t->type->eps;
  const double in_fact = backward_error_of(trans, n, a, x, b), off = forward_error_of(trans, n, a, x, b);
  EXPECT_MSG(in_fact <= (double)(n + 4) * eps, "a backward error of %g eps", in_fact / eps);
  EXPECT_MSG(fabs(in_fact - backward) <= (double)(n + 4) * eps, "backward %g, in fact %g", backward, in_fact);
  EXPECT_MSG(backward <= 8 * eps, "backward error %g eps", backward / eps);
  EXPECT_MSG(off <= forward, "forward error %g, at most %g by the bound", off, forward);
  if (eps < 1e-10) EXPECT_MSG(forward <= 30 * reference, "a bound of %g, gesvx's is %g", forward, reference);
}

static void compare(const trial *t, char trans, const matrix *b, const solved *s, const double complex *a,
                    const double complex *x, const double complex *whole_b)
{
  const int64_t n = t->size[0], nrhs = b->size[1];
  solved reference = {.refinement.rcond = 1};
  double root[2 * MOST_COLUMNS + 1];
  free(serial_solve_refined(trans, n, nrhs, a, whole_b, reference.forward, reference.backward,
                            &reference.refinement.rcond));
  const double want = n > 0 ? reference.refinement.rcond : 1, rcond = s->refinement.rcond;
  if (want > 100 * (double)(n + 1) * t->type->eps)
    EXPECT_MSG(rcond >= want / 30 && rcond <= 30 * want, "rcond %g, gesvx's is %g", rcond, want);
  EXPECT(s->refinement.steps >= 0 && s->refinement.steps <= 5);
  for (int64_t j = 0; j < nrhs && n > 0; j++)
    check_column(t, trans, a, &x[j * n], &whole_b[j * n], s->forward[j], s->backward[j],
                 reference.forward[j]);
  memcpy(root, s->forward, sizeof s->forward);
  memcpy(root + MOST_COLUMNS, s->backward, sizeof s->backward);
  root[2 * MOST_COLUMNS] = rcond;
  MPI_Bcast(root, 2 * MOST_COLUMNS + 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  EXPECT(!memcmp(root, s->forward, sizeof s->forward) &&
         !memcmp(root + MOST_COLUMNS, s->backward, sizeof s->backward) && root[2 * MOST_COLUMNS] == rcond);
}

/* Frees *b and *x. */
static void check(const trial *t, char trans, formula *entry, matrix *b, matrix *x)
{
  const int64_t n = t->size[0], nrhs = b->size[1];
  ridge = t->type->eps < 1e-10 ? 0x1p-24 : 0x1p-9;
  matrix a = trial_matrix(t, n, n, entry);
  double complex *whole_a = matrix_whole(&a), *whole_b = matrix_whole(b);
  solved s = {0};
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report};
  dap_error err = {.rank = -7};
  EXPECT_OK(dap_linalg_solve_refined(MPI_COMM_WORLD, trans, matrix_operand(&a), matrix_operand(b),
                                     matrix_operand(x), s.forward, s.backward, &s.refinement, &options, &err),
            &err);
  EXPECT_MSG(err.rank == -7 && !err.text[0], "the error was written without one: %s", err.text);
  double complex *got = matrix_whole(x);
  expect_residual("op(A) X - B", residual_solve(trans, n, nrhs, whole_a, got, whole_b, t->type->eps));
  compare(t, trans, b, &s, whole_a, got, whole_b);
  if (entry == entry_uneven && n >= 13) EXPECT(s.refinement.scaled_rows && s.refinement.scaled_columns);
  if (entry == entry_dominant) EXPECT(!s.refinement.scaled_rows && !s.refinement.scaled_columns);
  EXPECT_INT(report.count, 3);
  expect_use(&report, 0, "A", &a, source_shares(t->source, t->size, t->grid));
  expect_use(&report, 1, "B", b, -1), expect_use(&report, 2, "X", x, -1);
  expect_same(&a), expect_same(b), expect_padding(x);
  free(got), free(whole_b), free(whole_a);
  matrix_free(&a), matrix_free(b), matrix_free(x);
  SETTLE();
}

static void everywhere(void **state)
{
  static const int64_t sizes[] = {33, 5, 13, 0, 64, 1, 2}, widths[] = {3, 1, 0, 20};
  (void)state;
  for (int i = 0; i < 2 * source_count * (test_scale() > 1 ? 1 : 2); i++) {
    const int64_t n = sizes[(i + i / source_count) % 7], nrhs = i % 3 == 1 ? 2 : widths[i % 4];
    const trial t = trial_of(i, n, n);
    matrix b = i % 3 == 2 ? trial_other(&t, t.type, n, -1, entry_any) : trial_matrix(&t, n, nrhs, entry_any),
           x = i % 3 == 0 ? trial_matrix(&t, n, nrhs, entry_nans)
                          : trial_other(&t, t.type, n, i % 3 == 2 ? -1 : nrhs, entry_nans);
    check(&t, "NTC"[i / 3 % 3], entries[i % ENTRIES], &b, &x);
  }
}

/* A panel is smaller than the matrix, so there are several panels, and the last one is short. */
static void several_panels(void **state)
{
  (void)state;
  enum { N = 300 };
  const source on = {{"blocks of 16", 2, .cut = {CUT_CYCLIC, CUT_CYCLIC}, .block = {16, 16}}, .form = FORM_F};
  for (int k = 0; k < 3; k++) {
    const element_type *type = &element_types[1 + 2 * (k % 2)];
    const int grid[2] = {1, test_nprocs()};
    TEST_CASE("'%c', %s", "NTC"[k], type -> name);
    matrix a = matrix_make(&on, type, N, N, grid, entry_dominant),
           b = matrix_make(&on, type, N, 2, grid, entry_any),
           x = matrix_make(&on, type, N, 2, grid, entry_nans);
    double complex *whole_a = matrix_whole(&a), *whole_b = matrix_whole(&b);
    double forward[2] = {NAN, NAN}, backward[2] = {NAN, NAN};
    dap_error err = {0};
    EXPECT_OK(dap_linalg_solve_refined(MPI_COMM_WORLD, "NTC"[k], matrix_operand(&a), matrix_operand(&b),
                                       matrix_operand(&x), forward, backward, NULL, NULL, &err),
              &err);
    double complex *got = matrix_whole(&x);
    for (int j = 0; j < 2; j++) {
      const double e =
          backward_error_of("NTC"[k], N, whole_a, &got[(int64_t)j * N], &whole_b[(int64_t)j * N]);
      EXPECT_MSG(fabs(e - backward[j]) <= 32 * type->eps, "backward %g, in fact %g", backward[j], e);
      EXPECT_MSG(forward[j] > 0 && forward[j] < 1e-10, "forward %g", forward[j]);
    }
    free(got), free(whole_b), free(whole_a);
    matrix_free(&x), matrix_free(&b), matrix_free(&a);
    SETTLE();
  }
}

/* ---- unusual right-hand sides ---------------------------------------------------------------------- */

static double complex entry_mixed(int64_t i, int64_t j)
{
  if (j == 1) return 0;
  return j == 2 && i == 3 ? NAN : entry_any(i, j);
}

/* Zeros are solved exactly, NaN stays in its column, and outputs may be left out. */
static void unusual_sides(void **state)
{
  enum { N = 13, NRHS = 4 };
  (void)state;
  for (int i = 0; i < source_count; i++) {
    const trial t = trial_of(i, N, N);
    matrix a = trial_matrix(&t, N, N, entry_any), b = trial_matrix(&t, N, NRHS, entry_mixed),
           x = trial_other(&t, t.type, N, NRHS, entry_any), y = trial_matrix(&t, N, NRHS, entry_any);
    double forward[NRHS], backward[NRHS];
    dap_error err = {0};
    EXPECT_OK(dap_linalg_solve_refined(MPI_COMM_WORLD, 'N', matrix_operand(&a), matrix_operand(&b),
                                       matrix_operand(&x), forward, backward, NULL, NULL, &err),
              &err);
    double complex *got = matrix_whole(&x);
    for (int64_t e = 0; e < N; e++)
      EXPECT(got[N + e] == 0 && isfinite(creal(got[e])) && isfinite(creal(got[3 * N + e])));
    EXPECT(!isfinite(creal(got[2 * N])) && !(backward[2] < 1) && !(forward[2] < 1));
    EXPECT(backward[1] == 0 && forward[1] < 1e-30);
    EXPECT(backward[0] < 8 * t.type->eps && backward[3] < 8 * t.type->eps);
    EXPECT_OK(dap_linalg_solve_refined(MPI_COMM_WORLD, 'N', matrix_operand(&a), matrix_operand(&b),
                                       matrix_operand(&y), NULL, NULL, NULL, NULL, &err),
              &err);
    free(got);
    matrix_free(&y), matrix_free(&x), matrix_free(&b), matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere), cmocka_unit_test(several_panels),
                                          cmocka_unit_test(unusual_sides)};
MPI_TEST_MAIN(tests)
