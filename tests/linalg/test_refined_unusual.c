/* dap_linalg_solve_refined(): zeros and NaN in right-hand sides, singular matrices, what is refused. */
#include "harness.h"

#include <dapbridge/linalg_factors.h>

static double complex entry_mixed(int64_t i, int64_t j)
{
  if (j == 1) return 0;
  return j == 2 && i == 3 ? NAN : entry_any(i, j);
}

/* Zeros are solved exactly, NaN stays in its column, and outputs may be left out. */
static void unusual_sides(void **state)
{
  enum { N = 13, NRHS = 4 };
  (void)state;
  for (int i = 0; i < source_count; i++) {
    trial t = {.number = i,
               .source = &sources[i],
               .type = &element_types[i % ELEMENT_TYPES],
               .size = {N, N},
               .grid = {test_nprocs(), 1}};
    TEST_CASE("%s, %s", t.source->name, t.type->name);
    matrix a = trial_matrix(&t, N, N, entry_any), b = trial_matrix(&t, N, NRHS, entry_mixed),
           x = trial_other(&t, N, NRHS, entry_any), y = trial_matrix(&t, N, NRHS, entry_any);
    double forward[NRHS], backward[NRHS];
    dap_error err = {0};
    EXPECT_OK(dap_linalg_solve_refined(MPI_COMM_WORLD, 'N', matrix_operand(&a), matrix_operand(&b),
                                       matrix_operand(&x), forward, backward, NULL, NULL, &err),
              &err);
    double complex *got = matrix_whole(&x);
    for (int64_t e = 0; e < N; e++)
      EXPECT(got[N + e] == 0 && isfinite(creal(got[e])) && isfinite(creal(got[3 * N + e])));
    EXPECT(!isfinite(creal(got[2 * N])) && !(backward[2] < 1) && !(forward[2] < 1));
    EXPECT(backward[1] == 0 && forward[1] < 1e-30);
    EXPECT(backward[0] < 8 * t.type->eps && backward[3] < 8 * t.type->eps);
    EXPECT_OK(dap_linalg_solve_refined(MPI_COMM_WORLD, 'N', matrix_operand(&a), matrix_operand(&b),
                                       matrix_operand(&y), NULL, NULL, NULL, NULL, &err),
              &err);
    free(got);
    matrix_free(&y), matrix_free(&x), matrix_free(&b), matrix_free(&a);
    SETTLE();
  }
}

typedef struct special {
  const char *why;
  int64_t a[2], b[2], x[2];
  formula *entry;
  char trans;
  bool same, alone;
  dap_status status;
  const char *parts;
  int64_t info;
} special;

static const special specials[] = {
    {"a zero column",
     {33, 33},
     {33, 3},
     {33, 3},
     entry_singular,
     'N',
     false,
     false,
     DAP_ERR_NUMERIC,
     "A is singular|U(3, 3)",
     3},
    {"zeros",
     {33, 33},
     {33, 3},
     {33, 3},
     entry_zero,
     'C',
     false,
     false,
     DAP_ERR_NUMERIC,
     "A is singular|U(1, 1)",
     1},
    {"NaN",
     {33, 33},
     {33, 3},
     {33, 3},
     entry_nan,
     'T',
     false,
     false,
     DAP_ERR_NUMERIC,
     "A has|not finite|(0, 0)",
     0},
    {"not square", {5, 4}, {5, 3}, {5, 3}, entry_any, 'N', false, false, DAP_ERR_ARG, "A|square|5 x 4", 0},
    {"B is too short",
     {5, 5},
     {4, 3},
     {5, 3},
     entry_any,
     'N',
     false,
     false,
     DAP_ERR_ARG,
     "B must be 5 x 3",
     0},
    {"X is too narrow",
     {5, 5},
     {5, 3},
     {5, 2},
     entry_any,
     'N',
     false,
     false,
     DAP_ERR_ARG,
     "X must be 5 x 3",
     0},
    {"X in B's buffer",
     {5, 5},
     {5, 3},
     {5, 3},
     entry_any,
     'N',
     true,
     false,
     DAP_ERR_ARG,
     "B and X overlap",
     0},
    {"no trans", {5, 5}, {5, 3}, {5, 3}, entry_any, 'X', false, false, DAP_ERR_ARG, "trans|'X'", 0},
    {"bounds on one process", {5, 5}, {5, 3}, {5, 3}, entry_any, 'N', false, true, DAP_ERR_ARG, "forward", 0},
};

static void singular_or_refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof specials / sizeof specials[0] * (size_t)source_count; i++) {
    const special *s = &specials[i / (size_t)source_count];
    const source *on = &sources[i % (size_t)source_count];
    const element_type *type = &element_types[i % ELEMENT_TYPES];
    const int grid[2] = {test_nprocs(), 1};
    if (s->alone && test_nprocs() == 1) continue;
    TEST_CASE("%s, %s", s->why, on->name);
    matrix a = matrix_make(on, type, 2, s->a, grid, s->entry),
           b = matrix_make(on, type, 2, s->b, grid, entry_any),
           x = matrix_make(on, type, 2, s->x, grid, entry_any);
    double forward[3];
    dap_linalg_report report = {0};
    const dap_linalg_options options = {.report = &report};
    dap_linalg_refinement refinement = {.rcond = 5};
    dap_error err = {0};
    const dap_status status = dap_linalg_solve_refined(
        MPI_COMM_WORLD, s->trans, matrix_operand(&a), matrix_operand(&b), matrix_operand(s->same ? &b : &x),
        s->alone && test_rank() == 0 ? NULL : forward, NULL, &refinement, &options, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, s->status, s->parts);
    EXPECT_INT(report.info, s->info);
    EXPECT(refinement.rcond == 5);
    expect_same(&a), expect_same(&b), expect_same(&x);
    matrix_free(&x), matrix_free(&b), matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(unusual_sides),
                                          cmocka_unit_test(singular_or_refused)};
LINALG_TEST_MAIN(tests)
