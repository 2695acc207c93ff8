/* dap_linalg_svd() by what singular vectors are, and against the singular values of serial LAPACK, with
 * matrices that are large enough for divide and conquer to divide; all memory is between guards. */
#include "guards.h"
#include "harness.h"

/* What is asked for: vectors; beside A, or elsewhere; options. */
enum { SVD_LEFT = 1, SVD_RIGHT = 2, SVD_ALIKE = 4, SVD_KEEP = 8, SVD_GESVD = 16, SVD_GESDD = 32 };

/* What was asked for, whole on every process; NULL: not asked for. */
typedef struct results {
  double complex *u, *s, *vt;
} results;

/* Whether LAPACK decomposes it on process 0: it is smaller than the grid, or has one row or column of two. */
static bool svd_is_tiny(const trial *t)
{
  const int64_t m = t->size[0], n = t->size[1], nprocs = test_nprocs();
  return (m < nprocs && n < nprocs) || m * n == 2;
}

/* Whether its rows, or those of its transpose, are factored first: there are four for each column and
 * process. */
static bool svd_is_tall(const trial *t)
{
  const int64_t m = t->size[0], n = t->size[1], k = m < n ? m : n;
  return k > 0 && (m > n ? m : n) >= 4 * k * test_nprocs();
}

/* With one kind of vectors only: the columns of U^H A, or of A V, have the singular values as lengths. */
static void check_lengths(const trial *t, const double complex *a, const results *r)
{
  const int64_t m = t->size[0], n = t->size[1], k = m < n ? m : n;
  double complex *x =
      r->u ? serial_multiply('C', 'N', k, n, m, r->u, a) : serial_multiply('N', 'C', m, k, n, a, r->vt);
  double complex *gram =
      r->u ? serial_multiply('N', 'C', k, k, n, x, x) : serial_multiply('C', 'N', k, k, m, x, x);
  double complex *want = calloc((size_t)(k * k) + 1, sizeof *want);
  for (int64_t i = 0; i < k; i++) want[i + i * k] = r->s[i] * r->s[i];
  const double norm = whole_norm('F', m, n, a);
  expect_residual("lengths", residual_difference(k, k, gram, want, norm * norm, m + n, t->type->eps));
  free(want), free(gram), free(x);
}

/* Orthonormal vectors, (m, k). Those of a tall matrix are so to some eps whatever its length: as far as nrm2
 * of a chunk's columns is right, which in single precision it is to some hundred eps. */
static void check_vectors(const trial *t, const char *what, int64_t m, int64_t k,
                          const double complex *vectors)
{
  const double residual = residual_orthogonal(m, k, vectors, t->type->eps);
  expect_residual(what, residual);
  if (svd_is_tall(t) && m > k) expect_residual(what, residual * (double)m / (40 * sqrt((double)k)));
}

static void check_results(const trial *t, const double complex *a, const results *r)
{
  const int64_t m = t->size[0], n = t->size[1], k = m < n ? m : n;
  const double eps = t->type->eps;
  double complex *want = serial_singular_values(m, n, a);
  const double norm = k > 0 ? creal(want[0]) : 0;
  expect_residual("singular values",
                  residual_difference(k, 1, r->s, want, norm > 0 ? norm : 1, m > n ? m : n, eps));
  for (int64_t i = 1; i < k; i++)
    EXPECT_MSG(creal(r->s[i]) <= creal(r->s[i - 1]), "value %d is larger than the one before", (int)i + 1);
  if (r->u) check_vectors(t, "U^H U - I", m, k, r->u);
  if (r->vt) {
    double complex *v = whole_op('C', k, n, r->vt);
    check_vectors(t, "V^H V - I", n, k, v);
    free(v);
  }
  if (r->u && r->vt)
    expect_residual("U S VT - A", residual_svd(m, n, a, r->u, r->s, r->vt, eps));
  else if (r->u || r->vt)
    check_lengths(t, a, r);
  free(want);
}

