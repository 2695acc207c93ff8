/* What the sets of copy kernels share: the case analysis is written once, in kernels_shape.c, over a table of
 * moves that each set fills with what its instructions do well. */
#ifndef DAP_KERNEL_SETS_H
#define DAP_KERNEL_SETS_H

#include "kernel_impl.h"

/* Runs of bytes, from `from` + i * from_step to `to` + i * to_step. As many rows follow, to be read ahead,
 * this far from these; 0: none do. */
typedef struct dap_rows {
  const char *from;
  char *to;
  int64_t from_step, to_step, count, bytes;
  int64_t from_next, to_next;
} dap_rows;

/* A transposition: element (i, j), i < rows, j < columns, from `from` + i * from_step + j * itemsize to
 * `to` + i * itemsize + j * to_step. */
typedef struct dap_panel {
  const char *from;
  char *to;
  int64_t from_step, to_step, rows, columns;
  int64_t next; /* how far from `from` the next panel begins; 0: that is not known */
  bool stream;  /* `to` and to_step are multiples of DAP_LINE, rows too in bytes */
} dap_panel;

/* Item sizes that have instructions of their own. */
enum { DAP_WIDTH_4, DAP_WIDTH_8, DAP_WIDTH_16, DAP_WIDTH_COUNT };

/* Numbers of sources that can be interleaved in registers faster than element by element. */
enum { DAP_FROM_2, DAP_FROM_4, DAP_FROM_COUNT };

/* Each may be absent (NULL). What they store past the caches they store in whole lines. */
typedef struct dap_moves {
  void (*stream_rows)(const dap_rows *rows);
  void (*transpose[DAP_WIDTH_COUNT])(const dap_panel *panel);
  /* `lines` whole lines of elements at from_step, of any sign; when streaming, `to` is at a line. */
  void (*gather[DAP_WIDTH_COUNT])(char *to, const char *from, int64_t from_step, int64_t lines, bool stream);
  /* `lines` whole lines, a multiple of the sources, of one element of each source in turn; likewise. */
  void (*interleave[DAP_FROM_COUNT][DAP_WIDTH_COUNT])(char *to, const char *const from[], int64_t lines,
                                                      bool stream);
} dap_moves;

/* ---- kernels_shape.c ---------------------------------------------------------------------------- */

void dap_block_copy(const dap_block *block, const dap_moves *moves);
void dap_block_interleave(char *to, const char *const from[], int sources, int64_t count, int64_t itemsize,
                          bool stream, const dap_moves *moves);

/* ---- items.c: element by element ---------------------------------------------------------------- */

void dap_items_interleave(char *to, const char *const from[], int sources, int64_t count, int64_t itemsize);
/* The last rows or columns of a panel. */
void dap_items_transpose(const dap_panel *panel, int64_t itemsize);

/* ---- the sets ----------------------------------------------------------------------------------- */

/* The others need the processor, and a compiler that can choose instructions function by function. */
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define DAP_KERNELS_X86 1
extern const dap_kernels dap_kernels_avx512;
extern const dap_kernels dap_kernels_avx2;
#endif
extern const dap_kernels dap_kernels_plain;

#endif
