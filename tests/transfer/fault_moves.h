/* Moves 60 numbers in runs in which a process has a wrong argument or fails. Each test knows which process
 * sends which elements to which other process. */
#ifndef DAP_TEST_FAULT_MOVES_H
#define DAP_TEST_FAULT_MOVES_H

#include "case.h"

/* The numbers are dealt one by one, or as one axis of a cut: CUT_LAST has all of them on the last process. */
typedef struct fault_row {
  const char *why;
  case_cut from, to;
  int64_t message_bytes;
  int fan_out;
  dap_combine combine;
  bool everyone;       /* learns of each fault */
  unsigned transports; /* 0: those that the caller names */
} fault_row;

enum { FAULT_ROWS = 12, FAULT_ROWS_COUNTED = 7 /* the first ones: of one pass and any transport */ };
extern const fault_row fault_rows[FAULT_ROWS];

typedef struct fault_move {
  test_side from, to;
  MPI_Comm comm;
  dap_plan *plan;
} fault_move;

/* The nth of two moves that can be there at once, on `hosts` hosts, which each have every hosts-th process.
 * Collective on MPI_COMM_WORLD. Ended with fault_move_end(). */
fault_move fault_move_start(int nth, int row, int hosts, unsigned transports, test_random *random);
void fault_move_end(fault_move *m);

/* A run without faults, of other numbers for each `shift`, which is checked. */
void fault_move_run(const fault_move *m, int shift);

/* Whether a process has numbers. */
bool fault_cut_has(case_cut cut, int rank);
bool fault_row_has_one_pass(int row);
/* Whether one process sends to another, in a plan of one pass. */
bool fault_row_sends(int row, int from, int to);

#endif
