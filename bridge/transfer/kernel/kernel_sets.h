/* Declares the parts of a copy that instruction sets do well, and a table of them for each set. nest_copy.c
 * cuts nests into these parts. */
#ifndef DAP_KERNEL_SETS_H
#define DAP_KERNEL_SETS_H

#include "kernel_impl.h"

/* Two loops around the copy of one element. Elements need not be aligned; source and destination do not
 * overlap. */
typedef struct dap_block {
  const char *from;
  char *to;
  int64_t bytes; /* size of an element */
  dap_loop in, out;
} dap_block;

/* Streams rows of bytes: `in` counts rows of `bytes`, at least two cache lines each, or one whole line. `out`
 * is the step to as many rows that follow, so that they can be fetched ahead. */
typedef void dap_stream_rows(const dap_block *rows);

/* Transposes: `in` are the rows, in.to = bytes; `out` are the columns, out.from = bytes. Streams only if
 * `to` and out.to are multiples of DAP_LINE, as are the rows in bytes. */
typedef void dap_transpose(const dap_block *panel, bool stream);

/* Gathers elements at from_step, of any sign, to `lines` whole lines. Streams only to the beginning of a
 * line. */
typedef void dap_gather(char *to, const char *from, int64_t from_step, int64_t lines, bool stream);

/* Makes `lines` whole lines, a multiple of the sources, of one element of each source in turn. Streams only
 * to the beginning of a line. */
typedef void dap_interleave(char *to, const char *const from[], int64_t lines, bool stream);

/* Element sizes, and numbers of interleaved sources, with instructions of their own. */
enum { DAP_WIDTH_4, DAP_WIDTH_8, DAP_WIDTH_16, DAP_WIDTH_COUNT };
enum { DAP_FROM_2, DAP_FROM_4, DAP_FROM_COUNT };

/* Returns DAP_WIDTH_COUNT for sizes without instructions. */
static inline int dap_width_of(int64_t bytes)
{
  return bytes == 4 ? DAP_WIDTH_4 : bytes == 8 ? DAP_WIDTH_8 : bytes == 16 ? DAP_WIDTH_16 : DAP_WIDTH_COUNT;
}

/* Each part may be absent (NULL). Streamed stores go past the caches, in whole lines. */
typedef struct dap_moves {
  dap_stream_rows *stream_rows;
  dap_transpose *transpose[DAP_WIDTH_COUNT];
  dap_gather *gather[DAP_WIDTH_COUNT];
  dap_interleave *interleave[DAP_FROM_COUNT][DAP_WIDTH_COUNT];
} dap_moves;

/* Returns the bytes up to the next line. */
static inline int64_t dap_bytes_to_line(const char *to)
{
  return (int64_t)(-(uintptr_t)to % DAP_LINE);
}

/* ---- items.c: element by element ---------------------------------------------------------------- */

void dap_items_copy(const dap_block *block);
void dap_items_interleave(char *to, const char *const from[], int sources, int64_t count, int64_t itemsize);

/* ---- transpose.c, transform.c: a block ------------------------------------------------------------ */

/* Transposes a block with block->in.to = bytes and block->out.from = bytes. `joined` continues block->in in
 * the destination; count 1: nothing continues it. */
void dap_block_transpose(const dap_moves *moves, const dap_block *block, const dap_loop *joined, bool stream);
void dap_block_transform(const dap_transform *transform, const dap_block *block);

/* ---- the sets ----------------------------------------------------------------------------------- */

/* Sets with vector instructions need the processor, and a compiler that chooses instructions by function. */
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define DAP_KERNELS_X86 1
extern const dap_kernels dap_kernels_avx512;
extern const dap_kernels dap_kernels_avx2;
#endif

#endif
