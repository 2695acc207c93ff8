/* The functions of linalg_banded.h against the matrix that the band stands for. */
#include "harness.h"

#include <dapbridge/linalg_banded.h>

/* ---- band matrices ----------------------------------------------------------------------------------- */

/* The matrix of the trial: `entry` in the band, else 0. Formulas have no arguments of their own. */
static struct {
  int64_t n, lower, upper;
  formula *entry;
} band;

static double complex entry_dense(int64_t i, int64_t j)
{
  return i - j <= band.lower && j - i <= band.upper ? band.entry(i, j) : 0;
}

/* What AB holds; NaN where it stands for no element. */
static double complex entry_band(int64_t row, int64_t j)
{
  const int64_t i = row + j - band.upper;
  return i >= 0 && i < band.n ? band.entry(i, j) : CMPLX(NAN, NAN);
}

static double complex entry_below(int64_t k, int64_t j)
{
  (void)j;
  return band.entry(k + 1, k);
}

static double complex entry_main(int64_t k, int64_t j)
{
  (void)j;
  return band.entry(k, k);
}

static double complex entry_above(int64_t k, int64_t j)
{
  (void)j;
  return band.entry(k, k + 1);
}

/* Hermitian, and positive definite with up to 7 diagonals on either side; what is above or below the diagonal
 * is the conjugate of the other, and the diagonal has imaginary parts that must not be read. */
static double complex entry_strong(int64_t i, int64_t j)
{
  return i == j ? 24 + entry_any(i, i) : entry_hermitian(i, j);
}

static double complex entry_strong_real(int64_t i, int64_t j)
{
  return i == j ? creal(entry_strong(i, j)) : entry_strong(i, j);
}

/* No solution without pivots: zeros on the diagonal, and 1 more beside it. */
static double complex entry_hollow(int64_t i, int64_t j)
{
  return i == j ? 0 : entry_any(i, j) + (i == j + 1 || j == i + 1 ? 2 : 0);
}

/* ---- one system ---------------------------------------------------------------------------------------- */

typedef enum kind { BANDED, LOWER, UPPER, THREE, POSITIVE_THREE, KINDS } kind;

static const char *const names[KINDS] = {"banded", "positive, L", "positive, U", "tridiagonal",
                                         "positive, 3"};

enum { MOST_OPERANDS = 4 };

typedef struct band_system {
  kind kind;
  matrix of[MOST_OPERANDS]; /* the last one is B */
  int count;
} band_system;

static int64_t one_less(int64_t n)
{
  return n > 0 ? n - 1 : 0;
}

static bool is_positive(kind k)
{
  return k == LOWER || k == UPPER || k == POSITIVE_THREE;
}

/* Diagonals for the kind; what is the same for all: `band`. */
static void choose_band(kind k, int64_t n, int64_t lower, int64_t upper, formula *entry)
{
  band.n = n, band.entry = entry;
  band.lower = k == THREE || k == POSITIVE_THREE ? 1 : lower;
  band.upper = k == THREE || k == POSITIVE_THREE ? 1 : is_positive(k) ? lower : upper;
}

/* A's operands on the trial's source, or vector sources; B is there, too, or a vector with nrhs < 0. */
static band_system make_system(kind k, const trial *t, int64_t nrhs)
{
  band_system s = {.kind = k};
  const int64_t n = band.n, below = k == UPPER ? 0 : band.lower, above = k == LOWER ? 0 : band.upper;
  const int64_t kept = band.upper;
  trial moved = *t;
  if (k == THREE || k == POSITIVE_THREE) {
    if (k == THREE) s.of[s.count++] = trial_vector(t, one_less(n), false, entry_below);
    moved.number += 3;
    s.of[s.count++] = trial_vector(&moved, n, false, entry_main);
    moved.number += 3;
    s.of[s.count++] = trial_vector(&moved, one_less(n), false, k == THREE ? entry_above : entry_below);
  } else {
    band.upper = above; /* as entry_band() wants it */
    s.of[s.count++] = trial_matrix(t, below + above + 1, n, entry_band);
    band.upper = kept;
  }
  s.of[s.count++] = nrhs < 0             ? trial_vector(t, n, false, entry_any)
                    : t->number % 3 == 0 ? trial_other(t, n, nrhs, entry_any)
                                         : trial_matrix(t, n, nrhs, entry_any);
  return s;
}

