/* Singular values, eigenvalues and Schur forms at the edges. */
#include "edges.h"

#include <dapbridge/linalg_schur.h>

static const dap_darray none = {NULL, NULL};

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

/* || Q^H Q - I ||_1 of the first k columns */
static void check_orthonormal(const edge *e, const char *what, int64_t m, int64_t k, const double complex *q)
{
  double complex *product = serial_multiply('C', 'N', k, k, m, q, q);
  for (int64_t i = 0; i < k; i++) product[i + i * k] -= 1;
  const bool by_mrrr = e->options.eigh.solver == DAP_EIGH_EVR; /* each pair may be off by n eps */
  edge_bound(what, whole_norm('1', k, k, product), by_mrrr ? m * k : m + k, e->type->eps);
  free(product);
}

static void scale_columns(int64_t m, int64_t k, double complex *a, const double complex *factors)
{
  for (int64_t j = 0; j < k; j++)
    for (int64_t i = 0; i < m; i++) a[i + j * m] *= factors[j];
}

/* ---- singular values ----------------------------------------------------------------------------------- */

static void check_svd(const edge *e, const drawn *a, const drawn *u, const drawn *s, const drawn *vt)
{
  const int64_t m = a->rows, n = a->cols, k = smaller(m, n);
  const double eps = edge_eps(e, &a->exponent, 1), norm = fmax(whole_norm('1', m, n, a->whole), 1);
  double complex *values = edge_whole(s, a->exponent), *want = serial_singular_values(m, n, a->whole);
  edge_bound("singular values", edge_distance(k, 1, values, want), k * (m + n), eps * norm);
  for (int64_t i = 1; i < k; i++)
    EXPECT_MSG(creal(values[i]) <= creal(values[i - 1]), "s[%d] is larger", (int)i);
  double complex *left = u ? edge_whole(u, 0) : NULL, *right = vt ? edge_whole(vt, 0) : NULL;
  if (left) check_orthonormal(e, "U^H U - I", m, k, left);
  if (right) {
    double complex *turned = whole_op('C', k, n, right);
    check_orthonormal(e, "VT VT^H - I", n, k, turned);
    free(turned);
  }
  if (left && right) {
    scale_columns(m, k, left, values);
    double complex *product = serial_multiply('N', 'N', m, n, k, left, right);
    edge_bound("U S VT - A", edge_distance(m, n, product, a->whole), m + n, eps * norm * (double)(k + 1));
    free(product);
  }
  free(left), free(right), free(values), free(want);
}

static void svd(edge *e)
{
  const int64_t m = edge_size(e), n = edge_size(e), k = smaller(m, n);
  drawn a = edge_draw(e, DRAWN_ANY, m, n, edge_exponent(e));
  drawn u = edge_result(e, 2, m, k, e->type->dtype), vt = edge_result(e, 2, k, n, e->type->dtype);
  drawn s = edge_result(e, 1, k, 1, e->type->real);
  const bool left = edge_one_in(e, 2), right = edge_one_in(e, 2);
  e->options.svd.solver = (dap_svd_solver)test_random_int(&e->random, DAP_SVD_AUTO, DAP_SVD_GESDD);
  edge_say(e, "%s%s, solver %d", left ? ", U" : "", right ? ", VT" : "", (int)e->options.svd.solver);
  const dap_status status =
      dap_linalg_svd(MPI_COMM_WORLD, matrix_operand(&a.held), left ? matrix_operand(&u.held) : none,
                     matrix_operand(&s.held), right ? matrix_operand(&vt.held) : none, &e->options, &e->err);
  EXPECT(a.is_finite || status == DAP_ERR_NUMERIC);
  if (edge_status(e, status, !a.is_finite, DAP_ERR_NUMERIC))
    check_svd(e, &a, left ? &u : NULL, &s, right ? &vt : NULL), edge_use(e, 0, "A", &a, -1);
  if (m * n == 2 && !status) /* ScaLAPACK makes no reflector of two elements in one row on two processes */
    EXPECT_MSG(strcmp(e->report.method, "LAPACK on process 0") == 0, "by %s", e->report.method);
  if (e->options.keep) expect_same(&a.held);
  drawn_free(&a), drawn_free(&u), drawn_free(&s), drawn_free(&vt);
}

