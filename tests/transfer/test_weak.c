/* Two processes of a node must hand over elements correctly on weakly ordered processors. The test tries
 * sequences in the library's functions (weak.h). It also checks that each memory order in the functions is
 * needed.
 *
 * Private: both ends of a plan are made by hand, in one process. */
#include "mpi_test.h"
#include "transfer_impl.h"
#include "transport_impl.h"
#include "weak.h"

enum { NUMBER = 8, MOST_CHUNKS = 8, ROUNDS = 4 };

/* Runs in which process 0 sends elements to process 1. Each chunk has one element, a number of 8 bytes. */
typedef struct scenario {
  const char *why;
  const char *spare; /* names of variables whose order other scenarios need */
  int chunks, slots; /* of the channel in a run */
  bool is_direct[2]; /* the source, and the destination, is in memory that both see */
  int runs, refused; /* the receiver's buffer is NULL in run `refused`; 0: in none */
  bool is_given_up;  /* by process 0, because process 1 is late */
} scenario;

static const scenario scenarios[] = {
    {"two runs of three chunks, two slots", "sender's done, receiver's done, fence", 3, 2, .runs = 2},
    {"four runs of a chunk, which goes ahead and is taken back in one",
     "sender's done, receiver's done, fence", 1, 1, .runs = 4, .refused = 2},
    {"pulled from the source", "sender's done, fence", 1, 1, {true, false}, .runs = 4},
    {"pushed into the destination", "receiver's done, filled, fence", 1, 1, {false, true}, .runs = 4},
    {"given up",
     "sender's done, receiver's done, sender's published, receiver's published, filled",
     1,
     1,
     {true, false},
     .runs = 1,
     .is_given_up = true},
};

/* What each process has for itself. */
typedef struct end {
  dap_context context;
  dap_node node;
  int node_ranks[2];
  uint64_t ids[2];
  char *parts[2];
  dap_plan plan;
  dap_exchange exchange;
  dap_channel channel;
  dap_strided_run strided;
  dap_overlap overlap;
  const char *source;
  char *destination, *other;
  uint64_t buffer;
  int run;
  bool has_other; /* elements were copied that the program has written in the meantime */
} end;

static struct {
  const scenario *what;
  struct { /* memory that both processes see */
    _Alignas(64) char parts[2][2048];
    _Alignas(64) uint64_t buffers[2]; /* the source and the destination, if they are shared */
  } seen;
  end ends[2], fresh[2];
} here;

/* ---- in place of the library's and MPI's --------------------------------------------------------------- */

void dap_copy_run(const dap_copy *copy)
{
  end *me = &here.ends[weak_process()];
  const uint64_t number = (uint64_t)(me->run * MOST_CHUNKS + copy->chunk->lo[0]);
  const void *from = copy->from_packed ? copy->from_packed : copy->from[0];
  void *to = copy->to_packed ? copy->to_packed : copy->to[0];
  uint64_t moved;
  if (here.what->is_given_up && from == here.seen.buffers) {
    moved = __atomic_load_n((const uint64_t *)from, __ATOMIC_RELAXED);
    me->has_other = moved != number;
  } else {
    memcpy(&moved, from, NUMBER);
    if (copy->to_packed) moved = number; /* the source has only the first of the numbers */
    weak_expect(moved == number, "a chunk's elements are not its own");
  }
  memcpy(to, &moved, NUMBER);
}

bool dap_copy_nest(const dap_copy *copy, dap_nest *nest)
{
  (void)copy, (void)nest;
  return false;
}

/* Allocation 1 is the memory that both see. */
dap_segment dap_segment_find(const dap_self *self, const void *at)
{
  (void)self;
  const ptrdiff_t offset = (const char *)at - (const char *)here.seen.buffers;
  if (offset < 0 || offset >= (ptrdiff_t)sizeof here.seen.buffers) return (dap_segment){0};
  return (dap_segment){.id = 1, .offset = offset};
}

char *dap_segment_at(const dap_self *self, const dap_segment *segment)
{
  (void)self;
  return segment->id ? (char *)here.seen.buffers + segment->offset : NULL;
}

bool dap_segment_seen(const dap_self *self, const dap_segment *segment, uint64_t id)
{
  (void)self, (void)id;
  return segment->id != 0;
}

int MPI_Isend(const void *at, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  (void)at, (void)count, (void)type, (void)to, (void)tag, (void)comm, (void)request;
  return MPI_SUCCESS;
}

/* ---- two ends of a plan -------------------------------------------------------------------------------- */

