/* Finds which elements a transfer moves (layer 2 of 4). The layer checks the arguments of a plan and finds,
 * axis by axis, which elements two processes have for each other (overlap_impl.h). */
#ifndef DAP_PROBLEM_IMPL_H
#define DAP_PROBLEM_IMPL_H

#include "overlap_impl.h"
#include <dapbridge/plan.h>
#include <limits.h>

/* ---- problem.c, problem_pairs.c, problem_words.c, share.c ------------------------------------------- */

/* One side as this process sees it. Arrays [ndim] are by pair of axes. */
typedef struct dap_problem_side {
  dap_layout *layout;          /* retained */
  int axes[DAP_MAX_NDIM];      /* axes of the layout; -1: the side has no axis in the pair */
  int64_t start[DAP_MAX_NDIM]; /* global index of the first element that moves */
  int *ranks;                  /* [nprocs of the layout] own copy; NULL: identity */
  int process;                 /* this process's number in the layout; -1: none */
  int coords[DAP_MAX_NDIM];    /* this process's coordinates, where it has a number */
  int64_t extents[DAP_MAX_NDIM], strides[DAP_MAX_NDIM]; /* this process's buffers; strides in bytes */
  bool swapped;                                         /* its elements are in the other byte order */
  int64_t item;                                         /* bytes of an element */
  bool holds;                                           /* this process has elements there */
} dap_problem_side;

/* This process's view of both sides. Its axes are pairs of an axis of the source and one of the destination:
 * first the axes of the two parts, in their order, then the axes that the parts leave out, along which one
 * index moves. A side without an axis in a pair has one element there, on one process. */
typedef struct dap_problem {
  dap_problem_side from, to;
  int ndim;                    /* pairs of axes */
  dap_map single;              /* the map of an axis that a side does not have */
  int64_t shape[DAP_MAX_NDIM]; /* [ndim] elements that move */
  dap_transform transform;
  bool transforms;           /* elements change on the way, apart from their byte order */
  dap_combine combine;       /* how several values for one element are combined */
  int64_t arrays;            /* arrays that a run moves, all alike */
  bool sums;                 /* the source is partial: values are addends, from several processes */
  struct dap_copies *copies; /* NULL: no axis is replicated or partial on several processes */
  int rank;                  /* this process's rank in the plan's communicator */
} dap_problem;

typedef struct dap_plan_arguments {
  const dap_side *from, *to;
  int64_t itemsize;                /* bytes of an element; 0: the size of the sides' dtype */
  const dap_plan_options *options; /* NULL: the defaults */
} dap_plan_arguments;

/* Sets the layouts and ranks that this process was given. Not collective. */
dap_status dap_problem_take(const dap_side *from, const dap_side *to, dap_problem *problem, dap_error *err);
/* Sides that this process has received because it was given no layout. */
typedef struct dap_received_sides {
  dap_status status;      /* result of the receipt; its text is in the caller's err */
  dap_layout *layouts[2]; /* from and to; NULL: not received */
  int *ranks[2];          /* NULL: rank i is process i of the layout */
} dap_received_sides;
/* Moves the received sides, which may be NULL, into the problem. Not collective. */
dap_status dap_problem_receive(dap_received_sides *received, dap_problem *problem);
/* Numbers about the sides, for a reduction to the least: the lowest rank that knows a side's layout, and
 * whether every process knows it. */
enum { DAP_FROM_RANK, DAP_TO_RANK, DAP_FROM_IS_KNOWN, DAP_TO_IS_KNOWN, DAP_PROBLEM_LEAST };
void dap_problem_write_known(const dap_problem *problem, int rank, int64_t least[]);
/* Sends the layouts to the processes that were given none, according to the least numbers. Collective on
 * `comm` if there are any; agreed. */
dap_status dap_problem_complete(MPI_Comm comm, int rank, const int64_t least[], const dap_side *from,
                                const dap_side *to, dap_problem *problem, dap_error *err);
/* Takes the layouts, agrees and completes. Collective on `comm`; agreed. `function` is the caller's, see
 * dap_agree_call(). */
dap_status dap_problem_share(MPI_Comm comm, const char *function, const dap_side *from, const dap_side *to,
                             dap_problem *problem, dap_error *err);
/* Checks that ranks[count] are different ones of `nprocs`. `side` and `whose` are words of the message. */
dap_status dap_ranks_check(const int ranks[], int count, int nprocs, const char *side, const char *whose,
                           dap_error *err);
