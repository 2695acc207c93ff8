/* dap_linalg_schur() and dap_linalg_eig() of matrices whose eigenvalues are known: normal ones by formulas,
 * others by serial LAPACK. A trace would not do, as any similarity keeps it. Vectors, layouts and sizes of
 * elements are drawn by linalg_edges_spectra. */
#include "harness.h"

#include <dapbridge/linalg_schur.h>

/* ---- matrices ------------------------------------------------------------------------------------------ */

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

/* Rotations by known angles, one smaller: pairs of eigenvalues, some of them twice, that are not those of the
 * transpose's order. */
static double complex entry_rotations(int64_t i, int64_t j)
{
  const int64_t quarter = i / 4;
  const double angle = 0.5 + (double)quarter;
  if (i / 2 != j / 2) return i < j ? entry_any(i, j) / 8 : 0;
  return i == j ? cos(angle) : i < j ? sin(angle) : -sin(angle);
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
    {"rotations", 12, entry_rotations, NULL},
    {"random", 50, entry_any, NULL},
    {"roots of unity", 60, entry_shift, root},
    {"Hermitian", 64, entry_hermitian, NULL},
    {"circulant", 97, entry_circulant, value_circulant},
    {"imaginary", 101, entry_skew, value_skew},
    {"roots of unity, large", 300, entry_shift, root},
    {"random, large", 300, entry_any, NULL},
};
enum { ROWS = sizeof rows / sizeof rows[0], LARGE = 220 };

/* ---- eigenvalues --------------------------------------------------------------------------------------- */

/* What a matrix's eigenvalues are, and by how much changes of the matrix move each. */
typedef struct spectrum {
  int64_t n;
  double complex *values; /* [n] in no order */
  double *sensitivity;    /* [n] 1 of normal matrices */
  double norm;            /* of the matrix, 'F' */
} spectrum;

static spectrum known_of(int row, const double complex *whole)
{
  const int64_t n = rows[row].n;
  spectrum s = {.n = n, .norm = whole_norm('F', n, n, whole)};
  s.sensitivity = calloc((size_t)n, sizeof *s.sensitivity);
  if (!rows[row].value) {
    s.values = serial_general_eigenvalues(n, whole, s.sensitivity);
    return s;
  }
  s.values = calloc((size_t)n, sizeof *s.values);
  for (int64_t k = 0; k < n; k++) s.values[k] = rows[row].value(k), s.sensitivity[k] = 1;
  return s;
}

static void free_spectrum(spectrum *s)
{
  free(s->values), free(s->sensitivity);
}

/* The nearest value that has no partner yet; -1: none, as of NaN and infinity. */
static int64_t partner(const spectrum *s, double complex value, const bool taken[])
{
  int64_t nearest = -1;
  double least = INFINITY;
  for (int64_t k = 0; k < s->n; k++)
    if (!taken[k] && cabs(s->values[k] - value) < least) nearest = k, least = cabs(s->values[k] - value);
  return nearest;
}

/* How far w [n] are from the values, each of which they must be once: the largest distance in units of what
 * a change of the matrix by eps explains; infinity if one is not finite. */
static double distance(const spectrum *s, const double complex *w, double eps)
{
  bool *taken = calloc((size_t)(s->n > 0 ? s->n : 1), sizeof *taken);
  double worst = 0;
  for (int64_t j = 0; j < s->n; j++) {
    const int64_t k = partner(s, w[j], taken);
    if (k < 0) {
      worst = INFINITY;
      break;
    }
    taken[k] = true;
    const double off = cabs(w[j] - s->values[k]);
    if (off > 0) worst = fmax(worst, off / (s->norm * s->sensitivity[k] * eps));
  }
  free(taken);
  return worst;
}

