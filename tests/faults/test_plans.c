/* Tests faults on one process while the context of a communicator or a plan is made, in a run, or when they
 * end. A call of MPI fails, or an allocation is refused.
 *
 * No process may wait for ever. A plan must be made on all processes or on none, and a process that has
 * failed must not go on. Other plans, on the same communicator and on a new one, must not be affected. */
#include "allocations.h"
#include "faults.h"
#include "moves.h"
#include "mpi_test.h"

#include <dapbridge/context.h>
#include <inttypes.h>

/* ---- without faults ------------------------------------------------------------------------------------ */

static int64_t turn; /* gives each run its own values */

static void make_and_run(move *m, const char *when)
{
  dap_error err = {0};
  const dap_status s = move_plan(m, &err);
  if (EXPECT_MSG(!s, "%s: \"%s\"", when, err.text)) move_run_right(m, ++turn, when);
  dap_plan_destroy(&m->plan);
}

/* Makes a plan on a new communicator, and runs it. */
static void begin(move *m)
{
  dap_error err = {0};
  move_comm_make(m);
  EXPECT_OK(move_plan(m, &err), &err);
  move_run_right(m, ++turn, "before");
}

/* Runs without a fault, and checks that the plan has what the row is there to show: it sends, and has several
 * chunks or phases. */
static void try_without(move *m)
{
  begin(m);
  const dap_plan_stats s = dap_plan_summarize(m->plan);
  EXPECT(test_nprocs() == 1 || test_any(s.bytes_sent > 0));
  if (test_nprocs() > 2) {
    EXPECT(!(m->row->shows & CHUNKS) || test_any(s.rounds > 1));
    EXPECT(!(m->row->shows & PHASES) || test_any(s.phases > 1));
  }
  dap_plan_destroy(&m->plan);
  move_comm_free(m);
}

/* ---- one fault ----------------------------------------------------------------------------------------- */

/* Returns the expected status. A move that needs shared memory cannot be made if there is none. */
static dap_status expected_status(const move *m, const fault *f, dap_status s)
{
  const bool is_direct = m->row->options.transports == DAP_TRANSPORT_DIRECT;
  if (s == DAP_ERR_NOMEM || (is_direct && s == DAP_ERR_UNSUPPORTED)) return s;
  return f == &refused_allocations ? DAP_ERR_NOMEM : DAP_ERR_LIBRARY;
}

/* The fault is met while the plan is made. */
static int64_t fault_making(void *row, const fault *f, int64_t nth)
{
  move *m = row;
  dap_error err = {0};
  move_comm_make(m);
  fault_start(f, nth);
  const dap_status s = move_plan(m, &err);
  const int64_t count = fault_stop(f);
  const bool was_met = fault_was_met(nth, count), failed = test_any(s != DAP_OK);
  mpi_failures_end();
  EXPECT_MSG(was_met || !failed, "\"%s\", and nothing had failed", err.text);
  if (failed) expect_same_error(MPI_COMM_WORLD, s, &err, expected_status(m, f, s), "");
  EXPECT(!failed == (m->plan != NULL));
  if (m->plan) move_run_right(m, ++turn, "made all the same");
  dap_plan_destroy(&m->plan);
  if (failed) make_and_run(m, "the next plan");
  move_comm_free(m);
  return count;
}

/* Tries the run after the one that failed. A process that knows of the failure fails again. Others fail if
 * they wait for such a process; otherwise they get all their elements. */
static void run_broken(move *m)
{
  dap_error err = {0};
  const bool was_broken = dap_plan_is_broken(m->plan);
  const dap_status s = move_run(m, ++turn, &err);
  if (was_broken || s)
    EXPECT_FAIL(s, DAP_ERR_LIBRARY, &err, "plan failed");
  else
    task_run_check(&m->task, &m->run);
  EXPECT(dap_plan_is_broken(m->plan) == (s != DAP_OK));
}

/* The fault is met in a run. If a process lacks its source, all others receive from it, and so are told. */
static int64_t fault_running(void *row, const fault *f, int64_t nth)
{
  move *m = row;
  const dap_status usual = m->row->is_refused ? DAP_ERR_ARG : DAP_OK;
  dap_error err = {0};
  begin(m);
  PMPI_Barrier(MPI_COMM_WORLD); /* a process that is still in that run may learn of the failure in it */
  m->lacks_source = m->row->is_refused;
  fault_start(f, nth);
  const dap_status s = move_run(m, ++turn, &err);
  const int64_t count = fault_stop(f);
  m->lacks_source = false;
  const bool was_met = fault_was_met(nth, count), failed = test_any(s != usual);
  EXPECT_MSG(was_met || !failed, "\"%s\", and nothing had failed", err.text);
  EXPECT_MSG(s == usual || s == DAP_ERR_LIBRARY, "status %d: \"%s\"", (int)s, err.text);
  EXPECT(dap_plan_is_broken(m->plan) == (s == DAP_ERR_LIBRARY));
  if (!s) task_run_check(&m->task, &m->run);
  if (failed)
    run_broken(m);
  else
    move_run_right(m, ++turn, "after");
  dap_plan_destroy(&m->plan);
  mpi_failures_end();
  if (failed) make_and_run(m, "a new plan");
  move_comm_free(m);
  return count;
}

