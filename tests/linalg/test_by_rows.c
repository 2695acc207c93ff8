/* QR factors, least squares and singular values of matrices with many rows for each column and process,
 * which are factored by rows: every layout, several chunks a process, special matrices, sharing, and how
 * much memory it takes. */
#include "allocations.h"
#include "by_rows.h"

#include <inttypes.h>

/* ---- every layout -------------------------------------------------------------------------------------- */

static void layouts(void **state)
{
  static const int hows[KINDS][3] = {
      {ALIKE, KEEP, IN_PLACE}, {ALIKE, 0, VECTORS}, {ALIKE, 0, LESS}, {ALIKE, 0, LESS}};
  (void)state;
  for (int i = 0; i < 2 * source_count * KINDS; i++) {
    const kind k = (kind)(i % KINDS);
    const int row = i / KINDS / 2;
    for (int h = 0; h < 3; h++) {
      problem p = problem_of(k, i + h, row, &element_types[(row + i) % ELEMENT_TYPES], 40, 5, i / KINDS % 2);
      p.how = hows[k][h];
      p.t.size[0] += i % 7;
      TEST_CASE("%s: %s, %s over %d x %d, how %d", by_rows_names[k], p.t.source->name, p.t.type->name,
                p.t.grid[0], p.t.grid[1], p.how);
      problem_run(&p, k == SQUARES ? entry_dominant : entry_any, true);
    }
  }
}

/* ---- special problems ---------------------------------------------------------------------------------- */

static double complex entry_graded(int64_t i, int64_t j) /* columns from 1 to 2^-60, rows from 1 to 2^-20 */
{
  return entry_any(i, j) * exp2(-(double)(3 * (j % 21)) - (double)(i % 21));
}

static double complex entry_graded_up(int64_t i, int64_t j) /* small rows first */
{
  return entry_any(i, j) * exp2((double)(i / 50 % 40 - 40));
}

static double complex entry_equal(int64_t i, int64_t j) /* all columns are the same: rank 1 */
{
  (void)j;
  return entry_any(i, 0);
}

static double complex entry_dependent(int64_t i, int64_t j) /* rank 3, after rounding */
{
  return entry_any(i, j % 3) / (double)(1 + j);
}

static double complex entry_corner(int64_t i, int64_t j)
{
  return i == 77 && j == 3 ? 3 : 0;
}

static double complex entry_nearly(int64_t i, int64_t j) /* columns that differ in their last bits */
{
  return entry_any(i, 0) + entry_any(i, j) * 0x1p-20;
}

static double complex entry_top(int64_t i, int64_t j) /* most processes have zeros */
{
  return i < 3 && j < 3 ? entry_any(i, j) : 0;
}

/* `rows` for each process: from 3200 rows of 20 columns on it has several chunks. */
static const struct {
  const char *why;
  int64_t rows, cols;
  int source;
  formula *entry; /* NULL: of full rank, also for least squares */
  int exponents[2];
  int type; /* -1: in turn */
} special[] = {
    {"one chunk", 300, 20, 9, NULL, {0, 0}, -1},
    {"two chunks, the last short", 3203, 20, 9, NULL, {0, 0}, -1},
    {"three chunks", 7000, 20, 10, NULL, {0, 0}, 1},
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
    {"nearly rank 1", 200, 13, 8, entry_nearly, {0, 0}, -1},
    {"rank 2", 200, 13, 12, entry_rank2, {0, 0}, -1},
    {"zeros", 100, 7, 9, entry_zero, {0, 0}, -1},
    {"nearly all zeros", 100, 6, 9, entry_top, {0, 0}, -1},
    {"identity", 100, 9, 0, entry_identity, {0, 0}, -1},
    {"one element", 100, 6, 10, entry_corner, {0, 0}, -1},
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
    const int row = i / KINDS;
    const kind k = (kind)(i % KINDS);
    const int type = special[row].type < 0 ? row % ELEMENT_TYPES : special[row].type;
    const bool is_of_b = special[row].exponents[1] != 0 && type % 2 == 0; /* of single precision */
    if (k == SQUARES ? special[row].entry != NULL : is_of_b) continue;
    problem p = problem_of(k, row + 1, special[row].source, &element_types[type], special[row].rows,
                           special[row].cols, false);
    memcpy(p.exponents, special[row].exponents, sizeof p.exponents);
    p.how = ALIKE;
    TEST_CASE("%s, %s: %d x %d %s", by_rows_names[k], special[row].why, (int)p.t.size[0], (int)p.t.size[1],
              p.t.type->name);
    problem_run(&p,
                special[row].entry ? special[row].entry
                : k == SQUARES     ? entry_dominant
                                   : entry_any,
                false);
  }
}

