/* dap_linalg_eigh(): each algorithm in every layout, parts of the spectrum by index and by value, and
 * matrices that algorithms find hard. */
#include "eigh_test.h"

/* ---- every layout -------------------------------------------------------------------------------------- */

/* Each in turn; with a backend that only. */
static dap_eigh_solver solver_of(int number)
{
  static const dap_eigh_solver solvers[] = {DAP_EIGH_AUTO, DAP_EIGH_EVR, DAP_EIGH_EV, DAP_EIGH_EVD};
  return eigh_backend(0) ? DAP_EIGH_AUTO : solvers[number % 4];
}

static void everywhere(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    eigh_problem p = eigh_all(&t, entry_hermitian, "LUA"[t.number % 3]);
    p.keep = t.number % 7 == 0;
    eigh_check(&p);
    p.vectors = t.number % 3 != 0, p.alike = false, p.solver = solver_of(t.number / 2),
    p.uplo = "UL"[t.number % 2];
    if (t.number % 2) eigh_check(&p);
  }
}

static void by_index(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    const int64_t n = t.size[0], third = (n + 2) / 3;
    const int turn = t.number / 2;
    const int64_t ranges[][2] = {{0, third}, {n - third, n}, {third, n - third},
                                 {0, n},     {n / 2, n / 2}, {n - n / 8, n}};
    const int64_t *range = ranges[turn % 6];
    if (t.number % 2 || range[0] > range[1]) continue;
    eigh_problem p = eigh_all(&t, entry_hermitian, "LU"[turn % 2]);
    p.vectors = t.number % 7 != 0, p.alike = t.number % 4 < 2;
    p.solver = solver_of(turn + turn / 12);
    p.range = DAP_EIGH_BY_INDEX, p.first = range[0], p.count = range[1] - range[0];
    eigh_check(&p);
  }
}

static void by_value(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    const int64_t n = t.size[0], third = n / 3;
    if (t.number % 4 || n < 5) continue;
    eigh_problem p = eigh_all(&t, entry_hermitian, "LU"[t.number / 4 % 2]);
    p.vectors = t.number % 5 != 0, p.alike = false;
    p.solver = solver_of(t.number / 4);
    p.range = DAP_EIGH_BY_VALUE, p.first = t.number % (n - third), p.count = third;
    p.more = t.number % 3;
    eigh_check(&p);
  }
}

/* None, all, and more than there is room for. */
static void no_values(void **state)
{
  (void)state;
  const int grid[2] = {test_nprocs(), 1};
  const int64_t size[2] = {9, 9};
  for (int i = 0; i < ELEMENT_TYPES; i++) {
    const element_type *type = &element_types[i], *real = element_type_of(type->real);
    TEST_CASE("%s", type->name);
    matrix a = matrix_make(&sources[0], type, 2, size, grid, entry_identity);
    matrix z = matrix_make(&sources[1], type, 2, size, grid, entry_nans);
    matrix w = matrix_make(&vector_sources[0], real, 1, size, grid, entry_nans);
    const dap_darray of[3] = {matrix_operand(&a), matrix_operand(&w), matrix_operand(&z)};
    dap_linalg_report report = {0};
    dap_linalg_options options = {.keep = true, .report = &report};
    options.eigh =
        (dap_eigh_options){.range = DAP_EIGH_BY_VALUE, .above = 1.5, .up_to = 2, .backend = eigh_backend(i)};
    dap_error err = {0};
    EXPECT_OK(dap_linalg_eigh(MPI_COMM_WORLD, 'L', of[0], of[1], of[2], &options, &err), &err);
    EXPECT_INT(report.found, 0);
    options.eigh.above = 0.5;
    EXPECT_OK(dap_linalg_eigh(MPI_COMM_WORLD, 'L', of[0], of[1], of[2], &options, &err), &err);
    EXPECT_INT(report.found, 9);
    matrix_free(&w), matrix_free(&z);
    w = matrix_make(&vector_sources[0], real, 1, (const int64_t[2]){8, 1}, grid, entry_nans);
    const dap_status status =
        dap_linalg_eigh(MPI_COMM_WORLD, 'L', of[0], matrix_operand(&w), (dap_darray){0}, &options, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_ARG, "W has room for 8|9 are in (0.5, 2]");
    EXPECT_INT(report.found, 9);
    matrix_free(&w), matrix_free(&a);
    SETTLE();
  }
}

