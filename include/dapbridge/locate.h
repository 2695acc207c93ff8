/**
 * @file
 * Functions that find an element's owner and position from its global index, and the global index from a
 * position.
 *
 * dap_layout_lookup() (comm.h) also finds owners that this process does not know.
 */
#ifndef DAPBRIDGE_LOCATE_H
#define DAPBRIDGE_LOCATE_H

#include <dapbridge/dist.h>
#include <dapbridge/status.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Finds the owner of an element, and the element's position in the owner's buffer.
 *
 * Not collective.
 *
 * @param layout  the layout
 * @param global  [ndim] global index
 * @param rank    receives the rank of the owner
 * @param local   [ndim] receives the position in the owner's buffer
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: `layout` is NULL, or an index is out of range
 *  - DAP_ERR_REMOTE: this process does not know the owner; use dap_layout_lookup()
 * @see dap_layout_locate_all(), dap_layout_globalize()
 */
DAP_API dap_status dap_layout_locate(const dap_layout *layout, const int64_t global[], int *rank,
                                     int64_t local[], dap_error *err);

/**
 * Finds the global index at a position in a buffer.
 *
 * Positions in communication padding are allowed. Not collective.
 *
 * @param layout  the layout
 * @param rank    rank of the process that has the buffer
 * @param local   [ndim] position in the buffer
 * @param global  [ndim] receives the global index
 * @param owned   receives true if process `rank` owns the element; may be NULL
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: `layout` is NULL, or an argument is out of range
 *  - DAP_ERR_REMOTE: this process does not know the indices that process `rank` has
 */
DAP_API dap_status dap_layout_globalize(const dap_layout *layout, int rank, const int64_t local[],
                                        int64_t global[], bool *owned, dap_error *err);

/**
 * Finds the owners and positions of many elements, as dap_layout_locate() does for one element.
 *
 * On error, the results for all elements before the faulty one are valid. Not collective.
 *
 * @param layout  the layout
 * @param count   number of elements, >= 0
 * @param global  [count][ndim] global indices
 * @param ranks   [count] receives the owners' ranks
 * @param local   [count][ndim] receives the positions in the owners' buffers
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, or `count` or an index is out of range
 *  - DAP_ERR_REMOTE: this process does not know an owner; use dap_layout_lookup()
 */
DAP_API dap_status dap_layout_locate_all(const dap_layout *layout, int64_t count, const int64_t global[],
                                         int ranks[], int64_t local[], dap_error *err);

/**
 * Finds the global indices at many positions in a buffer, as dap_layout_globalize() does for one position.
 *
 * On error, the results for all positions before the faulty one are valid. Not collective.
 *
 * @param layout  the layout
 * @param rank    rank of the process that has the buffer
 * @param count   number of positions, >= 0
 * @param local   [count][ndim] positions in the buffer
 * @param global  [count][ndim] receives the global indices
 * @param owned   [count] receives true for each element that process `rank` owns; may be NULL
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, or `count`, `rank` or a position is out of range
 *  - DAP_ERR_REMOTE: this process does not know the indices that process `rank` has
 */
DAP_API dap_status dap_layout_globalize_all(const dap_layout *layout, int rank, int64_t count,
                                            const int64_t local[], int64_t global[], bool owned[],
                                            dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