/* Sets items, transform and combine; problem_elements.c. Not collective. */
dap_status dap_problem_elements(const dap_side *from, const dap_side *to, int64_t itemsize,
                                const dap_plan_options *options, dap_problem *problem, dap_error *err);
/* Checks the arguments, with options, and sets the rest of the problem for process `rank` of `nprocs`. Not
 * collective. */
dap_status dap_problem_check(int nprocs, int rank, const dap_plan_arguments *arguments, dap_problem *problem,
                             dap_error *err);
/* Bits of options.transports that replace a rule. Only tests set them. */
enum {
  DAP_TRANSPORTS = DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES,
  DAP_FORCED_ONE_PHASE = 1 << 16,
  DAP_FORCED_TWO_PHASES = 1 << 17,
  DAP_FORCED_FAN_OUT = 1 << 20, /* is multiplied by the width of the tree that spreads copies */
  DAP_FORCED = 0x7fff0000       /* all of these */
};
/* forced.c. Returns the bits of DAP_FORCED that are not refused: none. Tests that set them are linked with a
 * function of their own in the place of this one (tests/support/forced.c). */
unsigned dap_forced_bits(void);
/* Words that must be equal on all processes, for dap_agree_all(). `variant` is a hash of the products. */
enum { DAP_PROBLEM_WORDS = 12 };
extern const char *const dap_problem_names[DAP_PROBLEM_WORDS];
void dap_problem_words(const dap_problem *problem, const dap_plan_options *options, uint64_t variant,
                       uint64_t words[]);
void dap_problem_release(dap_problem *problem);
/* Returns the map of a pair's axis of a side. */
const dap_map *dap_problem_map(const dap_problem *problem, bool of_from, int axis);
const dap_map *dap_problem_from_map(const dap_problem *problem, int axis);
const dap_map *dap_problem_to_map(const dap_problem *problem, int axis);
bool dap_problem_is_listed(const dap_problem *problem, int axis); /* whether a side has lists there */
bool dap_problem_has_lists(const dap_problem *problem);           /* whether some axis has lists */
bool dap_problem_moves_all(const dap_problem *problem);           /* whether the parts are whole arrays */
/* Returns the problem with its sides exchanged, for finding overlaps. It borrows everything: do not release
 * it. */
dap_problem dap_problem_reversed(const dap_problem *problem);
/* Sets coords[ndim], by pair, to the coordinates of a process of a side; returns the rank at coordinates. */
void dap_problem_coords(const dap_problem *problem, bool of_from, int process, int coords[]);
int dap_problem_rank(const dap_problem *problem, bool of_from, const int coords[]);

/* ---- side_message.c --------------------------------------------------------------------------------- */

/* A side on its way from rank `root` to all. Most sides fit the first broadcast; a second one has the
 * rest. */
enum { DAP_SIDE_FIRST = 128 };
typedef struct dap_side_message {
  int root;
  int64_t first[DAP_SIDE_FIRST];
  int64_t *words; /* all, once they are made or received; the caller frees them */
} dap_side_message;
/* Starts to send a side, which has a layout at the root. ranks[nprocs] are those of its processes; NULL:
 * process i is rank i. Collective; not agreed. */
dap_status dap_side_message_send(MPI_Comm comm, int rank, const dap_side *side, const int ranks[],
                                 dap_side_message *m, dap_error *err);
/* Sends the rest. Makes the layout and the ranks, unless `layout` is NULL because this process has them.
 * Collective; not agreed. */
dap_status dap_side_message_receive(MPI_Comm comm, dap_side_message *m, dap_layout **layout, int **ranks,
                                    dap_error *err);
/* Returns the side without layout and ranks. Its part points to the given arrays [DAP_MAX_NDIM]. */
dap_side dap_side_message_side(const dap_side_message *m, int axes[], int64_t start[], int64_t shape[]);

/* ---- copies.c, copies_read.c, copies_order.c -------------------------------------------------------- */

/* Replicated and partial axes. A process of the source has one copy of one addend of a block p.
 * Its coordinates along replicated axes are the copy, those along partial axes the addend, and those along
 * all others the block. A process of the destination has one copy of a block q. Elements that p has for q
 * get to all copies of q in the fewest transfers: each addend except one leaves its process once, and each
 * copy of q that has not got the sum by that takes one more. Both ends of a channel choose by the same
 * rules, and know only the layouts and the nodes. */

/* The process from which an element is read, when several have it. */
typedef enum dap_reads {
  DAP_READS_OWNER,   /* its owner */
  DAP_READS_NEAREST, /* along replicated axes the receiver itself, else one on its node, else any */
  DAP_READS_FIRST,   /* the nearest one with the first coordinates along partial axes */
  DAP_READS_OTHERS   /* the nearest ones with all other coordinates along partial axes */
} dap_reads;

