/* dapbridge/picture.h: who owns what of an array, as an SVG picture. draw.h has pictures of characters. */
#ifndef DAPBRIDGE_PICTURE_H
#define DAPBRIDGE_PICTURE_H

#include <dapbridge/layout.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a picture of the layout to `stream`, from which the caller sees whether it could be written: each
 * process has its colour and its rank, copies on other processes are hatched, boundary padding is dotted, and
 * a legend says what else there is. White is what this process does not know. An array without elements
 * gets a page that says so. plane[ndim] is the index along
 * each axis, or -1 along the one or two that are drawn; NULL: the first two axes, at index 0 of the others.
 * name: a line below the title; NULL: none. Not collective.
 * Errors: DAP_ERR_ARG (NULL; no such plane), DAP_ERR_NOMEM. */
DAP_API dap_status dap_layout_draw_svg(const dap_layout *layout, const int64_t plane[], const char *name,
                                       FILE *stream, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
