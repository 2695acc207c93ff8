/* Transfer, 3 of 4: how it is moved. Who sends what to whom, in which order, in chunks of what size.
 *
 *     parts        what tiles cut one axis in
 *     channel      all that goes from one process to another, cut in chunks
 *     tile         the boxes of the destination's buffers that chunks are cut by
 *     exchange     a product of overlaps: the channels of this process
 *     portion      a part of what a channel would have
 *     order        of an exchange's axes, the same on all processes
 *     turns        of channels, where what is received is combined
 *     schedule     the transport of each channel, its tiles and slots, within the plan's memory */
#ifndef DAP_SCHEDULE_IMPL_H
#define DAP_SCHEDULE_IMPL_H

#include "problem_impl.h"
#include <stdatomic.h>

/* ---- parts.c ------------------------------------------------------------------------------------------ */

/* Parts that tiles of `extent` positions cut an axis in, but for those without elements; and the elements of
 * the largest. */
typedef struct dap_parts {
  int64_t count, largest;
} dap_parts;
dap_parts dap_parts_of(const dap_overlap *overlap, int64_t extent);

/* ---- channel.c -------------------------------------------------------------------------------------- */

/* Extents [ndim] of boxes of positions of the destination, and arrays that have the same one in one chunk:
 * more than one only where a channel has but one box in each. */
typedef struct dap_tile {
  int64_t extents[DAP_MAX_NDIM];
  int64_t arrays;
} dap_tile;

/* What a channel has in one tile of the destination: elements [lo, hi) of each overlap, all [ndim], in arrays
 * [first_array, end_array). */
typedef struct dap_chunk {
  int64_t tile[DAP_MAX_NDIM], lo[DAP_MAX_NDIM], hi[DAP_MAX_NDIM];
  int64_t first_array, end_array;
} dap_chunk;

/* Where a channel stands while the plan is under way. */
typedef struct dap_channel_state {
  bool pulls;           /* direct: the receiver reads the sources; or */
  bool pushes;          /* the sender writes the destinations; or neither */
  const dap_tile *tile; /* that it is cut by */
  int64_t chunks;       /* to be moved */
  int64_t moved;        /* sent, or received and put in place */
  int64_t posted;       /* messages: receives posted */
  dap_chunk next;
} dap_channel_state;

/* Chunks of a channel under way, at most: one packed, one on its way, one unpacked. */
enum { DAP_SLOTS = 3 };

/* How far a channel's slots in the node's memory are used, in chunks of all runs. Before the slots. */
typedef struct dap_ring {
  _Alignas(64) _Atomic uint64_t filled;  /* by the sender */
  _Alignas(64) _Atomic uint64_t emptied; /* by the receiver */
  float taken_ns[DAP_SLOTS];             /* that it took the receiver to put what was in each slot in place */
} dap_ring;

/* What the sender knows of the two ways to write its slots, through the caches and past them. */
typedef struct dap_store_tuner {
  float cost[2]; /* ns a byte, the receiver's time too; 0: not known yet */
  /* of what was packed last in each slot: the time it took, 0 if that is not known or has been looked at; how
   * it was written */
  float packed_ns[DAP_SLOTS], bytes[DAP_SLOTS];
  bool streamed[DAP_SLOTS];
  int chunks, pause; /* since the way that seems slower was tried; and until it is tried again */
} dap_store_tuner;

