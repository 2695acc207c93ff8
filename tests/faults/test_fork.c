/* Tests fork() in a program. A child may do anything that does not use the library, and must end by _exit().
 *
 * The plans and arrays of its parent must stay right. Parent and child share the memory that processes share.
 */
#define _DEFAULT_SOURCE /* fork() */
#include "moves.h"
#include "mpi_test.h"

#include <dapbridge/shared.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TURNS = 10 };

typedef struct child {
  pid_t process;
  int pipe[2]; /* by which the parent sends it a number */
} child;

/* Starts a child. It waits for a number, and ends with status 0 if that number is at `at`, or with 1. If no
 * number comes, it ends with 2. If `at` is NULL, it ends at once. */
static child start(const double *at)
{
  child c = {.process = -1};
  if (!EXPECT(pipe(c.pipe) == 0)) return c;
  fflush(NULL);
  c.process = fork();
  if (c.process == 0) {
    double number = 0;
    (void)close(c.pipe[1]);
    if (!at) _exit(0);
    if (read(c.pipe[0], &number, sizeof number) != sizeof number) _exit(2);
    _exit(memcmp(&number, at, sizeof number) != 0);
  }
  EXPECT(c.process > 0);
  (void)close(c.pipe[0]);
  return c;
}

static int end(const child *c, double number)
{
  int status = 0;
  if (c->process < 0) return -1;
  const bool is_told = write(c->pipe[1], &number, sizeof number) == sizeof number;
  (void)close(c->pipe[1]);
  if (!EXPECT(is_told && waitpid(c->process, &status, 0) == c->process && WIFEXITED(status))) return -1;
  return WEXITSTATUS(status);
}

/* Starts a child that ends at once, without a number. */
static void start_and_end(void)
{
  int status = 0;
  const child c = start(NULL);
  if (c.process < 0) return;
  (void)close(c.pipe[1]);
  EXPECT(waitpid(c.process, &status, 0) == c.process && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- plans --------------------------------------------------------------------------------------------- */

static void run_around_a_child(move *m, int64_t turn)
{
  dap_error err = {0};
  task_run_fill(&m->task, turn, &m->run);
  if (!EXPECT_OK(dap_plan_begin(m->plan, m->run.from.data[0], m->run.to.data[0], &err), &err)) return;
  start_and_end();
  EXPECT_OK(dap_plan_end(m->plan, &err), &err);
  task_run_check(&m->task, &m->run);
}

static void in_each_way(void (*trial)(move *m))
{
  static move m;
  for (int way = 0; way < SMALL_WAYS; way++) {
    small_move_start(&m, way);
    trial(&m);
    move_free(&m);
    SETTLE();
  }
}

static void try_ends_at_once(move *m)
{
  move_run_right(m, 0, "before");
  start_and_end();
  move_run_right(m, 1, "after");
  for (int turn = 2; turn < TURNS; turn++) run_around_a_child(m, turn);
}

static void a_child_that_ends_at_once(void **state)
{
  (void)state;
  in_each_way(try_ends_at_once);
}

/* The child has all memory and open files of its parent until the end. Meanwhile the parent frees and makes
 * plans. */
static void try_lives_on(move *m)
{
  static move next;
  double number = 1;
  move_run_right(m, 0, "before");
  const child c = start(&number);
  for (int turn = 1; turn < TURNS; turn++) move_run_right(m, turn, "meanwhile");
  small_move_start(&next, 0);
  for (int turn = 0; turn < TURNS; turn++) move_run_right(&next, 100 + turn, "a new one");
  move_free(&next);
  number = 2; /* in the child it is still 1 */
  EXPECT_INT(end(&c, 1), 0);
  move_run_right(m, TURNS, "after");
}

static void a_child_that_lives_on(void **state)
{
  (void)state;
  in_each_way(try_lives_on);
}

/* ---- arrays -------------------------------------------------------------------------------------------- */

/* If memory is shared, the child sees what is written to it after fork(). It does not see other changes. */
static void arrays_in_shared_memory(void **state)
{
  (void)state;
  static move m;
  dap_array array = {0};
  dap_error err = {0};
  bool shared = false;
  small_move_start(&m, 0);
  EXPECT_OK(dap_array_alloc(m.comm, m.task.to->layout, DAP_F8, DAP_ORDER_C, &array, &shared, &err), &err);
  SETTLE();
  const size_t bytes = (size_t)dap_array_bytes(&array);
  for (int turn = 1; turn <= TURNS; turn++) {
    memset(array.data, 0, bytes);
    MPI_Barrier(MPI_COMM_WORLD); /* other processes write to it */
    const child c = start(array.data);
    task_run_fill(&m.task, turn, &m.run);
    EXPECT_OK(dap_plan_run(m.plan, m.run.from.data[0], array.data, &err), &err);
    memcpy(m.run.to.data[0], array.data, bytes);
    task_run_check(&m.task, &m.run);
    EXPECT_INT(end(&c, *(const double *)array.data), shared ? 0 : 1);
  }
  dap_array_release(&array);
  move_free(&m);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_child_that_ends_at_once),
    cmocka_unit_test(a_child_that_lives_on),
    cmocka_unit_test(arrays_in_shared_memory),
};

MPI_TEST_MAIN(tests)
