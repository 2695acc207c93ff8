/* dapbridge/part.h: a part of a distributed array as an array of its own, without moving anything: a range
 * a[lo:hi, ...], a section a[:, i, :, None] with fewer or new axes in another order, or both at once. */
#ifndef DAPBRIDGE_PART_H
#define DAPBRIDGE_PART_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The part. Zeroed: the whole array. */
typedef struct dap_part {
  int naxes; /* axes of the part; 0 if axes is NULL */
  /* [naxes] axis j of the part is the array's axis axes[j]; -1: a new axis of extent 1. NULL: all of the
   * array's axes, in their order. */
  const int *axes;
  /* [ndim of the array] first index along each axis, which becomes index 0; along an axis that is left out:
   * the index to take. NULL: 0. */
  const int64_t *start;
  /* [ndim of the array] extents along the axes kept; ignored along others. NULL: to the end. */
  const int64_t *shape;
} dap_part;

/* Creates the layout of a part of an array of `layout`. Not collective. The caller owns *layout_of_part. If
 * an axis that is left out is distributed, the part is on the processes that own the index (of a replicated
 * axis those at coordinate 0: who writes to the part then gives the others their copies by
 * dap_plan_create_halo() of the whole, as plans read the nearest copy). Process i of
 * the part is rank ranks[i] of `layout`; `ranks`, which may be NULL, has room for all of its processes. If
 * axes is NULL, ranks[i] = i; else the part's ranks are row-major. An axis keeps distribution, padding,
 * periodicity and lists if its range is complete; copies of other indices (padding, lists) are not part of
 * it. Other ranges:
 * 'b': any. Communication padding outside the range, or no longer owned by its neighbour, is removed, and
 *      the axis is no longer periodic.
 * 'c': ranges that begin with a block; or are within one block, or within two of which the second is not
 *      longer than the first; or such that no process has two of the blocks and their owners ascend, which
 *      gives 'b'.
 * 'u': ranges for which the elements of each process are equidistant in its buffer. All indices must be
 *      known; for an assembled layout use dap_array_part() and assemble the result. (Plans can take any
 *      range.)
 * Errors: DAP_ERR_ARG (NULL; naxes outside 0 .. DAP_MAX_NDIM, or not 0 without axes; an axis out of range
 * or repeated; a range or an index out of range), DAP_ERR_SHARE (with axis and reason, if the protocol
 * cannot express the part in place), DAP_ERR_UNSUPPORTED (a partial axis left out), DAP_ERR_REMOTE,
 * DAP_ERR_NOMEM. On error *layout_of_part is NULL. */
DAP_API dap_status dap_layout_part(const dap_layout *layout, const dap_part *part,
                                   dap_layout **layout_of_part, int ranks[], dap_error *err);

/* Gets the part of the array `whole` on its process `rank`: a window of its buffer, with the same strides,
 * and the dictionaries of dap_layout_part(), in the version that dap_array_init() would choose. A process
 * without a part gets DAP_OK and a zeroed *array (abi 0). Where the part cannot be had in place, every
 * process gets the error, also those without a part. Not collective. The buffer stays the whole's: release
 * *array with dap_array_release() before `whole`. For an assembled layout with 'u' axes this process's own
 * indices suffice. But as it does not know the others', an incomplete range of such an axis is rejected on
 * all processes unless each process's list ascends or descends. Dictionaries do not say who owns what: if the
 * whole's owners were given, assemble the part with dap_layout_assemble_ghosted(). Its indices are those of
 * the whole's buffer, in that order, that lie in the range, and so are the flags: dap_layout_is_owned() of
 * the whole at their positions.
 * Errors: those of dap_layout_part(), and DAP_ERR_ARG (rank outside the grid, extents that are not the
 * layout's, NULL data where there are elements), DAP_ERR_RANGE (strides beyond 64 bits),
 * DAP_ERR_UNSUPPORTED (as dap_array_init()). On error *array is zeroed. */
DAP_API dap_status dap_array_part(dap_darray whole, int rank, const dap_part *part, dap_array *array,
                                  dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
