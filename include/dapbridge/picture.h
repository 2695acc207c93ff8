/**
 * @file
 * Draws a layout as an SVG picture that shows which process owns which elements. dap_layout_draw() draws
 * similar pictures with characters.
 */
#ifndef DAPBRIDGE_PICTURE_H
#define DAPBRIDGE_PICTURE_H

#include <dapbridge/layout.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Writes a picture of a layout as SVG.
 *
 * Each element has its owner's colour and is labelled with the owner's rank. Elements with copies on other
 * processes are hatched, boundary padding is dotted, and elements whose owner this process does not know are
 * white. A legend explains the picture. The function does not report write errors; check ferror(stream). Not
 * collective.
 *
 * @param layout  layout of the array
 * @param plane   [ndim] index along each axis, or -1 along the one or two axes that are drawn; NULL means the
 *                first two axes, at index 0 of the other axes
 * @param name    a line below the title; NULL means none
 * @param stream  receives the SVG; if the array has no elements, the SVG contains only a message
 * @param err     receives the error; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: `layout` or `stream` is NULL, or `plane` does not select a line or a plane of the array
 *  - DAP_ERR_NOMEM
 * @see dap_layout_draw()
 */
DAP_API dap_status dap_layout_draw_svg(const dap_layout *layout, const int64_t plane[], const char *name,
                                       FILE *stream, dap_error *err);

#ifdef __cplusplus
}
#endif

#endif
