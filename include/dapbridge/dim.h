/**
 * @file
 * One dimension dictionary, with the keys of the protocol.
 */
#ifndef DAPBRIDGE_DIM_H
#define DAPBRIDGE_DIM_H

#include <dapbridge/dtype.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  DAP_MAX_NDIM = 8 /**< the largest number of axes of an array */
};

/** The value of an integer key that a dictionary does not have. Only block_size may be absent, and is then 1.
 * If a required key is missing in a dictionary, its reader also stores this value. The checks then report
 * that key. */
#define DAP_ABSENT INT64_MIN

/**
 * One process's description of one axis, with the keys of protocol 0.10.
 *
 * dialect.h lists the keys of other versions. Indices and counts are in elements. Indices begin at 0. Members
 * that do not belong to a dist_type are ignored. The types are:
 *
 * - 'b', block: the global range [start, stop). It is empty if start == stop. Lengths may differ between
 *   processes. In 0.10 the range is that of this process's buffer, with communication padding. In 0.9 and
 *   0.0.1 it is the range that this process owns. Communication padding consists of copies of elements that a
 *   neighbour owns. Boundary padding is at the outer edges of the grid. The process at the edge owns it, and
 *   size includes it. In 0.9 and 0.0.1 the outer padding of a periodic axis is communication padding that
 *   wraps around.
 * - 'c', cyclic: blocks of block_size elements, dealt round robin. `start` is this process's first owned
 *   index, or any value >= size if it owns nothing.
 * - 'u', unstructured: the global indices of this process's buffer, in the buffer's order. Unless one_to_one
 *   is set, an index may be on several processes. Of these, the process with the lowest proc_grid_rank owns
 *   the index, unless owners are passed to dap_layout_assemble_ghosted().
 * - 'n', in 0.9 and 0.0.1: not distributed. Such an axis is equal to a 'b' axis from 0 to size on one
 *   process. Grid keys and range are ignored, but `periodic` is used. Padding is used in 0.9 and ignored in
 *   0.0.1.
 * - 0, in 0.10: the empty dictionary. The whole axis is on this process, like a 'b' axis on one process.
 */
typedef struct dap_dim {
  char dist_type;          /**< 'b', 'c', 'u', 'n', or 0 for the empty dictionary */
  bool periodic;           /**< 'b': the first and the last element are neighbours */
  bool one_to_one;         /**< 'u': no index is on two processes */
  dap_dtype indices_dtype; /**< 'u': type of `indices`, any integer type */
  int64_t size;            /**< elements of the whole axis, >= 0 */
  int64_t proc_grid_size;  /**< processes along the axis, >= 1 */
  int64_t proc_grid_rank;  /**< coordinate of this process along the axis, counted from 0 */
  int64_t start;           /**< 'b', 'c': first global index */
  int64_t stop;            /**< 'b': end of the range [start, stop) */
  int64_t padding[2];      /**< 'b': widths at the low and the high end, in elements; 0 means no padding */
  int64_t block_size;      /**< 'c': elements per block, >= 1, or DAP_ABSENT for 1 */
  int64_t index_count;     /**< 'u': number of indices */
  const void *indices;     /**< 'u': [index_count] global indices of indices_dtype; the producer's memory */
} dap_dim;

#endif