/* ---- Hermitian matrices -------------------------------------------------------------------------------- */

/* Which eigenvalues are asked for, of `n` that are known around 1. */
static int64_t draw_range(edge *e, int64_t n)
{
  dap_eigh_options *o = &e->options.eigh;
  o->solver = (dap_eigh_solver)test_random_int(&e->random, DAP_EIGH_AUTO, DAP_EIGH_EVR);
  o->range = edge_one_in(e, 2) ? DAP_EIGH_ALL : DAP_EIGH_BY_INDEX;
  o->start = o->range == DAP_EIGH_ALL ? 0 : test_random_int(&e->random, 0, n);
  o->stop = o->range == DAP_EIGH_ALL ? n : test_random_int(&e->random, o->start, n);
  edge_say(e, ", solver %d, %d to %d", (int)o->solver, (int)o->start, (int)o->stop);
  return o->stop - o->start;
}

/* `want` [n] are all eigenvalues; W has those of the range, Z their vectors. */
static void check_pairs(const edge *e, const drawn *a, const drawn *b, const double complex *want,
                        int exponent, double scale, const drawn *w, const drawn *z)
{
  const int64_t n = a->rows, first = e->options.eigh.start, k = e->options.eigh.stop - first;
  double complex *values = edge_whole(w, exponent), *vectors = z ? edge_whole(z, 0) : NULL;
  edge_bound("eigenvalues", edge_distance(k, 1, values, want + first), n * n, scale);
  if (vectors && !b) {
    check_orthonormal(e, "Z^H Z - I", n, k, vectors);
    double complex *az = serial_multiply('N', 'N', n, k, n, a->whole, vectors);
    scale_columns(n, k, vectors, values);
    edge_bound("A Z - Z W", edge_distance(n, k, az, vectors), n * n, scale);
    free(az);
  }
  free(vectors), free(values);
}

/* Sets the bounds of a range of values that has the eigenvalues start .. stop of `want` [n]. Returns false if
 * the eigenvalues on either side of a bound are too close to each other. */
static bool range_by_value(edge *e, const drawn *a, const double complex *want, double scale)
{
  dap_eigh_options *o = &e->options.eigh;
  const int64_t n = a->rows, from = o->start, to = o->stop;
  const double gap = 1000 * (double)(n + 1) * scale, far = 2 * whole_norm('1', n, n, a->whole) + 1;
  const double low = from > 0 ? creal(want[from - 1]) : -far, first = from < n ? creal(want[from]) : far;
  const double last = to > 0 ? creal(want[to - 1]) : -far, high = to < n ? creal(want[to]) : far;
  o->above = ldexp((low + first) / 2, a->exponent), o->up_to = ldexp((last + high) / 2, a->exponent);
  return from < to && first - low > gap && high - last > gap && isfinite(o->above) && isfinite(o->up_to);
}

static dap_status call_eigh(edge *e, char uplo, const drawn *a, const drawn *w, const drawn *z)
{
  return dap_linalg_eigh(MPI_COMM_WORLD, uplo, matrix_operand(&a->held), matrix_operand(&w->held),
                         z ? matrix_operand(&z->held) : none, &e->options, &e->err);
}

