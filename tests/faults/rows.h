/* Calls beside those of tests/calls, which go other ways through the library: of parts of arrays, by other
 * algorithms. */
#ifndef DAP_TEST_ROWS_H
#define DAP_TEST_ROWS_H

#include "calls.h"

/* What rows of all processes' arrays are about, and a file, for the rows of HDF5, are made once. */
void rows_begin(void);
void rows_end(void);
void rows_hdf5_begin(void);
void rows_hdf5_end(void);

#endif