static dap_status solve(band_system *s, const dap_linalg_options *o, dap_error *err)
{
  dap_darray of[MOST_OPERANDS];
  for (int i = 0; i < s->count; i++) of[i] = matrix_operand(&s->of[i]);
  switch (s->kind) {
  case BANDED:
    return dap_linalg_banded_solve(MPI_COMM_WORLD, band.lower, band.upper, of[0], of[1], o, err);
  case THREE:
    return dap_linalg_tridiagonal_solve(MPI_COMM_WORLD, of[0], of[1], of[2], of[3], o, err);
  case POSITIVE_THREE:
    return dap_linalg_positive_tridiagonal_solve(MPI_COMM_WORLD, of[0], of[1], of[2], o, err);
  default:
    return dap_linalg_positive_banded_solve(MPI_COMM_WORLD, s->kind == LOWER ? 'L' : 'U', of[0], of[1], o,
                                            err);
  }
}

static void free_system(band_system *s)
{
  for (int i = 0; i < s->count; i++) matrix_free(&s->of[i]);
}

/* Makes a system, solves it, and checks all that the call has touched. */
static void check(kind k, const trial *t, int64_t nrhs)
{
  static const char *const operands[KINDS][MOST_OPERANDS] = {
      {"AB", "B"}, {"AB", "B"}, {"AB", "B"}, {"DL", "D", "DU", "B"}, {"D", "E", "B"}};
  band_system s = make_system(k, t, nrhs);
  matrix *b = &s.of[s.count - 1];
  formula *const given = band.entry;
  if (is_positive(k)) band.entry = entry_strong_real;
  double complex *a = whole_make(band.n, band.n, entry_dense, t->type), *whole_b = matrix_whole(b);
  band.entry = given;
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report, .keep = t->number % 5 == 0};
  dap_error err = {.rank = -7};
  EXPECT_OK(solve(&s, &options, &err), &err);
  double complex *x = matrix_whole(b);
  const double r = residual_solve('N', band.n, b->size[1], a, x, whole_b, t->type->eps);
  expect_residual("A X - B", r);
  EXPECT_INT(report.count, s.count);
  EXPECT_INT(report.info, 0);
  for (int i = 0; i < s.count; i++) {
    const bool idle = b->size[0] * b->size[1] == 0;
    expect_use(&report, i, operands[k][i], idle ? NULL : &s.of[i], 0);
    if (i < s.count - 1) expect_same(&s.of[i]);
    expect_padding(&s.of[i]);
  }
  log_trial(names[k], t, &report, r);
  free(x), free(whole_b), free(a);
  free_system(&s);
  SETTLE();
}

/* ---- every layout ---------------------------------------------------------------------------------------
 */

static const int64_t widths[][2] = {{1, 1}, {0, 0}, {2, 1}, {0, 3}, {3, 0}, {1, 4}, {4, 2}, {7, 7}};
enum { WIDTHS = sizeof widths / sizeof widths[0] };

static formula *entry_for(kind k, int number)
{
  static formula *const general[] = {entry_any, entry_dominant, entry_hollow};
  if (is_positive(k)) return entry_strong;
  return general[number % 3];
}

/* A tridiagonal matrix with zeros on its diagonal is singular where its order is odd. */
static bool is_singular(kind k, int64_t n, formula *entry)
{
  return entry == entry_hollow && (n < 2 || k == THREE || band.lower + band.upper < 3) && n % 2 == 1;
}

static void everywhere(kind k)
{
  static const int64_t columns[] = {3, 1, 0, 20, -1};
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    const int64_t *width = widths[(t.number + t.number / WIDTHS) % WIDTHS];
    choose_band(k, t.size[0], width[0], width[1], entry_for(k, t.number));
    if (band.entry == entry_hollow &&
        (band.lower == 0 || band.upper == 0 || is_singular(k, t.size[0], band.entry)))
      band.entry = entry_dominant;
    check(k, &t, columns[t.number % 5]);
  }
}

