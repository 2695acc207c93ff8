/**
 * @file
 * Where every element of a distributed array lives.
 *
 * A layout is a product of one-dimensional maps, one for each axis, over a process grid. Ranks are in
 * row-major order on the grid: the coordinate along the last axis varies fastest. dap_layout_reorder() and
 * assembled arrays can have another order.
 *
 * A layout is immutable, independent of element types and buffers, and needs no MPI. Any process can answer
 * questions about all processes. Its memory grows with the sum of the grid's extents, or with their product
 * if ranks are not in row-major order.
 *
 * The index lists of an unstructured ('u') axis are an exception. A layout made by dap_layout_create() knows
 * all of them. A layout made by dap_layout_assemble() has on each process only the indices of that process's
 * coordinate, and a slice of the table of owners. A function that needs indices of other coordinates fails
 * with DAP_ERR_REMOTE. dap_layout_lookup() and plans ask the other processes.
 *
 * Axes and coordinates must lie in the layout, and pointers must not be NULL, unless a comment says
 * otherwise. Functions without `err` do not check this. Functions that return a status fail with DAP_ERR_ARG
 * for a layout that is NULL or, as far as that can be detected, destroyed.
 */
#ifndef DAPBRIDGE_LAYOUT_H
#define DAPBRIDGE_LAYOUT_H

#include <dapbridge/dim.h>
#include <dapbridge/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where every element of a distributed array lives: dap_layout_create() makes one. */
typedef struct dap_layout dap_layout;

/** How one axis of a new layout is distributed. */
typedef enum dap_dist_kind {
  DAP_DIST_EVEN,    /**< contiguous; the first size % procs processes have one element more than the others */
  DAP_DIST_CEIL,    /**< contiguous; ceil(size / procs) elements each, fewer or none on the last processes */
  DAP_DIST_LENGTHS, /**< contiguous; the numbers in `lengths` */
  DAP_DIST_CYCLIC,  /**< blocks of block_size elements, dealt round robin from first_owner on */
  DAP_DIST_UNSTRUCTURED, /**< the index lists in `indices` */
  DAP_DIST_REPLICATED,   /**< every process has the same copy of all elements; no list is kept */
  DAP_DIST_PARTIAL       /**< every process has an addend of each element; only for sources of plans */
} dap_dist_kind;

/** The distribution of one axis, for dap_layout_create(), which copies the arrays. The dap_dist_*() functions
 * fill it for the common cases. 0 is the default of each member. Members that do not apply to the kind are
 * ignored, but halo, boundary and periodic are refused for kinds that are not contiguous. */
typedef struct dap_dist {
  dap_dist_kind kind; /**< how the axis is distributed */
  int procs;          /**< processes along the axis, >= 1 */
  int64_t size;       /**< elements, with boundary padding, >= 0 */
  /** [procs] DAP_DIST_LENGTHS: owned elements, whose sum is size; DAP_DIST_UNSTRUCTURED: elements of each
   * list. */
  const int64_t *lengths;
  int64_t block_size; /**< DAP_DIST_CYCLIC: elements of a block, >= 1 */
  int first_owner;    /**< DAP_DIST_CYCLIC: coordinate of the first block (ScaLAPACK's RSRC, CSRC) */
  /** contiguous kinds: width of communication padding on both sides of each interface. It must not exceed the
   * number of elements that a neighbour owns. */
  int64_t halo;
  /** contiguous kinds: widths of boundary padding at the two outer edges, part of the owned elements there */
  int64_t boundary[2];
  bool periodic; /**< contiguous kinds: the first and the last element are neighbours */
  /** Contiguous kinds, periodic: the two outer edges have communication padding, too, which wraps around
   * (protocol 0.9). The axis then has no boundary padding. */
  bool wraps;
  /** DAP_DIST_UNSTRUCTURED: [procs][lengths[c]] global indices in the order of the buffer. No list has an
   * index twice, and each index of [0, size) is in at least one list. */
  const int64_t *const *indices;
  bool one_to_one; /**< DAP_DIST_UNSTRUCTURED: no index is in two lists */
  /** DAP_DIST_UNSTRUCTURED: [procs] process c owns the first owned[c] indices of its list; the others are
   * ghosts. Each index has one owner. If owned and is_owned are NULL, the lowest process that has an index
   * owns it.
   */
  const int64_t *owned;
  /** DAP_DIST_UNSTRUCTURED, instead of `owned`: [procs][lengths[c]] flags that say whether process c owns
   * each index. */
  const bool *const *is_owned;
} dap_dist;

