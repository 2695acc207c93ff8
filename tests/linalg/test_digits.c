/* Single precision must keep its digits for any number of rows. Errors are limited to a few hundred eps for
 * thousands to millions of rows. All elements are small integers, so products of them are exact. */
#include "buffers.h"
#include "mpi_test.h"
#include "random_array.h"

#include <complex.h>
#include <dapbridge/linalg_rank.h>
#include <dapbridge/scalapack.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- matrices ------------------------------------------------------------------------------------------ */

/* Element (i, j). The columns have periods without a common factor, so the condition number is below 10. */
static float complex entry(int64_t i, int64_t j, bool is_complex)
{
  const int64_t period = 5 + 2 * j, other = 4 + 3 * j;
  const float re = (float)(i % period - 2 - j), im = (float)(i % other - 1);
  return is_complex ? re + im * I : re;
}

/* An operand in block rows, or on process 0. */
typedef struct operand {
  held_array held;
  int64_t first; /* row of this process */
  int parts;     /* numbers in an element: 1, or 2 in a complex one */
} operand;

static operand make(int64_t rows, int64_t cols, bool whole, bool is_complex, dap_order order)
{
  const int nprocs = test_nprocs();
  const dap_dist dists[2] = {whole ? dap_dist_cyclic(rows, nprocs, rows) : dap_dist_even(rows, nprocs),
                             dap_dist_local(cols)};
  operand o = {.parts = is_complex ? 2 : 1};
  o.held = held_array_make(MPI_COMM_WORLD, layout_make(2, dists, NULL), is_complex ? DAP_C8 : DAP_F4,
                           order == DAP_ORDER_C ? FORM_C : FORM_F);
  int coords[DAP_MAX_NDIM];
  dap_run run = {0};
  dap_layout_coords(o.held.layout, test_rank(), coords);
  if (dap_layout_next_run(o.held.layout, 0, coords[0], &run)) o.first = run.global;
  return o;
}

static void end(operand *o)
{
  held_array_free(&o->held);
}

static dap_darray of(const operand *o)
{
  return held_darray(&o->held);
}

static float *at(const operand *o, int64_t i, int64_t j)
{
  return (float *)((char *)o->held.array.data + i * o->held.array.strides[0] + j * o->held.array.strides[1]);
}

static double complex get(const operand *o, int64_t i, int64_t j)
{
  const float *value = at(o, i, j);
  return o->parts == 2 ? (double)value[0] + (double)value[1] * I : (double)value[0];
}

static void set(const operand *o, int64_t i, int64_t j, float complex value)
{
  at(o, i, j)[0] = crealf(value);
  if (o->parts == 2) at(o, i, j)[1] = cimagf(value);
}

static void fill(const operand *a)
{
  for (int64_t i = 0; i < a->held.array.shape[0]; i++)
    for (int64_t j = 0; j < a->held.array.shape[1]; j++) set(a, i, j, entry(a->first + i, j, a->parts == 2));
}

/* ---- sizes --------------------------------------------------------------------------------------------- */

typedef struct size {
  int64_t rows; /* of each process */
  int64_t cols;
  bool is_complex;
  dap_order order;
} size;

static const size sizes[] = {
    {5000, 1, false, DAP_ORDER_C},  {5000, 3, true, DAP_ORDER_F},    {250000, 3, false, DAP_ORDER_C},
    {250000, 2, true, DAP_ORDER_F}, {500000, 3, false, DAP_ORDER_F}, {4000000, 1, false, DAP_ORDER_C},
};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* Errors in units of eps. A BLAS that adds several sums loses some ten in a chunk of 32,000 rows, but one
 * that adds the rows one after the other loses hundreds. Millions of rows may cost twice what LAPACK
 * loses in one chunk with this BLAS, which lapack_alone() measures. */
enum { CHUNK = 32000 };
static double limit = 300;

