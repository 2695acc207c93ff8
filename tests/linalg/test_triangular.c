/* Triangular systems of matrices without an inverse, and elements that are not read. Other ones are drawn by
 * linalg_edges_products. */
#include "harness.h"

#include <dapbridge/linalg_triangular.h>

/* Well conditioned also without its diagonal. */
static double complex entry_triangular(int64_t i, int64_t j)
{
  return i == j ? 4 + entry_any(i, j) : entry_any(i, j) / 16;
}

typedef struct special {
  const char *why;
  char uplo, diag;
  int64_t i, j;
  double value;
  dap_status status;
  const char *parts;
  int64_t info;
} special;

static const special specials[] = {
    {"a zero on the diagonal", 'L', 'N', 4, 4, 0, DAP_ERR_NUMERIC, "A is singular: A(5, 5) is zero", 5},
    {"the same, of ones", 'L', 'U', 4, 4, 0, DAP_OK, "", 0},
    {"NaN on a diagonal of ones", 'U', 'U', 4, 4, NAN, DAP_OK, "", 0},
    {"NaN on the diagonal", 'U', 'N', 4, 4, NAN, DAP_ERR_NUMERIC,
     "A has an element that is not finite|(4, 4)", 0},
    {"NaN in the triangle", 'U', 'N', 2, 5, NAN, DAP_ERR_NUMERIC,
     "A has an element that is not finite|(2, 5)", 0},
    {"the same, with a diagonal of ones", 'U', 'U', 2, 5, NAN, DAP_ERR_NUMERIC, "not finite|(2, 5)", 0},
    {"NaN in the other triangle", 'L', 'N', 2, 5, NAN, DAP_OK, "", 0},
    {"infinity in the triangle", 'L', 'U', 6, 1, INFINITY, DAP_ERR_NUMERIC, "not finite|(6, 1)", 0},
};

static void singular(void **state)
{
  enum { N = 9 };
  (void)state;
  for (size_t i = 0; i < sizeof specials / sizeof specials[0] * (size_t)source_count; i++) {
    const special *s = &specials[i / (size_t)source_count];
    const source *from = &sources[i % (size_t)source_count];
    const int grid[2] = {test_nprocs(), 1};
    const int64_t size[2] = {N, N};
    TEST_CASE("%s, %s", s->why, from->name);
    matrix a = matrix_make(from, &element_types[i % ELEMENT_TYPES], 2, size, grid, entry_triangular),
           b = matrix_make(from, &element_types[i % ELEMENT_TYPES], 2, size, grid, entry_any);
    matrix_set(&a, s->i, s->j, s->value);
    dap_linalg_report report = {0};
    const dap_linalg_options options = {.report = &report};
    dap_error err = {0};
    const dap_status status =
        dap_linalg_triangular_solve(MPI_COMM_WORLD, 'L', s->uplo, "NTC"[i % 3], s -> diag, NULL,
                                    matrix_operand(&a), matrix_operand(&b), &options, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, s->status, s->parts);
    EXPECT_INT(report.info, s->info);
    if (status) expect_same(&b);
    expect_same(&a);
    double complex *x = matrix_whole(&b);
    for (int64_t e = 0; e < N * N; e++)
      if (!EXPECT(isfinite(creal(x[e])))) break;
    free(x);
    matrix_free(&b);
    matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(singular)};
MPI_TEST_MAIN(tests)
