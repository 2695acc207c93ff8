/* One array as a vector without a grid, with every entry and every element checked. */
#ifndef DAP_VECTOR_TEST_H
#define DAP_VECTOR_TEST_H

#include <dapbridge/petsc_vector.h>

#include "buffers.h"
#include "mpi_test.h"
#include "petsc_ends.h"

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

/* What is expected on more than one process: the buffer, in natural order; the buffer, with an AO; a copy.
 * DEPENDS: on the grid. The test's own predicate is checked in any case. */
typedef enum vector_verdict { DEPENDS, SHARED, LISTED, MOVED } vector_verdict;

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
  bool swapped;   /* elements of odd processes, and of process 0, are in the other byte order */
  test_form form;
  dap_petsc_vector_options options;
  vector_verdict verdict;
  const char *reason; /* part of the reason on more than one process, or NULL */
} vector_row;

/* PetscScalar's type in the library's words; element or entry `index` as a number. */
dap_dtype scalar_type(void);
PetscScalar scalar_of(int64_t index);

/* The layout of a row on all processes of MPI_COMM_WORLD. */
dap_layout *vector_layout(const vector_row *row);

/* Gets and restores the row's array with every access, and settles. */
void check_vector_row(const vector_row *row);

#endif