/**
 * Describes an axis in even blocks: the first size % procs processes have one element more.
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
 * Describes an axis in blocks of the lengths given.
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
 * Describes an axis in blocks of one size that are dealt round robin, the first one to process 0.
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
 * An index may be in several lists. The lowest process that lists it owns it. The function only fills the
 * struct; dap_layout_create() checks it. Not collective.
 *
 * @param size     elements
 * @param procs    processes
 * @param lengths  [procs] number of indices of each list
 * @param indices  [procs][lengths[c]] global indices, in the order of the buffer. The arrays are not copied,
 *                 so they must exist until the layout has been created.
 * @return the distribution
 */
DAP_API dap_dist dap_dist_unstructured(int64_t size, int procs, const int64_t lengths[],
                                       const int64_t *const indices[]);

/**
 * Describes an axis by lists of indices, first those that a process owns, then its ghosts, as for a mesh.
 *
 * The function only fills the struct; dap_layout_create() checks it. Not collective.
 *
 * @param size     elements
 * @param procs    processes
 * @param lengths  [procs] number of indices of each list
 * @param owned    [procs] number of indices at the beginning of each list that the process owns
 * @param indices  [procs][lengths[c]] global indices, in the order of the buffer. The arrays are not copied,
 *                 so they must exist until the layout has been created.
 * @return the distribution
 */
DAP_API dap_dist dap_dist_unstructured_ghosted(int64_t size, int procs, const int64_t lengths[],
                                               const int64_t owned[], const int64_t *const indices[]);

/**
 * Describes a replicated axis: every process has all of its elements.
 *
 * The copies are expected to be equal. The axis is 'u', so solvers move it. It is d2o's "not". The function
 * only fills the struct; dap_layout_create() checks it. Not collective.
 *
 * @param size   elements
 * @param procs  processes
 * @return the distribution
 */
DAP_API dap_dist dap_dist_replicated(int64_t size, int procs);

/**
 * Describes a partial axis: every process has an addend of each element.
 *
 * The array's element is the sum of the addends, unless dap_plan_options.combine chooses another operation. A
 * layout with such an axis can only be the source of a plan. The function only fills the struct;
 * dap_layout_create() checks it. Not collective.
 *
 * @param size   elements
 * @param procs  processes
 * @return the distribution
 */
DAP_API dap_dist dap_dist_partial(int64_t size, int procs);

/**
 * Describes an axis that is not distributed: all of it is on one process.
 *
 * The function only fills the struct; dap_layout_create() checks it. Not collective.
 *
 * @param size  elements
 * @return the distribution
 */
DAP_API dap_dist dap_dist_local(int64_t size);

/**
 * Creates the layout of an array.
 *
 * Axis k is distributed as dists[k] over dists[k].procs processes. A layout without axes describes a scalar
 * on one process.
 *
 *     dap_dist dists[] = {dap_dist_even(rows, 2), dap_dist_cyclic(columns, 3, 64)};
 *     dap_layout_create(2, dists, &layout, &err); // on 6 processes
 *
 * Not collective.
 *
 * @param ndim    number of axes, 0 to DAP_MAX_NDIM
 * @param dists   [ndim] distributions; copied
 * @param layout  receives the layout, to be freed with dap_layout_destroy(); NULL on error
 * @param err     receives the text of an error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument or an array that the kind needs is NULL, `ndim` is out of range, or both owned
 *    and is_owned are given
 *  - DAP_ERR_DIM: a member is out of range, or an axis cannot have the distribution (see dap_dist)
 *  - DAP_ERR_RANGE: the grid or the number of elements overflows
 *  - DAP_ERR_NOMEM
 * @see dap_layout_assemble(), dap_layout_parse(), dap_grid_from_cart()
 */
DAP_API dap_status dap_layout_create(int ndim, const dap_dist dists[], dap_layout **layout, dap_error *err);

/**
 * Creates a layout with the same distributions in another order of ranks.
 *
 * In an assembled layout with 'u' axes each process keeps the indices that it knows. Plans and lookups
 * therefore refuse an order that changes a process's coordinates. Not collective.
 *
 * @param layout     the layout
 * @param ranks      [nprocs] rank at each position of the grid, in row-major order
 * @param reordered  receives the layout, to be freed with dap_layout_destroy(); NULL on error
 * @param err        receives the text of an error, which names the wrong entry; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is NULL, or `ranks` is not a permutation of [0, nprocs)
 *  - DAP_ERR_NOMEM
 * @see dap_plan_relabel()
 */