static void expect_values(const spectrum *s, const double complex *w, double eps)
{
  enum { LIMIT = 30 }; /* a backward stable algorithm changes A by a few eps ||A|| */
  const double off = distance(s, w, eps);
  EXPECT_MSG(off <= LIMIT, "an eigenvalue is off by %.3g of its units", off);
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

/* T is upper triangular, or with blocks of 2 x 2 that stand for pairs; W is what its diagonal says. */
static void check_t(const trial *t, const double complex *T, const double complex *w)
{
  const int64_t n = t->size[0];
  const double room = 100 * t->type->eps * (whole_norm('F', n, n, T) + 1);
  for (int64_t j = 0; j < n; j++) {
    const double complex below = j + 1 < n ? T[j + 1 + j * n] : 0;
    for (int64_t i = j + 2; i < n; i++) EXPECT_MSG(T[i + j * n] == 0, "T(%d, %d) is not 0", (int)i, (int)j);
    if (t->type->is_complex || below == 0) {
      EXPECT_MSG(t->type->is_complex == false || below == 0, "T(%d, %d) is not 0", (int)j + 1, (int)j);
      EXPECT_MSG(cabs(w[j] - T[j + j * n]) <= room, "W[%d] is not on T's diagonal", (int)j);
      continue;
    }
    const double imaginary = sqrt(fabs(creal(below))) * sqrt(fabs(creal(T[j + (j + 1) * n])));
    EXPECT_MSG(cabs(w[j] - CMPLX(creal(T[j + j * n]), imaginary)) <= room, "W[%d]", (int)j);
    EXPECT_MSG(w[j + 1] == conj(w[j]) && cimag(w[j]) > 0, "W[%d] and the next are no pair", (int)j);
    EXPECT_MSG(j + 2 >= n || T[j + 2 + (j + 1) * n] == 0, "two blocks overlap at %d", (int)j);
    j++;
  }
}

/* ---- the calls ----------------------------------------------------------------------------------------- */

typedef enum way { EIG_ALONE, SCHUR_ALONE, SCHUR_FORM, EIG_VECTORS, WAYS } way;
static const char *const names[] = {"eig, values", "schur, values", "schur, T", "eig, V"};

static dap_status call(way how, dap_darray a, dap_darray w, dap_darray square, const dap_linalg_options *o,
                       dap_error *err)
{
  const dap_darray none = {0};
  if (how == EIG_ALONE || how == EIG_VECTORS) return dap_linalg_eig(MPI_COMM_WORLD, a, w, square, o, err);
  return dap_linalg_schur(MPI_COMM_WORLD, a, square, none, w, o, err);
}

static void solve(const trial *t, int row, way how)
{
  const int64_t n = t->size[0];
  trial wide = *t;
  wide.type = element_type_of(t->type->real == DAP_F4 ? DAP_C8 : DAP_C16);
  order = n, is_real = !t->type->is_complex;
  matrix a = trial_matrix(t, n, n, rows[row].entry), w = trial_vector(&wide, n, false, entry_nans);
  const bool has_square = how == SCHUR_FORM || how == EIG_VECTORS;
  matrix square = trial_other(how == EIG_VECTORS ? &wide : t, n, n, entry_nans);
  double complex *whole = matrix_whole(&a);
  spectrum known = known_of(row, whole);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report};
  dap_error err = {0};
  EXPECT_OK(call(how, matrix_operand(&a), matrix_operand(&w),
                 has_square ? matrix_operand(&square) : (dap_darray){0}, &options, &err),
            &err);
  double complex *found = matrix_whole(&w), *form = matrix_whole(&square);
  expect_values(&known, found, t->type->eps);
  if (is_real) expect_pairs(n, found);
  if (how == SCHUR_FORM) check_t(t, form, found);
  EXPECT_MSG(strcmp(report.method, "LAPACK on process 0") == 0, "by %s", report.method);
  expect_use(&report, 0, "A", &a, 0);
  expect_same(&a), expect_padding(&w);
  EXPECT(has_square ? expect_padding(&square) : expect_same(&square));
  free_spectrum(&known);
  free(form), free(found), free(whole);
  matrix_free(&square), matrix_free(&w), matrix_free(&a);
}

/* A trial's number with which results lie in no lists, of which tests have short ones only. */
static int number_of(int i)
{
  static const int numbers[] = {0, 1, 3, 4, 5, 6, 7};
  return numbers[i % (int)(sizeof numbers / sizeof *numbers)];
}

/* All types; of large matrices, which one process computes while the others wait, two ways each. */
static void eigenvalues(void **state)
{
  (void)state;
  const int nprocs = test_nprocs(), grids[3][2] = {{nprocs, 1}, {1, nprocs}, {nprocs / 2, 2}};
  for (int i = 0; i < ROWS * ELEMENT_TYPES * WAYS; i++) {
    const int row = i / ELEMENT_TYPES / WAYS, type = i / WAYS % ELEMENT_TYPES;
    const way how = (way)(i % WAYS);
    if (rows[row].n > LARGE && (test_scale() > 1 || (row + type + i) % 2)) continue;
    trial t = {.number = number_of(row + type),
               .source = &sources[(row + type) % 3],
               .type = &element_types[type],
               .size = {rows[row].n, rows[row].n}};
    memcpy(t.grid, grids[(row + type) % (nprocs % 2 ? 2 : 3)], sizeof t.grid);
    TEST_CASE("%s, %d %s over %d x %d, %s", rows[row].why, (int)t.size[0], t.type->name, t.grid[0], t.grid[1],
              names[how]);
    solve(&t, row, how);
    SETTLE();
  }
}

/* ---- an eigenvalue beyond the type's range ------------------------------------------------------------- */

static bool is_single;

static double complex entry_vast(int64_t i, int64_t j) /* one eigenvalue is n times as large */
{
  (void)i, (void)j;
  return is_single ? 0x1p127 : 0x1p1023;
}

static void too_large(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    is_single = i == 0;
    const trial t = {.source = &sources[0], .type = &element_types[i], .grid = {test_nprocs(), 1}};
    trial wide = t;
    wide.type = &element_types[i + 2];
    TEST_CASE("%s", t.type->name);
    matrix a = trial_matrix(&t, 8, 8, entry_vast), form = trial_other(&t, 8, 8, entry_nans),
           w = trial_vector(&wide, 8, false, entry_nans);
    dap_error err = {0};
    const dap_status status = dap_linalg_schur(MPI_COMM_WORLD, matrix_operand(&a), matrix_operand(&form),
                                               (dap_darray){0}, matrix_operand(&w), NULL, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_NUMERIC, "exceed|range|float");
    EXPECT(expect_same(&a) && expect_same(&w));
    matrix_free(&w), matrix_free(&form), matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(eigenvalues), cmocka_unit_test(too_large)};
MPI_TEST_MAIN(tests)
