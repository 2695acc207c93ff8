/* Tests QR factors, least squares and singular values of matrices that are factored by rows, because they
 * have many rows for each column and process. The tests cover several chunks on a process, special
 * matrices, sharing, and memory. linalg_edges_rows and linalg_edges_svd draw layouts. */
#include "allocations.h"
#include "harness.h"

#include <inttypes.h>

/* WIDE: the singular values of the transpose. */
typedef enum kind { QR, SQUARES, SVD, WIDE, KINDS } kind;
static const char *const names[KINDS] = {"qr", "least squares", "svd", "svd, wide"};
enum { SIDES = 2 }; /* columns of B and X */

/* ---- problems ------------------------------------------------------------------------------------------ */

/* A is (m, n). `other` is the long Q, B or vectors; `small` is the short R, X or vectors. */
typedef struct problem {
  kind kind;
  trial t; /* sizes of the tall matrix, on the grid of A */
  bool in_place;
  int exponents[2];     /* of A, and of B */
  const source *beside; /* how `other` lies */
  matrix a, other, small, s;
} problem;

static formula *unscaled; /* the formula that the scaled one is made of */
static int exponent;

FORMULA(entry_scaled, times_power(unscaled(i, j), exponent))

static matrix make(const problem *p, const source *on, int64_t rows, int64_t cols, formula *entry, int by)
{
  const bool is_wide = p->kind == WIDE;
  unscaled = entry, exponent = by;
  return matrix_make(on, p->t.type, is_wide ? cols : rows, is_wide ? rows : cols, p->t.grid, entry_scaled);
}

/* In the layout of a row of sources[], with `rows` for each process. Each process has whole rows. */
static problem problem_of(kind k, int row, const element_type *type, int64_t rows, int64_t cols)
{
  problem p = {.kind = k, .t = {.source = &sources[row], .type = type}, .beside = &sources[row]};
  p.t.size[0] = rows * test_nprocs(), p.t.size[1] = cols;
  set_grid(k == WIDE, p.t.grid);
  return p;
}

static void problem_make(problem *p, formula *entry)
{
  const int64_t m = p->t.size[0], n = p->t.size[1];
  const bool squares = p->kind == SQUARES;
  p->a = make(p, p->t.source, m, n, entry, p->exponents[0]);
  p->other = make(p, p->beside, m, squares ? SIDES : n, squares ? entry_any : entry_nans,
                  squares ? p->exponents[1] : 0);
  p->small = make(p, p->t.source, n, squares ? SIDES : n, entry_nans, 0);
  p->s = trial_other(&p->t, element_type_of(p->t.type->real), n, -1, entry_nans);
}

static void problem_end(problem *p)
{
  matrix_free(&p->s), matrix_free(&p->small), matrix_free(&p->other), matrix_free(&p->a);
  SETTLE();
}

static dap_status problem_call(const problem *p, const dap_linalg_options *options, dap_error *err)
{
  const dap_darray a = matrix_operand(&p->a), small = matrix_operand(&p->small), s = matrix_operand(&p->s),
                   other = p->in_place ? a : matrix_operand(&p->other);
  if (p->kind == QR) return dap_linalg_qr(MPI_COMM_WORLD, a, other, small, options, err);
  if (p->kind == SQUARES) return dap_linalg_least_squares(MPI_COMM_WORLD, a, other, small, options, err);
  if (p->kind == SVD) return dap_linalg_svd(MPI_COMM_WORLD, a, other, s, small, options, err);
  return dap_linalg_svd(MPI_COMM_WORLD, a, small, s, other, options, err);
}

/* ---- checks -------------------------------------------------------------------------------------------- */

/* Returns a whole matrix times 2^-by. If it is wide, returns its transpose. */
static double complex *problem_whole(const problem *p, const matrix *m, int by)
{
  double complex *whole = matrix_whole(m);
  for (int64_t k = 0; k < m->size[0] * m->size[1]; k++) whole[k] = times_power(whole[k], -by);
  if (m->ndim == 1 || p->kind != WIDE) return whole;
  double complex *turned = whole_op('C', m->size[0], m->size[1], whole);
  free(whole);
  return turned;
}

