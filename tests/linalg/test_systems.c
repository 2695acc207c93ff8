/* Tests linear systems with LU and Cholesky factors, kept and not kept: which layouts are shared, and what
 * preserves A. linalg_edges_systems draws solutions in every layout. */
#include "harness.h"

#include <dapbridge/linalg_factors.h>
#include <dapbridge/scalapack_calls.h>

typedef dap_status solver(MPI_Comm comm, char letter, dap_darray a, dap_darray b,
                          const dap_linalg_options *options, dap_error *err);

/* Factors, solves, and destroys the factors. Joins both reports in one. */
static dap_status factor_and_solve(char uplo, char trans, dap_darray a, dap_darray b,
                                   const dap_linalg_options *options, dap_error *err)
{
  dap_linalg_report solved = {0};
  dap_linalg_options solving = *options;
  dap_linalg_factors *factors = NULL;
  solving.report = &solved;
  dap_status s = uplo ? dap_linalg_cholesky(MPI_COMM_WORLD, uplo, a, options, &factors, err)
                      : dap_linalg_lu(MPI_COMM_WORLD, a, options, &factors, err);
  EXPECT((s == DAP_OK) == (factors != NULL));
  if (!s) {
    s = dap_linalg_factors_solve(factors, trans, b, &solving, err);
    EXPECT(solved.uses[0].shared && !solved.uses[0].moved_bytes && !strcmp(solved.uses[0].name, "factors"));
  }
  dap_linalg_factors_destroy(&factors);
  options->report->count = 2;
  options->report->uses[1] = solved.uses[1];
  return s;
}

static dap_status by_lu(MPI_Comm comm, char trans, dap_darray a, dap_darray b,
                        const dap_linalg_options *options, dap_error *err)
{
  (void)comm;
  return factor_and_solve(0, trans, a, b, options, err);
}

static dap_status by_cholesky(MPI_Comm comm, char uplo, dap_darray a, dap_darray b,
                              const dap_linalg_options *options, dap_error *err)
{
  (void)comm;
  return factor_and_solve(uplo, 'N', a, b, options, err);
}

/* A function, and how it is tried. If `triangle`, letters are triangles of a Hermitian A, otherwise values
 * of `trans`. */
typedef struct system_kind {
  const char *name;
  solver *solve;
  const char *letters;
  formula *entry; /* of A */
  bool triangle;
} system_kind;

enum { SOLVE, CHOLESKY, LU, KEPT_CHOLESKY, KINDS };
static const system_kind kinds[KINDS] = {{"solve", dap_linalg_solve, "NTC", entry_any, false},
                                         {"cholesky", dap_linalg_cholesky_solve, "LU", entry_definite, true},
                                         {"factors", by_lu, "NTC", entry_any, false},
                                         {"factors by Cholesky", by_cholesky, "LU", entry_definite, true}};

/* Makes A on the trial's source, with NaN in the triangle that is not read. */
static matrix make_a(const system_kind *kind, const trial *t, char letter, formula *entry)
{
  matrix a = trial_matrix(t, t->size[0], t->size[0], entry);
  if (kind->triangle) matrix_set(&a, letter == 'L' ? 'U' : 'L', 0, 0, CMPLX(NAN, NAN));
  return a;
}

/* ---- shared pairs -------------------------------------------------------------------------------------- */

