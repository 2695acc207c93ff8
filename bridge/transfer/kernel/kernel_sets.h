/* Parts of a copy that instruction sets do well, and a table of them for each set. nest_copy.c cuts nests
 * into these parts. */
#ifndef DAP_KERNEL_SETS_H
#define DAP_KERNEL_SETS_H

#include "kernel_impl.h"

/* Two loops around the copy of one element. Nothing is aligned; source and destination do not overlap. */
typedef struct dap_block {
  const char *from;
  char *to;
  int64_t bytes; /* of an element */
  dap_loop in, out;
} dap_block;

/* Runs of bytes: `in` counts rows of `bytes`, at least two cache lines each, or one that is a whole line.
 * With `out`, as many rows follow at that step, and can be read ahead. */
typedef void dap_stream_rows(const dap_block *rows);

/* A transposition: `in` are its rows, in.to = bytes; `out` are its columns, out.from = bytes. Streams only if
 * `to` and out.to are multiples of DAP_LINE, as are the rows in bytes. */
typedef void dap_transpose(const dap_block *panel, bool stream);

/* `lines` whole lines of elements at from_step, of any sign. Streams only to the beginning of a line. */
typedef void dap_gather(char *to, const char *from, int64_t from_step, int64_t lines, bool stream);

/* `lines` whole lines, a multiple of the sources, of one element of each source in turn; likewise. */
typedef void dap_interleave(char *to, const char *const from[], int64_t lines, bool stream);

/* Element sizes, and numbers of interleaved sources, with instructions of their own. */
enum { DAP_WIDTH_4, DAP_WIDTH_8, DAP_WIDTH_16, DAP_WIDTH_COUNT };
enum { DAP_FROM_2, DAP_FROM_4, DAP_FROM_COUNT };

/* DAP_WIDTH_COUNT: no instructions. */
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

/* Bytes up to the next line. */
static inline int64_t dap_bytes_to_line(const char *to)
{
  return (int64_t)(-(uintptr_t)to % DAP_LINE);
}

/* ---- items.c: element by element ---------------------------------------------------------------- */

void dap_items_copy(const dap_block *block);
void dap_items_interleave(char *to, const char *const from[], int sources, int64_t count, int64_t itemsize);

/* ---- transpose.c, transform.c: a block ------------------------------------------------------------ */

/* A transposition with block->in.to = bytes and block->out.from = bytes. `joined` continues block->in in the
 * destination; count 1: it does not go on. */
void dap_block_transpose(const dap_moves *moves, const dap_block *block, const dap_loop *joined, bool stream);
void dap_block_transform(const dap_transform *transform, const dap_block *block);

/* ---- the sets ----------------------------------------------------------------------------------- */

/* The others need the processor, and a compiler that can choose instructions function by function. */
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define DAP_KERNELS_X86 1
extern const dap_kernels dap_kernels_avx512;
extern const dap_kernels dap_kernels_avx2;
#endif

#endif
