/* Transfer, 2 of 4: what is to be moved. Which elements two processes have for each other, axis by axis.
 *
 *     side             a side made from an array
 *     problem          the arguments of a plan, checked and made uniform
 *     problem_asked    what is asked of them
 *     share            the layouts, sent to processes outside a side
 *     copies           who has an element that several have, and who of these is read or written
 *     overlap          what two processes share along one axis, as strided runs
 *     intersect        overlaps by formula, of two axes with periods
 *     overlap_find     what is asked of it
 *     overlap_reverse  the same for the move back
 *     overlap_slice    of some of another's elements, or in place
 *     points           the same as single positions, where runs would hardly join any
 *     rendezvous       the same where indices are listed: by asking the other processes
 *     rendezvous_peers who of several is asked, and by whom
 *     rendezvous_tell  what is wanted, told to those that have it
 *     rendezvous_own   the same where that is known */
#ifndef DAP_PROBLEM_IMPL_H
#define DAP_PROBLEM_IMPL_H

#include "kernel_impl.h"
#include <dapbridge/plan.h>
#include <limits.h>

/* ---- problem.c, problem_asked.c, problem_words.c, share.c: the arguments ------------------------------ */

/* This process's view of both sides. Its axes are pairs of an axis of the source and one of the
 * destination: those of the two parts, in their order, then those that the parts leave out, along which one
 * index moves. A side that has no axis in a pair has one element there, on one process. Everything [ndim]
 * is by pair. */
typedef struct dap_problem {
  dap_layout *from, *to; /* retained */
  int ndim;
  int from_axes[DAP_MAX_NDIM], to_axes[DAP_MAX_NDIM];       /* axis of the layout; -1: none */
  dap_map single;                                           /* that of an axis which a side has not */
  int64_t from_start[DAP_MAX_NDIM], to_start[DAP_MAX_NDIM]; /* global index of the first element that moves */
  int64_t shape[DAP_MAX_NDIM];                              /* elements that move */
  int *from_ranks, *to_ranks;   /* [nprocs of the layout] own copies; NULL: identity */
  int from_process, to_process; /* this process's number in each layout; -1: none */
  int from_coords[DAP_MAX_NDIM], to_coords[DAP_MAX_NDIM];       /* of this process, where it has a number */
  int64_t from_extents[DAP_MAX_NDIM], to_extents[DAP_MAX_NDIM]; /* of this process's buffers */
  int64_t from_strides[DAP_MAX_NDIM], to_strides[DAP_MAX_NDIM]; /* bytes */
  bool from_swapped, to_swapped; /* this process's buffers are in the other byte order */
  int64_t from_item, to_item;    /* bytes of an element */
  dap_transform transform;
  bool transforms;           /* elements change on the way, but for their byte order */
  dap_combine combine;       /* what becomes of several values for one element */
  int64_t arrays;            /* that a run moves, all alike */
  bool sums;                 /* the source is partial: they are its terms, from several processes */
  struct dap_copies *copies; /* NULL: no axis is replicated or partial on several processes */
  bool holds_from, holds_to; /* this process has elements there */
  int rank;                  /* in the plan's communicator */
} dap_problem;

/* The arguments with which a plan is created. */
typedef struct dap_plan_arguments {
  const dap_side *from, *to;
  int64_t itemsize;                /* bytes of an element; 0: the size of the sides' dtype */
  const dap_plan_options *options; /* NULL: the defaults */
} dap_plan_arguments;

/* Sets the layouts and ranks that this process was given. Not collective. */
dap_status dap_problem_take(const dap_side *from, const dap_side *to, dap_problem *problem, dap_error *err);
/* Sides that this process has received because it was given no layout. */
typedef struct dap_received_sides {
  dap_status status;      /* of the receipt; its text is in the caller's err */
  dap_layout *layouts[2]; /* from and to; NULL: not received */
  int *ranks[2];          /* NULL: rank i is process i */
} dap_received_sides;
/* Moves the received sides, which may be NULL, into the problem. Not collective. */
dap_status dap_problem_receive(dap_received_sides *received, dap_problem *problem);
/* Numbers that processes exchange about the sides, reduced to the least of all: the lowest rank that knows a
 * side's layout, and whether every process knows it. */
