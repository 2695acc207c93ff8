/* The transfer layer: the one engine that moves elements. Its sub-folders are its way, each a layer of its
 * own over the one before: kernel, problem (what is to be moved), schedule (how), transport (by what).
 * Here:
 *
 *     groups       dap_plan_create(): over an intercommunicator each group brings its side
 *     plan         create thinks, with all processes; alone: for one, without the others
 *     request      what either is asked for: products, passes, exchanges
 *     listed       what its products have along listed axes, asked for once
 *     move         what a plan moves, in products and passes
 *     spread       the later passes: from copies of the destination to others; spread_boxes: in few messages
 *     run          begin and end move
 *     faults       what can be wrong with the buffers of a run; aliases: arrays that share memory
 *     halo, gather usual moves as plans; halo_products: what a halo update fills; clear: what is set to 0
 *     check        whether a plan is one, and not broken
 *     describe     what a plan says of itself
 *     preview      the same without MPI
 *     ways         other ways to carry a plan than the estimated one; measure: which of them is fastest;
 *                  scratch: on which memory; race: who is chosen; wisdom: the file that keeps it
 *     build_info   what the library was built with, kernels among it
 *     replicas     whether all holders of an element hold the same
 *     relabel      the order of processes that moves least (relabel_impl.h) */
#ifndef DAP_TRANSFER_IMPL_H
#define DAP_TRANSFER_IMPL_H

#include "transport_impl.h"

/* ---- request.c -------------------------------------------------------------------------------------- */

/* One product of a plan: what is filled of the destination along each axis; or if it combines, what is read
 * of the source. */
typedef struct dap_product {
  dap_region region[DAP_MAX_NDIM];
  bool combines, portions; /* see dap_exchange */
  dap_reads reads;
} dap_product;

typedef struct dap_products {
  dap_product *all; /* [count] */
  int count, capacity;
} dap_products;

/* listed.c: what products have along axes with 'u' on a side. */
typedef struct dap_listed {
  const dap_products *products; /* borrowed */
  bool is_in_place;             /* source and destination are one array */
  /* [products][DAP_MAX_NDIM] what was found for one, and a later one wants; NULL: nothing yet */
  dap_rendezvous *kept;
} dap_listed;
void dap_listed_release(dap_listed *listed);
/* Sets rendezvous[axis] of a product, after those before it. Collective, but agreed only where all are asked:
 * the caller agrees; not collective if the plan is a process's alone. */
dap_status dap_listed_find(const dap_plan *plan, dap_listed *listed, int product, dap_rendezvous rendezvous[],
                           dap_error *err);

/* Adds the products of a plan whose problem is known. */
typedef dap_status dap_find_products(const dap_problem *problem, const dap_plan_options *options,
                                     dap_products *products, dap_error *err);
/* What a plan is made from, and what is found for it on the way. */
typedef struct dap_request {
  const char *function; /* the caller's, see dap_agree_call(); NULL once it has been agreed on */
  const dap_side *from, *to;
  int64_t itemsize;
  const dap_plan_options *options; /* NULL, the defaults: for dap_plan_build() only */
  dap_find_products *find;         /* or, of a later pass that spreads: */
  const dap_plan *first;           /* the plan of the first */
  int pass;
  dap_told *told; /* or NULL */
  dap_products products;
  dap_listed listed;
} dap_request;
/* An empty plan, which takes over the context; that may be NULL. */
dap_status dap_request_start(const dap_request *request, dap_context *context, dap_plan **plan,
                             dap_error *err);
/* Finds the products of a plan whose problem is known, its passes, and room for its exchanges. Not
 * collective. */
dap_status dap_request_products(dap_request *request, dap_plan *plan, dap_error *err);
/* Its exchanges. Collective, but agreed only where all are asked: the caller agrees; not collective if the
 * plan is a process's alone. */
dap_status dap_request_exchanges(dap_request *request, dap_plan *plan, dap_error *err);
void dap_request_release(dap_request *request);
/* What follows a plan in pass 1, 2, ... < plan->schedule.passes, in place on the side given as its
 * destination; and its options. */
dap_request dap_request_follow(const dap_plan *plan, int pass, const dap_side *to,
                               const dap_plan_options *options);
dap_plan_options dap_request_follow_options(const dap_plan_options *options);

/* ---- plan.c ----------------------------------------------------------------------------------------- */

/* function: the caller's, see dap_agree_call(). */
dap_status dap_plan_build(MPI_Comm comm, const char *function, const dap_side *from, const dap_side *to,
                          int64_t itemsize, const dap_plan_options *options, dap_find_products *find,
                          dap_plan **plan, dap_error *err);

/* dap_plan_create() on the context's communicator; err is not NULL. The plan takes over what there is of
 * `told`, which may be NULL. */
