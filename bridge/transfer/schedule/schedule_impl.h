/* Plans how a transfer moves elements (layer 3 of 4). The layer decides which process sends what to which, in
 * which order and in chunks of what size. */
#ifndef DAP_SCHEDULE_IMPL_H
#define DAP_SCHEDULE_IMPL_H

#include "problem_impl.h"
#include <stdatomic.h>

/* ---- parts.c ---------------------------------------------------------------------------------------- */

/* The number of parts, without empty ones, into which tiles of `extent` positions cut an axis; and the
 * elements of the largest part. */
typedef struct dap_parts {
  int64_t count, largest;
} dap_parts;
dap_parts dap_parts_of(const dap_overlap *overlap, int64_t extent);

/* ---- channel.c -------------------------------------------------------------------------------------- */

/* The extents [ndim] of boxes of positions in the destination, and the number of arrays that share a
 * chunk. It is more than 1 only where a channel has a single box in each array. */
typedef struct dap_tile {
  int64_t extents[DAP_MAX_NDIM];
  int64_t arrays;
} dap_tile;

/* The elements of a channel in one tile of the destination: [lo, hi) of each overlap, all [ndim], in arrays
 * [first_array, end_array). */
typedef struct dap_chunk {
  int64_t tile[DAP_MAX_NDIM], lo[DAP_MAX_NDIM], hi[DAP_MAX_NDIM];
  int64_t first_array, end_array;
} dap_chunk;

/* The state of a channel while the plan is under way. */
typedef struct dap_channel_state {
  bool pulls;           /* the receiver copies directly from the sources */
  bool pushes;          /* the sender copies directly to the destinations */
  bool is_refused;      /* the sender has said in a message that its buffers are at fault */
  const dap_tile *tile; /* tile that cuts the channel */
  int64_t chunks;       /* chunks to be moved */
  int64_t moved;        /* chunks that were sent, or received and put in place */
  int64_t posted;       /* receives that were posted, if messages carry the channel */
  dap_chunk next;
} dap_channel_state;

/* The most chunks of a channel under way: one is packed, one on its way, one unpacked. */
enum { DAP_SLOTS = 3 };

/* The progress of a channel's slots in the node's memory, in chunks of all runs. It lies before the slots. */
typedef struct dap_ring {
  _Alignas(64) _Atomic uint64_t filled;  /* written by the sender */
  _Alignas(64) _Atomic uint64_t emptied; /* written by the receiver */
  float taken_ns[DAP_SLOTS];             /* the receiver's time to put the last chunk of each slot in place */
} dap_ring;

/* Measurements by which the sender chooses to write slots through the caches or past them. */
typedef struct dap_store_tuner {
  float cost[2]; /* ns a byte, the receiver's time too; 0: not known yet */
  /* the last chunk in each slot: the time to pack it, 0 if it is not known or has been used; its bytes, and
   * whether it was streamed */
  float packed_ns[DAP_SLOTS], bytes[DAP_SLOTS];
  bool streamed[DAP_SLOTS];
  int chunks, pause; /* chunks since the slower way was tried, and until it is tried again */
} dap_store_tuner;

typedef struct dap_channel {
  const struct dap_exchange *exchange;
  /* The transport where nothing is direct: DAP_TRANSPORT_STAGED or _MESSAGES; 0: elements stay here. */
  unsigned transport;
  bool is_send;
  bool prefers_push;                     /* pushes where both push and pull are possible */
  int rank;                              /* the other process, in the plan's communicator */
  int node_rank;                         /* the other process on this node; -1: it is on another node */
  int to_coords[DAP_MAX_NDIM];           /* [ndim] coordinates of the receiver */
  const dap_overlap *axes[DAP_MAX_NDIM]; /* [ndim] */
  int64_t bytes;                         /* bytes of one array, in the source */
  dap_tile tile, direct_tile;            /* direct_tile is larger, and local to this process */
  int64_t chunks, direct_chunks;
  int64_t chunk_bytes; /* bytes of the largest chunk */
  int64_t slot_bytes;  /* chunk_bytes rounded up to whole cache lines */
  int slots;           /* chunks that can be under way */
  bool was_direct;     /* the last run copied it directly */
  bool is_at_fault;    /* the process at the other end is at fault in this run; known on one node only */
  char *base;          /* [slots][slot_bytes] memory of the slots */
  uint64_t emptied;    /* the ring's `emptied` that the sender knows */
  uint64_t begun;      /* the ring's `filled` when the last run began */
  dap_ring *ring;
  dap_store_tuner store_tuner;
  MPI_Request *requests; /* [slots] */
  char **others;         /* [arrays] the other process's buffers, if the channel is direct; or NULL */
  bool in_two_phases;    /* two phases carry its chunk, as a piece of `message` */
  struct dap_two_phase_message *message; /* NULL: a message to the column sends it from where it was packed */
  dap_overlap *own_axis;                 /* the one of `axes` that this channel owns; NULL: none */
  dap_channel_state state;
} dap_channel;

