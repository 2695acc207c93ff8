/* Eigenvalues alone, and beside a Schur form, of matrices whose eigenvalues are known: normal ones by
 * formulas, others by serial LAPACK. A trace would not do, as any similarity keeps it. */
#include "schur_test.h"

#include <string.h>

/* Of the matrix that is looked at; formulas have no other way to know. */
static int64_t order;
static bool is_real;

static const double pi = 3.14159265358979323846;

/* ---- normal matrices, and number k of their eigenvalues ------------------------------------------------ */

/* Roots of unity, from which QR iteration without exceptional shifts never moves. */
static double complex entry_shift(int64_t i, int64_t j)
{
  return j == (i + 1) % order ? 1 : 0;
}

static double complex root(int64_t k)
{
  return cexp(CMPLX(0, 2 * pi * (double)(k % order) / (double)order));
}

/* A polynomial of the shift; for order - d and d real parts are not equal. */
static double complex coefficient(int64_t d)
{
  return is_real ? creal(entry_any(d, 5)) : entry_any(d, 5);
}

static double complex entry_circulant(int64_t i, int64_t j)
{
  return coefficient((j - i + order) % order);
}

static double complex value_circulant(int64_t k)
{
  double complex sum = 0;
  for (int64_t d = 0; d < order; d++) sum += coefficient(d) * root(d * k);
  return sum;
}

/* Skew, all of them imaginary: pairs, and 0 of odd orders. */
static double complex entry_skew(int64_t i, int64_t j)
{
  return j == i + 1 ? 1 : i == j + 1 ? -1 : 0;
}

static double complex value_skew(int64_t k)
{
  return CMPLX(0, 2 * cos((double)(k + 1) * pi / (double)(order + 1)));
}

/* Blocks of 2 x 2 on the diagonal, of rotations (a b; -b a) and, every third, of real values (a b; b a), seen
 * in a mirror: H D H with H = I - 2/n times ones. Of odd orders the last row is alone. */
typedef double number_of(int64_t block, int64_t which); /* a, b */

static double of_its_own(int64_t block, int64_t which)
{
  return creal(entry_any(block, which));
}

static double of_three(int64_t block, int64_t which) /* each value three times */
{
  return creal(entry_any(block / 3, which));
}

static double element(number_of *number, int64_t i, int64_t j)
{
  const int64_t block = i / 2;
  if (block != j / 2) return 0;
  if (i == j) return number(block, 0);
  return block % 3 != 2 && i > j ? -number(block, 1) : number(block, 1);
}

static double sum_of_line(number_of *number, int64_t i, bool row)
{
  const int64_t other = i ^ 1;
  const double beside = row ? element(number, i, other) : element(number, other, i);
  return element(number, i, i) + (other < order ? beside : 0);
}

static double mirrored(number_of *number, int64_t i, int64_t j)
{
  double total = 0;
  for (int64_t k = 0; k < order; k++) total += sum_of_line(number, k, true);
  const double n = (double)order, lines = sum_of_line(number, i, true) + sum_of_line(number, j, false);
  return element(number, i, j) - 2 / n * lines + 4 / (n * n) * total;
}

static double complex block_value(number_of *number, int64_t k)
{
  const int64_t block = k / 2;
  const double a = number(block, 0), b = (k ^ 1) < order ? number(block, 1) : 0, sign = k % 2 ? -1 : 1;
  return block % 3 != 2 ? CMPLX(a, sign * b) : a + sign * b;
}

static double complex entry_mirrored(int64_t i, int64_t j)
{
  return mirrored(of_its_own, i, j);
}

static double complex value_mirrored(int64_t k)
{
  return block_value(of_its_own, k);
}

static double complex entry_repeated(int64_t i, int64_t j)
{
  return mirrored(of_three, i, j);
}

static double complex value_repeated(int64_t k)
{
  return block_value(of_three, k);
}

static const struct {
  const char *why;
  int64_t n;
  formula *entry;
  double complex (*value)(int64_t k); /* NULL: as LAPACK says */
} rows[] = {
    {"one", 1, entry_any, NULL},
    {"a pair", 2, entry_skew, value_skew},
    {"three", 3, entry_any, NULL},
    {"a few", 12, entry_mirrored, value_mirrored},
    {"random", 50, entry_any, NULL},
    {"roots of unity", 60, entry_shift, root},
    {"each three times", 90, entry_repeated, value_repeated},
    {"circulant", 97, entry_circulant, value_circulant},
    {"imaginary", 101, entry_skew, value_skew},
    {"no remainders", 128, entry_mirrored, value_mirrored},
    {"imaginary, large", 221, entry_skew, value_skew},
    {"the last is real", 224, entry_mirrored, value_mirrored},
    {"circulant, large", 300, entry_circulant, value_circulant},
    {"roots of unity, large", 300, entry_shift, root},
    {"random, large", 300, entry_any, NULL},
};

enum { ROWS = sizeof rows / sizeof rows[0], LARGE = 220 };

static spectrum known_of(int row, const double complex *whole)
{
  const int64_t n = rows[row].n;
  if (!rows[row].value) return schur_spectrum(n, whole);
  spectrum s = {.n = n, .norm = whole_norm('F', n, n, whole)};
  s.values = calloc((size_t)n, sizeof *s.values);
  s.sensitivity = calloc((size_t)n, sizeof *s.sensitivity);
  for (int64_t k = 0; k < n; k++) s.values[k] = rows[row].value(k), s.sensitivity[k] = 1;
  return s;
}