typedef struct dap_channel {
  const struct dap_exchange *exchange;
  /* Of its chunks where nothing is direct: DAP_TRANSPORT_STAGED or _MESSAGES; 0: the own part. */
  unsigned transport;
  bool is_send;
  bool is_notice;                        /* its first message says whether the buffers are in order */
  bool prefers_push;                     /* where both ways are open */
  int rank;                              /* of the other process, in the plan's communicator */
  int node_rank;                         /* the same among those of this node; -1: it is on another */
  int to_coords[DAP_MAX_NDIM];           /* [ndim] of the receiver */
  const dap_overlap *axes[DAP_MAX_NDIM]; /* [ndim] */
  int64_t bytes;                         /* all of one array, the source's */
  dap_tile tile, direct_tile;            /* the second where it is direct: larger, and no other's business */
  int64_t chunks, direct_chunks;
  int64_t chunk_bytes; /* of the largest chunk */
  int64_t slot_bytes;  /* the same in whole lines of the cache */
  int slots;           /* chunks that can be under way */
  bool was_direct;     /* in the last run */
  char *base;          /* [slots][slot_bytes] */
  uint64_t emptied;    /* of the ring, as far as the sender knows */
  uint64_t begun;      /* the ring's `filled` when the last run began */
  dap_ring *ring;
  dap_store_tuner store_tuner;
  MPI_Request *requests; /* [slots] */
  char **others;   /* [arrays] the other process's buffers where it is direct, seen from here; or NULL */
  bool is_relayed; /* its chunk is carried in two phases, as a piece of this message: */
  struct dap_relay_message *message; /* NULL: of none, it is sent on from where it was packed */
  dap_overlap *portion;              /* the one of `axes` that is this channel's alone; NULL: none is */
  dap_channel_state state;
} dap_channel;

/* How many chunks tiles make of a channel, and how large. */
typedef struct dap_chunk_sizes {
  int64_t chunks, largest; /* largest: elements */
} dap_chunk_sizes;
dap_chunk_sizes dap_channel_sizes(const dap_channel *channel, const dap_tile *tile);

int64_t dap_chunk_elements(const dap_chunk *chunk, int ndim); /* of each array */
int64_t dap_chunk_arrays(const dap_chunk *chunk);

/* A run, in `chunks` chunks by these tiles. */
void dap_channel_start(dap_channel *channel, const dap_tile *tile, int64_t chunks);
void dap_channel_advance(dap_channel *channel); /* the next chunk is moved */
bool dap_channel_is_over(const dap_channel *channel);
bool dap_channel_is_direct(const dap_channel *channel); /* in this run */
bool dap_channel_is_remote(const dap_channel *channel); /* only messages can carry it, whatever the buffers */

/* ---- tile.c ----------------------------------------------------------------------------------------- */

/* Tiles of the channel's destination, of at most `elements` positions; the same extents for all channels to
 * that destination, unless the exchange combines. */
void dap_tile_choose(const dap_channel *channel, int64_t elements, bool is_direct, dap_tile *tile);

/* All of the destination and all arrays, so that a channel is one chunk. */
void dap_tile_whole(const dap_channel *channel, dap_tile *tile);

/* ---- exchange.c ------------------------------------------------------------------------------------- */

/* All that this process sends, or all that it receives. */
typedef struct dap_direction {
  /* [ndim] coordinates of the other side that there are overlaps with, 1 where all have the same one; 0: not
   * part of this side */
  int procs[DAP_MAX_NDIM];
  dap_overlap *with[DAP_MAX_NDIM]; /* [ndim][procs[k]] */
  int *coords[DAP_MAX_NDIM]; /* [ndim][procs[k]] ascending: of each; NULL: c of the c-th, all of the grid */
  dap_channel *channels;     /* [count]; what stays here is received */
  int count, capacity;
} dap_direction;

typedef struct dap_exchange {
  const dap_problem *problem;
  int tag;                 /* of its messages */
  int order[DAP_MAX_NDIM]; /* axes, slowest in the destinations' memory first; the same on every process */
  int across; /* the axis that is fastest in the sources' memory; -1: the same one. Agreed, too */
  /* Elements of the source are combined with what their owners have in the destination, channel by channel;
   * else the source's owners' are stored. */
  bool combines;
  dap_reads reads; /* of which copies or terms */
  bool portions;   /* of copies of the destination some get something, as dap_copies_portion() says */
  /* what is filled along each axis; or read, of the source, if it combines what owners read */
  dap_region region[DAP_MAX_NDIM];
  /* Sources alternate along the fastest axis in less than a cache line: copied tile by tile, from all. */
  bool is_interleaved;
  bool is_large; /* so large that stores past the caches pay */
  dap_direction send, receive;
} dap_exchange;

