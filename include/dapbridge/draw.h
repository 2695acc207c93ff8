/* dapbridge/draw.h: who owns what of an array, as a picture of characters. Like snprintf(), each function
 * truncates the text to `capacity` bytes, terminates it with NUL, and returns the length of the full text;
 * (NULL, 0) only returns the length. Nothing in this header is collective. */
#ifndef DAPBRIDGE_DRAW_H
#define DAPBRIDGE_DRAW_H

#include <dapbridge/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Draws who owns what: the ranks along a 1-D array, or a table of a 2-D one, by ranges with the same owner,
 * each with the global index at which it begins, and the size at the end. Where many rows repeat each is
 * drawn once, beside the ranges of such rows, begin:end. "?" stands for what this process does not know,
 * "..." for ranges left out. Below are the ranges that processes hold with padding and ghosts, by
 * coordinates: below 0 and behind size they wrap around. Of more dimensions the first two are drawn, at
 * index 0 of the others. */
DAP_API size_t dap_layout_draw(const dap_layout *layout, char *text, size_t capacity);

/* The same of any plane, or line: plane[ndim] is the index along each axis, 0 .. size - 1, or -1 along the
 * one or two that are drawn, at most as many as there are. With no -1 or more than two, only what is said of
 * all planes is written. plane must not be NULL. */
DAP_API size_t dap_layout_draw_plane(const dap_layout *layout, const int64_t plane[], char *text,
                                     size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
