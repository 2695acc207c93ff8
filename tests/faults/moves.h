/* What is moved while MPI fails: plans of all kinds, each with sides that are checked element by element. */
#ifndef DAP_TEST_MOVES_H
#define DAP_TEST_MOVES_H

#include "task.h"

typedef enum move_kind {
  MOVE,    /* from one side to another */
  HALO,    /* padding from its owners, in place */
  REVERSE, /* padding to its owners, in place: sums of numbers */
  GATHER,  /* to the last process */
  SCATTER, /* from it */
  ADDENDS, /* numbers, of a source that may be partial, and with beta */
  GROUPS   /* from one half of the processes to the other, over an intercommunicator */
} move_kind;

/* How elements lie. */
typedef enum move_form {
  EVEN,   /* from blocks to elements dealt out two by two */
  LISTED, /* from a list to another */
  COPIED, /* from a copy on each process to a list with duplicates */
  SPREAD, /* from blocks to a copy on each process */
  SUMMED, /* from an addend on each process to a copy on each */
  PADDED, /* from blocks to blocks with padding */
  NEXT,   /* from blocks to the same on the next process of the node */
  BESIDE  /* from blocks to the same with padding, whose neighbours are on the node */
} move_form;

enum { ON_ONE = 1, ON_TWO = 2, APART = 4, ANYWHERE = ON_ONE | ON_TWO | APART };

typedef struct move {
  const char *why;
  move_kind kind;
  move_form form;
  unsigned nodes; /* on which it is tried: one, two that are pretended, one for each process; 0: ANYWHERE */
  side_origin origin;
  bool tells;      /* processes outside a side give no layout */
  bool makes;      /* the communicator's context, too, is made while MPI fails */
  bool is_lent;    /* both sides are in the library's memory */
  bool is_refused; /* the first process has no source */
  dap_plan_options options;
} move;

/* [moves_count] */
extern const move moves[];
extern const int moves_count;

/* A row, on so many nodes. Its buffers are static: there is one at a time. */
typedef struct trial {
  const move *row;
  int hosts;
  MPI_Comm memory; /* whose processes share what is lent */
  test_side from, to;
  bool lacks_source; /* in the next run */
} trial;

bool trial_is_possible(const move *row, int hosts);

/* Collective on MPI_COMM_WORLD. */
trial trial_start(const move *row, int hosts, test_random *random);
void trial_end(trial *t);

/* A communicator for it; ended with trial_comm_free(), which MPI may see fail. Collective. */
typedef struct trial_comm {
  MPI_Comm comm;
  two_groups groups; /* of GROUPS */
} trial_comm;
trial_comm trial_comm_make(const trial *t);
void trial_comm_free(const trial *t, trial_comm *c);

/* Collective on c->comm. trial_run() writes the source before, and poison to the destination. */
dap_status trial_make(const trial *t, const trial_comm *c, dap_plan **plan, dap_error *err);
dap_status trial_run(const trial *t, dap_plan *plan, dap_error *err);

/* Records a failure, and returns false, unless this process has all that a run gives it. */
bool trial_check(const trial *t);

#endif