/* problem, order, across, combines, reads, portions and region are set. Axes with 'u' on a side are taken
 * from rendezvous[axis]; it is left without what was taken. Not collective. */
dap_status dap_exchange_create(dap_rendezvous rendezvous[], dap_exchange *exchange, dap_error *err);
void dap_exchange_release(dap_exchange *exchange);
/* One channel more, for the caller to complete: its axes, bytes and coordinates. */
dap_status dap_direction_add(const dap_exchange *exchange, int rank, bool is_send, dap_direction *direction,
                             dap_channel **channel, dap_error *err);
int64_t dap_exchange_memory(const dap_exchange *exchange); /* bytes, without buffers of elements */

/* ---- portion.c -------------------------------------------------------------------------------------- */

/* Elements [low, high) of one axis and all of the others; axis -1: all of all. */
typedef struct dap_cut {
  int axis;
  int64_t low, high;
} dap_cut;
/* What a portion is of all that a channel's axes have, which are set. False: nothing, as there are fewer
 * elements than parts. */
bool dap_portion_cut(const dap_portion *portion, const dap_channel *channel, dap_cut *cut);
/* Leaves the channel that; or nothing: then its bytes are 0. */
dap_status dap_channel_take_portion(const dap_portion *portion, dap_channel *channel, dap_error *err);
/* Gives the channel an empty overlap of its own along an axis. */
dap_status dap_channel_own_axis(dap_channel *channel, int axis, dap_error *err);

/* ---- order.c ---------------------------------------------------------------------------------------- */

/* Numbers that processes propose, reduced to the least of all: the order of axes, and the axis along which
 * sources are read. An exchange's order[DAP_MAX_NDIM] and *across follow from them, the same on all. */
enum { DAP_ORDER_OF_AXES, DAP_ORDER_ACROSS, DAP_ORDER_LEAST };
void dap_order_propose(const dap_problem *problem, int64_t least[]);
void dap_order_take(const int64_t least[], int ndim, int order[], int *across);

/* ---- schedule.c ------------------------------------------------------------------------------------- */

typedef struct dap_schedule {
  int exchange_count;
  dap_exchange *exchanges; /* [exchange_count]; its index is its tag */
  /* Some exchange combines: what is received is put in place by its receiver, channel by channel, so that the
   * same values come out of every run and every transport. */
  bool is_ordered;
  dap_channel **turns; /* [turn_count] then: all that are received, in that order */
  int turn_count;
  unsigned transports; /* in use: bits of dap_transport */
  int64_t cache_bytes; /* of a core's second level; the same on all processes, as what is cut by it must be */
  int passes;          /* plans that options.memory_bytes is for, in equal parts */
  int64_t slots_bytes, message_bytes; /* of this process's buffers, by transport */
} dap_schedule;

/* ---- turns.c ---------------------------------------------------------------------------------------- */

/* Sets the turns of a schedule that is ordered, whose channels are there. Not collective. */
dap_status dap_turns_create(dap_schedule *schedule, dap_error *err);
void dap_turns_release(dap_schedule *schedule);

/* ---- schedule.c: all of it -------------------------------------------------------------------------- */

/* What buffers of messages and slots of one pass may take. */
int64_t dap_schedule_memory(const dap_schedule *schedule, const dap_plan_options *options);
/* Chooses the transport, tiles and slots of all channels, but makes no buffers. *is_sure: the largest tiles
 * are within all bounds here; if they are so on all processes, this is what dap_schedule_set() comes to. Not
 * collective. */
dap_status dap_schedule_try(const dap_plan_options *options, dap_schedule *schedule, bool *is_sure,
                            dap_error *err);
/* The same with tiles that all agree on. Collective on `comm`, agreed; or MPI_COMM_NULL: for this process
 * alone. */
dap_status dap_schedule_set(MPI_Comm comm, const dap_plan_options *options, dap_schedule *schedule,
                            dap_error *err);

#endif
