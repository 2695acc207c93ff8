/* One process lacks a buffer in a run in which all receive from it: all have the same error, and the same
 * plan then moves all elements. And MPI fails on one process: all know of it at the next run at the
 * latest, and the plan moves nothing any more. If MPI fails while a plan is made, all know of it at once. */
#include "comm_impl.h"
#include "mpi_calls.h"
#include "mpi_test.h"
#include "pair.h"

enum failing { NONE, RECEIVE, SEND, WAIT, GATHER };
static enum failing failing; /* the next one here, of those that are not in mpi_calls.h */

static void fail_next(enum failing which)
{
  mpi_calls_failing[MPI_CALL_RECEIVE] = which == RECEIVE;
  mpi_calls_failing[MPI_CALL_SEND] = which == SEND;
  failing = which == WAIT || which == GATHER ? which : NONE;
}

static bool has_failed(void)
{
  return failing == NONE && mpi_calls_failing[MPI_CALL_RECEIVE] == 0 && mpi_calls_failing[MPI_CALL_SEND] == 0;
}

static int fails(int code, enum failing which)
{
  if (failing != which) return code;
  failing = NONE;
  return MPI_ERR_OTHER;
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
  const int code = PMPI_Testall(count, requests, flag, statuses);
  return *flag ? fails(code, WAIT) : code;
}

int MPI_Allgather(const void *mine, int count, MPI_Datatype type, void *all, int counts, MPI_Datatype types,
                  MPI_Comm comm)
{
  return fails(PMPI_Allgather(mine, count, type, all, counts, types, comm), GATHER);
}

static random_array arrays[3];
static pair sides;

/* Without one buffer the run fails; with it, the same plan moves all elements. No source is changed. */
static void run_without(MPI_Comm comm, const test_side *from, const test_side *to, unsigned transports,
                        bool is_source)
{
  const dap_side a = side_of(from), b = side_of(to);
  const dap_plan_options options = {.transports = transports};
  dap_plan *plan = NULL;
  dap_error err = {0};
  if (!EXPECT_OK(dap_plan_create(comm, &a, &b, from->itemsize, &options, &plan, &err), &err)) return;
  for (int run = 0; run < 4; run++) {
    const bool lacks = run % 2 == 0 && test_rank() == test_nprocs() - 1;
    side_fill(from, run, COPIES_RIGHT);
    side_poison(to);
    EXPECT_OK(dap_plan_begin(plan, lacks && is_source ? NULL : side_data(from),
                             lacks && !is_source ? NULL : side_data(to), &err),
              &err);
    const dap_status s = dap_plan_end(plan, &err);
    if (run % 2)
      EXPECT_OK(s, &err);
    else
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, is_source ? "source|NULL" : "destination|NULL");
    side_check(from, run, COPIES_RIGHT, PADDING_POISON);
    if (run % 2) side_check(to, run, COPIES_RIGHT, PADDING_POISON);
  }
  dap_plan_destroy(&plan);
}

static void buffers_of_one_process(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist block = dap_dist_even(60, n), dealt = dap_dist_cyclic(60, n, 1);
  test_random random = test_random_init(130);
  deal_pair(1, &block, &dealt, &random, &sides);
  for (int hosts = 1; hosts <= 3; hosts++)
    for (unsigned transports = 0; transports <= 7; transports++)
      for (int is_source = 0; is_source < 2; is_source++) {
        MPI_Comm comm = MPI_COMM_NULL;
        if ((hosts > 1 || test_nodes() > 1) && transports && !(transports & DAP_TRANSPORT_MESSAGES)) continue;
        TEST_CASE("%d hosts, transports %#x, no %s", hosts, transports, is_source ? "source" : "destination");
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        EXPECT(dap_node_pretend(comm, test_rank() % hosts));
        if (transports != DAP_TRANSPORT_DIRECT)
          run_without(comm, &sides.from, &sides.to, transports, is_source);
        run_without(comm, &sides.alloc_from.side, &sides.alloc_to.side, transports, is_source);
        MPI_Comm_free(&comm);
        SETTLE();
      }
  free_pair(&sides);
  SETTLE();
}

/* The leak sanitizer reads this: messages of a broken run that nobody receives any more stay with Open MPI,
 * and so do the plan's buffers that they are sent from. */
const char *__lsan_default_suppressions(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void)  /* NOLINT(bugprone-reserved-identifier) */
{
  return "leak:mca_allocator_bucket_alloc\nleak:dap_buffers_create\n";
}

