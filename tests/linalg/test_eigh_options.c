/* dap_linalg_eigh() with options.eigh: each algorithm, and a part of the spectrum by index and by value. */
#include "eigh_test.h"

#include <stdlib.h>
#include <string.h>

/* One call, and what is known of the matrix. */
typedef struct problem {
  const trial *t;
  char uplo;
  dap_eigh_options options;
  bool vectors, alike;        /* alike: Z lies as A does */
  int64_t room;               /* of W and Z */
  int64_t first, count;       /* what should be found */
  const double complex *want; /* [n] all eigenvalues, by LAPACK */
  double scale;               /* the largest of them */
} problem;

/* The columns that were not asked for are zeros, and their eigenvalues NaN. */
static void check_rest(const problem *p, const double complex *w, const double complex *z)
{
  const int64_t n = p->t->size[0];
  for (int64_t k = p->count; k < p->room; k++) {
    EXPECT(isnan(creal(w[k])));
    for (int64_t i = 0; i < n && z; i++) EXPECT(z[i + k * n] == 0);
  }
}

static double check_results(const problem *p, const double complex *a, const double complex *w,
                            const double complex *z)
{
  const int64_t n = p->t->size[0];
  const double eps = p->t->type->eps;
  double residual = residual_difference(p->count, 1, w, p->want + p->first, p->scale, n, eps);
  expect_residual("eigenvalues", residual);
  for (int64_t k = 1; k < p->count; k++)
    EXPECT_MSG(creal(w[k]) >= creal(w[k - 1]), "eigenvalue %d is less than the one before", (int)k + 1);
  check_rest(p, w, z);
  if (!z) return residual;
  double complex *all = whole_make(n, n, entry_zero, p->t->type);
  double complex *values = whole_make(n, 1, entry_zero, p->t->type);
  memcpy(all, z, (size_t)(n * p->count) * sizeof *z);
  memcpy(values, w, (size_t)p->count * sizeof *w);
  residual = residual_eigen(n, a, values, all, eps);
  expect_residual("A Z - Z W", residual);
  expect_residual("Z^H Z - I", residual_orthogonal(n, p->count, z, eps));
  free(values), free(all);
  return residual;
}

/* The solver for DAP_EIGH_AUTO without a backend that has the type, by linalg.h. */
static dap_eigh_solver usual_solver(const problem *p)
{
  const bool few = p->vectors && p->options.range == DAP_EIGH_BY_INDEX && p->count <= p->t->size[0] / 8;
  return few ? DAP_EIGH_EVR : DAP_EIGH_EVD;
}

static void call(problem *p, formula *entry, const char *name)
{
  const trial *t = p->t;
  const int64_t n = t->size[0];
  matrix a = trial_matrix(t, n, n, entry), w = trial_vector(t, p->room, true, entry_nans), z = {0};
  if (p->vectors) z = (p->alike ? trial_matrix : trial_other)(t, n, p->room, entry_nans);
  double complex *whole = matrix_whole(&a), *want = serial_eigenvalues(p->uplo, n, whole);
  const double most = largest(n, want);
  p->want = want, p->scale = most > 0 ? most : 1;
  matrix_set_triangle(&a, p->uplo == 'L' ? 'U' : 'L', NAN);
  dap_linalg_report report = {0};
  dap_linalg_options options = {.report = &report, .eigh = p->options};
  if (options.eigh.solver == DAP_EIGH_AUTO) options.eigh.backend = eigh_backend(t->number);
  dap_error err = {0};
  EXPECT_OK(dap_linalg_eigh(MPI_COMM_WORLD, p->uplo, matrix_operand(&a), matrix_operand(&w),
                            p->vectors ? matrix_operand(&z) : (dap_darray){0}, &options, &err),
            &err);
  EXPECT_INT(report.found, n > 0 ? p->count : 0);
  if (p->options.solver == DAP_EIGH_AUTO && eigh_backend(t->number) && eigh_is_backends(t->type))
    eigh_expect_solver(t, &report);
  else if (p->options.solver == DAP_EIGH_AUTO)
    EXPECT_MSG(report.solver == usual_solver(p) || strstr(report.method, "MRRR"), "solver %d: %s",
               (int)report.solver, report.method);
  else if (report.solver != p->options.solver) /* MRRR's vectors were not good enough */
    EXPECT_MSG(p->options.solver == DAP_EIGH_EVR && report.solver == DAP_EIGH_EVD &&
                   strstr(report.method, "MRRR"),
               "solver %d: %s", (int)report.solver, report.method);
  double complex *values = matrix_whole(&w), *vectors = p->vectors ? matrix_whole(&z) : NULL;
  const double residual = check_results(p, whole, values, vectors);
  EXPECT(expect_padding(&a) && expect_padding(&w) && (!p->vectors || expect_padding(&z)));
  log_trial(name, t, &report, residual);
  free(vectors), free(values), free(want), free(whole);
  if (p->vectors) matrix_free(&z);
  matrix_free(&w), matrix_free(&a);
}

