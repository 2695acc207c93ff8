/* The library's communicators after a run that has failed on one process: all processes keep theirs until MPI
 * ends, whether they have learned of the failure or not, as messages of that run may still come. Without a
 * failure all free theirs. */
#include "comm_impl.h"
#include "mpi_test.h"
#include "waits.h"
#include "watchdog.h"

/* ---- MPI ---------------------------------------------------------------------------------------------- */

static MPI_Comm watched = MPI_COMM_NULL;
static bool was_freed;

int MPI_Comm_free(MPI_Comm *comm)
{
  was_freed = was_freed || (watched != MPI_COMM_NULL && *comm == watched);
  return PMPI_Comm_free(comm);
}

/* ---- one communicator --------------------------------------------------------------------------------- */

/* Process 0 waits for others, which take no part in this run and learn of it by what it sends. MPI keeps the
 * order of its messages: behind the last one here, all that it has sent is there. */
static void fail_on_process_0(wait_move *m)
{
  dap_error err = {0};
  if (test_rank() == 0) EXPECT_FAIL(wait_run(m, 2, &err), DAP_ERR_LIBRARY, &err, "has not answered");
  for (int rank = 1; rank < test_nprocs() && test_rank() == 0; rank++)
    MPI_Send(NULL, 0, MPI_BYTE, rank, 1, MPI_COMM_WORLD);
  if (test_rank() > 0) MPI_Recv(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void one_row(int row, bool fails)
{
  static wait_move m;
  dap_error err = {0};
  EXPECT_OK(wait_start(&m, row, 0, &err), &err);
  EXPECT_OK(wait_run(&m, 1, &err), &err);
  dap_plan_destroy(&m.row.plan);
  EXPECT_OK(wait_plan(&m, row, fails ? 1 : 0, &err), &err);
  if (fails) fail_on_process_0(&m);
  watched = dap_context_comm(dap_context_find(m.comm));
  was_freed = false;
  wait_end(&m);
  watched = MPI_COMM_NULL;
  EXPECT(was_freed == !fails);
}

static void communicators_stay(void **state)
{
  (void)state;
  for (int row = 0; row < WAIT_ROWS && test_nprocs() > 1; row++)
    for (int fails = 0; fails < 2; fails++) {
      TEST_CASE("%s, a run %s", wait_rows[row].why, fails ? "fails" : "is right");
      watchdog(120, "%s", wait_rows[row].why);
      one_row(row, fails);
      watchdog(0, "nothing");
      SETTLE();
    }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(communicators_stay)};
MPI_TEST_MAIN(tests)
