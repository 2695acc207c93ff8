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

/* What one process says of one dimension, in the keys of protocol 0.10; dialect.h has those of other
 * versions. All indices and counts are of elements, 0-based.
 *
 * 'b': [start, stop) is a global range. padding = widths at the low and the high end: communication padding
 *      towards a neighbour (owned there), boundary padding at the outer edge of the grid (owned here,
 *      counted in size). In 0.10 the range is that of this process's buffer, communication padding included;
 *      in 0.9 and 0.0.1 it is what this process owns, and there the outer padding of a periodic dimension is
 *      communication padding that wraps round. Lengths may differ between processes; start == stop is empty.
 * 'c': blocks of block_size elements dealt round robin; start is this process's first owned index, or
 *      any value >= size when it owns nothing.
 * 'u': the global indices of this process's buffer, in the buffer's order. An index may be on several
 *      processes unless one_to_one: the one with the lowest proc_grid_rank owns it.
 * 'n': 0.9 and 0.0.1: undistributed, as 'b' from 0 to size over one process. Grid keys and range are
 *      ignored, periodic counts; padding counts in 0.9 and is ignored in 0.0.1.
 * 0:   0.10: the empty dictionary: the whole dimension here, 'b' over one process; other members are
 *      ignored.
 *
 * Members that do not belong to a dist_type are ignored. */
typedef struct dap_dim {
  char dist_type;          /* 'b', 'c', 'u', 'n', or 0 for the empty dictionary */
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
