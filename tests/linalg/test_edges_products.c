/* Tests products, triangular matrices and norms at the edges. */
#include "edges.h"

#include <dapbridge/linalg_triangular.h>

/* ---- factors ------------------------------------------------------------------------------------------- */

/* A factor of a product. It has small integers, some of them 0, and is NULL one time in three. */
typedef struct factor {
  double parts[2];
  const double *given;
  double complex value;
} factor;

static void draw_factor(edge *e, factor *f, double otherwise, bool real)
{
  f->parts[0] = (double)test_random_int(&e->random, -2, 2);
  f->parts[1] = real || !e->type->is_complex ? 0 : (double)test_random_int(&e->random, -1, 1);
  f->given = edge_one_in(e, 3) ? NULL : f->parts;
  f->value = f->given ? CMPLX(f->parts[0], f->parts[1]) : otherwise;
  if (f->given) edge_say(e, " (%g,%g)", f->parts[0], f->parts[1]);
}

/* A result must be alpha product + beta before, element by element. If an element of that is not finite,
 * the result's element is not finite. Elements are around 1. */
typedef struct sum {
  const double complex *product, *before; /* before: NULL where beta is 0 */
  double complex alpha, beta;
  double size; /* of the terms of the product, all together */
  int64_t terms;
  double eps;
} sum;

static void check_sum(const sum *s, int64_t count, const double complex *got, const bool within[])
{
  double worst = 0;
  for (int64_t k = 0; k < count; k++) {
    if (within && !within[k]) continue;
    double complex want = s->alpha == 0 ? 0 : s->alpha * s->product[k];
    if (s->before && s->beta != 0) want += s->beta * s->before[k];
    if (isfinite(cabs(want)))
      worst = fmax(worst, isnan(cabs(got[k])) ? INFINITY : cabs(got[k] - want));
    else
      EXPECT_MSG(!isfinite(cabs(got[k])), "element %d is %g, it must not be finite", (int)k, creal(got[k]));
  }
  edge_bound("the product", worst, s->terms, s->eps * (4 * s->size + 4));
}

/* ---- products ------------------------------------------------------------------------------------------ */

static double complex *product_of(char trans_a, char trans_b, int64_t m, int64_t n, int64_t k, const drawn *a,
                                  const drawn *b)
{
  return serial_multiply(trans_a, trans_b, m, n, k, a->whole, b->whole);
}

static void multiply(edge *e)
{
  const int64_t m = edge_size(e), n = edge_size(e), k = edge_size(e);
  const int ea = edge_exponent(e), eb = ea == 0 ? edge_exponent(e) : 0, ec = ea + eb;
  const char ta = edge_one_of(e, "NTC"), tb = edge_one_of(e, "NTC");
  factor alpha, beta;
  draw_factor(e, &alpha, 1, false);
  draw_factor(e, &beta, 0, false);
  drawn a = edge_draw(e, DRAWN_ANY, ta == 'N' ? m : k, ta == 'N' ? k : m, ea);
  drawn b = edge_draw(e, a.is_finite ? DRAWN_ANY : DRAWN_REGULAR, tb == 'N' ? k : n, tb == 'N' ? n : k, eb);
  const bool reads = beta.value != 0;
  drawn c = reads ? edge_draw(e, DRAWN_ANY, m, n, ec) : edge_result(e, m, n, e->type->dtype);
  const dap_status status = UNDER_TRAPS(dap_linalg_multiply(
      MPI_COMM_WORLD, ta, tb, alpha.given, matrix_operand(&a.held), matrix_operand(&b.held), beta.given,
      matrix_operand(&c.held), &e->options, &e->err));
  const int shared = e->options.sharing == DAP_SHARE_OR_FAIL ? 1 : -1;
  if (edge_status(e, status, false, DAP_OK)) {
    double complex *got = edge_whole(&c, ec), *product = product_of(ta, tb, m, n, k, &a, &b);
    const sum s = {product,
                   c.whole,
                   alpha.value,
                   beta.value,
                   16. * (double)(k * k + n),
                   k,
                   edge_eps(e, (const int[3]){ea, eb, ec}, 3)};
    if (a.is_finite && b.is_finite) check_sum(&s, m * n, got, NULL);
    if (k > 0)
      edge_use(e, 0, "A", &a, shared), edge_use(e, 1, "B", &b, shared), edge_use(e, 2, "C", &c, shared);
    free(product), free(got);
  }
  expect_same(&a.held), expect_same(&b.held);
  drawn_free(&a), drawn_free(&b), drawn_free(&c);
}

