/* Tests QR factorisations and least squares at the edges. With BY_ROWS, matrices are so tall that their
 * rows are factored first. */
#include "edges.h"

#include <dapbridge/linalg_rank.h>

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

/* Sizes of a matrix. One that is factored by rows has four rows for each column and process; lists of indices
 * have at most 256. */
static void draw_sizes(edge *e, int64_t *m, int64_t *n)
{
  *m = edge_size(e), *n = edge_size(e);
  if (!BY_ROWS || e->row) return;
  const int64_t least = (int64_t)4 * test_nprocs();
  *n = smaller(*n, 160 / least);
  *m += least * *n;
}

/* ---- factors ------------------------------------------------------------------------------------------- */

/* Checks that Q R is `whole`, Q orthonormal and R triangular. A factor that was not asked for is NULL. */
static void check_factors(edge *e, const drawn *a, const double complex *whole, const drawn *q,
                          const drawn *r)
{
  const int64_t m = a->rows, n = a->cols, k = smaller(m, n);
  const double eps = edge_eps(e, &a->exponent, 1);
  double complex *of_q = q ? edge_whole(q, 0) : NULL, *of_r = r ? edge_whole(r, a->exponent) : NULL;
  if (r && k > 0) EXPECT_MSG(below_diagonal(k, n, of_r) == 0, "R is not triangular");
  if (q) edge_bound("Q^H Q - I", whole_skew(m, k, of_q), m, e->type->eps);
  if (q && r) {
    double complex *product = serial_multiply('N', 'N', m, n, k, of_q, of_r);
    edge_bound("Q R - A", whole_distance(m, n, product, whole), m,
               eps * fmax(whole_norm('1', m, n, whole), 1));
    free(product);
  }
  free(of_q), free(of_r);
}

/* Checks that NaN and infinity in A reach R. */
static void check_propagation(const drawn *a, const drawn *r)
{
  if (a->is_finite) return;
  double complex *of_r = edge_whole(r, 0);
  EXPECT_MSG(!isfinite(whole_norm('M', r->rows, r->cols, of_r)), "R is finite, and A is not");
  free(of_r);
}

/* Q may be A itself, unless A is wide. */
static void qr(edge *e)
{
  int64_t m, n;
  draw_sizes(e, &m, &n);
  const int64_t k = smaller(m, n);
  drawn a = edge_draw(e, DRAWN_ANY, m, n, edge_exponent(e));
  drawn q = edge_result(e, m, k, e->type->dtype), r = edge_result(e, k, n, e->type->dtype);
  const int without = (int)test_random_int(&e->random, 0, 3); /* 1: Q, 2: R */
  const bool in_place = m >= n && without != 1 && edge_one_in(e, 3);
  const drawn *of_q = without == 1 ? NULL : in_place ? &a : &q, *of_r = without == 2 ? NULL : &r;
  edge_say(e, "%s%s", !of_q ? ", no Q" : in_place ? ", Q is A" : "", of_r ? "" : ", no R");
  const dap_darray none = {NULL, NULL};
  const dap_status status = UNDER_TRAPS(
      dap_linalg_qr(MPI_COMM_WORLD, matrix_operand(&a.held), of_q ? matrix_operand(&of_q->held) : none,
                    of_r ? matrix_operand(&r.held) : none, &e->options, &e->err));
  if (edge_status(e, status, false, DAP_OK)) {
    edge_use(e, 0, "A", &a, -1);
    if (a.is_finite) check_factors(e, &a, a.whole, of_q, of_r);
    if (of_r) check_propagation(&a, &r);
  }
  if (e->options.keep && !in_place) expect_same(&a.held);
  drawn_free(&a), drawn_free(&q), drawn_free(&r);
}

