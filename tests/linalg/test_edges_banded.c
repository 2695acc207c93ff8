/* Tests band and tridiagonal systems at the edges: every order up to 60, and systems without a solution. */
#include "edges.h"

#include <dapbridge/linalg_banded.h>

/* A band as a whole matrix, and how operands hold it. */
typedef struct band_case {
  int64_t n, lower, upper;
  int exponent;
  double complex *dense; /* [n * n] around 1 */
  bool is_positive;
  int64_t gap; /* a column of zeros, or a negative element of a positive band; -1: none */
} band_case;

static double complex element(edge *e)
{
  const double re = (double)test_random_int(&e->random, -64, 64) / 64;
  return CMPLX(re, e->type->is_complex ? (double)test_random_int(&e->random, -64, 64) / 64 : 0);
}

/* Kinds of elements. */
enum { ANY, DOMINANT, ZERO, HOLLOW, PATH, NOT_A_NUMBER, GAP, WHATS };

static band_case draw_band(edge *e, int64_t lower, int64_t upper, bool positive)
{
  static const char *const names[WHATS] = {"any", "dominant", "0", "hollow", "path", "NaN", "gap"};
  band_case c = {.n = edge_size(e), .lower = lower, .upper = upper, .is_positive = positive};
  int what = (int)test_random_int(&e->random, 0, WHATS - 1);
  if (what >= ZERO && !edge_one_in(e, 2)) what = DOMINANT;
  if (e->row) what = DOMINANT;
  if (!e->row && edge_one_in(e, 4)) c.n *= 4;
  c.gap = what == GAP && c.n > 0 ? test_random_int(&e->random, 0, c.n - 1) : -1;
  c.exponent = edge_exponent(e);
  c.dense = calloc((size_t)(c.n * c.n) + 1, sizeof *c.dense);
  for (int64_t j = 0; j < c.n; j++)
    for (int64_t i = 0; i < c.n; i++) {
      if (i - j > lower || j - i > upper) continue;
      double complex v = what == ZERO ? 0 : what == PATH ? (i == j ? 2 : -1) : element(e);
      if (i == j && (what == DOMINANT || what == GAP)) v = 4 + (double)(2 * (lower + upper));
      if (i == j && what == HOLLOW) v = 0;
      if (i == j && positive) v = creal(v);
      if (j == c.gap) v = !positive ? 0 : i == j ? -creal(v) : v;
      if (i == j && i == c.n / 2 && what == NOT_A_NUMBER) v = NAN;
      c.dense[i + j * c.n] = positive && i < j ? 0 : v;
    }
  for (int64_t j = 0; j < c.n && positive; j++)
    for (int64_t i = 0; i < j; i++) c.dense[i + j * c.n] = conj(c.dense[j + i * c.n]);
  edge_say(e, " band %d+%d, %s", (int)lower, (int)upper, names[what]);
  return c;
}

/* An element of the diagonal of a Hermitian band has an imaginary part that is not read. */
static double complex unread(const edge *e, const band_case *c, bool is_diagonal)
{
  return c->is_positive && is_diagonal && e->type->is_complex ? CMPLX(0, NAN) : 0;
}

/* The diagonals -upper .. lower as LAPACK's band; NaN where there is no element. */
static drawn draw_diagonals(edge *e, const band_case *c, int64_t lower, int64_t upper)
{
  const int64_t rows = lower + upper + 1;
  double complex *values = calloc((size_t)(rows * c->n) + 1, sizeof *values);
  for (int64_t j = 0; j < c->n; j++)
    for (int64_t row = 0; row < rows; row++) {
      const int64_t i = row + j - upper;
      values[row + j * rows] =
          i >= 0 && i < c->n ? c->dense[i + j * c->n] + unread(e, c, i == j) : CMPLX(NAN, NAN);
    }
  drawn d = edge_draw_these(e, rows, c->n, values, c->exponent);
  free(values);
  return d;
}

/* A(i + below, i + right) */
static drawn draw_diagonal(edge *e, const band_case *c, int64_t below, int64_t right)
{
  const int64_t away = below > right ? below : right, length = c->n > away ? c->n - away : 0;
  double complex values[136] = {0};
  for (int64_t i = 0; i < length; i++)
    values[i] = c->dense[i + below + (i + right) * c->n] + unread(e, c, below == right);
  return edge_draw_these(e, length, -1, values, c->exponent);
}

/* The report names a row behind the gap, because ScaLAPACK factors blocks of rows. B is unchanged. */
static void check_failure(const edge *e, const band_case *c, const drawn *b, dap_status status)
{
  EXPECT_MSG(status == DAP_ERR_NUMERIC, "a system without a solution is solved");
  EXPECT_MSG(test_contains(e->err.text, c->is_positive ? "A|not positive definite" : "A|singular"), "%s",
             e->err.text);
  EXPECT_MSG(e->report.info > c->gap && e->report.info <= c->n, "info is %d, the gap is at %d",
             (int)e->report.info, (int)c->gap);
  expect_same(&b->held);
}

