/* What processes that share no memory say of their buffers in a run: counted, one message from each to each
 * and no reduction, or one reduction where they have little to do with each other; and that all hear of a
 * buffer that any process lacks, before anything is written, whoever sends elements to whom. */
#include "comm_impl.h"
#include "mpi_test.h"
#include "problem_impl.h"
#include "sides.h"

#include <inttypes.h>

/* ---- counted ------------------------------------------------------------------------------------------ */

static int sent, received, reduced;
enum { SENDS, TESTS, CALLS };
static int failing[CALLS];     /* which MPI_Isend(), MPI_Test() from now on fails, once; 0: none */
static MPI_Request *agreement; /* of the last reduction that was started */

static bool fails(int call)
{
  return failing[call] > 0 && --failing[call] == 0;
}

int MPI_Isend(const void *at, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  sent++;
  if (fails(SENDS)) return MPI_ERR_OTHER;
  return PMPI_Isend(at, count, type, to, tag, comm, request);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
  if (fails(TESTS)) return MPI_ERR_OTHER;
  return PMPI_Test(request, flag, status);
}

int MPI_Irecv(void *at, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
  received++;
  return PMPI_Irecv(at, count, type, from, tag, comm, request);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  reduced++;
  return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request)
{
  reduced++;
  agreement = request;
  return PMPI_Iallreduce(from, to, count, type, op, comm, request);
}

/* ---- moves -------------------------------------------------------------------------------------------- */

enum { SIZE = 60, ITEM = 8 };
typedef enum cut {
  EVEN,
  DEALT,
  FIRST, /* all of it on process 0 */
  WHOLE, /* and on each */
  GHOST  /* even, and process 0 has a ghost of the next one's */
} cut;
static random_array arrays[2];

static const struct {
  const char *why;
  cut from, to;
  int64_t message_bytes;
  dap_combine combine;
  unsigned transports;
} rows[] = {
    {.why = "all to all", .from = EVEN, .to = DEALT},
    {.why = "all to all, in more chunks than there are slots", .from = EVEN, .to = DEALT, .message_bytes = 8},
    {.why = "one to all", .from = FIRST, .to = EVEN},
    {.why = "one to all, in chunks", .from = FIRST, .to = EVEN, .message_bytes = 8},
    {.why = "all to one", .from = DEALT, .to = FIRST},
    {.why = "nothing moves", .from = EVEN, .to = EVEN},
    {.why = "one to all, in passes", .from = FIRST, .to = WHOLE, .transports = 2 * DAP_FORCED_FAN_OUT},
    {.why = "all to all, in passes",
     .from = DEALT,
     .to = WHOLE,
     .message_bytes = 8,
     .transports = 2 * DAP_FORCED_FAN_OUT},
    {.why = "all to all, then one to one", .from = DEALT, .to = GHOST, .combine = DAP_COMBINE_MAX},
    {.why = "nothing moves, and only directly", .from = EVEN, .to = EVEN, .transports = DAP_TRANSPORT_DIRECT},
};
enum { ROWS = sizeof rows / sizeof rows[0], COUNTED = 6 /* of one pass and any transport */ };

/* Behind the distribution with a ghost. */
static int64_t listed[SIZE + 1], lengths[BRUTE_PROCS], owned[BRUTE_PROCS];
static const int64_t *lists[BRUTE_PROCS];

static dap_dist with_ghost(int n)
{
  int64_t next = 0, *at = listed;
  for (int rank = 0; rank < n; rank++) {
    lists[rank] = at;
    owned[rank] = lengths[rank] = SIZE / n + (rank < SIZE % n);
    for (int64_t i = 0; i < owned[rank]; i++) *at++ = next++;
    if (rank == 0 && n > 1) *at++ = next;
    lengths[rank] = at - lists[rank];
  }
  return dap_dist_unstructured_ghosted(SIZE, n, lengths, owned, lists);
}

static test_side make_side(int i, cut kind, test_random *random)
{
  const int n = test_nprocs();
  const dap_dist dist = kind == EVEN    ? dap_dist_even(SIZE, n)
                        : kind == WHOLE ? dap_dist_replicated(SIZE, n)
                        : kind == GHOST ? with_ghost(n)
                        : kind == DEALT ? dap_dist_cyclic(SIZE, n, 1)
                                        : dap_dist_cyclic(SIZE, n, SIZE);
  (void)array_deal(1, &dist, NULL, &arrays[i]);
  return side_make(&arrays[i], CREATED, NULL, ITEM, FORM_C, random);
}

static bool has_elements(cut kind, int rank)
{
  return kind != FIRST || rank == 0;
}

typedef struct move {
  test_side from, to;
  MPI_Comm comm;
  dap_plan *plan;
} move;