static void check_method(const trial *t, int how, const dap_linalg_report *report)
{
  const char *solver = how & SVD_GESVD ? "QR iteration" : "divide and conquer";
  char wanted[DAP_ERROR_TEXT];
  if (svd_is_tall(t))
    (void)snprintf(wanted, sizeof wanted, "QR of rows, %s of R on process 0", solver);
  else
    (void)snprintf(wanted, sizeof wanted, "%s", svd_is_tiny(t) ? "LAPACK on process 0" : solver);
  EXPECT_MSG(strcmp(report->method, wanted) == 0, "by %s", report->method);
}

/* A and the long vectors are used where they are if they lie alike, each row on one process. A is only read.
 * The short vectors come from process 0. */
static void check_tall_uses(const trial *t, int how, const dap_linalg_report *report, const matrix *a,
                            const matrix *u, const matrix *vt)
{
  const bool tall = t->size[0] > t->size[1], has_long = how & (tall ? SVD_LEFT : SVD_RIGHT);
  const bool whole_rows = t->grid[tall ? 1 : 0] == 1 && !source_is_listed(t->source);
  const int shared = whole_rows && (how & SVD_ALIKE || !has_long);
  EXPECT(expect_same(a));
  expect_use(report, 0, "A", a, how & SVD_ALIKE || !has_long ? shared : -1);
  if (how & SVD_LEFT) expect_use(report, 1, "U", u, !tall ? 0 : how & SVD_ALIKE ? shared : -1);
  if (how & SVD_RIGHT) expect_use(report, 3, "VT", vt, tall ? 0 : how & SVD_ALIKE ? shared : -1);
}

static matrix other_or_alike(const trial *t, int how, int64_t rows, int64_t cols)
{
  return how & SVD_ALIKE ? trial_matrix(t, rows, cols, entry_nans) : trial_other(t, rows, cols, entry_nans);
}

static void check_svd(const trial *t, int how, formula *entry)
{
  const int64_t m = t->size[0], n = t->size[1], k = m < n ? m : n;
  matrix a = trial_matrix(t, m, n, entry), u = {0}, s = trial_vector(t, k, true, entry_nans), vt = {0};
  if (how & SVD_LEFT) u = other_or_alike(t, how, m, k);
  if (how & SVD_RIGHT) vt = other_or_alike(t, how, k, n);
  double complex *whole = matrix_whole(&a);
  const dap_svd_solver solver = how & SVD_GESVD   ? DAP_SVD_GESVD
                                : how & SVD_GESDD ? DAP_SVD_GESDD
                                                  : DAP_SVD_AUTO;
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report, .keep = how & SVD_KEEP, .svd.solver = solver};
  dap_error err = {0};
  const dap_darray none = {0};
  EXPECT_OK(dap_linalg_svd(MPI_COMM_WORLD, matrix_operand(&a), how & SVD_LEFT ? matrix_operand(&u) : none,
                           matrix_operand(&s), how & SVD_RIGHT ? matrix_operand(&vt) : none, &options, &err),
            &err);
  const results r = {.u = how & SVD_LEFT ? matrix_whole(&u) : NULL,
                     .s = matrix_whole(&s),
                     .vt = how & SVD_RIGHT ? matrix_whole(&vt) : NULL};
  check_results(t, whole, &r);
  if (k > 0) check_method(t, how, &report);
  if (svd_is_tall(t)) {
    check_tall_uses(t, how, &report, &a, &u, &vt);
    expect_use(&report, 2, "S", &s, 0);
  } else if (k > 0) {
    const int shares = source_shares(t->source, t->size, t->grid);
    expect_use(&report, 0, "A", &a, how & SVD_KEEP ? 0 : shares);
    if (r.u) expect_use(&report, 1, "U", &u, how & SVD_ALIKE && shares == 1 ? 1 : -1);
    expect_use(&report, 2, "S", &s, 0);
    if (r.vt) expect_use(&report, 3, "VT", &vt, how & SVD_ALIKE && shares == 1 ? 1 : -1);
    expect_work(&a, &report.uses[0], how & SVD_KEEP,
                entry == entry_any && (m >= t->grid[0] * t->grid[1] || n >= t->grid[0] * t->grid[1]));
  }
  expect_padding(&a), expect_padding(&s);
  EXPECT(!r.u || expect_padding(&u));
  EXPECT(!r.vt || expect_padding(&vt));
  free(r.vt), free(r.s), free(r.u), free(whole);
  if (how & SVD_RIGHT) matrix_free(&vt);
  matrix_free(&s);
  if (how & SVD_LEFT) matrix_free(&u);
  matrix_free(&a);
}

