/* A call of MPI that fails on one process while a communicator's context and a plan are made, in a run, or as
 * they end: each in turn, of the kinds of plans of moves_rows.c. Nobody waits for ever, a plan is made on all
 * processes or on none, no process that has failed goes on, and another plan on the same
 * communicator, and on a new one, is none the worse. */
#include "allocations.h"
#include "any.h"
#include "moves.h"
#include "mpi_failures.h"
#include "mpi_test.h"
#include "watchdog.h"

#include <dapbridge/context.h>
#include <inttypes.h>

enum { PATIENCE = 120 /* seconds, of a whole trial */ };

/* ---- without failures --------------------------------------------------------------------------------- */

static void run_right(const trial *t, dap_plan *plan, const char *when)
{
  dap_error err = {0};
  const dap_status s = plan ? trial_run(t, plan, &err) : DAP_ERR_ARG;
  if (EXPECT_MSG(!s, "%s: \"%s\"", when, err.text)) trial_check(t);
}

static void make_and_run(const trial *t, const trial_comm *c, const char *when)
{
  dap_plan *plan = NULL;
  dap_error err = {0};
  const dap_status s = trial_make(t, c, &plan, &err);
  if (EXPECT_MSG(!s, "%s: \"%s\"", when, err.text)) run_right(t, plan, when);
  dap_plan_destroy(&plan);
}

static void go_on(const trial *t)
{
  trial_comm c = trial_comm_make(t);
  make_and_run(t, &c, "on a new communicator");
  trial_comm_free(t, &c);
}

/* ---- one call ----------------------------------------------------------------------------------------- */

/* Whether there was such a call on any process; from here on none fails. */
static bool stop(int64_t number)
{
  const bool was_met = any(number > 0 && mpi_failures_count() >= number);
  mpi_failures_start(0);
  return was_met;
}

/* While it is made. */
static bool fail_making(trial *t, int64_t number)
{
  trial_comm c = trial_comm_make(t);
  dap_plan *plan = NULL;
  dap_error err = {0};
  mpi_failures_start(number);
  const dap_status s = trial_make(t, &c, &plan, &err);
  const bool was_met = stop(number), failed = any(s != DAP_OK);
  mpi_failures_end();
  EXPECT_MSG(was_met || !failed, "\"%s\", and nothing had failed", err.text);
  if (failed) expect_same_error(MPI_COMM_WORLD, s, &err, s == DAP_ERR_NOMEM ? s : DAP_ERR_LIBRARY, "");
  EXPECT(!failed == (plan != NULL));
  if (plan) run_right(t, plan, "made all the same");
  dap_plan_destroy(&plan);
  if (failed) make_and_run(t, &c, "the next plan");
  trial_comm_free(t, &c);
  return was_met;
}

/* The run after the one that failed. A process that knows of the failure fails again. Others fail if they
 * wait for such a process, and else have all their elements: test_failed_runs.c knows which. */
static void run_broken(const trial *t, dap_plan *plan)
{
  dap_error err = {0};
  const bool was_broken = dap_plan_is_broken(plan);
  const dap_status s = trial_run(t, plan, &err);
  if (was_broken || s)
    EXPECT_FAIL(s, DAP_ERR_LIBRARY, &err, "a run of this plan failed");
  else
    trial_check(t);
  EXPECT(dap_plan_is_broken(plan) == (s != DAP_OK));
}

/* In a run. */
static bool fail_running(trial *t, int64_t number)
{
  trial_comm c = trial_comm_make(t);
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(trial_make(t, &c, &plan, &err), &err);
  run_right(t, plan, "before");
  PMPI_Barrier(MPI_COMM_WORLD); /* who is still in that run may learn of the failure in it */
  t->lacks_source = t->row->is_refused;
  mpi_failures_start(number);
  const dap_status s = trial_run(t, plan, &err), usual = t->lacks_source ? DAP_ERR_ARG : DAP_OK;
  const bool was_met = stop(number), failed = any(s != usual);
  t->lacks_source = false;
  EXPECT_MSG(was_met || !failed, "\"%s\", and nothing had failed", err.text);
  EXPECT_MSG(s == usual || s == DAP_ERR_LIBRARY, "status %d: \"%s\"", (int)s, err.text);
  EXPECT(dap_plan_is_broken(plan) == (s == DAP_ERR_LIBRARY));
  if (!s) trial_check(t);
  if (failed)
    run_broken(t, plan);
  else
    run_right(t, plan, "after");
  dap_plan_destroy(&plan);
  mpi_failures_end();
  if (failed) make_and_run(t, &c, "a new plan");
  trial_comm_free(t, &c);
  return was_met;
}

/* As the plan, and then its communicator, ends. */
static bool fail_ending(trial *t, int64_t number)
{
  trial_comm c = trial_comm_make(t);
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(trial_make(t, &c, &plan, &err), &err);
  run_right(t, plan, "before");
  mpi_failures_start(number);
  dap_plan_destroy(&plan);
  trial_comm_free(t, &c);
  return stop(number);
}

/* ---- all calls ---------------------------------------------------------------------------------------- */

typedef bool failing(trial *t, int64_t number);

