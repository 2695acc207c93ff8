/* dap_linalg_svd() of matrices that are large enough for divide and conquer to divide, of special ones, and
 * its options. */
#include "allocations.h"
#include "svd_test.h"

#include <string.h>

/* ---- special matrices ---------------------------------------------------------------------------- */

static double complex entry_small(int64_t i, int64_t j) /* below where single precision needs scaling */
{
  return entry_any(i, j) * 0x1p-90;
}

static double complex entry_large(int64_t i, int64_t j)
{
  return entry_any(i, j) * 0x1p50;
}

static const struct {
  const char *why;
  formula *entry;
} specials[] = {
    {"svd, identity", entry_identity}, {"svd, zeros", entry_zero}, {"svd, rank 2", entry_rank2},
    {"svd, singular", entry_singular}, {"svd, tiny", entry_small}, {"svd, huge", entry_large},
};

static void special_matrices(void **state)
{
  (void)state;
  const size_t count = sizeof specials / sizeof specials[0];
  for (trial t = {0}; trial_next(&t, TRIALS_ANY);) {
    const size_t i = (size_t)(t.number % 11);
    if (i < count) svd_check(&t, SVD_LEFT | SVD_RIGHT | SVD_ALIKE, specials[i].entry, specials[i].why);
    SETTLE();
  }
}

/* ---- larger ones ----------------------------------------------------------------------------------- */

static double complex entry_repeated(int64_t i, int64_t j) /* singular values 1, 2, 3, many times */
{
  return i == j ? (double)(i % 3 + 1) : 0;
}

static double complex entry_signs(int64_t i, int64_t j) /* of 64 rows: 8, 64 times; of others: clusters */
{
  int64_t common = i & j;
  for (int shift = 32; shift > 0; shift /= 2) common ^= common >> shift;
  return common & 1 ? -1 : 1;
}

static double complex entry_graded(int64_t i, int64_t j) /* sizes from 1 to 2^-40 */
{
  return entry_any(i, j) * exp2(-(double)(i % 21 + j % 21));
}

static double complex entry_bidiagonal(int64_t i, int64_t j) /* it splits where elements are 0 */
{
  return i == j ? 1 : j == i + 1 && i % 7 != 3 ? 0.5 : 0;
}

static double complex entry_minute(int64_t i, int64_t j) /* squares underflow in double precision */
{
  return entry_any(i, j) * 0x1p-500;
}

static double complex entry_vast(int64_t i, int64_t j)
{
  return entry_any(i, j) * 0x1p500;
}

static double complex entry_one(int64_t i, int64_t j)
{
  return i == 40 && j == 30 ? 1 : 0;
}

/* More than 25 singular values, below which LAPACK does not divide (SRC/ilaenv.f); and slender matrices,
 * which are factored first. */
static const struct {
  const char *why;
  int64_t size[2];
  formula *entry;
  bool wide_range; /* of double precision */
} larger[] = {
    {"svd, square", {80, 80}, entry_any, false},
    {"svd, higher", {97, 61}, entry_any, false},
    {"svd, wider", {61, 97}, entry_any, false},
    {"svd, tall", {150, 40}, entry_any, false},
    {"svd, broad", {40, 150}, entry_any, false},
    {"svd, a column", {90, 1}, entry_any, false},
    {"svd, a row", {1, 90}, entry_any, false},
    {"svd, repeated", {64, 64}, entry_repeated, false},
    {"svd, all equal", {64, 64}, entry_signs, false},
    {"svd, clusters", {75, 70}, entry_signs, false},
    {"svd, graded", {70, 70}, entry_graded, false},
    {"svd, graded, tall", {130, 50}, entry_graded, false},
    {"svd, splits", {70, 72}, entry_bidiagonal, false},
    {"svd, rank 2, larger", {70, 70}, entry_rank2, false},
    {"svd, rank 2, broad", {50, 120}, entry_rank2, false},
    {"svd, rank 1", {60, 60}, entry_one, false},
    {"svd, zeros, tall", {100, 30}, entry_zero, false},
    {"svd, minute", {60, 60}, entry_minute, true},
    {"svd, minute, tall", {100, 40}, entry_minute, true},
    {"svd, vast", {60, 60}, entry_vast, true},
    {"svd, vast, broad", {40, 100}, entry_vast, true},
};