/* Layouts in which both are shared though they do not lie alike. A's blocks are 5 x 5. */
static const struct {
  const char *why;
  test_form form_a, form_b;
  int axis_a, axis_b; /* along which all processes lie; -1: the squarest grid */
  int64_t nrhs;       /* -1: a vector (n,) */
  case_cut cut_a, cut_b;
  int64_t block_b;
  bool shuffled;
} pairs[] = {
    {"F | F: from the left", FORM_F, FORM_F, -1, -1, 20, CUT_CYCLIC, CUT_CYCLIC, 5, false},
    {"C | C: from the right", FORM_C, FORM_C, -1, -1, 20, CUT_CYCLIC, CUT_CYCLIC, 5, false},
    {"C | C, (n, 1): most processes have no part of B", FORM_C, FORM_C, -1, -1, 1, CUT_CYCLIC, CUT_CYCLIC, 5,
     false},
    {"F | F by 3: blocks of its own, left", FORM_F, FORM_F, -1, -1, 20, CUT_CYCLIC, CUT_CYCLIC, 3, false},
    {"C | C by 3: blocks of its own, right", FORM_C, FORM_C, -1, -1, 20, CUT_CYCLIC, CUT_CYCLIC, 3, false},
    {"C last | C last: one permuted grid", FORM_C, FORM_C, -1, -1, 20, CUT_ROTATED, CUT_ROTATED, 5, false},
    {"F | F last: B begins elsewhere, left", FORM_F, FORM_F, -1, -1, 20, CUT_CYCLIC, CUT_ROTATED, 5, false},
    {"C last | C: B begins elsewhere, right", FORM_C, FORM_C, -1, -1, 20, CUT_ROTATED, CUT_CYCLIC, 5, false},
    {"C rows | F columns: M has A's rows as columns", FORM_C, FORM_F, 0, 1, 20, CUT_CYCLIC, CUT_CYCLIC, 5,
     false},
    {"F rows | C columns: S has B's columns as rows", FORM_F, FORM_C, 0, 1, 20, CUT_CYCLIC, CUT_CYCLIC, 5,
     false},
    {"C rows | F columns by 2: unlike, blocks differ", FORM_C, FORM_F, 0, 1, 20, CUT_CYCLIC, CUT_CYCLIC, 2,
     false},
    {"F rows | (n,): a column", FORM_F, FORM_C, 0, 0, -1, CUT_CYCLIC, CUT_CYCLIC, 5, false},
    {"C rows | (n,): a row", FORM_C, FORM_C, 0, 0, -1, CUT_CYCLIC, CUT_CYCLIC, 5, false},
    {"F columns | (n,): a row", FORM_F, FORM_C, 1, 0, -1, CUT_CYCLIC, CUT_CYCLIC, 5, false},
    {"C columns | (n,): a column", FORM_C, FORM_C, 1, 0, -1, CUT_CYCLIC, CUT_CYCLIC, 5, false},
    {"C rows | (n,) by 4: a row in blocks of its own", FORM_C, FORM_C, 0, 0, -1, CUT_CYCLIC, CUT_CYCLIC, 4,
     false},
    {"C rows last | (n,) last: one permuted grid", FORM_C, FORM_C, 0, 0, -1, CUT_ROTATED, CUT_ROTATED, 5,
     false},
    {"C shuffled | C shuffled: an order of their own", FORM_C, FORM_C, -1, -1, 20, CUT_CYCLIC, CUT_CYCLIC, 5,
     true},
    {"F shuffled | F last shuffled: B begins elsewhere", FORM_F, FORM_F, -1, -1, 20, CUT_CYCLIC, CUT_ROTATED,
     5, true},
};
enum { PAIRS = sizeof pairs / sizeof pairs[0], N = 33 };

/* Solves, and checks all operands and the report. */
static void solve_pair(const system_kind *kind, const trial *t, char letter, matrix *b)
{
  matrix a = make_a(kind, t, letter, kind->entry);
  double complex *whole_a = whole_make(N, N, kind->entry, t->type), *whole_b = matrix_whole(b);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report};
  dap_error err = {.rank = -7};
  EXPECT_OK(kind->solve(MPI_COMM_WORLD, letter, matrix_operand(&a), matrix_operand(b), &options, &err), &err);
  EXPECT_MSG(err.rank == -7 && !err.text[0], "the error was written without one: %s", err.text);
  double complex *x = matrix_whole(b);
  expect_residual("op(A) X - B", residual_solve(kind->triangle ? 'N' : letter, N, b->size[1], whole_a, x,
                                                whole_b, t->type->eps));
  EXPECT_INT(report.count, 2);
  EXPECT_INT(report.info, 0);
  expect_use(&report, 0, "A", &a, 1), expect_use(&report, 1, "B", b, 1);
  expect_work(&a, &report.uses[0], false, true);
  expect_padding(&a), expect_padding(b);
  free(x), free(whole_a), free(whole_b);
  matrix_free(&a), matrix_free(b);
}

