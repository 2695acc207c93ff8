/* Declarations that describe.c (a layout in words) and format.c (its short text) share. */
#ifndef DAP_WORDS_IMPL_H
#define DAP_WORDS_IMPL_H

#include "model_impl.h"

/* ---- words.c ---------------------------------------------------------------------------------------- */

/* A number of each process of an axis, or of each interface between neighbours. */
typedef int64_t (*dap_figure)(const dap_map *map, int index);
int64_t dap_figure_owned(const dap_map *map, int coord);
int64_t dap_figure_halo(const dap_map *map, int interface);
/* Whether the first `count` are all `value`. */
bool dap_figure_is(const dap_map *map, int count, dap_figure figure, int64_t value);
/* Writes " N" for each of the first `count`, and after `most` of them " ...". */
void dap_words_add_figures(dap_text *text, const dap_map *map, int count, int most, dap_figure figure);

/* Each option of an axis is written behind `before`, which then becomes ", ". */
void dap_words_add_separator(dap_text *text, const char **before);
/* Closes parentheses that "(" as the first `before` has opened, if there were options. */
void dap_words_add_closed(dap_text *text, const char *before);

/* "halo N N ...", one number if all are equal, else the first `most`; "outer halo N N", what wraps round. */
void dap_words_add_halo(dap_text *text, const char **before, const dap_map *map, int most);
/* "boundary N N", "periodic" */
void dap_words_add_edges(dap_text *text, const char **before, const dap_axis *axis);

#endif