/* ---- matrices that algorithms find hard ---------------------------------------------------------------- */

static int64_t order; /* of the matrix that the formulas speak of */

static double complex entry_path(int64_t i, int64_t j)
{
  if (i != j) return i - j == 1 || j - i == 1 ? -1 : 0;
  return order == 1 ? 0 : i == 0 || i == order - 1 ? 1 : 2;
}

static double complex entry_blocks(int64_t i, int64_t j) /* eigenvalues 4 and 8 only, each many times */
{
  return i / 4 != j / 4 ? 0 : i == j ? 5 : 1;
}

static double complex entry_ones(int64_t i, int64_t j)
{
  (void)i, (void)j;
  return 1;
}

static double complex entry_pairs(int64_t i, int64_t j)
{
  return i / 2 == j / 2;
}

static double complex entry_rank1(int64_t i, int64_t j)
{
  return (double)((i + 1) * (j + 1));
}

static double complex entry_corner(int64_t i, int64_t j)
{
  return i == 0 && j == 0;
}

static double complex entry_graded(int64_t i, int64_t j)
{
  return ldexp(i == j ? 1.5 : 1, (int)(-2 * (i + j) / 3));
}

static double complex entry_negative(int64_t i, int64_t j)
{
  return i == j ? -3 : i - j == 1 || j - i == 1 ? 1 : 0;
}

static double complex entry_wilkinson(int64_t i, int64_t j)
{
  return i == j ? fabs(10.0 - (double)(i % 21)) : i - j == 1 || j - i == 1 ? 1 : 0;
}

static double complex entry_glued(int64_t i, int64_t j)
{
  const int64_t first = i < j ? i : j;
  if (i != j && first % 21 == 20) return i - j == 1 || j - i == 1 ? 0x1p-20 : 0;
  return entry_wilkinson(i, j);
}

static double complex entry_split(int64_t i, int64_t j)
{
  return i == j ? (double)(i % 3) : (i - j == 1 && j % 4) || (j - i == 1 && i % 4) ? 2 : 0;
}

static double complex entry_tiny_path(int64_t i, int64_t j)
{
  return entry_path(i, j) * 0x1p-100;
}

static double complex entry_huge_path(int64_t i, int64_t j)
{
  return entry_path(i, j) * 0x1p100;
}

static const struct {
  const char *why;
  formula *entry;
} hard[] = {{"a singular Laplacian", entry_path},
            {"two eigenvalues, each many times", entry_blocks},
            {"rank 1, 0 many times", entry_ones},
            {"splits into singular blocks", entry_pairs},
            {"rank 1, graded", entry_rank1},
            {"one element, which is not 0", entry_corner},
            {"zero", entry_zero},
            {"identity", entry_identity},
            {"graded", entry_graded},
            {"negative definite", entry_negative},
            {"pairs that agree to rounding", entry_wilkinson},
            {"clusters of pairs", entry_glued},
            {"splits into singular and other blocks", entry_split},
            {"singular, tiny", entry_tiny_path},
            {"singular, huge", entry_huge_path}};
enum { HARD = sizeof hard / sizeof hard[0] };