static void shared_pairs(void **state)
{
  (void)state;
  for (int i = 0; i < PAIRS * KINDS * ELEMENT_TYPES; i++) {
    const system_kind *kind = &kinds[i % KINDS];
    const int row = i / KINDS % PAIRS;
    const element_type *type = &element_types[i / KINDS / PAIRS];
    const case_cut cut_a = pairs[row].cut_a, cut_b = pairs[row].cut_b;
    const int64_t by = pairs[row].block_b;
    source on_a = {{pairs[row].why, 2, .cut = {cut_a, cut_a}, .block = {5, 5}}, .form = pairs[row].form_a},
           on_b = {{pairs[row].why, 2, .cut = {cut_b, cut_b}, .block = {by, by}}, .form = pairs[row].form_b};
    on_a.layout.shuffled = on_b.layout.shuffled = pairs[row].shuffled;
    trial t = {.source = &on_a, .type = type, .size = {N, N}};
    int grid[2];
    set_grid(pairs[row].axis_a, t.grid), set_grid(pairs[row].axis_b, grid);
    for (const char *letter = kind->letters; *letter; letter++) {
      TEST_CASE("%s, %s, %s, '%c'", kind->name, pairs[row].why, type->name, *letter);
      matrix b = matrix_make(&on_b, type, N, pairs[row].nrhs, grid, entry_any);
      solve_pair(kind, &t, *letter, &b);
      SETTLE();
    }
  }
}

/* ---- work space that is kept --------------------------------------------------------------------------- */

static const struct {
  const char *why;
  bool keep, readonly; /* the option; the last process's buffer of A */
  dap_sharing sharing;
  dap_status status;
  int shared_a, shared_b;
  const char *reason; /* part of A's */
} keepings[] = {
    {"nothing is asked for", false, false, DAP_SHARE_IF_POSSIBLE, DAP_OK, 1, 1, ""},
    {"the caller's option", true, false, DAP_SHARE_IF_POSSIBLE, DAP_OK, 0, 1, "keep"},
    {"one process's buffer is read-only", false, true, DAP_SHARE_IF_POSSIBLE, DAP_OK, 0, 1, "read-only"},
    {"never shared", false, false, DAP_SHARE_NEVER, DAP_OK, 0, 0, ""},
    {"shared or an error", false, false, DAP_SHARE_OR_FAIL, DAP_OK, 1, 1, ""},
    {"kept in its own buffer", true, false, DAP_SHARE_OR_FAIL, DAP_ERR_SHARE, 0, 0, ""},
};
enum { KEEPINGS = sizeof keepings / sizeof keepings[0] };

