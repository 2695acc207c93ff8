/**
 * @file
 * Layouts, and how one axis of a new layout is distributed over processes.
 *
 * The functions only fill a dap_dist, for the most common distributions. dap_layout_create() (layout.h)
 * checks the dap_dist and makes the layout.
 */
#ifndef DAPBRIDGE_DIST_H
#define DAPBRIDGE_DIST_H

#include <dapbridge/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A layout says where every element of a distributed array lives. dap_layout_create() makes one. */
typedef struct dap_layout dap_layout;

/** How one axis of a new layout is distributed. */
typedef enum dap_dist_kind {
  DAP_DIST_EVEN, /**< contiguous; the first size % procs processes have one element more than the others */
  DAP_DIST_CEIL, /**< contiguous; ceil(size / procs) elements per process, fewer or none on the last ones */
  DAP_DIST_LENGTHS,      /**< contiguous; numbers of elements as in `lengths` */
  DAP_DIST_CYCLIC,       /**< blocks of block_size elements, dealt round robin from first_owner on */
  DAP_DIST_UNSTRUCTURED, /**< the index lists in `indices` */
  DAP_DIST_REPLICATED,   /**< every process has the same copy of all elements; needs no list */
  DAP_DIST_PARTIAL       /**< every process has an addend of each element; only for sources of plans */
} dap_dist_kind;

/** The distribution of one axis, for dap_layout_create(), which copies the arrays. The dap_dist_*() functions
 * fill the struct for the common cases. The default of each member is 0. Members that do not apply to the
 * kind are ignored. However, halo, boundary and periodic are refused for kinds that are not contiguous. */
typedef struct dap_dist {
  dap_dist_kind kind; /**< how the axis is distributed */
  int procs;          /**< processes along the axis, >= 1 */
  int64_t size;       /**< elements, including boundary padding, >= 0 */
  /** [procs] DAP_DIST_LENGTHS: number of elements that each process owns; the sum is size.
   * DAP_DIST_UNSTRUCTURED: number of indices in each list. */
  const int64_t *lengths;
  int64_t block_size; /**< DAP_DIST_CYCLIC: elements per block, >= 1 */
  int first_owner;    /**< DAP_DIST_CYCLIC: coordinate that owns the first block (ScaLAPACK's RSRC, CSRC) */
  /** contiguous kinds: width of communication padding on both sides of each interface. It must not exceed the
   * number of elements that a neighbour owns. */
  int64_t halo;
  /** contiguous kinds: widths of boundary padding at the two outer edges; the padding is part of the owned
   * elements */
  int64_t boundary[2];
  bool periodic; /**< contiguous kinds: the first and the last element are neighbours */
  /** Contiguous kinds, periodic: the two outer edges also have communication padding, which wraps around
   * (protocol 0.9). The axis must then have no boundary padding. */
  bool wraps;
  /** DAP_DIST_UNSTRUCTURED: [procs][lengths[c]] global indices in the order of the buffer. No list contains
   * an index twice. Each index in [0, size) is in at least one list. */
  const int64_t *const *indices;
  bool one_to_one; /**< DAP_DIST_UNSTRUCTURED: no index is in two lists */
  /** DAP_DIST_UNSTRUCTURED: [procs] process c owns the first owned[c] indices of its list; the others are
   * ghosts. Each index has one owner. If owned and is_owned are NULL, the lowest-numbered process that has an
   * index owns it.
   */
  const int64_t *owned;
  /** DAP_DIST_UNSTRUCTURED, instead of `owned`: [procs][lengths[c]] flags that say whether process c owns
   * each index. */
  const bool *const *is_owned;
} dap_dist;

/**
 * Describes an axis in even blocks: the first size % procs processes own one more element than the others.
 *
 * The distribution is d2o's "equal". The function only fills the struct; dap_layout_create() checks it. Not
 * collective.
 *
 * Source: Steininger et al., d2o: a distributed data object for parallel high-performance computing in
 * Python.
 *
 * @param size   elements
 * @param procs  processes
 * @return the distribution
 */
DAP_API dap_dist dap_dist_even(int64_t size, int procs);