dap_status dap_plan_create_within(dap_context *context, const dap_side *from, const dap_side *to,
                                  int64_t itemsize, const dap_plan_options *options, dap_told *told,
                                  dap_plan **plan, dap_error *err);

/* move.c */
dap_find_products dap_move_products;
/* What follows a plan that these products are of. */
dap_follow dap_move_follows(const dap_problem *problem, dap_find_products *find,
                            const dap_plan_options *options);

/* spread.c: the exchanges of pass 1, 2, ... behind the first, in the plan of that pass. Collective on the
 * plan's communicator, unless it is a process's alone; agreed. */
dap_status dap_spread_exchanges(const dap_plan *first, int pass, dap_plan *plan, dap_error *err);

/* spread_boxes.c: what one copy hands to another of one block, or of a part of it. */
typedef struct dap_box {
  int other; /* the number of the other copy */
  bool is_send;
  int exchange;
  int axis;       /* along which it is joined to the one before of the same exchange; -1: it is the first */
  int64_t length; /* elements along that, of all that are joined so far */
  int number;     /* in the order in which they were added */
  dap_cut cut;
  int from[DAP_MAX_NDIM]; /* the block, by pair of the first plan's */
} dap_box;

typedef struct dap_boxes {
  const dap_plan *first;
  dap_exchange form;       /* of all exchanges of the pass */
  int pairs[DAP_MAX_NDIM]; /* by pair of the pass's plan: the first plan's */
  dap_box *all;            /* [count] */
  int count, capacity;
  int copies;
  int *last;     /* [2][copies] the last one sent to each copy, and received from it; -1: none */
  int exchanges; /* messages between this process and another, at most */
} dap_boxes;
/* Released with dap_boxes_release() in any case. */
dap_status dap_boxes_start(const dap_plan *first, const dap_plan *plan, dap_boxes *boxes, dap_error *err);
/* One box of block from[] more, where the portion has any elements. */
dap_status dap_boxes_add(dap_boxes *boxes, const int from[], const dap_portion *portion, int other,
                         bool is_send, dap_error *err);
/* The channels of exchanges[boxes->exchanges], of which the first one's receive.with[] has the axes. */
dap_status dap_boxes_make(dap_boxes *boxes, dap_exchange exchanges[], dap_error *err);
void dap_boxes_release(dap_boxes *boxes);

/* ---- ways.c ----------------------------------------------------------------------------------------- */

/* The first is the estimate, the last has no name. Their names are in wisdom files: who changes what one
 * means gives these another format. */
enum { DAP_WAYS = 14 };
extern const dap_way dap_ways[DAP_WAYS + 1];
const dap_way *dap_way_find(const char *name); /* NULL: there is none */
/* Bits of dap_transport. */
unsigned dap_way_transports(const dap_way *way, const dap_plan_options *options);
bool dap_way_is_allowed(const dap_way *way, const dap_plan_options *options);
/* Carries the plan, and what follows it, in another way: its exchanges stay, all else is chosen and made
 * anew. If it fails it can be carried in another one; until then it cannot be run. Collective; agreed. */
dap_status dap_plan_carry(dap_plan *plan, const dap_plan_options *options, const dap_way *way,
                          dap_error *err);
/* Of how it is carried on this process: equal for equal ways. */
uint64_t dap_plan_carriage(const dap_plan *plan);

/* ---- scratch.c -------------------------------------------------------------------------------------- */

/* Private memory for a run's buffers, zeroed. */
typedef struct dap_scratch {
  char *memory;
  const void **from; /* [arrays] */
  void **to;         /* [arrays] */
} dap_scratch;
/* is_one: the source is the destination. Released with dap_scratch_release() in any case. Not collective. */
dap_status dap_scratch_create(const dap_plan *plan, bool is_one, dap_scratch *scratch, dap_error *err);
void dap_scratch_release(dap_scratch *scratch);

/* ---- race.c ----------------------------------------------------------------------------------------- */

/* A way that takes part: how long its turns have taken, a run of each. */
enum { DAP_TURNS = 11 };
typedef struct dap_racer {
  const dap_way *way;
  bool is_out;        /* it is behind, or cannot be made: it gets no more turns, and is not chosen */
  int warm_ups, runs; /* in a turn, before the clock and by it; 0: it has had none yet */
  int turns;
  double ns[DAP_TURNS];
} dap_racer;
/* How many times as long as the fastest of all a turn of number i takes; and in nanoseconds, at the speed
 * that the machine had when most turns of the one that is chosen were measured. */
double dap_racer_times(const dap_racer racers[], int count, int i);
double dap_racer_ns(const dap_racer racers[], int count, int i, int chosen);
/* After a round, in which all that are not out have had a turn: those that are clearly behind are out. How
 * many are not. */
int dap_racers_dismiss(dap_racer racers[], int count);
/* The fastest of those that are not out; but the first, the estimate, unless that is clearly slower. -1:
 * all are out. */
