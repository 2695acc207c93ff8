/**
 * @file
 * A part of a distributed array as a separate array, in the same memory.
 *
 * A part is a range a[lo:hi, ...], a section a[:, i, :, None], or both at once. A section has fewer axes, new
 * axes, or axes in another order. No elements are moved.
 *
 * The distribution of an axis determines which ranges are possible in place:
 *
 * - all of an axis: always possible. The part keeps the axis's distribution, padding, periodicity and lists.
 * - 'b': any range. Communication padding is removed if it is outside the range, or if the neighbour no
 *   longer owns the padding's elements. The part's axis is not periodic.
 * - 'c': a range that begins with a block, or a range within one block. A range within two blocks is possible
 *   if the part in the second block is not longer than the part in the first. A range in which no process has
 *   two blocks and the owners ascend is also possible, and its axis becomes 'b'.
 * - 'u': a range whose elements are equidistant in the buffer of each process. dap_layout_part() must know
 *   all indices. For an assembled layout use dap_array_part(), and assemble the result.
 *
 * The padding and the lists of a part do not contain indices outside the range. Plans accept any range of any
 * axis.
 */
#ifndef DAPBRIDGE_PART_H
#define DAPBRIDGE_PART_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A part of an array. A zeroed struct means the whole array. */
typedef struct dap_part {
  int naxes; /**< number of axes of the part; 0 if `axes` is NULL */
  /** [naxes] axis j of the part is the array's axis axes[j]; -1: a new axis of extent 1. NULL means all axes
   * of the array, in their order. */
  const int *axes;
  /** [ndim of the array] first index along each axis that is kept, which becomes index 0; along an axis that
   * is left out, the chosen index. NULL means 0 along all axes. */
  const int64_t *start;
  /** [ndim of the array] extents along the axes that are kept; ignored along the others. NULL means up to the
   * end of each axis. */
  const int64_t *shape;
} dap_part;

/**
 * Creates the layout of a part of an array, if the part is possible in place.
 *
 * If the part leaves out a distributed axis, only the processes that own the chosen index of that axis have
 * the part. If that axis is replicated, only the processes at coordinate 0 have the part. A program that
 * writes to such a part must then update the other copies with a plan from dap_plan_create_halo() for the
 * whole array.
 *
 *     dap_part rows = {.start = (int64_t[]){10, 0}, .shape = (int64_t[]){5, 100}}; // a[10:15, 0:100]
 *     dap_layout_part(layout, &rows, &part, NULL, &err);
 *
 * Not collective.
 *
 * @param layout          layout of the whole
 * @param part            the part
 * @param layout_of_part  receives the layout, to be freed with dap_layout_destroy(); NULL on error
 * @param ranks           [nprocs of layout] receives, for each process of the part, its rank in `layout`. If
 *                        part->axes is NULL, ranks[i] is i. Otherwise the part's processes are numbered in
 *                        row-major order. May be NULL.
 * @param err             receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a NULL pointer, or the part is not valid: naxes, an axis or a range is wrong
 *  - DAP_ERR_SHARE: the part is not possible in place; the text gives the axis and the reason
 *  - DAP_ERR_UNSUPPORTED: a partial axis is left out
 *  - DAP_ERR_REMOTE: indices of a 'u' axis are unknown here
 *  - DAP_ERR_NOMEM
 * @see dap_array_part()
 */
DAP_API dap_status dap_layout_part(const dap_layout *layout, const dap_part *part,
                                   dap_layout **layout_of_part, int ranks[], dap_error *err);

/**
 * Gets a part of an array on one process, as a window of the array's buffer.
 *
 * The window has the strides of the whole array. Its dictionaries describe the layout of dap_layout_part(),
 * in the version that dap_array_init() would choose. On a process without a part the array is zeroed (abi 0).
 * Errors are the same on every process. Not collective.
 *
 * An incomplete range of an assembled 'u' axis is possible only if each process's list ascends or descends.
 * If owners were given for the whole array, see bridge/docs/ghosts.md, "What else there is".
 *
 * @param whole  layout of the whole array and its local part, whose buffer the part uses
 * @param rank   number, in the layout, of the process that has whole.local
 * @param part   the part; the same on every process
 * @param array  receives the window, to be released with dap_array_release() before the whole; zeroed on
 *               error
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a NULL pointer, the part or `rank` is not valid, or whole.local does not match the layout
 *  - DAP_ERR_SHARE: the part is not possible in place; the text gives the axis and the reason
 *  - DAP_ERR_UNSUPPORTED: a partial axis is left out, or the protocol cannot express the part
 *  - DAP_ERR_REMOTE: the indices of `rank` along a 'u' axis are unknown here
 *  - DAP_ERR_RANGE: the strides span more than 2^63 - 1 bytes
 *  - DAP_ERR_NOMEM
 * @see dap_layout_part()
 */
DAP_API dap_status dap_array_part(dap_darray whole, int rank, const dap_part *part, dap_array *array,
                                  dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
