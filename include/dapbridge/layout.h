/**
 * @file
 * Functions that create, compare and describe layouts. A layout defines where every element of a distributed
 * array is stored.
 *
 * A layout consists of a process grid and, for each axis, a map that assigns indices to coordinates of the
 * grid. dap_layout_create() arranges ranks in row-major order on the grid: the coordinate along the last axis
 * varies fastest. Other functions, such as dap_layout_reorder() and dap_layout_assemble(), can arrange ranks
 * in a different order.
 *
 * A layout never changes, does not depend on element types or buffers, and does not need MPI. From a layout,
 * any process can compute which elements each process has. The memory that a layout needs grows with the sum
 * of the grid's extents, or with their product if ranks are not in row-major order.
 *
 * Layouts with unstructured ('u') axes need more memory, because these axes have lists of indices. A layout
 * made by dap_layout_create() contains all lists on every process. In a layout made by dap_layout_assemble(),
 * each process has only the indices at its own coordinate. On P processes, each process also has the owners
 * and positions of 1 / P of all indices. dap_layout_lookup() and plans ask other processes for indices at
 * other coordinates. All other functions fail with DAP_ERR_REMOTE if they need indices that this process does
 * not know.
 *
 * Axis numbers and coordinates must be in range, and pointers must not be NULL, unless a comment says
 * otherwise. Functions without `err` do not check these conditions. Functions that return a status fail with
 * DAP_ERR_ARG if the layout is NULL, or if they detect that the layout has been destroyed.
 */
#ifndef DAPBRIDGE_LAYOUT_H
#define DAPBRIDGE_LAYOUT_H

#include <dapbridge/axis.h>
#include <dapbridge/dist.h>
#include <dapbridge/locate.h>
#include <dapbridge/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Creates the layout of an array.
 *
 * A layout without axes describes a scalar on one process.
 *
 *     dap_dist dists[] = {dap_dist_even(rows, 2), dap_dist_cyclic(columns, 3, 64)};
 *     dap_layout_create(2, dists, &layout, &err); // on 6 processes
 *
 * Not collective.
 *
 * @param ndim    number of axes, 0 to DAP_MAX_NDIM
 * @param dists   [ndim] distribution of each axis, copied by the function
 * @param layout  receives the layout, to be freed with dap_layout_destroy(); NULL on error
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a required pointer is NULL, `ndim` is out of range, or a dap_dist sets both owned and
 *    is_owned
 *  - DAP_ERR_DIM: a member of a dap_dist is out of range, or its members contradict each other
 *  - DAP_ERR_RANGE: more than INT_MAX processes, or more than 2^63 - 1 elements
 *  - DAP_ERR_NOMEM
 * @see dap_layout_assemble(), dap_layout_parse(), dap_grid_from_cart()
 */
DAP_API dap_status dap_layout_create(int ndim, const dap_dist dists[], dap_layout **layout, dap_error *err);

/**
 * Creates a copy of a layout with a different order of ranks.
 *
 * If dap_layout_assemble() made a layout with 'u' axes, plans and dap_layout_lookup() reject a copy in which
 * a process has different coordinates. Not collective.
 *
 * @param layout     the layout
 * @param ranks      [nprocs] rank at each position in the grid, with positions in row-major order
 * @param reordered  receives the new layout, to be freed with dap_layout_destroy(); NULL on error
 * @param err        receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, or `ranks` is not a permutation
 *  - DAP_ERR_NOMEM
 * @see dap_plan_relabel()
 */
DAP_API dap_status dap_layout_reorder(const dap_layout *layout, const int ranks[], dap_layout **reordered,
                                      dap_error *err);

/**
 * Returns a new reference to a layout.
 *
 * Thread-safe. Not collective.
 *
 * @param layout  the layout; may be NULL
 * @return `layout`, to be released with dap_layout_destroy()
 */
DAP_API dap_layout *dap_layout_retain(const dap_layout *layout);

/**
 * Releases a reference to a layout. Releasing the last reference frees the layout.
 *
 * Thread-safe. Not collective.
 *
 * @param layout  address of the reference; the reference is set to NULL. May be NULL or point to NULL.
 */
DAP_API void dap_layout_destroy(dap_layout **layout);