/* On `hosts` hosts, which each have every hosts-th process. */
static move start(int row, int hosts, unsigned transports, test_random *random)
{
  move m = {.from = make_side(0, rows[row].from, random), .to = make_side(1, rows[row].to, random)};
  dap_side a = side_of(&m.from), b = side_of(&m.to);
  const unsigned allowed = rows[row].transports & DAP_TRANSPORTS;
  const dap_plan_options o = {.transports =
                                  allowed ? rows[row].transports : rows[row].transports | transports,
                              .message_bytes = rows[row].message_bytes,
                              .combine = rows[row].combine};
  if (o.combine) a.dtype = b.dtype = DAP_I8;
  dap_error err = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &m.comm);
  EXPECT(dap_node_pretend(m.comm, test_rank() % hosts));
  EXPECT_OK(dap_plan_create(m.comm, &a, &b, ITEM, &o, &m.plan, &err), &err);
  return m;
}

static void end(move *m)
{
  dap_plan_destroy(&m->plan);
  MPI_Comm_free(&m->comm);
  side_free(&m->from);
  side_free(&m->to);
  SETTLE();
}

static void run_right(const move *m, int shift)
{
  dap_error err = {0};
  side_fill(&m->from, shift, COPIES_RIGHT);
  side_poison(&m->to);
  if (m->plan && EXPECT_OK(dap_plan_run(m->plan, side_data(&m->from), side_data(&m->to), &err), &err))
    side_check(&m->to, shift, COPIES_RIGHT, PADDING_POISON);
}

/* ---- costs -------------------------------------------------------------------------------------------- */

/* Each process on a host of its own: chunks, and to whom there is none a number, unless these were more than
 * twice the steps of a reduction. */
static void one_message_to_each(void **state)
{
  (void)state;
  const int n = test_nprocs();
  test_random random = test_random_init(950);
  int steps = 0;
  while (n >> (steps + 1)) steps++;
  for (int row = 0; row < COUNTED; row++) {
    TEST_CASE("%s", rows[row].why);
    move m = start(row, n, 0, &random);
    const dap_plan_stats stats = dap_plan_summarize(m.plan);
    const bool is_full = rows[row].from == EVEN && rows[row].to == DEALT;
    const bool is_reduced = !is_full && n - 1 > 2 * steps;
    int to = 0, from = 0; /* processes with no elements for each other */
    for (int rank = 0; rank < n && !is_full; rank++) {
      const bool moves = rows[row].from != rows[row].to;
      if (rank == test_rank()) continue;
      to += !(moves && has_elements(rows[row].from, test_rank()) && has_elements(rows[row].to, rank));
      from += !(moves && has_elements(rows[row].from, rank) && has_elements(rows[row].to, test_rank()));
    }
    for (int run = 0; run < 3; run++) {
      sent = received = reduced = 0;
      run_right(&m, run);
      EXPECT_INT(reduced, is_reduced);
      EXPECT_INT(sent, stats.messages_sent + (is_reduced ? 0 : to));
      EXPECT_INT(received, stats.messages_received + (is_reduced ? 0 : from));
      if (rows[row].message_bytes == 0) EXPECT(is_reduced || sent == n - 1);
    }
    end(&m);
  }
}

/* On one host, whatever carries the elements, nothing is added to their messages. */
static void none_on_a_host(void **state)
{
  (void)state;
  test_random random = test_random_init(951);
  if (test_nodes() > 1) return; /* that needs one node */
  for (int row = 0; row < COUNTED; row++) {
    TEST_CASE("%s", rows[row].why);
    move m = start(row, 1, 0, &random);
    run_right(&m, 0);
    sent = received = reduced = 0;
    run_right(&m, 1);
    EXPECT_INT(sent + received + reduced, 0);
    end(&m);
  }
}

/* ---- faults ------------------------------------------------------------------------------------------- */

/* A run in which some processes lack their source, or their destination. The lowest that is at fault is
 * named; if none has elements there, all is well. */
static void run_wrong(const move *m, int row, const bool lacks[], bool is_source)
{
  const bool own = lacks[test_rank()];
  const cut kind = is_source ? rows[row].from : rows[row].to;
  int first = 0;
  dap_error err = {0};
  while (first < test_nprocs() && !(lacks[first] && has_elements(kind, first))) first++;
  side_fill(&m->from, 7, COPIES_RIGHT);
  side_poison(&m->to);
  const dap_status s = dap_plan_run(m->plan, own && is_source ? NULL : side_data(&m->from),
                                    own && !is_source ? NULL : side_data(&m->to), &err);
  if (first == test_nprocs()) {
    EXPECT_OK(s, &err);
    return;
  }
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, is_source ? "source|NULL" : "destination|NULL");
  EXPECT_INT(err.rank, first);
  for (int64_t i = 0; i < m->to.buffer.bytes; i++)
    if (m->to.buffer.memory[i] != TEST_POISON && !EXPECT_MSG(false, "byte %" PRId64 " was written", i)) break;
}