static void hard_matrices(void **state)
{
  static const int64_t sizes[] = {1, 2, 3, 4, 5, 8, 13, 20, 50};
  enum { SIZES = sizeof sizes / sizeof sizes[0] };
  (void)state;
  const int nprocs = test_nprocs();
  for (int i = 0; i < HARD * SIZES; i++) {
    const int row = i % HARD;
    trial t = {.number = i, .source = &sources[i % source_count], .type = &element_types[i % ELEMENT_TYPES]};
    t.size[0] = t.size[1] = order = sizes[i / HARD];
    squarest_grid(t.grid);
    if (i % 3) t.grid[i % 3 - 1] = nprocs, t.grid[2 - i % 3] = 1;
    TEST_CASE("%s, n = %d, %s, %s, %d x %d", hard[row].why, (int)order, t.type->name, t.source->name,
              t.grid[0], t.grid[1]);
    eigh_problem p = eigh_all(&t, hard[row].entry, "LU"[i % 2]);
    for (int k = 1; k < 3; k++) { /* EVR, and another */
      p.solver = solver_of(k == 1 ? 1 : 2 + i % 2);
      eigh_check(&p);
    }
    p.range = DAP_EIGH_BY_INDEX, p.first = i % 2 ? order / 3 : order - 1,
    p.count = i % 2 ? (order + 1) / 2 : 1;
    p.solver = solver_of(1);
    eigh_check(&p);
  }
}

/* ---- who is shared ------------------------------------------------------------------------------- */

static const struct {
  const char *why, *a, *z;
  bool a_shared, z_shared;
} pairs[] = {
    {"both in columns", "F, blocks 5 x 5", "F, blocks 5 x 5", true, true},
    {"vectors in rows are moved", "C, blocks 5 x 5", "C, blocks 5 x 5", true, false},
    {"Z leads where A cannot be shared", "C, gaps", "F, blocks 5 x 5", false, true},
    {"neither", "C, gaps", "C, backwards", false, false},
};

static const source *source_named(const char *name)
{
  int i = 0;
  while (i < source_count && strcmp(sources[i].name, name) != 0) i++;
  EXPECT_MSG(i < source_count, "no source %s", name);
  return &sources[i < source_count ? i : 0];
}

static void shared(void **state)
{
  enum { N = 33 };
  (void)state;
  const int64_t size[2] = {N, N};
  const int grid[2] = {test_nprocs(), 1};
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0] * ELEMENT_TYPES; i++) {
    const size_t row = i / ELEMENT_TYPES;
    const element_type *type = &element_types[i % ELEMENT_TYPES];
    const element_type *real = element_type_of(type->real);
    TEST_CASE("%s, %s", pairs[row].why, type->name);
    matrix a = matrix_make(source_named(pairs[row].a), type, 2, size, grid, entry_hermitian);
    matrix z = matrix_make(source_named(pairs[row].z), type, 2, size, grid, entry_nans);
    matrix w = matrix_make(&vector_sources[1], real, 1, (const int64_t[2]){N, 1}, grid, entry_nans);
    dap_linalg_report report = {0};
    dap_linalg_options options = {.report = &report, .eigh = {.backend = eigh_backend((int)i)}};
    dap_error err = {0};
    EXPECT_OK(dap_linalg_eigh(MPI_COMM_WORLD, 'L', matrix_operand(&a), matrix_operand(&w), matrix_operand(&z),
                              &options, &err),
              &err);
    expect_use(&report, 0, "A", &a, pairs[row].a_shared);
    expect_use(&report, 2, "Z", &z, pairs[row].z_shared);
    options.sharing = DAP_SHARE_OR_FAIL;
    matrix_fill(&a, entry_hermitian);
    const dap_status status = dap_linalg_eigh(MPI_COMM_WORLD, 'L', matrix_operand(&a), matrix_operand(&w),
                                              matrix_operand(&z), &options, &err);
    const bool both = pairs[row].a_shared && pairs[row].z_shared;
    EXPECT_MSG(status == (both ? DAP_OK : DAP_ERR_SHARE), "%d: %s", (int)status, err.text);
    matrix_free(&w), matrix_free(&z), matrix_free(&a);
    SETTLE();
  }
}

/* ---- what cannot be done ------------------------------------------------------------------------------- */

