/* Declares a plan: its schedule, its memory and the state of its run; and the numbers of faults. */
#ifndef DAP_PLAN_IMPL_H
#define DAP_PLAN_IMPL_H

#include "schedule_impl.h"

/* A plan's memory on this node, in one part for each process: its dap_control, the addresses and forms of its
 * buffers, the offsets of its slots for each other process, and these slots. */
typedef struct dap_node_window {
  const dap_node *node;     /* the context's node */
  const dap_groups *groups; /* the context's, by which reports name processes; NULL: there are none */
  bool is_apart;            /* this node has no more shared memory: its processes are as on different nodes */
  int size;                 /* processes of the node; 0: there is no window */
  char **parts;             /* [size] addresses of the parts in this process */
  dap_reservation own;      /* this process's part, in the context's pool */
  bool is_whole;            /* all processes of the plan are on this node */
  int64_t arrays;           /* arrays that the plan moves */
  uint64_t run;             /* number of the last one begun */
} dap_node_window;

/* The failure of a run, mostly in MPI. The state of its messages is unknown, so the plan moves nothing any
 * more. */
typedef struct dap_run_failure {
  int64_t fault; /* see dap_failure_of(); 0: no run has failed */
  /* the reason, on the process on which it failed */
  dap_status status;
  dap_error error;
} dap_run_failure;

typedef struct dap_two_phase dap_two_phase;       /* two_phase.c */
typedef struct dap_clearing dap_clearing;         /* clear.c */
typedef struct dap_buffer_range dap_buffer_range; /* aliases.c */

/* The kinds of plans. Later passes of a plan are plans of the last kinds, in place on its destination. */
typedef enum dap_plan_kind {
  DAP_PLAN_NONE,
  DAP_PLAN_MOVE,         /* dap_plan_create() */
  DAP_PLAN_HALO,         /* dap_plan_create_halo() */
  DAP_PLAN_HALO_REVERSE, /* dap_plan_create_halo_reverse() */
  DAP_PLAN_COPIES,       /* copies, and padding if options.fill_halos, get their owners' values */
  DAP_PLAN_REFRESH,      /* padding and ghosts get them, in each copy along replicated axes */
  DAP_PLAN_SPREAD        /* copies with their elements send them to the others, in one pass or more */
} dap_plan_kind;

struct dap_plan {
  dap_context *context; /* the communicator's context; NULL: the plan is for one process only */
  uint32_t magic;       /* see dap_plan_check() */
  dap_tags tags;        /* tags of messages, one for each exchange */
  int rank, nprocs;
  dap_problem problem;
  int64_t order[DAP_ORDER_LEAST]; /* proposals of the order of axes, see dap_order_take() */
  dap_schedule schedule;
  const dap_kernels *kernels;
  dap_node_window window;
  char *buffer;               /* slots of messages */
  dap_two_phase *two_phase;   /* carries all messages in two phases; NULL: there is one phase */
  bool in_place;              /* source and destination can be one buffer */
  dap_plan_kind next_kind;    /* the kind of later passes */
  struct dap_plan *next_pass; /* runs after this one; NULL: none */
  dap_clearing *clearing;     /* sets padding to 0 after each run; NULL: none */
  dap_run_failure failure;
  double wait_seconds; /* dap_wait_limit() of the communicator when the plan was made; 0: none */

  /* state between begin and end */
  bool under_way;
  const char **sources; /* [arrays], entries are NULL where this process has none */
  char **destinations; /* [arrays] as `sources`, with which and the channels' `others` it is one allocation */
  dap_buffer_range *ranges;   /* [2 * arrays] sorted as in the last run; NULL: there is one array */
  int64_t fault, first_fault; /* this process's fault, and the least that it knows of */
  bool is_later;              /* the plan is a later pass of another one */
  bool has_announced;         /* this process has announced that a run failed */
  MPI_Request agreement;      /* reduces first_fault; only if the plan has two phases */
  int turn;                   /* index of the schedule's turn that is next, if elements are combined */
};

/* A fault is one number, see dap_fault_of(). A process reports the least that it knows of. A run that failed
 * comes before all others, see dap_failure_of(). */
enum {
  DAP_FAULT_SOURCE,      /* NULL */
  DAP_FAULT_DESTINATION, /* NULL */
  DAP_FAULT_PRIVATE,     /* buffers are not shared though they must be */
  DAP_FAULT_NEXT_PASS,   /* destinations are not, in the second pass */
  DAP_FAULT_OVERLAP,     /* source and destination overlap */
  DAP_FAULT_ALIAS,       /* a destination overlaps another array's buffer */
  DAP_FAULTS
};
#define DAP_FAULT_NONE INT64_MAX

/* Returns the number of a fault. Numbers are ordered by rank, then by kind, then by array. */
static inline int64_t dap_fault_of(const dap_plan *plan, int rank, int what, int64_t array)
{
  return ((int64_t)rank * DAP_FAULTS + what) * plan->problem.arrays + array;
}

/* Returns the number of the failure of a run on process `rank`. `missing` did not answer it; -1: another
 * failure. */
static inline int64_t dap_failure_of(const dap_plan *plan, int rank, int missing)
{
  return -1 - (rank + (1 + (int64_t)missing) * plan->nprocs);
}
static inline int dap_failure_rank(const dap_plan *plan, int64_t failure)
{
  return (int)((-1 - failure) % plan->nprocs);
}
static inline int dap_failure_missing(const dap_plan *plan, int64_t failure)
{
  return (int)((-1 - failure) / plan->nprocs) - 1;
}

#endif
