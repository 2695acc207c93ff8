/* A task is one move together with its serial model. It can have sides on some of the processes, parts with
 * axes that are permuted, left out or new, types, byte orders and factors. Several processes' values can be
 * combined, in place or between two groups.
 *
 * The model computes the result at every position from global indices and plain numbers. It does not use
 * the library. */
#ifndef DAP_TEST_TASK_H
#define DAP_TEST_TASK_H

#include "many.h"
#include "two_groups.h"

typedef enum task_kind { TASK_MOVE, TASK_HALO, TASK_REVERSE, TASK_GATHER, TASK_SCATTER } task_kind;

/* What a task is to have; the rest is drawn. */
typedef struct task_wish {
  task_kind kind;
  bool is_all;              /* all of both arrays, not parts of them */
  bool is_plain;            /* dtypes are the same or none, and nothing is done to elements */
  bool combines;            /* the values of all processes that hold an element */
  bool is_partial;          /* axes of the source can be partial */
  bool from_owners;         /* copies along replicated axes are wrong */
  dap_dtype from, to;       /* DAP_NONE: drawn, and so is what is done to elements */
  dap_plan_options options; /* else what is done */
  int64_t most;             /* elements that are moved; 0: 300 */
} task_wish;

typedef struct task {
  random_array arrays[2]; /* of own */
  test_side own[2];       /* the task's own, if it is to end them */
  task_kind kind;
  const test_side *from, *to; /* the same: in place */
  const two_groups *groups;   /* NULL: all are in one communicator */
  int sender;                 /* the group that has `from` */
  bool is_told;               /* processes outside a side give no layout */
  /* The parts: axis j of the move is axis axes[side][j] of that array, -1: a new one. */
  int naxes, axes[2][DAP_MAX_NDIM];
  int64_t start[2][DAP_MAX_NDIM], shape[2][DAP_MAX_NDIM]; /* [axes of the array] */
  bool has_axes[2], has_start[2], has_shape[2];           /* else it is NULL */
  dap_dtype types[2];                                     /* DAP_NONE: opaque elements */
  int swaps[2];       /* processes whose buffers are in the other byte order, as bits */
  bool are_far_apart; /* numbers whose sum is another in nearly every other order: of DAP_F8 only */
  double alpha[2], beta[2];
  dap_plan_options options; /* can point to these */
  int64_t salt;             /* another one gives other values */
} task;

/* Draws a task; the same on every process except for what it holds. `groups` NULL: within one communicator.
 * Collective on MPI_COMM_WORLD. The task must stay where it is until task_free(). */
void task_draw(task *t, const task_wish *wish, const two_groups *groups, test_random *random);
void task_free(task *t);

/* A task for all elements of two sides, or of one in place, as they are, which may be its own; a caller
 * changes the rest. */
void task_of(task *t, task_kind kind, const test_side *from, const test_side *to, dap_dtype from_type,
             dap_dtype to_type);

/* Transports, of the i-th choice modulo their number. In another `place` than the first of placements.h
 * messages are among them, as there are several hosts. */
enum { TASK_WAYS = 7 };
unsigned task_way(int place, int i);

/* The plan's arguments, and the plan. task_create() is collective on `comm`. */
dap_side task_side(const task *t, int side);
dap_status task_create(const task *t, MPI_Comm comm, dap_plan **plan, dap_error *err);
bool task_is_lossy(const task *t); /* needs options.lossy */

/* In words, for a test's label. Static memory. */
const char *task_text(const task *t);

/* ---- task_model.c: buffers like those of t->from and t->to -------------------------------------------- */

/* Writes the source, and something else to every position of the destination. */
void task_fill(const task *t, const test_side *from, const test_side *to);

/* Records a failure, and returns false, unless both are as they should be after a run. */
bool task_check(const task *t, const test_side *from, const test_side *to);
bool task_check_source(const task *t, const test_side *from);

/* How many addends each element has; the number of the source's element that goes to a position, -1: none. */
int task_addends(const task *t);
int64_t task_source(const task *t, const brute_walk *w);

/* ---- runs ---------------------------------------------------------------------------------------------- */

/* Checks that as much is sent as received, within memory_bytes and message_bytes; and that each process moves
 * the fewest bytes that can be, where there is a closed formula. Collective on MPI_COMM_WORLD. */
void task_check_plan(const task *t, const dap_plan *plan);

/* The buffers of a run of one or several arrays, in such memory, which the processes of `comm` share. */
typedef struct task_run {
  many_sides from, to; /* in place the same */
} task_run;

void task_run_make(const task *t, MPI_Comm comm, const many_memory memory[2], task_run *run);
void task_run_free(const task *t, task_run *run);

/* Writes the values of a run, and checks them: each array has others. `salt` is then the task's. */
void task_run_fill(task *t, int64_t salt, const task_run *run);
bool task_run_check(task *t, const task_run *run);

/* Makes buffers, and begins a run with new values; and ends it: every byte of all buffers is checked. Both
 * return false after a failure, which is recorded. Collective on MPI_COMM_WORLD. */
bool task_begin(task *t, dap_plan *plan, MPI_Comm comm, const many_memory memory[2], task_run *run);
bool task_end(task *t, dap_plan *plan, task_run *run);

/* Makes the plan, checks what it says of itself, and runs it so many times in memory of all kinds, or in
 * shared memory if only direct copies are allowed. Collective on MPI_COMM_WORLD; `comm` is not an
 * intercommunicator. */
void task_move(task *t, MPI_Comm comm, int runs);

#endif
