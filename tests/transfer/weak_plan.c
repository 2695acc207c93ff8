/* Makes a plan of two processes by hand. See weak_plan.h. Each chunk has one element, a number of 8 bytes,
 * and the code that copies it is here, so that the checker sees the copy. Private: both ends of a plan are
 * made in one process. */
#include "weak_plan.h"

#include "transfer_impl.h"
#include "weak.h"

#include <string.h>

enum { NUMBER = 8, MOST_CHUNKS = 8 };

/* What both see. */
typedef struct seen {
  _Alignas(64) char parts[2][2048];
  _Alignas(64) uint64_t buffers[2]; /* the source, the destination, where they are shared */
} seen;

/* What each has for itself. */
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
  bool has_other; /* elements were copied that the program has written meanwhile */
} end;

static struct {
  weak_case what;
  seen seen;
  end ends[2], fresh[2];
} here;

/* ---- what the checker is to see ---------------------------------------------------------------------- */

/* In place of copy.c. */
void dap_copy_run(const dap_copy *copy)
{
  end *me = &here.ends[weak_process()];
  const uint64_t number = (uint64_t)(me->run * MOST_CHUNKS + copy->chunk->lo[0]);
  const void *from = copy->from_packed ? copy->from_packed : copy->from[0];
  void *to = copy->to_packed ? copy->to_packed : copy->to[0];
  uint64_t moved;
  if (weak_find(from) >= 0) { /* of a run that is given up */
    moved = weak_load(from);
    me->has_other = moved != number;
  } else {
    weak_read(from, NUMBER);
    memcpy(&moved, from, NUMBER);
    if (copy->to_packed) moved = number; /* of the source's numbers the first is there */
    weak_expect(moved == number, "a chunk's elements are not its own");
  }
  weak_write(to, NUMBER);
  memcpy(to, &moved, NUMBER);
}

/* No elements of several channels alternate. */
bool dap_copy_nest(const dap_copy *copy, dap_nest *nest)
{
  (void)copy, (void)nest;
  return false;
}

/* In place of segments.c: allocation 1 is what both see. */
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

/* ---- made -------------------------------------------------------------------------------------------- */

static void make_node(int rank)
{
  end *p = &here.ends[rank];
  for (int i = 0; i < 2; i++) {
    p->node_ranks[i] = i;
    p->ids[i] = (uint64_t)i + 1;
    p->parts[i] = here.seen.parts[i];
  }
  p->node = (dap_node){.comm = MPI_COMM_SELF,
                       .rank = rank,
                       .size = 2,
                       .whole_rank = rank,
                       .node_ranks = p->node_ranks,
                       .ids = p->ids};
}

static void make_channel(int rank)
{
  end *p = &here.ends[rank];
  const weak_case *what = &here.what;
  p->strided = (dap_strided_run){.length = what->chunks, .count = 1};
  p->overlap = (dap_overlap){.runs = &p->strided, .size = 1, .elements = what->chunks};
  p->channel = (dap_channel){.exchange = &p->exchange,
                             .transport = DAP_TRANSPORT_STAGED,
                             .is_send = rank == 0,
                             .prefers_push = what->prefers_push,
                             .rank = 1 - rank,
                             .node_rank = 1 - rank,
                             .axes = {&p->overlap},
                             .bytes = (int64_t)NUMBER * what->chunks,
                             .tile = {.extents = {1}, .arrays = 1},
                             .direct_tile = {.extents = {what->chunks}, .arrays = 1},
                             .chunks = what->chunks,
                             .direct_chunks = 1,
                             .chunk_bytes = 1 << 20, /* so that it is measured what they take */
                             .slot_bytes = 64,
                             .slots = what->slots,
                             .others = &p->other};
  p->exchange = (dap_exchange){.problem = &p->plan.problem, .across = -1};
  dap_direction *direction = rank == 0 ? &p->exchange.send : &p->exchange.receive;
  *direction = (dap_direction){.channels = &p->channel, .count = 1, .capacity = 1};
}

static void make_plan(int rank)
{
  end *p = &here.ends[rank];
  *p = (end){0};
  make_node(rank);
  make_channel(rank);
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
                              .transports = here.what.transports,
                              .passes = 1},
                 .window = {.node = &p->node, .size = 2, .parts = p->parts, .is_whole = true, .arrays = 1},
                 .fault = DAP_FAULT_NONE,
                 .sources = &p->source,
                 .destinations = &p->destination};
  dap_plan_mark(&p->plan, true);
}

static void attach(void)
{
  const int64_t offset = dap_node_window_bytes(1, 2, 1);
  for (int rank = 0; rank < 2; rank++) {
    end *p = &here.ends[rank];
    p->channel.ring = (dap_ring *)(void *)(here.seen.parts[0] + offset);
    p->channel.base = here.seen.parts[0] + offset + sizeof(dap_ring);
  }
}

