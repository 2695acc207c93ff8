/* A program whose last process is killed:
 *
 *     dead between|within|first <run of waits.h>|alloc <microseconds> [live]
 *
 * It is killed between two runs (between), some time after it has begun to run for ever (within), or some
 * time after its start (first). With "alloc", dap_array_alloc() is called instead of runs. The process says
 * "dies" when it dies.
 *
 * If MPI lets the others live, dap_wait_limit() gives them an error. A launcher can be told to do so, or MPI
 * has fault tolerance. They say "told" and which process the error names, and killed.sh counts them. They
 * leave without MPI_Finalize(), which would wait for the dead process. */
#define _XOPEN_SOURCE 700 /* NOLINT(bugprone-reserved-identifier): setitimer() */
#include "mpi_test.h"
#include "waits.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { PATIENCE = 8 /* seconds, which pass at once when the last process is dead */, TURNS = 3 };

static bool is_within, is_first, is_live;
static int row;
static long moment = 20000; /* microseconds */

static void die(int number)
{
  static const char word[] = "dies\n";
  (void)number;
  if (write(STDOUT_FILENO, word, sizeof word - 1) < 0) _exit(4);
  (void)raise(SIGKILL);
}

static void die_soon(void)
{
  const struct itimerval when = {.it_value = {moment / 1000000, moment % 1000000}};
  (void)signal(SIGALRM, die);
  (void)setitimer(ITIMER_REAL, &when, NULL);
}

/* All processes take part in these runs. */
static void run_right(waiting *m)
{
  dap_error err = {0};
  bool is_right;
  for (int turn = 0; turn < TURNS; turn++)
    if (wait_take(m, turn, &is_right, &err) || !is_right) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void run_and_die(waiting *m)
{
  if (!is_within && !is_first) die(0);
  if (is_within) die_soon();
  bool is_right;
  for (int turn = 0; !wait_take(m, turn, &is_right, NULL);) turn++;
  _exit(4);
}

/* Runs the plan until it fails. Returns how many runs were right, or -1 if one was wrong. */
static int run_until_told(waiting *m, dap_status *s, dap_error *err)
{
  for (int turn = 0;; turn++) {
    bool is_right;
    *s = wait_take(m, turn, &is_right, err);
    if (*s) return turn;
    if (!is_right) return -1;
  }
}

/* A process may name one that has given up before. In a run, a process waits only for its partners. So the
 * first that gives up may name a living process, and all others hear of it. In an allocation, the process
 * that is named is dead. */
static bool is_named(const char *text)
{
  char dead[64];
  snprintf(dead, sizeof dead, "rank %d has not answered", test_nprocs() - 1);
  return strstr(text, is_within || !wait_rows[row].step ? "has not answered" : dead);
}

/* Prints what this process was told. Returns false if that cannot be printed. */
static bool tell(waiting *m)
{
  dap_error told = {0}, err = {0};
  dap_status s;
  const int runs = run_until_told(m, &s, &told);
  const bool is_broken = wait_rows[row].step || dap_plan_is_broken(m->move.plan);
  bool is_right;
  if (is_live) wait_clock_end();
  const double since = MPI_Wtime();
  const dap_status again = wait_take(m, 0, &is_right, &err);
  const bool is_at_once = MPI_Wtime() - since < (double)PATIENCE / 2;
  const bool is_told = is_at_once && s == DAP_ERR_LIBRARY && runs >= 0 && is_named(told.text) && is_broken &&
                       again == DAP_ERR_LIBRARY;
  dap_plan_destroy(&m->move.plan); /* does not wait for any process */
  printf("rank %d: %s after %d runs: %s; then: %s\n", test_rank(), is_told ? "told" : "wrong", runs,
         told.text, err.text);
  return fflush(stdout) == 0;
}

static void the_last_dies(void **state)
{
  (void)state;
  static waiting work;
  dap_error err = {0};
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  watchdog(60, "%s, %s", wait_rows[row].why, is_within ? "within a run" : "between runs");
  const bool is_last = test_rank() == test_nprocs() - 1;
  int process = (int)getpid();
  MPI_Bcast(&process, 1, MPI_INT, test_nprocs() - 1, MPI_COMM_WORLD);
  if (is_first && is_last) die_soon();
  if (wait_start(&work, row, PATIENCE, &err)) MPI_Abort(MPI_COMM_WORLD, 3);
  if (!is_first) run_right(&work);
  if (is_live) wait_clock_start(test_nprocs() - 1, process);
  if (is_last) run_and_die(&work);
  _exit(tell(&work) ? 0 : 5);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_last_dies)};
  is_within = argc > 1 && !strcmp(argv[1], "within");
  is_first = argc > 1 && !strcmp(argv[1], "first");
  row = WAIT_RUNS + (argc > 2 ? (int)strtol(argv[2], NULL, 10) % (WAIT_GROUPS - WAIT_RUNS) : 0);
  if (argc > 2 && !strcmp(argv[2], "alloc")) row = WAIT_ARRAY;
  if (argc > 3) moment = strtol(argv[3], NULL, 10);
  is_live = argc > 4;
  return mpi_test_main(&argc, &argv, tests, 1);
}
