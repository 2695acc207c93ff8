/* dap_linalg_rank_k() against the product of the gathered matrices. */
#include "harness.h"

#include <dapbridge/linalg_triangular.h>

typedef struct letters {
  char form, uplo, trans;
} letters;

static letters letters_of(int number)
{
  return (letters){"HS"[number % 2], "LUA"[number / 2 % 3], "NT"[number / 6 % 2]};
}

/* alpha, beta; with imaginary parts only where they may have them */
static const double factors[][2][2] = {
    {{1, 0}, {0, 0}}, {{0.5, 0}, {2, 0}}, {{-2, 0.5}, {0.25, -1.5}}, {{0, 0}, {3, 0}}, {{0, 0}, {1, 0}}};
enum { FACTORS = 5 };

/* Hermitian but for imaginary parts on the diagonal, which count for nothing there. */
static double complex entry_skewed(int64_t i, int64_t j)
{
  return entry_hermitian(i, j) + (i == j ? CMPLX(0, 3) : 0);
}

static double complex number_of(const double parts[2], bool imaginary)
{
  return CMPLX(parts[0], imaginary ? parts[1] : 0);
}

/* C as it must be: in the triangles that are computed; elsewhere as it was. */
static double complex *wanted(letters l, int64_t n, int64_t k, const double complex *a, double complex alpha,
                              double complex beta, const double complex *before)
{
  const char turned = l.form == 'H' ? 'C' : 'T';
  double complex *c = l.trans == 'N' ? serial_multiply('N', turned, n, n, k, a, a)
                                     : serial_multiply(turned, 'N', n, n, k, a, a);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      const bool lower = i > j, upper = i < j;
      const bool computed = l.uplo == 'A' || (l.uplo == 'L' ? !upper : !lower);
      const bool mirrored = l.uplo == 'A' && upper;
      double complex was = mirrored ? before[j + i * n] : before[i + j * n];
      if (l.form == 'H' && mirrored) was = conj(was);
      if (l.form == 'H' && i == j) was = creal(was);
      const double complex product = alpha * c[i + j * n] + (beta == 0 ? 0 : beta * was);
      c[i + j * n] = computed ? product : before[i + j * n];
    }
  return c;
}

/* NaN where C is not read. */
static void spoil(letters l, bool reads, matrix *c)
{
  if (!reads)
    matrix_fill(c, entry_nans);
  else if (l.uplo == 'A')
    matrix_set_triangle(c, 'U', CMPLX(NAN, NAN));
}

static double difference(letters l, int64_t n, int64_t k, const double complex *got, double complex *want,
                         bool reads, const double complex *before, double scale, double eps)
{
  double complex *g = whole_copy(n, n, got);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      const bool kept = l.uplo != 'A' && (l.uplo == 'L' ? i < j : i > j);
      if (!kept) continue;
      const bool same = reads ? g[i + j * n] == before[i + j * n] : isnan(creal(g[i + j * n]));
      EXPECT_MSG(same, "(%d, %d) of the other triangle has changed", (int)i, (int)j);
      g[i + j * n] = want[i + j * n] = 0;
    }
  const double r = residual_difference(n, n, g, want, scale, k > 0 ? k : 1, eps);
  free(g);
  return r;
}

static void check(const trial *t, letters l, int number, bool alike, bool vector)
{
  const int64_t n = t->size[0], k = vector ? (l.trans == 'N' ? 1 : n) : t->size[1],
                order = vector && l.trans == 'T' ? 1 : n;
  const bool imaginary = t->type->is_complex && l.form == 'S';
  const double(*f)[2] = factors[number % FACTORS];
  const double complex x = number_of(f[0], imaginary), y = number_of(f[1], imaginary);
  const double alpha[2] = {creal(x), cimag(x)}, beta[2] = {creal(y), cimag(y)};
  const bool reads = y != 0;
  matrix a = vector           ? trial_vector(t, n, false, entry_any)
             : l.trans == 'N' ? trial_matrix(t, n, k, entry_any)
                              : trial_matrix(t, k, n, entry_any);
  matrix c = alike ? trial_matrix(t, order, order, entry_skewed) : trial_other(t, order, order, entry_skewed);
  double complex *whole_a = matrix_whole(&a), *before = matrix_whole(&c);
  spoil(l, reads, &c);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report};
  dap_error err = {0};
  EXPECT_OK(dap_linalg_rank_k(MPI_COMM_WORLD, l.form, l.uplo, l.trans, number % FACTORS ? alpha : NULL,
                              matrix_operand(&a), reads ? beta : NULL, matrix_operand(&c), &options, &err),
            &err);
  double complex *after = matrix_whole(&c), *want = wanted(l, order, k, whole_a, x, y, before);
  const double norm = whole_norm('F', a.size[0], a.size[1], whole_a);
  const double scale = cabs(x) * norm * norm + cabs(y) * whole_norm('F', order, order, before);
  const double r = difference(l, order, k, after, want, reads, before, scale, t->type->eps);
  EXPECT_MSG(r <= RESIDUAL_LIMIT, "%c%c%c, factors %d: residual %g", l.form, l.uplo, l.trans,
             number % FACTORS, r);
  for (int64_t i = 0; i < order && l.form == 'H'; i++) EXPECT(cimag(after[i + i * order]) == 0);
  if (order > 0 && k > 0) expect_use(&report, 0, "A", &a, -1), expect_use(&report, 1, "C", &c, -1);
  expect_same(&a);
  expect_padding(&c);
  log_trial("rank k", t, &report, r);
  free(want), free(after), free(before), free(whole_a);
  matrix_free(&c), matrix_free(&a);
  SETTLE();
}

