/* The program sends its own messages while a plan waits. test_random_programs.c draws several plans that
 * are in progress at once. */
#include "case.h"
#include "mpi_test.h"

enum { SIZE = 240, WORD = 7919 };

/* Rank 1 sends a message before it begins the run. Rank 0 has posted a receive for it before it began. While
 * rank 0 waits in the plan, MPI must go on, as in any collective call. */
static void messages_go_on_while_a_plan_waits(void **state)
{
  (void)state;
  static random_array arrays[2];
  const case_layout rows = {"", 2, {SIZE, SIZE}, .axes = FIRST_AXIS},
                    columns = {"", 2, {SIZE, SIZE}, .axes = SECOND_AXIS};
  test_random random = test_random_init(1);
  if (test_nprocs() == 1) return;
  test_side from = case_side(&rows, 8, FORM_C, &random, &arrays[0]),
            to = case_side(&columns, 8, FORM_C, &random, &arrays[1]);
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_side a = side_of(&from), b = side_of(&to);
  EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 8, NULL, &plan, &err), &err);
  SETTLE();
  int word = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  side_fill(&from, 0, COPIES_RIGHT);
  if (test_rank() == 0) MPI_Irecv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
  if (test_rank() == 1) MPI_Ssend(&(int){WORD}, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  EXPECT_OK(dap_plan_run(plan, side_data(&from), side_data(&to), &err), &err);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT_INT(word, test_rank() == 0 ? WORD : -1);
  side_check(&to, 0, COPIES_RIGHT, PADDING_POISON);
  dap_plan_destroy(&plan);
  side_free(&from);
  side_free(&to);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(messages_go_on_while_a_plan_waits),
};
MPI_TEST_MAIN(tests)