DAP_API dap_status dap_layout_reorder(const dap_layout *layout, const int ranks[], dap_layout **reordered,
                                      dap_error *err);

/**
 * Returns another reference to a layout.
 *
 * Thread-safe. Not collective.
 *
 * @param layout  the layout; may be NULL
 * @return `layout`, to be released with dap_layout_destroy()
 */
DAP_API dap_layout *dap_layout_retain(const dap_layout *layout);

/**
 * Releases a reference to a layout, and frees the layout with the last one.
 *
 * Thread-safe. Not collective.
 *
 * @param layout  is set to NULL; may be NULL or point to NULL
 */
DAP_API void dap_layout_destroy(dap_layout **layout);

/**
 * Checks that a pointer is a layout that has not been destroyed.
 *
 * Every function that returns a status checks its layouts in this way. Code that takes layouts from others
 * can call this before functions without `err`. The function looks at the memory of a destroyed layout, so it
 * finds mistakes but cannot be relied on. Not collective.
 *
 * @param layout  the layout; may be NULL
 * @param err     receives the text of an error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: `layout` is NULL, destroyed, or not a layout
 */
DAP_API dap_status dap_layout_check(const dap_layout *layout, dap_error *err);

/* ---- the whole -------------------------------------------------------------------------------- */

/**
 * Returns the number of axes.
 *
 * Not collective.
 *
 * @param layout  the layout
 * @return number of axes, at most DAP_MAX_NDIM
 */
DAP_API int dap_layout_ndim(const dap_layout *layout);

/**
 * Returns the number of elements along an axis.
 *
 * Not collective.
 *
 * @param layout  the layout
 * @param axis    axis, in [0, ndim)
 * @return elements, >= 0
 */
DAP_API int64_t dap_layout_size(const dap_layout *layout, int axis);

/**
 * Returns the number of processes along an axis.
 *
 * Not collective.
 *
 * @param layout  the layout
 * @param axis    axis, in [0, ndim)
 * @return processes, >= 1
 */
DAP_API int dap_layout_procs(const dap_layout *layout, int axis);

/**
 * Returns the number of elements of the whole array.
 *
 * Not collective.
 *
 * @param layout  the layout
 * @return product of the sizes of the axes; 1 if there are none
 */
DAP_API int64_t dap_layout_count(const dap_layout *layout);

/**
 * Returns the number of processes of the layout.
 *
 * Not collective.
 *
 * @param layout  the layout
 * @return product of the processes along the axes; 1 if there are none
 */
DAP_API int dap_layout_nprocs(const dap_layout *layout);

/**
 * Returns whether two layouts have the same distributions over the same grid.
 *
 * The number depends on kinds, sizes, block sizes, first owners, ranges, padding, periodicity, indices, and
 * the order of ranks. Layouts that differ in these can still put all elements in the same places. Indices
 * that this process does not know are compared by their hash. Not collective.
 *
 * @param a, b  layouts; may be NULL
 * @return true if they are equal, or both NULL
 */
DAP_API bool dap_layout_is_equal(const dap_layout *a, const dap_layout *b);

/**
 * Returns a hash of a layout: equal layouts have equal hashes.
 *
 * Collective functions compare it to find out whether all processes passed the same layout. Not collective.
 *
 * @param layout  the layout
 * @return 64-bit hash
 */
DAP_API uint64_t dap_layout_hash(const dap_layout *layout);

/**
 * Finds the grid coordinates of a rank.
 *
 * Not collective.
 *
 * @param layout  the layout
 * @param rank    rank, in [0, nprocs)
 * @param coords  [ndim] receives the coordinate along each axis
 * @see dap_layout_rank()
 */
DAP_API void dap_layout_coords(const dap_layout *layout, int rank, int coords[]);

/**
 * Returns the rank at some grid coordinates.
 *
 * Not collective.
 *
 * @param layout  the layout
 * @param coords  [ndim] coordinate along each axis
 * @return rank, in [0, nprocs)
 * @see dap_layout_coords()
 */
DAP_API int dap_layout_rank(const dap_layout *layout, const int coords[]);

/**
 * Returns whether ranks are in row-major order on the grid.
 *
 * Not collective.
 *
 * @param layout  the layout
 * @return true unless dap_layout_reorder(), or the array that was assembled, has set another order
 */
