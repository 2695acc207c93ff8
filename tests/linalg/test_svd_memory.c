/* Tests dap_linalg_svd() on a process that cannot get memory. QR iteration must replace divide and conquer,
 * or all processes must return the same error. */
#include "allocations.h"
#include "harness.h"

/* All operands of a square matrix, in process rows. */
typedef struct operands {
  matrix a, u, s, vt;
} operands;

static operands make(int64_t n)
{
  const int grid[2] = {test_nprocs(), 1};
  const element_type *type = element_type_of(DAP_F8);
  return (operands){.a = matrix_make(&sources[1], type, n, n, grid, entry_any),
                    .u = matrix_make(&sources[1], type, n, n, grid, entry_nans),
                    .s = vector_make(0, type, n, entry_nans),
                    .vt = matrix_make(&sources[1], type, n, n, grid, entry_nans)};
}

static void end(operands *o)
{
  matrix_free(&o->vt), matrix_free(&o->s), matrix_free(&o->u), matrix_free(&o->a);
}

/* ---- memory ------------------------------------------------------------------------------------------ */

/* Divide and conquer allocates these pieces of memory, which are refused one by one. */
enum { PIECES = 5 };

typedef struct fallen {
  int count;
  int64_t peaks[2 * PIECES]; /* [count] largest memory of process 0 in bytes, when a piece was refused */
} fallen;

static dap_status decompose_counted(operands *o, bool has_vectors, const dap_linalg_options *options,
                                    int64_t refused, dap_error *err)
{
  const dap_darray none = {0}, u = has_vectors ? matrix_operand(&o->u) : none,
                   vt = has_vectors ? matrix_operand(&o->vt) : none;
  if (test_rank() == 0) allocations_start(refused);
  return dap_linalg_svd(MPI_COMM_WORLD, matrix_operand(&o->a), u, matrix_operand(&o->s), vt, options, err);
}

/* Checks the singular values and vectors of QR iteration. */
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

/* Refuses allocation `number` of process 0. Returns true while there is one. */
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

/* The largest memory of gesvd, if the caller asks for it. */
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

/* Without memory for divide and conquer, QR iteration is used, unless the caller asked for divide and
 * conquer. QR iteration then has the memory that was already allocated. */
static void without_memory(void **state)
{
  (void)state;
  const int64_t k = ORDER, real = (int64_t)sizeof(double), integers = 8 * k * (int64_t)sizeof(int);
  for (int has_vectors = 1; has_vectors >= 0; has_vectors--) {
    const int64_t all = has_vectors ? k * k : 0, work = (3 * all + 4 * k) * real, vectors = 2 * all * real;
    const int64_t room[PIECES] = {0, work, work + vectors, work + vectors + integers,
                                  work + vectors + integers + k * real};
    fallen fell = {0}, none = {0};
    (void)peak_of_gesvd(has_vectors); /* a first call keeps some memory */
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

static const struct CMUnitTest tests[] = {cmocka_unit_test(without_memory)};
MPI_TEST_MAIN(tests)
