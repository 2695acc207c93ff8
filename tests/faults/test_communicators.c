/* 200 communicators at once, each with a plan and an array in shared memory: all work, in any order, and when
 * they are gone nothing of them is left. */
#include "allocations.h"
#include "mpi_test.h"
#include "row_move.h"

#include <dapbridge/comm.h>
#include <dapbridge/shared.h>

enum { COMMS = 200, TURNS = 3 };

typedef struct one {
  MPI_Comm comm;
  row_move move;
  dap_array to;
} one;

static one all[COMMS];

static void start(int i, one *o)
{
  dap_error err = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &o->comm);
  row_move_make(&o->move, 1 + i % 7, i);
  const dap_side from = {.layout = o->move.layouts[0], .contiguous = true},
                 to = {.layout = o->move.layouts[1], .contiguous = true};
  EXPECT_OK(dap_array_alloc(o->comm, o->move.layouts[1], DAP_F8, DAP_ORDER_C, &o->to, NULL, &err), &err);
  EXPECT_OK(dap_plan_create(o->comm, &from, &to, sizeof(double), NULL, &o->move.plan, &err), &err);
}

static void run(one *o, int64_t turn, bool to_shared)
{
  dap_error err = {0};
  row_move_fill(&o->move, turn);
  void *to = to_shared && o->to.data ? o->to.data : o->move.to;
  if (!EXPECT_OK(dap_plan_run(o->move.plan, o->move.from, to, &err), &err)) return;
  if (to != o->move.to) memcpy(o->move.to, to, (size_t)o->move.extent[1] * sizeof(double));
  EXPECT_INT(row_move_wrong(&o->move, turn), 0);
}

static void end(one *o)
{
  row_move_free(&o->move);
  dap_array_release(&o->to);
  MPI_Comm_free(&o->comm);
}

static void many_at_once(void **state)
{
  (void)state;
  const int64_t files = open_files(), maps = mapped_files();
  for (int i = 0; i < COMMS; i++) start(i, &all[i]);
  SETTLE();
  for (int turn = 0; turn < TURNS; turn++)
    for (int i = 0; i < COMMS; i++) run(&all[i * 67 % COMMS], turn, (i + turn) % 2);
  SETTLE();
  for (int i = 0; i < COMMS; i++) end(&all[i * 131 % COMMS]);
  EXPECT_INT(open_files(), files);
  EXPECT_INT(mapped_files(), maps);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(many_at_once)};
MPI_TEST_MAIN(tests)