static void large_matrices(void **state)
{
  enum { ROWS = 5 };
  (void)state;
  static const int rows[ROWS] = {0, 1, 2, 4, 19};
  const int nprocs = test_nprocs(), grids[3][2] = {{nprocs, 1}, {1, nprocs}, {nprocs / 2, 2}};
  const int count = (int)(sizeof larger / sizeof larger[0]);
  for (int i = 0; i < 2 * count; i++) {
    const bool wide = larger[i % count].wide_range;
    trial t = {.number = i, .source = &sources[rows[i % ROWS]], .type = &element_types[i % ELEMENT_TYPES]};
    if (wide) t.type = &element_types[i % 2 ? 1 : 3];
    memcpy(t.size, larger[i % count].size, sizeof t.size);
    memcpy(t.grid, grids[i % (nprocs % 2 ? 2 : 3)], sizeof t.grid);
    TEST_CASE("%s: %d x %d %s, %s over %d x %d", larger[i % count].why, (int)t.size[0], (int)t.size[1],
              t.type->name, t.source->name, t.grid[0], t.grid[1]);
    svd_check(&t, SVD_LEFT | SVD_RIGHT | SVD_ALIKE, larger[i % count].entry, larger[i % count].why);
    svd_check(&t, i % 2 ? SVD_LEFT : SVD_RIGHT, larger[i % count].entry, "svd, larger, one kind");
    svd_check(&t, 0, larger[i % count].entry, "svd, larger, values");
    SETTLE();
  }
}

/* ---- options ----------------------------------------------------------------------------------------- */

/* All operands of a square matrix, in process rows. */
typedef struct operands {
  matrix a, u, s, vt;
} operands;

static operands make(int64_t n)
{
  const int grid[2] = {test_nprocs(), 1};
  const int64_t size[2] = {n, n};
  const element_type *type = element_type_of(DAP_F8);
  return (operands){.a = matrix_make(&sources[1], type, 2, size, grid, entry_any),
                    .u = matrix_make(&sources[1], type, 2, size, grid, entry_nans),
                    .s = matrix_make(&vector_sources[0], type, 1, size, grid, entry_nans),
                    .vt = matrix_make(&sources[1], type, 2, size, grid, entry_nans)};
}

static void end(operands *o)
{
  matrix_free(&o->vt), matrix_free(&o->s), matrix_free(&o->u), matrix_free(&o->a);
}

static dap_status decompose(operands *o, const dap_linalg_options *options, dap_error *err)
{
  return dap_linalg_svd(MPI_COMM_WORLD, matrix_operand(&o->a), matrix_operand(&o->u), matrix_operand(&o->s),
                        matrix_operand(&o->vt), options, err);
}

static void bad_options(void **state)
{
  (void)state;
  operands o = make(9);
  dap_error err = {0};
  const int last = test_nprocs() - 1;
  dap_linalg_options options = {.svd.solver = (dap_svd_solver)7};
  dap_status s = decompose(&o, &options, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "svd.solver 7 is not one of dap_svd_solver");
  options.svd.solver = test_rank() == last ? DAP_SVD_GESVD : DAP_SVD_GESDD;
  s = last > 0 ? decompose(&o, &options, &err) : DAP_ERR_ARG;
  if (last > 0) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "svd.solver");
  EXPECT(expect_same(&o.u) && expect_same(&o.s) && expect_same(&o.vt));
  end(&o);
  SETTLE();
}

/* ---- memory ------------------------------------------------------------------------------------------ */

/* The pieces of memory for divide and conquer; refused one by one. */
enum { PIECES = 5 };

typedef struct fallen {
  int count;
  int64_t peaks[2 * PIECES]; /* [count] most bytes at a time of process 0 where one was refused */
} fallen;

static dap_status decompose_counted(operands *o, bool has_vectors, const dap_linalg_options *options,
                                    int64_t refused, dap_error *err)
{
  const dap_darray none = {0}, u = has_vectors ? matrix_operand(&o->u) : none,
                   vt = has_vectors ? matrix_operand(&o->vt) : none;
  if (test_rank() == 0) allocations_start(refused);
  return dap_linalg_svd(MPI_COMM_WORLD, matrix_operand(&o->a), u, matrix_operand(&o->s), vt, options, err);
}