static void all_hear_of_any(void **state)
{
  (void)state;
  const int n = test_nprocs();
  test_random random = test_random_init(952);
  for (int row = 0; row < ROWS; row++)
    for (int hosts = 1; hosts <= n; hosts += hosts == 1 || hosts == n ? 1 : n - hosts)
      for (int messages = 0; messages < 2; messages++) {
        move m = start(row, hosts, messages ? DAP_TRANSPORT_MESSAGES : 0, &random);
        for (int culprit = 0; culprit <= n && m.plan; culprit++)
          for (int is_source = 0; is_source < 2; is_source++) {
            bool lacks[BRUTE_PROCS] = {false};
            lacks[culprit % n] = lacks[n - 1] = true; /* and in the end the first and the last */
            if (culprit < n - 1) lacks[n - 1] = false;
            TEST_CASE("%s, %d hosts, messages %d, culprit %d", rows[row].why, hosts, messages, culprit);
            run_wrong(&m, row, lacks, is_source);
            run_wrong(&m, row, lacks, is_source);
            run_right(&m, culprit);
          }
        end(&m);
      }
}

/* ---- failures ----------------------------------------------------------------------------------------- */

/* The leak sanitizer reads this: messages of a broken run that nobody receives stay with Open MPI. */
const char *__lsan_default_suppressions(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void)  /* NOLINT(bugprone-reserved-identifier) */
{
  return "leak:mca_allocator_bucket_alloc\nleak:dap_buffers_create\n";
}

/* Who lacks its source as MPI fails, so that nobody's elements are waited for: no one, a process that MPI
 * does not fail on, the one that it does. */
enum { LACKS_NONE, LACKS_OTHER, LACKS_CULPRIT, LACKS };

/* A run that fails on the culprit in a call of MPI, and some more. All know of the failure from the run after
 * it on, and nobody waits for ever. Nor does a reduction go on in the plan's memory. */
static void run_failing(const move *m, int call, int culprit, int at, int lacks)
{
  const int lacking = lacks == LACKS_NONE ? -1 : (culprit + (lacks == LACKS_OTHER)) % test_nprocs();
  failing[call] = test_rank() == culprit ? at : 0;
  agreement = NULL;
  for (int run = 0; run < 4; run++) {
    dap_error err = {0};
    const bool failed = test_rank() == culprit && failing[call] == 0;
    const bool has_source = run > 0 || test_rank() != lacking;
    int any = 0;
    const dap_status s =
        dap_plan_run(m->plan, has_source ? side_data(&m->from) : NULL, side_data(&m->to), &err);
    EXPECT(!agreement || *agreement == MPI_REQUEST_NULL);
    PMPI_Allreduce(&(int){failed}, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    EXPECT_MSG(!any || s == DAP_ERR_LIBRARY, "run %d: status %d", run, (int)s);
    EXPECT_MSG(dap_plan_is_broken(m->plan) == (s == DAP_ERR_LIBRARY), "run %d: status %d, but %s: %s", run,
               (int)s, s == DAP_ERR_LIBRARY ? "not broken" : "broken", err.text);
  }
  failing[call] = 0;
}

/* MPI fails on one process when it has told some of the others already that its buffers are in order; or
 * later, in the end of a run. Then a new plan works. */
static void all_hear_of_a_failure(void **state)
{
  (void)state;
  const int n = test_nprocs();
  test_random random = test_random_init(953);
  for (int row = 0; row < ROWS && n > 1; row++)
    for (int hosts = 2; hosts <= n; hosts += hosts == n ? 1 : n - hosts)
      for (int call = 0; call < CALLS; call++) {
        for (int at = 1; at < 3 * n; at++) {
          const int lacks = (at + row) % LACKS;
          TEST_CASE("%s, %d hosts, call %d of %d, lacks %d", rows[row].why, hosts, at, call, lacks);
          move m = start(row, hosts, 0, &random);
          run_failing(&m, call, n / 2, at, lacks);
          end(&m);
        }
        move m = start(row, hosts, 0, &random);
        run_right(&m, row);
        end(&m);
      }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(one_message_to_each),
                                          cmocka_unit_test(none_on_a_host), cmocka_unit_test(all_hear_of_any),
                                          cmocka_unit_test(all_hear_of_a_failure)};
MPI_TEST_MAIN(tests)
