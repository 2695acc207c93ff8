/* Lists functions and runs in which processes wait for each other, each in another way. A row also checks the
 * result. */
#ifndef DAP_TEST_WAITS_H
#define DAP_TEST_WAITS_H

#include "moves.h"

#include <dapbridge/array.h>
#include <mpi.h>
#include <stdbool.h>

typedef struct wait_row {
  const char *why;
  int hosts;        /* hosts that processes pretend to be on; 0: one for each process */
  bool has_context; /* the communicator has a context before; this does not matter for runs */
  /* A collective function, or NULL for a run. Sets *is_right if the result is right. */
  dap_status (*step)(MPI_Comm comm, bool *is_right, dap_error *err);
  int move;        /* of a run: the row in moves.h */
  bool makes_plan; /* each run makes a new plan */
} wait_row;

/* The rows are steps, then runs, then a run and a plan between two groups. */
enum { WAIT_ARRAY = 7, WAIT_RUNS = 12, WAIT_GROUPS = 18, WAIT_GROUP_PLANS = 19, WAIT_ROWS = 20 };
extern const wait_row wait_rows[WAIT_ROWS];

/* A row in progress. */
typedef struct waiting {
  const wait_row *row;
  move move; /* with the communicator and the plan */
} waiting;

/* Makes a communicator on which waits have a limit in seconds (dap_wait_limit(); 0: no limit). For a
 * run, also makes buffers and a plan. move_free() ends all of it. Collective on MPI_COMM_WORLD. */
dap_status wait_start(waiting *w, int row, double seconds, dap_error *err);

/* Makes another plan, on the same communicator. */
dap_status wait_plan(waiting *w, double seconds, dap_error *err);

/* Calls the function, or runs the plan with the numbers of a turn. Sets *is_right if the result is right.
 * Collective. */
dap_status wait_take(waiting *w, int64_t turn, bool *is_right, dap_error *err);

/* Does the same, but the late process begins when the others have finished, and time passes fast. Collective
 * on MPI_COMM_WORLD. */
dap_status wait_take_late(waiting *w, int late, int64_t turn, bool *is_right, dap_error *err);

/* After wait_clock_start(), time passes as usual until the process `dying`, of rank `absent` and on this
 * host, has ended and all others know it. Then many seconds pass at once, and time passes fast until the
 * others call wait_clock_end(). wait_clock_start() is collective on MPI_COMM_WORLD. */
void wait_clock_start(int absent, int dying);
void wait_clock_end(void);

#endif
