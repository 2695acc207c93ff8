/* What processes do together, as rows: functions and runs in which they wait for each other, each in another
 * way, and what is right afterwards. */
#ifndef DAP_TEST_WAITS_H
#define DAP_TEST_WAITS_H

#include "moves.h"

#include <dapbridge/array.h>
#include <mpi.h>
#include <stdbool.h>

typedef struct wait_row {
  const char *why;
  int hosts;        /* that processes pretend to be on; 0: each is on its own */
  bool has_context; /* the communicator has one before; runs have */
  /* A collective function, or NULL: a run. *is_right: what it makes is as it should be. */
  dap_status (*step)(MPI_Comm comm, bool *is_right, dap_error *err);
  int move;        /* of a run: the row of moves.h */
  bool makes_plan; /* and each run has a plan of its own */
} wait_row;

/* Rows of steps, then of runs, then a run and a plan between two groups. */
enum { WAIT_ARRAY = 7, WAIT_RUNS = 12, WAIT_GROUPS = 18, WAIT_GROUP_PLANS = 19, WAIT_ROWS = 20 };
extern const wait_row wait_rows[WAIT_ROWS];

/* A row at work. */
typedef struct waiting {
  const wait_row *row;
  move move; /* with the communicator and the plan */
} waiting;

/* A communicator on which waits take so many seconds at most (dap_wait_limit(); 0: no limit), and of runs
 * buffers and a plan, which move_free() ends. Collective on MPI_COMM_WORLD. */
dap_status wait_start(waiting *w, int row, double seconds, dap_error *err);

/* Another plan, on the same communicator. */
dap_status wait_plan(waiting *w, double seconds, dap_error *err);

/* Calls the function, or runs the plan with the numbers of a turn; *is_right: all that it should bring is
 * there. Collective. */
dap_status wait_take(waiting *w, int64_t turn, bool *is_right, dap_error *err);

/* The same, where the late process begins when the others are through; time passes fast. Collective on
 * MPI_COMM_WORLD. */
dap_status wait_take_late(waiting *w, int late, int64_t turn, bool *is_right, dap_error *err);

/* Once the process `dying` of rank `absent`, which is on this host, has ended, and all others know it, many
 * seconds pass at once, and then time passes fast, until the others call wait_clock_end(). wait_clock_start() is
 * collective on MPI_COMM_WORLD. */
void wait_clock_start(int absent, int dying);
void wait_clock_end(void);

#endif
