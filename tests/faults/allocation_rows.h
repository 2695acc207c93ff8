/* Calls beside those of tests/calls, in which other memory is asked for: of parts of arrays, by other
 * algorithms; and what they work on. */
#ifndef ALLOCATION_ROWS_H
#define ALLOCATION_ROWS_H

#include "calls.h"

/* Each ends with a row without a name. allocation_rows_hdf5 is there if dapbridge has HDF5. A name is the
 * function's, a comma, and what is particular. */
extern const call allocation_rows[], allocation_rows_views[], allocation_rows_linalg[],
    allocation_rows_hdf5[];

/* What the rows of the first two are about, made once. */
void allocation_rows_begin(void);
void allocation_rows_end(void);
void allocation_views_begin(void);
void allocation_views_end(void);
/* A folder with a file, for the rows of HDF5. */
void allocation_hdf5_begin(void);
void allocation_hdf5_end(void);

/* Arrays of the third, in Fortran order, which are written to. fill: their elements as they were at the
 * beginning. Number i of them; NULL: there are no more. */
void allocation_operands_begin(void);
void allocation_operands_end(void);
void allocation_operands_fill(void);
const dap_array *allocation_operand(int i);

/* What calls need live as in tests/calls. */
#define ALLOCATION_ROW(what, function, mpi, live)                                                            \
  {                                                                                                          \
    .name = (what), .run = (function), .needs_mpi = (mpi), .handle = (live)                                  \
  }

#endif