typedef struct algorithm {
  dap_eigh_solver solver;
  const char *name;
} algorithm;

/* Each in turn; with a backend that alone. */
static algorithm solver_of(size_t number)
{
  static const algorithm solvers[] = {{DAP_EIGH_EVD, "eigh, evd"},
                                      {DAP_EIGH_EVR, "eigh, evr"},
                                      {DAP_EIGH_EV, "eigh, ev"},
                                      {DAP_EIGH_AUTO, "eigh"}};
  return eigh_backend(0) ? (algorithm){DAP_EIGH_AUTO, "eigh, backend"} : solvers[number % 4];
}

/* ---- by index ------------------------------------------------------------------------------------------ */

static void call_by_index(const trial *t, size_t solver, int64_t start, int64_t stop, bool vectors,
                          formula *entry)
{
  problem p = {.t = t,
               .uplo = "LU"[t->number % 2],
               .options = {.solver = solver_of(solver).solver,
                           .range = DAP_EIGH_BY_INDEX,
                           .start = start,
                           .stop = stop},
               .vectors = vectors,
               .alike = t->number % 4 < 2,
               .room = stop - start,
               .first = start,
               .count = stop - start};
  call(&p, entry, solver_of(solver).name);
}

static void by_index(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    const int64_t n = t.size[0], third = (n + 2) / 3;
    const int64_t turn = t.number / 2;
    const size_t solver = (size_t)(turn + turn / 12) % 4;
    const int64_t ranges[][2] = {{0, third}, {n - third, n}, {third, n - third},
                                 {0, n},     {n / 2, n / 2}, {n - n / 8, n}};
    const int64_t *range = ranges[turn % 6];
    if (t.number % 2 == 0 && range[0] <= range[1])
      call_by_index(&t, solver, range[0], range[1], t.number % 7 != 0, entry_hermitian);
    SETTLE();
  }
}

/* ---- by value ------------------------------------------------------------------------------------------ */

/* Bounds between eigenvalues number first - 1 and first, and count further on; infinite at the ends. */
static void call_by_value(const trial *t, size_t solver, int64_t first, int64_t count, int64_t room,
                          bool vectors)
{
  const int64_t n = t->size[0];
  matrix a = trial_matrix(t, n, n, entry_hermitian);
  double complex *whole = matrix_whole(&a), *want = serial_eigenvalues('L', n, whole);
  const int64_t stop = first + count;
  const double above = first == 0 ? -INFINITY : creal(want[first - 1] + want[first]) / 2;
  const double up_to = stop == n ? INFINITY : creal(want[stop - 1] + want[stop]) / 2;
  free(want), free(whole), matrix_free(&a);
  problem p = {.t = t,
               .uplo = "LU"[t->number % 2],
               .options = {.solver = solver_of(solver).solver,
                           .range = DAP_EIGH_BY_VALUE,
                           .above = above,
                           .up_to = up_to},
               .vectors = vectors,
               .room = room,
               .first = first,
               .count = count};
  call(&p, entry_hermitian, solver_of(solver).name);
}

