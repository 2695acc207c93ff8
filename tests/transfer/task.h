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

/* What a task must have. All else is drawn. */
typedef struct task_wish {
  task_kind kind;
  bool is_all;              /* all of both arrays is moved, not only parts */
  bool is_plain;            /* dtypes are the same or none, and elements are not changed */
  bool combines;            /* values of all processes that hold an element are combined */
  bool is_partial;          /* axes of the source can be partial */
  bool from_owners;         /* copies along replicated axes are wrong */
  dap_dtype from, to;       /* DAP_NONE: drawn, and `options` is not used */
  dap_plan_options options; /* factors and other changes of elements */
  int64_t most;             /* most elements that are moved; 0: 300 */
} task_wish;

typedef struct task {
  random_array arrays[2]; /* of own */
  test_side own[2];       /* sides that task_free() ends */
  task_kind kind;
  const test_side *from, *to; /* the same side if the task is in place */
  const two_groups *groups;   /* NULL: all are in one communicator */
  int sender;                 /* the group that has `from` */
  bool is_told;               /* processes without a part of a side give no layout */
  /* Axis j of the move is axis axes[side][j] of the array; -1: the axis is new. */
  int naxes, axes[2][DAP_MAX_NDIM];
  int64_t start[2][DAP_MAX_NDIM], shape[2][DAP_MAX_NDIM]; /* [axes of the array] */
  bool has_axes[2], has_start[2], has_shape[2];           /* otherwise the argument is NULL */
  dap_dtype types[2];                                     /* DAP_NONE: opaque elements */
  int swaps[2];       /* ranks whose buffers are in the other byte order, as bits */
  bool are_far_apart; /* nearly every other order of adding the numbers gives another sum; DAP_F8 only */
  double alpha[2], beta[2];
  dap_plan_options options; /* can point to alpha and beta */
  int64_t salt;             /* each salt gives other values */
} task;

/* Draws a task, which is the same on all processes except for their parts. If `groups` is NULL, the task has
 * one communicator. The task must not be copied before task_free(). Collective on MPI_COMM_WORLD. */
void task_draw(task *t, const task_wish *wish, const two_groups *groups, test_random *random);
void task_free(task *t);

/* Sets a task that moves all elements between two sides, or in place if `from` and `to` are the same. The
 * sides may be t->own. The caller can change the rest. */
void task_of(task *t, task_kind kind, const test_side *from, const test_side *to, dap_dtype from_type,
             dap_dtype to_type);

/* Returns the transports of choice i modulo TASK_WAYS. Except in the first placement (placements.h), messages
 * are always among them, because there are several hosts. */
enum { TASK_WAYS = 7 };
unsigned task_way(int place, int i);

/* task_side() returns a side as an argument of a plan, and task_create() makes the plan. task_create() is
 * collective on `comm`. */
dap_side task_side(const task *t, int side);
dap_status task_create(const task *t, MPI_Comm comm, dap_plan **plan, dap_error *err);
bool task_is_lossy(const task *t); /* options.lossy is needed */

/* Describes the task for the label of a test. Static memory. */
const char *task_text(const task *t);

/* ---- task_model.c: buffers like those of t->from and t->to -------------------------------------------- */

/* Writes the source, and other values to every position of the destination. */
void task_fill(const task *t, const test_side *from, const test_side *to);

/* Checks both sides after a run. Returns false if one is wrong, and records that. task_check_source() checks
 * only that the source has not changed. */
bool task_check(const task *t, const test_side *from, const test_side *to);
bool task_check_source(const task *t, const test_side *from);

/* task_addends() returns how many addends each element has. task_source() returns the number of the source
 * element that goes to a position, or -1. */
int task_addends(const task *t);
int64_t task_source(const task *t, const brute_walk *w);

/* ---- runs ---------------------------------------------------------------------------------------------- */

/* Checks that as many bytes are sent as received, and that the plan keeps to memory_bytes and message_bytes.
 * If there is a formula, each process must move the fewest possible bytes. Collective on MPI_COMM_WORLD. */
void task_check_plan(const task *t, const dap_plan *plan);

/* The buffers of a run of one or several arrays. */
typedef struct task_run {
  many_sides from, to; /* the same if the task is in place */
} task_run;

void task_run_make(const task *t, MPI_Comm comm, const many_memory memory[2], task_run *run);
void task_run_free(const task *t, task_run *run);

/* task_run_fill() writes the values of a run, which differ for each array, and keeps `salt` in the task.
 * task_run_check() checks them. */
void task_run_fill(task *t, int64_t salt, const task_run *run);
bool task_run_check(task *t, const task_run *run);

/* task_begin() makes buffers in memory of these kinds, which the processes of `comm` share, and begins a run
 * with new values. task_end() ends the run and checks every byte of all buffers. Both record a failure and
 * then return false. Collective on MPI_COMM_WORLD. */
bool task_begin(task *t, dap_plan *plan, MPI_Comm comm, const many_memory memory[2], task_run *run);
bool task_end(task *t, dap_plan *plan, task_run *run);

/* Makes the plan, checks what it says about itself, and runs it several times in all kinds of memory. If only
 * direct copies are allowed, the memory is shared. `comm` must not be an intercommunicator. Collective on
 * MPI_COMM_WORLD. */
void task_move(task *t, MPI_Comm comm, int runs);

#endif
