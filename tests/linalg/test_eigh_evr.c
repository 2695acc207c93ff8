/* Tests dap_linalg_eigh() with DAP_EIGH_EVR if MRRR fails or cannot get memory. Divide and conquer must
 * find the vectors, or all processes must return the same error. */
#include "allocations.h"
#include "harness.h"

enum { ORDER = 21 };

/* ---- stemr, made to fail ------------------------------------------------------------------------------- */

typedef enum mrrr_fault {
  NO_FAULT,
  GIVES_UP,    /* info = 22, and no vectors */
  FINDS_FEWER, /* one less than asked for */
  REPEATS,     /* the last vector is the one before, or zeros */
  EXCHANGES,   /* the first vector is the last one, and no other changes */
  GIVES_NAN    /* in the last vector */
} mrrr_fault;

static mrrr_fault fault; /* the fault of stemr from now on, on this process */

/* The arguments of stemr of both types (LAPACK 3.11, SRC/dstemr.f). */
#define ARGUMENTS                                                                                            \
  const char *jobz, const char *range, const lapack_int *n, void *d, void *e, const void *vl,                \
      const void *vu, const lapack_int *il, const lapack_int *iu, lapack_int *m, void *w, void *z,           \
      const lapack_int *ldz, const lapack_int *nzc, lapack_int *isuppz, lapack_int *tryrac, void *work,      \
      const lapack_int *lwork, lapack_int *iwork, const lapack_int *liwork, lapack_int *info
#define NAMES                                                                                                \
  jobz, range, n, d, e, vl, vu, il, iu, m, w, z, ldz, nzc, isuppz, tryrac, work, lwork, iwork, liwork, info
/* The linker's names. NOLINTBEGIN(bugprone-reserved-identifier) */
void __real_sstemr_(ARGUMENTS), __real_dstemr_(ARGUMENTS);
void __wrap_sstemr_(ARGUMENTS), __wrap_dstemr_(ARGUMENTS);

/* `item`: bytes of a number. The vectors are columns of `z`. */
static void spoil(size_t item, int64_t n, lapack_int *m, char *z, lapack_int *info)
{
  const size_t column = (size_t)n * item;
  char *last = z + (size_t)(*m - 1) * column;
  if (fault == GIVES_UP) *info = 22, *m = 0;
  if (fault == FINDS_FEWER) --*m;
  if (fault == REPEATS && *m > 1) memcpy(last, last - column, column);
  if (fault == REPEATS && *m == 1) memset(last, 0, column);
  if (fault == EXCHANGES && *m > 1) memcpy(z, last, column);
  if (fault == EXCHANGES && *m == 1) memset(z, 0, column);
  if (fault == GIVES_NAN && item == sizeof(float)) *(float *)last = NAN;
  if (fault == GIVES_NAN && item == sizeof(double)) *(double *)last = (double)NAN;
}

void __wrap_sstemr_(ARGUMENTS)
{
  __real_sstemr_(NAMES);
  spoil(sizeof(float), *n, m, z, info);
}