static void describe(const char *what, const size *s)
{
  TEST_CASE("%s: %" PRId64 " rows of %d on a process, %s, order %d", what, s->rows, (int)s->cols,
            s->is_complex ? "complex" : "real", (int)s->order);
}

static void expect_digits(const char *what, double error, double scale)
{
  EXPECT_MSG(error <= limit * (double)FLT_EPSILON * scale, "%s: off by %g eps, more than %g", what,
             error / scale / (double)FLT_EPSILON, limit);
}

/* Uses the default tolerance, and one of the caller. */
static const double tolerances[2] = {-1, 0.001};

/* ---- least squares ------------------------------------------------------------------------------------- */

/* B is A times 1, 2 .. n, without rounding. So X is 1, 2 .. n, and the rank is n. Returns X's largest
 * relative error, in eps. */
static double error_of_solution(const size *s, bool any_rank, double tolerance)
{
  const int64_t m = s->rows * test_nprocs();
  int64_t rank = s->cols;
  double worst = 0;
  operand a = make(m, s->cols, false, s->is_complex, s->order),
          b = make(m, 1, false, s->is_complex, DAP_ORDER_C),
          x = make(s->cols, 1, true, s->is_complex, DAP_ORDER_C);
  dap_error err = {.text = ""};
  fill(&a);
  for (int64_t i = 0; i < b.held.array.shape[0]; i++) {
    float complex sum = 0;
    for (int64_t j = 0; j < s->cols; j++) sum += entry(b.first + i, j, s->is_complex) * (float)(j + 1);
    set(&b, i, 0, sum);
  }
  EXPECT_OK(any_rank ? dap_linalg_least_squares_rank(MPI_COMM_WORLD, tolerance, of(&a), of(&b), of(&x), &rank,
                                                     NULL, &err)
                     : dap_linalg_least_squares(MPI_COMM_WORLD, of(&a), of(&b), of(&x), NULL, &err),
            &err);
  EXPECT_INT(rank, s->cols);
  for (int64_t j = 0; j < x.held.array.shape[0]; j++)
    worst = fmax(worst, cabs(get(&x, j, 0) - (double)(j + 1)) / (double)(j + 1));
  end(&x), end(&b), end(&a);
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return worst / (double)FLT_EPSILON;
}

void sgels_(const char *trans, const dap_scalapack_int *m, const dap_scalapack_int *n,
            const dap_scalapack_int *nrhs, float *a, const dap_scalapack_int *lda, float *b,
            const dap_scalapack_int *ldb, float *work, const dap_scalapack_int *lwork,
            dap_scalapack_int *info); /* LAPACK 3.11, SRC/sgels.f */

/* Solves the least squares of one chunk by LAPACK's sgels on each process, without dapbridge. Sets the
 * limit of the other tests, so it is the first. */