/* ---- the calls that give eigenvalues ------------------------------------------------------------------- */

typedef enum way { EIG_ALONE, SCHUR_ALONE, SCHUR_FORM, EIG_VECTORS, WAYS } way;
static const char *const names[] = {"eig, values", "schur, values", "schur, T", "eig, V"};

static dap_status call(way how, dap_darray a, dap_darray w, dap_darray square, const dap_linalg_options *o,
                       dap_error *err)
{
  const dap_darray none = {0};
  if (how == EIG_ALONE || how == EIG_VECTORS) return dap_linalg_eig(MPI_COMM_WORLD, a, w, square, o, err);
  return dap_linalg_schur(MPI_COMM_WORLD, a, square, none, w, o, err);
}

/* Complex ones of real matrices are pairs, the one with the positive imaginary part first. */
static void expect_pairs(int64_t n, const double complex *w)
{
  for (int64_t k = 0; k < n; k++) {
    if (cimag(w[k]) == 0) continue;
    const bool is_pair = k + 1 < n && cimag(w[k]) > 0 && w[k + 1] == conj(w[k]);
    if (!EXPECT_MSG(is_pair, "no pair at %d", (int)k)) return;
    k++;
  }
}

static void solve(const trial *t, int row, way how)
{
  const int64_t n = t->size[0];
  order = n, is_real = !t->type->is_complex;
  matrix a = trial_matrix(t, n, n, rows[row].entry), w = schur_values(t);
  const bool has_square = how == SCHUR_FORM || how == EIG_VECTORS;
  matrix square = how == EIG_VECTORS ? schur_vectors(t) : trial_other(t, n, n, entry_nans);
  double complex *whole = matrix_whole(&a);
  spectrum known = known_of(row, whole);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report};
  dap_error err = {0};
  EXPECT_OK(call(how, matrix_operand(&a), matrix_operand(&w),
                 has_square ? matrix_operand(&square) : (dap_darray){0}, &options, &err),
            &err);
  double complex *found = matrix_whole(&w);
  const double residual = schur_expect_values(names[how], &known, found, t->type->eps);
  if (is_real) expect_pairs(n, found);
  schur_expect_method(&report);
  expect_same(&a), expect_padding(&w), expect_padding(&square);
  EXPECT(has_square || expect_same(&square));
  log_trial(names[how], t, &report, residual);
  schur_spectrum_free(&known);
  free(found), free(whole);
  matrix_free(&square), matrix_free(&w), matrix_free(&a);
  SETTLE();
}

static trial trial_of(int row, int type)
{
  const int nprocs = test_nprocs(), grids[3][2] = {{nprocs, 1}, {1, nprocs}, {nprocs / 2, 2}};
  trial t = {.number = schur_number(row + type),
             .source = &sources[(row + type) % 3],
             .type = &element_types[type],
             .size = {rows[row].n, rows[row].n}};
  memcpy(t.grid, grids[(row + type) % (nprocs % 2 ? 2 : 3)], sizeof t.grid);
  return t;
}

static void name_case(int row, const trial *t, way how)
{
  TEST_CASE("%s, %d %s over %d x %d, %s", rows[row].why, (int)t->size[0], t->type->name, t->grid[0],
            t->grid[1], names[how]);
}

/* All types; of large matrices, which one process computes while the others wait, two ways each. */
static void by_lapack(void **state)
{
  (void)state;
  for (int row = 0; row < ROWS; row++)
    for (int type = 0; type < ELEMENT_TYPES; type++)
      for (way how = EIG_ALONE; how < WAYS; how++) {
        if (rows[row].n > LARGE && (test_scale() > 1 || row < ROWS - 2 || (row + type + (int)how) % 2))
          continue;
        const trial t = trial_of(row, type);
        name_case(row, &t, how);
        solve(&t, row, how);
      }
}

/* ---- that the comparison sees errors ------------------------------------------------------------------- */

static void errors_are_seen(void **state)
{
  (void)state;
  const int row = ROWS - 2; /* roots of unity */
  order = rows[row].n, is_real = true;
  double complex *whole = whole_make(order, order, rows[row].entry, &element_types[1]);
  spectrum known = known_of(row, whole);
  double complex *w = whole_copy(order, 1, known.values);
  EXPECT(schur_distance(&known, w, DBL_EPSILON) == 0);
  w[0] = known.values[7], w[7] = known.values[0];
  EXPECT(schur_distance(&known, w, DBL_EPSILON) == 0); /* another order */
  w[1] += 1e-9;
  EXPECT(schur_distance(&known, w, DBL_EPSILON) > 1e4);
  w[1] += known.values[0] - known.values[8], w[7] = known.values[8]; /* twice, and the sum as it was */
  EXPECT(schur_distance(&known, w, FLT_EPSILON) > 1e3);
  w[1] = NAN;
  EXPECT(schur_distance(&known, w, DBL_EPSILON) == INFINITY);
  for (int64_t k = 0; k < order; k++) w[k] = whole[k + k * order]; /* as if nothing were iterated */
  EXPECT(schur_distance(&known, w, FLT_EPSILON) > 1e4);
  schur_spectrum_free(&known);
  free(w), free(whole);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(errors_are_seen), cmocka_unit_test(by_lapack)};
LINALG_TEST_MAIN(tests)
