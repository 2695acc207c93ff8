/* Moves of all kinds between named layouts, as task.h describes and checks them. Their plans are made, run
 * and ended while something fails, or while a process is late or dead. */
#ifndef DAP_TEST_MOVES_H
#define DAP_TEST_MOVES_H

#include "case.h"
#include "task.h"

/* Moves are tried on one node, on two pretended nodes, and with a node for each process. */
enum { ON_ONE = 1, ON_TWO = 2, APART = 4, ANYWHERE = 7 };

/* What a plan of a row must have on some process, if there are at least three. */
enum { CHUNKS = 1 /* several messages to one process */, PHASES = 2 /* a way by a third process */ };

typedef struct move_row {
  const char *why;
  task_kind kind;
  const case_layout *from, *to; /* NULL: in place */
  unsigned nodes;               /* where it is tried: ON_ONE, ... ; 0: a small move */
  unsigned shows;
  bool is_part;    /* of the first axis */
  bool has_groups; /* from the first half of the processes to the other, over an intercommunicator */
  bool makes;      /* the communicator's context, too, is made while something fails */
  bool is_refused; /* the first process gives no source */
  many_memory memory;
  dap_dtype types[2]; /* DAP_NONE: opaque elements of 8 bytes */
  dap_plan_options options;
} move_row;

/* Rows that have names. In the first four each process has elements for each other one, or each of the other
 * group that it exchanges with. */
enum { MOVE_SHARED, MOVE_CHUNKS, MOVE_DIRECT, MOVE_GROUPS, MOVE_SCATTER, MOVES = 19 };
extern const move_row move_rows[MOVES];

/* Moves of 60 elements in C order, each of which one process has: by the transports that a caller names, or
 * the row. The first ones have plans of one pass, by any transports; one of them moves single elements. */
enum { SMALL_SINGLES = 1, SMALL_MOVES_ANYHOW = 7, SMALL_MOVES = 12 };
extern const move_row small_moves[SMALL_MOVES];

/* A row on so many nodes. It must stay where it is until move_end(). */
typedef struct move {
  const move_row *row;
  int hosts;
  bool lacks_source; /* in the next run */
  MPI_Comm comm;     /* while there is one */
  two_groups groups; /* if the row has them */
  task task;         /* with its sides */
  task_run run;      /* the buffers */
  dap_plan *plan;    /* NULL: there is none */
} move;

bool move_is_possible(const move_row *row, int hosts);

/* Collective on MPI_COMM_WORLD. */
void move_start(move *m, const move_row *row, int hosts);
void move_end(move *m);

/* Makes move.comm, and ends it, which may see a fault. Collective on MPI_COMM_WORLD. */
void move_comm_make(move *m);
void move_comm_free(move *m);

/* Makes move.plan. */
dap_status move_plan(move *m, dap_error *err);

/* Writes the values of a turn, and runs the plan; in odd turns a plan of one array by dap_plan_run(). Then
 * whether this process has all that the run gives it; if not, that is recorded. */
dap_status move_run(move *m, int64_t turn, dap_error *err);
bool move_check(move *m, int64_t turn);

/* Both, and all must be right; `when` is in what is recorded. */
void move_run_right(move *m, int64_t turn, const char *when);

/* All of this: starts a move, and makes its communicator and its plan, by these transports if the row has
 * none; and ends it, also after MPI's end if the caller has freed the communicator, and set it to
 * MPI_COMM_NULL. */
void move_make(move *m, const move_row *row, int hosts, unsigned transports);
void move_free(move *m);

/* ---- small moves -------------------------------------------------------------------------------------- */

/* Makes a move of single elements, in memory of the node, by messages or on two hosts, as the test's label
 * says. */
enum { SMALL_WAYS = 3 };
void small_move_start(move *m, int way);

/* Whether the plan has one pass; whether a process has elements of a side; whether one sends to another one
 * in a plan of one pass. */
bool small_move_has_one_pass(const move_row *row);
bool small_move_holds(const move *m, int side, int process);
bool small_move_sends(const move *m, int from, int to);

#endif
