/* MPI calls that fail on one process, one after the other: every process hears of it, nobody waits for ever,
 * and the next call is right. What is failed has been done, so that it is the statuses that are tested. */
#include "harness.h"

#include <dapbridge/linalg_banded.h>
#include <dapbridge/linalg_factors.h>
#include <dapbridge/linalg_rank.h>
#include <dapbridge/linalg_schur.h>
#include <dapbridge/linalg_triangular.h>

#include <string.h>

/* Which of the calls on `comm` fails here; the library's agreements are left alone, as nothing could tell of
 * theirs. */
static struct {
  MPI_Comm comm;
  int countdown; /* calls until then; -1: none fails */
  bool armed, fired;
} fault = {.comm = MPI_COMM_NULL, .countdown = -1};

static int verdict(MPI_Comm comm, bool agreement, int code)
{
  if (fault.countdown < 0 || comm != fault.comm || agreement || fault.fired) return code;
  fault.fired = fault.countdown-- == 0;
  return fault.fired && fault.armed ? MPI_ERR_OTHER : code;
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  const bool agreement = type == MPI_INT64_T && (op == MPI_MIN || op == MPI_BAND);
  return verdict(comm, agreement, PMPI_Allreduce(from, to, count, type, op, comm));
}

int MPI_Bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
  return verdict(comm, type == MPI_BYTE || type == MPI_UINT64_T || type == MPI_CHAR,
                 PMPI_Bcast(data, count, type, root, comm));
}

int MPI_Reduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
  return verdict(comm, false, PMPI_Reduce(from, to, count, type, op, root, comm));
}

int MPI_Allgather(const void *from, int count, MPI_Datatype type, void *to, int to_count,
                  MPI_Datatype to_type, MPI_Comm comm)
{
  return verdict(comm, false, PMPI_Allgather(from, count, type, to, to_count, to_type, comm));
}

int MPI_Alltoallv(const void *from, const int counts[], const int starts[], MPI_Datatype type, void *to,
                  const int to_counts[], const int to_starts[], MPI_Datatype to_type, MPI_Comm comm)
{
  return verdict(comm, false,
                 PMPI_Alltoallv(from, counts, starts, type, to, to_counts, to_starts, to_type, comm));
}

/* The operands of one call: matrices and vectors as far as it has them. */
typedef struct operands {
  matrix a, b, x, w;
} operands;

typedef dap_status function(MPI_Comm comm, operands *o, dap_error *err);

static dap_status solve(MPI_Comm comm, operands *o, dap_error *err)
{
  return dap_linalg_solve(comm, 'N', matrix_operand(&o->a), matrix_operand(&o->b), NULL, err);
}

static dap_status determinant(MPI_Comm comm, operands *o, dap_error *err)
{
  double sign[2], log;
  return dap_linalg_determinant(comm, matrix_operand(&o->a), sign, &log, NULL, err);
}

static dap_status condition(MPI_Comm comm, operands *o, dap_error *err)
{
  double rcond;
  return dap_linalg_condition(comm, '1', matrix_operand(&o->a), &rcond, NULL, err);
}

static dap_status norm(MPI_Comm comm, operands *o, dap_error *err)
{
  double value;
  return dap_linalg_norm(comm, 'F', matrix_operand(&o->a), &value, NULL, err);
}

static dap_status eigh(MPI_Comm comm, operands *o, dap_error *err)
{
  return dap_linalg_eigh(comm, 'L', matrix_operand(&o->a), matrix_operand(&o->w), matrix_operand(&o->b), NULL,
                         err);
}

static dap_status generalized(MPI_Comm comm, operands *o, dap_error *err)
{
  matrix_fill(&o->b, entry_definite);
  return dap_linalg_eigh_generalized(comm, 'U', matrix_operand(&o->a), matrix_operand(&o->b),
                                     matrix_operand(&o->w), (dap_darray){0}, NULL, err);
}

static dap_status svd(MPI_Comm comm, operands *o, dap_error *err)
{
  const dap_darray none = {0};
  return dap_linalg_svd(comm, matrix_operand(&o->a), matrix_operand(&o->b), matrix_operand(&o->w), none, NULL,
                        err);
}

static dap_status banded(MPI_Comm comm, operands *o, dap_error *err)
{
  return dap_linalg_banded_solve(comm, 4, 4, matrix_operand(&o->a), matrix_operand(&o->b), NULL, err);
}

static dap_status pivoted(MPI_Comm comm, operands *o, dap_error *err)
{
  int64_t rank;
  return dap_linalg_least_squares_rank(comm, -1, matrix_operand(&o->a), matrix_operand(&o->b),
                                       matrix_operand(&o->x), &rank, NULL, err);
}

static dap_status schur(MPI_Comm comm, operands *o, dap_error *err)
{
  return dap_linalg_schur(comm, matrix_operand(&o->a), matrix_operand(&o->b), (dap_darray){0},
                          (dap_darray){0}, NULL, err);
}

/* Factors, and all that is done with them. */
static dap_status use_factors(dap_linalg_factors **f, operands *o, dap_error *err)
{
  double sign[2], log, rcond;
  dap_status s = dap_linalg_factors_solve(*f, 'T', matrix_operand(&o->b), NULL, err);
  if (!s) s = dap_linalg_factors_inverse(*f, matrix_operand(&o->x), NULL, err);
  if (!s) s = dap_linalg_factors_determinant(*f, sign, &log, err);
  if (!s) s = dap_linalg_factors_condition(*f, 'I', &rcond, err);
  dap_linalg_factors_destroy(f);
  return s;
}