enum { DAP_FROM_RANK, DAP_TO_RANK, DAP_FROM_IS_KNOWN, DAP_TO_IS_KNOWN, DAP_PROBLEM_LEAST };
void dap_problem_write_known(const dap_problem *problem, int rank, int64_t least[]);
/* From that: sends them to the processes that were given none. Collective on `comm` if there are any;
 * agreed. */
dap_status dap_problem_complete(MPI_Comm comm, int rank, const int64_t least[], const dap_side *from,
                                const dap_side *to, dap_problem *problem, dap_error *err);
/* All of these. Collective on `comm`; agreed. function: the caller's, see dap_agree_call(). */
dap_status dap_problem_share(MPI_Comm comm, const char *function, const dap_side *from, const dap_side *to,
                             dap_problem *problem, dap_error *err);
dap_status dap_problem_ranks(const dap_side *side, int **ranks,
                             dap_error *err); /* a copy of the side's, or NULL */
/* Sets items, transform and combine; problem_elements.c. Not collective. */
dap_status dap_problem_elements(const dap_side *from, const dap_side *to, int64_t itemsize,
                                const dap_plan_options *options, dap_problem *problem, dap_error *err);
/* Sets all the rest, for process `rank` of `nprocs`. Not collective. */
dap_status dap_problem_check(int nprocs, int rank, const dap_plan_arguments *arguments, dap_problem *problem,
                             dap_error *err);
/* Private bits of options.transports. Tests and simulated times set them in the place of a rule. */
enum {
  DAP_TRANSPORTS = DAP_TRANSPORT_DIRECT | DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES,
  DAP_FORCED_ONE_PHASE = 1 << 16,
  DAP_FORCED_TWO_PHASES = 1 << 17,
  DAP_FORCED_FAN_OUT = 1 << 20, /* times the width of the tree by which copies are spread */
  DAP_FORCED = 0x7fff0000       /* all of these */
};
/* What must be the same on all processes, for dap_agree_all(); `variant` is what else must agree. */
enum { DAP_PROBLEM_WORDS = 12 };
extern const char *const dap_problem_names[DAP_PROBLEM_WORDS];
void dap_problem_words(const dap_problem *problem, const dap_plan_options *options, uint64_t variant,
                       uint64_t words[]);
void dap_problem_release(dap_problem *problem);
const dap_map *dap_problem_from_map(const dap_problem *problem, int axis);
const dap_map *dap_problem_to_map(const dap_problem *problem, int axis);
bool dap_problem_is_listed(const dap_problem *problem, int axis); /* 'u' on a side */
bool dap_problem_has_lists(const dap_problem *problem);           /* on any axis */
/* The same with the sides exchanged, for what asks which elements they share. It borrows everything: not to
 * be released. */
dap_problem dap_problem_reversed(const dap_problem *problem);
/* Sets coords[ndim], by pair, to those of a process of a side; and the rank of the process at such. */
void dap_problem_coords(const dap_problem *problem, bool of_from, int process, int coords[]);
int dap_problem_rank(const dap_problem *problem, bool of_from, const int coords[]);

/* ---- copies.c, copies_read.c, copies_order.c: axes that several processes have as a whole ------------- */

/* Which of the processes that have an element it is read from. */
typedef enum dap_reads {
  DAP_READS_OWNER,   /* its owner */
  DAP_READS_NEAREST, /* of a replicated axis: the receiver itself, or one on its node, or any */
  DAP_READS_FIRST,   /* the same, of the first coordinates of partial axes */
  DAP_READS_OTHERS   /* the same, of all others */
} dap_reads;

/* A copy in a group of them. */
typedef struct dap_grouped {
  int group, copy;
} dap_grouped;

/* The processes of a side by rank: process[count], -1: none; NULL: those of the same numbers. */
typedef struct dap_numbers {
  int *process;
  int count;
} dap_numbers;

/* Of each pair of axes and all together. A block is what a process of the source has, of whichever copy or
 * term it is. The copies of a destination's block are numbered, row-major. */