static void rank_k(edge *e)
{
  const int64_t n = edge_size(e), k = edge_size(e);
  const char form = edge_one_of(e, "HS"), uplo = edge_one_of(e, "LUA"), trans = edge_one_of(e, "NT");
  const bool hermitian = form == 'H';
  const char turn = hermitian ? 'C' : 'T';
  const int ea = edge_one_in(e, 2) ? 0 : edge_exponent(e) / 2, ec = 2 * ea;
  factor alpha, beta;
  draw_factor(e, &alpha, 1, hermitian);
  draw_factor(e, &beta, 0, hermitian);
  drawn a = edge_draw(e, DRAWN_ANY, trans == 'N' ? n : k, trans == 'N' ? k : n, ea);
  drawn c = edge_draw(e, hermitian || !e->type->is_complex ? DRAWN_HERMITIAN : DRAWN_REGULAR, n, n, ec);
  const bool mirrored = uplo == 'A' && !hermitian; /* only C's lower triangle is read */
  bool *within = calloc((size_t)(n * n) + 1, sizeof *within);
  if (uplo == 'A') edge_spoil(&c, 'L');
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      within[i + j * n] = uplo == 'A' || (uplo == 'L' ? i >= j : i <= j);
      if (mirrored && i < j) c.whole[i + j * n] = c.whole[j + i * n];
    }
  const dap_status status =
      UNDER_TRAPS(dap_linalg_rank_k(MPI_COMM_WORLD, form, uplo, trans, alpha.given, matrix_operand(&a.held),
                                    beta.given, matrix_operand(&c.held), &e->options, &e->err));
  if (edge_status(e, status, false, DAP_OK) && a.is_finite && c.is_finite) {
    double complex *got = edge_whole(&c, ec);
    double complex *product =
        product_of(trans == 'N' ? 'N' : turn, trans == 'N' ? turn : 'N', n, n, k, &a, &a);
    const sum s = {product,
                   c.whole,
                   alpha.value,
                   beta.value,
                   16. * (double)(k * k + n),
                   k,
                   edge_eps(e, (const int[2]){ea, ec}, 2)};
    check_sum(&s, n * n, got, within);
    for (int64_t i = 0; i < n * n; i++) EXPECT(within[i] || got[i] == c.whole[i]);
    for (int64_t i = 0; i < n; i++) EXPECT(!hermitian || cimag(got[i + i * n]) == 0);
    if (k > 0) edge_use(e, 0, "A", &a, -1), edge_use(e, 1, "C", &c, -1);
    free(product), free(got);
  }
  expect_same(&a.held);
  free(within);
  drawn_free(&a), drawn_free(&c);
}

/* ---- triangular matrices ------------------------------------------------------------------------------- */

/* The triangle of A, with ones on the diagonal if they are not read. */
static double complex *triangle(const drawn *a, char uplo, char diag)
{
  const int64_t n = a->rows;
  double complex *t = whole_op('N', n, n, a->whole);
  const double one = ldexp(1, -a->exponent);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      if (uplo == 'L' ? i < j : i > j) t[i + j * n] = 0;
      if (i == j && diag == 'U') t[i + j * n] = one;
    }
  return t;
}

typedef struct triangular {
  char side, uplo, trans, diag;
  factor alpha;
  drawn a, b;
  double complex *t;
} triangular;

static triangular draw_triangular(edge *e, drawn_form form, bool alike)
{
  triangular p = {edge_one_of(e, "LR"), edge_one_of(e, "LU"), edge_one_of(e, "NTC"), edge_one_of(e, "NU"),
                  {{0}, NULL, 0},       {.rows = 0},          {.rows = 0},           NULL};
  const int64_t m = edge_size(e), n = edge_size(e), order = p.side == 'L' ? m : n;
  const int ea = p.diag == 'U' ? 0 : edge_exponent(e), eb = alike ? ea : ea == 0 ? edge_exponent(e) : 0;
  draw_factor(e, &p.alpha, 1, false);
  p.a = edge_draw(e, form, order, order, ea);
  p.b = edge_draw_side(e, m, n, eb);
  p.t = triangle(&p.a, p.uplo, p.diag);
  edge_spoil(&p.a, p.uplo);
  for (int64_t i = 0; i < order && p.diag == 'U'; i++) matrix_set(&p.a.held, 'E', i, i, CMPLX(NAN, NAN));
  return p;
}

static void free_triangular(triangular *p)
{
  free(p->t);
  drawn_free(&p->a), drawn_free(&p->b);
}

/* op(A) X or X op(A) */
static double complex *apply(const triangular *p, const double complex *x)
{
  const int64_t m = p->b.rows, n = p->b.cols;
  return p->side == 'L' ? serial_multiply(p->trans, 'N', m, n, m, p->t, x)
                        : serial_multiply('N', p->trans, m, n, n, x, p->t);
}

