/* dap_linalg_qr_pivoted() against its definition, dap_linalg_least_squares_rank() against LAPACK's gelsy.
 * With BY_ROWS tall matrices are factored by rows, and are not copied to keep their values. */
#include "harness.h"

#include <dapbridge/linalg_rank.h>

/* ---- matrices ------------------------------------------------------------------------------------------ */

/* Columns that are nearly alike: norms that are only updated lose digits. */
static double complex entry_alike(int64_t i, int64_t j)
{
  return entry_any(i, 0) + entry_any(i, j) / 256;
}

/* The largest column is the last one, each the half of the next one. */
static double complex entry_graded(int64_t i, int64_t j)
{
  return ldexp(1, (int)j % 12) * entry_any(i, j);
}

/* Rank 3: the columns are 8, 4, 2 and 1 times three others. */
static double complex entry_rank3(int64_t i, int64_t j)
{
  return entry_any(i, j % 3) * ldexp(1, (int)((j / 3) % 4));
}

static double complex entry_one(int64_t i, int64_t j)
{
  (void)i, (void)j;
  return 1;
}

typedef struct tried {
  formula *entry;
  int64_t rank; /* at most; -1: full */
} tried;

static const tried matrices[] = {{entry_any, -1},  {entry_alike, -1},   {entry_graded, -1},
                                 {entry_rank2, 2}, {entry_rank3, 3},    {entry_one, 1},
                                 {entry_zero, 0},  {entry_identity, -1}};
enum { MATRICES = sizeof matrices / sizeof matrices[0] };

static int64_t smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static int64_t rank_of(const tried *m, const int64_t size[2])
{
  const int64_t k = smaller(size[0], size[1]);
  return m->rank < 0 ? k : smaller(m->rank, k);
}

/* ---- A P = Q R ------------------------------------------------------------------------------------------
 */

