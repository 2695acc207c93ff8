/* dapbridge/dim.h: one dimension dictionary, in the protocol's own keys. */
#ifndef DAPBRIDGE_DIM_H
#define DAPBRIDGE_DIM_H

#include <dapbridge/dtype.h>
#include <stdbool.h>
#include <stdint.h>

/* Most dimensions an array may have. */
enum { DAP_MAX_NDIM = 8 };

/* Value of an integer key that a dictionary does not have. Optional keys: block_size (then 1). A reader
 * of foreign dictionaries stores it for a missing required key too, and the checks name the key. */
#define DAP_ABSENT INT64_MIN

/* What one process says of one dimension. All indices and counts are of elements, 0-based.
 *
 * 'b': [start, stop) is the global range in this process' buffer, its communication padding included
 *      (protocol 0.10). padding = widths at the low and the high end: communication padding towards a
 *      neighbour (owned there), boundary padding at the outer edge of the grid (owned here, counted in
 *      size). Lengths may differ from process to process; start == stop is empty.
 * 'c': blocks of block_size elements dealt round robin; start is this process' first owned index, or
 *      any value >= size when it owns nothing.
 * 'u': a list of global indices. Known to the protocol; refused by this release (DAP_ERR_UNSUPPORTED).
 * 0:   the empty dictionary: the whole dimension here, 'b' over one process; other members are ignored.
 *
 * Members that do not belong to a dist_type are ignored. */
typedef struct dap_dim {
  char dist_type;          /* 'b', 'c', 'u', or 0 for the empty dictionary */
  bool periodic;           /* 'b' */
  bool one_to_one;         /* 'u' */
  dap_dtype indices_dtype; /* 'u': any integer type */
  int64_t size;            /* elements of the whole dimension, >= 0 */
  int64_t proc_grid_size;  /* processes along it, >= 1 */
  int64_t proc_grid_rank;  /* this process among them, 0-based */
  int64_t start;           /* 'b', 'c' */
  int64_t stop;            /* 'b' */
  int64_t padding[2];      /* 'b': low, high; 0 = none */
  int64_t block_size;      /* 'c': >= 1, or DAP_ABSENT for 1 */
  int64_t index_count;     /* 'u' */
  const void *indices;     /* 'u': [index_count], borrowed */
} dap_dim;

#endif
