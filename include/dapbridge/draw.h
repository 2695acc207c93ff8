/**
 * @file
 * Draws pictures in plain text that show which process owns which elements of an array.
 *
 * A picture shows the owners' ranks along one axis or in a table of two axes. Each range of indices with the
 * same owner is one cell. The first index of a range is above the left edge of its column, or to the left of
 * its row. The last number along an axis is the size of the axis. In a table with many rows, equal rows are
 * drawn once, and the ranges begin:end of their indices are on the left, without the size. "?" stands for an
 * owner that this process does not know, and "..." for ranges that are left out.
 *
 * Lines below the picture list the ranges that the processes at each coordinate store, including padding and
 * ghosts. Indices outside [0, size) belong to padding that wraps around. dap_layout_draw_plane() draws a
 * picture only if `plane` contains -1 once or twice.
 */
#ifndef DAPBRIDGE_DRAW_H
#define DAPBRIDGE_DRAW_H

#include <dapbridge/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Draws which process owns which elements of an array.
 *
 * Like snprintf(), the function writes at most `capacity` bytes to `text`. If the array has more than two
 * axes, the picture shows the first two, at index 0 of the other axes. Not collective.
 *
 * @param layout    layout of the array, not NULL
 * @param text      receives the picture; NULL if `capacity` is 0
 * @param capacity  size of `text` in bytes
 * @return length of the full text, without the NUL
 * @see dap_layout_draw_plane(), dap_layout_draw_svg()
 */
DAP_API size_t dap_layout_draw(const dap_layout *layout, char *text, size_t capacity);

/**
 * Draws one line or one plane of an array, like dap_layout_draw().
 *
 *     dap_layout_draw_plane(layout, (int64_t[]){7, -1, -1}, text, sizeof text); // elements (7, i, j)
 *
 * Not collective.
 *
 * @param layout    layout of the array, not NULL
 * @param plane     [ndim] index along each axis, in [0, size); -1 for the one or two axes to be drawn. Not
 *                  NULL.
 * @param text      receives the picture; NULL if `capacity` is 0
 * @param capacity  size of `text` in bytes
 * @return length of the full text, without the NUL
 */
DAP_API size_t dap_layout_draw_plane(const dap_layout *layout, const int64_t plane[], char *text,
                                     size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
