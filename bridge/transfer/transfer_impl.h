/* The transfer layer: the one engine that moves elements.
 *
 *     ends         the arguments of a move, checked and made uniform
 *     share        what processes outside a side are told of it
 *     overlap, points   what two processes share along one axis, by formula
 *     meet         the same where indices are listed: by asking
 *     flow         all that goes from one process to another; cut in chunks
 *     exchange     a product of overlaps: the flows of this process
 *     order        of its axes, the same on all processes
 *     copy         a chunk, from one strided place to another, by
 *     kernels      blocks of elements, by the processor's best instructions, or
 *     transform    elements that change on the way
 *     station      who is where on the node, and where its buffers are
 *     slots, messages   chunks through memory of the node, or through MPI
 *     fetch        long stretches of the other process' own memory, by the kernel
 *     cut, places, buffers   what is carried how, within the plan's memory
 *     plan         create thinks;
 *     run          begin and end move:
 *     direct       which flows are direct in this run
 *     chunks       one chunk of a flow
 *     fine         a tile from several flows at a time
 *     turns        all of them
 *
 * The first four of these, and transform, are in overlap_impl.h: what two processes have for each other. All else is here. */
#ifndef DAP_TRANSFER_IMPL_H
#define DAP_TRANSFER_IMPL_H

#include "overlap_impl.h"
#include <stdatomic.h>

/* ---- kernels*.c: blocks of elements, by the processor's best instructions --------------------------- */

/* n[0] x n[1] elements: (i, j) from `from` + i * from_step[0] + j * from_step[1] to `to` + i * to_step[0] +
 * j * to_step[1]. Steps are bytes, of any sign; nothing is aligned; the places do not overlap. */
typedef struct dap_block {
  const char *from;
  char *to;
  int64_t n[2], from_step[2], to_step[2];
  int64_t itemsize;
  bool stream; /* store past the caches where whole lines are written; end with kernels->fence() */
} dap_block;

/* One set for each kind of processor; all do the same. */
typedef struct dap_kernels {
  const char *name; /* "plain", "avx2", "avx512" */
  bool (*is_usable)(void);
  void (*copy)(const dap_block *block);
  /* to[i] = from[i % sources][i / sources], i < count, elements of itemsize bytes; 2 <= sources <= 16 */
  void (*interleave)(char *to, const char *const from[], int sources, int64_t count, int64_t itemsize,
                     bool stream);
  void (*fence)(void); /* makes streamed stores visible to other processes in order */
} dap_kernels;

const dap_kernels *const *dap_kernels_all(
    void); /* best first, NULL-terminated; the last is plain and usable */
const dap_kernels *dap_kernels_best(void);

/* ---- flow.c: what goes from one process to another ------------------------------------------------- */

/* What a flow has in one tile of the destination: elements [lo, hi) of each overlap. All [ndim]. */
typedef struct dap_chunk {
  int64_t tile[DAP_MAX_NDIM], lo[DAP_MAX_NDIM], hi[DAP_MAX_NDIM];
} dap_chunk;

/* Where a flow stands while the plan is under way. */
typedef struct dap_progress {
  const char *pull;    /* direct: the other process' source; or */
  char *push;          /* its destination; or neither */
  bool is_fetched;     /* by the receiver from the sender's own memory, at once; */
  uint64_t source;     /* there */
  int fault;           /* errno of what could not be read */
  const int64_t *tile; /* extents of the tiles it is cut by */
  int64_t chunks;      /* to be moved */
  int64_t moved;       /* sent, or received and put in place */
  int64_t posted;      /* messages: receives posted */
  dap_chunk next;
} dap_progress;

/* Bytes without gaps on both sides, at these distances from element (0, ..., 0) of the buffers. */
typedef struct dap_stretch {
  int64_t from, to, bytes;
} dap_stretch;