void weak_plan_prepare(const weak_case *what)
{
  here.what = *what;
  for (int rank = 0; rank < 2; rank++) make_plan(rank);
  attach();
  memcpy(here.fresh, here.ends, sizeof here.fresh);
  weak_forget();
  weak_share(&here.seen, sizeof here.seen);
  weak_atomic(&here.ends[0].channel.ring->filled, 0, "filled");
  weak_atomic(&here.ends[0].channel.ring->emptied, 1, "emptied");
  for (int rank = 0; rank < 2; rank++) {
    const dap_control *control = (const dap_control *)(const void *)here.seen.parts[rank];
    weak_atomic(&control->published, rank, rank == 0 ? "sender's published" : "receiver's published");
    weak_atomic(&control->done, rank, rank == 0 ? "sender's done" : "receiver's done");
    for (int i = 0; i < 2; i++)
      weak_atomic(&control->fault[i], rank, rank == 0 ? "sender's fault" : "receiver's fault");
  }
}

/* ---- run --------------------------------------------------------------------------------------------- */

void weak_plan_reset(void)
{
  memset(&here.seen, 0, sizeof here.seen);
  memcpy(here.ends, here.fresh, sizeof here.fresh);
}

static uint64_t *buffer_of(int rank)
{
  return here.what.is_shared[rank] ? &here.seen.buffers[rank] : &here.ends[rank].buffer;
}

static void run_once(int rank, bool is_refused, bool is_null)
{
  end *p = &here.ends[rank];
  uint64_t *buffer = buffer_of(rank);
  const uint64_t number = (uint64_t)p->run * MOST_CHUNKS;
  const void *from = rank == 0 && !is_null ? buffer : NULL;
  void *to = rank == 1 && !is_null ? buffer : NULL;
  dap_error err = {0};
  if (rank == 0) {
    weak_write(buffer, NUMBER);
    *buffer = number;
  }
  weak_expect(dap_plan_begin_many(&p->plan, &from, &to, &err) == DAP_OK, "a run cannot be begun");
  weak_expect(dap_plan_end(&p->plan, &err) == (is_refused ? DAP_ERR_ARG : DAP_OK), "a run's status");
  if (rank == 1 && !is_refused) {
    weak_read(buffer, NUMBER);
    weak_expect(*buffer ==
                    number +
                        (here.what.transports & DAP_TRANSPORT_DIRECT ? 0 : (uint64_t)here.what.chunks - 1),
                "a run's last elements");
  }
}

void weak_plan_run(int process)
{
  for (int run = 0; run < here.what.runs; run++) {
    const int null_buffer = here.what.null_buffer[run];
    here.ends[process].run = run + 1;
    run_once(process, null_buffer >= 0, null_buffer == process);
  }
}

void weak_plan_chunks(int process)
{
  dap_plan *plan = &here.ends[process].plan;
  dap_channel *channel = &here.ends[process].channel;
  here.ends[process].source = (const char *)&here.ends[process].buffer;
  here.ends[process].destination = (char *)&here.ends[process].buffer;
  dap_channel_start(channel, &channel->tile, channel->chunks);
  for (bool moved; !dap_channel_is_over(channel);)
    (void)(process == 0 ? dap_chunk_send(plan, channel, &moved, NULL)
                        : dap_chunk_receive(plan, channel, &moved, NULL));
}

/* ---- given up ---------------------------------------------------------------------------------------- */

/* In place of MPI's: nobody receives messages here. */
int MPI_Isend(const void *at, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
  (void)at, (void)count, (void)type, (void)to, (void)tag, (void)comm, (void)request;
  return MPI_SUCCESS;
}

void weak_plan_prepare_given_up(void)
{
  weak_plan_prepare(&(weak_case){.chunks = 1,
                                 .slots = 1,
                                 .transports = DAP_TRANSPORT_STAGED | DAP_TRANSPORT_DIRECT,
                                 .is_shared = {true, false}});
  weak_atomic(&((const dap_control *)(const void *)here.seen.parts[0])->failure, 0, "sender's failure");
  weak_atomic(&here.seen.buffers[0], 0, "source");
}

void weak_plan_reset_given_up(void)
{
  weak_plan_reset();
  for (int rank = 0; rank < 2; rank++) here.ends[rank].run = 1;
  here.seen.buffers[0] = MOST_CHUNKS; /* the first number of run 1 */
}

/* What dap_plan_end() does on a process that has waited too long for the other to be through with its
 * source; and then the program, which uses the source for something else. */
static void give_up(end *p)
{
  dap_control *control = dap_node_window_control(&p->plan.window, 0);
  dap_node_window_say(&p->plan.window, &control->done);
  p->plan.failure.fault = dap_failure_of(&p->plan, 0, 1);
  dap_failure_announce(&p->plan);
  weak_store(&here.seen.buffers[0], 0);
}

void weak_plan_run_given_up(int process)
{
  end *p = &here.ends[process];
  const void *from = process == 0 ? &here.seen.buffers[0] : NULL;
  void *to = process == 1 ? &p->buffer : NULL;
  dap_error err = {0};
  weak_expect(dap_plan_begin_many(&p->plan, &from, &to, &err) == DAP_OK, "a run cannot be begun");
  if (process == 0)
    give_up(p);
  else
    weak_expect(dap_plan_end(&p->plan, &err) || !p->has_other,
                "a run has elements that were written after it, and does not fail");
}
