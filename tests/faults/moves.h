/* Moves of all kinds between named layouts, as tests/transfer/task.h describes and checks them. Their plans
 * are made, run and ended while something fails, or while a process is late or dead. */
#ifndef DAP_TEST_MOVES_H
#define DAP_TEST_MOVES_H

#include "case.h"
#include "task.h"

enum { ON_ONE = 1, ON_TWO = 2, APART = 4, ANYWHERE = 7 };

/* What a plan of a row must have on some process, if there are at least three. */
enum { CHUNKS = 1 /* several messages to one process */, PHASES = 2 /* a way by a third process */ };

typedef struct move_row {
  const char *why;
  task_kind kind;
  const case_layout *from, *to; /* NULL: in place */
  unsigned nodes;               /* on which it is tried: one, two that are pretended, one for each process */
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

/* A row on so many nodes. It must stay where it is until move_end(). */
typedef struct move {
  const move_row *row;
  int hosts;
  bool lacks_source; /* in the next run */
  MPI_Comm comm;     /* while there is one */
  two_groups groups; /* if the row has them */
  random_array arrays[2];
  test_side sides[2];
  task task;
  many_sides from, to; /* in place only `from` */
} move;

bool move_is_possible(const move_row *row, int hosts);

/* Collective on MPI_COMM_WORLD. */
void move_start(move *m, const move_row *row, int hosts);
void move_end(move *m);

/* Makes move.comm, and ends it, which may see a fault. Collective on MPI_COMM_WORLD. */
void move_comm_make(move *m);
void move_comm_free(move *m);

dap_status move_plan(const move *m, dap_plan **plan, dap_error *err);

/* Writes the values of a turn, and runs the plan. Then whether this process has all that the run gives it; if
 * not, that is recorded. */
dap_status move_run(move *m, dap_plan *plan, int64_t turn, dap_error *err);
bool move_check(move *m, int64_t turn);

#endif
