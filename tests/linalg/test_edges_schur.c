/* Tests Schur forms and eigenvalues of general matrices. The trace does not suffice, because any similarity
 * transformation keeps it. So eigenvalues that are not too sensitive are compared with those of serial
 * LAPACK. */
#include "edges.h"

#include <dapbridge/linalg_schur.h>

static const dap_darray none = {NULL, NULL};

static const element_type *complex_of_type(const edge *e)
{
  return element_type_of(e->type->real == DAP_F4 ? DAP_C8 : DAP_C16);
}

static double scale_of(const edge *e, const drawn *a)
{
  return edge_eps(e, &a->exponent, 1) * fmax(whole_norm('1', a->rows, a->rows, a->whole), 1);
}

/* ---- eigenvalues --------------------------------------------------------------------------------------- */

/* Checks that complex eigenvalues of real matrices are pairs. The value with the positive imaginary part
 * is first. */
static void check_conjugates(int64_t n, const double complex *w)
{
  for (int64_t k = 0; k < n; k++) {
    if (cimag(w[k]) == 0) continue;
    const bool is_pair = k + 1 < n && cimag(w[k]) > 0 && w[k + 1] == conj(w[k]);
    if (!EXPECT_MSG(is_pair, "no pair at %d", (int)k)) return;
    k++;
  }
}

/* The value nearest to w that has no partner yet. */
static int64_t partner(int64_t n, const double complex *values, double complex w, const bool taken[])
{
  int64_t nearest = -1;
  for (int64_t k = 0; k < n; k++)
    if (!taken[k] && (nearest < 0 || cabs(values[k] - w) < cabs(values[nearest] - w))) nearest = k;
  return nearest;
}

/* The eigenvalues of a row's normal matrix. A change of A moves them by at most its norm. Returns false if
 * no formula is known. */
static bool by_formula(const edge *e, int64_t n, double complex *values, double *sensitivity)
{
  const double pi = acos(-1);
  const bool shift = e->row && !strcmp(e->row->contents[0], "shift");
  if (!shift && (!e->row || strcmp(e->row->contents[0], "skew") != 0)) return false;
  for (int64_t k = 0; k < n; k++) {
    values[k] = shift ? cexp(CMPLX(0, 2 * pi * (double)k / (double)n))
                      : CMPLX(0, 2 * cos((double)(k + 1) * pi / (double)(n + 1)));
    sensitivity[k] = 1;
  }
  return true;
}

/* Checks that each value of LAPACK or of the formula is there once. It may be off as far as a change of
 * the matrix by 30 eps moves it, for any order. */
static void check_each(const edge *e, const drawn *a, const double complex *w)
{
  const int64_t n = a->rows;
  const double eps = edge_eps(e, &a->exponent, 1), norm = fmax(whole_norm('F', n, n, a->whole), 1);
  double *sensitivity = calloc((size_t)n + 1, sizeof *sensitivity), worst = 1;
  bool *taken = calloc((size_t)n + 1, sizeof *taken);
  double complex *want = zeros(n, sizeof *want);
  if (!by_formula(e, n, want, sensitivity)) {
    free(want);
    want = serial_general_eigenvalues(n, a->whole, sensitivity);
  }
  for (int64_t k = 0; k < n; k++) worst = fmax(worst, sensitivity[k]);
  for (int64_t k = 0; k < n && worst * worst * eps * (double)n < 0.001; k++) {
    const int64_t of = partner(n, want, w[k], taken);
    taken[of] = true;
    const double off = cabs(want[of] - w[k]) / (norm * sensitivity[of] * eps);
    EXPECT_MSG(off <= 30, "an eigenvalue is off by %.3g of its units", off);
  }
  free(want), free(taken), free(sensitivity);
}

/* Checks the values, and that their sum is that of A's diagonal. */
static void check_values(const edge *e, const drawn *a, const double complex *w)
{
  const int64_t n = a->rows;
  double complex trace = 0, sum = 0;
  for (int64_t i = 0; i < n; i++) trace += a->whole[i + i * n], sum += w[i];
  edge_bound("the sum of the eigenvalues", cabs(sum - trace), n * n, scale_of(e, a) * (double)(n + 1));
  check_each(e, a, w);
  if (!e->type->is_complex) check_conjugates(n, w);
}