int dap_racers_choose(const dap_racer racers[], int count);

/* ---- measure.c -------------------------------------------------------------------------------------- */

struct dap_measurement {
  bool is_known; /* from a file: the chosen one was not run */
  int count, chosen;
  struct {
    const dap_way *way;
    double ns; /* a run */
  } tried[DAP_WAYS];
};
/* How long it may take. */
typedef struct dap_patience {
  int turns;
  int runs;       /* of a turn, at most */
  double seconds; /* then no more turns than are needed */
} dap_patience;
/* If options.effort says so: carries the plan in the fastest way. is_one: source and destination of a run
 * are one buffer. Collective on the plan's communicator; agreed. If it fails the plan can only be
 * destroyed; err is not NULL. */
dap_status dap_plan_measure(dap_plan *plan, const dap_plan_options *options, bool is_one, dap_error *err);
/* The same with less patience, for tests; the options are not NULL, and say so. */
dap_status dap_plan_measure_within(dap_plan *plan, const dap_plan_options *options, bool is_one,
                                   const dap_patience *patience, dap_error *err);

/* ---- wisdom.c --------------------------------------------------------------------------------------- */

/* Not collective. The way of the entry with that key; NULL: there is none. The whole file is checked. */
dap_status dap_wisdom_find(const char *path, uint64_t key, const dap_way **way, dap_error *err);
/* Adds an entry, or replaces the one with that key. */
dap_status dap_wisdom_add(const char *path, uint64_t key, const dap_way *way, double ns, dap_error *err);

/* check.c: plans are marked as long as they live, and checked: not NULL, nor destroyed, nor foreign */
void dap_plan_mark(dap_plan *plan, bool lives);
dap_status dap_plan_check(const dap_plan *plan, dap_error *err);

/* describe.c: the line of a plan that took `seconds` to make */
void dap_plan_log(const dap_plan *plan, double seconds);

/* halo_products.c: the padding, the ghosts and the copies of the destination; of these what the options fill;
 * the padding and the ghosts, in each copy; and those of the source, combined with their owners. */
dap_find_products dap_halo_products, dap_copy_products, dap_refresh_products, dap_reverse_products;
/* What is filled or combined besides ghosts of 'u' axes. */
typedef struct dap_filling {
  bool padding;
  bool replicas; /* what is not the first's along replicated axes; else each has its own, and is its owner */
} dap_filling;
/* That of the source, combined with the owners. */
dap_status dap_combine_products(const dap_problem *problem, dap_filling filling, dap_products *products,
                                dap_error *err);
/* Whether some process holds along the axis what another owns: in its list; or as a copy of a whole axis. */
bool dap_has_listed_ghosts(const dap_map *map);
bool dap_has_ghosts(const dap_map *map);
/* Whether the destination has any of that. */
bool dap_has_copies(const dap_problem *problem, dap_filling filling);
dap_status dap_products_add(const dap_product *product, dap_products *products, dap_error *err);
void dap_products_release(dap_products *products);

/* Gives a plan what follows it, in place on the side given as its destination: copies and, if
 * options.fill_halos, padding get their owners' values, or copies those of others; err is not NULL.
 * Collective on its communicator; agreed. */
dap_status dap_plan_add_follow(const dap_side *given, const dap_plan_options *options, dap_plan *plan,
                               dap_error *err);

/* aliases.c: room for what is known of the memory of buffers, of a plan of several arrays */
dap_status dap_aliases_create(dap_plan *plan, dap_error *err);
int64_t dap_aliases_memory(int64_t arrays);
/* The first array whose source and destination overlap in this run; one whose buffers overlap another's, of
 * which one is a destination; -1: none is found. */
int64_t dap_aliases_own(const dap_plan *plan);
int64_t dap_aliases_find(const dap_plan *plan);

/* faults.c: this process's fault in this run, and the error of the first of all */
int64_t dap_fault_find(const dap_plan *plan);
dap_status dap_fault_fail(const dap_plan *plan, dap_error *err);

/* clear.c: what dap_plan_create_halo_reverse() sets to 0 after a run */
dap_status dap_clearing_create(const dap_problem *problem, dap_clearing **clearing, dap_error *err);
void dap_clearing_run(const dap_clearing *clearing, char *to);
int64_t dap_clearing_memory(const dap_clearing *clearing);
void dap_clearing_release(dap_clearing **clearing);

/* alone.c: for process `rank` of `nprocs` alone, without buffers: it cannot be run. Not collective; *plan is
 * to be destroyed in any case. */
dap_status dap_plan_create_alone(int nprocs, int rank, const dap_side *from, const dap_side *to,
                                 int64_t itemsize, const dap_plan_options *options, dap_plan **plan,
                                 dap_error *err);

#endif
