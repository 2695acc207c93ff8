/* Calls beside those of tests/calls, in which other memory is asked for: of lists, of parts of arrays, by
 * other algorithms; and what they work on. */
#ifndef ALLOCATION_ROWS_H
#define ALLOCATION_ROWS_H

#include "calls.h"

/* Each ends with a row without a name. A name is the function's, a comma, and what is particular. */
extern const call allocation_rows[], allocation_rows_linalg[];

/* What the rows of the first are about, made once. Both are collective on MPI_COMM_WORLD. */
void allocation_rows_begin(void);
void allocation_rows_end(void);

/* Arrays of the second, in Fortran order, which are written to. fill: their elements as they were at the
 * beginning. Number i of them; NULL: there are no more. */
void allocation_operands_begin(void);
void allocation_operands_end(void);
void allocation_operands_fill(void);
const dap_array *allocation_operand(int i);

/* An array of the rows, as they have it. */
#define ALLOCATION_ROW(what, function, mpi, live)                                                            \
  {                                                                                                          \
    .name = (what), .run = (function), .needs_mpi = (mpi), .handle = (live)                                  \
  }

#endif
