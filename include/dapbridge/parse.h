/* dapbridge/parse.h: layouts as a short text, read and written: "100x80 on 2x2: b, c(8)".
 *
 *     layout    = "scalar" | sizes [grid] [":" axis {"," axis}] [";" "ranks" number {number}]
 *     sizes     = number {"x" number}                     elements along each axis
 *     grid      = ("on" | "over") number {"x" number}     processes along each axis
 *     axis      = block | cyclic | lists | whole | local
 *     block     = ("b" | "block") [list] ["(" cut {"," cut} ")"]
 *     cut       = "ceil" | "lengths" number {number}
 *               | "halo" number {number} | "outer halo" number [number] | "wraps"
 *               | "boundary" number [number] | "periodic"
 *     cyclic    = ("c" | "cyclic") ["(" deal {"," deal} ")"]
 *     deal      = number | "first" number
 *     lists     = ("u" | "unstructured") list {list} ["(" "one to one" ")"]
 *     whole     = "r" | "replicated" | "p" | "partial"
 *     local     = "n" | "local"
 *     list      = "[" [entry {[","] entry}] "]"
 *     entry     = ["~"] number
 *
 * Numbers are decimal. Blanks and line ends may stand between words, numbers and signs, and are needed only
 * between two numbers or two words.
 *   b         contiguous, as even as can be. b[30,70], or b(lengths 30 70): these lengths. b(ceil): ceil(size
 *             / processes) each until none are left.
 *   halo      communication padding on both sides of each interface, or one width for each interface.
 *   outer halo  communication padding of a periodic axis at its two ends, where it wraps around; one number
 *             is both. wraps: as wide as the halo.
 *   boundary  boundary padding at the two ends, inside the size; one number is both.
 *   c         blocks of one element dealt round robin; c(8): blocks of 8; c(8, first 1): the first to 1.
 *   u         the global indices that each process has; u[0,2,~3][1,3]: "~" marks a ghost, which another
 *             process owns. Without any "~" the first process that has an index owns it.
 *   r, p      all elements on every process: copies; or addends, whose sum is the element.
 *   n         not distributed: one process.
 * No axis at all: each is b. No grid: the processes are as many as the axis has lengths or lists, or 1.
 * ranks: those at the positions of the grid, in row-major order; left out, that order.
 *
 * What dap_layout_summary() writes is such a text unless it leaves out numbers ("...") or lists. Nothing in
 * this header is collective. */
#ifndef DAPBRIDGE_PARSE_H
#define DAPBRIDGE_PARSE_H

#include <dapbridge/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most processes that a text can ask for, as memory and time grow with them. */
enum { DAP_PARSE_PROCS = 1 << 20 };

/* Makes the layout that `text` describes, which dap_layout_create() and dap_layout_reorder() would make of
 * the same numbers. The caller owns *layout and frees it with dap_layout_destroy(). Any text is safe, whoever
 * wrote it: the memory that it takes is in proportion to its length, the number of processes, and the number
 * of indices listed.
 * Errors, whose text begins with "column C: ", the place in `text`, 1-based, and then names the axis, the
 * value and what is wrong with it: DAP_ERR_ARG (NULL; not such a text; ranks that are no permutation),
 * DAP_ERR_DIM (a distribution that the axis cannot have: lengths that do not add up to the size, a halo that
 * is too wide, an index that no list has, as in dap_layout_create()), DAP_ERR_RANGE (a number beyond 2^63 -
 * 1, more elements than that, more processes than DAP_PARSE_PROCS), DAP_ERR_NOMEM. err->rule is the broken
 * rule of the protocol, if it is one. On error *layout is NULL. */
DAP_API dap_status dap_layout_parse(const char *text, dap_layout **layout, dap_error *err);

/* Writes the layout as such a text, in its shortest form, to `text`, which has `capacity` bytes, and returns
 * the length of the full text, as dap_layout_summary() does; but nothing is left out, so that
 * dap_layout_parse() makes an equal layout of it. The lists of an assembled 'u' axis that this process does
 * not know are "[?]", which cannot be read back. */
DAP_API size_t dap_layout_format(const dap_layout *layout, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
