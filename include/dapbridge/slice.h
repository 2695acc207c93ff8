/* dapbridge/slice.h: a part of a distributed array as an array of its own, without moving anything: a slice
 * a[lo:hi, ...], or a section a[:, i, :, None] with fewer axes, in another order. */
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

/* ---- sections ----------------------------------------------------------------------------------- */

/* The layout of the elements that have index[k] along every axis k of `layout` that `axes` [ndim] leaves out.
 * axes[j] becomes axis j with all that it has: distribution, padding, periodicity, lists; -1 makes a new axis,
 * of extent 1 on one process. `index` has an entry for each axis of `layout`, ignored for named ones; NULL: 0.
 * Where an axis left out is distributed, the section lives on the processes that own the index: process i of it
 * is rank ranks[i] of `layout`. Its own ranks are row-major; `ranks` has room for as many as `layout` has. Both
 * go into a dap_side as they are. Other copies of the index (padding, lists) are not of the section.
 * The caller owns *section. Not collective; of an assembled 'u' axis it knows what `layout` does.
 * Errors: DAP_ERR_ARG (NULL, ndim outside 0 .. DAP_MAX_NDIM, an axis outside or named twice, an index outside
 * 0 .. size - 1), DAP_ERR_REMOTE (only another process knows who owns the index), DAP_ERR_NOMEM. On error
 * *section is NULL. */
DAP_API dap_status dap_layout_section(const dap_layout *layout, int ndim, const int axes[],
                                      const int64_t index[], dap_layout **section, int ranks[],
                                      dap_error *err);

/* The part of process `rank`'s array `whole`, which has `layout`: dictionaries as dap_layout_section() makes
 * them, in the version that dap_array_init() would choose, which need not be that of `whole`, and a window of
 * its buffer, which it borrows, with the strides it has there. A process that is none of the section's gets DAP_OK
 * and a zeroed *section (abi 0). The caller ends *section with dap_array_release(), `whole` after that. Not
 * collective; of a layout that was assembled with 'u' axes, needs only this process' own indices.
 * Errors: as dap_layout_section(), and DAP_ERR_ARG for a rank outside the grid, extents that are not the
 * layout's, or NULL data where there are elements; DAP_ERR_RANGE for strides beyond 64 bits;
 * DAP_ERR_UNSUPPORTED as dap_array_init(). On error *section is zeroed. */
DAP_API dap_status dap_array_section(const dap_array *whole, const dap_layout *layout, int rank, int ndim,
                                     const int axes[], const int64_t index[], dap_array *section,
                                     dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