static void make_channel(end *p, int rank)
{
  const scenario *what = here.what;
  p->strided = (dap_strided_run){.length = what->chunks, .count = 1};
  p->overlap = (dap_overlap){.runs = &p->strided, .size = 1, .elements = what->chunks};
  char *ring = here.seen.parts[0] + dap_node_window_bytes(1, 2, 1);
  p->channel = (dap_channel){.exchange = &p->exchange,
                             .transport = DAP_TRANSPORT_STAGED,
                             .is_send = rank == 0,
                             .rank = 1 - rank,
                             .node_rank = 1 - rank,
                             .axes = {&p->overlap},
                             .bytes = (int64_t)NUMBER * what->chunks,
                             .tile = {.extents = {1}, .arrays = 1},
                             .direct_tile = {.extents = {what->chunks}, .arrays = 1},
                             .chunks = what->chunks,
                             .direct_chunks = 1,
                             .chunk_bytes = 1 << 20, /* so that its time is measured */
                             .slot_bytes = 64,
                             .slots = what->slots,
                             .ring = (dap_ring *)(void *)ring,
                             .base = ring + sizeof(dap_ring),
                             .others = &p->other};
  p->exchange = (dap_exchange){.problem = &p->plan.problem, .across = -1};
  *(rank == 0 ? &p->exchange.send : &p->exchange.receive) =
      (dap_direction){.channels = &p->channel, .count = 1, .capacity = 1};
}

static void make_end(end *p, int rank)
{
  const unsigned direct = here.what->is_direct[0] || here.what->is_direct[1] ? DAP_TRANSPORT_DIRECT : 0;
  *p = (end){.node_ranks = {0, 1}, .ids = {1, 2}, .parts = {here.seen.parts[0], here.seen.parts[1]}};
  p->node = (dap_node){.comm = MPI_COMM_SELF,
                       .rank = rank,
                       .size = 2,
                       .whole_rank = rank,
                       .node_ranks = p->node_ranks,
                       .ids = p->ids};
  make_channel(p, rank);
  p->plan =
      (dap_plan){.context = &p->context,
                 .rank = rank,
                 .nprocs = 2,
                 .kernels = dap_kernels_best(),
                 .problem = {.ndim = 1,
                             .arrays = 1,
                             .from = {.item = NUMBER, .holds = rank == 0},
                             .to = {.item = NUMBER, .holds = rank == 1},
                             .transform = {.alpha = {1, 0}},
                             .rank = rank},
                 .schedule = {.exchange_count = 1,
                              .exchanges = &p->exchange,
                              .transports = DAP_TRANSPORT_STAGED | direct,
                              .passes = 1},
                 .window = {.node = &p->node, .size = 2, .parts = p->parts, .is_whole = true, .arrays = 1},
                 .fault = DAP_FAULT_NONE,
                 .sources = &p->source,
                 .destinations = &p->destination};
  dap_plan_mark(&p->plan, true);
}

static void prepare(const scenario *what)
{
  static const char *const names[][4] = {
      {"sender's published", "sender's done", "sender's fault", "failure"},
      {"receiver's published", "receiver's done", "receiver's fault", "failure"}};
  here.what = what;
  for (int rank = 0; rank < 2; rank++) make_end(&here.ends[rank], rank);
  memcpy(here.fresh, here.ends, sizeof here.fresh);
  weak_share(&here.seen, sizeof here.seen);
  weak_atomic(&here.ends[0].channel.ring->filled, 0, "filled");
  weak_atomic(&here.ends[0].channel.ring->emptied, 1, "emptied");
  for (int rank = 0; rank < 2; rank++) {
    const dap_control *control = dap_node_window_control(&here.ends[0].plan.window, rank);
    weak_atomic(&control->published, rank, names[rank][0]);
    weak_atomic(&control->done, rank, names[rank][1]);
    for (int i = 0; i < 2; i++) weak_atomic(&control->fault[i], rank, names[rank][2]);
    if (what->is_given_up) weak_atomic(&control->failure, rank, names[rank][3]);
  }
  if (what->is_given_up) weak_atomic(&here.seen.buffers[0], 0, "source");
}

static void reset_ends(void)
{
  memset(&here.seen, 0, sizeof here.seen);
  here.seen.buffers[0] = MOST_CHUNKS; /* the first number of run 1 */
  memcpy(here.ends, here.fresh, sizeof here.fresh);
  dap_self_unlock(); /* a run that ends with a fault may hold the lock */
}

static dap_status begin(end *p, const void *from, void *to)
{
  dap_error err = {0};
  return dap_plan_begin_many(&p->plan, &from, &to, &err);
}

