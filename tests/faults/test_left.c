/* Tests what becomes of the library's communicators after a run has failed on one process. All processes keep
 * their communicators until MPI ends, even if they have not learned of the failure, because messages of that
 * run may still come.
 *
 * Without a failure, all processes free them. The number that announces the failure must stay in memory,
 * because MPI may send it late. Private: the library's communicator has no public name. */
#include "comm_impl.h"
#include "mpi_test.h"
#include "waits.h"

#include <malloc.h>
#include <stdatomic.h>

/* ---- MPI ---------------------------------------------------------------------------------------------- */

static MPI_Comm watched = MPI_COMM_NULL;
static bool was_freed;
static _Atomic(const char *)
    announced;              /* address of the number in the last announcement; NULL: there was none */
static atomic_bool is_lost; /* the memory of that number has been freed */

int MPI_Comm_free(MPI_Comm *comm)
{
  was_freed = was_freed || (watched != MPI_COMM_NULL && *comm == watched);
  return PMPI_Comm_free(comm);
}

/* An announcement is the only message with a negative number. */
int MPI_Isend(const void *at, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  if (count == 1 && type == MPI_INT64_T && *(const int64_t *)at < 0) atomic_store(&announced, at);
  return PMPI_Isend(at, count, type, rank, tag, comm, request);
}

/* The linker's names. NOLINTBEGIN(bugprone-reserved-identifier) */
void __real_free(void *block);
void __wrap_free(void *block);

void __wrap_free(void *block)
{
  const char *first = block, *at = atomic_load(&announced);
  if (block && at >= first && at < first + malloc_usable_size(block)) atomic_store(&is_lost, true);
  __real_free(block);
}
/* NOLINTEND(bugprone-reserved-identifier) */

/* ---- one communicator --------------------------------------------------------------------------------- */

/* Process 0 waits for others, which take no part in this run. They learn of the failure from its messages.
 * MPI keeps the order of messages, so these have arrived before the last message here. */
static void fail_on_process_0(waiting *w)
{
  bool is_right;
  dap_error err = {0};
  if (test_rank() == 0)
    EXPECT_FAIL(wait_take(w, 2, &is_right, &err), DAP_ERR_LIBRARY, &err, "has not answered");
  for (int rank = 1; rank < test_nprocs() && test_rank() == 0; rank++)
    MPI_Send(NULL, 0, MPI_BYTE, rank, 1, MPI_COMM_WORLD);
  if (test_rank() > 0) MPI_Recv(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void one_row(int row, bool fails)
{
  static waiting w;
  dap_error err = {0};
  bool is_right;
  EXPECT_OK(wait_start(&w, row, 0, &err), &err);
  EXPECT_OK(wait_take(&w, 1, &is_right, &err), &err);
  EXPECT_OK(wait_plan(&w, fails ? 1 : 0, &err), &err);
  if (fails) fail_on_process_0(&w);
  watched = dap_context_comm(dap_context_find(w.move.comm));
  was_freed = false;
  EXPECT((atomic_load(&announced) != NULL) == (fails && test_rank() == 0));
  move_free(&w.move);
  EXPECT(!atomic_load(&is_lost));
  atomic_store(&announced, NULL);
  watched = MPI_COMM_NULL;
  EXPECT(was_freed == !fails);
}

static void communicators_stay(void **state)
{
  (void)state;
  for (int row = WAIT_RUNS; row < WAIT_GROUPS && test_nprocs() > 1; row++)
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