/**
 * Describes an axis in even blocks with communication padding on both sides of each interface.
 *
 * The function only fills the struct; dap_layout_create() checks it. Not collective.
 *
 * @param size   elements, without communication padding
 * @param procs  processes
 * @param halo   width of the padding, in elements
 * @return the distribution
 */
DAP_API dap_dist dap_dist_padded(int64_t size, int procs, int64_t halo);

/**
 * Describes an axis that is cut into blocks of ceil(size / procs) elements.
 *
 * The last processes may get fewer elements, or none. The distribution is d2o's "fftw" and HPF's BLOCK. The
 * function only fills the struct; dap_layout_create() checks it. Not collective.
 *
 * @param size   elements
 * @param procs  processes
 * @return the distribution
 */
DAP_API dap_dist dap_dist_ceil(int64_t size, int procs);

/**
 * Describes an axis in blocks of given lengths.
 *
 * The distribution is d2o's "freeform". The function only fills the struct; dap_layout_create() checks it.
 * Not collective.
 *
 * @param size     elements
 * @param procs    processes
 * @param lengths  [procs] number of elements of each process; the sum is `size`. The array is not copied, so
 *                 it must exist until the layout has been created.
 * @return the distribution
 */
DAP_API dap_dist dap_dist_lengths(int64_t size, int procs, const int64_t lengths[]);

/**
 * Describes an axis in blocks of equal size that are dealt round robin, starting with process 0.
 *
 * The distribution is ScaLAPACK's with RSRC = 0. The function only fills the struct; dap_layout_create()
 * checks it. Not collective.
 *
 * @param size        elements
 * @param procs       processes
 * @param block_size  elements of a block
 * @return the distribution
 */
DAP_API dap_dist dap_dist_cyclic(int64_t size, int procs, int64_t block_size);

/**
 * Describes an axis by a list of global indices for each process.
 *
 * An index may be in several lists. The lowest-numbered process that lists an index owns it.
 * dap_layout_create() checks the struct. Not collective.
 *
 * @param size     elements
 * @param procs    processes
 * @param lengths  [procs] number of indices in each list
 * @param indices  [procs][lengths[c]] global indices, in the order of the buffer. The arrays are not copied:
 *                 they must exist until the layout has been created.
 * @return the distribution
 */
DAP_API dap_dist dap_dist_unstructured(int64_t size, int procs, const int64_t lengths[],
                                       const int64_t *const indices[]);

/**
 * Describes an axis by lists of indices: first the indices that a process owns, then its ghosts, as for a
 * mesh.
 *
 * dap_layout_create() checks the struct. Not collective.
 *
 * @param size     elements
 * @param procs    processes
 * @param lengths  [procs] number of indices in each list
 * @param owned    [procs] number of owned indices, at the beginning of each list
 * @param indices  [procs][lengths[c]] global indices, in the order of the buffer. The arrays are not copied:
 *                 they must exist until the layout has been created.
 * @return the distribution
 */
DAP_API dap_dist dap_dist_unstructured_ghosted(int64_t size, int procs, const int64_t lengths[],
                                               const int64_t owned[], const int64_t *const indices[]);

/**
 * Describes a replicated axis: every process has a copy of all elements.
 *
 * The copies must be equal. The axis is 'u', so solvers move it. The distribution is d2o's "not". The
 * function only fills the struct; dap_layout_create() checks it. Not collective.
 *
 * @param size   elements
 * @param procs  processes
 * @return the distribution
 */
DAP_API dap_dist dap_dist_replicated(int64_t size, int procs);

/**
 * Describes a partial axis: every process has an addend of each element.
 *
 * An element of the array is the sum of its addends, unless dap_plan_options.combine chooses another
 * operation. A layout with such an axis can only be the source of a plan. The function only fills the struct;
 * dap_layout_create() checks it. Not collective.
 *
 * @param size   elements
 * @param procs  processes
 * @return the distribution
 */
DAP_API dap_dist dap_dist_partial(int64_t size, int procs);

/**
 * Describes an axis that is not distributed: all its elements are on one process.
 *
 * The function only fills the struct; dap_layout_create() checks it. Not collective.
 *
 * @param size  elements
 * @return the distribution
 */
DAP_API dap_dist dap_dist_local(int64_t size);

#ifdef __cplusplus
}
#endif

#endif
