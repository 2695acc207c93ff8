/**
 * @file
 * Describes one axis of a layout: which elements each process has, and how solver libraries express the
 * distribution.
 *
 * Functions without `err` do not check that the given axes and coordinates exist in the layout. A coordinate
 * is the position of a process along an axis of the process grid; dap_layout_coords() finds it.
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

/**
 * The properties of an axis that are common to all processes.
 *
 * Replicated and partial axes are 'u' axes without lists. Each process has a copy (replicated) or an addend
 * (partial) of every element, in ascending order of the global indices. All copies of an element are equal,
 * and the process at coordinate 0 owns the element. An axis with lists is never considered equal to a
 * replicated or partial axis, even if its lists contain all indices.
 *
 * If owners_given is false, an index that several processes list belongs to the process with the lowest
 * coordinate. Layouts that differ only in owners_given are equal.
 *
 * Processes at an outer edge may have different widths of boundary padding. An assembled layout uses the
 * width of the process that has coordinate 0 along all other axes.
 */
typedef struct dap_axis {
  char dist_type;  /**< 'b' (block), 'c' (cyclic) or 'u' (unstructured) */
  bool periodic;   /**< 'b': the first and the last element are neighbours */
  bool one_to_one; /**< 'u': true if it is known that no index is on two processes */
  /** 'u': true if the owner of each index was given when the layout was created */
  bool owners_given;
  bool replicated;    /**< 'u': every process has a copy of every element */
  bool partial;       /**< 'u': each element is a sum, and every process has one addend of the sum */
  int procs;          /**< number of processes along the axis */
  int first_owner;    /**< 'c': coordinate of the process that owns block 0; other types: 0 */
  int64_t size;       /**< number of elements along the axis */
  int64_t block_size; /**< 'c': elements per block; other types: 0 */
  /** 'b': widths of boundary padding at the two outer edges, included in `size`; other types: 0 */
  int64_t boundary[2];
} dap_axis;

/**
 * Returns the properties of an axis that are common to all processes.
 *
 * Not collective.
 *
 * @param layout  the layout
 * @param axis    number of the axis, in [0, ndim)
 * @return the properties
 */
DAP_API dap_axis dap_layout_axis(const dap_layout *layout, int axis);

/** A range of consecutive elements of one axis on one process. dap_layout_next_run() finds a run in constant
 * time, except on a 'u' axis with lists, where the time is proportional to the run's length. */
typedef struct dap_run {
  int64_t global; /**< global index of the first element */
  int64_t local;  /**< position of the first element in the local buffer */
  int64_t length; /**< number of elements, >= 1 */
} dap_run;

/**
 * Returns whether this process knows which elements the processes at a coordinate have.
 *
 * Along an assembled 'u' axis, a process knows only the elements at its own coordinate. The number of owned
 * elements and the extent of the buffer are known for every coordinate. Not collective.
 *
 * @param layout  the layout
 * @param axis    number of the axis, in [0, ndim)
 * @param coord   coordinate along the axis
 * @return true if the elements are known
 */
DAP_API bool dap_layout_knows(const dap_layout *layout, int axis, int coord);

/**
 * Iterates over the runs of consecutive elements that a process owns along an axis.
 *
 *     dap_run run = {0};
 *     while (dap_layout_next_run(layout, 0, coord, &run)) use(run);
 *
 * There is at most one run on a 'b' axis, and one for each block on a 'c' axis. On a 'u' axis, runs are as
 * long as possible. The function returns runs in the order of the buffer. Not collective.
 *
 * @param layout  the layout
 * @param axis    number of the axis, in [0, ndim)
 * @param coord   coordinate of the process
 * @param run     receives the next run; must be zeroed before the first call
 * @return false if there are no more runs, or if the elements at `coord` are not known
 */
DAP_API bool dap_layout_next_run(const dap_layout *layout, int axis, int coord, dap_run *run);

/**
 * Returns the number of elements that a process owns along an axis.
 *
 * On a 'c' axis, the result equals that of ScaLAPACK's numroc() (TOOLS/numroc.f). Not collective.
 *
 * @param layout  the layout
 * @param axis    number of the axis, in [0, ndim)
 * @param coord   coordinate of the process
 * @return number of elements, >= 0
 */
DAP_API int64_t dap_layout_owned(const dap_layout *layout, int axis, int coord);

/**
 * Returns the extent of a process's buffer along an axis.
 *
 * The extent includes communication padding ('b') and ghosts ('u'): copies of elements that another process
 * owns. Not collective.
 *
 * @param layout  the layout
 * @param axis    number of the axis, in [0, ndim)
 * @param coord   coordinate of the process
 * @return number of elements, >= 0
 */
