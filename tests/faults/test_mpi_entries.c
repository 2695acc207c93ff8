/* A call of MPI that fails on one process in each collective function of the core's public headers and of
 * views (the rows of tests/calls, which calls.complete holds to the headers): nobody waits for ever, all but
 * runs of plans fail on all processes or on none, and the same call, on the same communicator and on a new
 * one, is none the worse. With a limit of waits, under which steps go by messages, all come back, and a new
 * communicator is none the worse. */
#include "any.h"
#include "calls.h"
#include "comm_impl.h"
#include "mpi_failures.h"
#include "mpi_test.h"
#include "watchdog.h"

#include <inttypes.h>

enum { PATIENCE = 120 /* seconds */ };

/* Where the calls are made. */
typedef struct place {
  const char *name;
  int hosts;
  double limit; /* of waits, in seconds; 0: none */
  int step;     /* one call in so many fails, beyond the tests' scale */
  bool is_last; /* of the last process, not of the first */
} place;

static const place places[] = {{"one host", 1, 0, 1, false},
                               {"two hosts", 2, 0, 1, true},
                               {"one host, a limit", 1, 0.5, 10, true},
                               {"two hosts, a limit", 2, 0.5, 10, false}};

/* Runs of plans may fail on some processes alone, which all learn of in the next one; and a reduction of the
 * caller's own is no agreement. */
static bool is_agreed(const call *row)
{
  return row->handle != PLAN && row->handle != CONTEXT;
}

static void expect_alike(const call *row, const place *at, dap_status s, const dap_error *err)
{
  if (is_agreed(row) && at->limit == 0) {
    EXPECT_MSG(s, "DAP_OK, but not on all processes");
    expect_same_error(MPI_COMM_WORLD, s, err, s, "");
  }
  if (s) EXPECT_MSG(s == DAP_ERR_LIBRARY || s == DAP_ERR_NOMEM, "status %d: %s", (int)s, err->text);
}

/* The same call once more. A run that failed has broken the plan, for all; also one that a view has. With a
 * limit processes that gave up have left the communicator for good, of which others learn at some wait. */
static void expect_next(const call *row, const place *at, const call_arguments *g, bool failed)
{
  dap_error err = {.rank = -1};
  const bool is_ended = strstr(row->name, "_restore") || strstr(row->name, "_discard");
  const dap_status s = row->run(g, &err);
  if (at->limit > 0)
    expect_alike(row, at, s, &err);
  else if (failed && row->handle == PLAN)
    EXPECT_FAIL(s, DAP_ERR_LIBRARY, &err, "a run of this plan failed");
  else if (failed && row->handle == TOY && !is_ended && any(s != DAP_OK))
    expect_alike(row, at, s, &err);
  else
    EXPECT_MSG(!s, "the next call: \"%s\"", err.text);
}

/* On a communicator of its own. Returns whether there was such a call on any process. */
static bool fail_one(const call *row, const place *at, int64_t number)
{
  call_arguments g;
  dap_scalapack_matrix matrix;
  toy_matrix toy;
  dap_error err = {.rank = -1};
  calls_begin(&g, test_nprocs(), test_rank());
  PMPI_Comm_dup(MPI_COMM_WORLD, &g.comm);
  if (at->hosts > 1) EXPECT(dap_node_pretend(g.comm, test_rank() % at->hosts));
  if (at->limit > 0) EXPECT_OK(dap_wait_limit(g.comm, PATIENCE / 2.0, &err), &err);
  if (row->handle != NO_HANDLE) EXPECT_OK(calls_open(&g, &matrix, &toy, &err), &err);
  if (at->limit > 0) EXPECT_OK(dap_wait_limit(g.comm, at->limit, &err), &err);
  mpi_failures_spare(at->limit > 0 ? "MPI_Comm_get_attr"
                                   : NULL); /* who cannot find the limit waits as MPI does */
  mpi_failures_start(number);
  const dap_status s = row->run(&g, &err);
  const bool was_met = any(number > 0 && mpi_failures_count() >= number), failed = any(s != DAP_OK);
  mpi_failures_start(0);
  EXPECT_MSG(was_met || !failed || at->limit > 0, "\"%s\", and nothing had failed", err.text);
  if (failed && was_met) expect_alike(row, at, s, &err);
  expect_next(row, at, &g, failed);
  if (row->handle != NO_HANDLE) (void)calls_close(&g, &err);
  mpi_failures_end();
  MPI_Comm comm = g.comm;
  calls_end(&g);
  PMPI_Comm_free(&comm);
  return was_met;
}

static int64_t fail_each(const call *row, const place *at)
{
  static int turn; /* where one call in so many fails, the first is another one each time */
  const int victim = at->is_last ? test_nprocs() - 1 : 0, step = test_scale() * at->step;
  bool more = true;
  int64_t all = 0;
  for (int64_t number = 1 + turn++ % step; more; number += step, all++) {
    TEST_CASE("%s, %s: call %" PRId64 " of rank %d fails", row->name, at->name, number, victim);
    watchdog(PATIENCE, "%s, %s: call %" PRId64 " of rank %d", row->name, at->name, number, victim);
    more = fail_one(row, at, test_rank() == victim ? number : 0);
    SETTLE();
  }
  return all - 1;
}

/* What libraries under views, and their adapters, do where MPI fails is another matter. */
static bool is_adapters(const call *row)
{
  static const char *const prefixes[] = {"dap_scalapack_", "dap_linalg_", "dap_elpa_"};
  bool is = false;
  for (int i = 0; i < 3; i++) is = is || !strncmp(row->name, prefixes[i], strlen(prefixes[i]));
  return is;
}

static void each_call_of_each_function(void **state)
{
  (void)state;
  int64_t all = 0;
  for (const call *row = calls_next(NULL); row; row = calls_next(row)) {
    if (!row->needs_mpi || is_adapters(row)) continue;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) all += fail_each(row, &places[i]);
  }
  watchdog(0, "nothing");
  print_message("%" PRId64 " calls failed\n", all);
  EXPECT(any(mpi_failures_times("MPI_Gatherv") > 0)); /* which test_mpi_plans.c leaves to this one */
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(each_call_of_each_function)};
MPI_TEST_MAIN(tests)
