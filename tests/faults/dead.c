/* A program whose last process is killed, where MPI lets the others live (a launcher that was told to, or MPI
 * with fault tolerance):
 *
 *     dead between|within <row of waits.h>
 *
 * between two runs, or at some moment of one. With options.wait_seconds the others get an error instead of
 * waiting for ever, and say "told" and whom it names; dead.sh counts them. They leave without MPI_Finalize(),
 * which would wait for the dead. */
#define _XOPEN_SOURCE 700 /* NOLINT(bugprone-reserved-identifier): setitimer() */
#include "mpi_test.h"
#include "waits.h"
#include "watchdog.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static bool is_within;
static int row;

static void die(int number)
{
  (void)number;
  (void)raise(SIGKILL);
}

static void die_soon(void)
{
  const struct itimerval when = {.it_value = {0, 20000}};
  (void)signal(SIGALRM, die);
  (void)setitimer(ITIMER_REAL, &when, NULL);
}

/* Runs until that fails; the number of runs that were right, -1 for one that was not. */
static int run_until_told(wait_move *m, dap_error *err)
{
  for (int turn = 0;; turn++) {
    if (wait_run(m, turn, err)) return turn;
    if (row_move_wrong(&m->row, turn)) return -1;
  }
}

/* What this process was told; false if nobody hears it. */
static bool tell(wait_move *m, const dap_error *told, int runs)
{
  char dead[64];
  dap_error err = {0};
  snprintf(dead, sizeof dead, "rank %d has not answered", test_nprocs() - 1);
  const bool is_named = strstr(told->text, dead) || (is_within && strstr(told->text, "has not answered"));
  const dap_status again = wait_run(m, 0, &err);
  dap_plan_destroy(&m->row.plan); /* waits for nobody */
  printf("rank %d: %s after %d runs: %s; then: %s\n", test_rank(),
         is_named && runs >= 0 && again == DAP_ERR_LIBRARY ? "told" : "wrong", runs, told->text, err.text);
  return fflush(stdout) == 0;
}

static void the_last_dies(void **state)
{
  (void)state;
  static wait_move move;
  dap_error err = {0};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  watchdog(60, "%s, %s", wait_rows[row].why, is_within ? "within a run" : "between runs");
  if (wait_start(&move, row, 1, &err)) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Barrier(MPI_COMM_WORLD);
  if (test_rank() == test_nprocs() - 1) {
    if (is_within) die_soon();
    for (int turn = 0; is_within || turn < 3; turn++)
      if (wait_run(&move, turn, &err)) _exit(4);
    die(0);
  }
  const int runs = run_until_told(&move, &err);
  _exit(tell(&move, &err, runs) ? 0 : 5);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_last_dies)};
  is_within = argc > 1 && !strcmp(argv[1], "within");
  row = argc > 2 ? (int)strtol(argv[2], NULL, 10) % WAIT_ROWS : 0;
  return mpi_test_main(&argc, &argv, tests, 1);
}
