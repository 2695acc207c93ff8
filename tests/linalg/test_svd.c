/* dap_linalg_svd() by what singular vectors are, and against the singular values of serial LAPACK. */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

enum { LEFT = 1, RIGHT = 2, ALIKE = 4, KEEP = 8 };

/* What was asked for, whole on every process; NULL: not asked for. */
typedef struct results {
  double complex *u, *s, *vt;
} results;

/* With one kind of vectors only: the columns of U^H A, or of A V, have the singular values as lengths. */
static double check_lengths(const trial *t, const double complex *a, const results *r)
{
  const int64_t m = t->size[0], n = t->size[1], k = m < n ? m : n;
  double complex *x =
      r->u ? serial_multiply('C', 'N', k, n, m, r->u, a) : serial_multiply('N', 'C', m, k, n, a, r->vt);
  double complex *gram =
      r->u ? serial_multiply('N', 'C', k, k, n, x, x) : serial_multiply('C', 'N', k, k, m, x, x);
  double complex *want = calloc((size_t)(k * k) + 1, sizeof *want);
  for (int64_t i = 0; i < k; i++) want[i + i * k] = r->s[i] * r->s[i];
  const double norm = whole_norm('F', m, n, a);
  const double residual = residual_difference(k, k, gram, want, norm * norm, m + n, t->type->eps);
  expect_residual("lengths", residual);
  free(want), free(gram), free(x);
  return residual;
}

static double check_results(const trial *t, const double complex *a, const results *r)
{
  const int64_t m = t->size[0], n = t->size[1], k = m < n ? m : n;
  const double eps = t->type->eps;
  double complex *want = serial_singular_values(m, n, a);
  const double norm = k > 0 ? creal(want[0]) : 0;
  double residual = residual_difference(k, 1, r->s, want, norm > 0 ? norm : 1, m > n ? m : n, eps);
  expect_residual("singular values", residual);
  for (int64_t i = 1; i < k; i++)
    EXPECT_MSG(creal(r->s[i]) <= creal(r->s[i - 1]), "value %d is larger than the one before", (int)i + 1);
  if (r->u) expect_residual("U^H U - I", residual_orthogonal(m, k, r->u, eps));
  if (r->vt) {
    double complex *v = whole_op('C', k, n, r->vt);
    expect_residual("V^H V - I", residual_orthogonal(n, k, v, eps));
    free(v);
  }
  if (r->u && r->vt) {
    residual = residual_svd(m, n, a, r->u, r->s, r->vt, eps);
    expect_residual("U S VT - A", residual);
  } else if (r->u || r->vt) {
    residual = check_lengths(t, a, r);
  }
  free(want);
  return residual;
}

static matrix other_or_alike(const trial *t, int how, int64_t rows, int64_t cols)
{
  return how & ALIKE ? trial_matrix(t, rows, cols, entry_nans) : trial_other(t, rows, cols, entry_nans);
}

static void check(const trial *t, int how, formula *entry, const char *name)
{
  const int64_t m = t->size[0], n = t->size[1], k = m < n ? m : n;
  matrix a = trial_matrix(t, m, n, entry), u = {0}, s = trial_vector(t, k, true, entry_nans), vt = {0};
  if (how & LEFT) u = other_or_alike(t, how, m, k);
  if (how & RIGHT) vt = other_or_alike(t, how, k, n);
  double complex *whole = matrix_whole(&a);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report, .keep = how & KEEP};
  dap_error err = {0};
  const dap_darray none = {0};
  EXPECT_OK(dap_linalg_svd(MPI_COMM_WORLD, matrix_operand(&a), how & LEFT ? matrix_operand(&u) : none,
                           matrix_operand(&s), how & RIGHT ? matrix_operand(&vt) : none, &options, &err),
            &err);
  const results r = {.u = how & LEFT ? matrix_whole(&u) : NULL,
                     .s = matrix_whole(&s),
                     .vt = how & RIGHT ? matrix_whole(&vt) : NULL};
  const double residual = check_results(t, whole, &r);
  if (k > 0) {
    const int shares = source_shares(t->source, t->size, t->grid);
    expect_use(&report, 0, "A", &a, how & KEEP ? 0 : shares);
    if (r.u) expect_use(&report, 1, "U", &u, how & ALIKE && shares == 1 ? 1 : -1);
    expect_use(&report, 2, "S", &s, 0);
    if (r.vt) expect_use(&report, 3, "VT", &vt, how & ALIKE && shares == 1 ? 1 : -1);
    expect_work(&a, &report.uses[0], how & KEEP,
                entry == entry_any && (m >= t->grid[0] * t->grid[1] || n >= t->grid[0] * t->grid[1]));
  }
  expect_padding(&a), expect_padding(&s);
  EXPECT(!r.u || expect_padding(&u));
  EXPECT(!r.vt || expect_padding(&vt));
  log_trial(name, t, &report, residual);
  free(r.vt), free(r.s), free(r.u), free(whole);
  if (how & RIGHT) matrix_free(&vt);
  matrix_free(&s);
  if (how & LEFT) matrix_free(&u);
  matrix_free(&a);
}

