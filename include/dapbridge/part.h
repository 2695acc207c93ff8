/* dapbridge/part.h: a part of a distributed array as an array of its own, without moving anything: a range
 * a[lo:hi, ...], a section a[:, i, :, None] with fewer or new axes in another order, or both at once. */
#ifndef DAPBRIDGE_PART_H
#define DAPBRIDGE_PART_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which part. Zeroed: the whole array. */
typedef struct dap_part {
  int naxes;       /* axes of the part; 0 if axes is NULL */
  const int *axes; /* [naxes] axis j of the part is the array's axis axes[j]; -1: a new axis of extent 1.
                           NULL: all of the array's, in their order */
  const int64_t
      *start; /* [ndim of the array] first index along each axis, which becomes 0; along an axis left
                           out: the index that is taken. NULL: 0 */
  const int64_t *shape; /* [ndim of the array] extents along the axes kept, not looked at along others.
                           NULL: to the end */
} dap_part;

/* The layout of a part of `layout`. Not collective. The caller owns *part.
 * Ranks: where an axis that is left out is distributed, the part lives on the processes that own the index.
 * Process i of the part is rank ranks[i] of `layout`; `ranks` has room for as many as `layout` has, or is NULL.
 * With axes NULL all keep their ranks, ranks[i] = i; else the part's ranks are row-major.
 * Ranges: a full one leaves an axis with all that it has: distribution, padding, periodicity, lists. Another:
 * 'b': always. Communication padding that lies outside, or that its neighbour no longer owns, is dropped; the
 *      axis is no longer periodic, and its outer padding goes with that.
 * 'c': from a block's beginning; or anywhere within one block, or within two of which the second is no longer; or
 *      where no process has two of the blocks and their owners ascend, then as 'b'. Else the blocks of the
 *      part would differ in size.
 * 'u': where the elements of each process lie at equal distances in its buffer. Needs all indices: of an
 *      assembled layout take dap_array_part() and assemble what it gives. A plan takes any range of a 'u' axis.
 * Other copies of an index that is taken (padding, lists) are not of the part.
 * Errors: DAP_ERR_ARG (NULL, naxes outside 0 .. DAP_MAX_NDIM or not 0 without axes, an axis outside or named twice, a range or an
 * index outside the axis), DAP_ERR_SHARE with axis and reason where the protocol cannot say the part in place,
 * DAP_ERR_REMOTE (only another process knows), DAP_ERR_NOMEM. On error *layout_of_part is NULL. */
DAP_API dap_status dap_layout_part(const dap_layout *layout, const dap_part *part,
                                   dap_layout **layout_of_part, int ranks[], dap_error *err);

/* The part of the array `whole` that is on its process `rank`: dictionaries as dap_layout_part() makes them, in
 * the version that dap_array_init() would choose, which need not be that of `whole`, and a window of its
 * buffer, which it borrows, with the strides it has there. A process that is none of the part's gets DAP_OK and a
 * zeroed *array (abi 0). Not collective; the caller ends *array with dap_array_release(), `whole` after that.
 * Of a layout that was assembled with 'u' axes it needs only this process's own indices; as these say nothing of
 * the others', a range of such an axis is refused on all processes alike unless every process's list ascends or
 * descends.
 * Errors: as dap_layout_part(), and DAP_ERR_ARG for a rank outside the grid, extents that are not the layout's,
 * or NULL data where there are elements; DAP_ERR_RANGE for strides beyond 64 bits; DAP_ERR_UNSUPPORTED as
 * dap_array_init(). On error *array is zeroed. */
DAP_API dap_status dap_array_part(dap_darray whole, int rank, const dap_part *part, dap_array *array,
                                  dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
