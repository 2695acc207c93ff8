/* Processes that are late for a run, or stand still: with options.wait_seconds the others give up and say who
 * is missing, without it they wait, and all is right. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): fork(), kill() */
#include "mpi_test.h"
#include "waits.h"
#include "watchdog.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const double PATIENCE = 0.4, LATE = 1.6; /* seconds */

static wait_move move;

static void start(int row, double seconds)
{
  dap_error err = {0};
  EXPECT_OK(wait_start(&move, row, seconds, &err), &err);
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

/* The late process may have got all, as the others had sent it; and if it says so it has. */
static void one_is_late(void **state)
{
  (void)state;
  for (int row = 0; row < WAIT_ROWS; row++)
    for (int late = 0; late<test_nprocs(); late += test_nprocs()> 1 ? test_nprocs() - 1 : 1) {
      char missing[64];
      dap_error err = {0};
      TEST_CASE("%s, rank %d is late", wait_rows[row].why, late);
      watchdog(120, "%s, rank %d is late", wait_rows[row].why, late);
      start(row, PATIENCE);
      if (test_nprocs() > 1) {
        run_right(1);
        MPI_Barrier(MPI_COMM_WORLD);
        if (test_rank() == late) wait_rest(LATE);
        const dap_status s = wait_run(&move, 2, &err);
        snprintf(missing, sizeof missing, "rank %d has not answered", late);
        if (test_rank() != late) EXPECT_FAIL(s, DAP_ERR_LIBRARY, &err, missing);
        if (!s) EXPECT_INT(row_move_wrong(&move.row, 2), 0);
        EXPECT(dap_plan_is_broken(move.row.plan) == (s != DAP_OK));
        EXPECT_FAIL(wait_run(&move, 3, &err), DAP_ERR_LIBRARY, &err, "can only be destroyed");
        EXPECT(dap_plan_is_broken(move.row.plan));
        dap_plan_destroy(&move.row.plan);
        EXPECT_OK(wait_plan(&move, row, 0, &err), &err); /* on the same communicator */
      }
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

/* Stopped by the system in the middle of its runs, for DAP_TEST_PAUSE seconds. The process that stops it is
 * its child, which may be made at any time, and leaves the library alone. */
static void one_stands_still(void **state)
{
  (void)state;
  const char *text = getenv("DAP_TEST_PAUSE");
  const double pause = text ? strtod(text, NULL) : 0.5;
  for (int row = 0; row < WAIT_ROWS; row++) {
    pid_t child = -1;
    TEST_CASE("%s", wait_rows[row].why);
    watchdog(300, "%s, stopped", wait_rows[row].why);
    start(row, 0);
    const double begin = MPI_Wtime();
    double spent = 0;
    if (test_rank() == test_nprocs() - 1) child = fork();
    if (child == 0) {
      wait_rest(0.1);
      (void)kill(getppid(), SIGSTOP);
      wait_rest(pause);
      (void)kill(getppid(), SIGCONT);
      _exit(0);
    }
    for (int turn = 0; spent < pause + 0.2; turn++) {
      run_right(turn);
      spent = MPI_Wtime() - begin;
      MPI_Allreduce(MPI_IN_PLACE, &spent, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    }
    if (child > 0) EXPECT(waitpid(child, NULL, 0) == child);
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
