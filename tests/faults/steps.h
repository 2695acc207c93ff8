/* Collective steps in which processes wait for each other, each in another way, on a communicator of their
 * own. */
#ifndef DAP_TEST_STEPS_H
#define DAP_TEST_STEPS_H

#include <dapbridge/array.h>
#include <mpi.h>
#include <stdbool.h>

typedef struct step_row {
  const char *why;
  int hosts;        /* that processes pretend to be on; 0: each is on its own */
  bool has_context; /* the communicator has one before */
  dap_status (*step)(MPI_Comm comm, bool *is_right, dap_error *err);
} step_row;

enum { STEP_ROWS = 14 };
extern const step_row step_rows[STEP_ROWS];

/* A communicator on which waits take so many seconds at most. Collective on MPI_COMM_WORLD. */
MPI_Comm step_comm(int row, double seconds);

/* Takes the step; *is_right: what it makes is as it should be, where it is made. Collective. */
dap_status step_take(int row, MPI_Comm comm, bool *is_right, dap_error *err);

#endif
