/* dap_linalg_eigh() by what eigenvectors are, and against the eigenvalues of serial LAPACK. */
#include "eigh_test.h"

#include <stdlib.h>
#include <string.h>

enum { VECTORS = 1, ALIKE = 2, KEEP = 4 };

static int wanted_z(const trial *t, int how, int shares)
{
  if (!(how & ALIKE) || t->size[0] < 2) return -1;
  return shares == 1 ? t->source->order == 'F' : -1; /* columns in memory */
}

static void check(const trial *t, char uplo, int how, formula *entry, const char *name)
{
  const int64_t n = t->size[0];
  matrix a = trial_matrix(t, n, n, entry), w = trial_vector(t, n, true, entry_nans), z = {0};
  if (how & VECTORS) z = how & ALIKE ? trial_matrix(t, n, n, entry_nans) : trial_other(t, n, n, entry_nans);
  double complex *whole = matrix_whole(&a);
  if (uplo != 'A') matrix_set_triangle(&a, uplo == 'L' ? 'U' : 'L', NAN);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {
      .report = &report, .keep = how & KEEP, .eigh = {.backend = eigh_backend(t->number)}};
  dap_error err = {0};
  EXPECT_OK(dap_linalg_eigh(MPI_COMM_WORLD, uplo, matrix_operand(&a), matrix_operand(&w),
                            how & VECTORS ? matrix_operand(&z) : (dap_darray){0}, &options, &err),
            &err);
  double complex *values = matrix_whole(&w), *vectors = how & VECTORS ? matrix_whole(&z) : NULL;
  const double residual = check_eigen(t, n, whole, values, vectors);
  eigh_expect_solver(t, &report);
  if (n > 0) {
    const int shares = eigh_shares(t, &a);
    expect_use(&report, 0, "A", &a, how & KEEP ? 0 : shares);
    expect_use(&report, 1, "W", &w, 0);
    if (vectors) expect_use(&report, 2, "Z", &z, how & KEEP ? -1 : wanted_z(t, how, shares));
    const bool may_keep = uplo == 'A' && eigh_is_backends(t->type); /* ELPA moves some matrices inside */
    expect_work(&a, &report.uses[0], how & KEEP, n > 2 && entry == entry_hermitian && !may_keep);
  }
  expect_padding(&a), expect_padding(&w);
  EXPECT(!vectors || expect_padding(&z));
  log_trial(name, t, &report, residual);
  free(vectors), free(values), free(whole);
  if (how & VECTORS) matrix_free(&z);
  matrix_free(&w), matrix_free(&a);
}

static void everywhere(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    const int keep = t.number % 7 == 0 ? KEEP : 0;
    check(&t, "LUA"[t.number % 3], VECTORS | ALIKE | keep, entry_hermitian, "eigh");
    if (t.number % 2) check(&t, "UL"[t.number / 2 % 2], VECTORS, entry_hermitian, "eigh elsewhere");
    if (t.number % 3 == 0) check(&t, "UL"[t.number % 2], keep, entry_hermitian, "eigh, values");
    SETTLE();
  }
}

/* ---- special matrices ---------------------------------------------------------------------------- */

static double complex entry_blocks(int64_t i, int64_t j) /* eigenvalues 4 and 8 only, each many times */
{
  return i / 4 != j / 4 ? 0 : i == j ? 5 : 1;
}

static double complex entry_rank1(int64_t i, int64_t j) /* n once, 0 else */
{
  (void)i, (void)j;
  return 1;
}

static double complex entry_clusters(int64_t i, int64_t j) /* pairs that agree to rounding */
{
  return i == j ? fabs(10.0 - (double)(i % 21)) : i - j == 1 || j - i == 1 ? 1 : 0;
}

static double complex entry_split(int64_t i, int64_t j) /* tridiagonal with zeros in the off-diagonal */
{
  return i == j ? (double)(i % 3) : (i - j == 1 && j % 4) || (j - i == 1 && i % 4) ? 2 : 0;
}

static double complex entry_small(int64_t i, int64_t j) /* below where single precision needs scaling */
{
  return entry_hermitian(i, j) * 0x1p-90;
}

static double complex entry_large(int64_t i, int64_t j)
{
  return entry_hermitian(i, j) * 0x1p90;
}

