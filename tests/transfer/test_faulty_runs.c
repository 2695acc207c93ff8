/* The buffers of some processes are wrong in these runs. A process with a wrong buffer gets an error, and
 * so does each process that receives from it or exchanges with it through shared memory. A process that
 * returns DAP_OK has all its elements.
 *
 * No process waits for ever, and no source is changed. Then the plan works again. Runs send no messages
 * except those with elements. */
#include "mpi_calls.h"
#include "mpi_test.h"
#include "small_moves.h"

/* ---- counted ------------------------------------------------------------------------------------------ */

static small_move m, beside; /* under way at the same time */
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

/* With each process on a host of its own, there are messages of elements and no others. */
static void only_messages_of_elements(void **state)
{
  (void)state;
  const int n = test_nprocs();
  for (int row = 0; row < FAULT_ROWS_COUNTED; row++) {
    TEST_CASE("%s", fault_rows[row].why);
    fault_move_make(&m, row, n, 0);
    const dap_plan_stats stats = dap_plan_summarize(m.plan);
    for (int run = 0; run < 3; run++) {
      start_counting();
      small_move_run(&m, run);
      EXPECT_INT(reduced, 0);
      EXPECT_INT(mpi_calls_made[MPI_CALL_SEND], stats.messages_sent);
      EXPECT_INT(mpi_calls_made[MPI_CALL_RECEIVE], stats.messages_received);
    }
    small_move_free(&m);
    SETTLE();
  }
}

/* On one host, whatever carries the elements, nothing is added to their messages. */
static void none_on_a_host(void **state)
{
  (void)state;
  if (test_nodes() > 1) return; /* that needs one node */
  for (int row = 0; row < FAULT_ROWS_COUNTED; row++) {
    TEST_CASE("%s", fault_rows[row].why);
    fault_move_make(&m, row, 1, 0);
    small_move_run(&m, 0);
    start_counting();
    small_move_run(&m, 1);
    EXPECT_INT(mpi_calls_made[MPI_CALL_SEND] + mpi_calls_made[MPI_CALL_RECEIVE] + reduced, 0);
    small_move_free(&m);
    SETTLE();
  }
}

/* ---- faults ------------------------------------------------------------------------------------------- */

/* Processes that lack their source or their destination. */
typedef struct fault_case {
  int row, hosts;
  bool by_messages; /* and by nothing else, on one host too */
  bool is_source;
  bool lacks[BRUTE_PROCS];
} fault_case;

static bool is_at_fault(const fault_case *c, int rank)
{
  return c->lacks[rank] &&
         fault_cut_has(c->is_source ? fault_rows[c->row].from : fault_rows[c->row].to, rank);
}

/* Whether this process must learn of a fault of process `other`: it waits for it. */
static bool must_learn(const fault_case *c, int other)
{
  const int own = test_rank();
  if (own == other || fault_rows[c->row].everyone) return true;
  if (!fault_row_has_one_pass(c->row)) return false;
  const bool is_near = test_is_mate(other) && own % c->hosts == other % c->hosts && !c->by_messages;
  return fault_row_sends(c->row, other, own) || (is_near && fault_row_sends(c->row, own, other));
}

/* In later passes faults go further than to those that receive from a process. */
static bool may_learn(const fault_case *c)
{
  return !fault_row_has_one_pass(c->row) || test_nodes() > 1;
}

static void expect_outcome(const fault_case *c, dap_status s, const dap_error *err, int shift)
{
  int first = 0;
  while (first < test_nprocs() && !(is_at_fault(c, first) && must_learn(c, first))) first++;
  const bool must_fail = first < test_nprocs();
  if (must_fail || (s && may_learn(c))) {
    EXPECT_FAIL(s, DAP_ERR_ARG, err, c->is_source ? "source|NULL" : "destination|NULL");
    if (must_fail && !may_learn(c)) EXPECT_INT(err->rank, first);
    EXPECT_MSG(err->rank >= 0 && is_at_fault(c, err->rank), "rank %d is named", err->rank);
  } else if (EXPECT_OK(s, err) && !c->lacks[test_rank()]) {
    side_check(&m.to, shift, COPIES_RIGHT, PADDING_POISON);
  }
  side_check(&m.from, shift, COPIES_RIGHT, PADDING_POISON);
}

/* Another plan that is under way at the same time is not concerned. */
static void run_wrong(const fault_case *c, int shift, bool has_other)
{
  const bool lacks = c->lacks[test_rank()];
  const small_move *all[] = {&m, &beside};
  dap_error err = {0};
  for (int i = has_other; i >= 0; i--) {
    const bool is_wrong = i == 0 && lacks;
    side_fill(&all[i]->from, shift, COPIES_RIGHT);
    side_poison(&all[i]->to);
    EXPECT_OK(dap_plan_begin(all[i]->plan, is_wrong && c->is_source ? NULL : side_data(&all[i]->from),
                             is_wrong && !c->is_source ? NULL : side_data(&all[i]->to), &err),
              &err);
  }
  const dap_status s = dap_plan_end(m.plan, &err);
  expect_outcome(c, s, &err, shift);
  if (has_other && EXPECT_OK(dap_plan_end(beside.plan, &err), &err))
    side_check(&beside.to, shift, COPIES_RIGHT, PADDING_POISON);
}

/* Each process, and in the end the first and the last. */
static void each_fault(fault_case c)
{
  const int n = test_nprocs();
  const unsigned transports = c.by_messages ? DAP_TRANSPORT_MESSAGES : 0;
  fault_move_make(&m, c.row, c.hosts, transports);
  fault_move_make(&beside, 0, c.hosts, transports);
  for (int culprit = 0; culprit <= n && m.plan && beside.plan; culprit++)
    for (int is_source = 0; is_source < 2; is_source++) {
      for (int rank = 0; rank < n; rank++)
        c.lacks[rank] = culprit < n ? rank == culprit : rank == 0 || rank == n - 1;
      c.is_source = is_source;
      TEST_CASE("%s, %d hosts, messages %d, culprit %d lacks %s", fault_rows[c.row].why, c.hosts,
                c.by_messages, culprit, is_source ? "its source" : "its destination");
      run_wrong(&c, 7 + culprit, false);
      run_wrong(&c, 8 + culprit, true);
      small_move_run(&m, culprit);
    }
  small_move_free(&beside);
  small_move_free(&m);
  SETTLE();
}

static void those_that_wait_for_a_faulty_process_fail(void **state)
{
  (void)state;
  const int n = test_nprocs();
  for (int row = 0; row < FAULT_ROWS; row++)
    for (int hosts = 1; hosts <= n; hosts += hosts == 1 || hosts == n ? 1 : n - hosts)
      for (int messages = 0; messages < (fault_rows[row].transports ? 1 : 2); messages++)
        each_fault((fault_case){.row = row, .hosts = hosts, .by_messages = messages});
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(only_messages_of_elements),
                                          cmocka_unit_test(none_on_a_host),
                                          cmocka_unit_test(those_that_wait_for_a_faulty_process_fail)};
MPI_TEST_MAIN(tests)
