/* dap_linalg_eigh() with DAP_EIGH_EVR where MRRR fails, or is refused memory: divide and conquer finds the
 * vectors, or all processes return the same error. */
#include "allocations.h"
#include "eigh_test.h"
#include "mrrr_fails.h"

enum { ORDER = 21, FIRST = 3, COUNT = 9 };

/* Eigenvalues near 1 .. ORDER, which MRRR finds easy. */
static double complex entry_apart(int64_t i, int64_t j)
{
  return i == j ? (double)(i + 1) : 1. / 128;
}

static trial trial_of(int number)
{
  return (trial){.number = number,
                 .source = &sources[number % source_count],
                 .type = &element_types[number % ELEMENT_TYPES],
                 .size = {ORDER, ORDER},
                 .grid = {test_nprocs(), 1}};
}

static void is_used(void **state)
{
  (void)state;
  for (int k = 0; k < 8; k++) {
    const trial t = trial_of(k);
    TEST_CASE("%s, %s", t.type->name, t.source->name);
    eigh_problem p = eigh_all(&t, entry_apart, "LU"[k % 2]);
    p.solver = DAP_EIGH_EVR;
    const dap_linalg_report report = eigh_check(&p);
    EXPECT_INT(report.solver, DAP_EIGH_EVR);
    EXPECT_MSG(strcmp(report.method, "MRRR") == 0, "%s", report.method);
  }
}

static const struct {
  const char *why;
  mrrr_fault fault;
  const char *parts; /* of the report's method */
} faults[] = {
    {"stemr gives up", MRRR_GIVES_UP, "divide and conquer|MRRR failed|info is 22"},
    {"stemr finds fewer vectors", MRRR_FINDS_FEWER, "divide and conquer|not accurate"},
    {"a vector twice", MRRR_REPEATS, "divide and conquer|not accurate"},
    {"vectors in another order", MRRR_EXCHANGES, "divide and conquer|not accurate"},
    {"a vector of NaN", MRRR_GIVES_NAN, "divide and conquer|not accurate"},
};

/* Where MRRR fails the vectors are those of divide and conquer. */
static void failures_are_mended(void **state)
{
  (void)state;
  for (int i = 0; i < (int)(sizeof faults / sizeof faults[0]) * ELEMENT_TYPES; i++) {
    const int row = i / ELEMENT_TYPES;
    const trial t = trial_of(i);
    TEST_CASE("%s, %s", faults[row].why, t.type->name);
    eigh_problem p = eigh_all(&t, entry_hermitian, "LU"[i % 2]);
    p.solver = DAP_EIGH_EVR;
    if (i % 3)
      p.range = DAP_EIGH_BY_INDEX, p.first = i % 3 == 1 ? 7 : ORDER - 1, p.count = i % 3 == 1 ? 11 : 1;
    mrrr_fail(faults[row].fault);
    const dap_linalg_report report = eigh_check(&p);
    mrrr_fail(MRRR_NO_FAULT);
    EXPECT_INT(report.solver, DAP_EIGH_EVD);
    EXPECT_MSG(test_contains(report.method, faults[row].parts), "%s", report.method);
  }
}

/* ---- memory -------------------------------------------------------------------------------------------- */

typedef struct results {
  matrix a, w, z;
  double complex *whole; /* A */
} results;

static results make(const trial *t)
{
  results r = {.a = trial_matrix(t, ORDER, ORDER, entry_apart),
               .w = trial_vector(t, COUNT, true, entry_nans),
               .z = trial_matrix(t, ORDER, COUNT, entry_nans)};
  r.whole = matrix_whole(&r.a);
  return r;
}

static void end(results *r)
{
  free(r->whole);
  matrix_free(&r->z), matrix_free(&r->w), matrix_free(&r->a);
}

static void check_pairs(const results *r, double eps)
{
  double complex *want = serial_eigenvalues('L', ORDER, r->whole), *w = matrix_whole(&r->w),
                 *z = matrix_whole(&r->z), *products = serial_multiply('C', 'N', COUNT, COUNT, ORDER, z, z);
  const double scale = fmax(fabs(creal(want[0])), fabs(creal(want[ORDER - 1])));
  expect_residual("eigenvalues", residual_difference(COUNT, 1, w, want + FIRST, scale, ORDER, eps));
  expect_residual("A Z - Z W", residual_pairs(ORDER, COUNT, r->whole, NULL, w, z, scale, eps));
  for (int64_t i = 0; i < COUNT; i++) products[i + i * COUNT] -= 1;
  EXPECT(whole_norm('M', COUNT, COUNT, products) <= 100 * ORDER * eps);
  free(products), free(z), free(w), free(want);
}

/* Allocation `number` of process `who` is refused; 0: none. Returns true while there is one. *divided counts
 * the calls in which divide and conquer took over. */
static bool refuse(const trial *t, int who, int64_t number, int *divided)
{
  results r = make(t);
  dap_linalg_report report = {0};
  const dap_linalg_options options = {
      .report = &report,
      .eigh = {.solver = DAP_EIGH_EVR, .range = DAP_EIGH_BY_INDEX, .start = FIRST, .stop = FIRST + COUNT}};
  dap_error err = {0};
  if (test_rank() == who) allocations_start(number);
  const dap_status s = dap_linalg_eigh(MPI_COMM_WORLD, 'L', matrix_operand(&r.a), matrix_operand(&r.w),
                                       matrix_operand(&r.z), &options, &err);
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
  SETTLE();
  return refused;
}

static void memory_is_refused(void **state)
{
  (void)state;
  enum { PIECES = 8 }; /* of dap_linalg_mrrr */
  for (int k = 0; k < ELEMENT_TYPES; k++) {
    for (int who = 0; who<test_nprocs(); who += test_nprocs()> 1 ? test_nprocs() - 1 : 1) {
      const trial t = trial_of(k);
      int divided = 0;
      TEST_CASE("%s, process %d", t.type->name, who);
      (void)refuse(&t, who, 0, &divided); /* what is cached is there from now on */
      for (int64_t number = 1; refuse(&t, who, number, &divided); number++)
        TEST_CASE("%s, allocation %d of process %d is refused", t.type->name, (int)number + 1, who);
      EXPECT_INT(divided, PIECES);
    }
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(is_used), cmocka_unit_test(failures_are_mended),
                                          cmocka_unit_test(memory_is_refused)};
MPI_TEST_MAIN(tests)