static void eigh(edge *e)
{
  const int64_t n = edge_size(e), k = draw_range(e, n);
  drawn a = edge_draw(e, DRAWN_HERMITIAN, n, n, edge_exponent(e));
  drawn w = edge_result(e, 1, k, 1, e->type->real), z = edge_result(e, 2, n, k, e->type->dtype);
  const char uplo = edge_one_of(e, "LUA");
  const bool vectors = edge_one_in(e, 2);
  const double scale = edge_eps(e, &a.exponent, 1) * fmax(whole_norm('1', n, n, a.whole), 1);
  double complex *want = a.is_finite ? serial_eigenvalues('L', n, a.whole) : NULL;
  if (want && edge_one_in(e, 2) && range_by_value(e, &a, want, scale)) {
    e->options.eigh.range = DAP_EIGH_BY_VALUE;
    edge_say(e, ", by value");
  }
  edge_say(e, vectors ? ", Z" : "");
  edge_spoil(&a, uplo);
  const dap_status status = call_eigh(e, uplo, &a, &w, vectors ? &z : NULL);
  EXPECT(a.is_finite || k == 0 || status == DAP_ERR_NUMERIC);
  if (edge_status(e, status, !a.is_finite, DAP_ERR_NUMERIC) && want) {
    EXPECT_INT(e->report.found, k);
    edge_use(e, 0, "A", &a, e->options.keep ? 0 : -1), edge_use(e, 1, "W", &w, 0);
    if (k > 0) expect_work(&a.held, &e->report.uses[0], e->options.keep, false);
    check_pairs(e, &a, NULL, want, a.exponent, scale, &w, vectors ? &z : NULL);
  }
  if (e->options.keep) expect_same(&a.held);
  free(want);
  drawn_free(&a), drawn_free(&w), drawn_free(&z);
}

/* A z = w B z, with B well conditioned. */
static void eigh_generalized(edge *e)
{
  const int64_t n = edge_size(e);
  const int ea = edge_exponent(e), eb = e->row || edge_one_in(e, 3) ? edge_exponent(e) / 2 * 2 : 0;
  e->options.eigh.solver = (dap_eigh_solver)test_random_int(&e->random, DAP_EIGH_AUTO, DAP_EIGH_EVR);
  edge_say(e, ", solver %d", (int)e->options.eigh.solver);
  drawn a = edge_draw(e, DRAWN_HERMITIAN, n, n, ea), b = edge_draw(e, DRAWN_DEFINITE, n, n, eb);
  drawn w = edge_result(e, 1, n, 1, e->type->real), z = edge_result(e, 2, n, n, e->type->dtype);
  const char uplo = edge_one_of(e, "LU");
  const double eps = edge_eps(e, (const int[3]){ea, eb, ea - eb}, 3);
  const double condition = edge_condition(&b);
  edge_spoil(&a, uplo), edge_spoil(&b, uplo);
  const bool good = a.is_finite && edge_definite(&b, eps) == 1 && condition > 0.001 &&
                    edge_is_within(e, ea - eb, (double)n + 1);
  const dap_status status =
      dap_linalg_eigh_generalized(MPI_COMM_WORLD, uplo, matrix_operand(&a.held), matrix_operand(&b.held),
                                  matrix_operand(&w.held), matrix_operand(&z.held), &e->options, &e->err);
  if (edge_status(e, status, !good, DAP_ERR_NUMERIC) && good) {
    double complex *values = edge_whole(&w, ea - eb), *vectors = edge_whole(&z, -eb / 2);
    double complex *az = serial_multiply('N', 'N', n, n, n, a.whole, vectors);
    double complex *bz = serial_multiply('N', 'N', n, n, n, b.whole, vectors);
    double complex *zbz = serial_multiply('C', 'N', n, n, n, vectors, bz);
    for (int64_t i = 0; i < n; i++) zbz[i + i * n] -= 1;
    edge_bound("Z^H B Z - I", whole_norm('1', n, n, zbz), n * n, eps / condition);
    scale_columns(n, n, bz, values);
    const double scale = fmax(whole_norm('1', n, n, a.whole), 1) * fmax(whole_norm('1', n, n, vectors), 1);
    edge_bound("A Z - B Z W", edge_distance(n, n, az, bz), n * n, eps * scale / condition);
    free(zbz), free(bz), free(az), free(vectors), free(values);
  }
  if (e->options.keep) expect_same(&a.held), expect_same(&b.held);
  drawn_free(&a), drawn_free(&b), drawn_free(&w), drawn_free(&z);
}