/* A copy in a group of them. */
typedef struct dap_grouped {
  int group, copy;
} dap_grouped;

/* The processes of a side by rank. NULL: rank i is process i of the layout. */
typedef struct dap_numbers {
  int *process; /* [count]; -1: the rank has no part of the side */
  int count;
} dap_numbers;

/* How often elements are replicated, by pair of axes and in all. A block is the elements of one process of
 * the source; its copies and addends are the same block. The copies of a block of the destination are
 * numbered in row-major order. */
typedef struct dap_copies {
  bool from_replicated[DAP_MAX_NDIM], is_partial[DAP_MAX_NDIM]; /* the source's axes */
  bool to_replicated[DAP_MAX_NDIM];                             /* the destination's axes */
  bool from_block[DAP_MAX_NDIM], to_block[DAP_MAX_NDIM];        /* all other axes of each side */
  bool from_owners;                                             /* only the first of from_replicas is read */
  int from_replicas, addends; /* the source's copies of each addend of a block, and its addends of a block */
  int to_replicas;            /* the destination's copies of a block */
  int blocks;                 /* blocks of the source */
  int fan_out;                /* copies to which a process sends in one pass */
  /* copies get all elements in several passes; otherwise in the first, or sums in the second */
  bool is_tree;
  const int *hosts; /* hosts by rank, equal on one node; NULL: each rank has its own. Borrowed */
  dap_numbers from, to;
  /* [from_replicas] copies of block and addend `hosts_of` of the source, by host; -1: not set yet */
  dap_grouped *by_host;
  int hosts_of;
  /* [holder_count], at most from_replicas * addends: the destination's copies that have block `holders_of` of
   * the source from the start, by their blocks; -1: not set yet */
  dap_grouped *holders;
  int holder_count;
  int holders_of;
} dap_copies;

/* Sets problem->copies, or NULL where there is nothing to choose. Not collective. */
dap_status dap_copies_create(const dap_plan_options *options, dap_problem *problem, dap_error *err);
void dap_copies_release(dap_problem *problem);
int64_t dap_copies_memory(const dap_problem *problem); /* bytes */
/* Returns the row-major number of the coordinates along the chosen axes of a side; and sets the coordinates
 * that have a number. */
int dap_copies_number_along(const dap_problem *problem, bool of_from, const bool chosen[],
                            const int coords[]);
void dap_copies_coords_along(const dap_problem *problem, bool of_from, const bool chosen[], int number,
                             int coords[]);
/* Sets coords[] to the coordinates of a rank on a side. False: the rank is not part of the side. */
bool dap_copies_find(const dap_problem *problem, bool of_from, int rank, int coords[]);
/* Sorts by group and copy. dap_grouped_find() then finds the copies of a group: all[*first, *first + the
 * number returned); and dap_grouped_before() counts the copies before one. */
void dap_grouped_sort(dap_grouped all[], int count);
int dap_grouped_before(const dap_grouped all[], int count, int group, int copy);
int dap_grouped_find(const dap_grouped all[], int count, int group, int *first);
/* Whether the process at to[] reads its block from the source's process at from[]. If not `is_send`, from[]
 * is first set, along replicated axes, to the process that it reads from. */
bool dap_copies_read(const dap_problem *problem, dap_reads reads, bool is_send, int from[], const int to[]);
/* Returns the rank of the first copy of the block and addend that a rank has. */
int dap_copies_first(const dap_problem *problem, int rank);

/* The order in which the copies of block to[] of the destination get block from[] of the source. Copies that
 * have it from the start, as processes of the source, come first. Coordinates to[] along replicated axes do
 * not matter. The order is valid until the next call. */
typedef struct dap_order_of_copies {
  const dap_grouped *holders; /* [count] */
  int count, others;          /* copies that have the block from the start, and all others */
  int parts;                  /* the first `parts` copies add up a part of the block each */
  int shift;                  /* index of the first of the others, in the order of their numbers */
} dap_order_of_copies;
dap_order_of_copies dap_copies_order(const dap_problem *problem, const int from[], const int to[]);
/* Return the place of a copy, the number of the copy at a place, and that of the copy at to[]. */
int dap_copies_place(const dap_order_of_copies *order, int number);
int dap_copies_at(const dap_order_of_copies *order, int place);
int dap_copies_number(const dap_problem *problem, const int to[]);
/* Returns the passes that plans of the problem have if copies get their elements from copies. */
int dap_copies_passes(const dap_problem *problem);