static const struct {
  const char *why;
  formula *entry;
} specials[] = {
    {"eigh, identity", entry_identity}, {"eigh, zeros", entry_zero},        {"eigh, multiple", entry_blocks},
    {"eigh, rank 1", entry_rank1},      {"eigh, clusters", entry_clusters}, {"eigh, splits", entry_split},
    {"eigh, tiny", entry_small},        {"eigh, huge", entry_large},
};

static void special_matrices(void **state)
{
  (void)state;
  const size_t count = sizeof specials / sizeof specials[0];
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    const size_t i = (size_t)(t.number % 11);
    if (i < count) check(&t, "LU"[t.number / 2 % 2], VECTORS | ALIKE, specials[i].entry, specials[i].why);
    SETTLE();
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

/* ---- refusals ------------------------------------------------------------------------------------ */

static double complex entry_nan_above(int64_t i, int64_t j)
{
  return i == 1 && j == 3 ? NAN : entry_hermitian(i, j);
}

static const struct {
  const char *why;
  char uplo;
  int64_t a[2], w, z[2]; /* extents; z {0, 0}: not wanted */
  bool complex_w, readonly_z;
  formula *entry;
  dap_status status;
  const char *parts;
} refusals[] = {
    {"no such triangle", 'X', {5, 5}, 5, {5, 5}, false, false, entry_hermitian, DAP_ERR_ARG, "uplo|'X'"},
    {"not square", 'L', {5, 4}, 5, {5, 5}, false, false, entry_hermitian, DAP_ERR_ARG, "A|square|5 x 4"},
    {"W too short", 'L', {5, 5}, 4, {5, 5}, false, false, entry_hermitian, DAP_ERR_ARG, "W|5 x 1|4 x 1"},
    {"Z too wide", 'U', {5, 5}, 5, {5, 6}, false, false, entry_hermitian, DAP_ERR_ARG, "Z|5 x 5|5 x 6"},
    {"W complex",
     'L',
     {5, 5},
     5,
     {5, 5},
     true,
     false,
     entry_hermitian,
     DAP_ERR_BUFFER,
     "W|complex128|float64"},
    {"Z read-only", 'L', {5, 5}, 5, {5, 5}, false, true, entry_hermitian, DAP_ERR_BUFFER, "Z|read-only"},
    {"NaN", 'L', {5, 5}, 5, {5, 5}, false, false, entry_nan, DAP_ERR_NUMERIC, "not finite|(0, 0)"},
    {"NaN above the diagonal, where all is read",
     'A',
     {5, 5},
     5,
     {5, 5},
     false,
     false,
     entry_nan_above,
     DAP_ERR_NUMERIC,
     "not finite|(1, 3)"},
    {"NaN, values", 'U', {33, 33}, 33, {0, 0}, false, false, entry_nan, DAP_ERR_NUMERIC, "not finite|(0, 0)"},
};

static void refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    TEST_CASE("%s", refusals[i].why);
    const int grid[2] = {test_nprocs(), 1};
    const bool vectors = refusals[i].z[0] > 0;
    const element_type *type = element_type_of(DAP_C16);
    const element_type *real = element_type_of(refusals[i].complex_w ? DAP_C16 : DAP_F8);
    matrix a = matrix_make(&sources[0], type, 2, refusals[i].a, grid, refusals[i].entry);
    matrix w =
        matrix_make(&vector_sources[0], real, 1, (const int64_t[2]){refusals[i].w, 1}, grid, entry_nans);
    matrix z = {0};
    if (vectors) z = matrix_make(&sources[1], type, 2, refusals[i].z, grid, entry_nans);
    z.array.readonly = refusals[i].readonly_z;
    const dap_linalg_options options = {.eigh = {.backend = eigh_backend((int)i)}};
    dap_error err = {0};
    const dap_status status =
        dap_linalg_eigh(MPI_COMM_WORLD, refusals[i].uplo, matrix_operand(&a), matrix_operand(&w),
                        vectors ? matrix_operand(&z) : (dap_darray){0}, &options, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, refusals[i].status, refusals[i].parts);
    EXPECT(expect_same(&a) && expect_same(&w) && (!vectors || expect_same(&z)));
    if (vectors) matrix_free(&z);
    matrix_free(&w), matrix_free(&a);
    SETTLE();
  }
}

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

static const struct CMUnitTest tests[] = {cmocka_unit_test(everywhere), cmocka_unit_test(special_matrices),
                                          cmocka_unit_test(shared), cmocka_unit_test(refused),
                                          cmocka_unit_test(refused_partial)};
LINALG_TEST_MAIN(tests)
