/* Declares the variables that bridge/docs/coming/costa.md uses: a matrix of M x N with a block on each
 * process of a grid. The code makes it block-cyclic and transposed. */
#ifndef DAP_TEST_COSTA_H
#define DAP_TEST_COSTA_H

#include <mpi.h>
#include <stdint.h>

enum { M = 23, N = 31, BLOCK = 4, MOST = 6 };

typedef struct grid {
  int rows_of_grid, columns_of_grid;               /* numbers of processes */
  int row_split[MOST + 1], column_split[MOST + 1]; /* begin of each block, and the end */
  int64_t row_lengths[MOST], column_lengths[MOST]; /* lengths of the blocks */
  int owners[MOST];                                /* rank of each block, row by row */
  int local_rows;                                  /* rows of this process's block */
  int leading_dimension;                           /* of this process's part of the result */
} grid;

#endif