static void banded(void **state)
{
  (void)state;
  everywhere(BANDED);
}

static void positive(void **state)
{
  (void)state;
  everywhere(LOWER);
  everywhere(UPPER);
}

static void tridiagonal(void **state)
{
  (void)state;
  everywhere(THREE);
  everywhere(POSITIVE_THREE);
}

/* ---- every size -----------------------------------------------------------------------------------------
 */

static trial plain(int number, int64_t n)
{
  return (trial){.number = number,
                 .source = &sources[number % 2],
                 .type = &element_types[number % ELEMENT_TYPES],
                 .size = {n, n},
                 .grid = {1, test_nprocs()}};
}

/* Blocks as short as they come, last ones shorter: from fewer columns than processes on. */
static void every_size(void **state)
{
  (void)state;
  int number = 1;
  for (int64_t n = 1; n<60; n += test_scale()> 1 ? 5 : 1) {
    for (int w = 0; w < WIDTHS; w++, number++) {
      const kind k = (kind)((number / 3) % KINDS);
      const trial t = plain(number, n);
      choose_band(k, n, widths[w][0], widths[w][1], is_positive(k) ? entry_strong : entry_dominant);
      TEST_CASE("%s, n = %d, %d and %d diagonals, %s", names[k], (int)n, (int)band.lower, (int)band.upper,
                t.type->name);
      check(k, &t, number % 4);
    }
  }
}

/* More diagonals than the matrix has, and bands that are nearly full. */
static void wide(void **state)
{
  (void)state;
  static const int64_t wides[][3] = {{1, 3, 2},    {2, 5, 0},  {3, 0, 9},  {6, 5, 5},
                                     {40, 39, 39}, {90, 7, 8}, {300, 9, 2}};
  for (size_t i = 0; i < sizeof wides / sizeof wides[0]; i++) {
    const trial t = plain((int)i, wides[i][0]);
    TEST_CASE("n = %d, %d and %d diagonals", (int)wides[i][0], (int)wides[i][1], (int)wides[i][2]);
    choose_band(BANDED, wides[i][0], wides[i][1], wides[i][2], entry_any);
    check(BANDED, &t, 2);
    for (kind k = LOWER; k <= UPPER && wides[i][0] < 10; k++) {
      choose_band(k, wides[i][0], wides[i][1], wides[i][1], entry_strong);
      check(k, &t, 2);
    }
  }
}

/* ---- no solution ----------------------------------------------------------------------------------------
 */

enum { LONG = 120 };
static int64_t gap;

static double complex entry_gap(int64_t i, int64_t j)
{
  return j == gap ? 0 : entry_dominant(i, j);
}

static double complex entry_weak(int64_t i, int64_t j)
{
  return i == gap && j == gap ? -24 : entry_strong(i, j);
}

static double complex entry_bad(int64_t i, int64_t j)
{
  return i == gap && j == gap ? NAN : entry_strong(i, j);
}

static void expect_failure(kind k, int number, formula *entry, const char *parts, int64_t least)
{
  const trial t = plain(number, LONG);
  choose_band(k, LONG, 2, 2, entry);
  TEST_CASE("%s, %s: at %d", names[k], parts, (int)gap);
  band_system s = make_system(k, &t, 2);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report};
  dap_error err = {0};
  expect_same_error(MPI_COMM_WORLD, solve(&s, &options, &err), &err, DAP_ERR_NUMERIC, parts);
  EXPECT_MSG(report.info >= least && report.info <= (least > 0 ? LONG : 0), "info is %d", (int)report.info);
  for (int i = 0; i < s.count; i++) expect_same(&s.of[i]);
  free_system(&s);
  SETTLE();
}

