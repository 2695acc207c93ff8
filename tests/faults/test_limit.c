/* Tests processes that are late for a function or a run, that leave it, or that stand still. If
 * dap_wait_limit() sets a limit, the others must give up and say which process is missing. test_late.c tests
 * waits without a limit. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): fork(), kill(), nanosleep() */
#include "mpi_test.h"
#include "waits.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Seconds. A process that is not late may lose its core for a while. */
static const double PATIENCE = 1.2;

/* Starts one of two rows that can be at work at the same time. */
static waiting *start(int which, int row, double seconds)
{
  static waiting all[2];
  dap_error err = {0};
  EXPECT_OK(wait_start(&all[which], row, seconds, &err), &err);
  return &all[which];
}

static void take_right(waiting *w, int64_t turn)
{
  bool is_right;
  dap_error err = {0};
  if (EXPECT_OK(wait_take(w, turn, &is_right, &err), &err)) EXPECT(is_right);
}

/* ---- functions ----------------------------------------------------------------------------------------- */

/* The late process may have received all. It learns of the failure then or at the next step. No process waits
 * a second time. */
static void expect_missed_step(waiting *w, int late)
{
  char missing[64];
  dap_error err = {0};
  bool is_right;
  MPI_Barrier(MPI_COMM_WORLD);
  dap_status s = wait_take_late(w, late, 0, &is_right, &err);
  snprintf(missing, sizeof missing, "rank %d has not answered for %g s", late, PATIENCE);
  if (test_rank() != late) EXPECT_FAIL(s, DAP_ERR_LIBRARY, &err, missing);
  if (s) EXPECT_FAIL(s, DAP_ERR_LIBRARY, &err, "has not answered");
  if (!s) EXPECT(is_right);
  MPI_Barrier(MPI_COMM_WORLD);
  const double since = MPI_Wtime();
  s = wait_take(w, 0, &is_right, &err);
  EXPECT_FAIL(s, DAP_ERR_LIBRARY, &err, "has not answered|works on this communicator");
  EXPECT_FAIL(dap_agree(w->move.comm, DAP_OK, &err), DAP_ERR_LIBRARY, &err, "has not answered");
  EXPECT_FAIL(dap_wait_limit(w->move.comm, 0, &err), DAP_ERR_LIBRARY, &err, "has not answered");
  if (test_rank() != late) EXPECT(MPI_Wtime() - since < PATIENCE / 2);
}

