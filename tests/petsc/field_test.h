/* Rows of arrays over any number of processes; as fields, in all ways, with every element checked. */
#ifndef DAP_FIELD_TEST_H
#define DAP_FIELD_TEST_H

#include "live.h"

/* How the processes are spread over the grid axes. */
typedef enum test_spread { ALONG_FIRST, ALONG_LAST, SQUARE } test_spread;

/* How each distributed axis is cut. */
typedef enum test_lengths { EVEN, CEIL, IRREGULAR, HOLES, CYCLIC, ONE_BLOCK } test_lengths;

/* An axis that is cut otherwise, also on one process: each index on one of them in any order, on several, on
 * all; on one, with ghosts behind those of others. */
typedef enum test_lists { NO_LISTS, LISTS, OVERLAPS, COPIES, GHOSTED_LISTS } test_lists;

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
  live_bytes bytes;
  test_form form;
  dap_petsc_field_options options; /* vectors is set by the test */
  live_verdict local, global;
  const char *reason; /* as a live_want has them */
} field_row;

/* The layout of a row on all processes of MPI_COMM_WORLD. */
dap_layout *row_layout(const field_row *row);

/* Gets and restores the row's array with every access and every choice of vectors, and settles. */
void check_field_row(const field_row *row);

#define CHECK_FIELD_ROWS(rows)                                                                               \
  for (size_t row_ = 0; row_ < sizeof(rows) / sizeof((rows)[0]); row_++) check_field_row(&(rows)[row_])

#endif
