/* Tests the harness itself. Arrays must be gathered unchanged, damage must be noticed, reports must be
 * checked, references must be right, and residuals must see errors. */
#include "harness.h"

/* Checks that the array is gathered as the formula says, and that no change is reported. */
static void expect_gathered(matrix *m, formula *entry)
{
  double complex *whole = matrix_whole(m), *want = whole_make(m->size[0], m->size[1], entry, m->type);
  const size_t bytes = (size_t)(m->size[0] * m->size[1]) * sizeof *want;
  dap_error err = {0};
  EXPECT_OK(dap_array_check(&m->held.array, &err), &err);
  EXPECT(bytes == 0 || !memcmp((char *)whole, (char *)want, bytes));
  expect_padding(m);
  expect_same(m);
  free(whole);
  free(want);
  matrix_free(m);
}

static void arrays_are_gathered(void **state)
{
  static const int64_t sizes[][2] = {{33, 21}, {0, 4}, {1, 7}, {5, 2}, {40, 64}};
  (void)state;
  for (int i = 0; i < 3 * source_count; i++) {
    const int64_t *size = sizes[i % 5];
    const trial t = trial_of(i, size[0], size[1]);
    matrix a = trial_matrix(&t, size[0], size[1], entry_any);
    matrix b = trial_other(&t, t.type, size[1], size[0], entry_dominant);
    matrix v = trial_other(&t, t.type, size[0], -1, entry_any);
    matrix w = trial_other(&t, element_type_of(t.type->real), size[1], -1, entry_any);
    EXPECT_INT(dap_layout_ndim(v.held.layout), 1);
    EXPECT(!w.type->is_complex);
    expect_gathered(&a, entry_any);
    expect_gathered(&b, entry_dominant);
    expect_gathered(&v, entry_any);
    expect_gathered(&w, entry_any);
    SETTLE();
  }
}

static matrix make_one(test_form form, case_cut cut, const element_type *type)
{
  const source one = {{"one", 2, .cut = {cut, cut}, .block = {5, 5}}, .form = form};
  return matrix_make(&one, type, 20, 17, (const int[2]){1, test_nprocs()}, entry_any);
}

/* expect_same() sees damage to every byte of the buffer. expect_padding() sees damage to every byte that
 * belongs to no element. */
static void harm_is_seen(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    test_form form;
    case_cut cut;
  } rows[] = {{"C, padded", FORM_C, CUT_PADDED},
              {"F, padded", FORM_F, CUT_PADDED},
              {"wide rows", FORM_WIDE, CUT_CYCLIC},
              {"gaps", FORM_GAPS, CUT_CYCLIC},
              {"odd address", FORM_ODD, CUT_CYCLIC}};
  for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++) {
    TEST_CASE("%s", rows[n].why);
    matrix m = make_one(rows[n].form, rows[n].cut, element_type_of(DAP_F4));
    int64_t guarded = 0;
    for (int64_t i = 0; i < m.held.buffer.bytes; i += 1 + i % 3) {
      m.held.buffer.memory[i] ^= 1;
      EXPECT(!test_quiet(expect_same(&m)));
      guarded += !test_quiet(expect_padding(&m));
      m.held.buffer.memory[i] ^= 1;
    }
    EXPECT_MSG(guarded > 0, "nothing is guarded");
    matrix_free(&m);
    SETTLE();
  }
}

static void copies_must_agree(void **state)
{
  (void)state;
  enum { COPIES = 26 /* row of sources[] */ };
  matrix m = vector_make(COPIES, element_type_of(DAP_F8), 5, entry_any);
  double complex *whole = matrix_whole(&m);
  if (test_rank() > 0) ((double *)m.held.array.data)[3] = 77;
  EXPECT(test_quiet(expect_copies(&m, whole)) == (test_rank() == 0));
  free(whole);
  matrix_free(&m);
  SETTLE();
}

static void reports_are_checked(void **state)
{
  (void)state;
  matrix m = make_one(FORM_C, CUT_CYCLIC, element_type_of(DAP_F8));
  const dap_linalg_report good = {.count = 1, .uses = {{"A", true, 0, "why"}}};
  EXPECT(expect_use(&good, 0, "A", &m, 1));
  EXPECT(expect_use(&good, 0, "A", &m, -1));
  dap_linalg_report bad = good;
  EXPECT(!test_quiet(expect_use(&good, 1, "B", &m, -1)));
  EXPECT(!test_quiet(expect_use(&good, 0, "B", &m, -1)));
  EXPECT(!test_quiet(expect_use(&good, 0, "A", &m, 0)));
  bad.uses[0].moved_bytes = test_rank() == test_nprocs() - 1; /* seen by all */
  EXPECT(!test_quiet(expect_use(&bad, 0, "A", &m, -1)));
  bad = good;
  bad.uses[0].shared = false;
  EXPECT(!test_quiet(expect_use(&bad, 0, "A", &m, -1)));
  bad = good;
  bad.uses[0].reason[0] = 0;
  EXPECT(!test_quiet(expect_use(&bad, 0, "A", &m, -1)));
  EXPECT(!test_quiet(expect_work(&m, &good.uses[0], false, true)));
  EXPECT(expect_work(&m, &good.uses[0], true, true));
  m.held.buffer.memory[0] ^= 1;
  EXPECT(expect_work(&m, &good.uses[0], false, true));
  EXPECT(!test_quiet(expect_work(&m, &good.uses[0], true, true)));
  matrix_free(&m);
  SETTLE();
}