/* Checks that X solves the system, if there is a solution within the type's range. */
static void check_band(edge *e, const band_case *c, const drawn *b, dap_status status)
{
  const int64_t n = c->n, nrhs = b->cols;
  const int exponent = b->exponent - c->exponent;
  const bool is_finite = isfinite(whole_norm('M', n, n, c->dense));
  const double eps = edge_eps(e, (const int[3]){c->exponent, b->exponent, exponent}, 3);
  const double condition = serial_condition('1', n, c->dense),
               size = condition > 0 ? 2 * (double)n / condition : INFINITY;
  const bool within = edge_is_within(e, exponent, size) && edge_is_within(e, b->exponent, size);
  const bool regular = condition > 100 * (double)(n + 1) * eps && within;
  if (status == DAP_ERR_SHARE) {
    edge_status(e, status, false, DAP_OK);
    return;
  }
  EXPECT(is_finite || status || nrhs == 0);
  if (c->gap >= 0 && is_finite && nrhs > 0) check_failure(e, c, b, status);
  if (!edge_status(e, status, !regular || c->is_positive, DAP_ERR_NUMERIC)) {
    double complex *w = regular && c->is_positive ? serial_eigenvalues('L', n, c->dense) : NULL;
    EXPECT_MSG(!w || n == 0 || creal(w[0]) < 1000 * eps * creal(w[n - 1]), "a definite band is refused: %s",
               e->err.text);
    free(w);
    return;
  }
  if (!within || !is_finite || !b->is_finite) return;
  double complex *x = edge_whole(b, exponent), *product = serial_multiply('N', 'N', n, nrhs, n, c->dense, x);
  const double scale = fmax(whole_norm('1', n, n, c->dense), 1) * fmax(whole_norm('M', n, nrhs, x), 1);
  edge_bound("A X - B", whole_distance(n, nrhs, product, b->whole), n * n, scale * eps);
  free(product), free(x);
}

static drawn draw_b(edge *e, const band_case *c)
{
  const int64_t columns = e->row ? 2 : edge_size(e) % 6;
  return edge_draw_side(e, c->n, edge_one_in(e, 3) ? -1 : columns,
                        !e->row && edge_one_in(e, 4) ? edge_exponent(e) : c->exponent);
}

static void end(band_case *c, drawn *b)
{
  free(c->dense);
  drawn_free(b);
}

static void banded(edge *e)
{
  const int64_t lower = test_random_int(&e->random, 0, 7), upper = test_random_int(&e->random, 0, 7);
  band_case c = draw_band(e, lower, upper, false);
  drawn ab = draw_diagonals(e, &c, lower, upper), b = draw_b(e, &c);
  const dap_status status = UNDER_TRAPS(dap_linalg_banded_solve(
      MPI_COMM_WORLD, lower, upper, matrix_operand(&ab.held), matrix_operand(&b.held), &e->options, &e->err));
  check_band(e, &c, &b, status);
  expect_same(&ab.held);
  drawn_free(&ab), end(&c, &b);
}

static void positive_banded(edge *e)
{
  const char uplo = edge_one_of(e, "LU");
  const int64_t width = test_random_int(&e->random, 0, 7);
  band_case c = draw_band(e, width, width, true);
  drawn ab = draw_diagonals(e, &c, uplo == 'L' ? width : 0, uplo == 'U' ? width : 0), b = draw_b(e, &c);
  const dap_status status = UNDER_TRAPS(dap_linalg_positive_banded_solve(
      MPI_COMM_WORLD, uplo, matrix_operand(&ab.held), matrix_operand(&b.held), &e->options, &e->err));
  check_band(e, &c, &b, status);
  expect_same(&ab.held);
  drawn_free(&ab), end(&c, &b);
}

static void tridiagonal(edge *e)
{
  band_case c = draw_band(e, 1, 1, false);
  drawn dl = draw_diagonal(e, &c, 1, 0), d = draw_diagonal(e, &c, 0, 0), du = draw_diagonal(e, &c, 0, 1);
  drawn b = draw_b(e, &c);
  const dap_status status = UNDER_TRAPS(
      dap_linalg_tridiagonal_solve(MPI_COMM_WORLD, matrix_operand(&dl.held), matrix_operand(&d.held),
                                   matrix_operand(&du.held), matrix_operand(&b.held), &e->options, &e->err));
  check_band(e, &c, &b, status);
  expect_same(&dl.held), expect_same(&d.held), expect_same(&du.held);
  drawn_free(&dl), drawn_free(&d), drawn_free(&du), end(&c, &b);
}

static void positive_tridiagonal(edge *e)
{
  band_case c = draw_band(e, 1, 1, true);
  drawn d = draw_diagonal(e, &c, 0, 0), below = draw_diagonal(e, &c, 1, 0), b = draw_b(e, &c);
  const dap_status status = UNDER_TRAPS(dap_linalg_positive_tridiagonal_solve(
      MPI_COMM_WORLD, matrix_operand(&d.held), matrix_operand(&below.held), matrix_operand(&b.held),
      &e->options, &e->err));
  check_band(e, &c, &b, status);
  expect_same(&d.held), expect_same(&below.held);
  drawn_free(&d), drawn_free(&below), end(&c, &b);
}

typedef void attempt(edge *e);
static attempt *const functions[] = {banded, positive_banded, tridiagonal, positive_tridiagonal};
static const char *const names[] = {"banded", "positive_banded", "tridiagonal", "positive_tridiagonal"};

static void at_edges(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) edges_try(names[i], test_scale() > 1 ? 280 : 1000, functions[i]);
}

/* Blocks of every length, with shorter last ones. The first matrices have fewer columns than there are
 * processes. */
static void every_order(void **state)
{
  (void)state;
  edge_row rows[60];
  int count = 0;
  for (int64_t n = 1; n<60; n += test_scale()> 1 ? 3 : 1)
    rows[count++] = (edge_row){"every order", element_types[n % ELEMENT_TYPES].dtype, {n}, {0}, {""}};
  for (int i = 0; i < 4; i++) edges_repeat(rows, count, test_scale() > 1 ? 1 : 8, functions[i]);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(every_order), cmocka_unit_test(at_edges)};
MPI_TEST_MAIN(tests)