DAP_API bool dap_layout_is_row_major(const dap_layout *layout);

/* ---- one axis --------------------------------------------------------------------------------- */

/** The properties of an axis that are common to all processes. */
typedef struct dap_axis {
  char dist_type;  /**< 'b', 'c' or 'u' */
  bool periodic;   /**< 'b': the first and the last element are neighbours */
  bool one_to_one; /**< 'u': declared one to one; other axes may be so, too */
  /** 'u': the owners of indices were given; else the lowest coordinate that has an index owns it. Layouts
   * with the same owners are equal, whether the owners were given or not. */
  bool owners_given;
  /** 'u' without lists: every coordinate has a copy of all elements, in order. The copies are the same, and
   * coordinate 0 counts as the owner. Such an axis is not equal to one with lists of all indices. */
  bool replicated;
  /** 'u' without lists: every coordinate has an addend of each element, in order. Such an axis is not equal
   * to one with lists of all indices. */
  bool partial;
  int procs;          /**< processes along the axis */
  int first_owner;    /**< 'c': coordinate that owns block 0; else 0 */
  int64_t size;       /**< elements */
  int64_t block_size; /**< 'c': elements of a block; else 0 */
  /** 'b': widths of boundary padding at the outer edges, inside size; else 0. If processes at an edge differ,
   * an assembled layout has the widths of those at coordinate 0 of all other axes. */
  int64_t boundary[2];
} dap_axis;

/**
 * Returns the properties of an axis that are common to all processes.
 *
 * Not collective.
 *
 * @param layout  the layout
 * @param axis    axis, in [0, ndim)
 * @return the properties
 */
DAP_API dap_axis dap_layout_axis(const dap_layout *layout, int axis);

/** A range of consecutive elements of one axis on one process. */
typedef struct dap_run {
  int64_t global; /**< global index of its first element */
  int64_t local;  /**< position of that element in the local buffer */
  int64_t length; /**< elements, >= 1 */
} dap_run;

/**
 * Returns whether this process knows which elements are at a coordinate.
 *
 * The function does not know the elements at other coordinates of an assembled 'u' axis. It knows all other
 * elements. Counts and extents are always known. Not collective.
 *
 * @param layout  the layout
 * @param axis    axis, in [0, ndim)
 * @param coord   coordinate along the axis
 * @return true if the elements are known
 */
DAP_API bool dap_layout_knows(const dap_layout *layout, int axis, int coord);

/**
 * Iterates over the elements that a process owns along an axis, by runs of consecutive elements.
 *
 * Runs come in the order of the process's buffer. A non-empty 'b' axis is one run, and each block of a 'c'
 * axis is one. Runs of a 'u' axis are as long as possible. A call takes constant time for 'b' and 'c', and
 * time proportional to the run's length for 'u'.
 *
 *     dap_run run = {0};
 *     while (dap_layout_next_run(layout, 0, coord, &run)) use(run);
 *
 * Not collective.
 *
 * @param layout  the layout
 * @param axis    axis, in [0, ndim)
 * @param coord   coordinate of the process along the axis
 * @param run     zeroed before the first call; receives the next run
 * @return false if there are no more runs, or if `coord` is not known
 */
DAP_API bool dap_layout_next_run(const dap_layout *layout, int axis, int coord, dap_run *run);

/**
 * Returns the number of elements that a process owns along an axis.
 *
 * For 'c' it is the same number as from ScaLAPACK's TOOLS/numroc.f. Not collective.
 *
 * @param layout  the layout
 * @param axis    axis, in [0, ndim)
 * @param coord   coordinate of the process along the axis
 * @return elements, >= 0
 */
DAP_API int64_t dap_layout_owned(const dap_layout *layout, int axis, int coord);

/**
 * Returns the extent of a process's buffer along an axis.
 *
 * The part includes communication padding ('b') and ghosts ('u'), which are copies of elements that another
 * coordinate owns. Not collective.
 *
 * @param layout  the layout
 * @param axis    axis, in [0, ndim)
 * @param coord   coordinate of the process along the axis
 * @return elements, >= 0
 */
DAP_API int64_t dap_layout_extent(const dap_layout *layout, int axis, int coord);

/**
 * Returns whether a process owns the element at a position of its buffer.
 *
 * It does not own communication padding and ghosts. Not collective.
 *
 * @param layout  the layout
 * @param axis    axis, in [0, ndim)
 * @param coord   coordinate of the process along the axis, which must be known
 * @param local   position along the axis, in [0, extent)
 * @return true if it owns the element
 */
