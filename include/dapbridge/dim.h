/* dapbridge/dim.h: one dimension dictionary, in the protocol's own keys. */
#ifndef DAPBRIDGE_DIM_H
#define DAPBRIDGE_DIM_H

#include <dapbridge/dtype.h>
#include <stdbool.h>
#include <stdint.h>

/* The largest number of dimensions of an array. */
enum { DAP_MAX_NDIM = 8 };

/* The value of an integer key that is absent from a dictionary. Only block_size is optional (default 1). A
 * reader of foreign dictionaries also stores it for a missing required key; the checks then report that
 * key. */
#define DAP_ABSENT INT64_MIN

/* One process's description of one dimension, with the keys of protocol 0.10; dialect.h has those of other
 * versions. Indices and counts are in elements, 0-based. Members that do not belong to a dist_type are
 * ignored.
 *
 * 'b': block: the global range [start, stop), empty if start == stop; lengths may differ between processes.
 *      padding: widths at the low and the high end, of communication padding towards a neighbour, which
 *      owns it, or of boundary padding at the outer edge of the grid, which is owned here and counted in
 *      size. In 0.10 the range is that of this process's buffer, communication padding included. In 0.9 and
 *      0.0.1 it is what this process owns, and outer padding of a periodic dimension is communication
 *      padding that wraps around.
 * 'c': cyclic: blocks of block_size elements dealt round robin; start is this process's first owned index,
 *      or any value >= size if it owns nothing.
 * 'u': unstructured: the global indices of this process's buffer, in the buffer's order. Unless one_to_one,
 *      an index may be on several processes; the one with the lowest proc_grid_rank owns it, unless owners
 *      are given beside the dictionaries (dap_layout_assemble_ghosted()).
 * 'n': 0.9 and 0.0.1: undistributed, the same as 'b' from 0 to size over one process. Grid keys and range
 *      are ignored, periodic is not; padding is used in 0.9 and ignored in 0.0.1.
 * 0:   0.10: the empty dictionary: the whole dimension is here, as 'b' over one process. */
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
  const void *indices;     /* 'u': [index_count], the producer's */
} dap_dim;

#endif