/* A's columns in the order of P, which must be a permutation; NULL: it is none. */
static double complex *permuted(const trial *t, const double complex *a, const matrix *p)
{
  const int64_t m = t->size[0], n = t->size[1];
  int64_t *order = calloc((size_t)n + 1, sizeof *order), *seen = calloc((size_t)n + 1, sizeof *seen);
  double complex *moved = whole_copy(m, n, a);
  const dap_array *array = &p->array;
  bool good = true;
  for (int64_t k = 0; k < array->shape[0]; k++) {
    const int64_t local[1] = {k};
    int64_t global[1];
    bool owned;
    dap_error err;
    if (dap_layout_globalize(p->layout, test_rank(), local, global, &owned, &err) || !owned) continue;
    const char *at = (const char *)array->data + k * array->strides[0];
    int32_t narrow;
    int64_t wide;
    if (array->dtype == DAP_I8)
      memcpy(&wide, at, sizeof wide);
    else
      memcpy(&narrow, at, sizeof narrow), wide = narrow;
    order[global[0]] = wide;
  }
  MPI_Allreduce(MPI_IN_PLACE, order, (int)n, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  for (int64_t j = 0; j < n && good; j++) good = order[j] >= 0 && order[j] < n && seen[order[j]]++ == 0;
  for (int64_t j = 0; j < n && good; j++) memcpy(&moved[j * m], &a[order[j] * m], (size_t)m * sizeof *a);
  EXPECT_MSG(good, "P is no permutation");
  free(seen), free(order);
  return moved;
}

/* Each pivot column was the longest of what was left: no column of R is longer from row k on. Norms are
 * updated, and computed anew where that would lose half of the digits. */
static void check_order(const trial *t, const double complex *r, double scale)
{
  const int64_t n = t->size[1], rows = smaller(t->size[0], n);
  for (int64_t k = 0; k < rows; k++) {
    const double pivot = cabs(r[k + k * rows]);
    for (int64_t j = k + 1; j < n; j++) {
      double sum = 0;
      for (int64_t i = k; i < rows; i++) sum += pow(cabs(r[i + j * rows]), 2);
      if (sqrt(sum) <= pivot * (1 + 100 * sqrt(t->type->eps)) + 100 * t->type->eps * scale) continue;
      EXPECT_MSG(false, "column %d has norm %g from row %d on, the pivot is %g", (int)j, sqrt(sum), (int)k,
                 pivot);
      return;
    }
  }
}

/* P's element type and layout differ from trial to trial. */
static matrix make_order(const trial *t)
{
  static const element_type integers[2] = {{DAP_I4, DAP_I4, "i4", 0, false},
                                           {DAP_I8, DAP_I8, "i8", 0, false}};
  matrix m = {.ndim = 1};
  dap_error err = {0};
  const dap_dist dist = dap_dist_cyclic(t->size[1], test_nprocs(), 1 + t->number % 3);
  m.type = &integers[t->number % 2];
  EXPECT_OK(dap_layout_create(1, &dist, &m.layout, &err), &err);
  EXPECT_OK(dap_array_init(&m.array, m.layout, test_rank(), m.type->dtype, DAP_ORDER_C, NULL, &err), &err);
  return m;
}

/* The trial, with so many rows for each column that they are factored by rows if the program is about that.
 * Lists of indices have at most 256. */
static trial lengthened(const trial *of)
{
  trial t = *of;
  const int64_t least = (int64_t)4 * test_nprocs();
  t.size[1] = BY_ROWS ? smaller(t.size[1], 160 / least) : t.size[1];
  if (BY_ROWS) t.size[0] = least * t.size[1] + t.size[0] % 16;
  return t;
}

static void factor(const trial *of_any_length, const tried *of, bool keep)
{
  const trial longer = lengthened(of_any_length), *t = &longer;
  const int64_t m = t->size[0], n = t->size[1], k = smaller(m, n);
  matrix a = trial_matrix(t, m, n, of->entry), q = trial_other(t, m, k, entry_nans),
         r = t->number % 2 ? trial_matrix(t, k, n, entry_nans) : trial_other(t, k, n, entry_nans);
  matrix p = make_order(t);
  double complex *whole = matrix_whole(&a);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report, .keep = keep};
  int64_t rank = -7;
  dap_error err = {0};
  EXPECT_OK(dap_linalg_qr_pivoted(MPI_COMM_WORLD, -1, matrix_operand(&a), matrix_operand(&q),
                                  matrix_operand(&r), (dap_darray){p.layout, &p.array}, &rank, &options,
                                  &err),
            &err);
  double complex *whole_q = matrix_whole(&q), *whole_r = matrix_whole(&r), *moved = permuted(t, whole, &p);
  EXPECT_MSG(rank == rank_of(of, t->size), "the rank is %d, not %d", (int)rank, (int)rank_of(of, t->size));
  double residual = residual_orthogonal(m, k, whole_q, t->type->eps);
  expect_residual("Q^H Q - I", residual);
  residual = residual_product('N', 'N', m, n, k, whole_q, whole_r, moved, t->type->eps);
  expect_residual("Q R - A P", residual);
  EXPECT_MSG(below_diagonal(k, n, whole_r) == 0, "%g below R's diagonal", below_diagonal(k, n, whole_r));
  check_order(t, whole_r, whole_norm('F', m, n, whole));
  EXPECT(!keep || expect_same(&a));
  expect_padding(&a), expect_padding(&q), expect_padding(&r);
  if (k > 0) expect_use(&report, 0, "A", &a, keep && !BY_ROWS ? 0 : -1), expect_use(&report, 3, "P", NULL, 0);
  log_trial("qr pivoted", t, &report, residual);
  free(moved), free(whole_r), free(whole_q), free(whole);
  dap_array_release(&p.array), dap_layout_destroy(&p.layout);
  matrix_free(&r), matrix_free(&q), matrix_free(&a);
  SETTLE();
}

static void factors(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_ANY);)
    factor(&t, &matrices[(t.number + t.number / MATRICES) % MATRICES], t.number % 5 == 0);
}

/* Without what is not wanted, the rank by another tolerance. */
static void rank_alone(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_TALL);) {
    const dap_darray none = {0};
    matrix a = trial_matrix(&t, t.size[0], t.size[1], entry_alike);
    int64_t rank = -7;
    dap_error err = {0};
    EXPECT_OK(
        dap_linalg_qr_pivoted(MPI_COMM_WORLD, 0.01, matrix_operand(&a), none, none, none, &rank, NULL, &err),
        &err);
    EXPECT_INT(rank, smaller(t.size[1], 1) * smaller(t.size[0], 1));
    expect_padding(&a);
    matrix_free(&a);
    SETTLE();
  }
}

/* ---- least squares --------------------------------------------------------------------------------------
 */