/* A's columns in the order of P; NULL: P is not a permutation. */
static double complex *permuted(const drawn *a, const int64_t *p)
{
  const int64_t m = a->rows, n = a->cols;
  bool *seen = calloc((size_t)n + 1, sizeof *seen), good = true;
  double complex *moved = whole_op('N', m, n, a->whole);
  for (int64_t j = 0; j < n && good; j++) {
    good = p[j] >= 0 && p[j] < n && !seen[p[j]];
    if (!good) break;
    seen[p[j]] = true;
    memcpy(&moved[j * m], &a->whole[p[j] * m], (size_t)m * sizeof *moved);
  }
  free(seen);
  if (!good) free(moved);
  return good ? moved : NULL;
}

/* The rank of a finite matrix whose singular values have a gap at the tolerance; else -1. */
static int64_t clear_rank(const drawn *a, double tolerance, double eps)
{
  const int64_t k = smaller(a->rows, a->cols);
  if (!a->is_finite || (eps > 2 * a->held.type->eps && tolerance < 100 * eps)) return -1;
  double complex *s = serial_singular_values(a->rows, a->cols, a->whole);
  int64_t rank = 0;
  while (rank < k && creal(s[rank]) > 30 * tolerance * creal(s[0])) rank++;
  const double next = rank < k ? creal(s[rank]) : 0;
  const bool clear = k == 0 || next <= fmin(tolerance / 30, 200 * eps) * creal(s[0]);
  free(s);
  return clear ? rank : -1;
}

static double draw_tolerance(edge *e, const drawn *a, double *used)
{
  const double usual = (double)larger(a->rows, a->cols) * e->type->eps;
  const bool given = edge_one_in(e, 2);
  *used = given ? 0.002 : usual;
  return given ? 0.002 : -1;
}

/* Makes P. Its element type and layout are drawn. */
static held_array make_order(edge *e, int64_t n)
{
  const dap_dist dist = edge_one_in(e, 3)
                            ? dap_dist_replicated(n, test_nprocs())
                            : dap_dist_cyclic(n, test_nprocs(), test_random_int(&e->random, 1, 3));
  return held_array_make(MPI_COMM_WORLD, layout_make(1, &dist, NULL), edge_one_in(e, 2) ? DAP_I4 : DAP_I8,
                         FORM_C);
}

