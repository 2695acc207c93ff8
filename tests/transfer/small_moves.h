/* Moves 60 numbers between two cuts of one axis, on one host or on several pretended ones. */
#ifndef DAP_TEST_SMALL_MOVES_H
#define DAP_TEST_SMALL_MOVES_H

#include "case.h"

enum { SMALL_ITEM = 8 /* bytes of a number */ };

typedef struct small_move {
  random_array arrays[2];
  test_side from, to;
  MPI_Comm comm;            /* the caller may free it, and set it to MPI_COMM_NULL */
  dap_plan_options options; /* a number in each message, until the caller changes them */
  dap_plan *plan;
} small_move;

/* Makes all but the plan. Each host has every hosts-th process. The numbers are dealt one by one by
 * CUT_CYCLIC, and all are on the last process by CUT_LAST. Collective on MPI_COMM_WORLD. The move must stay
 * where it is until small_move_free(). */
void small_move_make(small_move *m, case_cut from, case_cut to, int hosts);
dap_status small_move_plan(small_move *m, dap_error *err);
void small_move_free(small_move *m);

/* Makes a move from equal parts to numbers that are dealt one by one, with its plan. The way is the label of
 * the test: memory of the node, messages, two hosts. */
enum { SMALL_WAYS = 3 };
extern const struct small_way {
  const char *why;
  unsigned transports;
  int hosts;
} small_ways[SMALL_WAYS];
void small_move_start(small_move *m, int way);

/* Runs the plan with other numbers for each `shift`, and checks them. */
void small_move_run(const small_move *m, int shift);

/* ---- runs in which a process has a wrong argument or fails -------------------------------------------- */

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

/* Makes the move of a row with its plan. */
void fault_move_make(small_move *m, int row, int hosts, unsigned transports);

/* Whether a process has numbers; whether one process sends to another, in a plan of one pass. */
bool fault_cut_has(case_cut cut, int rank);
bool fault_row_has_one_pass(int row);
bool fault_row_sends(int row, int from, int to);

#endif
