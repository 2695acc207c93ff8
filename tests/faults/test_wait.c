/* Processes that are late for a run, or stand still: with options.wait_seconds the others give up and say who
 * is missing, without it they wait, and all is right. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier): fork(), kill() */
#include "comm_impl.h"
#include "mpi_test.h"
#include "row_move.h"
#include "watchdog.h"

#include <dapbridge/shared.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double PATIENCE = 0.4, LATE = 1.6; /* seconds */

static void rest(double seconds)
{
  struct timespec left = {.tv_sec = (time_t)seconds,
                          .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
  while (nanosleep(&left, &left)) continue;
}

static dap_status make(MPI_Comm comm, row_move *m, unsigned transports, double seconds, dap_error *err)
{
  const dap_side from = {.layout = m->layouts[0], .contiguous = true},
                 to = {.layout = m->layouts[1], .contiguous = true};
  const dap_plan_options options = {.transports = transports, .message_bytes = 64, .wait_seconds = seconds};
  return dap_plan_create(comm, &from, &to, sizeof(double), &options, &m->plan, err);
}

static const struct {
  const char *why;
  unsigned transports;
  int hosts; /* 0: each process is on its own */
  bool shared;
} rows[] = {
    {"shared memory", 0, 1, false},
    {"direct copies", 0, 1, true},
    {"messages", DAP_TRANSPORT_MESSAGES, 1, false},
    {"two nodes", 0, 2, false},
    {"two nodes, directly", 0, 2, true},
    {"as many nodes", 0, 0, false},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static row_move move;

typedef struct buffers {
  dap_array to;
  void *data;
} buffers;

static MPI_Comm start(int row, double seconds, buffers *b)
{
  MPI_Comm comm;
  dap_error err = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const int hosts = rows[row].hosts ? rows[row].hosts : test_nprocs();
  if (hosts > 1) EXPECT(dap_node_pretend(comm, test_rank() % hosts));
  row_move_make(&move, 5, row);
  *b = (buffers){.data = move.to};
  if (rows[row].shared &&
      EXPECT_OK(dap_array_alloc(comm, move.layouts[1], DAP_F8, DAP_ORDER_C, &b->to, NULL, &err), &err))
    b->data = b->to.data;
  EXPECT_OK(make(comm, &move, rows[row].transports, seconds, &err), &err);
  return comm;
}

static void end(MPI_Comm *comm, buffers *b)
{
  if (rows[0].why && b->to.release) dap_array_release(&b->to);
  row_move_free(&move);
  MPI_Comm_free(comm);
  watchdog(0, "nothing");
  SETTLE();
}

static dap_status run(const buffers *b, int64_t turn, dap_error *err)
{
  row_move_fill(&move, turn);
  const dap_status s = dap_plan_run(move.plan, move.from, b->data, err);
  if (b->data != move.to) memcpy(move.to, b->data, (size_t)move.extent[1] * sizeof(double));
  return s;
}

static void run_right(const buffers *b, int64_t turn)
{
  dap_error err = {0};
  if (EXPECT_OK(run(b, turn, &err), &err)) EXPECT_INT(row_move_wrong(&move, turn), 0);
}

/* The late process may have got all, as the others had sent it; and if it says so it has. */
static void one_is_late(void **state)
{
  (void)state;
  for (int row = 0; row < ROWS; row++)
    for (int late = 0; late<test_nprocs(); late += test_nprocs()> 1 ? test_nprocs() - 1 : 1) {
      buffers b;
      char missing[64];
      dap_error err = {0};
      TEST_CASE("%s, rank %d is late", rows[row].why, late);
      watchdog(120, "%s, rank %d is late", rows[row].why, late);
      MPI_Comm comm = start(row, PATIENCE, &b);
      if (test_nprocs() > 1) {
        run_right(&b, 1);
        MPI_Barrier(MPI_COMM_WORLD);
        if (test_rank() == late) rest(LATE);
        const dap_status s = run(&b, 2, &err);
        snprintf(missing, sizeof missing, "rank %d has not answered", late);
        if (test_rank() != late) EXPECT_FAIL(s, DAP_ERR_LIBRARY, &err, missing);
        if (!s) EXPECT_INT(row_move_wrong(&move, 2), 0);
        EXPECT(dap_plan_is_broken(move.plan) == (s != DAP_OK));
        EXPECT_FAIL(run(&b, 3, &err), DAP_ERR_LIBRARY, &err, "can only be destroyed");
        EXPECT(dap_plan_is_broken(move.plan));
        dap_plan_destroy(&move.plan);
        EXPECT_OK(make(comm, &move, rows[row].transports, 0, &err), &err); /* on the same communicator */
      }
      run_right(&b, 4);
      end(&comm, &b);
    }
}

/* Not before it has to. */
static void nobody_is_late(void **state)
{
  (void)state;
  for (int row = 0; row < ROWS; row++) {
    buffers b;
    TEST_CASE("%s", rows[row].why);
    watchdog(120, "%s", rows[row].why);
    MPI_Comm comm = start(row, 60, &b);
    for (int turn = 0; turn < 20; turn++) {
      if (turn % 5 == 3 && test_rank() == turn % test_nprocs()) rest(0.05);
      run_right(&b, turn);
    }
    end(&comm, &b);
  }
}

/* Stopped by the system in the middle of its runs, for DAP_TEST_PAUSE seconds. The process that stops it is
 * its child, which may be made at any time, and leaves the library alone. */
static void one_stands_still(void **state)
{
  (void)state;
  const char *text = getenv("DAP_TEST_PAUSE");
  const double pause = text ? strtod(text, NULL) : 0.5;
  for (int row = 0; row < ROWS; row++) {
    buffers b;
    pid_t child = -1;
    TEST_CASE("%s", rows[row].why);
    watchdog(300, "%s, stopped", rows[row].why);
    MPI_Comm comm = start(row, 0, &b);
    const double begin = MPI_Wtime();
    double spent = 0;
    if (test_rank() == test_nprocs() - 1) child = fork();
    if (child == 0) {
      rest(0.1);
      (void)kill(getppid(), SIGSTOP);
      rest(pause);
      (void)kill(getppid(), SIGCONT);
      _exit(0);
    }
    for (int turn = 0; spent < pause + 0.2; turn++) {
      run_right(&b, turn);
      spent = MPI_Wtime() - begin;
      MPI_Allreduce(MPI_IN_PLACE, &spent, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    }
    if (child > 0) EXPECT(waitpid(child, NULL, 0) == child);
    end(&comm, &b);
  }
}

static void is_the_same_everywhere(void **state)
{
  (void)state;
  dap_error err = {0};
  row_move_make(&move, 5, 0);
  dap_status s = make(MPI_COMM_WORLD, &move, 0, test_rank() == 0 ? 1 : 2, &err);
  if (test_nprocs() > 1) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "wait_seconds|not the same");
  dap_plan_destroy(&move.plan);
  s = make(MPI_COMM_WORLD, &move, 0, -1, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "wait_seconds -1");
  row_move_free(&move);
  SETTLE();
}

/* The leak sanitizer reads this: what MPI keeps of the messages of a run that was given up. */
const char *__lsan_default_suppressions(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void)  /* NOLINT(bugprone-reserved-identifier) */
{
  return "leak:mca_allocator_bucket_alloc\nleak:dap_buffers_create\nleak:dap_notices_create\nleak:libmpi\n";
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(is_the_same_everywhere),
    cmocka_unit_test(nobody_is_late),
    cmocka_unit_test(one_is_late),
    cmocka_unit_test(one_stands_still),
};
MPI_TEST_MAIN(tests)