/* ---- layouts and sizes --------------------------------------------------------------------------------- */

/* Writes at such distances from memory of 40 bytes are found. */
static void guards_are_looked_at(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    int64_t at;
    bool is_found;
  } rows[] = {{"the last byte", 39, false},
              {"one behind", 40, true},
              {"one before", -1, true},
              {"far behind", 9999, true},
              {"far before", -4096, true}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    guards_start();
    unsigned char *memory = calloc(5, 8);
    if (!EXPECT(memory)) continue;
    unsigned char *volatile anywhere = memory; /* sanitizers know what was allocated */
    anywhere[rows[i].at] = 1;
    free(memory);
    EXPECT(rows[i].is_found ? !test_quiet(guards_stop()) : guards_stop());
  }
  SETTLE();
}

static void everywhere(void **state)
{
  static const int hows[] = {SVD_LEFT | SVD_RIGHT | SVD_ALIKE,
                             SVD_LEFT | SVD_RIGHT | SVD_GESDD,
                             SVD_LEFT,
                             SVD_LEFT | SVD_RIGHT | SVD_ALIKE | SVD_GESVD,
                             SVD_RIGHT | SVD_GESVD,
                             0,
                             SVD_LEFT | SVD_RIGHT | SVD_ALIKE | SVD_KEEP};
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_ANY);) {
    guards_start();
    check_svd(&t, hows[t.number % 7], entry_any);
    (void)guards_stop();
    SETTLE();
  }
}

/* ---- all small extents --------------------------------------------------------------------------- */

static void small(void **state)
{
  enum { MOST = 7, ROWS = 3 };
  (void)state;
  static const int rows[ROWS] = {0, 1, 4};
  const int grids[2][2] = {{test_nprocs(), 1}, {1, test_nprocs()}};
  const int step = test_scale() > 1 ? 5 : 1; /* to all rows and types */
  for (int i = 0; i < MOST * MOST; i += step) {
    trial t = {.number = i, .source = &sources[rows[i % ROWS]], .type = &element_types[i % ELEMENT_TYPES]};
    t.size[0] = i / MOST + 1, t.size[1] = i % MOST + 1;
    memcpy(t.grid, grids[(i / 2) % 2], sizeof t.grid);
    TEST_CASE("%d x %d %s, %s over %d x %d", (int)t.size[0], (int)t.size[1], t.type->name, t.source->name,
              t.grid[0], t.grid[1]);
    guards_start();
    for (int how = 0; how <= (SVD_LEFT | SVD_RIGHT); how++)
      for (int solver = SVD_GESVD; solver <= SVD_GESDD; solver *= 2)
        check_svd(&t, how | solver | SVD_ALIKE, entry_any);
    (void)guards_stop();
    SETTLE();
  }
}

/* ---- larger ones --------------------------------------------------------------------------------------- */

static double complex entry_repeated(int64_t i, int64_t j) /* singular values 1, 2, 3, many times */
{
  return i == j ? (double)(i % 3 + 1) : 0;
}

static double complex entry_signs(int64_t i, int64_t j) /* of 64 rows: 8, 64 times; of others: clusters */
{
  int64_t common = i & j;
  for (int shift = 32; shift > 0; shift /= 2) common ^= common >> shift;
  return common & 1 ? -1 : 1;
}

