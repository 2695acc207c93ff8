/**
 * @file
 * Describes how one axis of a new layout is distributed over processes.
 *
 * The functions fill a dap_dist for the most common distributions. They do not check their arguments;
 * dap_layout_create() (layout.h) checks them when it creates the layout. If the Python library d2o has the
 * same distribution, the function's comment gives d2o's name for it.
 */
#ifndef DAPBRIDGE_DIST_H
#define DAPBRIDGE_DIST_H

#include <dapbridge/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A layout defines where every element of a distributed array is stored. dap_layout_create() creates a
 * layout. */
typedef struct dap_layout dap_layout;

/** Specifies how one axis of a new layout is distributed. */
typedef enum dap_dist_kind {
  DAP_DIST_EVEN,    /**< contiguous; the first size % procs processes have one element more than the others */
  DAP_DIST_CEIL,    /**< contiguous; ceil(size / procs) elements each; the last processes may have fewer */
  DAP_DIST_LENGTHS, /**< contiguous; `lengths` contains the number of elements of each process */
  DAP_DIST_CYCLIC,  /**< blocks of block_size elements, dealt round robin, beginning with first_owner */
  DAP_DIST_UNSTRUCTURED, /**< `indices` contains the indices of each process's elements */
  DAP_DIST_REPLICATED,   /**< every process has a copy of all elements; lists are not needed */
  DAP_DIST_PARTIAL       /**< each element is a sum of one addend per process; only for a plan's source */
} dap_dist_kind;

/**
 * The distribution of one axis, for dap_layout_create(). The dap_dist_*() functions fill the struct for the
 * common cases.
 *
 * dap_layout_create() copies `lengths`, `indices`, `owned` and `is_owned`, so the caller may free them
 * afterwards. The default of each member is 0. Members that do not apply to the kind are ignored, but
 * dap_layout_create() refuses halo, boundary, periodic and wraps for kinds that are not contiguous.
 *
 * **Padding.** At each interface between two processes, both processes must own at least `halo` elements. The
 * processes at the outer edges own the boundary padding. An axis with `wraps` must be periodic and must not
 * have boundary padding (protocol 0.9).
 *
 * **Lists.** For DAP_DIST_LENGTHS, the sum of `lengths` must be `size`. For DAP_DIST_UNSTRUCTURED, no list
 * may contain an index twice, and each index in [0, size) must be in at least one list. Each index has
 * exactly one owner. An index is a ghost on all other processes that list it. `owned` or `is_owned` specifies
 * the owners. If both are NULL, the lowest-numbered process that lists an index owns it.
 */
typedef struct dap_dist {
  dap_dist_kind kind; /**< how the axis is distributed */
  int procs;          /**< number of processes along the axis, >= 1 */
  int64_t size;       /**< number of elements, including boundary padding, >= 0 */
  /** [procs] elements of each process (DAP_DIST_LENGTHS), or indices in each list (DAP_DIST_UNSTRUCTURED) */
  const int64_t *lengths;
  int64_t block_size; /**< DAP_DIST_CYCLIC: elements per block, >= 1 */
  int first_owner;    /**< DAP_DIST_CYCLIC: coordinate of the first block's owner (ScaLAPACK's RSRC, CSRC) */
  int64_t halo;       /**< contiguous kinds: width of communication padding on both sides of each interface */
  int64_t boundary[2]; /**< contiguous kinds: widths of boundary padding at the two outer edges */
  bool periodic;       /**< contiguous kinds: the first and the last element are neighbours */
  /** contiguous kinds, periodic: the two outer edges also have communication padding, which wraps around */
  bool wraps;
  /** DAP_DIST_UNSTRUCTURED: [procs][lengths[c]] global indices, in the order of the buffer */
  const int64_t *const *indices;
  bool one_to_one; /**< DAP_DIST_UNSTRUCTURED: no index is in two lists */
  /** DAP_DIST_UNSTRUCTURED: [procs] process c owns the first owned[c] indices of its list */
  const int64_t *owned;
  /** DAP_DIST_UNSTRUCTURED, instead of `owned`: [procs][lengths[c]] flags, each true if process c owns the
   * index at this position of its list */
  const bool *const *is_owned;
} dap_dist;

