/* Calls beside those of tests/calls, which go other ways through the library: of parts of arrays, by other
 * algorithms; and what they work on. */
#ifndef DAP_TEST_ROWS_H
#define DAP_TEST_ROWS_H

#include "calls.h"

/* Arrays of the rows, beside those of call_arguments. rows.c has their layouts. */
typedef enum operand {
  CROSSING, /* a list on all processes, cut along the other axis */
  PADDED,
  CUBE,
  TALL, /* to be factored by rows, with what comes of it */
  TALL_RIGHT,
  TALL_Q,
  TALL_X,
  TALL_R,
  TALL_VALUES,
  TALL_ORDER,
  WIDE,
  SHORT,
  EQUAL,
  ORDER,
  VALUES,
  VECTORS,
  BAND,
  POSITIVE,
  RIGHT,
  OPERANDS
} operand;

/* What the rows are about is made once. fill: the operands' elements as they were at the beginning. */
void rows_begin(void);
void rows_end(void);
void rows_fill(void);
dap_darray row_operand(operand i);
/* A folder with a file, for the rows of HDF5. */
void rows_hdf5_begin(void);
void rows_hdf5_end(void);

#endif
