/* A call of MPI that fails on one process while a communicator's context and a plan are made, or in a run:
 * each in turn. Nobody waits for ever, a plan is made on all processes or on none, all know of a run that
 * failed by the next one, and another plan on a new communicator is none the worse. */
#include "allocations.h"
#include "comm_impl.h"
#include "mpi_failures.h"
#include "mpi_test.h"
#include "sides.h"
#include "watchdog.h"

#include <inttypes.h>

/* Messages of a broken run that nobody receives, and communicators that could not be freed, stay with MPI. */
const char *__lsan_default_suppressions(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void)  /* NOLINT(bugprone-reserved-identifier) */
{
  return "leak:mca_allocator_bucket_alloc\nleak:dap_buffers_create\nleak:libmpi\n";
}

enum { PATIENCE = 120 /* seconds, of a whole trial */ };

typedef struct move {
  const char *why;
  side_origin origin;
  bool tells, is_halo, is_listed, is_whole;
  dap_plan_options options;
} move;

static const move rows[] = {
    {.why = "shared memory"},
    {.why = "messages in chunks", .options = {.transports = DAP_TRANSPORT_MESSAGES, .message_bytes = 64}},
    {.why = "messages in two phases",
     .options = {.transports = DAP_TRANSPORT_MESSAGES, .phases = DAP_PHASES_TWO}},
    {.why = "lists that nobody has all of", .origin = ASSEMBLED, .is_listed = true},
    {.why = "layouts that are told", .tells = true},
    {.why = "lists that are told", .origin = MIXED, .tells = true, .is_listed = true},
    {.why = "halos", .tells = true, .is_halo = true},
    {.why = "copies, to lists", .origin = ASSEMBLED, .is_listed = true, .is_whole = true},
};
enum { ROWS = sizeof rows / sizeof rows[0], SIZE = 17, ITEM = 8 };

typedef struct trial {
  const move *row;
  int hosts;
  test_side from, to;
} trial;

static random_array arrays[2];
static random_memory behind[2];

static trial start(const move *r, int hosts, test_random *random)
{
  const int n = test_nprocs(), fewer = r->tells && n > 1 ? n - 1 : n;
  trial t = {.row = r, .hosts = hosts};
  const dap_dist from[] = {r->is_whole    ? dap_dist_replicated(SIZE, n > 1 ? n - 1 : 1)
                           : r->is_listed ? random_lists(random, fewer, SIZE, &behind[0])
                                          : dap_dist_even(SIZE, fewer),
                           dap_dist_even(5, 1)};
  const dap_dist to[] = {r->is_listed ? random_lists(random, fewer, SIZE, &behind[1])
                         : r->is_halo ? dap_dist_padded(SIZE, fewer, 2)
                                      : dap_dist_cyclic(SIZE, fewer, 2),
                         dap_dist_even(5, 1)};
  (void)array_deal(2, from, NULL, &arrays[0]);
  (void)array_deal(2, to, NULL, &arrays[1]);
  t.from = side_make(&arrays[0], r->origin, NULL, ITEM, FORM_C, random);
  t.to = side_make(&arrays[1], r->origin, NULL, ITEM, FORM_F, random);
  return t;
}

static MPI_Comm new_comm(const trial *t)
{
  MPI_Comm comm;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (t->hosts > 1) EXPECT(dap_node_pretend(comm, test_rank() % t->hosts));
  return comm;
}

static dap_status make(const trial *t, MPI_Comm comm, dap_plan **plan, dap_error *err)
{
  dap_side a = side_of(&t->from), b = side_of(&t->to);
  if (t->row->tells && t->from.process < 0) a = (dap_side){0};
  if (t->row->tells && t->to.process < 0) b = (dap_side){0};
  if (t->row->is_halo) return dap_plan_create_halo(comm, &b, ITEM, &t->row->options, plan, err);
  return dap_plan_create(comm, &a, &b, ITEM, &t->row->options, plan, err);
}

static dap_status run(const trial *t, dap_plan *plan, dap_error *err)
{
  const test_side *source = t->row->is_halo ? &t->to : &t->from;
  side_poison(&t->to);
  side_fill(source, 3, COPIES_WRONG);
  return dap_plan_run(plan, side_data(source), side_data(&t->to), err);
}

static void run_right(const trial *t, dap_plan *plan, const char *when)
{
  dap_error err = {0};
  const dap_status s = plan ? run(t, plan, &err) : DAP_ERR_ARG;
  if (EXPECT_MSG(!s, "%s: \"%s\"", when, err.text))
    side_check(&t->to, 3, COPIES_RIGHT, t->row->is_halo ? PADDING_FILLED : PADDING_POISON);
}

