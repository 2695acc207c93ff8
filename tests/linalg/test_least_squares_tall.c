/* dap_linalg_least_squares() of matrices with many rows for each column and process: every layout, several
 * chunks a process, sizes of elements, options, and how much memory it takes. */
#include "allocations.h"
#include "tall_runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- one problem --------------------------------------------------------------------------------------- */

typedef struct operands {
  matrix a, b, x;
} operands;

static int exponent_a, exponent_b; /* of the elements of A and B */

static double complex entry_a(int64_t i, int64_t j)
{
  return entry_dominant(i, j) * ldexp(1, exponent_a);
}

static double complex entry_b(int64_t i, int64_t j)
{
  return entry_any(i, j) * ldexp(1, exponent_b);
}

/* Where B and X lie: beside A, or in layouts of their own. */
enum { ALIKE = 1, B_ALIKE = 2 };

/* nrhs 0: B and X have one axis. */
static operands make(const trial *t, int64_t nrhs, int how)
{
  const int64_t m = t->size[0], n = t->size[1];
  operands o = {.a = trial_matrix(t, m, n, entry_a)};
  if (nrhs == 0) {
    o.b = trial_vector(t, m, false, entry_b), o.x = trial_vector(t, n, false, entry_nans);
    return o;
  }
  o.b = how & (ALIKE | B_ALIKE) ? trial_matrix(t, m, nrhs, entry_b) : trial_other(t, m, nrhs, entry_b);
  o.x = how & ALIKE ? trial_matrix(t, n, nrhs, entry_nans) : trial_other(t, n, nrhs, entry_nans);
  return o;
}

static void end(operands *o)
{
  matrix_free(&o->x), matrix_free(&o->b), matrix_free(&o->a);
}

static dap_status solve(const operands *o, const dap_linalg_options *options, dap_error *err)
{
  return dap_linalg_least_squares(MPI_COMM_WORLD, matrix_operand(&o->a), matrix_operand(&o->b),
                                  matrix_operand(&o->x), options, err);
}

/* X against LAPACK's solution with elements about 1. */
static double check_solution(const trial *t, int64_t nrhs, const operands *o)
{
  const int64_t m = t->size[0], n = t->size[1];
  double complex *a = whole_make(m, n, entry_dominant, t->type), *b = whole_make(m, nrhs, entry_any, t->type);
  double complex *x = matrix_whole(&o->x), *want = serial_least_squares(m, n, nrhs, a, b);
  const int power = exponent_a - exponent_b;
  for (int64_t k = 0; k < n * nrhs; k++) x[k] = CMPLX(ldexp(creal(x[k]), power), ldexp(cimag(x[k]), power));
  const double difference =
      residual_difference(n, nrhs, x, want, whole_norm('F', n, nrhs, want), n, t->type->eps);
  EXPECT_MSG(difference <= 100 * RESIDUAL_LIMIT, "X: %g from the solution", difference);
  const double normal = residual_normal(m, n, nrhs, a, x, b, t->type->eps);
  expect_residual("A^H (A X - B)", normal);
  free(want), free(x), free(b), free(a);
  return normal;
}

/* A and B are only read. They are used where they are if each process has whole rows, the same of both. */
static void check_uses(const trial *t, int64_t nrhs, int how, const operands *o,
                       const dap_linalg_report *report)
{
  const bool whole_rows = t->grid[1] == 1 && !source_is_listed(t->source);
  const bool beside = nrhs > 0 && how & (ALIKE | B_ALIKE);
  EXPECT(expect_same(&o->a) && expect_same(&o->b) && expect_padding(&o->x));
  expect_use(report, 0, "A", &o->a, whole_rows);
  expect_use(report, 1, "B", &o->b, beside || !whole_rows ? beside && whole_rows : -1);
  expect_use(report, 2, "X", &o->x, 0);
}

static void check(const trial *t, int64_t nrhs, int how, const char *name)
{
  operands o = make(t, nrhs, how);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report, .keep = t->number % 3 == 0};
  dap_error err = {0};
  EXPECT_OK(solve(&o, &options, &err), &err);
  const double residual = check_solution(t, nrhs ? nrhs : 1, &o);
  check_uses(t, nrhs, how, &o, &report);
  log_trial(name, t, &report, residual);
  end(&o);
}

/* ---- every layout -------------------------------------------------------------------------------------- */

/* With rows whole on each process, and with all in pieces. */
static void layouts(void **state)
{
  (void)state;
  const int nprocs = test_nprocs();
  exponent_a = exponent_b = 0;
  for (int i = 0; i < 2 * source_count; i++) {
    const bool split = i % 2;
    trial t = {.number = i, .source = &sources[i / 2], .type = &element_types[(i / 2 + i) % ELEMENT_TYPES]};
    t.size[0] = (int64_t)40 * nprocs + i % 7, t.size[1] = 5;
    t.grid[0] = split ? 1 : nprocs, t.grid[1] = split ? nprocs : 1;
    TEST_CASE("layouts: %s, %s over %d x %d", t.source->name, t.type->name, t.grid[0], t.grid[1]);
    check(&t, 3, ALIKE, "tall");
    check(&t, 2, B_ALIKE, "tall, X elsewhere");
    check(&t, 1, 0, "tall, B and X elsewhere");
    check(&t, 0, 0, "tall, vectors");
    SETTLE();
  }
}

