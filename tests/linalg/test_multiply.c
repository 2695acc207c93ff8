/* dap_linalg_multiply() against the product of the gathered matrices. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

typedef struct scalars {
  const double *alpha, *beta; /* [2] or NULL */
  const char *why;
} scalars;

static const double half[2] = {0.5, 0}, two[2] = {2, 0}, turned[2] = {0.25, -1.5}, none[2] = {0, 0};
static const scalars factors[] = {
    {NULL, NULL, "the defaults: C may hold NaN"},
    {half, two, "real ones: C is read"},
    {two, none, "beta is 0: C may hold NaN"},
    {turned, turned, "complex ones, of real types their real parts"},
};

/* alpha and beta for the type: of real ones without imaginary part. */
static const double *factor(const element_type *type, const double *value, double own[2])
{
  if (!value) return NULL;
  own[0] = value[0];
  own[1] = type->is_complex ? value[1] : 0;
  return own;
}

/* C = alpha op(A) op(B) + beta C0 as a residual over what rounding may leave. */
static double residual(char ta, char tb, int64_t m, int64_t n, int64_t k, const double *alpha,
                       const double *beta, const double complex *a, const double complex *b,
                       const double complex *c0, const double complex *c, double eps)
{
  const double complex x = alpha ? alpha[0] + alpha[1] * I : 1;
  const double complex y = beta ? beta[0] + beta[1] * I : 0;
  double complex *want = serial_multiply(ta, tb, m, n, k, a, b);
  for (int64_t i = 0; i < m * n; i++) want[i] = x * want[i] + (y == 0 ? 0 : y * c0[i]);
  const int64_t ma = ta == 'N' ? m : k, na = ta == 'N' ? k : m, mb = tb == 'N' ? k : n,
                nb = tb == 'N' ? n : k;
  double scale = cabs(x) * whole_norm('F', ma, na, a) * whole_norm('F', mb, nb, b);
  if (y != 0) scale += cabs(y) * whole_norm('F', m, n, c0);
  const double r = residual_difference(m, n, c, want, scale, k > 0 ? k : 1, eps);
  free(want);
  return r;
}

/* One product: A in the trial's layout, B and C in it or in others. */
static void check(const trial *t, char ta, char tb, const scalars *f, bool alike)
{
  const int64_t m = t->size[0], k = t->size[1], n = t->size[0] > 2 ? t->size[0] - 2 : t->size[0];
  const bool reads = f->beta && (f->beta[0] != 0 || f->beta[1] != 0);
  formula *start = reads ? entry_any : entry_nans;
  matrix a = trial_matrix(t, ta == 'N' ? m : k, ta == 'N' ? k : m, entry_any);
  const int64_t rows_b = tb == 'N' ? k : n, cols_b = tb == 'N' ? n : k;
  matrix b = alike ? trial_matrix(t, rows_b, cols_b, entry_dominant)
                   : trial_other(t, rows_b, cols_b, entry_dominant);
  matrix c = alike ? trial_matrix(t, m, n, start) : trial_other(t, m, n, start);
  double complex *whole_a = matrix_whole(&a), *whole_b = matrix_whole(&b),
                 *before = reads ? matrix_whole(&c) : NULL;
  double alpha[2], beta[2];
  const double *x = factor(t->type, f->alpha, alpha), *y = factor(t->type, f->beta, beta);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report};
  dap_error err = {0};
  EXPECT_OK(dap_linalg_multiply(MPI_COMM_WORLD, ta, tb, x, matrix_operand(&a), matrix_operand(&b), y,
                                matrix_operand(&c), &options, &err),
            &err);
  double complex *after = matrix_whole(&c);
  const double r = residual(ta, tb, m, n, k, x, y, whole_a, whole_b, before, after, t->type->eps);
  EXPECT_MSG(r <= RESIDUAL_LIMIT, "op %c %c, %s: residual %g", ta, tb, f->why, r);
  if (m > 0 && n > 0 && k > 0) {
    expect_use(&report, 0, "A", &a, -1), expect_use(&report, 1, "B", &b, -1),
        expect_use(&report, 2, "C", &c, -1);
  }
  EXPECT(expect_same(&a) && expect_same(&b));
  expect_padding(&c);
  log_trial("multiply", t, &report, r);
  free(after), free(before), free(whole_b), free(whole_a);
  matrix_free(&c), matrix_free(&b), matrix_free(&a);
}