typedef struct dap_flow {
  const struct dap_exchange *exchange;
  const struct dap_carrier *carrier; /* of its chunks where nothing is direct; NULL: the own part */
  bool is_send;
  bool prefers_push;                     /* where both ways are open */
  int rank;                              /* of the other process, in the plan's communicator */
  int place;                             /* the same among those of this node; -1: it is on another */
  int to_coords[DAP_MAX_NDIM];           /* [ndim] of the receiver */
  const dap_overlap *axes[DAP_MAX_NDIM]; /* [ndim] */
  int64_t bytes;                         /* all, the source's */
  int64_t tile[DAP_MAX_NDIM];            /* [ndim] extents of tiles, positions of the destination */
  int64_t wide[DAP_MAX_NDIM]; /* [ndim] the same where it is direct: larger, and no other's business */
  int64_t chunks, wide_chunks;
  int64_t chunk_bytes; /* of the largest chunk */
  int64_t slot_bytes;  /* the same in whole lines of the cache */
  int slots;           /* chunks that can be under way */
  int64_t offset;      /* of its slots, from the beginning of what they are in */
  char *base;          /* [slots][slot_bytes] */
  struct dap_ring *ring;
  MPI_Request *requests;  /* [slots] */
  dap_stretch *stretches; /* [stretch_count] that are fetched; NULL: none, or it is sent */
  int stretch_count;
  dap_progress now;
} dap_flow;

/* How large the chunks are that tiles make of a flow. */
typedef struct dap_cut_size {
  int64_t chunks, largest; /* largest: elements */
} dap_cut_size;

/* Extents of tiles of the destination at `coords` [ndim], of at most `elements` positions. */
void dap_tile_choose(const struct dap_exchange *exchange, const int coords[], int64_t elements,
                     bool is_direct, int64_t tile[]);
dap_cut_size dap_flow_cut(const dap_flow *flow, const int64_t tile[]);
void dap_flow_first(const dap_flow *flow, const int64_t tile[], dap_chunk *chunk);
bool dap_flow_next(const dap_flow *flow, const int64_t tile[], dap_chunk *chunk); /* false: there is none */
int64_t dap_chunk_elements(const dap_chunk *chunk, int ndim);

/* ---- exchange.c: a product, and its flows ---------------------------------------------------------- */

/* All that this process sends, or all that it receives. */
typedef struct dap_direction {
  int procs[DAP_MAX_NDIM];         /* [ndim] extents of the other side's grid; 0: not part of this side */
  dap_overlap *with[DAP_MAX_NDIM]; /* [ndim][procs[k]] */
  dap_flow *flows;                 /* [count]; what stays here is received */
  int count, capacity;
} dap_direction;

typedef struct dap_exchange {
  const dap_ends *ends;
  int move;                /* number of its arrays */
  int tag;                 /* of its messages */
  int order[DAP_MAX_NDIM]; /* axes, slowest in the destinations' memory first; the same on every process */
  int across; /* the axis that is fastest in the sources' memory; -1: the same one. Agreed, too */
  dap_reach reach[DAP_MAX_NDIM]; /* what is filled along each axis */
  bool is_fine;  /* sources alternate along the fastest axis in less than a line: tile by tile, from all */
  bool is_large; /* so large that stores past the caches pay */
  dap_direction send, receive;
} dap_exchange;

/* ends, order, across and reach are set. Axes with 'u' on a side are taken from met[axis]; it is left without what was
 * taken. Not collective. */
dap_status dap_exchange_create(dap_met met[], dap_exchange *exchange, dap_error *err);
void dap_exchange_release(dap_exchange *exchange);
int64_t dap_exchange_memory(const dap_exchange *exchange); /* bytes, without buffers of elements */

/* ---- order.c -------------------------------------------------------------------------------------- */

/* Sets order[DAP_MAX_NDIM] and *across of an exchange. Collective on `comm`; or MPI_COMM_NULL: this process' own. */
dap_status dap_order_set(MPI_Comm comm, const dap_ends *ends, int order[], int *across, dap_error *err);

/* ---- copy.c ------------------------------------------------------------------------------------- */

typedef struct dap_copy {
  const dap_flow *flow;
  const dap_chunk *chunk;
  int64_t from_item, to_item;     /* bytes of an element at each end */
  const dap_transform *transform; /* NULL: none */
  const dap_kernels *kernels;
  bool stream; /* store past the caches */
} dap_copy;

