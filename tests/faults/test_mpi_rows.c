/* A call of MPI that fails on one process while the rows of a tall matrix are factored: nobody waits for
 * ever, the call fails on all processes or on none, operands that are only read keep their values, and the
 * next call on the same communicator succeeds. No message is under way when a call returns. */
#include "any.h"
#include "mpi_failures.h"
#include "mpi_test.h"
#include "watchdog.h"

#include <dapbridge/linalg_rank.h>
#include <inttypes.h>
#include <stdlib.h>

enum { PATIENCE = 120 /* seconds */, ROWS = 24, COLUMNS = 3, SIDES = 2 };

/* ---- operands ------------------------------------------------------------------------------------------ */

/* Tall ones are in block rows, the others in blocks of one row. */
enum { A, B, Q, X, R, S, P, OPERANDS };

static const struct {
  int64_t rows, cols; /* rows of a tall one: for each process */
  bool is_tall;
  int ndim;
} forms[OPERANDS] = {
    [A] = {ROWS, COLUMNS, true, 2},   [B] = {ROWS, SIDES, true, 2},       [Q] = {ROWS, COLUMNS, true, 2},
    [X] = {COLUMNS, SIDES, false, 2}, [R] = {COLUMNS, COLUMNS, false, 2}, [S] = {COLUMNS, 1, false, 1},
    [P] = {COLUMNS, 1, false, 1}};

typedef struct operands {
  dap_layout *layout[OPERANDS];
  dap_array array[OPERANDS];
} operands;

static double number(int64_t k)
{
  return (double)((5 * k * k + 3 * k + test_rank()) % 13) - 6;
}

static void fill(operands *o)
{
  for (int i = A; i <= B; i++)
    for (int64_t k = 0; k < dap_array_count(&o->array[i]); k++) ((double *)o->array[i].data)[k] = number(k);
}

static bool is_filled(const operands *o)
{
  bool is = true;
  for (int i = A; i <= B; i++)
    for (int64_t k = 0; k < dap_array_count(&o->array[i]); k++)
      is = is && ((const double *)o->array[i].data)[k] == number(k);
  return is;
}

static void make(operands *o)
{
  const int nprocs = test_nprocs();
  dap_error err;
  for (int i = 0; i < OPERANDS; i++) {
    const dap_dist dists[2] = {forms[i].is_tall ? dap_dist_even(forms[i].rows * nprocs, nprocs)
                                                : dap_dist_cyclic(forms[i].rows, nprocs, 1),
                               dap_dist_local(forms[i].cols)};
    EXPECT_OK(dap_layout_create(forms[i].ndim, dists, &o->layout[i], &err), &err);
    EXPECT_OK(dap_array_init(&o->array[i], o->layout[i], test_rank(), i == P ? DAP_I8 : DAP_F8, DAP_ORDER_C,
                             NULL, &err),
              &err);
  }
}

static void end(operands *o)
{
  for (int i = 0; i < OPERANDS; i++) {
    dap_array_release(&o->array[i]);
    dap_layout_destroy(&o->layout[i]);
  }
}

/* ---- functions ----------------------------------------------------------------------------------------- */

#define FUNCTION(name, call, ...)                                                                            \
  static dap_status name(MPI_Comm comm, operands *o, dap_error *err)                                         \
  {                                                                                                          \
    return call(comm, __VA_ARGS__, NULL, err);                                                               \
  }
#define OF(i) ((dap_darray){o->layout[i], &o->array[i]})

FUNCTION(svd, dap_linalg_svd, OF(A), OF(Q), OF(S), OF(R))
FUNCTION(qr, dap_linalg_qr, OF(A), OF(Q), OF(R))
FUNCTION(qr_pivoted, dap_linalg_qr_pivoted, -1, OF(A), OF(Q), OF(R), OF(P), NULL)
FUNCTION(least_squares, dap_linalg_least_squares, OF(A), OF(B), OF(X))
FUNCTION(any_rank, dap_linalg_least_squares_rank, -1, OF(A), OF(B), OF(X), NULL)

static const struct function {
  const char *name;
  dap_status (*run)(MPI_Comm comm, operands *o, dap_error *err);
} functions[] = {{"dap_linalg_svd", svd},
                 {"dap_linalg_qr", qr},
                 {"dap_linalg_qr_pivoted", qr_pivoted},
                 {"dap_linalg_least_squares", least_squares},
                 {"dap_linalg_least_squares_rank", any_rank}};

/* ---- messages ------------------------------------------------------------------------------------------ */

/* The tree's message that is under way on this process. The call frees its buffer, so it must wait for it
 * first. Plans send bytes, and the tree sends numbers. */
static MPI_Request message = MPI_REQUEST_NULL;

int MPI_Isend(const void *at, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  const int code = PMPI_Isend(at, count, type, to, tag, comm, request);
  if (type == MPI_DOUBLE) message = *request;
  return code;
}

int MPI_Irecv(void *at, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
  const int code = PMPI_Irecv(at, count, type, from, tag, comm, request);
  if (type == MPI_DOUBLE) message = *request;
  return code;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
  if (*request == message) message = MPI_REQUEST_NULL;
  return PMPI_Wait(request, status);
}

/* ---- failures ------------------------------------------------------------------------------------------ */

/* Returns whether there was such a call on any process. */
static bool fail_one(const struct function *f, operands *o, int64_t number_of_call)
{
  MPI_Comm comm;
  dap_error err = {.rank = -1};
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  fill(o);
  mpi_failures_start(number_of_call);
  const dap_status s = f->run(comm, o, &err);
  const bool was_met = any(number_of_call > 0 && mpi_failures_count() >= number_of_call),
             failed = any(s != DAP_OK);
  mpi_failures_start(0);
  EXPECT_MSG(message == MPI_REQUEST_NULL, "a message is still under way");
  EXPECT_MSG(was_met || !failed, "\"%s\", and nothing had failed", err.text);
  if (failed) expect_same_error(MPI_COMM_WORLD, s, &err, s, "");
  if (failed) EXPECT_MSG(s == DAP_ERR_LIBRARY || s == DAP_ERR_NOMEM, "status %d: %s", (int)s, err.text);
  EXPECT(is_filled(o));
  EXPECT_OK(f->run(comm, o, &err), &err);
  mpi_failures_end();
  PMPI_Comm_free(&comm);
  return was_met;
}

static void each_call_of_each_function(void **state)
{
  (void)state;
  int64_t all = 0;
  operands o;
  make(&o);
  const int nprocs = test_nprocs(), step = test_scale();
  for (int i = 0; i < nprocs * (int)(sizeof functions / sizeof functions[0]); i++) {
    const struct function *f = &functions[i / nprocs];
    const int victim = i % nprocs;
    bool more = true;
    for (int64_t k = 1 + i % step; more; k += step, all++) {
      TEST_CASE("%s: call %" PRId64 " of rank %d fails", f->name, k, victim);
      watchdog(PATIENCE, "%s: call %" PRId64 " of rank %d", f->name, k, victim);
      more = fail_one(f, &o, test_rank() == victim ? k : 0);
      SETTLE();
    }
  }
  watchdog(0, "nothing");
  end(&o);
  print_message("%" PRId64 " calls failed\n", all);
  EXPECT(test_nprocs() == 1 ||
         any(mpi_failures_times("MPI_Isend") > 0)); /* the tree's messages are among them */
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(each_call_of_each_function)};
MPI_TEST_MAIN(tests)