typedef struct dap_copies {
  bool is_replicated[DAP_MAX_NDIM], is_partial[DAP_MAX_NDIM]; /* the source's axis */
  bool is_target[DAP_MAX_NDIM];                               /* the destination's is replicated */
  int replicas, terms, targets; /* processes that have a block as copies, as terms; of the destination */
  int blocks;                   /* of the source */
  int fan_out;                  /* copies that a process hands out in one pass */
  bool is_tree;                 /* in several passes; else the first, or of terms the second, writes all */
  const int *hosts;             /* by rank, equal for those on one node; NULL: each is on its own. Borrowed */
  dap_numbers from, to;
  /* [replicas] copies of a block and term of the source, by host; whether they are there, and of which. */
  dap_grouped *by_host;
  bool has_hosts;
  int hosts_of;
  /* [replicas * terms] the first `held`: the destination's copies that have a block of the source from the
   * start, by their blocks; whether they are there, and of which. */
  dap_grouped *by_target;
  int held;
  bool has_holders;
  int holders_of;
} dap_copies;

/* Not collective. Sets problem->copies; NULL where there is nothing to choose. */
dap_status dap_copies_create(const dap_plan_options *options, dap_problem *problem, dap_error *err);
void dap_copies_release(dap_problem *problem);
int64_t dap_copies_memory(const dap_problem *problem); /* bytes */
/* Whether the process at coordinates from[] of the source is who the process at to[] reads its block from. If
 * not `is_send`, from[] is set to who that is along replicated axes. */
bool dap_copies_read(const dap_problem *problem, dap_reads reads, bool is_send, int from[], const int to[]);
int dap_copies_first(const dap_problem *problem, int rank); /* of the first copy of what that rank has */

/* In which order the copies of block to[] of the destination, which along replicated axes may be anything,
 * get block from[] of the source: first those that have it from the start, as processes of the source.
 * Until the next call. */
typedef struct dap_order_of_copies {
  const dap_grouped *holders; /* [count] */
  int count, others;
  int parts; /* in which the first ones add up terms, each one of them */
  int shift; /* of the others: which of them is the first */
} dap_order_of_copies;
dap_order_of_copies dap_copies_order(const dap_problem *problem, const int from[], const int to[]);
int dap_copies_place(const dap_order_of_copies *order, int number); /* of a copy */
int dap_copies_at(const dap_order_of_copies *order, int place);     /* the number of the one there */
int dap_copies_number(const dap_problem *problem, const int to[]);  /* of the copy at to[] */
void dap_copies_coords(const dap_problem *problem, int number,
                       int to[]); /* sets to[] along replicated axes */
/* The passes that plans of the problem have if copies get their elements from copies. */
int dap_copies_passes(const dap_problem *problem);

/* What of a block one copy gets in the first pass: part `part` of `parts` equal ones along one axis; parts 0:
 * nothing. sums: what comes are terms. */
typedef struct dap_portion {
  int part, parts;
} dap_portion;
dap_portion dap_copies_portion(const dap_problem *problem, bool sums, const int from[], const int to[]);
/* Who hands it to whom in pass 1, 2, ..., where the first `start` of the order have it before pass 1: number
 * i of the order, have <= i < then, gets it from number (i - have) % have. */
typedef struct dap_handing {
  int have, then;
} dap_handing;
dap_handing dap_copies_handing(const dap_problem *problem, int start, int pass);
int dap_copies_start(const dap_problem *problem, int holders); /* that have it after a first pass of copies */

/* ---- overlap.c, intersect.c, overlap_find.c ------------------------------------------------------ */

/* Equal stretches at equal steps along one axis, in elements: for i < count,
 * [from + i * from_step, + length) goes to [to + i * to_step, + length). */
typedef struct dap_strided_run {
  int64_t from, to, length;
  int64_t count, from_step, to_step;
  int64_t before; /* elements in the strided runs before this one */
} dap_strided_run;

/* Strided runs, or points, [first, + count) that are there `repeats` times, each time so much further on:
 * what two cyclic axes share comes again and again. Behind them is stored what follows the last time. A
 * number of a run or point counts each time. */
typedef struct dap_repeated {
  int64_t first, count, repeats; /* count 0: none */
  int64_t elements, from, to;    /* in one of the times; further on in both buffers */
} dap_repeated;

/* What one process has for another along one axis, as positions in both buffers, in the order of the
 * destination's, which ascend. */
