/* One array as a field, in all ways, with every element of both sides checked. */
#ifndef DAP_FIELD_TEST_H
#define DAP_FIELD_TEST_H

#include <dapbridge/petsc.h>

#include "buffers.h"
#include "mpi_test.h"
#include "petsc_ends.h"

/* How the processes are spread over the grid axes. */
typedef enum test_spread { ALONG_FIRST, ALONG_LAST, SQUARE } test_spread;

/* How each distributed axis is cut. */
typedef enum test_lengths { EVEN, CEIL, IRREGULAR, HOLES, CYCLIC, ONE_BLOCK } test_lengths;

/* An axis that is cut otherwise, also on one process: each index on one of them in any order, on several, on
 * all; on one, with ghosts behind those of others. */
typedef enum test_lists { NO_LISTS, LISTS, OVERLAPS, COPIES, GHOSTED_LISTS } test_lists;

/* Which processes hold their elements in the other byte order. */
typedef enum test_bytes { NATIVE, SWAPPED, SWAPPED_ON_ODD } test_bytes;

/* What is expected of a vector on more than one process: shared, moved, or what the grid of the rank
 * count makes of it. The test's own predicate is checked in any case. */
typedef enum test_verdict { DEPENDS, SHARED, MOVED } test_verdict;

typedef struct field_row {
  const char *why;
  int ndim;
  int64_t size[4]; /* boundary padding included */
  test_spread spread;
  test_lengths lengths;
  int64_t halo[4];
  int64_t boundary[4][2];
  bool periodic[4];
  bool wraps[4]; /* with periodic: the halo at the outer edges, too */
  test_lists lists[4];
  bool shuffled;  /* ranks in an order of their own */
  bool assembled; /* the layout is made of all processes' dictionaries, and does not know all indices */
  test_bytes bytes;
  test_form form;
  dap_petsc_field_options options; /* vectors is set by the test */
  test_verdict local, global;
  const char *reason; /* part of the reason why the local vector is moved on several processes, or NULL */
} field_row;

/* PetscScalar's type in the library's words. */
dap_dtype scalar_dtype(void);

/* The layout of a row on all processes of MPI_COMM_WORLD. */
dap_layout *row_layout(const field_row *row);

/* Gets and restores the row's array with every access and every choice of vectors, and settles. */
void check_field_row(const field_row *row);

#define CHECK_FIELD_ROWS(rows)                                                                               \
  for (size_t row_ = 0; row_ < sizeof(rows) / sizeof((rows)[0]); row_++) check_field_row(&(rows)[row_])

#endif