/* Strides [ndim] in bytes; NULL: the chunk's elements, packed in the exchange's order. */
void dap_copy_run(const dap_copy *copy, const char *from, const int64_t *from_strides, char *to,
                  const int64_t *to_strides);

/* ---- station.c: the processes of this node ---------------------------------------------------------- */

/* Where a process' buffers are in this run. */
typedef struct dap_post {
  dap_segment from, to;
  uint64_t source;    /* in its own memory */
  bool is_private[2]; /* source, destination: not seen by all that need it; where nothing else is allowed */
} dap_post;

/* What a process says at every run. */
typedef struct dap_control {
  _Alignas(64) _Atomic uint64_t posted; /* last run whose posts are there */
  _Alignas(64) _Atomic uint64_t done;   /* last run in which it is through with the others' buffers */
  int fault[2];                         /* of the run, by its parity */
  int64_t process; /* its number for the kernel, and where in its memory dap_process_id() is */
  uint64_t word;
} dap_control;

/* A plan's memory on this node. Each process' part: its dap_control, what it tells of each move, slots. */
typedef struct dap_station {
  dap_node node;
  dap_memory memory; /* size 0: there is none */
  bool is_whole;     /* all processes of the plan are here */
  uint64_t run;      /* number of the last one begun */
} dap_station;

int64_t dap_station_bytes(int moves); /* of a part before its slots */
dap_control *dap_station_control(const dap_station *station, int place);
dap_post *dap_station_post(const dap_station *station, int place, int move);               /* of this run */
int64_t *dap_station_strides(const dap_station *station, int place, int move, bool of_to); /* [ndim] */
void dap_station_relax(const dap_station *station,
                       int *turns); /* waiting: in the end gives the processor away */

/* ---- carriers: slots.c, messages.c -------------------------------------------------------------------- */

/* State of a flow's slots in the node's memory, in chunks of all runs. */
typedef struct dap_ring {
  _Alignas(64) _Atomic uint64_t filled;  /* by the sender */
  _Alignas(64) _Atomic uint64_t emptied; /* by the receiver */
  bool is_fetched;                       /* set by the receiver when the plan is made: not through slots */
} dap_ring;

/* A way for packed chunks. Only finish waits: where there is no room or nothing arrived yet, *at is NULL. */
typedef struct dap_carrier {
  dap_transport transport;
  const char *name;
  dap_status (*start)(const struct dap_plan *plan, dap_flow *flow, dap_error *err); /* a run */
  dap_status (*room)(dap_flow *flow, char **at, dap_error *err);                    /* for the next chunk */
  dap_status (*send)(const struct dap_plan *plan, dap_flow *flow, int64_t bytes, dap_error *err);
  dap_status (*arrived)(dap_flow *flow, const char **at, dap_error *err); /* the next chunk */
  dap_status (*taken)(const struct dap_plan *plan, dap_flow *flow, dap_error *err);
  dap_status (*finish)(dap_flow *flow, dap_error *err); /* a run: waits for what was sent */
} dap_carrier;
extern const dap_carrier dap_carrier_slots, dap_carrier_messages;

/* ---- fetch.c ------------------------------------------------------------------------------------------ */

void dap_fetch_offer(const struct dap_plan *plan); /* what others need, in the node's memory */
/* What is fetched from processes whose strides are told; they know of it when all have agreed. */
dap_status dap_fetch_decide(const struct dap_plan *plan, dap_direction *receive, dap_error *err);
void dap_fetch_start(const struct dap_plan *plan, dap_flow *flow); /* a run, if it is fetched */
void dap_fetch_all(const struct dap_plan *plan, dap_flow *flow);
/* Of a run: was all read? */
dap_status dap_fetch_check(const struct dap_plan *plan, dap_error *err);

/* ---- cut.c: carriers, tiles and slots within the plan's memory --------------------------------------- */

/* Sets those of all flows, but no buffers. Collective on `comm`, agreed; or MPI_COMM_NULL: for this process
 * alone. */