typedef struct dap_overlap {
  dap_strided_run *runs;  /* [size] */
  int64_t size;           /* strided runs, or points, that are stored */
  int64_t capacity;       /* of strided runs, or points */
  int64_t elements;       /* of all runs, each count * length, as often as it is there */
  dap_packed from, to;    /* [size] points, 4 or 8 bytes a position: instead of runs that hardly join any */
  dap_repeated *repeated; /* NULL: nothing is */
} dap_overlap;

static inline const dap_repeated *dap_overlap_repeated(const dap_overlap *overlap)
{
  static const dap_repeated nothing = {.repeats = 1};
  return overlap->repeated ? overlap->repeated : &nothing;
}

static inline bool dap_overlap_is_points(const dap_overlap *overlap)
{
  return overlap->to.data != NULL;
}

/* Runs, or points, each as often as it is there. */
static inline int64_t dap_overlap_run_count(const dap_overlap *overlap)
{
  const dap_repeated *r = dap_overlap_repeated(overlap);
  return overlap->size + (r->repeats - 1) * r->count;
}

/* What moves along one axis: elements [from_start, + length) of the source to [to_start, + length). */
typedef struct dap_axis_part {
  int64_t from_start, to_start, length;
} dap_axis_part;

dap_status dap_overlap_create(const dap_map *from, int p, const dap_map *to, int q, const dap_axis_part *part,
                              dap_region region, dap_overlap *overlap, dap_error *err);
void dap_overlap_release(dap_overlap *overlap);
/* `length` elements more, joined to the last strided run if they continue it; a strided run as it is. */
dap_status dap_overlap_add(dap_overlap *overlap, int64_t from, int64_t to, int64_t length, dap_error *err);
dap_status dap_overlap_append(dap_overlap *overlap, const dap_strided_run *run, dap_error *err);
/* The stretches of a strided run, as if added one by one. */
dap_status dap_overlap_add_all(dap_overlap *overlap, const dap_strided_run *run, dap_error *err);
/* Strided runs [first, size - 1) are there `times` times more, each time so much further on, and then the
 * last one. Once at most. */
dap_status dap_overlap_repeat(dap_overlap *overlap, int64_t first, int64_t times, int64_t from, int64_t to,
                              dap_error *err);
dap_status dap_overlap_set_repeated(dap_overlap *overlap, const dap_repeated *repeated, dap_error *err);
/* overlap_slice.c: elements [lo, hi) of another; and another's in place: both positions are the
 * destination's. */
dap_status dap_overlap_slice(const dap_overlap *whole, int64_t lo, int64_t hi, dap_overlap *slice,
                             dap_error *err);
dap_status dap_overlap_mirror(const dap_overlap *overlap, dap_overlap *mirror, dap_error *err);
dap_status dap_overlap_finish(dap_overlap *overlap, dap_error *err); /* nothing is added any more */
dap_status dap_overlap_pack(dap_overlap *overlap, dap_error *err);   /* to points if runs hardly join any */
int64_t dap_overlap_rank(const dap_overlap *overlap, int64_t to);    /* elements at positions below `to` */
int64_t dap_overlap_to(const dap_overlap *overlap, int64_t element); /* its position in the destination */
int64_t dap_overlap_memory(const dap_overlap *overlap);              /* bytes, without the struct */
dap_status dap_overlap_copy(const dap_overlap *from, dap_overlap *to, dap_error *err);