/* ---- formulas and references: every process does the same ---------------------------------------------- */

enum { N = 24 };

static const element_type *z(void)
{
  return element_type_of(DAP_C16);
}

static void formulas_are_held_exactly(void **state)
{
  (void)state;
  formula *const all[] = {entry_any, entry_dominant, entry_hermitian, entry_definite, entry_zero};
  for (size_t f = 0; f < sizeof all / sizeof all[0]; f++)
    for (int64_t i = 0; i < 70; i++)
      for (int64_t j = 0; j < 70; j++)
        for (int t = 0; t < ELEMENT_TYPES; t++) {
          double complex element = 0;
          element_store(element_types[t].dtype, all[f](i, j), &element);
          const double complex want = element_types[t].is_complex ? all[f](i, j) : creal(all[f](i, j));
          EXPECT(element_load(element_types[t].dtype, &element) == want);
        }
  SETTLE();
}

/* 2 on the diagonal, -1 beside it: eigenvalues 2 - 2 cos(k pi / (n + 1)); determinant n + 1. */
FORMULA(entry_second_difference, i == j ? 2 : i == j + 1 || j == i + 1 ? -1 : 0)

/* diag(1, -1/2, 1/4, ...) i, with rows below the square zero */
FORMULA(entry_powers, i == j ? CMPLX(0, ldexp(i % 2 ? -1 : 1, -(int)i)) : 0)

static void values_are_known(void **state)
{
  (void)state;
  double log_of;
  double complex *a = whole_make(N, N, entry_second_difference, z()), *w = serial_eigenvalues('U', N, a);
  for (int k = 0; k < N; k++) EXPECT(fabs(creal(w[k]) - 2 + 2 * cos((k + 1) * acos(-1) / (N + 1))) < 1e-13);
  EXPECT(cabs(serial_determinant(N, a, &log_of) - 1) < 1e-13 && fabs(log_of - log(N + 1)) < 1e-12);
  EXPECT(whole_norm('1', N, N, a) == 4 && whole_norm('I', N, N, a) == 4 && whole_norm('M', N, N, a) == 2);
  EXPECT(fabs(whole_norm('F', N, N, a) - sqrt(4 * N + 2 * (N - 1))) < 1e-13);
  double complex *b = whole_make(9, 6, entry_powers, z()), *s = serial_singular_values(9, 6, b);
  for (int k = 0; k < 6; k++) EXPECT(fabs(creal(s[k]) - ldexp(1, -k)) < 1e-15);
  double complex *square = whole_make(6, 6, entry_powers, z());
  EXPECT(fabs(serial_condition('I', 6, square) - ldexp(1, -5)) < 1e-15);
  EXPECT(cabs(serial_determinant(6, square, &log_of) - 1) < 1e-14); /* i^6 (-1)^3 */
  EXPECT(fabs(log_of + 15 * log(2)) < 1e-13);
  double complex *wide = whole_make(2, 3, entry_zero, z());
  wide[1] = 3, wide[4] = CMPLX(0, -4); /* row sums 4, 3; column sums 3, 0, 4 */
  EXPECT(whole_norm('1', 2, 3, wide) == 4 && whole_norm('I', 2, 3, wide) == 4 &&
         whole_norm('F', 2, 3, wide) == 5);
  free(a), free(w), free(b), free(s), free(square), free(wide);
  SETTLE();
}

/* diag(1, 2, ...), and 3 above 1: the first two have vectors at an angle whose sine is 1 / sqrt(10). */
FORMULA(entry_leaning, i == j ? (double)i + 1 : i == 0 && j == 1 ? 3 : 0)

static void values_of_general_matrices_are_known(void **state)
{
  (void)state;
  double sensitivity[N];
  double complex *a = whole_make(N, N, entry_leaning, z());
  double complex *w = serial_general_eigenvalues(N, a, sensitivity);
  for (int k = 0; k < N; k++) { /* eigenvalues of a triangular matrix are in the order of its diagonal */
    EXPECT(cabs(w[k] - k - 1) < 1e-13);
    EXPECT(fabs(sensitivity[k] - (k < 2 ? sqrt(10) : 1)) < 1e-12);
  }
  free(a), free(w);
  SETTLE();
}