/* Each call of the first process, then of the last. */
static int64_t fail_each(trial *t, const char *what, failing *fails)
{
  static int turn; /* where one call in so many fails, the first is another one each time */
  const int last = test_nprocs() - 1, stride = test_scale();
  int64_t all = 0;
  for (int victim = 0; victim <= last; victim += last > 0 ? last : 1) {
    bool more = true;
    for (int64_t number = 1 + turn++ % stride; more; number += stride, all += more) {
      TEST_CASE("%s, %d hosts: call %" PRId64 " of rank %d fails as it is %s", t->row->why, t->hosts, number,
                victim, what);
      watchdog(PATIENCE, "%s, %d hosts: call %" PRId64 " of rank %d, as it is %s", t->row->why, t->hosts,
               number, victim, what);
      more = fails(t, test_rank() == victim ? number : 0);
      SETTLE();
    }
  }
  go_on(t);
  watchdog(0, "nothing");
  return all;
}

static void sweep(const char *what, failing *fails)
{
  const int n = test_nprocs();
  const int64_t files = open_files(), maps = mapped_files();
  int64_t all = 0;
  test_random random = test_random_init(1400);
  for (int r = 0; r < moves_count; r++)
    for (int hosts = 1; hosts <= n; hosts += hosts == 1 || hosts == n ? 1 : n - hosts) {
      if (!trial_is_possible(&moves[r], hosts)) continue;
      trial t = trial_start(&moves[r], hosts, &random);
      const int64_t calls = fail_each(&t, what, fails);
      trial_end(&t);
      print_message("%s, %d hosts: %" PRId64 " calls\n", moves[r].why, hosts, calls);
      all += calls;
    }
  print_message("%" PRId64 " calls failed\n", all);
  EXPECT_INT(open_files(), files);
  EXPECT_INT(mapped_files(), maps);
  SETTLE();
}

/* What a process makes once, and frees as MPI ends, fails where nothing has been made before. */
static void as_the_first_context_is_made(void **state)
{
  (void)state;
  enum { ONCE = 3, HARMLESS = 3 }; /* calls; the last, of a key that is not freed, does no harm */
  for (int64_t number = 1; number <= ONCE; number++) {
    MPI_Comm comm;
    dap_context *context = NULL;
    dap_error err = {0};
    TEST_CASE("call %" PRId64 " of the first context", number);
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    mpi_failures_start(test_rank() == 0 ? number : 0);
    const dap_status s = dap_context_get(comm, NULL, &context, &err);
    EXPECT(stop(test_rank() == 0 ? number : 0));
    EXPECT((context != NULL) == (number == HARMLESS));
    expect_same_error(MPI_COMM_WORLD, s, &err, number == HARMLESS ? DAP_OK : DAP_ERR_NOMEM, "");
    if (context) dap_context_release(&context);
    PMPI_Comm_free(&comm);
    SETTLE();
  }
}

static void as_it_is_made(void **state)
{
  (void)state;
  sweep("made", fail_making);
}

static void as_it_is_run(void **state)
{
  (void)state;
  sweep("run", fail_running);
}

static void as_it_ends(void **state)
{
  (void)state;
  sweep("ended", fail_ending);
}

/* ---- none was left out -------------------------------------------------------------------------------- */

static const struct {
  const char *name, *why;
  bool by_time; /* it may have failed or not */
} excused[] = {
    {"MPI_Cancel", "only once another call has failed", false},
    {"MPI_Comm_delete_attr", "only once another call has failed, and as MPI ends", false},
    {"MPI_Gatherv", "of exports: test_mpi_entries.c", false},
    {"MPI_Comm_get_parent", "only where another MPI's launcher seems to have started the program", false},
    {"MPI_Get_library_version", "only where another MPI's launcher has started the program", false},
    {"MPI_Allreduce", "only in agreements, which are spared", true},
    {"MPI_Iprobe", "in runs over several nodes, and where a process waits for long", true},
    {"MPI_Recv", "only where a process finds that another one has failed", true},
    {"MPI_Request_free", "only once another call has failed", false},
    {"MPI_Wait", "only for a reduction that has failed, and as a broken plan ends", true},
};

/* The row of a name; -1: none. */
static int excuse_of(const char *name)
{
  for (size_t i = 0; i < sizeof excused / sizeof excused[0]; i++)
    if (!strcmp(excused[i].name, name)) return (int)i;
  return -1;
}

/* Each call that the comm and transfer layers make has failed, or it is known why not. */
static void every_name(void **state)
{
  (void)state;
  for (const char *name = mpi_failures_next(NULL); name; name = mpi_failures_next(name)) {
    const bool has_failed = any(mpi_failures_times(name) > 0);
    const int excuse = excuse_of(name);
    EXPECT_MSG(has_failed || excuse >= 0, "%s has not failed", name);
    EXPECT_MSG(!has_failed || excuse < 0 || excused[excuse].by_time, "%s has failed, though: %s", name,
               excuse < 0 ? "" : excused[excuse].why);
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_first_context_is_made),
                                          cmocka_unit_test(as_it_is_made), cmocka_unit_test(as_it_is_run),
                                          cmocka_unit_test(as_it_ends), cmocka_unit_test(every_name)};
MPI_TEST_MAIN(tests)