/* Another communicator must not be affected, before and after the first one ends. */
static void late_for_a_step(int row, int late)
{
  waiting *w = start(0, row, PATIENCE), *other = start(1, row, 60);
  take_right(w, 0);
  expect_missed_step(w, late);
  take_right(other, 0);
  move_free(&w->move);
  take_right(other, 0);
  move_free(&other->move);
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

/* The late process may have received all, because the others had sent it. If it reports success, its elements
 * must be right. A process names the one that it waited for, which may itself have waited for the late
 * process. At least one process names the late one. */
static void expect_missed_run(waiting *w, int late)
{
  char missing[64];
  dap_error err = {0};
  bool is_right;
  MPI_Barrier(MPI_COMM_WORLD);
  const dap_status s = wait_take_late(w, late, 2, &is_right, &err);
  snprintf(missing, sizeof missing, "rank %d has not answered", late);
  if (test_rank() != late) EXPECT_FAIL(s, DAP_ERR_LIBRARY, &err, "has not answered");
  EXPECT(test_any(s && strstr(err.text, missing)));
  if (!s) EXPECT(is_right);
  EXPECT(dap_plan_is_broken(w->move.plan) == (s != DAP_OK));
  EXPECT_FAIL(wait_take(w, 3, &is_right, &err), DAP_ERR_LIBRARY, &err, "can only be destroyed");
  EXPECT(dap_plan_is_broken(w->move.plan));
}

/* Only the plan of that run has a short limit. */
static void late_for_a_run(int row, int late)
{
  dap_error err = {0};
  waiting *w = start(0, row, 0);
  take_right(w, 1);
  EXPECT_OK(wait_plan(w, PATIENCE, &err), &err);
  expect_missed_run(w, late);
  EXPECT_OK(wait_plan(w, 0, &err), &err);
  take_right(w, 4);
  move_free(&w->move);
}

/* ---- two groups ---------------------------------------------------------------------------------------- */

/* Returns whether two processes have elements for each other. */
static bool exchanges(int a, int b)
{
  const int senders = test_nprocs() / 2, receivers = test_nprocs() - senders;
  const int from = a < b ? a : b, to = (a < b ? b : a) - senders;
  return from < senders && to >= 0 && from * receivers < (to + 1) * senders &&
         to * senders < (from + 1) * receivers;
}

/* Returns whether two processes have elements for each other, or for others that do. */
static bool are_joined(int a, int b)
{
  return a == b || test_nprocs() % 2 == 1 || exchanges(a, b);
}

/* Processes are named by their ranks in their groups. */
static void expect_given_up(bool must_fail, dap_status s, const dap_error *err, const char *text)
{
  if (must_fail || s) EXPECT_FAIL(s, DAP_ERR_LIBRARY, err, text);
  if (s) EXPECT(test_contains(err->text, "ing group: a run of this plan failed|ing group has not answered"));
}

/* Returns whether this process waits for the late one: for its elements, or for it to take some. On another
 * node MPI takes them. */
static bool waits_for(int late)
{
  return exchanges(test_rank(), late) && (late < test_nprocs() / 2 || test_is_mate(late));
}

/* Processes that wait for the late process give up, and then, on one node, those that exchange with these.
 * Others may go on. If processes wait for the late one, at least one names it. */
static void late_between_groups(int row, int late)
{
  dap_error err = {0};
  char missing[64];
  bool is_right;
  waiting *w = start(0, row, PATIENCE);
  const two_groups *g = &w->move.groups;
  const int group = two_groups_rank(g, 0, late) < 0, rank = two_groups_rank(g, group, late);
  take_right(w, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  dap_status s = wait_take_late(w, late, 2, &is_right, &err);
  if (row == WAIT_GROUP_PLANS) { /* all processes name it */
    snprintf(missing, sizeof missing, "rank %d of %s group has not answered for", rank,
             group == g->own ? "this" : "the other");
    if (test_rank() != late) EXPECT_FAIL(s, DAP_ERR_LIBRARY, &err, missing);
  } else {
    snprintf(missing, sizeof missing, "rank %d of the %s group has not answered", rank,
             group ? "receiving" : "sending");
    if (!s) EXPECT(is_right);
    const bool has_failed = s != DAP_OK;
    expect_given_up(waits_for(late), s, &err, "");
    EXPECT(!test_any(waits_for(late)) || test_any(s && strstr(err.text, missing)));
    s = wait_take(w, 3, &is_right, &err);
    if (!s) EXPECT(is_right);
    expect_given_up(test_nodes() == 1 ? are_joined(test_rank(), late) : has_failed, s, &err,
                    "can only be destroyed");
  }
  move_free(&w->move);
}

/* ---- all rows ------------------------------------------------------------------------------------------ */

static void expect_late(int row, int late)
{
  TEST_CASE("%s, rank %d is late", wait_rows[row].why, late);
  watchdog(120, "%s, rank %d is late", wait_rows[row].why, late);
  if (row < WAIT_RUNS)
    late_for_a_step(row, late);
  else if (row < WAIT_GROUPS)
    late_for_a_run(row, late);
  else
    late_between_groups(row, late);
  watchdog(0, "nothing");
  SETTLE();
}

static void one_is_late(void **state)
{
  (void)state;
  const int last = test_nprocs() - 1;
  for (int row = 0; row < WAIT_ROWS && last > 0; row++) {
    expect_late(row, 0);
    expect_late(row, last);
  }
}

/* Starts a child that stops this process for some seconds. The child does not use the library. Its exit
 * status is 0 if it has stopped the process. If this process has ended meanwhile, the child has another
 * parent. Returns -1 if there is no child. */
static pid_t stop_for(double pause)
{
  const struct timespec first = {.tv_nsec = 100000000},
                        time = {.tv_sec = (time_t)pause, .tv_nsec = (long)(1e9 * fmod(pause, 1))};
  const pid_t self = getpid(), child = fork();
  if (child) return child;
  (void)nanosleep(&first, NULL);
  if (getppid() != self || kill(self, SIGSTOP)) _exit(1);
  (void)nanosleep(&time, NULL);
  _exit(getppid() != self || kill(self, SIGCONT));
}

/* The system stops one process in the middle of its runs, for DAP_TEST_PAUSE seconds. */
static void one_stands_still(void **state)
{
  (void)state;
  const char *text = getenv("DAP_TEST_PAUSE");
  const double pause = text ? strtod(text, NULL) : 0.5;
  for (int row = WAIT_RUNS; row < WAIT_GROUPS; row++) {
    const bool is_stopped = test_rank() == test_nprocs() - 1;
    TEST_CASE("%s", wait_rows[row].why);
    watchdog(300, "%s, stopped", wait_rows[row].why);
    waiting *w = start(0, row, 0);
    const pid_t child = is_stopped ? stop_for(pause) : 0;
    int code = 0;
    bool is_over = !is_stopped || !EXPECT(child > 0);
    for (int turn = 0; test_any(!is_over); turn++) {
      take_right(w, turn);
      is_over = is_over || waitpid(child, &code, WNOHANG) == child;
    }
    EXPECT_INT(code, 0);
    move_free(&w->move);
    watchdog(0, "nothing");
    SETTLE();
  }
}

/* ---- the limit itself ---------------------------------------------------------------------------------- */

/* A context that exists already gets the limit, too, and also a later limit. */
static void comes_later(void **state)
{
  (void)state;
  enum { BOARDS = 1 };
  static const int rows[] = {BOARDS, WAIT_ARRAY};
  const double limits[] = {60, PATIENCE, 0, PATIENCE};
  for (int i = 0; i < 2 && test_nprocs() > 1; i++) {
    dap_error err = {0};
    TEST_CASE("%s", wait_rows[rows[i]].why);
    watchdog(60, "%s", wait_rows[rows[i]].why);
    waiting *w = start(0, rows[i], 0);
    take_right(w, 0);
    for (int k = 0; k < 4; k++) {
      EXPECT_OK(dap_wait_limit(w->move.comm, limits[k], &err), &err);
      take_right(w, 0);
    }
    expect_missed_step(w, test_nprocs() - 1);
    move_free(&w->move);
    watchdog(0, "nothing");
    SETTLE();
  }
}

static MPI_Comm without_attributes = MPI_COMM_NULL;

int MPI_Comm_set_attr(MPI_Comm comm, int key, void *attribute)
{
  return comm == without_attributes ? MPI_ERR_OTHER : PMPI_Comm_set_attr(comm, key, attribute);
}

/* If one process cannot be given a limit, the others do not get one either, and all can be given one
 * later. */
static void one_cannot_have_it(void **state)
{
  (void)state;
  MPI_Comm comm;
  dap_error err = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  watchdog(60, "one process cannot have a limit");
  if (test_rank() == test_nprocs() - 1) without_attributes = comm;
  const dap_status s = dap_wait_limit(comm, 60, &err);
  without_attributes = MPI_COMM_NULL;
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_LIBRARY, "MPI_Comm_set_attr");
  EXPECT_OK(dap_agree(comm, DAP_OK, &err), &err);
  EXPECT_OK(dap_wait_limit(comm, 60, &err), &err);
  EXPECT_OK(dap_agree(comm, DAP_OK, &err), &err);
  watchdog(0, "nothing");
  MPI_Comm_free(&comm);
  SETTLE();
}

static void is_checked(void **state)
{
  (void)state;
  static const struct {
    double seconds[2]; /* of rank 0, and of the others */
    const char *parts;
  } rows[] = {
      {{-1, -1}, "seconds must be 0 or more, not -1"},
      {{NAN, NAN}, "seconds must be 0 or more, not"},
      {{1, -1}, "rank 1: seconds must be 0 or more, not -1"},
      {{1, 2}, "rank 1: seconds|not the same"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    dap_error err = {0};
    TEST_CASE("%s", rows[i].parts);
    if (rows[i].seconds[0] > 0 && test_nprocs() == 1) continue;
    const dap_status s = dap_wait_limit(MPI_COMM_WORLD, rows[i].seconds[test_rank() > 0], &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, rows[i].parts);
    EXPECT_OK(dap_wait_limit(MPI_COMM_WORLD, 0, &err), &err);
    EXPECT_FAIL(dap_wait_limit(MPI_COMM_NULL, 1, &err), DAP_ERR_ARG, &err, "MPI_COMM_NULL");
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(is_checked),  cmocka_unit_test(one_cannot_have_it), cmocka_unit_test(comes_later),
    cmocka_unit_test(one_is_late), cmocka_unit_test(one_stands_still),
};
MPI_TEST_MAIN(tests)