static void test_products(void **state)
{
  (void)state;
  static const char ops[] = "NTC";
  for (trial t = {0}; trial_next(&t, TRIALS_ANY);) {
    const char ta = ops[t.number % 3], tb = ops[t.number / 3 % 3];
    const scalars *f = &factors[t.number % (int)(sizeof factors / sizeof factors[0])];
    check(&t, ta, tb, f, t.number % 2 == 0);
    check(&t, tb, ta, &factors[(t.number + 1) % 4], t.number % 2 != 0);
    SETTLE();
  }
}

/* A, B and C lie alike, so that nothing needs to move where the layout is one that ScaLAPACK takes. */
static void test_shared(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    if (t.size[0] == 0) continue;
    matrix a = trial_matrix(&t, t.size[0], t.size[0], entry_any);
    matrix b = trial_matrix(&t, t.size[0], t.size[0], entry_any);
    matrix c = trial_matrix(&t, t.size[0], t.size[0], entry_nans);
    dap_linalg_report report = {0};
    const dap_linalg_options options = {.report = &report};
    dap_error err = {0};
    EXPECT_OK(dap_linalg_multiply(MPI_COMM_WORLD, 'C', 'T', NULL, matrix_operand(&a), matrix_operand(&b),
                                  NULL, matrix_operand(&c), &options, &err),
              &err);
    const int shares = source_shares(t.source, t.size, t.grid);
    EXPECT_MSG(shares != 1 || (report.uses[0].shared && report.uses[1].shared && report.uses[2].shared),
               "A %d B %d C %d: %s; %s; %s", report.uses[0].shared, report.uses[1].shared,
               report.uses[2].shared, report.uses[0].reason, report.uses[1].reason, report.uses[2].reason);
    matrix_free(&c), matrix_free(&b), matrix_free(&a);
    SETTLE();
  }
}

/* Never: all is moved. Or fail: nothing is, or C is left as it was. */
static void check_sharing(const trial *t, dap_sharing sharing)
{
  const int64_t n = t->size[0];
  matrix a = trial_matrix(t, n, n, entry_any), c = trial_matrix(t, n, n, entry_any);
  double complex *whole_a = matrix_whole(&a);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.sharing = sharing, .block_size = 3, .report = &report};
  dap_error err = {0};
  const dap_status status = dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'C', NULL, matrix_operand(&a),
                                                matrix_operand(&a), NULL, matrix_operand(&c), &options, &err);
  if (status == DAP_ERR_SHARE) {
    EXPECT_MSG(sharing == DAP_SHARE_OR_FAIL && source_shares(t->source, t->size, t->grid) != 1, "%s",
               err.text);
    EXPECT(err.text[0] && expect_same(&c));
  } else {
    EXPECT_OK(status, &err);
    double complex *whole_c = matrix_whole(&c);
    expect_residual("C - A A^H",
                    residual('N', 'C', n, n, n, NULL, NULL, whole_a, whole_a, NULL, whole_c, t->type->eps));
    free(whole_c);
    for (int i = 0; i < 3; i++) EXPECT(report.uses[i].shared == (sharing == DAP_SHARE_OR_FAIL));
    for (int i = 0; i < 3; i++) EXPECT(report.uses[i].moved_bytes == 0 || sharing == DAP_SHARE_NEVER);
  }
  expect_padding(&c);
  free(whole_a);
  matrix_free(&c), matrix_free(&a);
}

static void test_sharing(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    if (t.size[0] == 0) continue;
    check_sharing(&t, DAP_SHARE_NEVER);
    check_sharing(&t, DAP_SHARE_OR_FAIL);
    SETTLE();
  }
}

/* Products with vectors, and with a matrix over itself. */
static void test_vectors(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_ANY);) {
    matrix a = trial_matrix(&t, t.size[0], t.size[1], entry_any);
    matrix x = trial_vector(&t, t.size[1], false, entry_any),
           y = trial_vector(&t, t.size[0], false, entry_nans);
    double complex *whole_a = matrix_whole(&a), *whole_x = matrix_whole(&x);
    dap_linalg_report report = {0};
    const dap_linalg_options options = {.report = &report};
    dap_error err = {0};
    EXPECT_OK(dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', NULL, matrix_operand(&a), matrix_operand(&x),
                                  NULL, matrix_operand(&y), &options, &err),
              &err);
    double complex *whole_y = matrix_whole(&y);
    const double r =
        residual('N', 'N', t.size[0], 1, t.size[1], NULL, NULL, whole_a, whole_x, NULL, whole_y, t.type->eps);
    expect_residual("y - A x", r);
    expect_padding(&y);
    log_trial("multiply x", &t, &report, r);
    free(whole_y), free(whole_x);

    matrix g = trial_other(&t, t.size[1], t.size[1], entry_nans);
    EXPECT_OK(dap_linalg_multiply(MPI_COMM_WORLD, 'C', 'N', NULL, matrix_operand(&a), matrix_operand(&a),
                                  NULL, matrix_operand(&g), NULL, &err),
              &err);
    double complex *whole_g = matrix_whole(&g);
    expect_residual("A^H A", residual('C', 'N', t.size[1], t.size[1], t.size[0], NULL, NULL, whole_a, whole_a,
                                      NULL, whole_g, t.type->eps));
    free(whole_g), free(whole_a);
    matrix_free(&g), matrix_free(&y), matrix_free(&x), matrix_free(&a);
    SETTLE();
  }
}