/* ---- elements that are not finite, and no full rank ---------------------------------------------------- */

static double complex entry_gap(int64_t i, int64_t j) /* column 2 is 0 */
{
  return j == 2 ? 0 : entry_any(i, j);
}

static const struct {
  const char *why;
  kind kind;
  int source;
  formula *entry;
  int64_t row, column; /* of an element that gets a value; row -1: the last one, -2: no such element */
  double value;
  int64_t info;
  const char *parts; /* NULL: R is not finite, either */
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
};

static void no_solution(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
    TEST_CASE("%s, %s", by_rows_names[failures[i].kind], failures[i].why);
    problem p =
        problem_of(failures[i].kind, (int)i, failures[i].source, element_type_of(DAP_F8), 40, 5, false);
    p.how = ALIKE;
    problem_make(&p, failures[i].entry);
    const int64_t row = failures[i].row == -1 ? p.t.size[0] - 1 : failures[i].row;
    if (row >= 0) matrix_set(&p.a, row, failures[i].column, failures[i].value);
    dap_linalg_report report = {0};
    const dap_linalg_options options = {.report = &report};
    dap_error err = {0};
    const dap_status s = problem_call(&p, &options, &err),
                     want = failures[i].parts ? DAP_ERR_NUMERIC : DAP_OK;
    expect_same_error(MPI_COMM_WORLD, s, &err, want, failures[i].parts ? failures[i].parts : "");
    EXPECT_INT(report.info, failures[i].info);
    EXPECT(expect_same(&p.a) && (!s || (expect_same(&p.other) && expect_same(&p.small))));
    double complex *small = matrix_whole(&p.small);
    bool is_finite = true;
    for (int64_t k = 0; k < p.small.size[0] * p.small.size[1]; k++)
      is_finite = is_finite && isfinite(creal(small[k])) && isfinite(cimag(small[k]));
    EXPECT(!is_finite);
    free(small);
    problem_end(&p);
    SETTLE();
  }
}

/* NaN and infinity in one right-hand side reach its solution, and no other one. */
static void unfinished_sides(void **state)
{
  (void)state;
  for (int i = 0; i < 3; i++) {
    const double value = i == 0 ? NAN : i == 1 ? INFINITY : -INFINITY;
    TEST_CASE("%g in B", value);
    problem p = problem_of(SQUARES, i, 9 + i % 2, element_type_of(DAP_F8), 40, 5, false);
    p.how = ALIKE;
    problem_make(&p, entry_dominant);
    matrix_set(&p.other, p.t.size[0] - 2, 1, value);
    dap_error err = {0};
    EXPECT_OK(problem_call(&p, NULL, &err), &err);
    double complex *x = matrix_whole(&p.small);
    for (int64_t k = 0; k < 10; k++) EXPECT(isfinite(creal(x[k])) == (k < 5));
    free(x);
    problem_end(&p);
    SETTLE();
  }
}

/* ---- sharing ------------------------------------------------------------------------------------------- */

static const struct {
  const char *why;
  int source, how;
  dap_sharing sharing;
  dap_status want;
  int shared[2]; /* of A, and of Q or B */
} sharings[] = {
    {"uneven rows need no copy", 17, ALIKE, DAP_SHARE_OR_FAIL, DAP_OK, {1, 1}},
    {"Q is A, in uneven rows", 17, IN_PLACE, DAP_SHARE_OR_FAIL, DAP_OK, {1, 1}},
    {"Q or B lies elsewhere, and must not be moved", 17, 0, DAP_SHARE_OR_FAIL, DAP_ERR_SHARE, {0, 0}},
    {"Q or B lies elsewhere, and A stays", 17, 0, DAP_SHARE_IF_POSSIBLE, DAP_OK, {1, 0}},
    {"blocks of rotated ranks", 7, 0, DAP_SHARE_IF_POSSIBLE, DAP_OK, {1, 0}},
    {"copies were asked for", 17, ALIKE, DAP_SHARE_NEVER, DAP_OK, {0, 0}},
    {"a copy was asked for, and Q is A", 17, IN_PLACE, DAP_SHARE_NEVER, DAP_OK, {0, 0}},
    {"lists of rows are moved", 25, ALIKE, DAP_SHARE_IF_POSSIBLE, DAP_OK, {0, 0}},
};