static void triangular_multiply(edge *e)
{
  triangular p = draw_triangular(e, DRAWN_ANY, false);
  const int exponent = p.a.exponent + p.b.exponent;
  const dap_status status = UNDER_TRAPS(dap_linalg_triangular_multiply(
      MPI_COMM_WORLD, p.side, p.uplo, p.trans, p.diag, p.alpha.given ? p.alpha.parts : NULL,
      matrix_operand(&p.a.held), matrix_operand(&p.b.held), &e->options, &e->err));
  if (edge_status(e, status, false, DAP_OK) && p.a.is_finite && p.b.is_finite) {
    double complex *got = edge_whole(&p.b, exponent), *product = apply(&p, p.b.whole);
    const int64_t k = p.a.rows;
    const sum s = {product,
                   NULL,
                   p.alpha.value,
                   0,
                   16. * (double)(k * k + k),
                   k,
                   edge_eps(e, (const int[3]){p.a.exponent, p.b.exponent, exponent}, 3)};
    check_sum(&s, p.b.rows * p.b.cols, got, NULL);
    free(product), free(got);
  }
  expect_same(&p.a.held);
  free_triangular(&p);
}

/* Whether an element on the diagonal is 0 or subnormal. */
static bool is_singular(const edge *e, const triangular *p)
{
  const double least = ldexp(e->type->real == DAP_F4 ? FLT_MIN : DBL_MIN, -p->a.exponent);
  for (int64_t k = 0; k < p->a.rows; k++) {
    const double complex d = p->t[k + k * p->a.rows];
    if (d == 0 || fmax(fabs(creal(d)), fabs(cimag(d))) < least) return true;
  }
  return false;
}

static void check_triangular_solution(edge *e, const triangular *p, int exponent)
{
  const int64_t m = p->b.rows, n = p->b.cols, k = p->a.rows;
  double complex *x = edge_whole(&p->b, exponent), *product = apply(p, x);
  const double condition = serial_condition('1', k, p->t),
               size = condition > 0 ? 16 * (double)(m + n) / condition : INFINITY;
  if (edge_is_within(e, exponent, size) && edge_is_within(e, p->b.exponent, size)) {
    double worst = 0;
    for (int64_t i = 0; i < m * n; i++) {
      const double off = cabs(product[i] - p->alpha.value * p->b.whole[i]);
      worst = fmax(worst, isnan(off) ? INFINITY : off);
    }
    const double scale = fmax(whole_norm('1', k, k, p->t), 1) * fmax(whole_norm('M', m, n, x), 4);
    edge_bound("op(A) X - alpha B", worst, k * k,
               scale * edge_eps(e, (const int[3]){p->a.exponent, p->b.exponent, exponent}, 3));
  }
  free(product), free(x);
}

static void triangular_solve(edge *e)
{
  triangular p = draw_triangular(e, edge_one_in(e, 2) ? DRAWN_ANY : DRAWN_REGULAR, edge_one_in(e, 2));
  const bool may_fail = !isfinite(whole_norm('M', p.a.rows, p.a.rows, p.t)) || is_singular(e, &p);
  const dap_status status = UNDER_TRAPS(dap_linalg_triangular_solve(
      MPI_COMM_WORLD, p.side, p.uplo, p.trans, p.diag, p.alpha.given ? p.alpha.parts : NULL,
      matrix_operand(&p.a.held), matrix_operand(&p.b.held), &e->options, &e->err));
  if (edge_status(e, status, may_fail, DAP_ERR_NUMERIC)) {
    EXPECT_MSG(!may_fail || p.a.rows == 0, "a singular or infinite matrix is solved with");
    if (p.b.is_finite) check_triangular_solution(e, &p, p.b.exponent - p.a.exponent);
  }
  expect_same(&p.a.held);
  free_triangular(&p);
}

/* ---- norms --------------------------------------------------------------------------------------------- */

static void norm(edge *e)
{
  const char which = edge_one_of(e, "1IFM");
  drawn a = edge_draw(e, DRAWN_ANY, edge_size(e), edge_size(e), edge_exponent(e));
  double got = NAN;
  const dap_status status = UNDER_TRAPS(
      dap_linalg_norm(MPI_COMM_WORLD, which, matrix_operand(&a.held), &got, &e->options, &e->err));
  if (edge_status(e, status, false, DAP_OK)) {
    const double want = whole_norm(which, a.rows, a.cols, a.whole);
    edge_same_numbers(1, &got);
    if (a.rows * a.cols > 0) edge_use(e, 0, "A", &a, edge_shares(e, &a));
    if (isfinite(want))
      edge_bound("the norm", fabs(ldexp(got, -a.exponent) - want), a.rows + a.cols,
                 want * DBL_EPSILON + ldexp(1, -1074 - a.exponent));
    else
      EXPECT_MSG(isnan(want) ? isnan(got) : isinf(got), "the norm is %g, it must be %g", got, want);
  }
  expect_same(&a.held);
  drawn_free(&a);
}

EDGES(multiply)
EDGES(rank_k)
EDGES(triangular_multiply)
EDGES(triangular_solve)
EDGES(norm)

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(multiply_at_edges),
    cmocka_unit_test(rank_k_at_edges),
    cmocka_unit_test(triangular_multiply_at_edges),
    cmocka_unit_test(triangular_solve_at_edges),
    cmocka_unit_test(norm_at_edges),
};
MPI_TEST_MAIN(tests)