/* The greatest that divides both. */
static inline int64_t dap_common_divisor(int64_t a, int64_t b)
{
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Positions [begin, end) of the destination, in which each element is there again every `step` positions, and
 * `elements` elements, further on; step 0: none are. turns: what is repeated; steps: a strided run. */
typedef struct dap_cycle {
  int64_t begin, end, step, elements;
} dap_cycle;
dap_cycle dap_overlap_turns(const dap_overlap *overlap, int64_t element); /* around an element */
dap_cycle dap_overlap_steps(const dap_overlap *overlap, int64_t element);

/* Number i of the runs, or of the points as runs. */
dap_strided_run dap_overlap_run(const dap_overlap *overlap, int64_t i);

/* Points that are stored one behind the other; what is to be added to the positions. */
typedef struct dap_points {
  int64_t first, count, from, to;
} dap_points;
dap_points dap_overlap_points(const dap_overlap *overlap, int64_t first,
                              int64_t end); /* as many of number [first, end) as are */

/* Turns the overlap of a move into that of the move back: the two positions of each element change places. No
 * element of the source may be there twice. */
dap_status dap_overlap_reverse(dap_overlap *overlap, dap_error *err); /* overlap_reverse.c */

/* Goes through elements `at` to `end` of an overlap by strided runs, whose `before` counts from the first
 * of all. */
typedef struct dap_pieces {
  const dap_overlap *overlap;
  int64_t at, end, run, turn;
} dap_pieces;
dap_pieces dap_pieces_of(const dap_overlap *overlap, int64_t at, int64_t end);
bool dap_pieces_next(dap_pieces *pieces, dap_strided_run *piece);

/* ---- points.c: of an overlap that has points --------------------------------------------------------- */

dap_status dap_points_start(dap_overlap *overlap, int64_t capacity, dap_error *err); /* of an empty one */
dap_status dap_points_reserve(dap_overlap *overlap, int64_t capacity, dap_error *err);
dap_status dap_points_add(dap_overlap *overlap, const dap_strided_run *run, dap_error *err);
void dap_points_sort(dap_overlap *overlap); /* by position in the destination; of points not repeated */

/* ---- rendezvous.c ------------------------------------------------------------------------------------- */

/* What this process sends and receives along one axis. */
typedef struct dap_rendezvous {
  dap_overlap *send, *receive; /* [send_count], [receive_count]: processes of the other side along the axis */
  int send_count, receive_count; /* 1: of an axis that all have as a whole, what any of them has */
} dap_rendezvous;

/* Collective on the plan's communicator; agreed. For axes with lists on a side. from_owner: of what several
 * have as a whole, only its owner sends something; else all that are read. */
dap_status dap_rendezvous_create(MPI_Comm comm, const dap_problem *problem, int axis, dap_region region,
                                 bool from_owner, dap_rendezvous *rendezvous, dap_error *err);
/* The same on this process alone, where it knows all that is listed; else DAP_ERR_REMOTE. Not collective. */
dap_status dap_rendezvous_create_known(const dap_problem *problem, int axis, dap_region region,
                                       bool from_owner, dap_rendezvous *rendezvous, dap_error *err);
void dap_rendezvous_release(dap_rendezvous *rendezvous);

/* ---- rendezvous_peers.c: who asks whom ---------------------------------------------------------------- */

/* The processes of a layout that share a coordinate of the axis (-1: none, all do), numbered by their other
 * coordinates, row-major; the number of one, and back. */
int dap_peers_count(const dap_layout *layout, int axis);
int dap_peers_number(const dap_layout *layout, int axis, int process);
int dap_peers_process(const dap_layout *layout, int axis, int coord, int number);

/* Of a problem with copies, and an axis of the source that several have as a whole: whether a process of the
 * destination at coordinate q reads this one, and is another. */
bool dap_peers_read(const dap_problem *problem, int axis, int q);

/* Ranks of the processes of the source that those of the destination at this process's coordinate read; each
 * of these has some of them. */
typedef struct dap_senders {
  int *ranks; /* [count] */
  int count, capacity;
} dap_senders;
dap_status dap_senders_find(const dap_problem *problem, int axis, dap_senders *senders, dap_error *err);

/* ---- rendezvous_tell.c: told ----------------------------------------------------------------------- */

/* What is wanted along an axis, and where what others want of this process is to go. */
typedef struct dap_notice {
  const dap_problem *problem;
  int axis;
  bool from_all;             /* of a source that several have as a whole, any of them */
  int q;                     /* this process's coordinate; -1: it wants nothing */
  int sources;               /* coordinates of the source */
  const dap_overlap *wanted; /* [sources] finished */
  dap_overlap *send;         /* [procs of to] empty; not finished by this */
} dap_notice;
/* Collective; agreed, on `status` too, which err says the reason of. */
dap_status dap_rendezvous_tell(MPI_Comm comm, dap_status status, const dap_notice *notice, dap_error *err);

/* ---- rendezvous_own.c: without asking ------------------------------------------------------------- */

/* Of what a process owns along an axis of an array that is updated in place, which it has from itself: nobody
 * needs to be asked. Not collective. */
dap_status dap_rendezvous_create_own(const dap_problem *problem, int axis, dap_rendezvous *rendezvous,
                                     dap_error *err);
dap_status dap_rendezvous_copy(const dap_rendezvous *from, dap_rendezvous *to, dap_error *err);

#endif
