/* What linalg_banded.h refuses. */
#include "banded.h"

typedef struct refusal {
  const char *why;
  band_kind kind;
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

static const struct CMUnitTest tests[] = {cmocka_unit_test(refused), cmocka_unit_test(differing)};
LINALG_TEST_MAIN(tests)
