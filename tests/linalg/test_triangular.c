/* Triangular solve and multiply against products of whole matrices. The triangle that is not to be read holds
 * NaN, and the diagonal, too, where it counts as ones. */
#include "harness.h"

#include <dapbridge/linalg_triangular.h>

typedef struct letters {
  char side, uplo, trans, diag;
} letters;

/* All 24 of them, one after the other. */
static letters letters_of(int number)
{
  return (letters){"LR"[number % 2], "LU"[number / 2 % 2], "NTC"[number / 4 % 3], "NU"[number / 12 % 2]};
}

/* Well conditioned also without its diagonal. */
static double complex entry_triangular(int64_t i, int64_t j)
{
  return i == j ? 4 + entry_any(i, j) : entry_any(i, j) / 16;
}

/* What of A counts. */
static double complex *triangle_of(int64_t n, letters l, const element_type *type)
{
  double complex *a = whole_make(n, n, entry_triangular, type);
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < n; i++) {
      if (i == j && l.diag == 'U') a[i + j * n] = 1;
      if (l.uplo == 'L' ? i < j : i > j) a[i + j * n] = 0;
    }
  return a;
}

static matrix make_triangle(const trial *t, int64_t n, letters l)
{
  matrix a = trial_matrix(t, n, n, entry_triangular);
  matrix_set_triangle(&a, l.uplo == 'L' ? 'U' : 'L', CMPLX(NAN, NAN));
  for (int64_t i = 0; i < n && l.diag == 'U'; i++) matrix_set(&a, i, i, CMPLX(NAN, NAN));
  return a;
}

static double residual(letters l, int64_t m, int64_t n, const double complex *a, const double complex *b,
                       double complex alpha, const double complex *product, double eps)
{
  double complex *scaled = whole_copy(m, n, b);
  for (int64_t i = 0; i < m * n; i++) scaled[i] *= alpha;
  const double r = l.side == 'L' ? residual_product(l.trans, 'N', m, n, m, a, scaled, product, eps)
                                 : residual_product('N', l.trans, m, n, n, scaled, a, product, eps);
  free(scaled);
  return r;
}

static const double alphas[][2] = {{1, 0}, {-0.5, 0}, {0.25, -1.5}};

/* Multiplies, and solves to get B back. Frees *b. */
static void check(const trial *t, letters l, matrix *b, const char *label)
{
  const int64_t m = b->size[0], n = b->size[1], order = l.side == 'L' ? m : n;
  matrix a = make_triangle(t, order, l);
  double complex *whole_a = triangle_of(order, l, t->type), *before = matrix_whole(b);
  double alpha[2] = {alphas[t->number % 3][0], t->type->is_complex ? alphas[t->number % 3][1] : 0};
  const double *given = t->number % 3 ? alpha : NULL;
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report};
  dap_error err = {.rank = -7};
  EXPECT_OK(dap_linalg_triangular_multiply(MPI_COMM_WORLD, l.side, l.uplo, l.trans, l.diag, given,
                                           matrix_operand(&a), matrix_operand(b), &options, &err),
            &err);
  double complex *product = matrix_whole(b);
  const double r = residual(l, m, n, whole_a, before, CMPLX(alpha[0], alpha[1]), product, t->type->eps);
  EXPECT_MSG(r <= RESIDUAL_LIMIT, "product %c%c%c%c: residual %g", l.side, l.uplo, l.trans, l.diag, r);
  EXPECT_INT(report.count, 2);
  expect_use(&report, 0, "A", &a, -1), expect_use(&report, 1, "B", b, -1);

  EXPECT_OK(dap_linalg_triangular_solve(MPI_COMM_WORLD, l.side, l.uplo, l.trans, l.diag, given,
                                        matrix_operand(&a), matrix_operand(b), &options, &err),
            &err);
  EXPECT_MSG(err.rank == -7 && !err.text[0], "the error was written without one: %s", err.text);
  double complex *x = matrix_whole(b);
  for (int64_t i = 0; i < m * n; i++) product[i] *= CMPLX(alpha[0], alpha[1]);
  const double s = residual(l, m, n, whole_a, x, 1, product, t->type->eps);
  EXPECT_MSG(s <= RESIDUAL_LIMIT, "solution %c%c%c%c: residual %g", l.side, l.uplo, l.trans, l.diag, s);
  expect_use(&report, 0, "A", &a, -1), expect_use(&report, 1, "B", b, -1);
  expect_same(&a);
  expect_padding(b);
  log_trial(label, t, &report, s);
  free(x), free(product), free(before), free(whole_a);
  matrix_free(&a);
  matrix_free(b);
  SETTLE();
}

