/* Processes that are late for a run, or stand still: with dap_wait_limit() the others give up and say who
 * is missing, without it they wait, and all is right. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): fork(), kill() */
#include "any.h"
#include "mpi_test.h"
#include "two_groups.h"
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

typedef dap_status run_once(int64_t turn, dap_error *err);

static dap_status run_move(int64_t turn, dap_error *err)
{
  return wait_run(&move, turn, err);
}

/* The late process begins when the others' runs are over. */
static dap_status run_late(run_once *run, bool is_late, int64_t turn, dap_error *err)
{
  dap_status s = DAP_OK;
  MPI_Request others;
  int over = 0;
  if (!is_late) s = run(turn, err);
  MPI_Ibarrier(MPI_COMM_WORLD, &others);
  for (MPI_Test(&others, &over, MPI_STATUS_IGNORE); !over; MPI_Test(&others, &over, MPI_STATUS_IGNORE))
    wait_rest(0.02);
  return is_late ? run(turn, err) : s;
}

/* The late process may have got all, as the others had sent it. If it says so it has. A process names the one
 * that it waited for, which may have waited for the late one; at least one process names the late one. */
static void expect_missed(int late)
{
  char missing[64];
  dap_error err = {0};
  MPI_Barrier(MPI_COMM_WORLD);
  const dap_status s = run_late(run_move, test_rank() == late, 2, &err);
  snprintf(missing, sizeof missing, "rank %d has not answered", late);
  if (test_rank() != late) EXPECT_FAIL(s, DAP_ERR_LIBRARY, &err, "has not answered");
  EXPECT(any(s && strstr(err.text, missing)));
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

/* ---- two groups --------------------------------------------------------------------------------------- */

enum { SIZE = 60 };

/* A plan from group 0 to group 1. */
static struct {
  two_groups groups;
  dap_layout *layout; /* of this process's group */
  dap_plan *plan;
  int rank; /* in the group */
  double values[SIZE];
} between;

/* Makes the plan anew. */
static dap_status plan_between(int64_t turn, dap_error *err)
{
  (void)turn;
  const two_groups *g = &between.groups;
  const dap_side side = {.layout = between.layout, .contiguous = true};
  dap_plan_destroy(&between.plan);
  return dap_plan_create(g->inter, g->own ? NULL : &side, g->own ? &side : NULL, sizeof(double), NULL,
                         &between.plan, err);
}

static void start_between(double seconds)
{
  dap_error err = {0};
  between.groups = two_groups_make(test_nprocs() / 2, LOW_FIRST);
  const two_groups *g = &between.groups;
  const dap_dist dist = dap_dist_even(SIZE, g->size[g->own]);
  MPI_Comm_rank(g->group, &between.rank);
  EXPECT_OK(dap_layout_create(1, &dist, &between.layout, &err), &err);
  EXPECT_OK(dap_wait_limit(g->inter, seconds, &err), &err);
  EXPECT_OK(plan_between(0, &err), &err);
}

static void end_between(void)
{
  dap_plan_destroy(&between.plan);
  dap_layout_destroy(&between.layout);
  two_groups_free(&between.groups);
  watchdog(0, "nothing");
  SETTLE();
}

/* The group of a process, and its rank there. */
static int find_in_group(int rank, int *in_group)
{
  const two_groups *g = &between.groups;
  for (int i = 0; i < g->size[1]; i++)
    if (g->members[1][i] == rank) {
      *in_group = i;
      return 1;
    }
  *in_group = rank; /* the lowest are in group 0 */
  return 0;
}

/* The value of element i of this process's part in a turn. */
static double value_at(int64_t i, int64_t turn)
{
  int64_t global = 0;
  (void)dap_layout_globalize(between.layout, between.rank, &i, &global, NULL, NULL);
  return (double)(SIZE * turn + global);
}

static dap_status run_between(int64_t turn, dap_error *err)
{
  const bool is_sender = between.groups.own == 0;
  const int64_t count = dap_layout_extent(between.layout, 0, between.rank);
  for (int64_t i = 0; i < count; i++) between.values[i] = is_sender ? value_at(i, turn) : -1;
  const dap_status s =
      dap_plan_run(between.plan, is_sender ? between.values : NULL, is_sender ? NULL : between.values, err);
  for (int64_t i = 0; i < count && !s; i++) EXPECT(between.values[i] == value_at(i, turn));
  return s;
}

/* Whether two processes have elements for each other. */
static bool exchanges(int a, int b)
{
  const int senders = test_nprocs() / 2, receivers = test_nprocs() - senders;
  const int from = a < b ? a : b, to = (a < b ? b : a) - senders;
  return from < senders && to >= 0 && from * receivers < (to + 1) * senders &&
         to * senders < (from + 1) * receivers;
}

/* Whether two processes have elements for each other, or for others that do. */
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

/* A process of either group is late: those that exchange with it give up, and then those that exchange with
 * these. Others may go on. At least one process names the late one. */
static void groups_give_up(void **state)
{
  (void)state;
  const int last = test_nprocs() - 1;
  for (int late = 0; late <= last && last > 0; late += last) {
    dap_error err = {0};
    TEST_CASE("rank %d is late", late);
    watchdog(120, "two groups, rank %d is late", late);
    start_between(PATIENCE);
    EXPECT_OK(run_between(1, &err), &err);
    MPI_Barrier(MPI_COMM_WORLD);
    const dap_status s = run_late(run_between, test_rank() == late, 2, &err);
    int in_group = 0;
    char missing[64];
    const int group = find_in_group(late, &in_group);
    snprintf(missing, sizeof missing, "rank %d of the %s group has not answered", in_group,
             group ? "receiving" : "sending");
    expect_given_up(exchanges(test_rank(), late), s, &err, "");
    EXPECT(any(s && strstr(err.text, missing)));
    expect_given_up(are_joined(test_rank(), late), run_between(3, &err), &err, "can only be destroyed");
    end_between();
  }
}

/* A process is late for another plan: all others name it, by its rank in this group or in the other one. */
static void groups_wait_for_a_plan(void **state)
{
  (void)state;
  const int last = test_nprocs() - 1;
  for (int late = 0; late <= last && last > 0; late += last) {
    dap_error err = {0};
    TEST_CASE("rank %d is late", late);
    watchdog(120, "a plan between two groups, rank %d is late", late);
    start_between(PATIENCE);
    MPI_Barrier(MPI_COMM_WORLD);
    const dap_status s = run_late(plan_between, test_rank() == late, 1, &err);
    int in_group = 0;
    char missing[64];
    const int group = find_in_group(late, &in_group);
    snprintf(missing, sizeof missing, "rank %d of %s group has not answered for", in_group,
             group == between.groups.own ? "this" : "the other");
    if (test_rank() != late) EXPECT_FAIL(s, DAP_ERR_LIBRARY, &err, missing);
    end_between();
  }
}

/* ---- one communicator --------------------------------------------------------------------------------- */

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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(nobody_is_late),   cmocka_unit_test(one_is_late),
    cmocka_unit_test(groups_give_up),   cmocka_unit_test(groups_wait_for_a_plan),
    cmocka_unit_test(one_stands_still),
};
MPI_TEST_MAIN(tests)