static void solve(const trial *of_any_length, const tried *of, int64_t nrhs, bool keep)
{
  const trial longer = lengthened(of_any_length), *t = &longer;
  const int64_t m = t->size[0], n = t->size[1], sides = nrhs ? nrhs : 1;
  const double tolerance = 1000 * t->type->eps;
  matrix a = trial_matrix(t, m, n, of->entry), b, x;
  if (nrhs == 0)
    b = trial_vector(t, m, false, entry_any), x = trial_vector(t, n, false, entry_nans);
  else
    b = trial_matrix(t, m, nrhs, entry_any), x = trial_other(t, n, nrhs, entry_nans);
  double complex *whole_a = matrix_whole(&a), *whole_b = matrix_whole(&b);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {.report = &report, .keep = keep};
  int64_t rank = -7, wanted;
  dap_error err = {0};
  EXPECT_OK(dap_linalg_least_squares_rank(MPI_COMM_WORLD, tolerance, matrix_operand(&a), matrix_operand(&b),
                                          matrix_operand(&x), &rank, &options, &err),
            &err);
  double complex *got = matrix_whole(&x);
  double complex *want = serial_least_squares_rank(m, n, sides, whole_a, whole_b, tolerance, &wanted);
  EXPECT_MSG(rank == rank_of(of, t->size), "the rank is %d, not %d", (int)rank, (int)rank_of(of, t->size));
  const double scale = whole_norm('F', n, sides, want);
  const double r =
      residual_difference(n, sides, got, want, scale > 0 ? scale : 1, m > n ? m : n, t->type->eps);
  EXPECT_MSG(r <= 100 * RESIDUAL_LIMIT, "X: %g from the solution", r); /* conditions are below 100 */
  EXPECT(!keep || (expect_same(&a) && expect_same(&b)));
  expect_padding(&a), expect_padding(&b), expect_padding(&x);
  log_trial("least squares", t, &report, r);
  free(want), free(got), free(whole_b), free(whole_a);
  matrix_free(&x), matrix_free(&b), matrix_free(&a);
  SETTLE();
}

static void solutions(void **state)
{
  (void)state;
  static const tried of[] = {
      {entry_dominant, -1}, {entry_rank2, 2}, {entry_rank3, 3}, {entry_one, 1}, {entry_zero, 0}};
  for (trial t = {0}; trial_next(&t, TRIALS_ANY);) {
    solve(&t, &of[t.number % 5], 3, t.number % 7 == 0);
    solve(&t, &of[(t.number + 2) % 5], 0, false);
  }
}

/* ---- many rows --------------------------------------------------------------------------------------- */

/* Rows of a straight line through points 0 .. 1: 3 - 2 x, so that every process knows the solution. */
static double complex entry_line(int64_t i, int64_t j)
{
  return j == 0 ? 1 : (double)i / 32768;
}

static double complex entry_on_line(int64_t i, int64_t j)
{
  (void)j;
  return 3 - 2 * creal(entry_line(i, 1));
}

/* Block rows in F order can be shared in blocks as large as a process's rows. The square of so many rows is
 * not a size of workspace that ScaLAPACK's integers hold. */
static void many_rows(void **state)
{
  (void)state;
  enum { ROWS = 50000 };
  const source rows = {.order = 'F', .axes = {{CUT_EVEN, 0}, {CUT_EVEN, 0}}};
  const int grid[2] = {test_nprocs(), 1};
  const int64_t tall[2] = {(int64_t)ROWS * test_nprocs(), 2}, right[2] = {tall[0], 1}, less[2] = {2, 1};
  const element_type *type = element_type_of(DAP_F8);
  matrix a = matrix_make(&rows, type, 2, tall, grid, entry_line);
  matrix b = matrix_make(&rows, type, 2, right, grid, entry_on_line);
  matrix x = matrix_make(&rows, type, 2, less, grid, entry_nans);
  int64_t rank = -7;
  dap_error err = {0};
  TEST_CASE("%d rows a process", ROWS);
  EXPECT_OK(dap_linalg_least_squares_rank(MPI_COMM_WORLD, -1, matrix_operand(&a), matrix_operand(&b),
                                          matrix_operand(&x), &rank, NULL, &err),
            &err);
  double complex *got = matrix_whole(&x);
  EXPECT_INT(rank, 2);
  EXPECT(cabs(got[0] - 3) < 1e-9 && cabs(got[1] + 2) < 1e-9);
  free(got);
  matrix_free(&x), matrix_free(&b), matrix_free(&a);
  SETTLE();
}

/* ---- what is refused ------------------------------------------------------------------------------------
 */

static double complex entry_huge(int64_t i, int64_t j) /* a float, and the length of two is none */
{
  return i == j ? 3e38 : 2e38;
}