static void everywhere(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_ANY);) {
    check(&t, letters_of(t.number), t.number / 2, true, false);
    check(&t, letters_of(5 * t.number + 1), t.number / 3, false, false);
    check(&t, letters_of(7 * t.number + 2), t.number / 5, t.number % 2, true);
  }
}

/* All letters and factors with A and C in C and F order, alike and not. */
static void all_letters(void **state)
{
  (void)state;
  for (int i = 0; i < 2 * 12 * FACTORS * ELEMENT_TYPES; i++) {
    trial t = {.number = i % 7,
               .source = &sources[i % 2],
               .type = &element_types[i / 2 / 12 / FACTORS],
               .size = {20, 13},
               .grid = {test_nprocs(), 1}};
    const letters l = letters_of(i / 2 % 12);
    TEST_CASE("%c%c%c, factors %d, %s, %s", l.form, l.uplo, l.trans, i / 24 % FACTORS, t.source->name,
              t.type->name);
    check(&t, l, i / 24 % FACTORS, true, false);
    check(&t, l, i / 24 % FACTORS, false, false);
  }
}

typedef struct refusal {
  const char *why;
  letters l;
  int64_t a[2], c[2];
  int type;
  bool imaginary, same;
  const char *parts;
} refusal;

static const refusal refusals[] = {
    {"a form that is none", {'X', 'L', 'N'}, {5, 3}, {5, 5}, 1, false, false, "form|'X'"},
    {"a triangle that is none", {'H', 'X', 'N'}, {5, 3}, {5, 5}, 1, false, false, "uplo|'X'"},
    {"what syrk has not", {'H', 'L', 'C'}, {5, 3}, {5, 5}, 3, false, false, "trans|'C'"},
    {"not square", {'H', 'L', 'N'}, {5, 3}, {5, 4}, 1, false, false, "C|square|5 x 4"},
    {"A does not fit", {'H', 'L', 'T'}, {5, 3}, {5, 5}, 1, false, false, "A must be 5 x 5, it is 5 x 3"},
    {"an imaginary part of real ones", {'S', 'L', 'N'}, {5, 3}, {5, 5}, 1, true, false, "alpha[1]|real"},
    {"an imaginary part of herk's", {'H', 'L', 'N'}, {5, 3}, {5, 5}, 3, true, false, "alpha[1]|'H'"},
    {"one buffer", {'H', 'L', 'N'}, {5, 5}, {5, 5}, 1, false, true, "A and C overlap"},
};

static void refused(void **state)
{
  (void)state;
  const double turned[2] = {1, 1};
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    const refusal *r = &refusals[i];
    const int grid[2] = {test_nprocs(), 1};
    TEST_CASE("%s", r->why);
    matrix a = matrix_make(&sources[0], &element_types[r->type], 2, r->a, grid, entry_any),
           c = matrix_make(&sources[0], &element_types[r->type], 2, r->c, grid, entry_any);
    dap_error err = {0};
    const dap_status status =
        dap_linalg_rank_k(MPI_COMM_WORLD, r->l.form, r->l.uplo, r->l.trans, r->imaginary ? turned : NULL,
                          matrix_operand(r->same ? &c : &a), NULL, matrix_operand(&c), NULL, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_ARG, r->parts);
    expect_same(&a), expect_same(&c);
    matrix_free(&c), matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere), cmocka_unit_test(all_letters),
                                          cmocka_unit_test(refused)};
LINALG_TEST_MAIN(tests)
