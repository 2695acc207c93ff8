/* Transfer makes plans and runs them. Its sub-folders are layers of their own, each over the one before:
 * kernel (copies), problem (what is to be moved), schedule (how), transport (by what means). plan.c is the
 * table of contents: dap_plan_create() makes a plan, and make_pass() has the steps of one pass. */
#ifndef DAP_TRANSFER_IMPL_H
#define DAP_TRANSFER_IMPL_H

#include "transport_impl.h"

/* ---- request.c -------------------------------------------------------------------------------------- */

typedef struct dap_products {
  dap_product *all; /* [count] */
  int count, capacity;
} dap_products;

/* The arguments of a plan, and the products that follow from them. */
typedef struct dap_request {
  const char *function; /* the caller's name, see dap_agree_call(). NULL: it has been agreed on */
  dap_plan_arguments arguments;
  dap_plan_kind kind;
  const dap_plan *first;        /* the plan of the first pass, if this one spreads */
  int pass;                     /* the number 1, 2, ... of a pass that spreads */
  int sender;                   /* the group that sends, over an intercommunicator */
  dap_received_sides *received; /* NULL: none were received */
  dap_products products;
  /* [products][DAP_MAX_NDIM] overlaps along listed axes that a later product wants; NULL: none yet */
  dap_rendezvous *kept;
} dap_request;
/* Makes an empty plan, which takes over the context. The context may be NULL. */
dap_status dap_request_start(const dap_request *request, dap_context *context, dap_plan **plan,
                             dap_error *err);
/* Finds the products of a plan whose problem is known, its passes, and room for its exchanges. Not
 * collective. */
dap_status dap_request_products(dap_request *request, dap_plan *plan, dap_error *err);
/* Makes the exchanges of a plan: the channels of this process, to which it sends and from which it receives.
 * Collective, but the last step is not agreed. Not collective if the plan is for one process only. */
dap_status dap_request_exchanges(dap_request *request, dap_plan *plan, dap_error *err);
void dap_request_release(dap_request *request);
/* Returns the options that do not change elements; the others are at their defaults. */
dap_plan_options dap_request_limits(const dap_plan_options *options);
/* Makes the request for pass 1, 2, ... < plan->schedule.passes, in place on the side given as the plan's
 * destination; and the options of that pass. */
dap_request dap_request_next_pass(const dap_plan *plan, int pass, const dap_side *to,
                                  const dap_plan_options *options);
dap_plan_options dap_request_next_pass_options(const dap_plan_options *options);

/* listed.c. Sets rendezvous[axis] of a product, along axes with 'u' on a side, after the products before it.
 * Collective, but the last step is not agreed. Not collective if the plan is for one process only. */
dap_status dap_listed_find(const dap_plan *plan, dap_request *request, int product,
                           dap_rendezvous rendezvous[], dap_error *err);
void dap_listed_release(dap_request *request);

/* ---- plan.c ----------------------------------------------------------------------------------------- */

/* Creates a plan with all its passes. `function` is the caller's, see dap_agree_call(). */
dap_status dap_plan_build(MPI_Comm comm, const char *function, const dap_plan_arguments *arguments,
                          dap_plan_kind kind, dap_plan **plan, dap_error *err);

/* ---- setup.c ---------------------------------------------------------------------------------------- */

/* Schedules the channels of a plan, allocates its memory and connects it to the other processes' memory. It
 * takes one reduction if the pool has room and all processes are sure of their schedules. Collective on the
 * plan's communicator; agreed, on `s` too. */
dap_status dap_plan_set_up(dap_plan *plan, dap_status s, dap_error *err);
void dap_plan_take_down(dap_plan *plan); /* releases that memory; not collective */

/* ---- groups.c --------------------------------------------------------------------------------------- */