dap_status dap_plan_cut(struct dap_plan *plan, MPI_Comm comm, const dap_plan_options *options,
                        dap_error *err);

/* ---- places.c --------------------------------------------------------------------------------------- */

void dap_places_set(struct dap_plan *plan); /* of all flows, from the node's */
/* The node's memory; where there is none the plan is cut again. Collective on the plan's communicator; agreed. */
dap_status dap_places_reserve(struct dap_plan *plan, const dap_plan_options *options, dap_error *err);

/* ---- buffers.c ------------------------------------------------------------------------------------- */

/* The buffers of all flows. Collective on the plan's communicator; agreed. */
dap_status dap_buffers_create(struct dap_plan *plan, dap_error *err);
void dap_buffers_release(struct dap_plan *plan); /* not collective */

/* ---- plan.c, run.c ---------------------------------------------------------------------------------- */

typedef struct dap_move {
  dap_ends ends;
  const char *source; /* of this run */
  char *destination;
} dap_move;

struct dap_plan {
  MPI_Comm comm; /* private */
  int rank, nprocs;
  int move_count, exchange_count;
  dap_move *moves;         /* [move_count] */
  dap_exchange *exchanges; /* [exchange_count]; its index is its tag */
  const dap_kernels *kernels;
  dap_station station;
  unsigned transports;                /* allowed */
  int64_t slots_bytes, message_bytes; /* of this process' buffers, by carrier */
  char *buffer;                       /* of messages */

  /* between begin and end */
  bool under_way;
  int fault, first_fault; /* this process', and the first of all */
};

/* For process `rank` of `nprocs` alone, without buffers: it cannot be run. Not collective; *plan is to be destroyed in
 * any case. */
dap_status dap_plan_think_alone(int nprocs, int rank, const dap_side *from, const dap_side *to,
                                int64_t itemsize, const dap_plan_options *options, dap_plan **plan,
                                dap_error *err);

/* ---- under way: chunks.c, direct.c, fine.c, turns.c ----------------------------------------------------- */

void dap_flow_start(dap_flow *flow, const int64_t tile[], int64_t chunks);
bool dap_flow_is_over(const dap_flow *flow);
bool dap_flow_is_remote(const dap_flow *flow); /* never direct, whatever the buffers: it can start at once */
bool dap_flow_is_direct(const dap_flow *flow); /* in this run */
/* The next chunk of a flow, if there is room for it, or if it is there; or of one that is direct. */
dap_status dap_chunk_send(const dap_plan *plan, dap_flow *flow, bool *sent, dap_error *err);
dap_status dap_chunk_receive(const dap_plan *plan, dap_flow *flow, bool *received, dap_error *err);
void dap_chunk_copy(const dap_plan *plan, dap_flow *flow);

/* A fault is one number that MIN orders by rank: 3 * rank for the source, + 1 for the destination, + 2 for buffers
 * that are not shared though they must be. */
enum { DAP_FAULT_NONE = INT_MAX };
void dap_direct_await(
    dap_plan *plan); /* until all processes of the node have begun; takes over their faults */
/* All may be direct, where nothing else is allowed. */
dap_status dap_direct_check(dap_plan *plan, dap_error *err);
dap_status dap_direct_start(const dap_plan *plan, dap_direction *direction,
                            dap_error *err); /* what has not yet */

/* The next tile of an exchange that is fine, if all its elements are there. Adds to *moved if so, and to
 * *left if any are left. */
dap_status dap_fine_some(const dap_plan *plan, dap_exchange *exchange, int64_t *moved, int64_t *left,
                         dap_error *err);

dap_status dap_turns_all(dap_plan *plan, dap_error *err);

/* One product of a plan: what is filled of the arrays `move` along each axis. */
typedef struct dap_product {
  int move;
  dap_reach reach[DAP_MAX_NDIM];
} dap_product;

/* from and to [count]; itemsize, options [count] or NULL. */
dap_status dap_plan_build(MPI_Comm comm, int count, const dap_side from[], const dap_side to[],
                          const int64_t itemsize[], const dap_plan_options options[], int product_count,
                          const dap_product products[], dap_plan **plan, dap_error *err);

#endif