/* The fault is met when the plan, and then its communicator, ends. */
static int64_t fault_ending(void *row, const fault *f, int64_t nth)
{
  move *m = row;
  begin(m);
  fault_start(f, nth);
  dap_plan_destroy(&m->plan);
  move_comm_free(m);
  return fault_stop(f);
}

/* ---- all faults ---------------------------------------------------------------------------------------- */

static void sweep_row(const move_row *row, int hosts, fault_sweep *sweep, const char *what, fault_trial *try)
{
  static move m;
  char name[128];
  (void)snprintf(name, sizeof name, "%s, %d hosts, as it %s", row->why, hosts, what);
  move_start(&m, row, hosts);
  fault_try_all(sweep, name, try, &m);
  try_without(&m);
  move_end(&m);
  SETTLE();
}

/* Makes what stays until the end, before files are counted. */
static void make_usual_context(void)
{
  dap_context *context = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_context_get(MPI_COMM_WORLD, NULL, &context, &err), &err);
  if (context) dap_context_release(&context);
}

static void sweep_all(const fault *f, const char *what, fault_trial *try)
{
  const int n = test_nprocs(), nodes = test_nodes(), most = f == &failing_calls ? n : 1; /* most hosts */
  fault_sweep sweep = {.fault = f, .rows = try == fault_running};
  make_usual_context();
  const int64_t files = open_files(), maps = mapped_files();
  for (int r = 0; r < MOVES; r++)
    for (int hosts = 1; hosts <= most; hosts += hosts == 1 || hosts == n ? 1 : n - hosts) {
      const unsigned here = hosts == 1 && nodes == 1 ? ON_ONE : hosts < n && nodes < n ? ON_TWO : APART;
      if (!(move_rows[r].nodes & here) || (move_rows[r].has_groups && n == 1)) continue;
      sweep_row(&move_rows[r], hosts, &sweep, what, try);
    }
  print_message("%" PRId64 " of %" PRId64 " %ss\n", sweep.tried, sweep.all, f->what);
  EXPECT(test_same_files(files, open_files()));
  EXPECT_INT(mapped_files(), maps);
  SETTLE();
}

/* A process makes some things once, and frees them when MPI ends. Here they fail the first time. */
static void as_the_first_context_is_made(void **state)
{
  (void)state;
  enum { ONCE = 3, HARMLESS = 3 }; /* the last call frees a key, and its failure does no harm */
  for (int64_t nth = 1; nth <= ONCE; nth++) {
    MPI_Comm comm;
    dap_context *context = NULL;
    dap_error err = {0};
    TEST_CASE("call %" PRId64 " of the first context", nth);
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    fault_start(&failing_calls, test_rank() == 0 ? nth : 0);
    const dap_status s = dap_context_get(comm, NULL, &context, &err);
    EXPECT(fault_was_met(test_rank() == 0 ? nth : 0, fault_stop(&failing_calls)));
    EXPECT((context != NULL) == (nth == HARMLESS));
    expect_same_error(MPI_COMM_WORLD, s, &err, nth == HARMLESS ? DAP_OK : DAP_ERR_NOMEM, "");
    if (context) dap_context_release(&context);
    PMPI_Comm_free(&comm);
    SETTLE();
  }
}

static void calls_as_it_is_made(void **state)
{
  (void)state;
  sweep_all(&failing_calls, "is made", fault_making);
}

static void calls_as_it_is_run(void **state)
{
  (void)state;
  sweep_all(&failing_calls, "is run", fault_running);
}

static void calls_as_it_ends(void **state)
{
  (void)state;
  sweep_all(&failing_calls, "ends", fault_ending);
}

static void allocations_as_it_is_made(void **state)
{
  (void)state;
  sweep_all(&refused_allocations, "is made", fault_making);
}

/* ---- none was left out --------------------------------------------------------------------------------- */

