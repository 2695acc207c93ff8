/* Lists moves of all kinds between named layouts, which task.h describes and checks. Tests make, run and end
 * their plans while something fails, or while a process is late or dead. */
#ifndef DAP_TEST_MOVES_H
#define DAP_TEST_MOVES_H

#include "case.h"
#include "task.h"

/* Moves are tried on one node, on two pretended nodes, and with a node for each process. Small moves are
 * tried as their tests say. */
enum { SMALL = 0, ON_ONE = 1, ON_TWO = 2, APART = 4, ANYWHERE = 7 };

/* What a plan of a row must have on some process if there are at least three processes. */
enum { CHUNKS = 1 /* several messages to one process */, PHASES = 2 /* elements go by a third process */ };

typedef struct move_row {
  const char *why;
  task_kind kind;
  const case_layout *from, *to; /* NULL: in place */
  unsigned nodes;               /* where it is tried */
  unsigned shows;
  bool is_part;    /* only a part of the first axis is moved */
  bool has_groups; /* from the first half of the processes to the other, over an intercommunicator */
  bool makes;      /* the context of the communicator is also made while something fails */
  bool is_refused; /* the first process gives no source */
  many_memory memory;
  dap_dtype types[2]; /* DAP_NONE: opaque elements of 8 bytes */
  dap_plan_options options;
} move_row;

/* Rows with names. In the first four, each process has elements for each other process, or for each process
 * of the other group that it exchanges with. */
enum { MOVE_SHARED, MOVE_CHUNKS, MOVE_DIRECT, MOVE_GROUPS, MOVE_SCATTER, MOVES = 19 };
extern const move_row move_rows[MOVES];

/* Moves of 60 elements in C order; each source element is on one process. The row or the caller names the
 * transports. The plans of the first rows have one pass and may use any transport. In SMALL_SINGLES each
 * message has one element. */
enum { SMALL_SINGLES = 1, SMALL_MOVES_ANYHOW = 7, SMALL_MOVES = 12 };
extern const move_row small_moves[SMALL_MOVES];

/* A row on a number of nodes. It must not be copied before move_end(). */
typedef struct move {
  const move_row *row;
  int hosts;
  bool lacks_source; /* in the next run */
  MPI_Comm comm;     /* exists between move_comm_make() and move_comm_free() */
  two_groups groups; /* of a row with two groups */
  task task;         /* with its sides */
  task_run run;      /* the buffers */
  dap_plan *plan;    /* NULL: there is none */
} move;

/* Collective on MPI_COMM_WORLD. */
void move_start(move *m, const move_row *row, int hosts);
void move_end(move *m);

/* move_comm_make() makes move.comm, and move_comm_free() frees it. Both may meet a fault. Collective on
 * MPI_COMM_WORLD. */
void move_comm_make(move *m);
void move_comm_free(move *m);

/* Makes move.plan. */
dap_status move_plan(move *m, dap_error *err);

/* Writes the values of a turn, and runs the plan. In odd turns, plans of one array are run by dap_plan_run().
 * task_run_check() then compares the result. */
dap_status move_run(move *m, int64_t turn, dap_error *err);

/* Runs the plan and checks the result. A failure is recorded with the words in `when`. */
void move_run_right(move *m, int64_t turn, const char *when);

/* move_make() starts a move, and makes its communicator and its plan. Without transports of the row, the plan
 * uses these transports. move_free() ends the move, also after MPI has ended if the caller has freed the
 * communicator and set it to MPI_COMM_NULL. */
void move_make(move *m, const move_row *row, int hosts, unsigned transports);
void move_free(move *m);

/* ---- small moves -------------------------------------------------------------------------------------- */

/* Makes a move of single elements: in memory of the node, by messages, or on two hosts. The label of the test
 * says which. */
enum { SMALL_WAYS = 3 };
void small_move_start(move *m, int way);

/* Return whether the plan has one pass, and whether one process sends to another in a plan of one pass. */
bool small_move_has_one_pass(const move_row *row);
bool small_move_sends(const move *m, int from, int to);

#endif
