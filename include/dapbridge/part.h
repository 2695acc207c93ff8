/**
 * @file
 * Functions that describe a part of a distributed array as a separate array in the same memory.
 *
 * A part is a range a[lo:hi, ...], a section a[:, i, :, None], or a combination of both. Unlike the whole
 * array, a section can have fewer axes, new axes, or axes in a different order. No elements are moved.
 *
 * The distribution of an axis determines which ranges are possible in place:
 *
 * - the whole axis: always possible. The part keeps the distribution, padding, periodicity and lists of the
 *   axis.
 * - a block axis ('b'): any range. The part keeps communication padding only if the padding's elements are in
 *   the range, and the neighbour still owns them in the part. The axis of the part is not periodic.
 * - a cyclic axis ('c'): a range that starts at the beginning of a block, or lies within one block. A range
 *   that spans two blocks is possible if it contains no more elements of the second block than of the first.
 *   A range is also possible if each process has at most one block of the range, and the coordinates of the
 *   blocks' owners ascend. In this last case, the axis of the part is a block axis.
 * - an unstructured axis ('u'): a range whose elements are equidistant in the buffer of each process.
 *   dap_layout_part() requires that this process knows all indices. For a layout from dap_layout_assemble(),
 *   call dap_array_part(), and pass the new array to dap_layout_assemble().
 *
 * The padding and the lists of a part do not contain indices outside the range. Plans (dap_side.part) accept
 * any range of any axis.
 */
#ifndef DAPBRIDGE_PART_H
#define DAPBRIDGE_PART_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A part of an array. A zeroed struct means the whole array. Along an axis k that is kept, the part contains
 * shape[k] indices, and start[k] becomes index 0. Along an axis k that is left out, start[k] is the chosen
 * index. */
typedef struct dap_part {
  int naxes; /**< number of axes of the part; 0 if `axes` is NULL */
  /** [naxes] axis j of the part is the array's axis axes[j]; -1: a new axis of extent 1; NULL: all axes */
  const int *axes;
  const int64_t *start; /**< [ndim of the array] first or chosen index along each axis; NULL means 0 */
  const int64_t *shape; /**< [ndim of the array] extents along kept axes; NULL: up to the end of each axis */
} dap_part;

/**
 * Creates the layout of a part of an array, if the part is possible in place.
 *
 * If the part leaves out a distributed axis, only the processes that own the chosen index have the part. If
 * the part leaves out a replicated axis, only the processes at coordinate 0 along that axis have the part.
 * After the program has written to such a part, it must update the other copies (bridge/docs/moving.md,
 * "Which copies change").
 *
 *     dap_part rows = {.start = (int64_t[]){10, 0}, .shape = (int64_t[]){5, 100}}; // a[10:15, 0:100]
 *     dap_layout_part(layout, &rows, &part, NULL, &err);
 *
 * Not collective.
 *
 * @param layout          layout of the whole array
 * @param part            the part
 * @param layout_of_part  receives the layout of the part, to be freed with dap_layout_destroy(); NULL on
 *                        error
 * @param ranks           [nprocs of layout] receives the rank in `layout` of each process of the part. If
 *                        part->axes is NULL, ranks[i] is i. Otherwise the processes of the part are numbered
 *                        in row-major order. May be NULL.
 * @param err             receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, or naxes, an axis or a range of the part is invalid
 *  - DAP_ERR_SHARE: the part is not possible in place
 *  - DAP_ERR_UNSUPPORTED: a partial axis is left out
 *  - DAP_ERR_REMOTE: this process does not know all indices of a 'u' axis
 *  - DAP_ERR_NOMEM
 * @see dap_array_part()
 */
DAP_API dap_status dap_layout_part(const dap_layout *layout, const dap_part *part,
                                   dap_layout **layout_of_part, int ranks[], dap_error *err);

/**
 * Gets a part of an array on one process, as a window of the array's buffer.
 *
 * The window has the strides of the whole array. The dictionaries of the window describe the part, in the
 * protocol version that dap_array_init() would choose. On a process without a part, the window is zeroed (abi
 * 0). If the part is invalid or not possible in place, the error is the same on every process. Not
 * collective.
 *
 * For ranges of 'u' axes, see bridge/docs/ghosts.md, "What else there is".
 *
 * @param whole  layout of the whole array, and the local part whose buffer the window uses
 * @param rank   rank of the process that has whole.local
 * @param part   the part; the same on every process
 * @param array  receives the window, to be released with dap_array_release() before the whole array; zeroed
 *               on error
 * @param err    receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, `part` or `rank` is invalid, or whole.local does not match the layout
 *  - DAP_ERR_SHARE: the part is not possible in place
 *  - DAP_ERR_UNSUPPORTED: a partial axis is left out, or the protocol cannot express the part
 *  - DAP_ERR_REMOTE: this process does not know which indices process `rank` has along a 'u' axis
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