static void lapack_alone(void **state)
{
  (void)state;
  const dap_scalapack_int rows = CHUNK, one = 1, room = 2 * CHUNK;
  dap_scalapack_int info = -1;
  float *a = calloc(CHUNK, sizeof *a), *b = calloc(CHUNK, sizeof *b), *work = calloc(2 * CHUNK, sizeof *work);
  if (EXPECT(a && b && work)) {
    for (int64_t i = 0; i < CHUNK; i++) a[i] = b[i] = crealf(entry(i, 0, false));
    sgels_("N", &rows, &one, &one, a, &rows, b, &rows, work, &room, &info);
    EXPECT_INT(info, 0);
    const double lost = fabs((double)b[0] - 1) / (double)FLT_EPSILON;
    EXPECT_MSG(lost <= CHUNK, "LAPACK is off by %g eps, more than an eps for each row", lost);
    limit = fmax(limit, 2 * lost);
  }
  MPI_Allreduce(MPI_IN_PLACE, &limit, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  free(work), free(b), free(a);
  SETTLE();
}

static void least_squares(void **state)
{
  (void)state;
  for (int k = 0; k < 2 * SIZES; k++) {
    const size *s = &sizes[k / 2];
    const bool any_rank = k % 2;
    describe(any_rank ? "least squares of any rank" : "least squares", s);
    expect_digits("X", error_of_solution(s, any_rank, tolerances[k / 2 % 2]) * (double)FLT_EPSILON, 1);
    SETTLE();
  }
}

/* ---- factors ------------------------------------------------------------------------------------------- */

/* sum [n][n] += X^H X of this process's rows of X. */
static void add_gram(const operand *x, double complex sum[])
{
  const int64_t n = x->held.array.shape[1];
  for (int64_t i = 0; i < x->held.array.shape[0]; i++)
    for (int64_t j = 0; j < n; j++)
      for (int64_t k = 0; k < n; k++) sum[j + k * n] += conj(get(x, i, j)) * get(x, i, k);
}

/* X^H X of all rows, to about the last digit of double precision. */
static void gram_of(const operand *x, double complex sum[])
{
  const int64_t n = x->held.array.shape[1];
  for (int64_t k = 0; k < n * n; k++) sum[k] = 0;
  add_gram(x, sum);
  MPI_Allreduce(MPI_IN_PLACE, sum, (int)(n * n), MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
}

/* The square of A's Frobenius norm. */
static double square_of(int64_t n, const double complex gram[])
{
  double sum = 0;
  for (int64_t j = 0; j < n; j++) sum += creal(gram[j * (n + 1)]);
  return sum;
}

/* Checks R^H R = A^H A, with A's columns in the given order. R is on process 0. */
static void check_r(const operand *r, const double complex gram[], const int64_t order[])
{
  const int64_t n = r->held.array.shape[1];
  double complex sum[9] = {0};
  if (r->held.array.shape[0] == 0) return;
  add_gram(r, sum);
  for (int64_t k = 0; k < n * n; k++)
    expect_digits("R^H R", cabs(sum[k] - gram[order[k % n] + order[k / n] * n]), square_of(n, gram));
}

/* Checks Q R = A, with A's columns in the given order. */
static void check_product(const operand *a, const operand *q, const double complex r[],
                          const double complex gram[], const int64_t order[])
{
  const int64_t n = a->held.array.shape[1];
  double error = 0;
  for (int64_t i = 0; i < a->held.array.shape[0]; i++)
    for (int64_t j = 0; j < n; j++) {
      double complex sum = -(double complex)entry(a->first + i, order[j], a->parts == 2);
      for (int64_t k = 0; k <= j; k++) sum += get(q, i, k) * r[k + j * n];
      error += creal(sum * conj(sum));
    }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  expect_digits("Q R", sqrt(error), sqrt(square_of(n, gram)));
}

/* Sends R to every process. */
static void spread(const operand *r, double complex whole[])
{
  const int64_t n = r->held.array.shape[1];
  for (int64_t k = 0; k < n * n && r->held.array.shape[0] > 0; k++) whole[k] = get(r, k % n, k / n);
  MPI_Bcast(whole, (int)(n * n), MPI_C_DOUBLE_COMPLEX, 0, MPI_COMM_WORLD);
}

typedef enum variant { ONLY_R, Q_AND_R, PIVOTED, VARIANTS } variant;

/* Factors A. `order` [n]: every process has the pivots as a whole. */
static dap_status factor(variant v, double tolerance, const operand *a, const operand *q, const operand *r,
                         int64_t order[], int64_t *rank, dap_error *err)
{
  const int64_t n = r->held.array.shape[1];
  const dap_darray none = {0};
  *rank = n;
  for (int64_t j = 0; j < n; j++) order[j] = j;
  if (v != PIVOTED) return dap_linalg_qr(MPI_COMM_WORLD, of(a), v == ONLY_R ? none : of(q), of(r), NULL, err);
  const dap_dist dist = dap_dist_replicated(n, test_nprocs());
  dap_layout *layout = NULL;
  dap_array array;
  EXPECT_OK(dap_layout_create(1, &dist, &layout, err), err);
  EXPECT_OK(dap_array_init(&array, layout, test_rank(), DAP_I8, DAP_ORDER_C, order, err), err);
  const dap_status s = dap_linalg_qr_pivoted(MPI_COMM_WORLD, tolerance, of(a), of(q), of(r),
                                             (dap_darray){layout, &array}, rank, NULL, err);
  dap_array_release(&array), dap_layout_destroy(&layout);
  return s;
}

static void factors(void **state)
{
  (void)state;
  static const char *const names[VARIANTS] = {"R", "Q and R", "Q and R with pivots"};
  for (int k = 0; k < VARIANTS * SIZES; k++) {
    const size *s = &sizes[k / VARIANTS];
    const variant v = (variant)(k % VARIANTS);
    const int64_t m = s->rows * test_nprocs(), n = s->cols;
    describe(names[v], s);
    operand a = make(m, n, false, s->is_complex, s->order),
            q = make(v == ONLY_R ? 0 : m, n, false, s->is_complex, s->order),
            r = make(n, n, true, s->is_complex, DAP_ORDER_F);
    double complex gram[9], of_q[9], whole[9];
    int64_t order[3], rank;
    dap_error err = {.text = ""};
    fill(&a);
    gram_of(&a, gram);
    EXPECT_OK(factor(v, tolerances[k / VARIANTS % 2], &a, &q, &r, order, &rank, &err), &err);
    EXPECT_INT(rank, n);
    check_r(&r, gram, order);
    spread(&r, whole);
    if (v != ONLY_R) {
      check_product(&a, &q, whole, gram, order);
      gram_of(&q, of_q);
      for (int64_t i = 0; i < n * n; i++) expect_digits("Q^H Q", cabs(of_q[i] - (i % (n + 1) == 0)), 1);
    }
    end(&r), end(&q), end(&a);
    SETTLE();
  }
}

/* ---- the default tolerance ----------------------------------------------------------------------------- */

/* The length of two columns' difference is 1 / 64 of their own. With the default tolerance, 65,536 eps,
 * the rank is 2. With a tolerance of m eps, where A has m rows, it would be 1. */
static void usual_tolerance(void **state)
{
  static const struct {
    const char *why;
    int64_t nrhs; /* -1: factors alone */
  } rows[] = {{"no right-hand side", 0}, {"right-hand sides beside A", 3}, {"no solution", -1}};
  enum { ROWS = 262144 };
  (void)state;
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
    const int64_t nrhs = rows[k].nrhs > 0 ? rows[k].nrhs : 0;
    const dap_darray none = {0};
    int64_t rank = -7;
    dap_error err = {.text = ""};
    TEST_CASE("%s", rows[k].why);
    operand a = make(ROWS, 2, false, false, DAP_ORDER_F), b = make(ROWS, nrhs, false, false, DAP_ORDER_F),
            x = make(2, nrhs, true, false, DAP_ORDER_F);
    for (int64_t i = 0; i < a.held.array.shape[0]; i++) {
      const float side = (a.first + i) % 2 ? 1 : -1;
      set(&a, i, 0, 1), set(&a, i, 1, 1 + side / 64);
    }
    fill(&b);
    EXPECT_OK(
        rows[k].nrhs < 0
            ? dap_linalg_qr_pivoted(MPI_COMM_WORLD, -1, of(&a), none, none, none, &rank, NULL, &err)
            : dap_linalg_least_squares_rank(MPI_COMM_WORLD, -1, of(&a), of(&b), of(&x), &rank, NULL, &err),
        &err);
    EXPECT_INT(rank, 2);
    end(&x), end(&b), end(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(lapack_alone), cmocka_unit_test(least_squares),
                                          cmocka_unit_test(factors), cmocka_unit_test(usual_tolerance)};
MPI_TEST_MAIN(tests)