/* ---- general matrices ---------------------------------------------------------------------------------- */

static const element_type *complex_of_type(const edge *e)
{
  return element_type_of(e->type->real == DAP_F4 ? DAP_C8 : DAP_C16);
}

/* T is triangular, of real matrices but for blocks of 2 x 2. */
static void check_triangular(const edge *e, int64_t n, const double complex *t)
{
  const int beside = e->type->is_complex ? 0 : 1;
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j + 1; i < n; i++) {
      EXPECT_MSG(i <= j + beside || t[i + j * n] == 0, "T(%d, %d) is not 0", (int)i, (int)j);
      if (i == j + 1 && j + 2 < n) EXPECT(t[i + j * n] == 0 || t[i + 1 + i * n] == 0);
    }
}

/* Z T Z^H = A, each as far as it was asked for. */
static void check_schur(const edge *e, const drawn *a, const drawn *t, const drawn *z)
{
  const int64_t n = a->rows;
  double complex *of_t = t ? edge_whole(t, a->exponent) : NULL, *of_z = z ? edge_whole(z, 0) : NULL;
  if (t) check_triangular(e, n, of_t);
  if (z) check_orthonormal(e, "Z^H Z - I", n, n, of_z);
  if (t && z) {
    const double scale = edge_eps(e, &a->exponent, 1) * fmax(whole_norm('1', n, n, a->whole), 1);
    double complex *zt = serial_multiply('N', 'N', n, n, n, of_z, of_t);
    double complex *product = serial_multiply('N', 'C', n, n, n, zt, of_z);
    edge_bound("Z T Z^H - A", edge_distance(n, n, product, a->whole), n * n, scale);
    free(product), free(zt);
  }
  free(of_z), free(of_t);
}

/* The eigenvalues have the sum of A's diagonal. */
static void check_sum(const edge *e, const drawn *a, const double complex *values)
{
  const int64_t n = a->rows;
  const double scale = edge_eps(e, &a->exponent, 1) * fmax(whole_norm('1', n, n, a->whole), 1);
  double complex trace = 0, sum = 0;
  for (int64_t i = 0; i < n; i++) trace += a->whole[i + i * n], sum += values[i];
  edge_bound("the sum of the eigenvalues", cabs(sum - trace), n * n, scale * (double)(n + 1));
}

static void schur(edge *e)
{
  const int64_t n = edge_size(e);
  drawn a = edge_draw(e, DRAWN_ANY, n, n, edge_exponent(e));
  drawn t = edge_result(e, 2, n, n, e->type->dtype), z = edge_result(e, 2, n, n, e->type->dtype);
  drawn w = edge_result(e, 1, n, 1, complex_of_type(e)->dtype);
  const bool has_t = !edge_one_in(e, 4), has_z = !edge_one_in(e, 4);
  const bool has_w = edge_one_in(e, 2) || (!has_t && !has_z);
  edge_say(e, "%s%s%s", has_t ? ", T" : "", has_z ? ", Z" : "", has_w ? ", W" : "");
  const dap_status status = dap_linalg_schur(
      MPI_COMM_WORLD, matrix_operand(&a.held), has_t ? matrix_operand(&t.held) : none,
      has_z ? matrix_operand(&z.held) : none, has_w ? matrix_operand(&w.held) : none, &e->options, &e->err);
  EXPECT(a.is_finite || status == DAP_ERR_NUMERIC);
  if (edge_status(e, status, !a.is_finite, DAP_ERR_NUMERIC)) {
    check_schur(e, &a, has_t ? &t : NULL, has_z ? &z : NULL);
    double complex *values = has_w ? edge_whole(&w, a.exponent) : NULL;
    if (values) check_sum(e, &a, values);
    free(values);
  }
  expect_same(&a.held);
  drawn_free(&a), drawn_free(&t), drawn_free(&z), drawn_free(&w);
}

