/* Processes that are late for a run, or stand still: with options.wait_seconds the others give up and say who
 * is missing, without it they wait, and all is right. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): fork(), kill() */
#include "any.h"
#include "mpi_test.h"
#include "waits.h"
#include "watchdog.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds: a process that is not late may lose its core for a while. */
static const double PATIENCE = 1.5;

static wait_move move;

static void start(int row, double seconds)
{
  dap_error err = {0};
  EXPECT_OK(wait_start(&move, row, seconds, &err), &err);
}

/* Another plan, on the same communicator. */
static void plan_again(int row, double seconds)
{
  dap_error err = {0};
  dap_plan_destroy(&move.row.plan);
  EXPECT_OK(wait_plan(&move, row, seconds, &err), &err);
}

static void end(void)
{
  wait_end(&move);
  watchdog(0, "nothing");
  SETTLE();
}

static void run_right(int64_t turn)
{
  dap_error err = {0};
  if (EXPECT_OK(wait_run(&move, turn, &err), &err)) EXPECT_INT(row_move_wrong(&move.row, turn), 0);
}

/* The late process begins when the others' runs are over. */
static dap_status run_late(bool is_late, int64_t turn, dap_error *err)
{
  dap_status s = DAP_OK;
  MPI_Request others;
  int over = 0;
  if (!is_late) s = wait_run(&move, turn, err);
  MPI_Ibarrier(MPI_COMM_WORLD, &others);
  for (MPI_Test(&others, &over, MPI_STATUS_IGNORE); !over; MPI_Test(&others, &over, MPI_STATUS_IGNORE))
    wait_rest(0.02);
  return is_late ? wait_run(&move, turn, err) : s;
}

/* It may have got all, as the others had sent it; and if it says so it has. */
static void expect_missed(int late)
{
  char missing[64];
  dap_error err = {0};
  MPI_Barrier(MPI_COMM_WORLD);
  const dap_status s = run_late(test_rank() == late, 2, &err);
  snprintf(missing, sizeof missing, "rank %d has not answered", late);
  if (test_rank() != late) EXPECT_FAIL(s, DAP_ERR_LIBRARY, &err, missing);
  if (!s) EXPECT_INT(row_move_wrong(&move.row, 2), 0);
  EXPECT(dap_plan_is_broken(move.row.plan) == (s != DAP_OK));
  EXPECT_FAIL(wait_run(&move, 3, &err), DAP_ERR_LIBRARY, &err, "can only be destroyed");
  EXPECT(dap_plan_is_broken(move.row.plan));
}

/* Of the plans only the one of that run is impatient. */
static void one_is_late(void **state)
{
  (void)state;
  for (int row = 0; row < WAIT_ROWS; row++)
    for (int late = 0; late<test_nprocs(); late += test_nprocs()> 1 ? test_nprocs() - 1 : 1) {
      TEST_CASE("%s, rank %d is late", wait_rows[row].why, late);
      watchdog(120, "%s, rank %d is late", wait_rows[row].why, late);
      start(row, 0);
      run_right(1);
      plan_again(row, PATIENCE);
      if (test_nprocs() > 1) expect_missed(late);
      plan_again(row, 0);
      run_right(4);
      end();
    }
}

/* Not before it has to. */
static void nobody_is_late(void **state)
{
  (void)state;
  for (int row = 0; row < WAIT_ROWS; row++) {
    TEST_CASE("%s", wait_rows[row].why);
    watchdog(120, "%s", wait_rows[row].why);
    start(row, 60);
    for (int turn = 0; turn < 20; turn++) {
      if (turn % 5 == 3 && test_rank() == turn % test_nprocs()) wait_rest(0.05);
      run_right(turn);
    }
    end();
  }
}

/* A child that stops this process for so many seconds, and leaves the library alone; its exit status is 0 if
 * it did. -1: there is none. If this process has ended meanwhile the child has another parent. */
static pid_t stop_for(double pause)
{
  const pid_t self = getpid(), child = fork();
  if (child) return child;
  wait_rest(0.1);
  if (getppid() != self || kill(self, SIGSTOP)) _exit(1);
  wait_rest(pause);
  _exit(getppid() != self || kill(self, SIGCONT));
}

/* Stopped by the system in the middle of its runs, for DAP_TEST_PAUSE seconds. */
static void one_stands_still(void **state)
{
  (void)state;
  const char *text = getenv("DAP_TEST_PAUSE");
  const double pause = text ? strtod(text, NULL) : 0.5;
  for (int row = 0; row < WAIT_ROWS; row++) {
    const bool is_stopped = test_rank() == test_nprocs() - 1;
    TEST_CASE("%s", wait_rows[row].why);
    watchdog(300, "%s, stopped", wait_rows[row].why);
    start(row, 0);
    const pid_t child = is_stopped ? stop_for(pause) : 0;
    int code = 0;
    bool is_over = !is_stopped || !EXPECT(child > 0);
    for (int turn = 0; any(!is_over); turn++) {
      run_right(turn);
      is_over = is_over || waitpid(child, &code, WNOHANG) == child;
    }
    EXPECT_INT(code, 0);
    end();
  }
}

static void is_the_same_everywhere(void **state)
{
  (void)state;
  row_move m;
  dap_error err = {0};
  row_move_make(&m, 5, 0);
  const dap_side from = {.layout = m.layouts[0], .contiguous = true},
                 to = {.layout = m.layouts[1], .contiguous = true};
  dap_plan_options options = {.wait_seconds = test_rank() == 0 ? 1 : 2};
  dap_status s = dap_plan_create(MPI_COMM_WORLD, &from, &to, sizeof(double), &options, &m.plan, &err);
  if (test_nprocs() > 1) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "wait_seconds|not the same");
  dap_plan_destroy(&m.plan);
  options.wait_seconds = -1;
  s = dap_plan_create(MPI_COMM_WORLD, &from, &to, sizeof(double), &options, &m.plan, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "wait_seconds -1");
  row_move_free(&m);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(is_the_same_everywhere),
    cmocka_unit_test(nobody_is_late),
    cmocka_unit_test(one_is_late),
    cmocka_unit_test(one_stands_still),
};
MPI_TEST_MAIN(tests)
