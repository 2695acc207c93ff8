/* A routine of LAPACK reports a failure during dap_linalg_eigh(). Every process must get the error, and the
 * next call must be right. One process reduces the matrix with LAPACK; several processes each find
 * eigenvalues with LAPACK. */
#include "harness.h"

/* ---- routines ------------------------------------------------------------------------------------------ */

typedef enum routine { REDUCE, BACK, VALUES } routine;

/* The failure that one routine reports from now on, on this process; info 0: no failure. */
static struct {
  routine routine;
  lapack_int info;
} fault;

static void report(routine from, lapack_int *info)
{
  if (fault.info != 0 && fault.routine == from) *info = fault.info;
}

/* The arguments of all types (LAPACK 3.11, SRC/dsytrd.f, SRC/dormtr.f, SRC/dsterf.f). */
#define REDUCE_ARGUMENTS                                                                                     \
  const char *uplo, const lapack_int *n, void *a, const lapack_int *lda, void *d, void *e, void *tau,        \
      void *work, const lapack_int *lwork, lapack_int *info
#define REDUCE_NAMES uplo, n, a, lda, d, e, tau, work, lwork, info
#define BACK_ARGUMENTS                                                                                       \
  const char *side, const char *uplo, const char *trans, const lapack_int *m, const lapack_int *n,           \
      const void *a, const lapack_int *lda, const void *tau, void *c, const lapack_int *ldc, void *work,     \
      const lapack_int *lwork, lapack_int *info
#define BACK_NAMES side, uplo, trans, m, n, a, lda, tau, c, ldc, work, lwork, info
#define VALUES_ARGUMENTS const lapack_int *n, void *d, void *e, lapack_int *info
#define VALUES_NAMES n, d, e, info

/* The linker's names. NOLINTBEGIN(bugprone-reserved-identifier) */
#define WRAP(name, kind)                                                                                     \
  void __real_##name(kind##_ARGUMENTS);                                                                      \
  void __wrap_##name(kind##_ARGUMENTS);                                                                      \
  void __wrap_##name(kind##_ARGUMENTS)                                                                       \
  {                                                                                                          \
    __real_##name(kind##_NAMES);                                                                             \
    report(kind, info);                                                                                      \
  }
WRAP(ssytrd_, REDUCE)
WRAP(dsytrd_, REDUCE)
WRAP(chetrd_, REDUCE)
WRAP(zhetrd_, REDUCE)
WRAP(sormtr_, BACK)
WRAP(dormtr_, BACK)
WRAP(cunmtr_, BACK)
WRAP(zunmtr_, BACK)
WRAP(ssterf_, VALUES)
WRAP(dsterf_, VALUES)
/* NOLINTEND(bugprone-reserved-identifier) */

/* ---- failures ------------------------------------------------------------------------------------------ */

static const struct {
  const char *why;
  routine routine;
  lapack_int info;
  bool alone; /* LAPACK takes this step on one process only */
  dap_status status;
  const char *parts;
} rows[] = {
    {"an argument of the reduction", REDUCE, -4, true, DAP_ERR_LIBRARY, "sytrd of LAPACK|info is -4"},
    {"a failure that the reduction does not have", REDUCE, 3, true, DAP_ERR_LIBRARY, "sytrd|info is 3"},
    {"an argument of the way back", BACK, -9, true, DAP_ERR_LIBRARY, "ormtr of LAPACK|info is -9"},
    {"a failure that the way back does not have", BACK, 1, true, DAP_ERR_LIBRARY, "ormtr|info is 1"},
    {"an argument of the values", VALUES, -1, false, DAP_ERR_LIBRARY, "sterf of LAPACK|info is -1"},
    {"a value that does not converge", VALUES, 2, false, DAP_ERR_NUMERIC, "eigenvalue 2 did not converge"},
};

static void check_row(size_t i, const element_type *type)
{
  const int grid[2] = {test_nprocs(), 1};
  enum { N = 9 };
  const dap_darray none = {0};
  matrix a = matrix_make(&sources[1], type, N, N, grid, entry_hermitian);
  matrix z = matrix_make(&sources[1], type, N, N, grid, entry_nans);
  matrix w = vector_make(0, element_type_of(type->real), N, entry_nans);
  const dap_linalg_options options = {.keep = true, .eigh = {.solver = DAP_EIGH_EVD}};
  const dap_darray vectors = rows[i].routine == VALUES ? none : matrix_operand(&z);
  dap_error err = {0};
  if (test_rank() == test_nprocs() - 1) fault.routine = rows[i].routine, fault.info = rows[i].info;
  const dap_status s =
      dap_linalg_eigh(MPI_COMM_WORLD, 'L', matrix_operand(&a), matrix_operand(&w), vectors, &options, &err);
  fault.info = 0;
  expect_same_error(MPI_COMM_WORLD, s, &err, rows[i].status, rows[i].parts);
  EXPECT(expect_same(&a) && expect_same(&w));
  EXPECT_OK(
      dap_linalg_eigh(MPI_COMM_WORLD, 'L', matrix_operand(&a), matrix_operand(&w), vectors, &options, &err),
      &err);
  matrix_free(&w), matrix_free(&z), matrix_free(&a);
  SETTLE();
}

static void failures(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    for (size_t t = 0; t < ELEMENT_TYPES && (test_nprocs() == 1 || !rows[i].alone); t++) {
      TEST_CASE("%s, %s", rows[i].why, element_types[t].name);
      check_row(i, &element_types[t]);
    }
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(failures)};
MPI_TEST_MAIN(tests)
