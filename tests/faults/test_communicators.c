/* Makes 200 communicators, each with a plan and an array in shared memory. All must work, in any order, and
 * leave nothing behind when they are freed. */
#include "moves.h"
#include "mpi_test.h"

#include <dapbridge/comm.h>

enum { COMMS = 200, TURNS = 3 };

typedef struct one {
  MPI_Comm comm;
  dap_plan *plan;
  many_sides to; /* in shared memory */
} one;

static move model; /* has the layouts for all, and buffers in private memory */
static one all[COMMS];

static void start(one *o)
{
  dap_error err = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &o->comm);
  many_make(o->comm, model.task.to, 1, MANY_SHARED, &o->to);
  EXPECT_OK(task_create(&model.task, o->comm, &o->plan, &err), &err);
}

static void run(one *o, int64_t shift, bool to_shared)
{
  const test_side *from = &model.run.from.sides[0], *to = &(to_shared ? &o->to : &model.run.to)->sides[0];
  dap_error err = {0};
  model.task.salt = shift;
  task_fill(&model.task, from, to);
  if (EXPECT_OK(dap_plan_run(o->plan, side_data(from), side_data(to), &err), &err))
    task_check(&model.task, from, to);
}

static void end(one *o)
{
  dap_plan_destroy(&o->plan);
  many_free(&o->to);
  MPI_Comm_free(&o->comm);
}

static void many_at_once(void **state)
{
  (void)state;
  move_make(&model, &small_moves[0], 1, 0);
  const int64_t files = open_files(), maps = mapped_files();
  for (int i = 0; i < COMMS; i++) start(&all[i]);
  SETTLE();
  for (int turn = 0; turn < TURNS; turn++)
    for (int i = 0; i < COMMS; i++) run(&all[i * 67 % COMMS], COMMS * turn + i, (i + turn) % 2);
  SETTLE();
  for (int i = 0; i < COMMS; i++) end(&all[i * 131 % COMMS]);
  EXPECT_INT(open_files(), files);
  EXPECT_INT(mapped_files(), maps);
  move_free(&model);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(many_at_once)};
MPI_TEST_MAIN(tests)