/* Vectors of any length are orthonormal to some eps, if the sums of a chunk are that accurate. */
static void check_long(const problem *p, const double complex *q)
{
  const int64_t m = p->t.size[0], n = p->t.size[1];
  const double residual = whole_skew(m, n, q) / ((double)m * p->t.type->eps);
  expect_residual("Q^H Q - I", residual);
  expect_residual("Q^H Q - I, in eps", residual * (double)m / (40 * sqrt((double)n)));
}

static void check_squares(const problem *p, const double complex *a, const double complex *x)
{
  const int64_t m = p->t.size[0], n = p->t.size[1];
  double complex *b = whole_make(m, SIDES, entry_any, p->t.type); /* B may be work space */
  expect_residual("A^H (A X - B)", residual_normal(m, n, SIDES, a, x, b, p->t.type->eps));
  free(b);
}

/* `u` long vectors; `vt` short ones of a tall matrix, as rows. */
static void check_svd(const problem *p, const double complex *a, const double complex *u, double complex *vt)
{
  const int64_t m = p->t.size[0], n = p->t.size[1];
  const double eps = p->t.type->eps;
  double complex *s = problem_whole(p, &p->s, p->exponents[0]), *want = serial_singular_values(m, n, a);
  const double norm = creal(want[0]) > 0 ? creal(want[0]) : 1;
  expect_residual("singular values", residual_difference(n, 1, s, want, norm, m, eps));
  expect_residual("V^H V - I", whole_skew(n, n, vt) / ((double)n * eps));
  check_long(p, u);
  expect_residual("U S VT - A", residual_svd(m, n, a, u, s, vt, eps));
  free(want), free(s);
}

/* Checks the results for the whole matrix `a`. */
static void problem_check(const problem *p, const double complex *a)
{
  const int64_t m = p->t.size[0], n = p->t.size[1];
  const int by = p->kind == QR ? p->exponents[0] : p->kind == SQUARES ? p->exponents[1] - p->exponents[0] : 0;
  double complex *small = problem_whole(p, &p->small, by),
                 *other = problem_whole(p, p->in_place ? &p->a : &p->other, 0);
  if (p->kind == QR) {
    EXPECT_MSG(below_diagonal(n, n, small) == 0, "%g below R's diagonal", below_diagonal(n, n, small));
    check_long(p, other);
    double complex *product = serial_multiply('N', 'N', m, n, n, other, small);
    const double scale = whole_norm('1', m, n, other) * whole_norm('1', n, n, small);
    expect_residual("Q R - A", residual_difference(m, n, a, product, scale, n, p->t.type->eps));
    free(product);
  }
  if (p->kind == SQUARES) check_squares(p, a, small);
  if (p->kind >= SVD) check_svd(p, a, other, small);
  expect_padding(&p->a), expect_padding(&p->other), expect_padding(&p->small);
  free(other), free(small);
}

/* Makes the operands, calls the function, and checks the results. */
static dap_status problem_run(problem *p, formula *entry, const dap_linalg_options *options, dap_error *err)
{
  problem_make(p, entry);
  double complex *a = problem_whole(p, &p->a, p->exponents[0]);
  const dap_status s = problem_call(p, options, err);
  if (!s) problem_check(p, a);
  free(a);
  return s;
}

/* ---- special problems ---------------------------------------------------------------------------------- */

/* columns from 1 to 2^-60, rows from 1 to 2^-20 */
FORMULA(entry_graded, entry_any(i, j) * exp2(-(double)(3 * (j % 21)) - (double)(i % 21)))

/* small rows first */
FORMULA(entry_graded_up, entry_any(i, j) * exp2((double)(i / 50 % 40 - 40)))

/* all columns are the same: rank 1 */
FORMULA(entry_equal, entry_any(i, 0))

/* rank 3, after rounding */
FORMULA(entry_dependent, entry_any(i, j % 3) / (double)(1 + j))