DAP_API bool dap_layout_is_owned(const dap_layout *layout, int axis, int coord, int64_t local);

/**
 * Finds the widths of communication padding in a process's buffer along an axis.
 *
 * Not collective.
 *
 * @param layout  the layout
 * @param axis    axis, in [0, ndim)
 * @param coord   coordinate of the process along the axis
 * @param width   receives the widths at the low and at the high end, in elements
 */
DAP_API void dap_layout_halo(const dap_layout *layout, int axis, int coord, int64_t width[2]);

/**
 * Makes the dictionary that a process exports for an axis.
 *
 * The protocol cannot say which process owns an index of a 'u' axis. Readers take the lowest coordinate that
 * has it. So an array whose owners were given must have up-to-date ghosts when it is handed out.
 *
 * No version can express a partial axis. 0.10 cannot express outer padding that wraps around. 0.9 and 0.0.1
 * cannot express boundary padding of a periodic axis, and 0.0.1 cannot express one_to_one. Not collective.
 *
 * @param layout   the layout
 * @param version  version of the protocol: "0.10.0", "0.9.0" or "0.0.1"; NULL means 0.10
 * @param axis     axis, in [0, ndim)
 * @param coord    coordinate of the process along the axis
 * @param dim      receives the dictionary; dim->indices is memory of the layout
 * @param err      receives rule and text of an error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is NULL, or `axis` or `coord` is out of range
 *  - DAP_ERR_VERSION: the version is unknown
 *  - DAP_ERR_UNSUPPORTED: the version cannot express the axis, see above
 *  - DAP_ERR_REMOTE: this process does not know the indices at `coord`
 *  - DAP_ERR_NOMEM: no memory for the list of a replicated axis, which the first call makes
 */
DAP_API dap_status dap_layout_dim(const dap_layout *layout, const char *version, int axis, int coord,
                                  dap_dim *dim, dap_error *err);

/* ---- as solver libraries describe an axis --------------------------------------------------------- */

/** A block-cyclic distribution of an axis: ScaLAPACK's block size (MB or NB) and source coordinate (RSRC or
 * CSRC). */
typedef struct dap_blocks {
  /** the only block size that fits; 0 means that one process owns all, so every size >= least fits */
  int64_t size;
  int64_t least; /**< smallest block size that fits, in elements, >= 1 */
  int source;    /**< coordinate that owns block 0; -1: any, because nothing is distributed */
} dap_blocks;

/**
 * Expresses an axis as block-cyclic, if that is possible.
 *
 * A 'c' axis is always block-cyclic, a 'u' axis never. Any other axis is block-cyclic if it is on one
 * process. Contiguous ranges are block-cyclic if three conditions hold (rule 22). The processes that own
 * elements are adjacent. All of them except the last own the same number. The last one does not own more.
 *
 * DAP_DIST_CEIL always fulfils them. DAP_DIST_EVEN does if size % procs is 0 or procs - 1, or size < procs.
 * Not collective.
 *
 * @param layout  the layout
 * @param axis    axis, in [0, ndim)
 * @param blocks  receives block size and first owner
 * @param err     receives the text of an error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is NULL, or `axis` is out of range
 *  - DAP_ERR_SHARE: the axis is not block-cyclic; the text names the first process where it fails
 * @see dap_layout_ranges()
 */
DAP_API dap_status dap_layout_blocks(const dap_layout *layout, int axis, dap_blocks *blocks, dap_error *err);

/**
 * Expresses an axis by PETSc's ownership ranges, if that is possible.
 *
 * The process at coordinate c owns the elements [ranges[c], ranges[c + 1]). A 'c' axis has such ranges if no
 * process has two blocks and block 0 is on process 0. A 'u' axis has them if all its lists are known, ascend,
 * and have no gaps. Not collective.
 *
 * @param layout  the layout
 * @param axis    axis, in [0, ndim)
 * @param ranges  [procs + 1] receives the ends of the ranges, unspecified on error; may be NULL
 * @param err     receives the text of an error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is NULL, or `axis` is out of range
 *  - DAP_ERR_SHARE: a process does not own one range in the order of coordinates
 *  - DAP_ERR_REMOTE: this process does not know the indices at some coordinate
 * @see dap_layout_blocks()
 */
DAP_API dap_status dap_layout_ranges(const dap_layout *layout, int axis, int64_t ranges[], dap_error *err);