/* W, which every process could store a whole of, would be read as so many times as large. */
static void refused_partial(void **state)
{
  (void)state;
  enum { N = 5 };
  const int grid[2] = {test_nprocs(), 1};
  const dap_dist addends = dap_dist_partial(N, test_nprocs());
  double values[N] = {-1, -1, -1, -1, -1};
  matrix a =
      matrix_make(&sources[0], element_type_of(DAP_F8), 2, (const int64_t[2]){N, N}, grid, entry_hermitian);
  dap_error err = {0};
  dap_layout *layout = NULL;
  const dap_array w = {.abi = DAP_ARRAY_ABI,
                       .dtype = DAP_F8,
                       .ndim = 1,
                       .shape = {N},
                       .strides = {sizeof values[0]},
                       .data = values};
  EXPECT_OK(dap_layout_create(1, &addends, &layout, &err), &err);
  const dap_status status = dap_linalg_eigh(MPI_COMM_WORLD, 'L', matrix_operand(&a), (dap_darray){layout, &w},
                                            (dap_darray){0}, NULL, &err);
  expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_UNSUPPORTED, "W|axis 0|partial");
  for (int i = 0; i < N; i++) EXPECT(values[i] == -1);
  EXPECT(expect_same(&a));
  dap_layout_destroy(&layout);
  matrix_free(&a);
  SETTLE();
}

static dap_status cannot(const dap_eigh_backend *backend, dap_dtype dtype, dap_error *err)
{
  (void)backend;
  return dap_fail(err, test_rank() == 0 ? DAP_ERR_UNSUPPORTED : DAP_OK, "not with %s", dap_dtype_name(dtype));
}

static dap_status never(const dap_eigh_backend *backend, const dap_eigh_matrices *matrices, dap_error *err)
{
  (void)backend, (void)matrices;
  return dap_fail(err, DAP_ERR_LIBRARY, "a backend that cannot was called");
}

static const dap_eigh_backend fake = {DAP_EIGH_BACKEND_VERSION, "Fake", NULL, cannot, never};

/* One process's word is enough: named, an error on all, else another algorithm and why. */
static void a_backend_that_cannot(void **state)
{
  (void)state;
  const int grid[2] = {test_nprocs(), 1};
  const element_type *type = element_type_of(DAP_F8);
  matrix a = matrix_make(&sources[0], type, 2, (const int64_t[2]){5, 5}, grid, entry_hermitian);
  matrix w = matrix_make(&vector_sources[0], type, 1, (const int64_t[2]){5, 1}, grid, entry_nans);
  dap_linalg_report report = {0};
  dap_linalg_options options = {.keep = true, .report = &report, .eigh = {.backend = &fake}};
  dap_error err = {0};
  EXPECT_OK(dap_linalg_eigh(MPI_COMM_WORLD, 'L', matrix_operand(&a), matrix_operand(&w), (dap_darray){0},
                            &options, &err),
            &err);
  EXPECT_INT(report.solver, DAP_EIGH_EVD);
  EXPECT_MSG(strstr(report.method, "divide and conquer, as ") &&
                 strstr(report.method, "Fake: not with float64"),
             "%s", report.method);
  options.eigh.solver = DAP_EIGH_BACKEND;
  const dap_status status = dap_linalg_eigh(MPI_COMM_WORLD, 'L', matrix_operand(&a), matrix_operand(&w),
                                            (dap_darray){0}, &options, &err);
  expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_UNSUPPORTED, "Fake: not with float64");
  options.eigh.solver = DAP_EIGH_EV;
  EXPECT_OK(dap_linalg_eigh(MPI_COMM_WORLD, 'L', matrix_operand(&a), matrix_operand(&w), (dap_darray){0},
                            &options, &err),
            &err);
  EXPECT_MSG(strcmp(report.method, "QR iteration") == 0, "%s", report.method);
  matrix_free(&w), matrix_free(&a);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(everywhere),      cmocka_unit_test(by_index),
    cmocka_unit_test(by_value),        cmocka_unit_test(no_values),
    cmocka_unit_test(hard_matrices),   cmocka_unit_test(shared),
    cmocka_unit_test(refused_partial), cmocka_unit_test(a_backend_that_cannot)};
MPI_TEST_MAIN(tests)
