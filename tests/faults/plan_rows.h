/* Plans of all kinds, drawn by tests/transfer/task.h, made, run and checked while something fails. */
#ifndef DAP_TEST_PLAN_ROWS_H
#define DAP_TEST_PLAN_ROWS_H

#include "task.h"

enum { ON_ONE = 1, ON_TWO = 2, APART = 4, ANYWHERE = 7 };

/* What a row is there for, as bits: it is drawn again until it has that. */
enum {
  PADDING = 1,      /* of the destination, */
  FILLED = 2,       /* and a move fills it, */
  REFRESHED = 4,    /* or a reverse update refreshes it */
  ALONE = 7,        /* these bits: one process has them, too */
  COPIES = 8,       /* along axes of the destination */
  HOLDERS = 16,     /* of the same element of the source, more than one */
  ADDENDS = 32,     /* of an element */
  LISTS = 64,       /* of the source, that some process does not know */
  EVERYWHERE = 128, /* all processes own elements of the destination */
  SENT = 256,       /* to another process: each row has it */
  CHUNKS = 512,     /* several messages to one process */
  PHASES = 1024     /* two: by way of a third process */
};

typedef struct plan_row {
  const char *why;
  task_wish wish;
  unsigned nodes;  /* on which it is tried: one, two that are pretended, one for each process */
  unsigned shows;  /* SENT need not be said */
  bool has_groups; /* from one half of the processes to the other, over an intercommunicator */
  bool makes;      /* the communicator's context, too, is made while something fails */
  bool is_refused; /* the first process gives no source */
  many_memory memory;
  dap_plan_options options; /* transports, message_bytes and arrays */
} plan_row;

/* [plan_rows_count] */
extern const plan_row plan_rows[];
extern const int plan_rows_count;

/* A row on so many nodes. It must stay where it is until plan_trial_end(). */
typedef struct plan_trial {
  const plan_row *row;
  int hosts, runs;
  bool lacks_source; /* in the next run */
  two_groups groups; /* who is in which */
  task task;
  many_sides from, to; /* in place only `from` */
} plan_trial;

bool plan_is_possible(const plan_row *row, int hosts);

/* Collective on MPI_COMM_WORLD. */
void plan_trial_start(plan_trial *t, const plan_row *row, int hosts);
void plan_trial_end(plan_trial *t);

/* A communicator for it; ended with plan_comm_free(), which may see a fault. Collective. */
typedef struct plan_comm {
  MPI_Comm comm;
  two_groups groups; /* if the row has them */
} plan_comm;
plan_comm plan_comm_make(const plan_trial *t);
void plan_comm_free(const plan_trial *t, plan_comm *c);

/* Writes other values than before, and runs the plan. */
dap_status plan_run(plan_trial *t, dap_plan *plan, dap_error *err);

/* Records a failure, and returns false, unless this process has all that a run gives it. */
bool plan_check(plan_trial *t);

#endif