static void systems_are_solved(void **state)
{
  (void)state;
  double complex *a = whole_make(N, N, entry_dominant, z()), *b = whole_make(N, 3, entry_any, z());
  for (const char *trans = "NTC"; *trans; trans++) {
    double complex *x = serial_solve(*trans, N, 3, a, b);
    EXPECT(residual_solve(*trans, N, 3, a, x, b, DBL_EPSILON) < 1);
    EXPECT(residual_solve(*trans == 'N' ? 'T' : 'N', N, 3, a, x, b, DBL_EPSILON) > 1e6);
    x[N + 5] += 1e-9;
    const double off = residual_solve(*trans, N, 3, a, x, b, DBL_EPSILON);
    EXPECT(off > RESIDUAL_LIMIT);
    x[0] = NAN;
    EXPECT(!(residual_solve(*trans, N, 3, a, x, b, DBL_EPSILON) <= RESIDUAL_LIMIT));
    free(x);
  }
  double complex *singular = whole_make(N, N, entry_zero, z());
  for (int64_t nrhs = 0; nrhs < 2; nrhs++) EXPECT(!serial_solve('N', N, nrhs, singular, b));
  EXPECT(serial_condition('1', N, singular) == 0);
  singular[3] = NAN;
  EXPECT(serial_condition('1', N, singular) == 0);
  free(a), free(b), free(singular);
  SETTLE();
}

/* X is a solution iff the residual is orthogonal to A's columns. */
static void squares_are_least(void **state)
{
  (void)state;
  int64_t rank;
  double complex *a = whole_make(N, 7, entry_any, z()), *b = whole_make(N, 2, entry_any, z());
  double complex *x = serial_least_squares_rank(N, 7, 2, a, b, DBL_EPSILON, &rank);
  EXPECT(residual_normal(N, 7, 2, a, x, b, DBL_EPSILON) < 1 && rank == 7);
  x[3] += 1e-9;
  EXPECT(residual_normal(N, 7, 2, a, x, b, DBL_EPSILON) > RESIDUAL_LIMIT);
  free(a), free(b), free(x);
  SETTLE();
}

static void residuals_see_errors(void **state)
{
  (void)state;
  double complex *q = whole_make(N, N, entry_powers, z());
  for (int i = 0; i < N; i++) q[i + i * N] /= cabs(q[i + i * N]);
  EXPECT(whole_skew(N, N, q) == 0 && below_diagonal(N, N, q) == 0);
  double complex *values = whole_make(N, 1, entry_any, z()), *ones = whole_op('N', N, N, q);
  for (int i = 0; i < N; i++) ones[i + i * N] = 1, values[i] = q[i + i * N];
  EXPECT(residual_eigen(N, N, q, values, ones, 1, DBL_EPSILON) == 0);
  EXPECT(residual_svd(N, N, q, ones, values, ones, DBL_EPSILON) == 0);
  values[3] += 1e-9;
  EXPECT(residual_eigen(N, N, q, values, ones, 1, DBL_EPSILON) > RESIDUAL_LIMIT);
  EXPECT(residual_svd(N, N, q, ones, values, ones, DBL_EPSILON) > RESIDUAL_LIMIT);
  q[5] = 1e-9;
  EXPECT(whole_skew(N, N, q) > RESIDUAL_LIMIT * N * DBL_EPSILON && below_diagonal(N, N, q) == 1e-9);
  EXPECT(residual_difference(0, 0, q, q, 0, 0, DBL_EPSILON) == 0);
  EXPECT(residual_difference(N, N, q, ones, 0, N, DBL_EPSILON) == INFINITY);
  q[7] = NAN;
  EXPECT(isnan(whole_skew(N, N, q)) && isnan(below_diagonal(N, N, q)));
  for (const char *norm = "1IM"; *norm; norm++) EXPECT(isnan(whole_norm(*norm, N, N, q)));
  free(q), free(values), free(ones);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(arrays_are_gathered),
                                          cmocka_unit_test(harm_is_seen),
                                          cmocka_unit_test(copies_must_agree),
                                          cmocka_unit_test(reports_are_checked),
                                          cmocka_unit_test(formulas_are_held_exactly),
                                          cmocka_unit_test(values_are_known),
                                          cmocka_unit_test(values_of_general_matrices_are_known),
                                          cmocka_unit_test(systems_are_solved),
                                          cmocka_unit_test(squares_are_least),
                                          cmocka_unit_test(residuals_see_errors)};
MPI_TEST_MAIN(tests)