static void try_keeping(const system_kind *kind, int row, const trial *t)
{
  enum { NRHS = 20 };
  matrix a = make_a(kind, t, kind->letters[0], kind->entry), b = trial_matrix(t, N, NRHS, entry_any);
  a.held.array.readonly = keepings[row].readonly && test_rank() == test_nprocs() - 1;
  double complex *whole_a = whole_make(N, N, kind->entry, t->type), *whole_b = matrix_whole(&b);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {
      .sharing = keepings[row].sharing, .keep = keepings[row].keep, .report = &report};
  dap_error err = {0};
  const dap_status status =
      kind->solve(MPI_COMM_WORLD, kind->letters[0], matrix_operand(&a), matrix_operand(&b), &options, &err);
  expect_same_error(MPI_COMM_WORLD, status, &err, keepings[row].status, "A");
  if (status) {
    expect_same(&b);
  } else {
    double complex *x = matrix_whole(&b);
    expect_residual("A X - B", residual_solve('N', N, NRHS, whole_a, x, whole_b, t->type->eps));
    expect_use(&report, 0, "A", &a, keepings[row].shared_a);
    const bool flat = t->grid[0] == 1 || t->grid[1] == 1; /* a copy of A may lie along the other axis */
    const bool any = keepings[row].shared_b && !keepings[row].shared_a && flat;
    expect_use(&report, 1, "B", &b, any ? -1 : keepings[row].shared_b);
    EXPECT_MSG(strstr(report.uses[0].reason, keepings[row].reason), "A: %s", report.uses[0].reason);
    free(x);
  }
  expect_work(&a, &report.uses[0], !keepings[row].shared_a, true);
  free(whole_a), free(whole_b);
  matrix_free(&a), matrix_free(&b);
}

static void keeps(void **state)
{
  (void)state;
  for (int i = 0; i < KEEPINGS * KINDS * 2; i++) {
    const int row = i / 2 % KEEPINGS, kind = i / 2 / KEEPINGS;
    trial t = {.source = &sources[i % 2], .type = &element_types[3], .size = {N, N}}; /* C and F order */
    set_grid(-1, t.grid);
    TEST_CASE("%s, %s, %s", kinds[kind].name, keepings[row].why, t.source->layout.why);
    try_keeping(&kinds[kind], row, &t);
    SETTLE();
  }
}

/* ---- solutions that are not finite --------------------------------------------------------------------- */

/* A is diagonal. Powers of 10 are for double precision; single precision takes a tenth of the exponents. */
static const struct {
  const char *why;
  int all, last; /* exponents of A's diagonal, and of its last element */
  int exponent;  /* of each element of B */
  double other;  /* an element of B, unless it is 0 */
  dap_status status;
} ranges[] = {
    {"X has large elements", 0, -150, 150, 0, DAP_OK},
    {"one element of A is tiny, and X overflows", 0, -300, 300, 0, DAP_ERR_NUMERIC},
    {"all of A is tiny, and X overflows", -300, -300, 300, 0, DAP_ERR_NUMERIC},
    {"infinity in B", 0, 0, 0, INFINITY, DAP_OK},
    {"NaN in B", 0, 0, 0, NAN, DAP_OK},
    {"NaN in B, and all of A is tiny", -300, -300, -300, NAN, DAP_OK},
    {"NaN in B, and X overflows", 0, -300, 300, NAN, DAP_OK},
};
enum { RANGES = sizeof ranges / sizeof ranges[0] };

static void try_range(const system_kind *kind, int row, const trial *t)
{
  enum { NRHS = 3 };
  const double base = t->type->eps > 1e-10 ? pow(10, 0.1) : 10; /* pow(base, exponent) */
  const double last = pow(base, ranges[row].last), side = pow(base, ranges[row].exponent);
  matrix a = trial_matrix(t, N, N, entry_identity), b = trial_matrix(t, N, NRHS, entry_any);
  for (int64_t i = 0; i < N; i++) matrix_set(&a, 'E', i, i, i < N - 1 ? pow(base, ranges[row].all) : last);
  for (int64_t i = 0; i < N * NRHS; i++) matrix_set(&b, 'E', i % N, i / N, side);
  if (ranges[row].other != 0) matrix_set(&b, 'E', N - 1, 0, ranges[row].other);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report};
  dap_error err = {0};
  const dap_status status =
      kind->solve(MPI_COMM_WORLD, kind->letters[0], matrix_operand(&a), matrix_operand(&b), &options, &err);
  expect_same_error(MPI_COMM_WORLD, status, &err, ranges[row].status, "the solution exceeds the range of");
  double complex *x = matrix_whole(&b);
  if (!status && ranges[row].other == 0)
    EXPECT_MSG(cabs(x[N - 1] / (side / last) - 1) < 10 * t->type->eps, "X has %g", cabs(x[N - 1]));
  if (!status && ranges[row].other != 0) EXPECT(!isfinite(creal(x[N - 1])) || !isfinite(cimag(x[N - 1])));
  free(x);
  matrix_free(&a), matrix_free(&b);
}