void __wrap_dstemr_(ARGUMENTS)
{
  __real_dstemr_(NAMES);
  spoil(sizeof(double), *n, m, z, info);
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* ---- vectors ------------------------------------------------------------------------------------------- */

/* Eigenvalues near 1 .. ORDER, which MRRR finds easy. */
FORMULA(entry_apart, i == j ? (double)(i + 1) : 1. / 128)

/* The `count` pairs from `first` on of a matrix, by DAP_EIGH_EVR. */
typedef struct results {
  int64_t first, count;
  matrix a, w, z;
  double complex *whole; /* A */
} results;

static results make(const trial *t, formula *entry, int64_t first, int64_t count)
{
  results r = {.first = first,
               .count = count,
               .a = trial_matrix(t, ORDER, ORDER, entry),
               .w = trial_other(t, element_type_of(t->type->real), count, -1, entry_nans),
               .z = trial_matrix(t, ORDER, count, entry_nans)};
  r.whole = matrix_whole(&r.a);
  return r;
}

static void end(results *r)
{
  free(r->whole);
  matrix_free(&r->z), matrix_free(&r->w), matrix_free(&r->a);
  SETTLE();
}

static dap_status solve(const results *r, char uplo, dap_linalg_report *report, dap_error *err)
{
  const dap_linalg_options options = {.report = report,
                                      .eigh = {.solver = DAP_EIGH_EVR,
                                               .range = DAP_EIGH_BY_INDEX,
                                               .start = r->first,
                                               .stop = r->first + r->count}};
  return dap_linalg_eigh(MPI_COMM_WORLD, uplo, matrix_operand(&r->a), matrix_operand(&r->w),
                         matrix_operand(&r->z), &options, err);
}

static void check_pairs(const results *r, double eps)
{
  const int64_t k = r->count;
  double complex *want = serial_eigenvalues('L', ORDER, r->whole), *w = matrix_whole(&r->w),
                 *z = matrix_whole(&r->z), *az = serial_multiply('N', 'N', ORDER, k, ORDER, r->whole, z),
                 *products = serial_multiply('C', 'N', k, k, ORDER, z, z);
  const double scale = fmax(fabs(creal(want[0])), fabs(creal(want[ORDER - 1])));
  expect_residual("eigenvalues", residual_difference(k, 1, w, want + r->first, scale, ORDER, eps));
  for (int64_t i = 0; i < k; i++) products[i + i * k] -= 1;
  EXPECT(whole_norm('M', k, k, products) <= 100 * ORDER * eps);
  whole_scale(ORDER, k, z, w);
  expect_residual("A Z - Z W", residual_difference(ORDER, k, az, z, scale, ORDER, eps));
  free(products), free(az), free(z), free(w), free(want);
}

static const struct {
  const char *why;
  mrrr_fault fault;
  formula *entry;
  dap_eigh_solver solver; /* that is used */
  const char *parts;      /* of the report's method */
} faults[] = {
    {"nothing fails", NO_FAULT, entry_apart, DAP_EIGH_EVR, "MRRR"},
    {"stemr gives up", GIVES_UP, entry_hermitian, DAP_EIGH_EVD, "divide and conquer|MRRR failed|22"},
    {"stemr finds fewer vectors", FINDS_FEWER, entry_hermitian, DAP_EIGH_EVD, "divide and conquer|accurate"},
    {"a vector twice", REPEATS, entry_hermitian, DAP_EIGH_EVD, "divide and conquer|accurate"},
    {"vectors in another order", EXCHANGES, entry_hermitian, DAP_EIGH_EVD, "divide and conquer|accurate"},
    {"a vector of NaN", GIVES_NAN, entry_hermitian, DAP_EIGH_EVD, "divide and conquer|accurate"},
};

/* Where MRRR fails the vectors are those of divide and conquer. */
static void failures_are_mended(void **state)
{
  static const int64_t ranges[3][2] = {{0, ORDER}, {7, 11}, {ORDER - 1, 1}};
  (void)state;
  for (int i = 0; i < (int)(sizeof faults / sizeof faults[0]) * ELEMENT_TYPES; i++) {
    const int row = i / ELEMENT_TYPES;
    const trial t = trial_of(i, ORDER, ORDER);
    dap_linalg_report report = {0};
    dap_error err = {0};
    TEST_CASE("%s, %s", faults[row].why, t.type->name);
    results r = make(&t, faults[row].entry, ranges[i % 3][0], ranges[i % 3][1]);
    fault = faults[row].fault;
    EXPECT_OK(solve(&r, "LU"[i % 2], &report, &err), &err);
    fault = NO_FAULT;
    check_pairs(&r, t.type->eps);
    EXPECT_INT(report.solver, faults[row].solver);
    EXPECT_MSG(test_contains(report.method, faults[row].parts), "%s", report.method);
    end(&r);
  }
}

/* ---- memory -------------------------------------------------------------------------------------------- */

/* Allocation `number` of process `who` is refused; 0: none. Returns true while there is one. *divided counts
 * the calls in which divide and conquer took over. */
static bool refuse(const trial *t, int who, int64_t number, int *divided)
{
  results r = make(t, entry_apart, 3, 9);
  dap_linalg_report report = {0};
  dap_error err = {0};
  if (test_rank() == who) allocations_start(number);
  const dap_status s = solve(&r, 'L', &report, &err);
  int refused = allocations_count() >= number;
  if (test_rank() == who) allocations_start(0);
  MPI_Bcast(&refused, 1, MPI_INT, who, MPI_COMM_WORLD);
  if (s) {
    EXPECT(number > 0 && refused);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NOMEM, "");
  } else {
    const bool is_divided = report.solver == DAP_EIGH_EVD;
    check_pairs(&r, t->type->eps);
    EXPECT_MSG(is_divided == (strstr(report.method, "MRRR is not possible: ") != NULL), "%s", report.method);
    *divided += is_divided;
  }
  end(&r);
  return refused;
}

static void memory_is_refused(void **state)
{
  (void)state;
  enum { PIECES = 8 }; /* of dap_linalg_mrrr */
  for (int k = 0; k < ELEMENT_TYPES; k++) {
    for (int who = 0; who<test_nprocs(); who += test_nprocs()> 1 ? test_nprocs() - 1 : 1) {
      const trial t = trial_of(k, ORDER, ORDER);
      int divided = 0;
      TEST_CASE("%s, process %d", t.type->name, who);
      (void)refuse(&t, who, 0, &divided); /* fills caches */
      for (int64_t number = 1; refuse(&t, who, number, &divided); number++)
        TEST_CASE("%s, allocation %d of process %d is refused", t.type->name, (int)number + 1, who);
      EXPECT_INT(divided, PIECES);
    }
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(failures_are_mended),
                                          cmocka_unit_test(memory_is_refused)};
MPI_TEST_MAIN(tests)
