/* Moves of a row of numbers in which processes wait for each other, each in another way. */
#ifndef DAP_TEST_WAITS_H
#define DAP_TEST_WAITS_H

#include "row_move.h"

#include <dapbridge/array.h>
#include <mpi.h>
#include <stdbool.h>

typedef struct wait_row {
  const char *why;
  unsigned transports;
  int hosts;   /* that processes pretend to be on; 0: each is on its own */
  bool shared; /* to an array in shared memory */
} wait_row;

enum { WAIT_ROWS = 6 };
extern const wait_row wait_rows[WAIT_ROWS];

typedef struct wait_move {
  MPI_Comm comm;
  row_move row;
  dap_array to; /* of a shared row */
  void *data;   /* where numbers arrive */
} wait_move;

/* A communicator, buffers and a plan that waits for so many seconds (dap_wait_limit()). Collective on
 * MPI_COMM_WORLD. */
dap_status wait_start(wait_move *m, int row, double seconds, dap_error *err);
void wait_end(wait_move *m);

/* A plan; collective on the move's communicator. */
dap_status wait_plan(wait_move *m, int row, double seconds, dap_error *err);

/* Fills the row with the numbers of a turn and runs the plan; row_move_wrong(&m->row, turn) says what
 * came. */
dap_status wait_run(wait_move *m, int64_t turn, dap_error *err);

/* Does nothing for a while. */
void wait_rest(double seconds);

#endif