static double complex entry_graded(int64_t i, int64_t j) /* sizes from 1 to 2^-40 */
{
  return entry_any(i, j) * exp2(-(double)(i % 21 + j % 21));
}

static double complex entry_bidiagonal(int64_t i, int64_t j) /* it splits where elements are 0 */
{
  return i == j ? 1 : j == i + 1 && i % 7 != 3 ? 0.5 : 0;
}

static double complex entry_minute(int64_t i, int64_t j) /* squares underflow in double precision */
{
  return entry_any(i, j) * 0x1p-500;
}

static double complex entry_vast(int64_t i, int64_t j)
{
  return entry_any(i, j) * 0x1p500;
}

static double complex entry_one(int64_t i, int64_t j)
{
  return i == 40 && j == 30 ? 1 : 0;
}

/* More than 25 singular values, below which LAPACK does not divide (SRC/ilaenv.f); and slender matrices,
 * which are factored first. */
static const struct {
  const char *why;
  int64_t size[2];
  formula *entry;
  bool wide_range; /* of double precision */
} larger[] = {
    {"square", {80, 80}, entry_any, false},
    {"higher", {97, 61}, entry_any, false},
    {"wider", {61, 97}, entry_any, false},
    {"tall", {150, 40}, entry_any, false},
    {"broad", {40, 150}, entry_any, false},
    {"a column", {90, 1}, entry_any, false},
    {"a row", {1, 90}, entry_any, false},
    {"repeated", {64, 64}, entry_repeated, false},
    {"all equal", {64, 64}, entry_signs, false},
    {"clusters", {75, 70}, entry_signs, false},
    {"graded", {70, 70}, entry_graded, false},
    {"graded, tall", {130, 50}, entry_graded, false},
    {"splits", {70, 72}, entry_bidiagonal, false},
    {"rank 2, larger", {70, 70}, entry_rank2, false},
    {"rank 2, broad", {50, 120}, entry_rank2, false},
    {"rank 1", {60, 60}, entry_one, false},
    {"zeros, tall", {100, 30}, entry_zero, false},
    {"minute", {60, 60}, entry_minute, true},
    {"minute, tall", {100, 40}, entry_minute, true},
    {"vast", {60, 60}, entry_vast, true},
    {"vast, broad", {40, 100}, entry_vast, true},
    {"identity", {64, 60}, entry_identity, false},
    {"singular", {64, 64}, entry_singular, false},
};

static void large_matrices(void **state)
{
  enum { ROWS = 5 };
  (void)state;
  static const int rows[ROWS] = {0, 1, 2, 4, 19};
  const int nprocs = test_nprocs(), grids[3][2] = {{nprocs, 1}, {1, nprocs}, {nprocs / 2, 2}};
  const int count = (int)(sizeof larger / sizeof larger[0]);
  for (int i = 0; i < count; i++) {
    const bool wide = larger[i].wide_range;
    trial t = {.number = i, .source = &sources[rows[i % ROWS]], .type = &element_types[i % ELEMENT_TYPES]};
    if (wide) t.type = &element_types[i % 2 ? 1 : 3];
    memcpy(t.size, larger[i].size, sizeof t.size);
    memcpy(t.grid, grids[i % (nprocs % 2 ? 2 : 3)], sizeof t.grid);
    TEST_CASE("%s: %d x %d %s, %s over %d x %d", larger[i].why, (int)t.size[0], (int)t.size[1], t.type->name,
              t.source->name, t.grid[0], t.grid[1]);
    check_svd(&t, SVD_LEFT | SVD_RIGHT | SVD_ALIKE, larger[i].entry);
    check_svd(&t, i % 3 == 0 ? SVD_LEFT : i % 3 == 1 ? SVD_RIGHT : 0, larger[i].entry);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(guards_are_looked_at),
                                          cmocka_unit_test(everywhere), cmocka_unit_test(small),
                                          cmocka_unit_test(large_matrices)};
MPI_TEST_MAIN(tests)
