/* MPI fails on one process during a run. Processes that receive from it must fail in the next run at the
 * latest, and no process may wait for ever. */
#include "moves.h"
#include "mpi_calls.h"
#include "mpi_test.h"

/* ---- MPI ---------------------------------------------------------------------------------------------- */

static MPI_Request *agreement; /* the request of the last reduction that was started */

int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request)
{
  agreement = request;
  return PMPI_Iallreduce(from, to, count, type, op, comm, request);
}

/* ---- runs --------------------------------------------------------------------------------------------- */

/* The leak sanitizer reads this. Messages of a broken run that no process receives stay in Open MPI. */
const char *__lsan_default_suppressions(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void)  /* NOLINT(bugprone-reserved-identifier) */
{
  return "leak:mca_allocator_bucket_alloc\nleak:dap_buffers_create\nleak:dap_two_phase_create\n";
}

/* Which process lacks its source when MPI fails, so that no process waits for its elements: none, another
 * process, or the one on which MPI fails. */
enum { LACKS_NONE, LACKS_OTHER, LACKS_CULPRIT, LACKS };

/* Runs a plan several times. In the first run, MPI fails on the culprit; returns false if MPI is not called
 * so often. A process that receives from the culprit must fail in the next run at the latest. No reduction
 * may go on in the memory of the plan. */
static bool run_failing(const move *m, int call, int culprit, int at, int lacks)
{
  const int lacking = lacks == LACKS_NONE ? -1 : (culprit + (lacks == LACKS_OTHER)) % test_nprocs();
  const bool waits = test_rank() == culprit || m->row->shows == PHASES ||
                     (small_move_has_one_pass(m->row) && small_move_sends(m, culprit, test_rank()));
  int has_failed = 0; /* in an earlier run */
  mpi_calls_failing[call] = test_rank() == culprit ? at : 0;
  agreement = NULL;
  for (int run = 0; run < 4; run++) {
    dap_error err = {0};
    const bool has_source = run > 0 || test_rank() != lacking;
    const dap_status s =
        dap_plan_run(m->plan, has_source ? m->run.from.data[0] : NULL, m->run.to.data[0], &err);
    EXPECT(!agreement || *agreement == MPI_REQUEST_NULL);
    EXPECT_MSG(!has_failed || !waits || s == DAP_ERR_LIBRARY, "run %d: status %d", run, (int)s);
    EXPECT_MSG(s == DAP_OK || s == DAP_ERR_LIBRARY || (run == 0 && lacking >= 0 && s == DAP_ERR_ARG),
               "run %d: status %d", run, (int)s);
    EXPECT_MSG(dap_plan_is_broken(m->plan) == (s == DAP_ERR_LIBRARY), "run %d: status %d, but %s: %s", run,
               (int)s, s == DAP_ERR_LIBRARY ? "not broken" : "broken", err.text);
    if (s == DAP_ERR_LIBRARY) EXPECT_INT(err.rank, culprit);
    const int failed = test_rank() == culprit && mpi_calls_failing[call] == 0;
    PMPI_Allreduce(&failed, &has_failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
  mpi_calls_failing[call] = 0;
  return has_failed;
}

/* MPI fails on one process after it has sent some of its messages, or later, when a run ends. Afterwards a
 * new plan works. */
static void nobody_waits_for_a_process_that_failed(void **state)
{
  (void)state;
  static move m;
  const int n = test_nprocs();
  for (int row = 0; row < SMALL_MOVES && n > 1; row++)
    for (int hosts = 2; hosts <= n; hosts += hosts == n ? 1 : n - hosts)
      for (int call = 0; call < MPI_CALLS; call++) {
        bool fails = true;
        for (int at = 1; at < 3 * n && fails; at++) {
          const int lacks = (at + row) % LACKS;
          TEST_CASE("%s, %d hosts, call %d of %d, lacks %d", small_moves[row].why, hosts, at, call, lacks);
          watchdog(60, "%s, %d hosts, call %d of %d", small_moves[row].why, hosts, at, call);
          move_make(&m, &small_moves[row], hosts, 0);
          fails = run_failing(&m, call, n / 2, at, lacks);
          move_free(&m);
          SETTLE();
        }
        move_make(&m, &small_moves[row], hosts, 0);
        move_run_right(&m, row, "a new plan");
        move_free(&m);
        SETTLE();
      }
  watchdog(0, "nothing");
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(nobody_waits_for_a_process_that_failed)};
MPI_TEST_MAIN(tests)