static bool any(bool own)
{
  int all = own;
  PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
  return all;
}

/* On an own communicator, without failures. */
static void go_on(const trial *t)
{
  MPI_Comm comm = new_comm(t);
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(make(t, comm, &plan, &err), &err);
  run_right(t, plan, "the next plan");
  dap_plan_destroy(&plan);
  PMPI_Comm_free(&comm);
}

/* While it is made. Returns whether there was such a call on any process. */
static bool fail_making(const trial *t, int64_t number)
{
  MPI_Comm comm = new_comm(t);
  dap_plan *plan = NULL;
  dap_error err = {0};
  mpi_failures_start(number);
  const dap_status s = make(t, comm, &plan, &err);
  const bool was_met = any(number > 0 && mpi_failures_count() >= number), failed = any(s != DAP_OK);
  mpi_failures_start(0);
  mpi_failures_end();
  EXPECT_MSG(was_met || !failed, "\"%s\", and nothing had failed", err.text);
  if (failed) expect_same_error(MPI_COMM_WORLD, s, &err, s == DAP_ERR_NOMEM ? s : DAP_ERR_LIBRARY, "");
  EXPECT(!failed == (plan != NULL));
  if (plan) run_right(t, plan, "made all the same");
  dap_plan_destroy(&plan);
  PMPI_Comm_free(&comm);
  return was_met;
}

/* In a run. All know of it from the run after it on. */
static bool fail_running(const trial *t, int64_t number)
{
  MPI_Comm comm = new_comm(t);
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(make(t, comm, &plan, &err), &err);
  run_right(t, plan, "before");
  PMPI_Barrier(MPI_COMM_WORLD); /* who is still in that run may learn of the failure in it */
  mpi_failures_start(number);
  const dap_status s = run(t, plan, &err);
  const bool was_met = any(number > 0 && mpi_failures_count() >= number), failed = any(s != DAP_OK);
  mpi_failures_start(0);
  EXPECT_MSG(was_met || !failed, "\"%s\", and nothing had failed", err.text);
  EXPECT_MSG(!s || s == DAP_ERR_LIBRARY, "status %d", (int)s);
  EXPECT(dap_plan_is_broken(plan) == (s != DAP_OK));
  if (!s) side_check(&t->to, 3, COPIES_RIGHT, t->row->is_halo ? PADDING_FILLED : PADDING_POISON);
  if (failed) {
    expect_same_error(MPI_COMM_WORLD, run(t, plan, &err) ? DAP_ERR_LIBRARY : DAP_OK,
                      &(dap_error){.text = "."}, DAP_ERR_LIBRARY, ".");
    EXPECT(dap_plan_is_broken(plan));
  } else {
    run_right(t, plan, "after");
  }
  dap_plan_destroy(&plan);
  mpi_failures_end();
  PMPI_Comm_free(&comm);
  return was_met;
}

/* Each call of the first process, then of the last. */
static int64_t fail_each(const trial *t, const char *what, bool (*fails)(const trial *t, int64_t number))
{
  static int turn; /* where one call in so many fails, the first is another one each time */
  const int last = test_nprocs() - 1;
  int64_t all = 0;
  for (int victim = 0; victim <= last; victim += last > 0 ? last : 1) {
    bool more = true;
    for (int64_t number = 1 + turn++ % test_scale(); more; number += test_scale(), all++) {
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

static void sweep(const char *what, bool (*fails)(const trial *t, int64_t number))
{
  const int n = test_nprocs();
  const int64_t files = open_files(), maps = mapped_files();
  int64_t all = 0;
  test_random random = test_random_init(1400);
  for (int r = 0; r < ROWS; r++)
    for (int hosts = 1; hosts <= n; hosts += hosts == 1 || hosts == n ? 1 : n - hosts) {
      trial t = start(&rows[r], hosts, &random);
      all += fail_each(&t, what, fails);
      side_free(&t.from);
      side_free(&t.to);
    }
  print_message("%" PRId64 " calls failed\n", all);
  EXPECT_INT(open_files(), files);
  EXPECT_INT(mapped_files(), maps);
  SETTLE();
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

static const struct CMUnitTest tests[] = {cmocka_unit_test(as_it_is_run), cmocka_unit_test(as_it_is_made)};
MPI_TEST_MAIN(tests)
