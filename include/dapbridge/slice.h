/* dapbridge/slice.h: a part a[lo:hi, ...] of a distributed array as an array of its own, without moving
 * anything. */
#ifndef DAPBRIDGE_SLICE_H
#define DAPBRIDGE_SLICE_H

#include <dapbridge/array.h>
#include <dapbridge/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The layout of the elements lo[k] <= index < hi[k] along each axis k of `layout`, over the same process
 * grid; index lo[k] becomes 0. The caller owns *part. Not collective.
 * 'b': always. Communication padding that lies outside, or that its neighbour no longer owns, is dropped;
 *      an axis that loses elements is no longer periodic, and its outer padding goes with them.
 * 'c': from a block's beginning; or anywhere within one block, or within two of which the second is no
 *      longer; or where no process has two of the blocks and their owners ascend, then as 'b'. Else the blocks
 *      of the result would differ in size.
 * 'u': where the elements of each process lie at equal distances in its buffer. Needs all indices: of an
 *      assembled layout take dap_array_slice() and assemble what it gives.
 * A full range leaves an axis as it is.
 * Errors: DAP_ERR_ARG (NULL, a range outside 0 .. size), DAP_ERR_SHARE with axis and reason where the protocol
 * cannot say the result in place, DAP_ERR_REMOTE, DAP_ERR_NOMEM. On error *part is NULL. */
DAP_API dap_status dap_layout_slice(const dap_layout *layout, const int64_t lo[], const int64_t hi[],
                                    dap_layout **part, dap_error *err);

/* The part of process `rank`'s array `whole`, which has `layout`: its dictionaries as dap_layout_slice()
 * makes them, in the version that dap_array_init() would choose, which need not be that of `whole`, and a
 * window of its buffer, which it borrows. The caller ends *part with dap_array_release(),
 * `whole` after that. Not collective; of a layout that was assembled with 'u' axes, needs only this process'
 * own indices.
 * Errors: as dap_layout_slice(), and DAP_ERR_ARG for a rank outside the grid, extents that are not the
 * layout's, or NULL data where there are elements; DAP_ERR_RANGE for strides beyond 64 bits;
 * DAP_ERR_UNSUPPORTED as dap_array_init(). On error *part is zeroed. */
DAP_API dap_status dap_array_slice(const dap_array *whole, const dap_layout *layout, int rank,
                                   const int64_t lo[], const int64_t hi[], dap_array *part, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