/* ---- Schur forms --------------------------------------------------------------------------------------- */

/* Checks that T is triangular, except for blocks of 2 x 2 that stand for pairs of real matrices. W, if it
 * is given, must fit T's diagonal. */
static void check_triangular(const edge *e, int64_t n, const double complex *t, const double complex *w)
{
  const double room = 100 * e->type->eps * (whole_norm('F', n, n, t) + 1);
  for (int64_t j = 0; j < n; j++) {
    const bool is_pair = !e->type->is_complex && j + 1 < n && t[j + 1 + j * n] != 0;
    for (int64_t i = j + 1 + is_pair; i < n; i++)
      EXPECT_MSG(t[i + j * n] == 0, "T(%d, %d) is not 0", (int)i, (int)j);
    const double imaginary =
        is_pair ? sqrt(fabs(creal(t[j + 1 + j * n]))) * sqrt(fabs(creal(t[j + (j + 1) * n]))) : 0;
    EXPECT_MSG(!w || cabs(w[j] - t[j + j * n] - CMPLX(0, imaginary)) <= room, "W[%d] is not on the diagonal",
               (int)j);
    EXPECT_MSG(!is_pair || j + 2 >= n || t[j + 2 + (j + 1) * n] == 0, "two blocks overlap at %d", (int)j);
    j += is_pair;
  }
}

/* Checks Z T Z^H = A, as far as the factors were asked for. */
static void check_schur(const edge *e, const drawn *a, const drawn *t, const drawn *z, const drawn *w)
{
  const int64_t n = a->rows;
  double complex *of_t = t ? edge_whole(t, a->exponent) : NULL, *of_z = z ? edge_whole(z, 0) : NULL,
                 *of_w = w ? edge_whole(w, a->exponent) : NULL;
  if (w) check_values(e, a, of_w);
  if (t) check_triangular(e, n, of_t, a->exponent == 0 ? of_w : NULL);
  if (z) edge_bound("Z^H Z - I", whole_skew(n, n, of_z), 2 * n, e->type->eps);
  if (t && z) {
    double complex *zt = serial_multiply('N', 'N', n, n, n, of_z, of_t);
    double complex *product = serial_multiply('N', 'C', n, n, n, zt, of_z);
    edge_bound("Z T Z^H - A", whole_distance(n, n, product, a->whole), n * n, scale_of(e, a));
    free(product), free(zt);
  }
  free(of_w), free(of_z), free(of_t);
}

/* Checks the report, and that A is only read. */
static void check_report(const edge *e, const drawn *a)
{
  expect_same(&a->held);
  if (a->rows == 0 || e->report.count == 0) return;
  EXPECT_MSG(strcmp(e->report.method, "LAPACK on process 0") == 0, "by %s", e->report.method);
  edge_use(e, 0, "A", a, 0);
}

static void schur(edge *e)
{
  const int64_t n = edge_size(e);
  drawn a = edge_draw(e, DRAWN_ANY, n, n, edge_exponent(e));
  drawn t = edge_result(e, n, n, e->type->dtype), z = edge_result(e, n, n, e->type->dtype);
  drawn w = edge_result(e, n, -1, complex_of_type(e)->dtype);
  const bool has_t = !edge_one_in(e, 4), has_z = !edge_one_in(e, 4);
  const bool has_w = edge_one_in(e, 2) || (!has_t && !has_z);
  edge_say(e, "%s%s%s", has_t ? ", T" : "", has_z ? ", Z" : "", has_w ? ", W" : "");
  const dap_status status = UNDER_TRAPS(dap_linalg_schur(
      MPI_COMM_WORLD, matrix_operand(&a.held), has_t ? matrix_operand(&t.held) : none,
      has_z ? matrix_operand(&z.held) : none, has_w ? matrix_operand(&w.held) : none, &e->options, &e->err));
  EXPECT(a.is_finite || status);
  if (edge_status(e, status, !a.is_finite, DAP_ERR_NUMERIC)) {
    check_schur(e, &a, has_t ? &t : NULL, has_z ? &z : NULL, has_w ? &w : NULL);
    check_report(e, &a);
  }
  expect_same(&a.held);
  drawn_free(&a), drawn_free(&t), drawn_free(&z), drawn_free(&w);
}