static void by_value(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    const int64_t n = t.size[0], third = n / 3;
    const int64_t rooms[] = {third + 1, n, third + 2 < n ? third + 2 : n};
    if (t.number % 4 == 0 && n > 4)
      call_by_value(&t, (size_t)(t.number % 3), t.number % (n - third), third, rooms[t.number % 3],
                    t.number % 5 != 0);
    SETTLE();
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

/* ---- all, by each algorithm ---------------------------------------------------------------------------- */

static double complex entry_blocks(int64_t i, int64_t j) /* eigenvalues 4 and 8 only, each many times */
{
  return i / 4 != j / 4 ? 0 : i == j ? 5 : 1;
}

static double complex entry_rank1(int64_t i, int64_t j) /* n once, 0 else */
{
  (void)i, (void)j;
  return 1;
}

static double complex entry_wilkinson(int64_t i, int64_t j) /* pairs that agree to rounding */
{
  return i == j ? fabs(10.0 - (double)(i % 21)) : i - j == 1 || j - i == 1 ? 1 : 0;
}

static double complex entry_small(int64_t i, int64_t j) /* below where single precision needs scaling */
{
  return entry_hermitian(i, j) * 0x1p-90;
}

static double complex entry_large(int64_t i, int64_t j)
{
  return entry_hermitian(i, j) * 0x1p90;
}

static formula *const entries[] = {entry_hermitian, entry_blocks, entry_rank1, entry_wilkinson,
                                   entry_small,     entry_large,  entry_zero,  entry_identity};

static void each_algorithm(void **state)
{
  (void)state;
  enum { ENTRIES = sizeof entries / sizeof entries[0] };
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    problem p = {.t = &t, .uplo = "UL"[t.number / 2 % 2], .vectors = t.number % 5 != 0, .alike = true};
    const size_t solver = (size_t)(t.number % 3);
    p.options.solver = solver_of(solver).solver;
    p.room = p.count = t.size[0];
    if (t.number % 2) call(&p, entries[t.number / 3 % ENTRIES], solver_of(solver).name);
    SETTLE();
  }
}

/* Ranges that begin and end amid equal eigenvalues. */
static void clusters_are_cut(void **state)
{
  (void)state;
  for (trial t = {0}; trial_next(&t, TRIALS_SQUARE);) {
    const int64_t n = t.size[0];
    if (t.number % 3 == 0 && n > 8)
      call_by_index(&t, (size_t)(t.number / 3 % 2) * 2, 3, n - 4, true, entries[1 + t.number % 3]);
    SETTLE();
  }
}

/* ---- refusals ------------------------------------------------------------------------------------------ */

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

static const dap_eigh_backend fake = {DAP_EIGH_BACKEND_VERSION, "Fake", NULL, cannot, never},
                              later = {DAP_EIGH_BACKEND_VERSION + 1, "Later", NULL, cannot, never};

static const struct {
  const char *why;
  dap_eigh_options options;
  int64_t w, z; /* elements, columns */
  const char *parts;
} refusals[] = {
    {"no backend", {.solver = DAP_EIGH_BACKEND}, 5, 5, "eigh.backend is NULL"},
    {"a backend of another version", {.backend = &later}, 5, 5, "of version 3, not 2"},
    {"no such algorithm", {.solver = (dap_eigh_solver)77}, 5, 5, "eigh.solver 77"},
    {"no such range", {.range = (dap_eigh_range)3}, 5, 5, "eigh.range 3"},
    {"backwards", {.range = DAP_EIGH_BY_INDEX, .start = 3, .stop = 2}, 5, 5, "3 .. 2|0 .. 5"},
    {"before the first", {.range = DAP_EIGH_BY_INDEX, .start = -1, .stop = 2}, 3, 3, "-1 .. 2"},
    {"behind the last", {.range = DAP_EIGH_BY_INDEX, .start = 4, .stop = 6}, 2, 2, "4 .. 6"},
    {"W is whole", {.range = DAP_EIGH_BY_INDEX, .start = 1, .stop = 3}, 5, 2, "W|2 x 1|5 x 1"},
    {"Z is whole", {.range = DAP_EIGH_BY_INDEX, .start = 1, .stop = 3}, 2, 5, "Z|5 x 2|5 x 5"},
    {"no values", {.range = DAP_EIGH_BY_VALUE, .above = 2, .up_to = 2}, 5, 5, "2 is not less than"},
    {"no number", {.range = DAP_EIGH_BY_VALUE, .above = 2, .up_to = NAN}, 5, 5, "not less than"},
    {"W and Z differ", {.range = DAP_EIGH_BY_VALUE, .up_to = 2}, 4, 3, "Z|5 x 4|5 x 3"},
};