/* ---- elements --------------------------------------------------------------------------------- */

/**
 * Finds the owner of an element, and the element's position in the owner's buffer.
 *
 * Not collective.
 *
 * @param layout  the layout
 * @param global  [ndim] global index
 * @param rank    receives the rank of the owner
 * @param local   [ndim] receives the position in the owner's buffer
 * @param err     receives the text of an error, which names axis and index; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: `layout` is NULL, or an index is out of range
 *  - DAP_ERR_REMOTE: only another process knows the owner; use dap_layout_lookup()
 * @see dap_layout_locate_all(), dap_layout_globalize()
 */
DAP_API dap_status dap_layout_locate(const dap_layout *layout, const int64_t global[], int *rank,
                                     int64_t local[], dap_error *err);

/**
 * Finds the global index of the element at a position of a process's buffer.
 *
 * The position may be in communication padding. Not collective.
 *
 * @param layout  the layout
 * @param rank    process that has the buffer
 * @param local   [ndim] position in the buffer
 * @param global  [ndim] receives the global index
 * @param owned   receives whether the process owns the element; may be NULL
 * @param err     receives the text of an error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: `layout` is NULL, `rank` is outside the grid, or the position is outside the buffer
 *  - DAP_ERR_REMOTE: this process does not know the indices of `rank`
 * @see dap_layout_globalize_all(), dap_layout_locate()
 */
DAP_API dap_status dap_layout_globalize(const dap_layout *layout, int rank, const int64_t local[],
                                        int64_t global[], bool *owned, dap_error *err);

/**
 * Finds owners and positions of many elements, as dap_layout_locate() does for one.
 *
 * Results for the elements before the first one that fails are valid. Not collective.
 *
 * @param layout  the layout
 * @param count   number of elements, >= 0
 * @param global  [count][ndim] global indices
 * @param ranks   [count] receives the ranks of the owners
 * @param local   [count][ndim] receives the positions in the owners' buffers
 * @param err     receives the text of an error, with the number of the element; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is NULL, `count` is negative, or an index is out of range
 *  - DAP_ERR_REMOTE: only another process knows an owner; use dap_layout_lookup()
 */
DAP_API dap_status dap_layout_locate_all(const dap_layout *layout, int64_t count, const int64_t global[],
                                         int ranks[], int64_t local[], dap_error *err);

/**
 * Finds the global indices of many positions of a buffer, as dap_layout_globalize() does for one.
 *
 * Results for the elements before the first one that fails are valid. Not collective.
 *
 * @param layout  the layout
 * @param rank    process that has the buffer
 * @param count   number of elements, >= 0
 * @param local   [count][ndim] positions in the buffer
 * @param global  [count][ndim] receives the global indices
 * @param owned   [count] receives whether the process owns each element; may be NULL
 * @param err     receives the text of an error, with the number of the element; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: an argument is NULL, `count` is negative, `rank` is outside the grid, or a position is
 *    outside the buffer
 *  - DAP_ERR_REMOTE: this process does not know the indices of `rank`
 */
DAP_API dap_status dap_layout_globalize_all(const dap_layout *layout, int rank, int64_t count,
                                            const int64_t local[], int64_t global[], bool owned[],
                                            dap_error *err);

/* ---- in words ------------------------------------------------------------------------------------ */

/**
 * Writes a description of a layout, one line for each axis.
 *
 * Like snprintf(), it writes at most `capacity` bytes with a closing NUL. (NULL, 0) only finds the length.
 * Not collective.
 *
 * @param layout    the layout
 * @param text      receives the description; NULL if `capacity` is 0
 * @param capacity  bytes of `text`
 * @return length of the full text, without the NUL
 * @see dap_layout_summary(), dap_layout_draw()
 */
DAP_API size_t dap_layout_describe(const dap_layout *layout, char *text, size_t capacity);

/**
 * Writes a description of a layout on one line: "10 x 12 over 2 x 3: block, cyclic(2)".
 *
 * The text has no newline, and leaves out long numbers and lists. Like snprintf(), it writes at most
 * `capacity` bytes with a closing NUL. (NULL, 0) only finds the length. Not collective.
 *
 * @param layout    the layout
 * @param text      receives the description; NULL if `capacity` is 0
 * @param capacity  bytes of `text`
 * @return length of the full text, without the NUL
 * @see dap_layout_format(), which leaves nothing out
 */
DAP_API size_t dap_layout_summary(const dap_layout *layout, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
