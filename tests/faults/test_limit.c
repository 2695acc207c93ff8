/* Processes that are late for a collective function, or leave it: with dap_wait_limit() the others give up
 * and say who is missing, without it they wait, and all is right. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): nanosleep() */
#include "any.h"
#include "mpi_test.h"
#include "steps.h"
#include "watchdog.h"

#include <math.h>
#include <time.h>

/* Seconds: a process that is not late may lose its core for a while. */
static const double PATIENCE = 1;

static void rest(double seconds)
{
  const struct timespec time = {.tv_sec = (time_t)seconds,
                                .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
  (void)nanosleep(&time, NULL);
}

static void take_right(int row, MPI_Comm comm)
{
  bool is_right;
  dap_error err = {0};
  if (EXPECT_OK(step_take(row, comm, &is_right, &err), &err)) EXPECT(is_right);
}

/* The late process begins when the others' steps are over. */
static dap_status take_late(int row, MPI_Comm comm, bool is_late, bool *is_right, dap_error *err)
{
  dap_status s = DAP_OK;
  MPI_Request others;
  int over = 0;
  if (!is_late) s = step_take(row, comm, is_right, err);
  MPI_Ibarrier(MPI_COMM_WORLD, &others);
  for (MPI_Test(&others, &over, MPI_STATUS_IGNORE); !over; MPI_Test(&others, &over, MPI_STATUS_IGNORE))
    rest(0.02);
  return is_late ? step_take(row, comm, is_right, err) : s;
}

/* The late one may have got all; it learns of it then or at the next step. Nobody waits a second time. */
static void expect_missed(int row, MPI_Comm comm, int late)
{
  char missing[64];
  dap_error err = {0};
  bool is_right;
  MPI_Barrier(MPI_COMM_WORLD);
  dap_status s = take_late(row, comm, test_rank() == late, &is_right, &err);
  snprintf(missing, sizeof missing, "rank %d has not answered for %g s", late, PATIENCE);
  if (test_rank() != late) EXPECT_FAIL(s, DAP_ERR_LIBRARY, &err, missing);
  if (s) EXPECT_FAIL(s, DAP_ERR_LIBRARY, &err, "has not answered");
  if (!s) EXPECT(is_right);
  MPI_Barrier(MPI_COMM_WORLD);
  const double since = MPI_Wtime();
  s = step_take(row, comm, &is_right, &err);
  EXPECT_FAIL(s, DAP_ERR_LIBRARY, &err, "has not answered|works on this communicator");
  EXPECT_FAIL(dap_agree(comm, DAP_OK, &err), DAP_ERR_LIBRARY, &err, "has not answered");
  EXPECT_FAIL(dap_wait_limit(comm, 0, &err), DAP_ERR_LIBRARY, &err, "has not answered");
  if (test_rank() != late) EXPECT(MPI_Wtime() - since < PATIENCE / 2);
}

static void expect_late(int row, int late)
{
  TEST_CASE("%s, rank %d is late", step_rows[row].why, late);
  watchdog(60, "%s, rank %d is late", step_rows[row].why, late);
  MPI_Comm comm = step_comm(row, PATIENCE), other = step_comm(row, 60);
  take_right(row, comm);
  expect_missed(row, comm, late);
  take_right(row, other);
  MPI_Comm_free(&comm);
  take_right(row, other);
  MPI_Comm_free(&other);
  watchdog(0, "nothing");
  SETTLE();
}

/* The first or the last process; both where there is time. */
static void one_is_late(void **state)
{
  (void)state;
  const int last = test_nprocs() - 1;
  for (int row = 0; row < STEP_ROWS && last > 0; row++) {
    expect_late(row, row % 2 ? last : 0);
    if (test_scale() == 1) expect_late(row, row % 2 ? 0 : last);
  }
}

/* Not before it has to; nor where there is no limit any more. */
static void nobody_is_late(void **state)
{
  (void)state;
  for (int row = 0; row < STEP_ROWS; row++)
    for (int has_limit = 0; has_limit < 2; has_limit++) {
      TEST_CASE("%s, %s", step_rows[row].why, has_limit ? "60 s" : "no limit");
      watchdog(60, "%s", step_rows[row].why);
      dap_error err = {0};
      MPI_Comm comm = step_comm(row, 60);
      if (!has_limit) EXPECT_OK(dap_wait_limit(comm, 0, &err), &err);
      for (int turn = 0; turn < 4; turn++) {
        if (test_rank() == turn % test_nprocs()) rest(0.1);
        take_right(row, comm);
      }
      MPI_Comm_free(&comm);
      watchdog(0, "nothing");
      SETTLE();
    }
}

/* Where there is a context already it has the limit, too; and one that was lifted is none. */
static void comes_later(void **state)
{
  (void)state;
  enum { BOARDS = 1, ARRAY = 7 };
  static const int rows[] = {BOARDS, ARRAY};
  for (int i = 0; i < 2 && test_nprocs() > 1; i++) {
    dap_error err = {0};
    TEST_CASE("%s", step_rows[rows[i]].why);
    watchdog(60, "%s", step_rows[rows[i]].why);
    MPI_Comm comm = step_comm(rows[i], 0);
    take_right(rows[i], comm);
    EXPECT_OK(dap_wait_limit(comm, 60, &err), &err);
    take_right(rows[i], comm);
    EXPECT_OK(dap_wait_limit(comm, PATIENCE, &err), &err);
    EXPECT_OK(dap_wait_limit(comm, 0, &err), &err);
    if (test_rank() == 0) rest(1.5 * PATIENCE);
    take_right(rows[i], comm);
    EXPECT_OK(dap_wait_limit(comm, PATIENCE, &err), &err);
    expect_missed(rows[i], comm, test_nprocs() - 1);
    MPI_Comm_free(&comm);
    watchdog(0, "nothing");
    SETTLE();
  }
}

static void is_checked(void **state)
{
  (void)state;
  static const struct {
    double seconds[2]; /* of rank 0, and of the others */
    const char *error;
  } rows[] = {
      {{-1, -1}, "seconds -1 is negative"},
      {{NAN, NAN}, "or no number"},
      {{1, -1}, "rank 1: seconds -1 is negative"},
      {{1, 2}, "rank 1: seconds: not the same as on rank 0"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    dap_error err = {0};
    TEST_CASE("%s", rows[i].error);
    if (rows[i].seconds[0] > 0 && test_nprocs() == 1) continue;
    const dap_status s = dap_wait_limit(MPI_COMM_WORLD, rows[i].seconds[test_rank() > 0], &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, rows[i].error);
    EXPECT_OK(dap_wait_limit(MPI_COMM_WORLD, 0, &err), &err);
    EXPECT_FAIL(dap_wait_limit(MPI_COMM_NULL, 1, &err), DAP_ERR_ARG, &err, "MPI_COMM_NULL");
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(is_checked),
    cmocka_unit_test(nobody_is_late),
    cmocka_unit_test(comes_later),
    cmocka_unit_test(one_is_late),
};
MPI_TEST_MAIN(tests)
