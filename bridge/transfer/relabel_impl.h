/* Declares the files behind dap_plan_relabel() and dap_plan_volumes(). */
#ifndef DAP_RELABEL_IMPL_H
#define DAP_RELABEL_IMPL_H

#include "lists_impl.h"
#include "transfer_impl.h"

/* ---- common.c --------------------------------------------------------------------------------------- */

/* Counts for all coordinates of a source axis, and which of them are not 0. */
typedef struct dap_tally {
  int64_t *counts; /* [procs] */
  int *touched;    /* [procs] the first touched_count are set */
  int touched_count;
} dap_tally;

/* Returns the number of elements that coordinate p of the source owns and coordinate q of the destination
 * holds outside its padding. Not for 'u'. */
int64_t dap_common_pair(const dap_map *from, int p, const dap_map *to, int q);
/* Adds the numbers of all p to an empty tally. */
void dap_common_tally(const dap_map *from, const dap_map *to, int q, dap_tally *tally);
/* Estimates the runs that dap_common_tally() visits for all q together; not for 'u'. */
double dap_common_steps(const dap_map *from, const dap_map *to);

/* ---- common_matrix.c -------------------------------------------------------------------------------- */

/* A coordinate of the source and the elements that it has in common with one of the destination. */
typedef struct dap_common_entry {
  int coord;
  int64_t count;
} dap_common_entry;

/* Numbers of elements that all coordinates of an axis have in common, by rows of a sparse matrix. Listed
 * axes are counted in advance, and other axes where that does not take too long. */
typedef struct dap_common_matrix {
  const dap_map *from, *to;
  int64_t *first; /* [procs of to + 1] index of the first entry of q; NULL: not counted in advance */
  dap_common_entry *entries; /* entries with elements; coordinates ascend for each q */
} dap_common_matrix;

/* Makes the matrix. This process must know all of both axes. */
dap_status dap_common_matrix_create(int axis, const dap_map *from, const dap_map *to,
                                    dap_common_matrix *matrix, dap_error *err);
void dap_common_matrix_release(dap_common_matrix *matrix);
int64_t dap_common_matrix_at(const dap_common_matrix *matrix, int p, int q);

/* ---- volumes.c -------------------------------------------------------------------------------------- */

typedef struct dap_volumes {
  const dap_layout *from, *to;
  dap_common_matrix axes[DAP_MAX_NDIM]; /* [ndim] */
  int ranks;   /* number of ranks that processes of `to` can be: the larger layout's processes */
  int64_t all; /* elements that the processes of `to` hold together */
} dap_volumes;

/* Errors: DAP_ERR_ARG (no layouts of arrays of the same shape), DAP_ERR_REMOTE, DAP_ERR_RANGE (more than
 * 2^63 - 1 elements in all), DAP_ERR_NOMEM. The caller releases it in any case. */
dap_status dap_volumes_create(const dap_layout *from, const dap_layout *to, dap_volumes *volumes,
                              dap_error *err);
void dap_volumes_release(dap_volumes *volumes);
/* Returns the elements that process q of `to` reads from rank p; 0 where p is not a process of `from`. */
int64_t dap_volume(const dap_volumes *volumes, int p, int q);
/* Returns the elements that stay in place when process q of `to` is rank ranks[q]; NULL: rank q. */
int64_t dap_volumes_kept(const dap_volumes *volumes, const int ranks[]);

/* ---- assignment.c ----------------------------------------------------------------------------------- */

/* Gives each of `rows` a column of its own, chosen[rows], so that the sum of values[row * columns + column]
 * is the largest. No value is negative, and rows <= columns. Among the best choices it takes one with the
 * most rows in the column of their number, unless values are too large to weigh that in 64 bits. */
dap_status dap_assign(int rows, int columns, const int64_t values[], int chosen[], dap_error *err);

/* ---- greedy.c --------------------------------------------------------------------------------------- */

/* Sets ranks[nprocs of to] to a good choice, which may keep less than rank q for each q does. */
dap_status dap_match_greedily(const dap_volumes *volumes, int ranks[], dap_error *err);

/* ---- relabel.c -------------------------------------------------------------------------------------- */

/* Does the work of dap_plan_relabel(). It is exact for up to `most_exact` processes. */
dap_status dap_relabel(const dap_layout *from, const dap_layout *to, int most_exact, int ranks[],
                       int64_t *before, int64_t *after, dap_error *err);

#endif