/* `rows` for each process: from 3200 rows of 20 columns on it has several chunks. */
static const struct special {
  const char *why;
  int64_t rows, cols;
  int source;
  formula *entry; /* NULL: of full rank, also for least squares */
  int exponents[2];
  int type; /* -1: each type in turn */
} special[] = {
    {"one chunk", 300, 20, 9, NULL, {0, 0}, -1},
    {"two chunks, the last short", 3203, 20, 9, NULL, {0, 0}, -1},
    {"chunks of uneven rows", 3300, 20, 17, NULL, {0, 0}, -1},
    {"chunks on one process", 3300, 20, 16, NULL, {0, 0}, -1},
    {"padded chunks", 3300, 20, 11, NULL, {0, 0}, -1},
    {"one column", 3300, 1, 9, NULL, {0, 0}, -1},
    {"as many rows as is least", 64, 16, 10, NULL, {0, 0}, -1},
    {"fewer rows than is least, by other means", 63, 16, 9, NULL, {0, 0}, -1},
    {"as many rows as is least, with right-hand sides", 80, 16, 10, NULL, {0, 0}, -1},
    {"dependent columns, few rows left for a chunk", 3203, 20, 9, entry_dependent, {0, 0}, -1},
    {"dependent columns, few rows on a process", 80, 20, 17, entry_dependent, {0, 0}, -1},
    {"dependent columns on one process", 80, 20, 16, entry_dependent, {0, 0}, -1},
    {"more dependent columns, few rows on a process", 83, 20, 17, entry_dependent, {0, 0}, -1},
    {"graded", 200, 21, 9, entry_graded, {0, 0}, -1},
    {"graded upwards", 3300, 20, 10, entry_graded_up, {0, 0}, -1},
    {"rank 1", 3300, 20, 9, entry_equal, {0, 0}, -1},
    {"squares of A underflow", 100, 6, 9, NULL, {-90, 0}, 0},
    {"squares of A overflow", 100, 6, 10, NULL, {100, 0}, 2},
    {"squares of B underflow", 100, 6, 9, NULL, {0, -90}, 0},
    {"the length of B overflows", 900, 6, 9, NULL, {0, 127}, 0},
    {"A and B are small", 100, 6, 9, NULL, {-110, -112}, 0},
    {"squares underflow in double precision", 100, 6, 9, NULL, {-500, -510}, 1},
    {"squares overflow in double precision", 100, 6, 10, NULL, {900, 1000}, 3},
    {"the quotient of the scales overflows", 100, 6, 10, NULL, {-1000, -1010}, 1},
};

static void special_problems(void **state)
{
  (void)state;
  for (int i = 0; i < (int)(sizeof special / sizeof special[0]) * KINDS; i++) {
    const struct special *r = &special[i / KINDS];
    const kind k = (kind)(i % KINDS);
    const int row = i / KINDS, type = r->type < 0 ? row % ELEMENT_TYPES : r->type;
    const bool is_of_b = r->exponents[1] != 0 && type % 2 == 0; /* of single precision */
    if (k == SQUARES ? r->entry != NULL : is_of_b) continue;
    const bool is_large = r->rows * r->cols >= 64000; /* by day for one kind */
    if (is_large && test_scale() > 1 && (row + i) % KINDS != 1) continue;
    problem p = problem_of(k, r->source, &element_types[type], r->rows, r->cols);
    memcpy(p.exponents, r->exponents, sizeof p.exponents);
    p.t.number = row + 1;
    TEST_CASE("%s, %s: %d x %d %s", names[k], r->why, (int)p.t.size[0], (int)p.t.size[1], p.t.type->name);
    dap_error err = {0};
    formula *usual = k == SQUARES ? entry_dominant : entry_any;
    EXPECT_OK(problem_run(&p, r->entry ? r->entry : usual, NULL, &err), &err);
    problem_end(&p);
  }
}

/* ---- elements that are not finite, and no full rank ---------------------------------------------------- */

/* column 2 is 0 */
FORMULA(entry_gap, j == 2 ? 0 : entry_any(i, j))