/* All of P [n], on every process. */
static void gather_order(const held_array *p, int64_t n, int64_t order[])
{
  array_walk w = walk_begin(p->layout, p->rank, p->array.strides);
  for (; !w.done; walk_next(&w)) {
    const char *element = (const char *)p->array.data + w.offset;
    if (!w.owned) continue;
    order[w.flat] = p->array.dtype == DAP_I8 ? *(const int64_t *)element : *(const int32_t *)element;
  }
  walk_end(&w);
  MPI_Allreduce(MPI_IN_PLACE, order, (int)n, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

/* Checks that each pivot column was the longest one left: no column of R is longer from row k on. The
 * routine updates norms, and computes them anew if an update would lose half of the digits. */
static void check_order(const edge *e, const drawn *a, const drawn *r)
{
  const int64_t n = a->cols, rows = smaller(a->rows, n);
  const double eps = edge_eps(e, &a->exponent, 1), least = 100 * eps * whole_norm('F', a->rows, n, a->whole);
  double complex *of_r = edge_whole(r, a->exponent);
  for (int64_t k = 0; k < rows; k++)
    for (int64_t j = k + 1; j < n; j++) {
      const double pivot = cabs(of_r[k + k * rows]), rest = whole_norm('F', rows - k, 1, &of_r[k + j * rows]);
      EXPECT_MSG(rest <= pivot * (1 + 100 * sqrt(eps)) + least,
                 "column %d has norm %g from row %d on, not %g", (int)j, rest, (int)k, pivot);
    }
  free(of_r);
}

static void qr_pivoted(edge *e)
{
  int64_t m, n, rank = -1, order[36] = {0};
  draw_sizes(e, &m, &n);
  drawn a = edge_draw(e, DRAWN_ANY, m, n, edge_exponent(e));
  drawn q = edge_result(e, m, smaller(m, n), e->type->dtype),
        r = edge_result(e, smaller(m, n), n, e->type->dtype);
  double used;
  const double tolerance = draw_tolerance(e, &a, &used);
  held_array p = make_order(e, n);
  const dap_status status = UNDER_TRAPS(
      dap_linalg_qr_pivoted(MPI_COMM_WORLD, tolerance, matrix_operand(&a.held), matrix_operand(&q.held),
                            matrix_operand(&r.held), held_darray(&p), &rank, &e->options, &e->err));
  EXPECT(a.is_finite || status);
  if (edge_status(e, status, !a.is_finite, DAP_ERR_NUMERIC)) {
    gather_order(&p, n, order);
    double complex *moved = permuted(&a, order);
    const int64_t want = clear_rank(&a, used, edge_eps(e, &a.exponent, 1));
    EXPECT_MSG(moved != NULL, "P is not a permutation");
    if (moved) check_factors(e, &a, moved, &q, &r);
    check_order(e, &a, &r);
    EXPECT_MSG(want < 0 || rank == want, "the rank is %d, it must be %d", (int)rank, (int)want);
    edge_use(e, 0, "A", &a, -1), edge_use(e, 1, "Q", &q, -1), edge_use(e, 2, "R", &r, -1);
    free(moved);
  }
  if (e->options.keep) expect_same(&a.held);
  held_array_free(&p);
  drawn_free(&a), drawn_free(&q), drawn_free(&r);
}

/* ---- least squares ------------------------------------------------------------------------------------- */

typedef struct squares {
  drawn a, b, x;
  int exponent; /* X's */
  double eps;
} squares;

static squares draw_squares(edge *e)
{
  squares s;
  int64_t m, n;
  draw_sizes(e, &m, &n);
  const int64_t nrhs = edge_one_in(e, 3) ? -1 : edge_size(e) % 6;
  const int ea = edge_exponent(e), eb = edge_one_in(e, 4) ? 0 : ea;
  s.a = edge_draw(e, DRAWN_ANY, m, n, ea);
  s.b = edge_draw_side(e, m, nrhs, eb);
  s.x = edge_result(e, n, nrhs, e->type->dtype);
  s.exponent = eb - ea;
  s.eps = edge_eps(e, (const int[3]){ea, eb, s.exponent}, 3);
  return s;
}

static void free_squares(squares *s)
{
  drawn_free(&s->a), drawn_free(&s->b), drawn_free(&s->x);
}

/* Checks that X is LAPACK's, as far as the condition number allows. */
static void check_squares(edge *e, const squares *s, int64_t rank)
{
  const int64_t n = s->a.cols, nrhs = s->b.cols, k = smaller(s->a.rows, n);
  int64_t found;
  double complex *values = serial_singular_values(s->a.rows, n, s->a.whole);
  const double condition = rank > 0 && rank <= k ? creal(values[0]) / creal(values[rank - 1]) : 1;
  free(values);
  if (condition * s->eps * condition > 0.001 || !edge_is_within(e, s->exponent, condition * 64)) return;
  double complex *want =
      serial_least_squares_rank(s->a.rows, n, nrhs, s->a.whole, s->b.whole, 0.01 / condition, &found);
  double complex *got = edge_whole(&s->x, s->exponent);
  const double scale = condition * condition * (1 + whole_norm('M', n, nrhs, want));
  edge_bound("X", whole_distance(n, nrhs, got, want), s->a.rows + n, s->eps * 4 * scale);
  free(want), free(got);
}

/* Checks the report, and that A and B are kept if the caller asked for that. */
static void check_kept(const edge *e, const squares *s, dap_status status)
{
  if (e->options.keep) expect_same(&s->a.held), expect_same(&s->b.held);
  if (status || s->a.rows * s->a.cols * s->b.cols == 0) return;
  edge_use(e, 0, "A", &s->a, -1), edge_use(e, 1, "B", &s->b, -1), edge_use(e, 2, "X", &s->x, -1);
}

static void least_squares(edge *e)
{
  squares s = draw_squares(e);
  const int64_t k = smaller(s.a.rows, s.a.cols), rank = clear_rank(&s.a, 0.0001, s.eps);
  const dap_status status = UNDER_TRAPS(
      dap_linalg_least_squares(MPI_COMM_WORLD, matrix_operand(&s.a.held), matrix_operand(&s.b.held),
                               matrix_operand(&s.x.held), &e->options, &e->err));
  const bool full = s.a.is_finite && rank == k;
  if (edge_status(e, status, !full, DAP_ERR_NUMERIC) && full && s.b.is_finite) check_squares(e, &s, k);
  check_kept(e, &s, status);
  free_squares(&s);
}

static void least_squares_rank(edge *e)
{
  squares s = draw_squares(e);
  double used;
  int64_t rank = -1;
  const double tolerance = draw_tolerance(e, &s.a, &used);
  const int64_t want = clear_rank(&s.a, used, edge_eps(e, &s.a.exponent, 1));
  const dap_status status = UNDER_TRAPS(dap_linalg_least_squares_rank(
      MPI_COMM_WORLD, tolerance, matrix_operand(&s.a.held), matrix_operand(&s.b.held),
      matrix_operand(&s.x.held), &rank, &e->options, &e->err));
  EXPECT(s.a.is_finite || status);
  if (edge_status(e, status, !s.a.is_finite, DAP_ERR_NUMERIC)) {
    EXPECT_MSG(want < 0 || rank == want, "the rank is %d, it must be %d", (int)rank, (int)want);
    if (want >= 0 && s.b.is_finite) check_squares(e, &s, want);
  }
  check_kept(e, &s, status);
  free_squares(&s);
}

EDGES(qr)
EDGES(qr_pivoted)
EDGES(least_squares)
EDGES(least_squares_rank)

/* ---- calls that have failed ---------------------------------------------------------------------------- */

static void ranks_of_tiny_matrices(void **state)
{
  static const edge_row rows[] = {
      {"the reciprocal of R(0, 0) overflows", DAP_F8, {7, 1, 2}, {-1040}, {"anti"}},
      {"the reciprocal of L(0, 0) overflows", DAP_C8, {1, 2, 1}, {-132}, {"any"}},
      {"the same of full rank", DAP_F8, {5, 3, 3}, {-1040}, {"dominant"}},
  };
  (void)state;
  edges_repeat(rows, 3, 8, least_squares_rank);
}

/* If a row has two elements and they are on two processes, ScaLAPACK makes no reflector. */
static void factors_of_two_elements(void **state)
{
  static const edge_row rows[] = {
      {"a row", DAP_F4, {1, 2}, {0}, {"any"}},     {"a row", DAP_F8, {1, 2}, {0}, {"any"}},
      {"a row", DAP_C8, {1, 2}, {0}, {"any"}},     {"a row", DAP_C16, {1, 2}, {0}, {"any"}},
      {"a column", DAP_F8, {2, 1}, {0}, {"any"}},  {"a column", DAP_C8, {2, 1}, {0}, {"any"}},
      {"a column", DAP_C16, {2, 1}, {0}, {"any"}}, {"a column", DAP_F4, {2, 1}, {0}, {"any"}},
  };
  (void)state;
  edges_repeat(rows, 8, 8, qr);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(ranks_of_tiny_matrices),
    cmocka_unit_test(factors_of_two_elements),
    cmocka_unit_test(qr_at_edges),
    cmocka_unit_test(qr_pivoted_at_edges),
    cmocka_unit_test(least_squares_at_edges),
    cmocka_unit_test(least_squares_rank_at_edges),
};
MPI_TEST_MAIN(tests)