/**
 * Checks that a pointer points to a layout that has not been destroyed.
 *
 * Functions without an `err` parameter do not perform this check. If the layout has been destroyed, the
 * function reads freed memory, so it may not detect the error. Not collective.
 *
 * @param layout  the layout; may be NULL
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: `layout` is NULL, destroyed, or not a layout
 */
DAP_API dap_status dap_layout_check(const dap_layout *layout, dap_error *err);

/* ---- queries ----------------------------------------------------------------------------------------- */

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
 * @param axis    number of the axis, in [0, ndim)
 * @return number of elements, >= 0
 */
DAP_API int64_t dap_layout_size(const dap_layout *layout, int axis);

/**
 * Returns the number of processes along an axis.
 *
 * Not collective.
 *
 * @param layout  the layout
 * @param axis    number of the axis, in [0, ndim)
 * @return number of processes, >= 1
 */
DAP_API int dap_layout_procs(const dap_layout *layout, int axis);

/**
 * Returns the number of elements of the whole array.
 *
 * Not collective.
 *
 * @param layout  the layout
 * @return product of the sizes of the axes; 1 if there are no axes
 */
DAP_API int64_t dap_layout_count(const dap_layout *layout);

/**
 * Returns the number of processes of the layout.
 *
 * Not collective.
 *
 * @param layout  the layout
 * @return product of the numbers of processes along the axes; 1 if there are no axes
 */
DAP_API int dap_layout_nprocs(const dap_layout *layout);

/**
 * Returns whether two layouts have the same distributions over the same grid.
 *
 * The function compares kinds of distribution, sizes, block sizes, first owners, ranges, padding,
 * periodicity, indices, and orders of ranks. Two layouts that are not equal can still store every element in
 * the same place. Indices that this process does not know are compared by their hash. Not collective.
 *
 * @param a, b  layouts; may be NULL
 * @return true if the layouts are equal, or if both are NULL
 */
DAP_API bool dap_layout_is_equal(const dap_layout *a, const dap_layout *b);

/**
 * Returns a hash of a layout. Equal layouts have equal hashes.
 *
 * Collective functions compare hashes to find out whether all processes passed the same layout. Not
 * collective.
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
 * @param rank    rank of a process, in [0, nprocs)
 * @param coords  [ndim] receives the coordinate along each axis
 * @see dap_layout_rank()
 */
DAP_API void dap_layout_coords(const dap_layout *layout, int rank, int coords[]);

/**
 * Returns the rank of the process at the given grid coordinates.
 *
 * Not collective.
 *
 * @param layout  the layout
 * @param coords  [ndim] coordinate along each axis
 * @return rank of the process, in [0, nprocs)
 * @see dap_layout_coords()
 */
DAP_API int dap_layout_rank(const dap_layout *layout, const int coords[]);

/**
 * Returns whether ranks are in row-major order on the grid.
 *
 * Not collective.
 *
 * @param layout  the layout
 * @return true if ranks are in row-major order
 */
DAP_API bool dap_layout_is_row_major(const dap_layout *layout);

/* ---- descriptions ------------------------------------------------------------------------------------ */

/**
 * Writes a description of a layout to `text`: one line for the array, and one line for each axis.
 *
 * Like snprintf(), the function truncates the description to fit. Not collective.
 *
 * @param layout    the layout
 * @param text      receives the description; may be NULL if `capacity` is 0
 * @param capacity  size of `text` in bytes
 * @return length of the full text, without the NUL
 * @see dap_layout_summary(), dap_layout_draw()
 */
DAP_API size_t dap_layout_describe(const dap_layout *layout, char *text, size_t capacity);

/**
 * Describes a layout in one line, such as "10 x 12 over 2 x 3: block, cyclic(2)".
 *
 * Like snprintf(), the function truncates the line to fit. The line does not end with a newline. Long series
 * of numbers are shortened, and lists of indices are omitted. Not collective.
 *
 * @param layout    the layout
 * @param text      receives the description; may be NULL if `capacity` is 0
 * @param capacity  size of `text` in bytes
 * @return length of the full text, without the NUL
 * @see dap_layout_format()
 */
DAP_API size_t dap_layout_summary(const dap_layout *layout, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