static void everywhere(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_ANY);) {
    const int64_t m = t.size[0], n = t.size[1];
    matrix b = trial_matrix(&t, m, n, entry_any);
    check(&t, letters_of(t.number), &b, "triangular beside");
    b = trial_other(&t, m, n, entry_any);
    check(&t, letters_of(5 * t.number + 1), &b, "triangular elsewhere");
    letters l = letters_of(7 * t.number + 2);
    l.side = 'L';
    b = trial_vector(&t, m, false, entry_any);
    check(&t, l, &b, "triangular (n,)");
  }
}

/* All letters with A and B in C and F order, alike and not; nothing is moved. */
static void all_letters(void **state)
{
  (void)state;
  for (int i = 0; i < 4 * 24 * ELEMENT_TYPES; i++) {
    const letters l = letters_of(i % 24);
    const int orders = i / 24 % 4, number = i % 3;
    trial t = {.number = number,
               .source = &sources[orders % 2],
               .type = &element_types[i / 96],
               .size = {20, 20},
               .grid = {test_nprocs(), 1}};
    const source *other = &sources[orders / 2];
    TEST_CASE("%c%c%c%c, %s with %s, %s", l.side, l.uplo, l.trans, l.diag, t.source->name, other->name,
              t.type->name);
    matrix b = matrix_make(other, t.type, 2, t.size, t.grid, entry_any);
    check(&t, l, &b, "triangular letters");
  }
}

/* ---- no inverse ------------------------------------------------------------------------------------ */

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

/* ---- refused --------------------------------------------------------------------------------------- */

typedef struct refusal {
  const char *why;
  letters l;
  int64_t a[2], b[2];
  int type_b;
  bool imaginary, same;
  dap_status status;
  const char *parts;
} refusal;

static const refusal refusals[] = {
    {"a side that is none", {'X', 'L', 'N', 'N'}, {5, 5}, {5, 3}, 1, false, false, DAP_ERR_ARG, "side|'X'"},
    {"a triangle that is none",
     {'L', 'A', 'N', 'N'},
     {5, 5},
     {5, 3},
     1,
     false,
     false,
     DAP_ERR_ARG,
     "uplo|'A'"},
    {"no trans", {'L', 'L', 'n', 'N'}, {5, 5}, {5, 3}, 1, false, false, DAP_ERR_ARG, "trans|'n'"},
    {"no diag", {'L', 'L', 'N', 'L'}, {5, 5}, {5, 3}, 1, false, false, DAP_ERR_ARG, "diag|'L'"},
    {"not square", {'L', 'L', 'N', 'N'}, {5, 4}, {5, 3}, 1, false, false, DAP_ERR_ARG, "A|square|5 x 4"},
    {"B is too short", {'L', 'L', 'N', 'N'}, {5, 5}, {4, 3}, 1, false, false, DAP_ERR_ARG, "B must be 5 x 3"},
    {"B is too narrow",
     {'R', 'L', 'N', 'N'},
     {5, 5},
     {4, 3},
     1,
     false,
     false,
     DAP_ERR_ARG,
     "B must be 4 x 5"},
    {"another type",
     {'L', 'L', 'N', 'N'},
     {5, 5},
     {5, 3},
     3,
     false,
     false,
     DAP_ERR_BUFFER,
     "B|complex128|float64"},
    {"an imaginary part", {'L', 'L', 'N', 'N'}, {5, 5}, {5, 3}, 1, true, false, DAP_ERR_ARG, "alpha[1]"},
    {"one buffer", {'L', 'L', 'N', 'N'}, {5, 5}, {5, 5}, 1, false, true, DAP_ERR_ARG, "A and B overlap"},
};

static void refused(void **state)
{
  (void)state;
  const double turned[2] = {1, 1};
  for (size_t i = 0; i < 2 * sizeof refusals / sizeof refusals[0]; i++) {
    const refusal *r = &refusals[i / 2];
    const int grid[2] = {test_nprocs(), 1};
    TEST_CASE("%s", r->why);
    matrix a = matrix_make(&sources[0], &element_types[1], 2, r->a, grid, entry_triangular),
           b = matrix_make(&sources[0], &element_types[r->type_b], 2, r->b, grid, entry_any);
    dap_error err = {0};
    const dap_status status = (i % 2 ? dap_linalg_triangular_solve : dap_linalg_triangular_multiply)(
        MPI_COMM_WORLD, r->l.side, r->l.uplo, r->l.trans, r->l.diag, r->imaginary ? turned : NULL,
        matrix_operand(&a), matrix_operand(r->same ? &a : &b), NULL, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, r->status, r->parts);
    expect_same(&a), expect_same(&b);
    matrix_free(&b), matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere), cmocka_unit_test(all_letters),
                                          cmocka_unit_test(singular), cmocka_unit_test(refused)};
LINALG_TEST_MAIN(tests)