static void run_once(end *p, int rank)
{
  const bool is_refused = p->run == here.what->refused;
  const uint64_t first = (uint64_t)p->run * MOST_CHUNKS;
  uint64_t *buffer = here.what->is_direct[rank] ? &here.seen.buffers[rank] : &p->buffer;
  dap_error err = {0};
  if (rank == 0) *buffer = first;
  weak_expect(begin(p, rank == 0 ? buffer : NULL, rank == 1 && !is_refused ? buffer : NULL) == DAP_OK,
              "a run cannot be begun");
  weak_expect(dap_plan_end(&p->plan, &err) == (is_refused ? DAP_ERR_ARG : DAP_OK), "a run's status");
  if (rank == 0 || is_refused) return;
  weak_expect(*buffer == first + (uint64_t)here.what->chunks - 1, "a run's last elements");
}

static void run_all(int rank)
{
  end *p = &here.ends[rank];
  for (p->run = 1; p->run <= here.what->runs; p->run++) run_once(p, rank);
}

/* Process 0 does the same as dap_plan_end() on a process that has waited too long for the other to read its
 * source. Then the program uses the source for something else. */
static void run_given_up(int rank)
{
  end *p = &here.ends[rank];
  dap_error err = {0};
  p->run = 1;
  weak_expect(begin(p, rank == 0 ? here.seen.buffers : NULL, rank == 1 ? &p->buffer : NULL) == DAP_OK,
              "a run cannot be begun");
  if (rank == 1)
    weak_expect(dap_plan_end(&p->plan, &err) || !p->has_other,
                "a run has elements that were written after it, and does not fail");
  if (rank == 1) return;
  dap_node_window_say(&p->plan.window, &dap_node_window_control(&p->plan.window, 0)->done);
  p->plan.failure.fault = dap_failure_of(&p->plan, 0, 1);
  dap_failure_announce(&p->plan);
  __atomic_store_n(&here.seen.buffers[0], 0, __ATOMIC_RELAXED);
}

/* ---- two ends of reductions ---------------------------------------------------------------------------- */

static struct {
  dap_board boards[2]; /* memory that both processes see */
  dap_context contexts[2], fresh[2];
  dap_memory memory;
  char *parts[2];
} reducing;

static void prepare_boards(void)
{
  reducing.memory = (dap_memory){.parts = reducing.parts, .size = 2};
  for (int rank = 0; rank < 2; rank++) {
    reducing.parts[rank] = (char *)&reducing.boards[rank];
    reducing.fresh[rank] =
        (dap_context){.comm = MPI_COMM_SELF,
                      .rank = rank,
                      .nprocs = 2,
                      .node = {.comm = MPI_COMM_SELF, .rank = rank, .size = 2},
                      .pool = {.segments = &reducing.memory, .segment_count = 1, .node_rank = rank}};
  }
  weak_share(reducing.boards, sizeof reducing.boards);
  weak_atomic(&reducing.boards[0].round, 0, "the first's round");
  weak_atomic(&reducing.boards[1].round, 1, "the second's round");
}

static void reset_boards(void)
{
  memset(reducing.boards, 0, sizeof reducing.boards);
  memcpy(reducing.contexts, reducing.fresh, sizeof reducing.fresh);
}

static void reduce(int process)
{
  for (int round = 0; round < ROUNDS; round++) {
    int64_t words[] = {10 * round + process, 10 * round - process};
    weak_expect(dap_context_reduce(&reducing.contexts[process], DAP_REDUCE_MIN, words, 2, NULL) == DAP_OK,
                "a reduction fails");
    weak_expect(words[0] == 10 * round && words[1] == 10 * round - 1, "a reduction's words");
  }
}

/* ---- each order is needed ------------------------------------------------------------------------------ */

/* As the orders are written, the checker must find nothing. If any one order is left out, it must find a
 * fault. */
static void check(const char *why, const char *spare, void (*reset)(void), void (*run)(int process))
{
  TEST_CASE("%s", why);
  const char *fault = weak_explore(reset, run, -1, false);
  EXPECT_MSG(!fault, "%s", fault);
  for (int i = 0; i < WEAK_VARIABLES; i++)
    for (int is_store = 0; is_store < 2; is_store++) {
      const char *name = weak_ordered(i, is_store), *what = is_store ? "stored" : "loaded";
      if (!name || strstr(spare, name)) continue;
      fault = weak_explore(reset, run, i, is_store);
      TEST_CASE("%s: %s %s relaxed", why, name, what);
      EXPECT_MSG(fault, "is not found to be wrong");
      print_message("%s: %s %s relaxed: %s\n", why, name, what, fault);
    }
  SETTLE();
}

static void each_order_is_needed(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
    const scenario *s = &scenarios[i];
    prepare(s);
    check(s->why, s->spare, reset_ends, s->is_given_up ? run_given_up : run_all);
  }
  prepare_boards();
  check("reductions", "", reset_boards, reduce);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(each_order_is_needed)};
MPI_TEST_MAIN(tests)