/* ---- special problems ---------------------------------------------------------------------------------- */

/* `rows` for each process. */
static const struct {
  const char *why;
  int64_t rows, cols, nrhs;
  int source, of_a, of_b; /* exponents */
  int type;               /* -1: in turn */
} special[] = {
    {"one chunk", 300, 20, 3, 9, 0, 0, -1},
    {"two chunks, the last short", 2900, 20, 2, 9, 0, 0, -1},
    {"three chunks", 7000, 20, 5, 10, 0, 0, -1},
    {"chunks of uneven rows", 3300, 20, 2, 17, 0, 0, -1},
    {"chunks on one process", 3300, 20, 2, 16, 0, 0, -1},
    {"padded chunks", 3300, 20, 2, 11, 0, 0, -1},
    {"one column", 3300, 1, 1, 9, 0, 0, -1},
    {"one column, many right-hand sides", 500, 1, 100, 10, 0, 0, -1},
    {"more right-hand sides than columns", 900, 3, 200, 9, 0, 0, -1},
    {"as many rows as is least", 80, 16, 4, 10, 0, 0, -1},
    {"fewer rows than is least, by other means", 79, 16, 4, 17, 0, 0, -1},
    {"squares of A underflow", 100, 6, 2, 9, -90, 0, 0},
    {"squares of A overflow", 100, 6, 2, 10, 100, 0, 2},
    {"squares of B underflow", 100, 6, 2, 9, 0, -90, 0},
    {"the length of B overflows", 900, 6, 2, 9, 0, 127, 0},
    {"A and B are large", 900, 6, 2, 9, 120, 126, 2},
    {"A and B are small", 100, 6, 2, 9, -110, -112, 0},
    {"squares underflow in double precision", 100, 6, 2, 9, -500, -510, 1},
    {"squares overflow in double precision", 100, 6, 2, 10, 900, 1000, 3},
    {"the quotient of the scales overflows", 100, 6, 2, 10, -1000, -1010, 1},
};

static void special_problems(void **state)
{
  (void)state;
  const int nprocs = test_nprocs();
  for (int i = 0; i < (int)(sizeof special / sizeof special[0]); i++) {
    trial t = {.number = i + 1, .source = &sources[special[i].source]};
    t.type = &element_types[special[i].type < 0 ? i % ELEMENT_TYPES : special[i].type];
    t.size[0] = special[i].rows * nprocs, t.size[1] = special[i].cols;
    t.grid[0] = nprocs, t.grid[1] = 1;
    exponent_a = special[i].of_a, exponent_b = special[i].of_b;
    TEST_CASE("%s: %d x %d %s", special[i].why, (int)t.size[0], (int)t.size[1], t.type->name);
    operands o = make(&t, special[i].nrhs, ALIKE);
    dap_error err = {0};
    EXPECT_OK(solve(&o, NULL, &err), &err);
    check_solution(&t, special[i].nrhs, &o);
    end(&o);
    SETTLE();
  }
  exponent_a = exponent_b = 0;
}

/* ---- no solution --------------------------------------------------------------------------------------- */

static double complex entry_gap(int64_t i, int64_t j) /* column 2 is 0 */
{
  return j == 2 ? 0 : entry_any(i, j);
}

static const struct {
  const char *why;
  int source;
  formula *entry;
  int64_t row, column; /* of an element that gets a value; row -1: the last one, -2: no such element */
  double value;
  int64_t info;
  const char *parts;
} failures[] = {
    {"zeros", 9, entry_zero, -2, 0, 0, 1, "full rank|element 1 of"},
    {"a column of zeros", 10, entry_gap, -2, 0, 0, 3, "full rank|element 3 of"},
    {"a column of zeros, moved", 25, entry_gap, -2, 0, 0, 3, "full rank|element 3 of"},
    {"NaN, the first element", 9, entry_any, 0, 0, NAN, 0, "A has|not finite|(0, 0)"},
    {"infinity in the last process's last row", 10, entry_any, -1, 2, INFINITY, 0, "A has|not finite|, 2)"},
    {"minus infinity in padded blocks", 11, entry_any, 7, 1, -INFINITY, 0, "A has|not finite|(7, 1)"},
    {"NaN of a matrix that is moved", 25, entry_any, 5, 4, NAN, 0, "A has|not finite|(5, 4)"},
};

static void no_solution(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
    TEST_CASE("%s", failures[i].why);
    const trial t = tall_trial(failures[i].source, 40);
    operands o = make(&t, 2, ALIKE);
    dap_linalg_report report = {0};
    const dap_linalg_options options = {.report = &report};
    dap_error err = {0};
    matrix_fill(&o.a, failures[i].entry);
    const int64_t row = failures[i].row == -1 ? t.size[0] - 1 : failures[i].row;
    if (row >= 0) matrix_set(&o.a, row, failures[i].column, failures[i].value);
    const dap_status s = solve(&o, &options, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NUMERIC, failures[i].parts);
    EXPECT_INT(report.info, failures[i].info);
    EXPECT(expect_same(&o.a) && expect_same(&o.b) && expect_same(&o.x));
    end(&o);
    SETTLE();
  }
}