/* A segment of a block: number `part` of `parts` equal parts along one axis; parts 0: nothing. */
typedef struct dap_block_segment {
  int part, parts;
} dap_block_segment;
/* Returns the segment that the copy at to[] receives in the first pass. sums: it receives addends. */
dap_block_segment dap_copies_segment(const dap_problem *problem, bool sums, const int from[], const int to[]);
/* The broadcast step of pass 1, 2, ...: copy i of the order, have <= i < then, receives the block from copy
 * (i - have) % have. The first `start` copies have it before pass 1. */
typedef struct dap_broadcast_step {
  int have, then;
} dap_broadcast_step;
dap_broadcast_step dap_copies_broadcast_step(const dap_problem *problem, int start, int pass);
/* Returns the number of copies that have the block after a first pass. */
int dap_copies_start(const dap_problem *problem, int holders);

/* ---- rendezvous.c ----------------------------------------------------------------------------------- */

/* The overlaps along one axis of the elements that this process sends and receives. */
typedef struct dap_rendezvous {
  dap_overlap *send, *receive;   /* overlaps by coordinate of the other side */
  int send_count, receive_count; /* receive_count 1: all processes of the source have the whole axis */
} dap_rendezvous;

/* Finds the overlaps of an axis with lists on a side. from_owner: only the owner sends an element that
 * several processes have; otherwise all nearest ones do. Collective on `comm`, the plan's communicator;
 * agreed. MPI_COMM_NULL: this process finds them by itself, if it knows all lists; DAP_ERR_REMOTE
 * otherwise. */
dap_status dap_rendezvous_create(MPI_Comm comm, const dap_problem *problem, int axis, dap_region region,
                                 bool from_owner, dap_rendezvous *rendezvous, dap_error *err);

void dap_rendezvous_release(dap_rendezvous *rendezvous);
dap_status dap_rendezvous_copy(const dap_rendezvous *from, dap_rendezvous *to, dap_error *err);
/* Makes the overlap with itself, not finished, of the elements along an axis that this process owns in the
 * destination, or of those that it does not own. */
dap_status dap_overlap_create_own(const dap_problem *problem, int axis, bool is_owned, dap_overlap *overlap,
                                  dap_error *err);
/* Makes the overlaps of owned elements, of an array that is updated in place. Not collective. */
dap_status dap_rendezvous_create_own(const dap_problem *problem, int axis, dap_rendezvous *rendezvous,
                                     dap_error *err);

/* Checks that this process knows all lists of an axis. Error: DAP_ERR_REMOTE. */
dap_status dap_lists_check_known(int axis, const dap_map *map, dap_error *err);

/* ---- rendezvous_peers.c ----------------------------------------------------------------------------- */

/* Peers are the processes of a layout that share a coordinate of the axis; axis -1: all processes. They are
 * numbered by their other coordinates in row-major order. */
int dap_peers_count(const dap_layout *layout, int axis);
int dap_peers_number(const dap_layout *layout, int axis, int process);
int dap_peers_process(const dap_layout *layout, int axis, int coord, int number);

/* Whether another process, at coordinate q of the destination, reads this one. The problem has copies, and
 * several processes have the whole axis of the source. */
bool dap_peers_read(const dap_problem *problem, int axis, int q);

/* Ranks of processes of the source that are read by the processes at this one's coordinate of the
 * destination. Each of these finds a share of them. */
typedef struct dap_senders {
  int *ranks; /* [count] */
  int count, capacity;
} dap_senders;
dap_status dap_senders_find(const dap_problem *problem, int axis, dap_senders *senders, dap_error *err);

/* ---- rendezvous_requests.c -------------------------------------------------------------------------- */

/* The elements that this process requests along an axis, and room for the requests of others. */
typedef struct dap_requests {
  const dap_problem *problem;
  int axis;
  /* Several processes have the whole source. All have the same, which counts as coordinate 0's, and the
   * nearest ones are read. */
  bool from_all;
  int q;                     /* this process's coordinate; -1: it requests nothing */
  int sources;               /* coordinates of the source; 1 if from_all */
  const dap_overlap *wanted; /* [sources] finished overlaps */
  dap_overlap *send;         /* [procs of to] empty overlaps, which the caller finishes */
} dap_requests;
/* Exchanges the requests. Collective; agreed, on `status` too, whose text is in err. */
dap_status dap_requests_exchange(MPI_Comm comm, dap_status status, const dap_requests *requests,
                                 dap_error *err);

#endif
