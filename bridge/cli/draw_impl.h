/* Declares what the files of `dapbridge draw` share. The library makes the pictures (bridge/picture).
 *
 *     plane        which plane is drawn, in words
 *     draw_json    the table of owners as JSON */
#ifndef DAP_DRAW_IMPL_H
#define DAP_DRAW_IMPL_H

#include "cli_impl.h"
#include "picture_impl.h"

/* plane.c */
/* The plane of an array that is drawn: its index along each axis, and -1 along the one or two axes in it. */
typedef struct picture_plane {
  int64_t at[DAP_MAX_NDIM]; /* [ndim] */
} picture_plane;

/* Reads "3,:,:". NULL: the first two axes, at index 0 of the others.
 * Errors: DAP_ERR_ARG (no such plane of this layout, in words). */
dap_status picture_plane_read(const char *text, const dap_layout *layout, picture_plane *plane,
                              dap_error *err);

/* draw_json.c: returns an object with the members that dapbridge-draw(1) lists; NULL: no memory. */
json_t *picture_json(const dap_picture *p);

#endif