/* NaN and infinity in one right-hand side reach its solution, and no other one. */
static void unfinished_sides(void **state)
{
  (void)state;
  const double values[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++) {
    TEST_CASE("%g in B", values[i]);
    const trial t = tall_trial(9 + i % 2, 40);
    operands o = make(&t, 3, ALIKE);
    matrix_set(&o.b, t.size[0] - 2, 1, values[i]);
    dap_error err = {0};
    EXPECT_OK(solve(&o, NULL, &err), &err);
    double complex *x = matrix_whole(&o.x), *a = matrix_whole(&o.a),
                   *b = whole_make(t.size[0], 3, entry_any, t.type);
    double complex *want = serial_least_squares(t.size[0], 5, 3, a, b);
    for (int64_t k = 0; k < 15; k++) {
      const bool is_finite = isfinite(creal(x[k]));
      EXPECT_MSG(k / 5 == 1 ? !is_finite : cabs(x[k] - want[k]) < 1e-12, "X %d is %g", (int)k, creal(x[k]));
    }
    free(want), free(b), free(a), free(x);
    end(&o);
    SETTLE();
  }
}

/* ---- sharing ------------------------------------------------------------------------------------------- */

static const tall_sharing sharings[] = {
    {"uneven rows need no copy", 17, ALIKE, DAP_SHARE_OR_FAIL, DAP_OK, {1, 1}},
    {"B lies elsewhere, and must not be moved", 17, 0, DAP_SHARE_OR_FAIL, DAP_ERR_SHARE, {-1, -1}},
    {"B lies elsewhere, and A stays", 17, 0, DAP_SHARE_IF_POSSIBLE, DAP_OK, {1, 0}},
    {"B goes to blocks of rotated ranks", 7, 0, DAP_SHARE_IF_POSSIBLE, DAP_OK, {1, 0}},
    {"a copy was asked for", 17, ALIKE, DAP_SHARE_NEVER, DAP_OK, {0, 0}},
    {"lists of rows are moved", 25, ALIKE, DAP_SHARE_IF_POSSIBLE, DAP_OK, {0, 0}},
};

static void check_sharing(const trial *t, const tall_sharing *row, const dap_linalg_options *options)
{
  operands o = make(t, 2, row->how);
  dap_error err = {0};
  EXPECT_STATUS(solve(&o, options, &err), row->want, &err);
  EXPECT(expect_same(&o.a) && expect_same(&o.b));
  if (!row->want) {
    check_solution(t, 2, &o);
    expect_use(options->report, 0, "A", &o.a, row->shared[0]);
    expect_use(options->report, 1, "B", &o.b, row->shared[1]);
  }
  end(&o);
}

static void sharing(void **state)
{
  (void)state;
  tall_check_sharing(sharings, sizeof sharings / sizeof sharings[0], ALIKE | B_ALIKE, check_sharing);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static void memory(void **state)
{
  (void)state;
  for (int64_t rows = 60000; rows <= 240000; rows *= 4) {
    TEST_CASE("%d rows on each process", (int)rows);
    const trial t = tall_trial(10, rows);
    operands o = make(&t, 1, ALIKE);
    dap_error err = {0};
    allocations_start(0);
    EXPECT_OK(solve(&o, NULL, &err), &err);
    const int64_t peak = allocations_peak();
    EXPECT_MSG(peak < 2 << 20, "%" PRId64 " bytes at a time", peak);
    end(&o);
    SETTLE();
  }
}

/* Each allocation of process 0 is refused once: nothing is written. */
static void without_memory(void **state)
{
  (void)state;
  int refused = 1;
  for (int64_t number = 1; refused; number++) {
    TEST_CASE("allocation %d is refused", (int)number);
    const trial t = tall_trial(number % 2 ? 9 : 25, 40);
    operands o = make(&t, 2, ALIKE);
    dap_error err = {0};
    if (test_rank() == 0) allocations_start(number);
    const dap_status s = solve(&o, NULL, &err);
    refused = test_rank() == 0 && allocations_count() >= number;
    if (test_rank() == 0) allocations_start(0);
    MPI_Bcast(&refused, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (s) {
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NOMEM, "");
      EXPECT(expect_same(&o.x));
    } else {
      check_solution(&t, 2, &o);
    }
    EXPECT(expect_same(&o.a) && expect_same(&o.b));
    EXPECT(refused || !s);
    end(&o);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(layouts),       cmocka_unit_test(special_problems),
                                          cmocka_unit_test(no_solution),   cmocka_unit_test(unfinished_sides),
                                          cmocka_unit_test(sharing),       cmocka_unit_test(memory),
                                          cmocka_unit_test(without_memory)};
LINALG_TEST_MAIN(tests)
