/* Declarations for the files that read a layout from a text. */
#ifndef DAP_PARSE_IMPL_H
#define DAP_PARSE_IMPL_H

#include "model_impl.h"
#include <dapbridge/parse.h>

/* ---- scan.c: words, numbers and signs of a text ---------------------------------------------------- */

typedef struct dap_scan {
  const char *text;
  size_t at;       /* the next character that is not a blank */
  int axis;        /* the axis that messages name; -1: none */
  int64_t *number; /* [room] all numbers read by dap_scan_list() and dap_scan_numbers() */
  bool *is_owned;  /* [room] whether the number is not marked as a ghost */
  size_t count, room;
} dap_scan;

/* Allocates room for all numbers of the text, which has at most one for two of its characters. */
dap_status dap_scan_start(const char *text, dap_scan *scan, dap_error *err);
void dap_scan_end(dap_scan *scan);

/* Fails with "column C: axis K: " and the text. The column is that of `at`. */
dap_status dap_scan_fail(const dap_scan *scan, size_t at, dap_status status, dap_error *err,
                         const char *format, ...) DAP_PRINTF(5, 6);
/* Puts the column before the text of an error that names the axis itself. */
dap_status dap_scan_place(size_t at, dap_status status, const dap_error *error, dap_error *err);
/* Fails because the text that stands here is not `what`, such as "a number". */
dap_status dap_scan_expected(const dap_scan *scan, const char *what, dap_error *err);

/* Return whether the sign or phrase stands here, and if so go on behind it. A phrase is words with one blank
 * between them. */
bool dap_scan_sign(dap_scan *scan, char sign);
bool dap_scan_phrase(dap_scan *scan, const char *phrase);
/* Returns whether a number stands here, and does not go on. */
bool dap_scan_is_number(const dap_scan *scan);

dap_status dap_scan_number(dap_scan *scan, int64_t *number, dap_error *err);
/* Reads one number or more. *first is the place of the first in scan->number. */
dap_status dap_scan_numbers(dap_scan *scan, size_t *first, dap_error *err);
/* Reads "[" entries "]", maybe none. */
dap_status dap_scan_list(dap_scan *scan, bool with_ghosts, size_t *first, dap_error *err);

/* ---- parse_axis.c: the distribution of one axis ------------------------------------------------------ */

/* Reads the distribution of axis scan->axis, which has `size` elements on `procs` processes, and makes its
 * map. If procs is 0, the processes are as many as the text has lengths or lists, or 1. */
dap_status dap_parse_axis(dap_scan *scan, int64_t size, int procs, dap_map *map, dap_error *err);

#endif
