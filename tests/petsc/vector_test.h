/* One array as a vector without a grid, with every entry and every element checked. */
#ifndef DAP_VECTOR_TEST_H
#define DAP_VECTOR_TEST_H

#include "live.h"

/* How an axis is cut. The lists: each index on one process, in any order; the same with ghosts of others
 * behind; ascending, one range each; several processes hold some; all hold all. */
typedef enum vector_cut {
  EVEN,
  IRREGULAR,
  HOLES,
  CYCLIC,
  ONE_BLOCK,
  ROTATED,       /* cyclic, from the second process on */
  ROTATED_BLOCK, /* the same with a block each */
  LISTS,
  GHOSTS,
  ASCENDING,
  OVERLAPS,
  COPIES
} vector_cut;

enum { GRID = -1 };

typedef struct vector_row {
  const char *why;
  int ndim;
  int64_t size[4];
  int axis; /* that is distributed; GRID: the first two */
  vector_cut cut;
  int64_t halo[4], boundary[2];
  bool wraps[4];  /* periodic, with a halo at the outer edges */
  bool shuffled;  /* ranks in an order of their own */
  bool assembled; /* the layout is made of all processes' dictionaries */
  bool swapped;   /* elements of odd processes, or of the only one, are in the other byte order */
  test_form form;
  dap_petsc_vector_options options;
  live_verdict verdict; /* on more than one process */
  const char *reason;   /* parts of the reason on more than one process, or NULL */
} vector_row;

/* Element or entry `index` as a number. */
PetscScalar scalar_of(int64_t index);

/* The layout of a row on all processes of MPI_COMM_WORLD. */
dap_layout *vector_layout(const vector_row *row);

/* Gets and restores the row's array with every access, and settles. */
void check_vector_row(const vector_row *row);

#endif