static void refused(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    double tolerance;
    int64_t a[2], q[2], r[2], p;
    dap_dtype order;
    formula *entry;
    dap_status status;
    const char *parts;
  } rows[] = {
      {"Q too wide", -1, {7, 4}, {7, 5}, {4, 4}, 4, DAP_I4, entry_any, DAP_ERR_ARG, "Q|7 x 4|7 x 5"},
      {"R too low", -1, {7, 4}, {7, 4}, {3, 4}, 4, DAP_I4, entry_any, DAP_ERR_ARG, "R|4 x 4|3 x 4"},
      {"P too short", -1, {7, 4}, {7, 4}, {4, 4}, 3, DAP_I8, entry_any, DAP_ERR_ARG, "P|4 x 1|3 x 1"},
      {"P of floats", -1, {7, 4}, {7, 4}, {4, 4}, 4, DAP_F8, entry_any, DAP_ERR_BUFFER, "P|int32 or int64"},
      {"no tolerance", NAN, {7, 4}, {7, 4}, {4, 4}, 4, DAP_I4, entry_any, DAP_ERR_ARG, "tolerance is NaN"},
      {"NaN", -1, {7, 4}, {7, 4}, {4, 4}, 4, DAP_I4, entry_nan, DAP_ERR_NUMERIC, "not finite|(0, 0)"},
      {"too long a column",
       -1,
       {7, 4},
       {7, 4},
       {4, 4},
       4,
       DAP_I4,
       entry_huge,
       DAP_ERR_NUMERIC,
       "too large|R("},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    const int grid[2] = {test_nprocs(), 1};
    const element_type *type =
        rows[i].entry == entry_huge ? element_type_of(DAP_F4) : &element_types[i % ELEMENT_TYPES];
    matrix a = matrix_make(&sources[1], type, 2, rows[i].a, grid, rows[i].entry);
    matrix q = matrix_make(&sources[0], type, 2, rows[i].q, grid, entry_nans);
    matrix r = matrix_make(&sources[0], type, 2, rows[i].r, grid, entry_nans);
    const dap_dist dist = dap_dist_even(rows[i].p, test_nprocs());
    dap_layout *layout;
    dap_array order;
    dap_error err = {0};
    EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err);
    EXPECT_OK(dap_array_init(&order, layout, test_rank(), rows[i].order, DAP_ORDER_C, NULL, &err), &err);
    int64_t rank = -7;
    const dap_status s =
        dap_linalg_qr_pivoted(MPI_COMM_WORLD, rows[i].tolerance, matrix_operand(&a), matrix_operand(&q),
                              matrix_operand(&r), (dap_darray){layout, &order}, &rank, NULL, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, rows[i].status, rows[i].parts);
    EXPECT_INT(rank, -7);
    EXPECT(expect_same(&q) && expect_same(&r));
    if (i < 3 && i > 0) { /* as B and X of A X = B */
      const dap_status t = dap_linalg_least_squares_rank(
          MPI_COMM_WORLD, -1, matrix_operand(&a), matrix_operand(&r), matrix_operand(&q), &rank, NULL, &err);
      expect_same_error(MPI_COMM_WORLD, t, &err, DAP_ERR_ARG, "B must be");
    }
    dap_array_release(&order), dap_layout_destroy(&layout);
    matrix_free(&r), matrix_free(&q), matrix_free(&a);
    SETTLE();
  }
}

/* R could be shared and Q cannot: neither is written. */
static void refused_before_anything_is_written(void **state)
{
  (void)state;
  enum { N = 9, BLOCK = 3 };
  const int grid[2] = {1, test_nprocs()};
  const int64_t size[2] = {N, N};
  const source blocks = {.order = 'F', .axes = {{CUT_EVEN, 0}, {CUT_CYCLIC, BLOCK}}};
  const source uneven = {.order = 'F', .axes = {{CUT_EVEN, 0}, {CUT_EVEN, 0}}, .memory = MEMORY_GAPS};
  const element_type *type = element_type_of(DAP_F8);
  matrix a = matrix_make(&blocks, type, 2, size, grid, entry_any);
  matrix r = matrix_make(&blocks, type, 2, size, grid, entry_nans);
  matrix q = matrix_make(&uneven, type, 2, size, grid, entry_nans);
  const dap_linalg_options options = {.sharing = DAP_SHARE_OR_FAIL};
  dap_error err = {0};
  TEST_CASE("a Q with gaps");
  const dap_status s = dap_linalg_qr_pivoted(MPI_COMM_WORLD, -1, matrix_operand(&a), matrix_operand(&q),
                                             matrix_operand(&r), (dap_darray){0}, NULL, &options, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_SHARE, "");
  EXPECT(expect_same(&a) && expect_same(&q) && expect_same(&r));
  SETTLE();
  matrix_free(&q), matrix_free(&r), matrix_free(&a);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(refused_before_anything_is_written),
                                          cmocka_unit_test(factors),
                                          cmocka_unit_test(rank_alone),
                                          cmocka_unit_test(solutions),
                                          cmocka_unit_test(many_rows),
                                          cmocka_unit_test(refused)};
LINALG_TEST_MAIN(tests)
