/* What bridge/docs/coming/costa.md takes as given: a matrix of M x N, a block of it on each process of a
 * grid, which becomes block-cyclic, transposed. */
#ifndef DAP_TEST_COSTA_H
#define DAP_TEST_COSTA_H

#include <mpi.h>
#include <stdint.h>

enum { M = 23, N = 31, BLOCK = 4, MOST = 6 };

typedef struct grid {
  int rows_of_grid, columns_of_grid;               /* processes */
  int row_split[MOST + 1], column_split[MOST + 1]; /* where each block begins, and the end */
  int64_t row_lengths[MOST], column_lengths[MOST]; /* the same as lengths */
  int owners[MOST];                                /* the rank of each block, row by row */
  int local_rows;                                  /* of this process's block */
  int leading_dimension;                           /* of its part of the result */
} grid;

#endif