static const struct {
  const char *name, *why;
  bool by_time; /* whether it fails depends on time */
} excused[] = {
    {"MPI_Cancel", "only once another call has failed", false},
    {"MPI_Comm_delete_attr", "only once another call has failed, and as MPI ends", false},
    {"MPI_Gatherv", "of exports: test_calls.c", false},
    {"MPI_Comm_get_parent", "only where another MPI's launcher seems to have started the program", false},
    {"MPI_Get_library_version", "only where another MPI's launcher has started the program", false},
    {"MPI_Allreduce", "only in agreements, which are spared", true},
    {"MPI_Iprobe", "in runs over several nodes, and where a process waits for long", true},
    {"MPI_Recv", "only where a process finds that another one has failed", true},
    {"MPI_Request_free", "only once another call has failed", false},
    {"MPI_Wait", "only for a reduction that has failed, and as a broken plan ends", true},
};

/* Returns the row of a name, or -1. */
static int excuse_of(const char *name)
{
  for (size_t i = 0; i < sizeof excused / sizeof excused[0]; i++)
    if (!strcmp(excused[i].name, name)) return (int)i;
  return -1;
}

/* Each call that the comm and transfer layers make must have failed, or have an excuse. By day, polls decide
 * which calls of a row are tried, so this is tested by night only. A few processes do not make all calls. */
static void every_name(void **state)
{
  (void)state;
  if (test_nprocs() < 3 || getenv("DAP_TEST_FAULTS")) return;
  for (const char *const *next = mpi_failures_names; *next; next++) {
    const char *name = *next;
    const bool has_failed = test_any(*mpi_failures_times(name) > 0);
    const int excuse = excuse_of(name);
    EXPECT_MSG(has_failed || excuse >= 0, "%s has not failed", name);
    EXPECT_MSG(!has_failed || excuse < 0 || excused[excuse].by_time, "%s has failed, though: %s", name,
               excuse < 0 ? "" : excused[excuse].why);
  }
  SETTLE();
}

/* ---- allocations of an array, and of messages ---------------------------------------------------------- */

/* dap_array_alloc() must fail on all processes, or give shared memory or private memory to all processes of
 * the node. */
static int64_t fault_array(void *row, const fault *f, int64_t nth)
{
  const dap_layout *layout = row;
  dap_array array;
  dap_error err = {0};
  bool shared = false;
  fault_start(f, nth);
  const dap_status s = dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, DAP_ORDER_C, &array, &shared, &err);
  const int64_t count = fault_stop(f);
  const bool is_shared = test_any(!s && shared), is_private = test_any(!s && !shared);
  EXPECT_MSG(test_nodes() > 1 || !is_shared || !is_private, "shared on some processes of the node only");
  if (test_any(s != DAP_OK)) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_NOMEM, "memory");
  if (!s) memset(array.data, 1, 8); /* it must be there */
  dap_array_release(&array);
  return count;
}

static void allocations_of_an_array(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_even(40, test_nprocs()), dap_dist_even(50, 1)};
  fault_sweep sweep = {.fault = &refused_allocations};
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  make_usual_context();
  const int64_t files = open_files(), maps = mapped_files();
  fault_try_all(&sweep, "an array", fault_array, layout);
  EXPECT(test_same_files(files, open_files()));
  EXPECT_INT(mapped_files(), maps);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* If waits have a limit, calls of MPI are replaced by messages, and each call allocates their memory. A
 * process that begins a step without memory keeps nothing of it, and the others give up. */
static void allocations_under_a_limit(void **state)
{
  (void)state;
  for (int64_t nth = 0; nth <= 2 && test_nprocs() > 1; nth++)
    for (int victim = 0; victim < test_nprocs(); victim++) {
      if (nth == 2 && victim > 0) continue; /* these are copies of messages, which may stay in MPI */
      const bool is_refused = nth > 0 && test_rank() == victim;
      MPI_Comm comm;
      dap_error err = {0};
      TEST_CASE("allocation %" PRId64 " of rank %d is refused", nth, victim);
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      EXPECT_OK(dap_wait_limit(comm, nth > 0 ? 0.2 : 60, &err), &err);
      MPI_Barrier(MPI_COMM_WORLD);
      allocations_start(is_refused ? nth : 0);
      const dap_status s = dap_agree(comm, DAP_OK, &err);
      const int64_t held = allocations_held();
      EXPECT(!is_refused || allocations_count() >= nth);
      allocations_start(0);
      if (nth == 0) EXPECT_OK(s, &err);
      if (is_refused) EXPECT_FAIL(s, DAP_ERR_NOMEM, &err, "memory");
      if (is_refused || nth == 0) EXPECT_INT(held, 0);
      MPI_Comm_free(&comm);
      SETTLE();
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(as_the_first_context_is_made),
    cmocka_unit_test(calls_as_it_is_made),
    cmocka_unit_test(calls_as_it_is_run),
    cmocka_unit_test(calls_as_it_ends),
    cmocka_unit_test(every_name),
    cmocka_unit_test(allocations_as_it_is_made),
    cmocka_unit_test(allocations_of_an_array),
    cmocka_unit_test(allocations_under_a_limit),
};
MPI_TEST_MAIN(tests)
