/* Messages of the program's own while a plan waits. Several plans under way at once are drawn by
 * test_random_programs.c. */
#include "board.h"
#include "mpi_test.h"

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
    cmocka_unit_test(messages_go_on_while_a_plan_waits),
};
MPI_TEST_MAIN(tests)