/* A column of zeros, and a diagonal element that is too small, within blocks and where they meet. */
static void no_solution(void **state)
{
  (void)state;
  for (gap = 0; gap < LONG; gap += gap % 20 == 17 ? 1 : 7) {
    expect_failure(BANDED, (int)gap, entry_gap, "A is singular|linearly dependent", gap + 1);
    expect_failure(THREE, (int)gap, entry_gap, "A is singular|linearly dependent", gap + 1);
    for (kind k = LOWER; k < KINDS; k++)
      if (k != THREE) expect_failure(k, (int)gap, entry_weak, "A is not positive definite|leading", gap + 1);
  }
  /* and the next one is right */
  for (int i = 0; i < KINDS; i++) {
    const trial t = plain(i, LONG);
    TEST_CASE("after failures: %s", names[i]);
    choose_band((kind)i, LONG, 2, 2, is_positive((kind)i) ? entry_strong : entry_any);
    check((kind)i, &t, 2);
  }
}

static void not_finite(void **state)
{
  (void)state;
  char parts[60];
  gap = LONG / 3;
  snprintf(parts, sizeof parts, "A has an element that is not finite|(%d, %d)", (int)gap, (int)gap);
  for (int k = 0; k < KINDS; k++) expect_failure((kind)k, k, entry_bad, parts, 0);
}

/* NaN in one right-hand side is none of the others'. */
static void unknown_right_side(void **state)
{
  (void)state;
  for (int k = 0; k < KINDS; k++) {
    const trial t = plain(1 + 2 * k, LONG);
    TEST_CASE("NaN in B: %s", names[k]);
    choose_band((kind)k, LONG, 2, 2, is_positive((kind)k) ? entry_strong : entry_dominant);
    band_system s = make_system((kind)k, &t, 2);
    matrix *b = &s.of[s.count - 1];
    matrix_set(b, 5, 0, NAN);
    dap_error err = {0};
    EXPECT_OK(solve(&s, NULL, &err), &err);
    double complex *x = matrix_whole(b);
    EXPECT_MSG(isnan(creal(x[5])), "X[5, 0] is %g", creal(x[5]));
    for (int64_t i = 0; i < LONG; i++)
      EXPECT_MSG(isfinite(creal(x[LONG + i])), "X[%d, 1] is not finite", (int)i);
    free(x);
    free_system(&s);
    SETTLE();
  }
}

/* ---- what is refused ------------------------------------------------------------------------------------
 */

typedef struct refusal {
  const char *why;
  kind kind;
  int64_t rows, n, lower, upper, rows_b; /* of AB; tridiagonal: of the first operand; B's */
  bool other_type;                       /* B's */
  dap_sharing sharing;
  dap_status status;
  const char *parts;
} refusal;

static const refusal refusals[] = {
    {"too few rows", BANDED, 3, 9, 1, 2, 9, false, 0, DAP_ERR_ARG, "AB has 3 rows|lower 1|upper 2"},
    {"too many rows", BANDED, 5, 9, 1, 2, 9, false, 0, DAP_ERR_ARG, "AB has 5 rows"},
    {"lower below 0", BANDED, 3, 9, -1, 3, 9, false, 0, DAP_ERR_ARG, "lower is -1|at least 0"},
    {"upper below 0", BANDED, 3, 9, 3, -1, 9, false, 0, DAP_ERR_ARG, "upper -1|at least 0"},
    {"very many diagonals", BANDED, 3, 9, INT64_MAX, INT64_MAX, 9, false, 0, DAP_ERR_ARG, "AB has 3 rows"},
    {"B too long", BANDED, 3, 9, 1, 1, 10, false, 0, DAP_ERR_ARG, "B must be 9 x 2|10 x 2"},
    {"B of another type", BANDED, 3, 9, 1, 1, 9, true, 0, DAP_ERR_BUFFER, "B|AB"},
    {"shared or not at all", BANDED, 3, 9, 1, 1, 9, false, DAP_SHARE_OR_FAIL, DAP_ERR_SHARE,
     "AB must be moved"},
    {"no main diagonal", LOWER, 0, 9, 0, 0, 9, false, 0, DAP_ERR_ARG, "AB has no rows"},
    {"B too short", UPPER, 3, 9, 0, 0, 8, false, 0, DAP_ERR_ARG, "B must be 9 x 2|8 x 2"},
    {"DL too long", THREE, 9, 9, 0, 0, 9, false, 0, DAP_ERR_ARG, "DL must be 8 x 1|9 x 1"},
    {"E too long", POSITIVE_THREE, 9, 9, 0, 0, 9, false, 0, DAP_ERR_ARG, "E must be 8 x 1|9 x 1"},
};

