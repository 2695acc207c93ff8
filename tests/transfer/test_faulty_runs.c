/* The buffers of some processes are wrong in these runs. A process with a wrong buffer gets an error, and
 * so does each process that receives from it or exchanges with it through shared memory. A process that
 * returns DAP_OK has all its elements.
 *
 * No process waits for ever, and no source is changed. Then the plan works again. Runs send no messages
 * except those with elements. */
#include "moves.h"
#include "mpi_calls.h"
#include "mpi_test.h"

/* ---- counted ------------------------------------------------------------------------------------------ */

static move m, beside; /* both are in progress at the same time */
static int reduced;

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  reduced++;
  return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request)
{
  reduced++;
  return PMPI_Iallreduce(from, to, count, type, op, comm, request);
}

static void start_counting(void)
{
  mpi_calls_made[MPI_CALL_SEND] = mpi_calls_made[MPI_CALL_RECEIVE] = reduced = 0;
}

/* ---- costs -------------------------------------------------------------------------------------------- */

/* Each process is on its own host. There must be messages of elements and no other messages. */
static void only_messages_of_elements(void **state)
{
  (void)state;
  const int n = test_nprocs();
  for (int row = 0; row < SMALL_MOVES_ANYHOW; row++) {
    TEST_CASE("%s", small_moves[row].why);
    move_make(&m, &small_moves[row], n, 0);
    const dap_plan_stats stats = dap_plan_summarize(m.plan);
    for (int run = 0; run < 3; run++) {
      start_counting();
      move_run_right(&m, run, "right");
      EXPECT_INT(reduced, 0);
      EXPECT_INT(mpi_calls_made[MPI_CALL_SEND], stats.messages_sent);
      EXPECT_INT(mpi_calls_made[MPI_CALL_RECEIVE], stats.messages_received);
    }
    move_free(&m);
    SETTLE();
  }
}

/* On one host, nothing is sent besides the elements, whatever carries them. */
static void none_on_a_host(void **state)
{
  (void)state;
  if (test_nodes() > 1) return; /* that needs one node */
  for (int row = 0; row < SMALL_MOVES_ANYHOW; row++) {
    TEST_CASE("%s", small_moves[row].why);
    move_make(&m, &small_moves[row], 1, 0);
    move_run_right(&m, 0, "right");
    start_counting();
    move_run_right(&m, 1, "right");
    EXPECT_INT(mpi_calls_made[MPI_CALL_SEND] + mpi_calls_made[MPI_CALL_RECEIVE] + reduced, 0);
    move_free(&m);
    SETTLE();
  }
}

/* ---- faults ------------------------------------------------------------------------------------------- */

/* Processes that lack their source or their destination. */
typedef struct fault_case {
  int row, hosts;
  bool by_messages; /* and by nothing else, also on one host */
  bool is_source;
  bool lacks[BRUTE_PROCS];
} fault_case;

static bool is_at_fault(const fault_case *c, int rank)
{
  const brute_array *side = &m.task.arrays[c->is_source ? 0 : 1].model;
  return c->lacks[rank] && !brute_walk_start(side, rank).done; /* it has elements */
}

/* Returns whether this process must learn of a fault of process `other`, because it waits for it. */
static bool must_learn(const fault_case *c, int other)
{
  const int own = test_rank();
  if (own == other || m.row->shows == PHASES) return true;
  if (!small_move_has_one_pass(m.row)) return false;
  const bool is_near = test_is_mate(other) && own % c->hosts == other % c->hosts && !c->by_messages;
  return small_move_sends(&m, other, own) || (is_near && small_move_sends(&m, own, other));
}

/* In later passes, processes can learn of a fault that do not receive from the process. */
static bool may_learn(void)
{
  return !small_move_has_one_pass(m.row) || test_nodes() > 1;
}

static void expect_outcome(const fault_case *c, dap_status s, const dap_error *err)
{
  int first = 0;
  while (first < test_nprocs() && !(is_at_fault(c, first) && must_learn(c, first))) first++;
  const bool must_fail = first < test_nprocs();
  if (must_fail || (s && may_learn())) {
    EXPECT_FAIL(s, DAP_ERR_ARG, err, c->is_source ? "source|NULL" : "destination|NULL");
    if (must_fail && !may_learn()) EXPECT_INT(err->rank, first);
    EXPECT_MSG(err->rank >= 0 && is_at_fault(c, err->rank), "rank %d is named", err->rank);
  } else if (EXPECT_OK(s, err) && !c->lacks[test_rank()]) {
    task_run_check(&m.task, &m.run);
  }
  task_check_source(&m.task, &m.run.from.sides[0]);
}

/* Another plan that is in progress at the same time must not be affected. */
static void run_wrong(const fault_case *c, int shift, bool has_other)
{
  const bool lacks = c->lacks[test_rank()];
  move *all[] = {&m, &beside};
  dap_error err = {0};
  for (int i = has_other; i >= 0; i--) {
    const bool is_wrong = i == 0 && lacks;
    task_run_fill(&all[i]->task, shift, &all[i]->run);
    EXPECT_OK(dap_plan_begin(all[i]->plan, is_wrong && c->is_source ? NULL : all[i]->run.from.data[0],
                             is_wrong && !c->is_source ? NULL : all[i]->run.to.data[0], &err),
              &err);
  }
  const dap_status s = dap_plan_end(m.plan, &err);
  expect_outcome(c, s, &err);
  if (has_other && EXPECT_OK(dap_plan_end(beside.plan, &err), &err))
    task_run_check(&beside.task, &beside.run);
}

/* Each process has a fault in turn, and in the end the first and the last process together. */
static void each_fault(fault_case c)
{
  const int n = test_nprocs();
  const unsigned transports = c.by_messages ? DAP_TRANSPORT_MESSAGES : 0;
  move_make(&m, &small_moves[c.row], c.hosts, transports);
  move_make(&beside, &small_moves[0], c.hosts, transports);
  for (int culprit = 0; culprit <= n && m.plan && beside.plan; culprit++)
    for (int is_source = 0; is_source < 2; is_source++) {
      for (int rank = 0; rank < n; rank++)
        c.lacks[rank] = culprit < n ? rank == culprit : rank == 0 || rank == n - 1;
      c.is_source = is_source;
      TEST_CASE("%s, %d hosts, messages %d, culprit %d lacks %s", small_moves[c.row].why, c.hosts,
                c.by_messages, culprit, is_source ? "its source" : "its destination");
      run_wrong(&c, 7 + culprit, false);
      run_wrong(&c, 8 + culprit, true);
      move_run_right(&m, culprit, "afterwards");
    }
  move_free(&beside);
  move_free(&m);
  SETTLE();
}

static void those_that_wait_for_a_faulty_process_fail(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const unsigned ways =
      DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_MESSAGES; /* of rows that have transports of their own */
  for (int row = 0; row < SMALL_MOVES; row++)
    for (int hosts = 1; hosts <= n; hosts += hosts == 1 || hosts == n ? 1 : n - hosts)
      for (int messages = 0; messages < (small_moves[row].options.transports & ways ? 1 : 2); messages++)
        each_fault((fault_case){.row = row, .hosts = hosts, .by_messages = messages});
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(only_messages_of_elements),
                                          cmocka_unit_test(none_on_a_host),
                                          cmocka_unit_test(those_that_wait_for_a_faulty_process_fail)};
MPI_TEST_MAIN(tests)