/* Returns the number of chunks into which tiles cut a channel, and the elements of the largest. */
dap_parts dap_channel_sizes(const dap_channel *channel, const dap_tile *tile);

int64_t dap_channel_bytes(const dap_channel *channel);        /* counts all arrays */
int64_t dap_chunk_elements(const dap_chunk *chunk, int ndim); /* counts one array */
int64_t dap_chunk_bytes(const dap_channel *channel);          /* counts all arrays, in the next chunk */

/* Starts a run in `chunks` chunks, cut by the tile. */
void dap_channel_start(dap_channel *channel, const dap_tile *tile, int64_t chunks);
void dap_channel_advance(dap_channel *channel); /* the next chunk has been moved */
bool dap_channel_is_over(const dap_channel *channel);
void dap_channel_stop(dap_channel *channel);            /* nothing more of it is moved in this run */
bool dap_channel_is_direct(const dap_channel *channel); /* holds for this run */
bool dap_channel_is_remote(const dap_channel *channel); /* messages carry it, whatever the buffers */

/* ---- tile.c ----------------------------------------------------------------------------------------- */

/* Chooses tiles of the channel's destination with at most `elements` positions. They are the same for all
 * channels to that destination, unless the exchange combines. */
void dap_tile_choose(const dap_channel *channel, int64_t elements, bool is_direct, dap_tile *tile);

/* Makes one tile of all of the destination and all arrays, so that the channel is one chunk. */
void dap_tile_whole(const dap_channel *channel, dap_tile *tile);

/* ---- exchange.c ------------------------------------------------------------------------------------- */

/* One direction of an exchange: the channels that this process sends, or those that it receives. */
typedef struct dap_direction {
  /* [ndim] the number of overlaps with coordinates of the other side; 1 where all have the same one; 0: this
   * process is not part of the side */
  int procs[DAP_MAX_NDIM];
  dap_overlap *with[DAP_MAX_NDIM]; /* [ndim][procs[k]] overlaps */
  int *coords[DAP_MAX_NDIM];       /* [ndim][procs[k]] ascending, of the overlaps; NULL: all of the grid */
  dap_channel *channels;           /* [count]; elements that stay here are received */
  int count, capacity;
} dap_direction;

/* A product of regions of the axes, and how its elements are moved. */
typedef struct dap_product {
  /* the positions of the destination that are filled along each axis; of the source, if copies are combined
   * with owners */
  dap_region region[DAP_MAX_NDIM];
  /* Elements of the source are combined with their owners' in the destination, channel by channel; otherwise
   * they are stored. */
  bool combines;
  bool is_segmented; /* copies of the destination get parts, see dap_copies_segment() */
  dap_reads reads;   /* the copies or addends that are read */
} dap_product;

/* Whether the source's copies are combined with their owners: elements then go back along a move. */
static inline bool dap_product_is_reversed(const dap_product *product)
{
  return product->combines && product->reads == DAP_READS_OWNER;
}

typedef struct dap_exchange {
  const dap_problem *problem;
  dap_product product;
  int tag;                 /* its index, which is added to the tag of its messages */
  int order[DAP_MAX_NDIM]; /* axes, slowest in the destinations' memory first; the same on every process */
  int across; /* the axis that is fastest in the sources' memory; -1: the last of `order`. The same on all */
  /* Sources alternate along the fastest axis within a cache line, so tiles are copied from all at once. */
  bool is_interleaved;
  bool is_large; /* stores past the caches pay */
  dap_direction send, receive;
} dap_exchange;

/* Finds the overlaps and channels. problem, product, order and across are set. The overlaps of axes with 'u'
 * on a side are moved from rendezvous[axis]. Not collective. */
dap_status dap_exchange_create(dap_rendezvous rendezvous[], dap_exchange *exchange, dap_error *err);
void dap_exchange_release(dap_exchange *exchange);
/* Adds a channel, whose axes, bytes and coordinates the caller sets. */
dap_status dap_direction_add(const dap_exchange *exchange, int rank, bool is_send, dap_direction *direction,
                             dap_channel **channel, dap_error *err);