static void test_refusals(void **state)
{
  (void)state;
  trial t = {0};
  while (trial_next(&t, TRIALS_SQUARE) && (t.size[0] < 4 || t.type->is_complex)) continue;
  const int64_t n = t.size[0];
  matrix a = trial_matrix(&t, n, n, entry_any), b = trial_matrix(&t, n, n - 1, entry_any);
  matrix c = trial_matrix(&t, n, n - 1, entry_any);
  const dap_darray oa = matrix_operand(&a), ob = matrix_operand(&b), oc = matrix_operand(&c);
  MPI_Comm world = MPI_COMM_WORLD;
  dap_error err = {0};
  EXPECT(dap_linalg_multiply(world, 'X', 'N', NULL, oa, ob, NULL, oc, NULL, &err) == DAP_ERR_ARG);
  EXPECT(strstr(err.text, "trans_a"));
  EXPECT(dap_linalg_multiply(world, 'N', 'T', NULL, oa, ob, NULL, oc, NULL, &err) == DAP_ERR_ARG);
  EXPECT_MSG(strstr(err.text, "B must be"), "%s", err.text);
  EXPECT(dap_linalg_multiply(world, 'N', 'N', NULL, oa, ob, NULL, oa, NULL, &err) == DAP_ERR_ARG);
  EXPECT_MSG(strstr(err.text, "overlap in memory"), "%s", err.text);
  EXPECT(dap_linalg_multiply(world, 'N', 'N', turned, oa, ob, NULL, oc, NULL, &err) == DAP_ERR_ARG);
  EXPECT_MSG(strstr(err.text, "alpha[1]"), "%s", err.text);
  EXPECT(dap_linalg_multiply(world, 'N', 'N', NULL, (dap_darray){0}, ob, NULL, oc, NULL, &err) ==
         DAP_ERR_ARG);
  EXPECT(dap_linalg_multiply(MPI_COMM_NULL, 'N', 'N', NULL, oa, ob, NULL, oc, NULL, &err) == DAP_ERR_ARG);
  dap_array fixed = c.array;
  fixed.readonly = true;
  fixed.release = NULL;
  EXPECT(dap_linalg_multiply(world, 'N', 'N', NULL, oa, ob, NULL, (dap_darray){c.layout, &fixed}, NULL,
                             &err) == DAP_ERR_BUFFER);
  EXPECT_MSG(strstr(err.text, "read-only"), "%s", err.text);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &ranks);
  const double own[2] = {1 + rank, 0};
  if (ranks > 1) {
    EXPECT(dap_linalg_multiply(world, 'N', 'N', own, oa, ob, NULL, oc, NULL, &err) == DAP_ERR_ARG);
    const dap_linalg_options options = {.block_size = 4 + rank};
    EXPECT(dap_linalg_multiply(world, 'N', 'N', NULL, oa, ob, NULL, oc, &options, &err) == DAP_ERR_ARG);
    EXPECT_MSG(strstr(err.text, "block_size"), "%s", err.text);
  }
  EXPECT(expect_same(&a) && expect_same(&b) && expect_same(&c));
  matrix_free(&c), matrix_free(&b), matrix_free(&a);
  SETTLE();
}

/* Three operands in one buffer of each process, laid out as the row says: strides and first elements in
 * doubles. */