static const struct failure {
  const char *why;
  kind kind;
  int source;
  formula *entry;
  int64_t row, column; /* of the element that gets a value; row -1: the last row, -2: no element */
  double value;
  int64_t info;
  const char *parts; /* NULL: no error, but R is not finite; or for B, only its solution */
} failures[] = {
    {"zeros", SQUARES, 9, entry_zero, -2, 0, 0, 1, "full rank|element 1"},
    {"a column of zeros", SQUARES, 10, entry_gap, -2, 0, 0, 3, "full rank|element 3"},
    {"a column of zeros, moved", SQUARES, 25, entry_gap, -2, 0, 0, 3, "full rank|element 3"},
    {"NaN, the first element", SQUARES, 9, entry_any, 0, 0, NAN, 0, "A|not finite|(0, 0)"},
    {"infinity in the last row", SQUARES, 10, entry_any, -1, 2, INFINITY, 0, "A|not finite|, 2)"},
    {"minus infinity in padded blocks", SVD, 11, entry_any, 7, 1, -INFINITY, 0, "A|not finite|(7, 1)"},
    {"NaN of a wide matrix", WIDE, 9, entry_any, 3, 11, NAN, 0, "A|not finite|(3, 11)"},
    {"NaN of a matrix that is moved", SVD, 25, entry_any, 5, 4, NAN, 0, "A|not finite|(5, 4)"},
    {"NaN reaches R", QR, 9, entry_any, -1, 1, NAN, 0, NULL},
    {"infinity reaches R", QR, 25, entry_any, -1, 1, INFINITY, 0, NULL},
    {"NaN reaches X", SQUARES, 9, entry_dominant, -1, 1, NAN, 0, NULL},
    {"infinity reaches X", SQUARES, 10, entry_dominant, -1, 1, -INFINITY, 0, NULL},
};

static void no_solution(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
    const struct failure *r = &failures[i];
    TEST_CASE("%s, %s", names[r->kind], r->why);
    problem p = problem_of(r->kind, r->source, element_type_of(DAP_F8), 40, 5);
    problem_make(&p, r->entry);
    const bool is_of_b = r->kind == SQUARES && !r->parts;
    const int64_t row = r->row == -1 ? p.t.size[0] - 1 : r->row;
    if (row >= 0) matrix_set(is_of_b ? &p.other : &p.a, 'E', row, r->column, r->value);
    dap_linalg_report report = {0};
    const dap_linalg_options options = {.report = &report};
    dap_error err = {0};
    const dap_status s = problem_call(&p, &options, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, r->parts ? DAP_ERR_NUMERIC : DAP_OK, r->parts ? r->parts : "");
    EXPECT_INT(report.info, r->info);
    EXPECT(expect_same(&p.a) && (!s || (expect_same(&p.other) && expect_same(&p.small))));
    double complex *small = matrix_whole(&p.small);
    EXPECT(!isfinite(whole_norm('M', p.small.size[0], p.small.size[1], small)));
    EXPECT(!is_of_b || isfinite(whole_norm('M', p.small.size[0], 1, small)));
    free(small);
    problem_end(&p);
  }
}

/* ---- sharing ------------------------------------------------------------------------------------------- */

/* A's blocks have one size, and those of Q, B or U begin on another process. */
static const source cyclic = {{"blocks 4 x 4", 2, .cut = {CUT_CYCLIC, CUT_CYCLIC}, .block = {4, 4}},
                              .form = FORM_F};
static const source rotated = {{"rotated", 2, .cut = {CUT_ROTATED, CUT_ROTATED}, .block = {4, 4}},
                               .form = FORM_F};

static const struct sharing {
  const char *why;
  const source *source, *beside; /* NULL: uneven rows; as A lies */
  bool in_place;
  dap_sharing sharing;
  dap_status want;
  int shared[2]; /* of A, and of Q or B */
} sharings[] = {
    {"uneven rows need no copy", NULL, NULL, false, DAP_SHARE_OR_FAIL, DAP_OK, {1, 1}},
    {"Q is A, in uneven rows", NULL, NULL, true, DAP_SHARE_OR_FAIL, DAP_OK, {1, 1}},
    {"Q or B must not be moved", NULL, &cyclic, false, DAP_SHARE_OR_FAIL, DAP_ERR_SHARE, {0, 0}},
    {"Q or B lies elsewhere, and A stays", NULL, &cyclic, false, DAP_SHARE_IF_POSSIBLE, DAP_OK, {1, 0}},
    {"the first blocks are elsewhere", &cyclic, &rotated, false, DAP_SHARE_IF_POSSIBLE, DAP_OK, {1, 0}},
    {"blocks of rotated ranks", &sources[7], &cyclic, false, DAP_SHARE_IF_POSSIBLE, DAP_OK, {1, 0}},
    {"copies were asked for", NULL, NULL, false, DAP_SHARE_NEVER, DAP_OK, {0, 0}},
    {"a copy was asked for, and Q is A", NULL, NULL, true, DAP_SHARE_NEVER, DAP_OK, {0, 0}},
    {"lists of rows are moved", &sources[25], NULL, false, DAP_SHARE_IF_POSSIBLE, DAP_OK, {0, 0}},
};

