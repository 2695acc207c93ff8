/* Declarations that describe.c (a layout in words) and format.c (its short text) share. */
#ifndef DAP_WORDS_IMPL_H
#define DAP_WORDS_IMPL_H

#include "model_impl.h"

/* ---- words.c ---------------------------------------------------------------------------------------- */

/* Returns a number of each process of an axis, or of each interface between neighbours. */
typedef int64_t (*dap_figure)(const dap_map *map, int index);
int64_t dap_figure_owned(const dap_map *map, int coord);
/* Whether the first `count` are all `value`. */
bool dap_figure_is(const dap_map *map, int count, dap_figure figure, int64_t value);
/* Writes " N" for each of the first `count`, and " ..." instead of those behind the first `most`. */
void dap_words_add_figures(dap_text *text, const dap_map *map, int count, int most, dap_figure figure);

/* Writes what stands before the next option of an axis: *before, which then becomes ", ". */
void dap_words_add_separator(dap_text *text, const char **before);
/* Closes the parenthesis that "(" as the first `before` has opened, if there were options. */
void dap_words_add_closed(dap_text *text, const char *before);

/* Writes "halo N N ...", one number if all are equal, else the first `most`; and "outer halo N N" if padding
 * wraps round. */
void dap_words_add_halo(dap_text *text, const char **before, const dap_map *map, int most);
/* Writes "boundary N N" and "periodic". */
void dap_words_add_edges(dap_text *text, const char **before, const dap_axis *axis);

/* Write the sizes or the processes of all axes with `between` between them. */
void dap_words_add_sizes(dap_text *text, const dap_layout *layout, const char *between);
void dap_words_add_procs(dap_text *text, const dap_layout *layout, const char *between);
/* Writes `before` and the first `most` ranks, unless the order is row-major. */
void dap_words_add_ranks(dap_text *text, const char *before, const dap_layout *layout, int most);

/* The words of a layout in one line. */
typedef struct dap_words {
  const char *between, *on; /* sizes, or processes; sizes and processes */
  int most_ranks;
  void (*add_axis)(dap_text *text, const dap_map *map);
} dap_words;
/* Writes "SIZES on PROCS: AXIS, AXIS; ranks R R", and returns its length. */
size_t dap_words_write(const dap_words *words, const dap_layout *layout, char *out, size_t capacity);

#endif