static dap_status lu(MPI_Comm comm, operands *o, dap_error *err)
{
  dap_linalg_factors *f = NULL;
  const dap_linalg_options kept = {.keep = true};
  const dap_status s = dap_linalg_lu(comm, matrix_operand(&o->a), &kept, &f, err);
  return s ? s : use_factors(&f, o, err);
}

static dap_status cholesky(MPI_Comm comm, operands *o, dap_error *err)
{
  dap_linalg_factors *f = NULL;
  matrix_fill(&o->a, entry_definite);
  const dap_status s = dap_linalg_cholesky(comm, 'L', matrix_operand(&o->a), NULL, &f, err);
  return s ? s : use_factors(&f, o, err);
}

static dap_status refined(MPI_Comm comm, operands *o, dap_error *err)
{
  double forward[9], backward[9];
  return dap_linalg_solve_refined(comm, 'N', matrix_operand(&o->a), matrix_operand(&o->b),
                                  matrix_operand(&o->x), forward, backward, NULL, NULL, err);
}

static dap_status triangular(MPI_Comm comm, operands *o, dap_error *err)
{
  return dap_linalg_triangular_solve(comm, 'L', 'U', 'N', 'N', NULL, matrix_operand(&o->a),
                                     matrix_operand(&o->b), NULL, err);
}

static dap_status rank_k(MPI_Comm comm, operands *o, dap_error *err)
{
  return dap_linalg_rank_k(comm, 'H', 'A', 'N', NULL, matrix_operand(&o->b), NULL, matrix_operand(&o->x),
                           NULL, err);
}

static const struct {
  const char *why;
  function *call;
  int64_t n;
} rows[] = {
    {"pivots and swaps", solve, 9},
    {"products of all processes", determinant, 9},
    {"the estimate's walk", condition, 9},
    {"NaN somewhere", norm, 9},
    {"whole eigenvalues", eigh, 9},
    {"eigenvalues of a pair", generalized, 9},
    {"a band's pivots", banded, 9},
    {"the rank", pivoted, 9},
    {"eigenvalues of one process", schur, 9},
    {"LU factors, in a copy", lu, 9},
    {"Cholesky factors", cholesky, 9},
    {"bounds of errors", refined, 9},
    {"a zero on the diagonal", triangular, 9},
    {"one triangle", rank_k, 9},
    {"values of ScaLAPACK's", svd, 9},
    {"a matrix smaller than the grid, on one process", svd, 1},
};

/* All are shared: what plans make of failures is tested with them. Row `i` with the `number`-th call failing
 * on `rank`; false when there are no more. */
static bool fails(MPI_Comm comm, size_t i, int number, int rank)
{
  const int grid[2] = {test_nprocs(), 1};
  const int64_t n = rows[i].n, size[2] = {n, n};
  const element_type *type = &element_types[i % ELEMENT_TYPES], *real = element_type_of(type->real);
  TEST_CASE("%s: call %d fails on %d", rows[i].why, number, rank);
  operands o = {.a = matrix_make(&sources[1], type, 2, size, grid, entry_hermitian),
                .b = matrix_make(&sources[1], type, 2, size, grid, entry_dominant),
                .x = matrix_make(&sources[1], type, 2, size, grid, entry_any),
                .w = matrix_make(&vector_sources[0], real, 1, size, grid, entry_any)};
  fault.comm = comm, fault.countdown = number, fault.armed = test_rank() == rank, fault.fired = false;
  dap_error err = {0};
  const dap_status status = rows[i].call(comm, &o, &err);
  const bool fired = fault.fired;
  fault.countdown = -1;
  if (fired)
    expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_LIBRARY, "MPI_");
  else
    EXPECT_OK(status, &err);
  matrix_free(&o.w), matrix_free(&o.x), matrix_free(&o.b), matrix_free(&o.a);
  SETTLE();
  return fired;
}

static void one_process_hears_of_it(void **state)
{
  (void)state;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int number = 0;
    while (fails(comm, i, number, number % test_nprocs())) number++;
    EXPECT_MSG(number > 0 || test_nprocs() == 1, "no call of its own"); /* one process asks nobody */
  }
  MPI_Comm_free(&comm);
}

/* The last process is in another function than the others; on a communicator that is new, and on one that is
 * not. */
static void other_functions_are_named(void **state)
{
  (void)state;
  const int last = test_nprocs() - 1, grid[2] = {test_nprocs(), 1};
  const int64_t size[2] = {9, 9};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0] - 2 && last > 0; i++) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    TEST_CASE("%s, and then %s", rows[i].why, rows[i + 1].why);
    const element_type *type = element_type_of(DAP_F8);
    operands o = {.a = matrix_make(&sources[1], type, 2, size, grid, entry_hermitian),
                  .b = matrix_make(&sources[1], type, 2, size, grid, entry_dominant),
                  .x = matrix_make(&sources[1], type, 2, size, grid, entry_any),
                  .w = matrix_make(&vector_sources[0], type, 1, size, grid, entry_any)};
    for (int turn = 0; turn < 2; turn++) {
      dap_error err = {0};
      const dap_status s = rows[i + (test_rank() == last)].call(comm, &o, &err);
      expect_same_error(comm, s, &err, DAP_ERR_ARG, "this process is in dap_linalg_|, rank 0 in dap_linalg_");
      EXPECT_INT(err.rank, last);
      EXPECT_OK(rows[i].call(comm, &o, &err), &err);
    }
    matrix_free(&o.w), matrix_free(&o.x), matrix_free(&o.b), matrix_free(&o.a);
    MPI_Comm_free(&comm);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(one_process_hears_of_it),
                                          cmocka_unit_test(other_functions_are_named)};
MPI_TEST_MAIN(tests)