DAP_API int64_t dap_layout_extent(const dap_layout *layout, int axis, int coord);

/**
 * Returns whether a process owns the element at a position of its buffer.
 *
 * A process does not own its communication padding or ghosts. Not collective.
 *
 * @param layout  the layout
 * @param axis    number of the axis, in [0, ndim)
 * @param coord   coordinate of the process, for which dap_layout_knows() must return true
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
 * @param axis    number of the axis, in [0, ndim)
 * @param coord   coordinate of the process
 * @param width   receives the widths at the low and at the high end, in elements
 */
DAP_API void dap_layout_halo(const dap_layout *layout, int axis, int coord, int64_t width[2]);

/**
 * Makes the dictionary that a process exports for an axis.
 *
 * The dictionary of a 'u' axis cannot name owners. Programs that read the dictionary assume that an index
 * belongs to the process with the lowest coordinate among those that list the index. So update ghosts before
 * you export the array. Not collective.
 *
 * @param layout   the layout
 * @param version  version of the protocol: "0.10.0", "0.9.0" or "0.0.1"; NULL means 0.10
 * @param axis     number of the axis, in [0, ndim)
 * @param coord    coordinate of the process
 * @param dim      receives the dictionary; the layout owns dim->indices
 * @param err      receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, or `axis` or `coord` is out of range
 *  - DAP_ERR_VERSION: the version is unknown
 *  - DAP_ERR_UNSUPPORTED: the version cannot express an axis that is partial (all versions), has outer
 *    padding that wraps around (0.10), is periodic with boundary padding (0.9, 0.0.1), or is one_to_one
 *    (0.0.1)
 *  - DAP_ERR_REMOTE: this process does not know the indices at `coord`
 *  - DAP_ERR_NOMEM: no memory for the indices of a replicated axis
 */
DAP_API dap_status dap_layout_dim(const dap_layout *layout, const char *version, int axis, int coord,
                                  dap_dim *dim, dap_error *err);

/* ---- how solver libraries describe an axis ----------------------------------------------------------- */

/** A block-cyclic distribution of an axis: ScaLAPACK's block size (MB or NB) and source coordinate (RSRC or
 * CSRC). An axis of kind DAP_DIST_CEIL always has such a distribution. An axis of kind DAP_DIST_EVEN has one
 * if size % procs is 0 or procs - 1, or if size < procs. If one process owns all elements, any block size
 * that is large enough describes the axis. */
typedef struct dap_blocks {
  int64_t size;  /**< the block size; 0: one process owns all elements, and any size >= least is possible */
  int64_t least; /**< smallest block size that describes the axis, in elements, >= 1 */
  /** coordinate of the owner of block 0; -1: any coordinate, because the axis is empty or on one process */
  int source;
} dap_blocks;

/**
 * Expresses an axis as block-cyclic, if that is possible.
 *
 * A 'c' axis is always block-cyclic, and a 'u' axis never is. A 'b' axis is block-cyclic if the processes
 * that own elements are adjacent and own equal numbers of elements. The last of these processes may own fewer
 * elements (rules.h, rule 22). Not collective.
 *
 * @param layout  the layout
 * @param axis    number of the axis, in [0, ndim)
 * @param blocks  receives the block size and the coordinate of the first block's owner
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, or `axis` is out of range
 *  - DAP_ERR_SHARE: the axis is not block-cyclic; for a 'b' axis, the text names a process that does not fit
 */
DAP_API dap_status dap_layout_blocks(const dap_layout *layout, int axis, dap_blocks *blocks, dap_error *err);

/**
 * Expresses an axis as PETSc's ownership ranges: the process at coordinate c owns [ranges[c], ranges[c + 1]).
 *
 * A 'b' axis always has such ranges. A 'c' axis has such ranges if it is on one process. It also has them if
 * no process owns two blocks and the blocks ascend from process to process. A 'u' axis has such ranges if the
 * owned indices ascend without gaps from process to process. Not collective.
 *
 * @param layout  the layout
 * @param axis    number of the axis, in [0, ndim)
 * @param ranges  [procs + 1] receives the bounds of the ranges; unspecified on error; may be NULL
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, or `axis` is out of range
 *  - DAP_ERR_SHARE: the axis does not have such ranges
 *  - DAP_ERR_REMOTE: this process does not know the indices at a coordinate
 * @see dap_layout_blocks()
 */
DAP_API dap_status dap_layout_ranges(const dap_layout *layout, int axis, int64_t ranges[], dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