static void everywhere(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_ANY);) {
    const int keep = t.number % 7 == 0 ? KEEP : 0;
    check(&t, LEFT | RIGHT | ALIKE | keep, entry_any, "svd");
    if (t.number % 2) check(&t, LEFT | RIGHT, entry_any, "svd elsewhere");
    if (t.number % 3 == 0) check(&t, t.number % 2 ? LEFT : RIGHT, entry_any, "svd, one kind");
    if (t.number % 4 == 0) check(&t, keep, entry_any, "svd, values");
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
  for (int i = 0; i < MOST * MOST; i++) {
    trial t = {.number = i, .source = &sources[rows[i % ROWS]], .type = &element_types[i % ELEMENT_TYPES]};
    t.size[0] = i / MOST + 1, t.size[1] = i % MOST + 1;
    memcpy(t.grid, grids[(i / 2) % 2], sizeof t.grid);
    TEST_CASE("%d x %d %s, %s over %d x %d", (int)t.size[0], (int)t.size[1], t.type->name, t.source->name,
              t.grid[0], t.grid[1]);
    for (int how = 0; how <= (LEFT | RIGHT); how++) check(&t, how | ALIKE, entry_any, "svd, small");
    SETTLE();
  }
}

/* ---- special matrices ---------------------------------------------------------------------------- */

static double complex entry_small(int64_t i, int64_t j) /* below where single precision needs scaling */
{
  return entry_any(i, j) * 0x1p-90;
}

static double complex entry_large(int64_t i, int64_t j)
{
  return entry_any(i, j) * 0x1p50;
}

static const struct {
  const char *why;
  formula *entry;
} specials[] = {
    {"svd, identity", entry_identity}, {"svd, zeros", entry_zero}, {"svd, rank 2", entry_rank2},
    {"svd, singular", entry_singular}, {"svd, tiny", entry_small}, {"svd, huge", entry_large},
};

static void special_matrices(void **state)
{
  (void)state;
  const size_t count = sizeof specials / sizeof specials[0];
  for (trial t = {0}; trial_next(&t, TRIALS_ANY);) {
    const size_t i = (size_t)(t.number % 11);
    if (i < count) check(&t, LEFT | RIGHT | ALIKE, specials[i].entry, specials[i].why);
    SETTLE();
  }
}

/* ---- refusals ------------------------------------------------------------------------------------ */

static const struct {
  const char *why;
  int64_t a[2], u[2], s, vt[2];
  bool same; /* U in A's buffer */
  dap_sharing sharing;
  int row; /* A's source */
  formula *entry;
  dap_status status;
  const char *parts;
} refusals[] = {
    {"U too wide", {7, 4}, {7, 5}, 4, {4, 4}, false, 0, 0, entry_any, DAP_ERR_ARG, "U|7 x 4|7 x 5"},
    {"S too long", {7, 4}, {7, 4}, 7, {4, 4}, false, 0, 0, entry_any, DAP_ERR_ARG, "S|4 x 1|7 x 1"},
    {"VT not transposed", {4, 7}, {4, 4}, 4, {7, 4}, false, 0, 0, entry_any, DAP_ERR_ARG, "VT|4 x 7|7 x 4"},
    {"U is A", {7, 4}, {7, 4}, 4, {4, 4}, true, 0, 0, entry_any, DAP_ERR_ARG, "A and U overlap in memory"},
    {"NaN", {7, 4}, {7, 4}, 4, {4, 4}, false, 0, 0, entry_nan, DAP_ERR_NUMERIC, "not finite|(0, 0)"},
    {"NaN in little",
     {1, 1},
     {1, 1},
     1,
     {1, 1},
     false,
     0,
     1,
     entry_nan,
     DAP_ERR_NUMERIC,
     "not finite|(0, 0)"},
    {"gaps", {33, 21}, {33, 21}, 21, {21, 21}, false, DAP_SHARE_OR_FAIL, 19, entry_any, DAP_ERR_SHARE, ""},
};

static void refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    TEST_CASE("%s", refusals[i].why);
    const int grid[2] = {test_nprocs(), 1};
    const element_type *type = &element_types[i % ELEMENT_TYPES], *real = element_type_of(type->real);
    matrix a = matrix_make(&sources[refusals[i].row], type, 2, refusals[i].a, grid, refusals[i].entry);
    matrix u = matrix_make(&sources[0], type, 2, refusals[i].u, grid, entry_nans);
    matrix s =
        matrix_make(&vector_sources[0], real, 1, (const int64_t[2]){refusals[i].s, 1}, grid, entry_nans);
    matrix vt = matrix_make(&sources[0], type, 2, refusals[i].vt, grid, entry_nans);
    const dap_linalg_options options = {.sharing = refusals[i].sharing};
    dap_error err = {0};
    const dap_status status =
        dap_linalg_svd(MPI_COMM_WORLD, matrix_operand(&a), matrix_operand(refusals[i].same ? &a : &u),
                       matrix_operand(&s), matrix_operand(&vt), &options, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, refusals[i].status, refusals[i].parts);
    EXPECT(expect_same(&a) && expect_same(&u) && expect_same(&s) && expect_same(&vt));
    matrix_free(&vt), matrix_free(&s), matrix_free(&u), matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere), cmocka_unit_test(small),
                                          cmocka_unit_test(special_matrices), cmocka_unit_test(refused)};
LINALG_TEST_MAIN(tests)