/* On one process every operand lies as A does. */
static void sharing(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof sharings / sizeof sharings[0] * SVD; i++) {
    const size_t row = i / SVD;
    const kind k = (kind)(i % SVD);
    const bool is_elsewhere = sharings[row].how == 0 && test_nprocs() == 1;
    if ((is_elsewhere && sharings[row].want) || (k != QR && sharings[row].how & IN_PLACE)) continue;
    TEST_CASE("%s, %s", by_rows_names[k], sharings[row].why);
    problem p = problem_of(k, (int)row, sharings[row].source, element_type_of(DAP_F8), 40, 5, false);
    p.how = sharings[row].how;
    problem_make(&p, entry_dominant);
    double complex *a = matrix_whole(&p.a);
    dap_linalg_report report = {0};
    const dap_linalg_options options = {.sharing = sharings[row].sharing, .report = &report};
    dap_error err = {0};
    EXPECT_STATUS(problem_call(&p, &options, &err), sharings[row].want, &err);
    if (!sharings[row].want) {
      problem_check(&p, a);
      expect_use(&report, 0, "A", &p.a, sharings[row].shared[0]);
      expect_use(&report, 1, k == QR ? "Q" : "B", p.how & IN_PLACE ? &p.a : &p.other,
                 is_elsewhere ? -1 : sharings[row].shared[1]);
    }
    free(a);
    problem_end(&p);
    SETTLE();
  }
}

/* A and Q, B or U have blocks of one size, which begin on different processes. */
static void other_first_owner(void **state)
{
  static const source cyclic = {
      .name = "F, blocks 4 x 4", .axes = {{CUT_CYCLIC, 4}, {CUT_CYCLIC, 4}}, .order = 'F'};
  static const source rotated = {
      .name = "rotated", .axes = {{CUT_ROTATED, 4}, {CUT_ROTATED, 4}}, .order = 'F'};
  (void)state;
  for (int i = 0; i < KINDS * ELEMENT_TYPES; i++) {
    problem p = problem_of((kind)(i % KINDS), i, 0, &element_types[i / KINDS], 40, 5, false);
    p.t.source = &cyclic, p.beside = &rotated;
    TEST_CASE("%s, %s", by_rows_names[p.kind], p.t.type->name);
    problem_run(&p, entry_dominant, false);
  }
}

/* ---- memory -------------------------------------------------------------------------------------------- */

/* gesvd's workspace has the square of a block's rows: 28 GiB and more here. */
static void memory(void **state)
{
  (void)state;
  for (int i = 0; i < 2 * KINDS; i++) {
    const int64_t rows = i < KINDS ? 60000 : 240000;
    TEST_CASE("%s, %d rows on each process", by_rows_names[i % KINDS], (int)rows);
    problem p =
        problem_of((kind)(i % KINDS), i, i % KINDS == WIDE ? 9 : 10, element_type_of(DAP_F8), rows, 3, false);
    p.how = ALIKE;
    problem_make(&p, entry_any);
    dap_error err = {0};
    allocations_start(0);
    EXPECT_OK(problem_call(&p, NULL, &err), &err);
    const int64_t peak = allocations_peak();
    EXPECT_MSG(peak < 2 << 20, "%" PRId64 " bytes at a time", peak);
    problem_end(&p);
    SETTLE();
  }
}

/* Each allocation of process 0 is refused once: what is only read keeps its elements, and R and X are not
 * written. */
static void without_memory(void **state)
{
  (void)state;
  for (int k = QR; k < KINDS; k++) {
    int refused = 1;
    for (int64_t number = 1; refused; number++) {
      TEST_CASE("%s, allocation %d is refused", by_rows_names[k], (int)number);
      problem p =
          problem_of((kind)k, (int)number, number % 2 ? 9 : 25, element_type_of(DAP_F8), 40, 5, false);
      p.how = ALIKE;
      problem_make(&p, entry_dominant);
      double complex *a = problem_whole(&p, &p.a, 0, true);
      dap_error err = {0};
      if (test_rank() == 0) allocations_start(number);
      const dap_status s = problem_call(&p, NULL, &err);
      refused = test_rank() == 0 && allocations_count() >= number;
      if (test_rank() == 0) allocations_start(0);
      MPI_Bcast(&refused, 1, MPI_INT, 0, MPI_COMM_WORLD);
      if (s)
        expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NOMEM, "");
      else
        problem_check(&p, a);
      EXPECT(expect_same(&p.a) && (!s || k >= SVD || expect_same(&p.small)));
      EXPECT(refused || !s);
      free(a);
      problem_end(&p);
      SETTLE();
    }
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(layouts),     cmocka_unit_test(special_problems),
                                          cmocka_unit_test(no_solution), cmocka_unit_test(unfinished_sides),
                                          cmocka_unit_test(sharing),     cmocka_unit_test(other_first_owner),
                                          cmocka_unit_test(memory),      cmocka_unit_test(without_memory)};
MPI_TEST_MAIN(tests)