/* Whether the other way has the singular values, and vectors. */
static void check_other_way(const operands *o, int64_t n, bool has_vectors, const double complex *a)
{
  double complex *s = matrix_whole(&o->s), *want = serial_singular_values(n, n, a);
  expect_residual("singular values", residual_difference(n, 1, s, want, creal(want[0]), n, DBL_EPSILON));
  if (has_vectors) {
    double complex *u = matrix_whole(&o->u), *vt = matrix_whole(&o->vt);
    expect_residual("U S VT - A", residual_svd(n, n, a, u, s, vt, DBL_EPSILON));
    free(vt), free(u);
  }
  free(want), free(s);
}

enum { ORDER = 40 };

/* Allocation `number` of process 0 is refused; true while there is one. */
static bool refuse(dap_svd_solver solver, bool has_vectors, int64_t number, fallen *fell)
{
  TEST_CASE("solver %d, %s, allocation %d is refused", (int)solver, has_vectors ? "vectors" : "values",
            (int)number);
  operands o = make(ORDER);
  double complex *whole = matrix_whole(&o.a);
  dap_linalg_report report;
  const dap_linalg_options options = {.report = &report, .svd.solver = solver};
  dap_error err = {0};
  const dap_status s = decompose_counted(&o, has_vectors, &options, number, &err);
  int refused = allocations_count() >= number;
  const int64_t peak = allocations_peak();
  if (test_rank() == 0) allocations_start(0);
  MPI_Bcast(&refused, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (s) {
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NOMEM, "");
  } else if (refused && solver == DAP_SVD_AUTO && strstr(report.method, "QR iteration, as")) {
    EXPECT_MSG(test_contains(report.method, "not possible|no memory for"), "%s", report.method);
    check_other_way(&o, ORDER, has_vectors, whole);
    if (fell->count < 2 * PIECES) fell->peaks[fell->count++] = peak;
  } else {
    EXPECT_MSG(strcmp(report.method, "divide and conquer") == 0, "by %s", report.method);
  }
  free(whole);
  end(&o);
  SETTLE();
  return refused;
}

/* What gesvd takes at a time if it was asked for. */
static int64_t peak_of_gesvd(bool has_vectors)
{
  operands o = make(ORDER);
  const dap_linalg_options options = {.svd.solver = DAP_SVD_GESVD};
  dap_error err = {0};
  EXPECT_OK(decompose_counted(&o, has_vectors, &options, 0, &err), &err);
  const int64_t peak = allocations_peak();
  end(&o);
  SETTLE();
  return peak;
}

/* Without memory for divide and conquer there is another way, unless that was asked for; and that has what
 * had been there already. */
static void without_memory(void **state)
{
  (void)state;
  const int64_t k = ORDER, real = (int64_t)sizeof(double), integers = 8 * k * (int64_t)sizeof(int);
  for (int has_vectors = 1; has_vectors >= 0; has_vectors--) {
    const int64_t all = has_vectors ? k * k : 0, work = (3 * all + 4 * k) * real, vectors = 2 * all * real;
    const int64_t room[PIECES] = {0, work, work + vectors, work + vectors + integers,
                                  work + vectors + integers + k * real};
    fallen fell = {0}, none = {0};
    (void)peak_of_gesvd(has_vectors); /* what is kept of a first call */
    const int64_t usual = peak_of_gesvd(has_vectors);
    for (int64_t number = 1; refuse(DAP_SVD_AUTO, has_vectors, number, &fell);) number++;
    EXPECT_MSG(fell.count == PIECES, "%d pieces of memory are for divide and conquer", fell.count);
    for (int i = 1; i < fell.count && i < PIECES && test_rank() == 0; i++)
      EXPECT_MSG(fell.peaks[i] < usual + room[i],
                 "without piece %d: at most %d bytes, of gesvd %d, of the pieces %d", i + 1,
                 (int)fell.peaks[i], (int)usual, (int)room[i]);
    for (int64_t number = 1; refuse(DAP_SVD_GESDD, has_vectors, number, &none);) number++;
    EXPECT_INT(none.count, 0);
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(special_matrices),
                                          cmocka_unit_test(large_matrices), cmocka_unit_test(bad_options),
                                          cmocka_unit_test(without_memory)};
LINALG_TEST_MAIN(tests)
