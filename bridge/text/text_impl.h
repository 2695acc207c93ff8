/* Draws layouts in characters and writes arrays as JSON.
 *
 *     draw        draws lines and tables of owners
 *     draw_axis   finds the stretches of an axis that have one owner, and writes what processes hold
 *     json        writes one process's part
 *     export      writes the parts of all processes as one document */
#ifndef DAP_TEXT_IMPL_H
#define DAP_TEXT_IMPL_H

#include "model_impl.h"
#include <dapbridge/draw.h>
#include <dapbridge/json.h>

enum { DAP_RULER_SHOWN = 32 /* stretches of an axis */ };

/* A stretch of an axis that one coordinate owns. */
typedef struct dap_stretch {
  int64_t first;
  int coord; /* -1: not known here */
} dap_stretch;

typedef struct dap_ruler {
  int count;                           /* stretches shown */
  bool cut;                            /* there are more, from at[count] */
  dap_stretch at[DAP_RULER_SHOWN + 1]; /* [count], and one behind them if cut */
  int64_t size;
} dap_ruler;

/* Returns the end of the stretch with `global`, and sets *coord to its owner. The next stretch can have the
 * same owner. */
int64_t dap_stretch_end(const dap_map *map, int64_t global, int *coord);
dap_ruler dap_ruler_of(const dap_map *map);
/* Writes the elements that the coordinate owns, as "0:64,256:320,...,2816:2880". */
void dap_ruler_add_owned(dap_text *text, const dap_map *map, int coord);
/* Writes a line on what processes hold, if some hold more than they own. */
void dap_ruler_add_note(dap_text *text, const dap_map *map, int axis);

#endif
