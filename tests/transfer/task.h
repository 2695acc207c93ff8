/* One move with options, and the serial model of what becomes of every position of its destination:
 * computed from global indices and plain numbers, of nothing that the library says. */
#ifndef DAP_TEST_TASK_H
#define DAP_TEST_TASK_H

#include "number.h"
#include "side.h"

/* What a task is to have; the rest is drawn. */
typedef struct task_wish {
  int ndim;           /* 0: drawn */
  const int *axes;    /* NULL: drawn */
  bool is_all;        /* all of both arrays, not parts of them */
  bool is_plain;      /* dtypes are the same or none, and nothing is done to elements */
  bool has_types;     /* else drawn: from and to, */
  dap_dtype from, to; /* and what is done */
  bool conjugate, fill_halos;
  double alpha[2], beta[2];
  int64_t most; /* elements; 0: 300 */
} task_wish;

typedef struct task {
  random_array arrays[2];
  test_side from, to;
  dap_dtype types[2];                        /* DAP_NONE: opaque elements */
  bool is_part, has_axes, has_starts, tells; /* tells: processes outside a side give no layout */
  int axes[DAP_MAX_NDIM];
  int64_t from_start[DAP_MAX_NDIM], to_start[DAP_MAX_NDIM], shape[DAP_MAX_NDIM], from_shape[DAP_MAX_NDIM];
  int swaps[2]; /* processes whose buffers are in the other byte order, as bits */
  double alpha[2], beta[2];
  dap_plan_options options; /* they point into this struct */
  unsigned char *before;    /* of the destination's memory */
  int64_t salt;             /* added to the numbers of elements, from which values are made */
} task;

/* Draws a task; the same on every process but for what it holds. Collective on MPI_COMM_WORLD. The task
 * must stay where it is until task_free(). */
void task_draw(task *t, const task_wish *wish, test_random *random);
void task_free(task *t);

/* The plan's arguments. */
dap_side task_from(const task *t);
dap_side task_to(const task *t);
int64_t task_itemsize(const task *t);
bool task_is_lossy(const task *t); /* needs options.lossy */

/* Writes the source, and something else into every position of the destination. */
void task_fill(task *t);

/* Records a failure, and returns false, unless everything is as it should be after a run. */
bool task_check(const task *t);

/* In words, for a test's label. Static memory. */
const char *task_text(const task *t);

#endif