static double norm_of_column(int64_t n, const double complex *v)
{
  return whole_norm('F', n, 1, v);
}

static void eig(edge *e)
{
  const int64_t n = edge_size(e);
  const bool vectors = edge_one_in(e, 2);
  drawn a = edge_draw(e, DRAWN_ANY, n, n, edge_exponent(e));
  drawn w = edge_result(e, 1, n, 1, complex_of_type(e)->dtype);
  drawn v = edge_result(e, 2, n, n, complex_of_type(e)->dtype);
  const dap_status status = dap_linalg_eig(MPI_COMM_WORLD, matrix_operand(&a.held), matrix_operand(&w.held),
                                           vectors ? matrix_operand(&v.held) : none, &e->options, &e->err);
  EXPECT(a.is_finite || status == DAP_ERR_NUMERIC);
  if (edge_status(e, status, !a.is_finite, DAP_ERR_NUMERIC)) {
    double complex *values = edge_whole(&w, a.exponent), *of_v = vectors ? edge_whole(&v, 0) : NULL;
    const double scale = edge_eps(e, &a.exponent, 1) * fmax(whole_norm('1', n, n, a.whole), 1);
    check_sum(e, &a, values);
    if (of_v) {
      for (int64_t j = 0; j < n; j++)
        edge_bound("norm of a vector", fabs(norm_of_column(n, &of_v[j * n]) - 1), n, e->type->eps);
      double complex *av = serial_multiply('N', 'N', n, n, n, a.whole, of_v);
      scale_columns(n, n, of_v, values);
      edge_bound("A V - V W", edge_distance(n, n, av, of_v), n * n, scale);
      free(av);
    }
    free(of_v), free(values);
  }
  expect_same(&a.held);
  drawn_free(&a), drawn_free(&w), drawn_free(&v);
}

EDGES(svd)
EDGES(eigh)
EDGES(eigh_generalized)
EDGES(schur)
EDGES(eig)

/* ---- calls that have failed ---------------------------------------------------------------------------- */

static void generalized_out_of_range(void **state)
{
  static const edge_row rows[] = {
      {"eigenvalues overflow", DAP_C16, {12}, {505, -550}, {"low rank", "any"}},
      {"eigenvalues overflow", DAP_F4, {7}, {118, -64}, {"any", "any"}},
  };
  (void)state;
  edges_repeat(rows, 2, eigh_generalized);
}

static void values_of_two_elements(void **state)
{
  static const edge_row rows[] = {
      {"a row", DAP_F8, {1, 2}, {0}, {"any"}},    {"a row", DAP_C16, {1, 2}, {0}, {"any"}},
      {"a column", DAP_F4, {2, 1}, {0}, {"any"}}, {"a column", DAP_C8, {2, 1}, {0}, {"any"}},
      {"a row", DAP_C8, {1, 2}, {0}, {"any"}},    {"a column", DAP_C16, {2, 1}, {0}, {"any"}},
  };
  (void)state;
  edges_repeat(rows, 6, svd);
}

static void pairs_that_underflow(void **state)
{
  static const edge_row rows[] = {
      {"imaginary parts of pairs underflow", DAP_F8, {20}, {-940}, {"ones"}},
      {"imaginary parts of pairs underflow", DAP_F8, {12}, {-900}, {"ones"}},
      {"imaginary parts of pairs underflow", DAP_F4, {20}, {-100}, {"ones"}},
  };
  (void)state;
  edges_repeat(rows, 3, eig);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(generalized_out_of_range),
    cmocka_unit_test(pairs_that_underflow),
    cmocka_unit_test(values_of_two_elements),
    cmocka_unit_test(svd_at_edges),
    cmocka_unit_test(eigh_at_edges),
    cmocka_unit_test(eigh_generalized_at_edges),
    cmocka_unit_test(schur_at_edges),
    cmocka_unit_test(eig_at_edges),
};
MPI_TEST_MAIN(tests)