/* Returns the first channel to a rank behind `rank`, from which on processes send, so that not all begin with
 * the same receiver. */
int dap_direction_first(const dap_direction *direction, int rank);
int64_t dap_exchange_memory(const dap_exchange *exchange); /* bytes, without buffers of elements */

/* ---- block_segment.c ---------------------------------------------------------------------------------- */

/* Elements [low, high) of one axis and all elements of the others; axis -1: all elements. */
typedef struct dap_cut {
  int axis;
  int64_t low, high;
} dap_cut;
/* Finds the cut that makes a segment of a channel whose axes are set. False: it is empty, because there are
 * fewer elements than parts. */
bool dap_block_segment_cut(const dap_block_segment *segment, const dap_channel *channel, dap_cut *cut);
/* Cuts the channel to the segment. If that is empty its bytes become 0. */
dap_status dap_channel_take_segment(const dap_block_segment *segment, dap_channel *channel, dap_error *err);
/* Gives the channel an empty overlap of its own along an axis. */
dap_status dap_channel_own_axis(dap_channel *channel, int axis, dap_error *err);

/* ---- order.c ---------------------------------------------------------------------------------------- */

/* Numbers that processes propose: the order of axes, and the fastest axis of the sources. The least of each
 * is taken. The order[DAP_MAX_NDIM] and `across` of an exchange follow from them, the same on all
 * processes. */
enum { DAP_ORDER_OF_AXES, DAP_ORDER_ACROSS, DAP_ORDER_LEAST };
void dap_order_propose(const dap_problem *problem, int64_t least[]);
void dap_order_take(const int64_t least[], int ndim, int order[], int *across);

/* ---- schedule.c ------------------------------------------------------------------------------------- */

typedef struct dap_schedule {
  const dap_groups *groups; /* the context's, by which errors name processes; NULL: there is none */
  int sender;               /* over an intercommunicator: the group that sends */
  int exchange_count;
  dap_exchange *exchanges; /* [exchange_count] */
  /* Some exchange combines elements. Receivers then take channels one after another, so that all runs and all
   * transports give the same results. */
  bool is_ordered;
  dap_channel **turns; /* [turn_count] if so, all channels that are received, in order */
  int turn_count;
  unsigned transports; /* bits of dap_transport that are allowed */
  unsigned forced;     /* bits of DAP_FORCED */
  int64_t memory;      /* bytes that the buffers of all passes may have */
  int64_t longest;     /* options.message_bytes: bytes of the longest message; 0: none is given */
  int64_t cache_bytes; /* a core's second level; the same on all processes, because it cuts channels */
  int passes;          /* passes of the plan, which share options.memory_bytes equally */
  int64_t slots_bytes, message_bytes; /* sizes of this process's buffers */
} dap_schedule;

/* Visits the channels of all exchanges, from NULL on: those of one exchange after those of the one before,
 * and those that are sent before those that are received. NULL: `last` was the last one. */
static inline dap_channel *dap_schedule_next(const dap_schedule *schedule, const dap_channel *last)
{
  const dap_channel *next = last ? last + 1 : NULL;
  for (int d = last ? 2 * last->exchange->tag + !last->is_send : 0; d < 2 * schedule->exchange_count; d++) {
    const dap_exchange *exchange = &schedule->exchanges[d / 2];
    const dap_direction *direction = d % 2 ? &exchange->receive : &exchange->send;
    const int64_t i = next ? next - direction->channels : 0;
    if (i < direction->count) return &direction->channels[i];
    next = NULL;
  }
  return NULL;
}

/* Chooses the transport, tiles and slots of all channels with the largest tiles. *is_sure: they are within
 * all bounds here. If they are on all processes, dap_schedule_set() would choose the same. Not collective. */
dap_status dap_schedule_try(dap_schedule *schedule, bool *is_sure, dap_error *err);
/* Chooses them with tiles that all processes agree on. Collective on `comm`; agreed. With MPI_COMM_NULL it
 * does so for this process only. */
dap_status dap_schedule_set(MPI_Comm comm, dap_schedule *schedule, dap_error *err);

/* ---- turns.c ---------------------------------------------------------------------------------------- */

/* Sets the turns of a schedule that is ordered, once it has its channels. Not collective. */
dap_status dap_turns_create(dap_schedule *schedule, dap_error *err);
void dap_turns_release(dap_schedule *schedule);

#endif