static const struct {
  const char *why;
  struct {
    int64_t first, strides[2];
  } a, b, c;
  const char *text; /* NULL: they do not overlap */
} shared_buffers[] = {
    {"one behind the other", {0, {4, 1}}, {16, {4, 1}}, {32, {4, 1}}, NULL},
    {"columns beside each other", {0, {12, 1}}, {4, {12, 1}}, {8, {12, 1}}, NULL},
    {"every third element", {0, {12, 3}}, {1, {12, 3}}, {2, {12, 3}}, NULL},
    {"A and B are only read", {0, {4, 1}}, {3, {4, 1}}, {32, {4, 1}}, NULL},
    {"C shifted into A by a row", {0, {4, 1}}, {32, {4, 1}}, {12, {4, 1}}, "A and C overlap in memory"},
    {"C shifted into B by an element", {32, {4, 1}}, {0, {4, 1}}, {15, {4, 1}}, "B and C overlap in memory"},
    {"C ends in A", {15, {4, 1}}, {32, {4, 1}}, {0, {4, 1}}, "A and C overlap in memory"},
    {"C in the other order", {0, {4, 1}}, {32, {4, 1}}, {8, {1, 4}}, "A and C overlap in memory"},
    {"C among A's columns", {0, {12, 3}}, {1, {12, 3}}, {5, {12, 2}}, "overlap in memory"},
    {"C overlaps itself", {0, {4, 1}}, {16, {4, 1}}, {32, {2, 1}}, "elements of its buffer overlap"},
};

static void test_one_buffer(void **state)
{
  enum { N = 4, ROOM = 64 };
  (void)state;
  if (test_nprocs() > 1) return; /* what overlaps is each process's own to find */
  const dap_dist dists[2] = {dap_dist_even(N, 1), dap_dist_even(N, 1)};
  for (size_t i = 0; i < sizeof shared_buffers / sizeof shared_buffers[0]; i++) {
    TEST_CASE("%s", shared_buffers[i].why);
    dap_layout *layout;
    dap_array a, b, c;
    double room[ROOM];
    for (int k = 0; k < ROOM; k++) room[k] = k % 7;
    dap_error err = {0};
    EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
    EXPECT_OK(dap_array_init(&a, layout, 0, DAP_F8, DAP_ORDER_C, room + shared_buffers[i].a.first, &err),
              &err);
    EXPECT_OK(dap_array_init(&b, layout, 0, DAP_F8, DAP_ORDER_C, room + shared_buffers[i].b.first, &err),
              &err);
    EXPECT_OK(dap_array_init(&c, layout, 0, DAP_F8, DAP_ORDER_C, room + shared_buffers[i].c.first, &err),
              &err);
    for (int k = 0; k < 2; k++) {
      a.strides[k] = shared_buffers[i].a.strides[k] * 8;
      b.strides[k] = shared_buffers[i].b.strides[k] * 8;
      c.strides[k] = shared_buffers[i].c.strides[k] * 8;
    }
    const dap_status s =
        dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', NULL, (dap_darray){layout, &a},
                            (dap_darray){layout, &b}, NULL, (dap_darray){layout, &c}, NULL, &err);
    EXPECT_MSG(shared_buffers[i].text ? s == DAP_ERR_ARG || s == DAP_ERR_BUFFER : !s, "%d: %s", (int)s,
               err.text);
    EXPECT_MSG(!shared_buffers[i].text || strstr(err.text, shared_buffers[i].text), "%s", err.text);
    dap_layout_destroy(&layout);
    SETTLE();
  }
}

/* A type that one process alone has is blamed on that operand, not on the next one. */
static void test_type_of_one_rank(void **state)
{
  (void)state;
  trial t = {0};
  while (trial_next(&t, TRIALS_SQUARE) && (t.size[0] < 4 || t.type->dtype != DAP_F8)) continue;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  matrix a = trial_matrix(&t, 4, 4, entry_any), b = trial_matrix(&t, 4, 4, entry_any);
  matrix c = trial_matrix(&t, 4, 4, entry_any);
  dap_array single = a.array;
  if (rank == 1) single.dtype = DAP_F4;
  dap_error err = {0};
  const dap_status s = dap_linalg_multiply(MPI_COMM_WORLD, 'N', 'N', NULL, (dap_darray){a.layout, &single},
                                           matrix_operand(&b), NULL, matrix_operand(&c), NULL, &err);
  EXPECT_MSG(test_nprocs() > 1 ? s == DAP_ERR_ARG && strstr(err.text, "A: its type") : !s, "%d: %s", (int)s,
             err.text);
  matrix_free(&c), matrix_free(&b), matrix_free(&a);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_products),         cmocka_unit_test(test_shared),
    cmocka_unit_test(test_sharing),          cmocka_unit_test(test_vectors),
    cmocka_unit_test(test_refusals),         cmocka_unit_test(test_one_buffer),
    cmocka_unit_test(test_type_of_one_rank),
};

LINALG_TEST_MAIN(tests)
