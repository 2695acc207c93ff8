/**
 * @file
 * One axis of a layout: which elements each process has, and how solver libraries describe the axis.
 *
 * Axes and coordinates must lie in the layout. Functions without `err` do not check this. Coordinates are a
 * process's coordinates on the process grid, which dap_layout_coords() finds.
 */
#ifndef DAPBRIDGE_AXIS_H
#define DAPBRIDGE_AXIS_H

#include <dapbridge/dim.h>
#include <dapbridge/dist.h>
#include <dapbridge/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The properties of an axis that are common to all processes. */
typedef struct dap_axis {
  char dist_type;  /**< 'b', 'c' or 'u' */
  bool periodic;   /**< 'b': the first and the last element are neighbours */
  bool one_to_one; /**< 'u': declared one to one; other axes may be one to one, too */
  /** 'u': the owners of indices were given. If false, the lowest coordinate that has an index owns it.
   * Layouts with the same owners are equal, whether or not the owners were given. */
  bool owners_given;
  /** 'u' without lists: every coordinate has a copy of all elements, in order. The copies are the same, and
   * coordinate 0 counts as the owner. Such an axis is not equal to an axis with lists of all indices. */
  bool replicated;
  /** 'u' without lists: every coordinate has an addend of each element, in order. Such an axis is not equal
   * to an axis with lists of all indices. */
  bool partial;
  int procs;          /**< processes along the axis */
  int first_owner;    /**< 'c': coordinate that owns block 0; else 0 */
  int64_t size;       /**< elements */
  int64_t block_size; /**< 'c': elements per block; else 0 */
  /** 'b': widths of boundary padding at the outer edges, as part of size; else 0. If processes at an edge
   * have different widths, an assembled layout takes the width of the process at coordinate 0 of all other
   * axes. */
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

/** A range of consecutive elements of one axis on one process. dap_layout_next_run() finds a run in constant
 * time. On a 'u' axis with lists the time is proportional to the run's length. */
typedef struct dap_run {
  int64_t global; /**< global index of the first element */
  int64_t local;  /**< position of the first element in the local buffer */
  int64_t length; /**< elements, >= 1 */
} dap_run;

/**
 * Returns whether this process knows which elements are at a coordinate.
 *
 * For an assembled 'u' axis, a process knows only the elements at its own coordinate. It knows all elements
 * of other axes. Counts and extents are always known. Not collective.
 *
 * @param layout  the layout
 * @param axis    axis, in [0, ndim)
 * @param coord   coordinate along the axis
 * @return true if the elements are known
 */
DAP_API bool dap_layout_knows(const dap_layout *layout, int axis, int coord);

/**
 * Iterates over a process's owned elements along an axis, in runs of consecutive elements.
 *
 *     dap_run run = {0};
 *     while (dap_layout_next_run(layout, 0, coord, &run)) use(run);
 *
 * Runs are in the buffer's order: one for 'b', one per block for 'c', the longest ones for 'u'. Not
 * collective.
 *
 * @param layout  the layout
 * @param axis    axis, in [0, ndim)
 * @param coord   coordinate of the process
 * @param run     zeroed before the first call; receives the next run
 * @return false if there are no more runs, or `coord` is not known
 */
DAP_API bool dap_layout_next_run(const dap_layout *layout, int axis, int coord, dap_run *run);

/**
 * Returns the number of elements that a process owns along an axis.
 *
 * For 'c' the number is the same as from ScaLAPACK's TOOLS/numroc.f. Not collective.
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
 * The extent includes communication padding ('b') and ghosts ('u'), which are copies of elements that another
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
 * A process does not own its communication padding and ghosts. Not collective.
 *
 * @param layout  the layout
 * @param axis    axis, in [0, ndim)
 * @param coord   coordinate of the process along the axis, which must be known
 * @param local   position along the axis, in [0, extent)
 * @return true if the process owns the element
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
 * The protocol cannot name the owners of indices of a 'u' axis. Readers assume that the lowest coordinate
 * with an index owns it. So ghosts must be up to date when you hand out the array. Not collective.
 *
 * @param layout   the layout
 * @param version  version of the protocol: "0.10.0", "0.9.0" or "0.0.1"; NULL means 0.10
 * @param axis     axis, in [0, ndim)
 * @param coord    coordinate of the process
 * @param dim      receives the dictionary; dim->indices points into the layout
 * @param err      receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, or `axis` or `coord` is out of range
 *  - DAP_ERR_VERSION: the version is unknown
 *  - DAP_ERR_UNSUPPORTED: the version cannot express a partial axis (all versions), outer padding that wraps
 *    around (0.10), boundary padding of a periodic axis (0.9, 0.0.1), or one_to_one (0.0.1)
 *  - DAP_ERR_REMOTE: this process does not know the indices at `coord`
 *  - DAP_ERR_NOMEM: no memory for the list of a replicated axis
 */
DAP_API dap_status dap_layout_dim(const dap_layout *layout, const char *version, int axis, int coord,
                                  dap_dim *dim, dap_error *err);

/* ---- as solver libraries describe an axis ------------------------------------------------------------ */

/** A block-cyclic distribution of an axis: ScaLAPACK's block size (MB or NB) and source coordinate (RSRC or
 * CSRC). DAP_DIST_CEIL always gives this form. DAP_DIST_EVEN gives it if size % procs is 0 or procs - 1, or
 * if size < procs. */
typedef struct dap_blocks {
  /** the only block size that fits; 0 means that one process owns all elements, so every size >= least
   * fits */
  int64_t size;
  int64_t least; /**< smallest block size that fits, in elements, >= 1 */
  int source;    /**< coordinate that owns block 0; -1: any, because nothing is distributed */
} dap_blocks;

/**
 * Expresses an axis as block-cyclic, if that is possible.
 *
 * A 'c' axis is always block-cyclic, and a 'u' axis never is. A 'b' axis is block-cyclic if the processes
 * that own elements are adjacent and own equal numbers, except that the last may own fewer (rule 22). Not
 * collective.
 *
 * @param layout  the layout
 * @param axis    axis, in [0, ndim)
 * @param blocks  receives block size and first owner
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, or `axis` is out of range
 *  - DAP_ERR_SHARE: the axis is not block-cyclic; the text names the first process at fault
 */
DAP_API dap_status dap_layout_blocks(const dap_layout *layout, int axis, dap_blocks *blocks, dap_error *err);

/**
 * Expresses an axis as PETSc's ownership ranges: coordinate c owns [ranges[c], ranges[c + 1]).
 *
 * A 'c' axis has ranges if no process has two blocks and process 0 has the first. A 'u' axis has ranges if
 * all its lists are known, ascend and have no gaps. Not collective.
 *
 * @param layout  the layout
 * @param axis    axis, in [0, ndim)
 * @param ranges  [procs + 1] receives the ends of the ranges; unspecified on error; may be NULL
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, or `axis` is out of range
 *  - DAP_ERR_SHARE: the axis has no such ranges
 *  - DAP_ERR_REMOTE: the indices of a coordinate are unknown here
 * @see dap_layout_blocks()
 */
DAP_API dap_status dap_layout_ranges(const dap_layout *layout, int axis, int64_t ranges[], dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