/* The sides of a plan over an intercommunicator, in the communicator of both groups. */
typedef struct dap_group_sides {
  dap_side side[2];            /* from and to, which point into this struct and to its ranks */
  int sender;                  /* the group that has `from`; -1: not known */
  int *ranks[2];               /* [processes of the side] */
  dap_received_sides received; /* the sides that this process was not given */
  int axes[2][DAP_MAX_NDIM];
  int64_t start[2][DAP_MAX_NDIM], shape[2][DAP_MAX_NDIM];
} dap_group_sides;
/* Exchanges the sides between the groups. Collective; agreed. The caller releases them in any case. */
dap_status dap_group_sides_create(dap_context *context, const dap_side *from, const dap_side *to,
                                  dap_group_sides *sides, dap_error *err);
void dap_group_sides_release(dap_group_sides *sides);

/* move.c. Adds the products of a plan of kind DAP_PLAN_MOVE. */
dap_status dap_move_products(const dap_problem *problem, const dap_plan_options *options,
                             dap_products *products, dap_error *err);
/* Returns the kind of the later passes of a plan. */
dap_plan_kind dap_move_next_kind(const dap_problem *problem, dap_plan_kind kind,
                                 const dap_plan_options *options);

/* spread.c. Makes the exchanges of pass 1, 2, ... behind the first, in the plan of that pass. Collective on
 * the plan's communicator, unless it is for one process only; agreed. */
dap_status dap_spread_exchanges(const dap_plan *first, int pass, dap_plan *plan, dap_error *err);

/* check.c. Marks a plan as long as it lives, and checks that a plan is marked: not NULL, destroyed or
 * foreign. */
void dap_plan_mark(dap_plan *plan, bool lives);
dap_status dap_plan_check(const dap_plan *plan, dap_error *err);

/* describe.c. Logs a plan that took `seconds` to make. */
void dap_plan_log(const dap_plan *plan, double seconds);

/* halo_products.c. Positions that are filled or combined besides ghosts of 'u' axes. */
typedef struct dap_filling {
  bool padding;
  bool replicas; /* all copies but the first along replicated axes; otherwise each copy is its own owner */
} dap_filling;
/* Adds the products of the destination that get their owners' values. */
dap_status dap_fill_products(const dap_problem *problem, dap_filling filling, dap_products *products,
                             dap_error *err);
/* Adds the products of the source that are combined with their owners. */
dap_status dap_combine_products(const dap_problem *problem, dap_filling filling, dap_products *products,
                                dap_error *err);
/* Whether some process holds elements that another owns along the axis: in its list; there or as a copy. */
bool dap_has_listed_ghosts(const dap_map *map);
bool dap_has_ghosts(const dap_map *map);
/* Whether the destination has any such positions. */
bool dap_has_copies(const dap_problem *problem, dap_filling filling);
dap_status dap_products_add(const dap_product *product, dap_products *products, dap_error *err);
void dap_products_release(dap_products *products);

/* aliases.c. Allocates the table of buffers of a plan of several arrays. */
dap_status dap_aliases_create(dap_plan *plan, dap_error *err);
int64_t dap_aliases_memory(int64_t arrays);
/* Finds the first array whose source and destination overlap in this run. dap_aliases_find() finds one with
 * a buffer that overlaps another array's, where one of both is a destination. -1: there is none. */
int64_t dap_aliases_own(const dap_plan *plan);
int64_t dap_aliases_find(const dap_plan *plan);

/* faults.c. Finds this process's fault in this run, and fails with the first fault of all. */
int64_t dap_fault_find(const dap_plan *plan);
dap_status dap_fault_fail(const dap_plan *plan, dap_error *err);

/* clear.c. Sets the positions to 0 that dap_plan_create_halo_reverse() clears after a run. */
dap_status dap_clearing_create(const dap_problem *problem, dap_clearing **clearing, dap_error *err);
void dap_clearing_run(const dap_clearing *clearing, char *to);
int64_t dap_clearing_memory(const dap_clearing *clearing);
void dap_clearing_release(dap_clearing **clearing);

/* alone.c. Makes the plan of process `rank` of `nprocs` without the other processes. It cannot be run. Not
 * collective; the caller destroys *plan in any case. */
dap_status dap_plan_create_alone(int nprocs, int rank, const dap_plan_arguments *arguments, dap_plan **plan,
                                 dap_error *err);

#endif