/* On one process every operand lies as A does. */
static void sharing(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof sharings / sizeof sharings[0] * KINDS * ELEMENT_TYPES; i++) {
    const size_t row = i / KINDS / ELEMENT_TYPES;
    const struct sharing *r = &sharings[row];
    const kind k = (kind)(i % KINDS);
    const bool is_elsewhere = r->beside && test_nprocs() > 1, may_differ = r->beside && !is_elsewhere;
    if ((may_differ && r->want) || (k != QR && r->in_place)) continue;
    if (k >= SVD && r->sharing == DAP_SHARE_OR_FAIL) continue;           /* another algorithm can be used */
    if (test_scale() > 1 && (row + i / KINDS + (size_t)k) % 2) continue; /* by day for two types */
    problem p = problem_of(k, 17, &element_types[i / KINDS % ELEMENT_TYPES], 40, 5);
    TEST_CASE("%s, %s, %s", names[k], r->why, p.t.type->name);
    if (r->source) p.t.source = r->source;
    p.beside = r->beside ? r->beside : p.t.source;
    p.in_place = r->in_place;
    dap_linalg_report report = {0};
    const dap_linalg_options options = {.sharing = r->sharing, .report = &report};
    dap_error err = {0};
    const dap_status s = problem_run(&p, entry_dominant, &options, &err);
    EXPECT_STATUS(s, r->want, &err);
    if (!s && k < SVD) {
      expect_use(&report, 0, "A", &p.a, r->shared[0]);
      expect_use(&report, 1, k == QR ? "Q" : "B", p.in_place ? &p.a : &p.other,
                 may_differ ? -1 : r->shared[1]);
    }
    problem_end(&p);
  }
}

/* ---- memory -------------------------------------------------------------------------------------------- */

/* gesvd's workspace grows with the square of a block's rows, here to 4 GiB and more. A copy of A also
 * exceeds the bound. */
static void memory(void **state)
{
  (void)state;
  for (int k = QR; k < KINDS; k++) {
    TEST_CASE("%s", names[k]);
    problem p = problem_of((kind)k, k == WIDE ? 9 : 10, element_type_of(DAP_F8), 100000, 3);
    problem_make(&p, entry_any);
    dap_error err = {0};
    allocations_start(0);
    EXPECT_OK(problem_call(&p, NULL, &err), &err);
    const int64_t peak = allocations_peak();
    EXPECT_MSG(peak < 2 << 20, "%" PRId64 " bytes at a time", peak);
    problem_end(&p);
  }
}

/* Each allocation of process 0 is refused once. Operands that are only read keep their elements, and R and
 * X are not written. */
static void without_memory(void **state)
{
  (void)state;
  for (int k = QR; k < (test_scale() > 1 ? WIDE : KINDS); k++) { /* WIDE has SVD's allocations */
    bool refused = true;
    for (int64_t number = 1; refused; number++) {
      TEST_CASE("%s, allocation %d is refused", names[k], (int)number);
      problem p = problem_of((kind)k, number % 2 ? 9 : 25, element_type_of(DAP_F8), 40, 5);
      problem_make(&p, entry_dominant);
      double complex *a = problem_whole(&p, &p.a, 0);
      dap_error err = {0};
      if (test_rank() == 0) allocations_start(number);
      const dap_status s = problem_call(&p, NULL, &err);
      refused = test_any(test_rank() == 0 && allocations_count() >= number);
      if (test_rank() == 0) allocations_start(0);
      if (s)
        expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NOMEM, "");
      else
        problem_check(&p, a);
      EXPECT(expect_same(&p.a) && (!s || k >= SVD || expect_same(&p.small)));
      EXPECT(refused || !s);
      free(a);
      problem_end(&p);
    }
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(special_problems), cmocka_unit_test(no_solution),
                                          cmocka_unit_test(sharing), cmocka_unit_test(memory),
                                          cmocka_unit_test(without_memory)};
MPI_TEST_MAIN(tests)