static void solutions_that_are_not_finite(void **state)
{
  (void)state;
  for (int i = 0; i < RANGES * KINDS * ELEMENT_TYPES; i++) {
    const int row = i % RANGES, kind = i / RANGES % KINDS;
    trial t = {.source = &sources[i % 2], .type = &element_types[i / RANGES / KINDS], .size = {N, N}};
    set_grid(-1, t.grid);
    TEST_CASE("%s, %s, %s, %s", kinds[kind].name, ranges[row].why, t.type->name, t.source->layout.why);
    try_range(&kinds[kind], row, &t);
    SETTLE();
  }
}

/* ---- ScaLAPACK's own driver ---------------------------------------------------------------------------- */

/* Compares p?gesv with LAPACK. Its operands are shared or moved views of arrays whose ranks are shuffled. */
static void gesv_on_shuffled_views(void **state)
{
  static dap_pgesv *const gesv[ELEMENT_TYPES] = {psgesv_, pdgesv_, pcgesv_, pzgesv_};
  enum { C_SHUFFLED = 6, F_SHUFFLED, NRHS = 3 };
  const dap_scalapack_int n = N, nrhs = NRHS, one = 1;
  (void)state;
  for (int i = 0; i < 2 * ELEMENT_TYPES; i++) {
    trial t = trial_of(i % 2 ? F_SHUFFLED : C_SHUFFLED, N, N);
    t.type = &element_types[i / 2];
    TEST_CASE("p?gesv, %s, %s", t.type->name, t.source->layout.why);
    matrix a = trial_matrix(&t, N, N, entry_dominant), b = trial_matrix(&t, N, NRHS, entry_any);
    double complex *whole_a = matrix_whole(&a), *whole_b = matrix_whole(&b),
                   *want = serial_solve('N', N, NRHS, whole_a, whole_b);
    dap_scalapack_matrix ma = {0}, mb = {0};
    dap_scalapack_int pivots[4 * N], info = -1;
    dap_scalapack_options options = {.routine = "gesv", .op = 'N'};
    dap_error err = {0};
    EXPECT_OK(dap_scalapack_get(MPI_COMM_WORLD, matrix_operand(&a), DAP_READ_WRITE, &options, &ma, &err),
              &err);
    options.aligned_with = &ma;
    EXPECT_OK(dap_scalapack_get(MPI_COMM_WORLD, matrix_operand(&b), DAP_READ_WRITE, &options, &mb, &err),
              &err);
    EXPECT(ma.shared == i % 2);
    gesv[i / 2](&n, &nrhs, ma.data, &one, &one, ma.desc, pivots, mb.data, &one, &one, mb.desc, &info);
    EXPECT_INT(info, 0);
    EXPECT_OK(dap_scalapack_restore(&mb, &err), &err);
    EXPECT_OK(dap_scalapack_restore(&ma, &err), &err);
    double complex *x = matrix_whole(&b);
    expect_residual("X",
                    residual_difference(N, NRHS, x, want, whole_norm('1', N, NRHS, want), N, t.type->eps));
    expect_padding(&a), expect_padding(&b);
    free(x), free(want), free(whole_b), free(whole_a);
    matrix_free(&b), matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(shared_pairs), cmocka_unit_test(keeps),
                                          cmocka_unit_test(solutions_that_are_not_finite),
                                          cmocka_unit_test(gesv_on_shuffled_views)};
MPI_TEST_MAIN(tests)