static void refused(void **state)
{
  (void)state;
  const int grid[2] = {test_nprocs(), 1};
  const element_type *type = element_type_of(DAP_C16), *real = element_type_of(DAP_F8);
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    TEST_CASE("%s", refusals[i].why);
    matrix a = matrix_make(&sources[0], type, 2, (const int64_t[2]){5, 5}, grid, entry_hermitian);
    matrix w =
        matrix_make(&vector_sources[0], real, 1, (const int64_t[2]){refusals[i].w, 1}, grid, entry_nans);
    matrix z = matrix_make(&sources[1], type, 2, (const int64_t[2]){5, refusals[i].z}, grid, entry_nans);
    const dap_linalg_options options = {.eigh = refusals[i].options};
    dap_error err = {0};
    const dap_status status = dap_linalg_eigh(MPI_COMM_WORLD, 'L', matrix_operand(&a), matrix_operand(&w),
                                              matrix_operand(&z), &options, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_ARG, refusals[i].parts);
    EXPECT(expect_same(&a) && expect_same(&w) && expect_same(&z));
    matrix_free(&z), matrix_free(&w), matrix_free(&a);
    SETTLE();
  }
}

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

/* Options that differ on the last process. */
static void differences_are_named(void **state)
{
  static const struct {
    dap_eigh_options options;
    const char *name;
  } others[] = {{{.solver = DAP_EIGH_EVR}, "eigh.solver"},
                {{.range = DAP_EIGH_BY_VALUE}, "eigh.range"},
                {{.start = 1}, "eigh.start"},
                {{.stop = 1}, "eigh.stop"},
                {{.above = 1}, "eigh.above"},
                {{.up_to = 1}, "eigh.up_to"},
                {{.backend = &fake}, "eigh.backend"}};
  (void)state;
  const int grid[2] = {test_nprocs(), 1}, last = test_nprocs() - 1;
  const element_type *type = element_type_of(DAP_F8);
  for (size_t i = 0; i < sizeof others / sizeof others[0] && last > 0; i++) {
    TEST_CASE("%s", others[i].name);
    matrix a = matrix_make(&sources[0], type, 2, (const int64_t[2]){5, 5}, grid, entry_hermitian);
    matrix w = matrix_make(&vector_sources[0], type, 1, (const int64_t[2]){5, 1}, grid, entry_nans);
    dap_linalg_options options = {0};
    if (test_rank() == last) options.eigh = others[i].options;
    dap_error err = {0};
    const dap_status status = dap_linalg_eigh(MPI_COMM_WORLD, 'L', matrix_operand(&a), matrix_operand(&w),
                                              (dap_darray){0}, &options, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_ARG, others[i].name);
    matrix_free(&w), matrix_free(&a);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(by_index),
                                          cmocka_unit_test(by_value),
                                          cmocka_unit_test(no_values),
                                          cmocka_unit_test(each_algorithm),
                                          cmocka_unit_test(clusters_are_cut),
                                          cmocka_unit_test(refused),
                                          cmocka_unit_test(a_backend_that_cannot),
                                          cmocka_unit_test(differences_are_named)};
LINALG_TEST_MAIN(tests)
