/* Plans that are under way, and what goes on meanwhile: other plans of the same communicator, that are begun,
 * ended, made and destroyed in any order, and messages of the program's own. */
#include "board.h"
#include "buffers.h"
#include "mpi_test.h"
#include "row_move.h"

/* ---- several plans ----------------------------------------------------------------------------------- */

enum { PLANS = 6 };

static row_move moves[PLANS];

/* In each round other plans of all are made anew, by each process in another order of those destroyed. */
static void several_are_under_way(void **state)
{
  (void)state;
  for (int way = 0; way < ROW_WAYS; way++) {
    MPI_Comm comm = row_way_comm(way);
    dap_error err = {0};
    for (int p = 0; p < PLANS; p++) {
      row_move_make(&moves[p], 1 + 3 * p, p);
      EXPECT_OK(row_move_plan(comm, &moves[p], row_ways[way].transports, &err), &err);
    }
    for (int turn = 0; turn < 20; turn++) {
      TEST_CASE("%s, turn %d", row_ways[way].why, turn);
      for (int p = 0; p < PLANS; p++) {
        row_move_fill(&moves[p], turn);
        EXPECT_OK(dap_plan_begin(moves[p].plan, moves[p].from, moves[p].to, &err), &err);
      }
      for (int p = 0; p < PLANS; p++)
        EXPECT_OK(dap_plan_end(moves[turn % 2 ? p : PLANS - 1 - p].plan, &err), &err);
      for (int p = 0; p < PLANS; p++) EXPECT_INT(row_move_wrong(&moves[p], turn), 0);
      for (int i = 0; i < PLANS; i++) {
        const int p = test_rank() % 2 ? i : PLANS - 1 - i;
        if ((p + turn) % 3 == 0) dap_plan_destroy(&moves[p].plan);
      }
      for (int p = 0; p < PLANS; p++)
        if (!moves[p].plan) EXPECT_OK(row_move_plan(comm, &moves[p], row_ways[way].transports, &err), &err);
    }
    for (int p = 0; p < PLANS; p++) row_move_free(&moves[p]);
    MPI_Comm_free(&comm);
    SETTLE();
  }
}

/* Two plans of one communicator under way at once do not take each other's messages. */
static void runs_two_plans_at_once(void **state)
{
  (void)state;
  const int rank = test_rank(), n = 3 * test_nprocs() + 1;
  const dap_dist block = dap_dist_even(n, test_nprocs()), cyclic = dap_dist_cyclic(n, test_nprocs(), 1);
  dap_layout *from = NULL, *to = NULL;
  dap_plan *there = NULL, *back = NULL;
  dap_array a, b, c, d;
  dap_error err;
  EXPECT_OK(dap_layout_create(1, &block, &from, &err), &err);
  EXPECT_OK(dap_layout_create(1, &cyclic, &to, &err), &err);
  EXPECT_OK(dap_array_init(&a, from, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_array_init(&b, to, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_array_init(&c, to, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_array_init(&d, from, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  fill_global(from, rank, &a);
  fill_global(to, rank, &c);
  const dap_side x = {.layout = from, .contiguous = true}, y = {.layout = to, .contiguous = true};
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &x, &y, 8, NULL, &there, &err), &err);
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &y, &x, 8, NULL, &back, &err), &err);
  EXPECT_OK(dap_plan_begin(there, a.data, b.data, &err), &err);
  EXPECT_OK(dap_plan_begin(back, c.data, d.data, &err), &err);
  EXPECT_OK(dap_plan_end(back, &err), &err);
  EXPECT_OK(dap_plan_end(there, &err), &err);
  check_global(to, rank, &b, PADDING_ANY);
  check_global(from, rank, &d, PADDING_ANY);
  dap_plan_destroy(&there);
  dap_plan_destroy(&back);
  dap_array_release(&a);
  dap_array_release(&b);
  dap_array_release(&c);
  dap_array_release(&d);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  SETTLE();
}

/* ---- other messages ---------------------------------------------------------------------------------- */

enum { SIZE = 512, WORD = 7919 };

/* What rank 1 sends before it begins is taken by a receive that rank 0 posted before it began: as with any
 * collective call, rank 0 waits in the plan, and MPI there must go on. */
static void messages_go_on_while_a_plan_waits(void **state)
{
  (void)state;
  if (test_nprocs() == 1) return;
  const dap_dist rows[] = {dap_dist_even(SIZE, test_nprocs()), dap_dist_even(SIZE, 1)};
  const dap_dist columns[] = {dap_dist_even(SIZE, 1), dap_dist_even(SIZE, test_nprocs())};
  board from = board_make(MPI_COMM_WORLD, rows, DAP_ORDER_C, false);
  board to = board_make(MPI_COMM_WORLD, columns, DAP_ORDER_C, false);
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_side a = board_side(&from), b = board_side(&to);
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, sizeof(double), NULL, &plan, &err), &err);
  SETTLE();
  int word = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  board_fill(&from, test_rank());
  if (test_rank() == 0) MPI_Irecv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
  if (test_rank() == 1) MPI_Ssend(&(int){WORD}, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  EXPECT_OK(dap_plan_run(plan, from.array.data, to.array.data, &err), &err);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_INT(word, test_rank() == 0 ? WORD : -1);
  EXPECT_INT(board_wrong(&to, test_rank()), 0);
  dap_plan_destroy(&plan);
  board_free(&from);
  board_free(&to);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(several_are_under_way),
    cmocka_unit_test(runs_two_plans_at_once),
    cmocka_unit_test(messages_go_on_while_a_plan_waits),
};
MPI_TEST_MAIN(tests)