static void refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    const refusal *r = &refusals[i];
    TEST_CASE("%s", r->why);
    const int grid[2] = {1, test_nprocs()};
    const element_type *type = &element_types[i % ELEMENT_TYPES],
                       *type_b = &element_types[(i + r->other_type) % ELEMENT_TYPES];
    const source *on = &sources[0], *line = &vector_sources[0];
    const int64_t first[2] = {r->rows, r->kind >= THREE ? 1 : r->n}, main[2] = {r->n, 1},
                  beside[2] = {r->n - 1, 1};
    const bool three = r->kind >= THREE;
    const int along[2] = {test_nprocs(), 1};
    matrix a = matrix_make(three ? line : on, type, three ? 1 : 2, first, three ? along : grid, entry_any);
    matrix d = matrix_make(line, type, 1, main, along, entry_any);
    matrix u = matrix_make(line, type, 1, beside, along, entry_any);
    matrix b = matrix_make(on, type_b, 2, (const int64_t[2]){r->rows_b, 2}, grid, entry_any);
    const dap_linalg_options o = {.sharing = r->sharing};
    dap_error err = {0};
    dap_status s = DAP_OK;
    const dap_darray of[4] = {matrix_operand(&a), matrix_operand(&d), matrix_operand(&u), matrix_operand(&b)};
    if (r->kind == BANDED)
      s = dap_linalg_banded_solve(MPI_COMM_WORLD, r->lower, r->upper, of[0], of[3], &o, &err);
    else if (r->kind == THREE)
      s = dap_linalg_tridiagonal_solve(MPI_COMM_WORLD, of[0], of[1], of[2], of[3], &o, &err);
    else if (r->kind == POSITIVE_THREE)
      s = dap_linalg_positive_tridiagonal_solve(MPI_COMM_WORLD, of[1], of[0], of[3], &o, &err);
    else
      s = dap_linalg_positive_banded_solve(MPI_COMM_WORLD, r->kind == LOWER ? 'L' : 'U', of[0], of[3], &o,
                                           &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, r->status, r->parts);
    EXPECT(expect_same(&a) && expect_same(&d) && expect_same(&u) && expect_same(&b));
    matrix_free(&b), matrix_free(&u), matrix_free(&d), matrix_free(&a);
    SETTLE();
  }
}

/* Numbers that differ between processes are told, too. */
static void differing(void **state)
{
  (void)state;
  if (test_nprocs() == 1) return;
  const int grid[2] = {1, test_nprocs()};
  const int64_t size[2] = {4, 9}, side[2] = {9, 2};
  matrix a = matrix_make(&sources[0], &element_types[1], 2, size, grid, entry_any);
  matrix b = matrix_make(&sources[0], &element_types[1], 2, side, grid, entry_any);
  const int last = test_rank() == test_nprocs() - 1;
  dap_error err = {0};
  const dap_status s = dap_linalg_banded_solve(MPI_COMM_WORLD, 1 + last, 2 - last, matrix_operand(&a),
                                               matrix_operand(&b), NULL, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "lower");
  matrix_free(&b), matrix_free(&a);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(banded),      cmocka_unit_test(positive),
                                          cmocka_unit_test(tridiagonal), cmocka_unit_test(every_size),
                                          cmocka_unit_test(wide),        cmocka_unit_test(no_solution),
                                          cmocka_unit_test(not_finite),  cmocka_unit_test(unknown_right_side),
                                          cmocka_unit_test(refused),     cmocka_unit_test(differing)};
LINALG_TEST_MAIN(tests)
