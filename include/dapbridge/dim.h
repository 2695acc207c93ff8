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

/** The value of an integer member whose key is missing from the dictionary. Only the key block_size may be
 * missing, and the block size is then 1. A program that reads dictionaries must also store DAP_ABSENT for a
 * required key that is missing, so that the checks report the key. */
#define DAP_ABSENT INT64_MIN

/**
 * One process's description of one axis, with the keys of protocol 0.10.
 *
 * dap_dialect_find() (dialect.h) finds the names of the keys in other versions. Sizes, widths and indices are
 * in elements. Indices start at 0. Members that do not apply to a dist_type are ignored. The values of
 * dist_type are:
 *
 * - 'b', block: the global range [start, stop). The range is empty if start == stop. Its length may differ
 *   between processes. In 0.10, the range contains the indices of this process's buffer, including
 *   communication padding. In 0.9 and 0.0.1, the range contains only the indices that this process owns.
 *   Communication padding consists of copies of elements that a neighbour owns. Boundary padding consists of
 *   elements at the outer edges of the array. The processes at the edges own these elements, and `size`
 *   includes them. In 0.9 and 0.0.1, the outer padding of a periodic axis is communication padding that wraps
 *   around.
 * - 'c', cyclic: blocks of block_size elements, dealt round robin. `start` is this process's first owned
 *   index, or any value >= size if the process owns nothing.
 * - 'u', unstructured: the global indices of this process's buffer, in the buffer's order. Unless one_to_one
 *   is set, an index may be on several processes. The process with the lowest proc_grid_rank then owns the
 *   index, unless owners are passed to dap_layout_assemble_ghosted().
 * - 'n', in 0.9 and 0.0.1: not distributed. Such an axis is equivalent to a 'b' axis with the range [0, size)
 *   on one process. The grid keys, start and stop are ignored, but `periodic` is used. Padding is used in 0.9
 *   and ignored in 0.0.1.
 * - 0, in 0.10: the empty dictionary. The whole axis is on this process, as if it were a 'b' axis on one
 *   process.
 */
typedef struct dap_dim {
  char dist_type;          /**< 'b', 'c', 'u', 'n', or 0 for the empty dictionary */
  bool periodic;           /**< 'b': the first and the last element are neighbours */
  bool one_to_one;         /**< 'u': no index is on two processes */
  dap_dtype indices_dtype; /**< 'u': type of `indices`, any integer type */
  int64_t size;            /**< number of elements along the whole axis, >= 0 */
  int64_t proc_grid_size;  /**< number of processes along the axis, >= 1 */
  int64_t proc_grid_rank;  /**< coordinate of this process along the axis, >= 0 */
  int64_t start;           /**< 'b', 'c': first global index */
  int64_t stop;            /**< 'b': end of the range [start, stop) */
  int64_t padding[2];      /**< 'b': widths of padding at the low and the high end, in elements */
  int64_t block_size;      /**< 'c': elements per block, >= 1, or DAP_ABSENT for 1 */
  int64_t index_count;     /**< 'u': number of indices */
  const void *indices; /**< 'u': [index_count] indices of type indices_dtype; the struct does not own them */
} dap_dim;

#endif