/* With beta there is a second pass: all elements go to process 0, and from there to the others. */
static void run_broken(MPI_Comm comm, const test_side *from, const test_side *to, const double beta[2],
                       enum failing what)
{
  dap_side a = side_of(from), b = side_of(to);
  const dap_plan_options options = {.transports = DAP_TRANSPORT_MESSAGES, .beta = beta};
  const int culprit = test_nprocs() - 1;
  a.dtype = b.dtype = DAP_F8;
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_plan_create(comm, &a, &b, from->itemsize, &options, &plan, &err), &err);
  for (int run = 0; run < 3; run++) {
    side_fill(from, run, COPIES_RIGHT);
    EXPECT(!dap_plan_is_broken(plan) || run > 0);
    fail_next(run == 0 && test_rank() == culprit ? what : NONE);
    const dap_status s = dap_plan_run(plan, side_data(from), side_data(to), &err);
    EXPECT(has_failed());
    /* a process that had all its elements before, or received none from it, may not know of it yet */
    const bool is_unheard = run == 0 && (what == WAIT || beta) && test_rank() != culprit && s == DAP_OK;
    EXPECT_FAIL(s, is_unheard ? DAP_OK : DAP_ERR_LIBRARY, &err,
                is_unheard ? "" : "a run of this plan failed");
    EXPECT(is_unheard || err.rank == culprit);
    EXPECT(dap_plan_is_broken(plan) == !is_unheard);
    EXPECT(test_rank() != culprit || strstr(err.text, "MPI_"));
  }
  dap_plan_destroy(&plan);
}

/* The communicator is as good as before. */
static void mpi_fails_in_a_run(void **state)
{
  (void)state;
  static const double one[] = {1, 0};
  const int n = test_nprocs();
  const dap_dist block = dap_dist_even(60, n), dealt = dap_dist_cyclic(60, n, 1),
                 replicated = dap_dist_replicated(60, n);
  test_random random = test_random_init(131);
  (void)array_deal(1, &block, NULL, &arrays[0]);
  (void)array_deal(1, &dealt, NULL, &arrays[1]);
  (void)array_deal(1, &replicated, NULL, &arrays[2]);
  test_side from = side_make(&arrays[0], CREATED, NULL, 8, FORM_C, &random);
  test_side to = side_make(&arrays[1], CREATED, NULL, 8, FORM_C, &random);
  test_side copies = side_make(&arrays[2], CREATED, NULL, 8, FORM_C, &random);
  for (int what = RECEIVE; n > 1 && what <= WAIT; what++)
    for (int passes = 1; passes <= 2; passes++) {
      TEST_CASE("call %d, %d passes", what, passes);
      run_broken(MPI_COMM_WORLD, &from, passes == 1 ? &to : &copies, passes == 1 ? NULL : one,
                 (enum failing)what);
      run_without(MPI_COMM_WORLD, &from, &to, DAP_TRANSPORT_MESSAGES, true);
      SETTLE();
    }
  side_free(&from);
  side_free(&to);
  side_free(&copies);
  SETTLE();
}

static void mpi_fails_while_a_plan_is_made(void **state)
{
  (void)state;
  const int culprit = test_nprocs() - 1;
  const dap_dist dist = dap_dist_even(60, test_nprocs());
  test_random random = test_random_init(132);
  MPI_Comm comm = MPI_COMM_NULL;
  dap_error err = {0};
  (void)array_deal(1, &dist, NULL, &arrays[0]);
  test_side both = side_make(&arrays[0], CREATED, NULL, 8, FORM_C, &random);
  const dap_side side = side_of(&both);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  EXPECT(dap_node_pretend(comm, test_rank() % 2)); /* or the node's memory does without MPI */
  for (int turn = 0; turn < 3 && test_nprocs() > 1; turn++) {
    dap_plan *plan = NULL;
    TEST_CASE("plan %d", turn);
    fail_next(turn == 1 && test_rank() == culprit ? GATHER : NONE);
    const dap_status s = dap_plan_create(comm, &side, &side, 8, NULL, &plan, &err);
    EXPECT(has_failed());
    expect_same_error(comm, s, &err, turn == 1 ? DAP_ERR_LIBRARY : DAP_OK, "MPI_Allgather");
    dap_plan_destroy(&plan);
    SETTLE();
  }
  MPI_Comm_free(&comm);
  side_free(&both);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(buffers_of_one_process),
                                          cmocka_unit_test(mpi_fails_in_a_run),
                                          cmocka_unit_test(mpi_fails_while_a_plan_is_made)};

MPI_TEST_MAIN(tests)
