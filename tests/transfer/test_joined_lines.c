/* Single elements that lie apart in the source, joined in lines of the destination. */
#include "board.h"
#include "mpi_test.h"

enum { SIZE = 2048 };

static void check_move(MPI_Comm comm, const board *from, const board *to, const dap_plan_options *options)
{
  dap_plan *plan = NULL;
  dap_error err = {0};
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const dap_side a = board_side(from), b = board_side(to);
  board_fill(from, rank);
  if (EXPECT_OK(dap_plan_create(comm, &a, &b, sizeof(double), options, &plan, &err), &err))
    for (int run = 0; run < 2; run++) {
      EXPECT_OK(dap_plan_run(plan, from->array.data, to->array.data, &err), &err);
      EXPECT_INT(board_wrong(to, rank), 0);
    }
  dap_plan_destroy(&plan);
}

typedef struct joint {
  const char *why;
  int64_t rows, columns; /* blocks of the destination */
  bool shares;
} joint;

static const joint joints[] = {{"single columns, lines joined of two stretches", 12, 1, false},
                               {"the same, directly from another process", 12, 1, true},
                               {"single columns, whole lines", 64, 1, true},
                               {"pairs of columns", 12, 2, true},
                               {"long columns", 12, 32, false}};

static void lines_are_joined_of_what_lies_apart(void **state)
{
  (void)state;
  const bool four = test_nprocs() >= 4;
  for (size_t i = 0; i < sizeof joints / sizeof joints[0]; i++) {
    TEST_CASE("%s", joints[i].why);
    const dap_dist slabs[] = {dap_dist_even(SIZE, test_nprocs()), dap_dist_even(SIZE, 1)};
    const dap_dist blocks[] = {dap_dist_cyclic(SIZE, 2, joints[i].rows),
                               dap_dist_cyclic(SIZE, four ? 2 : 1, joints[i].columns)};
    board from = board_make(MPI_COMM_WORLD, slabs, DAP_ORDER_C, joints[i].shares);
    board to = board_make(MPI_COMM_WORLD, blocks, DAP_ORDER_F, joints[i].shares);
    check_move(MPI_COMM_WORLD, &from, &to, NULL);
    board_free(&from);
    board_free(&to);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(lines_are_joined_of_what_lies_apart)};
MPI_TEST_MAIN(tests)