/* Checks A V = V W, and that vectors are unit vectors. */
static void check_vectors(const edge *e, const drawn *a, const double complex *w, const drawn *v)
{
  const int64_t n = a->rows;
  double complex *of_v = edge_whole(v, 0), *av = serial_multiply('N', 'N', n, n, n, a->whole, of_v);
  for (int64_t j = 0; j < n; j++)
    edge_bound("norm of a vector", fabs(whole_norm('F', n, 1, &of_v[j * n]) - 1), n, e->type->eps);
  whole_scale(n, n, of_v, w);
  edge_bound("A V - V W", whole_distance(n, n, av, of_v), n * n, scale_of(e, a));
  free(av), free(of_v);
}

static void eig(edge *e)
{
  const int64_t n = edge_size(e);
  const bool vectors = edge_one_in(e, 2);
  drawn a = edge_draw(e, DRAWN_ANY, n, n, edge_exponent(e));
  drawn w = edge_result(e, n, -1, complex_of_type(e)->dtype);
  drawn v = edge_result(e, n, n, complex_of_type(e)->dtype);
  const dap_status status =
      UNDER_TRAPS(dap_linalg_eig(MPI_COMM_WORLD, matrix_operand(&a.held), matrix_operand(&w.held),
                                 vectors ? matrix_operand(&v.held) : none, &e->options, &e->err));
  EXPECT(a.is_finite || status);
  if (edge_status(e, status, !a.is_finite, DAP_ERR_NUMERIC)) {
    double complex *values = edge_whole(&w, a.exponent);
    check_values(e, &a, values);
    if (vectors) check_vectors(e, &a, values, &v);
    check_report(e, &a);
    free(values);
  }
  expect_same(&a.held);
  drawn_free(&a), drawn_free(&w), drawn_free(&v);
}

EDGES(schur)
EDGES(eig)

/* ---- rows ---------------------------------------------------------------------------------------------- */

static void pairs_that_underflow(void **state)
{
  static const edge_row rows[] = {
      {"imaginary parts of pairs underflow", DAP_F8, {20}, {-940}, {"ones"}},
      {"imaginary parts of pairs underflow", DAP_F8, {12}, {-900}, {"ones"}},
      {"imaginary parts of pairs underflow", DAP_F4, {20}, {-100}, {"ones"}},
  };
  (void)state;
  edges_repeat(rows, 3, 8, eig);
}

/* QR iteration without exceptional shifts never moves from roots of unity. From order 76 on LAPACK deflates
 * in other ways (SRC/iparmq.f). */
static void normal_matrices(void **state)
{
  static const edge_row rows[] = {
      {"roots of unity", DAP_F8, {40}, {0}, {"shift"}}, {"roots of unity", DAP_C8, {76}, {0}, {"shift"}},
      {"imaginary pairs", DAP_F4, {41}, {0}, {"skew"}}, {"rotations", DAP_F8, {12}, {0}, {"rotations"}},
      {"random, large", DAP_F8, {76}, {0}, {"any"}},    {"larger", DAP_F8, {250}, {0}, {"any"}},
      {"larger", DAP_C16, {250}, {0}, {"shift"}},
  };
  (void)state;
  edges_repeat(rows, 5, 4, schur);
  edges_repeat(rows, 5, 4, eig);
  if (test_scale() == 1) edges_repeat(&rows[5], 2, 1, eig);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(pairs_that_underflow),
                                          cmocka_unit_test(normal_matrices), cmocka_unit_test(schur_at_edges),
                                          cmocka_unit_test(eig_at_edges)};
MPI_TEST_MAIN(tests)