/**
 * Describes an axis of even blocks: the first size % procs processes own one more element than the others.
 *
 * d2o calls this distribution "equal". Not collective.
 *
 * Source: Steininger et al., d2o: a distributed data object for parallel high-performance computing in
 * Python.
 *
 * @param size   number of elements
 * @param procs  number of processes
 * @return the distribution
 */
DAP_API dap_dist dap_dist_even(int64_t size, int procs);

/**
 * Describes an axis of even blocks with communication padding on both sides of each interface between
 * processes.
 *
 * The first size % procs processes own one element more than the others. Not collective.
 *
 * @param size   number of elements, without communication padding
 * @param procs  number of processes
 * @param halo   width of the padding, in elements
 * @return the distribution
 */
DAP_API dap_dist dap_dist_padded(int64_t size, int procs, int64_t halo);

/**
 * Describes an axis that is cut into blocks of ceil(size / procs) elements.
 *
 * The last processes may get fewer elements or none. d2o calls this distribution "fftw", and HPF calls it
 * BLOCK. Not collective.
 *
 * @param size   number of elements
 * @param procs  number of processes
 * @return the distribution
 */
DAP_API dap_dist dap_dist_ceil(int64_t size, int procs);

/**
 * Describes an axis with one block of a given length for each process.
 *
 * d2o calls this distribution "freeform". Not collective.
 *
 * @param size     number of elements
 * @param procs    number of processes
 * @param lengths  [procs] number of elements of each process; the sum is `size`. The list must exist until
 *                 the layout has been created.
 * @return the distribution
 */
DAP_API dap_dist dap_dist_lengths(int64_t size, int procs, const int64_t lengths[]);

/**
 * Describes an axis of blocks of equal size, dealt round robin, beginning with process 0.
 *
 * ScaLAPACK distributes rows in this way if RSRC is 0, and columns if CSRC is 0. Not collective.
 *
 * @param size        number of elements
 * @param procs       number of processes
 * @param block_size  number of elements in a block
 * @return the distribution
 */
DAP_API dap_dist dap_dist_cyclic(int64_t size, int procs, int64_t block_size);

/**
 * Describes an axis by a list of global indices for each process.
 *
 * An index may be in several lists. The lowest-numbered process that lists an index owns it. Not collective.
 *
 * @param size     number of elements
 * @param procs    number of processes
 * @param lengths  [procs] number of indices in each list
 * @param indices  [procs][lengths[c]] global indices, in the order of the buffer. The lists must exist until
 *                 the layout has been created.
 * @return the distribution
 */
DAP_API dap_dist dap_dist_unstructured(int64_t size, int procs, const int64_t lengths[],
                                       const int64_t *const indices[]);

/**
 * Describes an axis by a list of global indices for each process: first the owned indices, then the ghosts.
 *
 * Not collective.
 *
 * @param size     number of elements
 * @param procs    number of processes
 * @param lengths  [procs] number of indices in each list
 * @param owned    [procs] number of owned indices, which come first in each list
 * @param indices  [procs][lengths[c]] global indices, in the order of the buffer. The lists must exist until
 *                 the layout has been created.
 * @return the distribution
 */
DAP_API dap_dist dap_dist_unstructured_ghosted(int64_t size, int procs, const int64_t lengths[],
                                               const int64_t owned[], const int64_t *const indices[]);

/**
 * Describes a replicated axis: every process has a copy of all elements.
 *
 * The copies must be equal. The axis has dist_type 'u', so views for solver libraries are copies. d2o calls
 * this distribution "not". Not collective.
 *
 * @param size   number of elements
 * @param procs  number of processes
 * @return the distribution
 */
DAP_API dap_dist dap_dist_replicated(int64_t size, int procs);

/**
 * Describes a partial axis: every process has an addend of each element.
 *
 * An element of the array is the sum of its addends, unless dap_plan_options.combine selects another
 * operation. A layout with such an axis can only be the source of a plan. Not collective.
 *
 * @param size   number of elements
 * @param procs  number of processes
 * @return the distribution
 */
DAP_API dap_dist dap_dist_partial(int64_t size, int procs);

/**
 * Describes an axis that is not distributed: all its elements are on one process.
 *
 * Not collective.
 *
 * @param size  number of elements
 * @return the distribution
 */
DAP_API dap_dist dap_dist_local(int64_t size);

#ifdef __cplusplus
}
#endif

#endif
