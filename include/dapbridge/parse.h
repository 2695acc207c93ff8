/**
 * @file
 * Reads and writes layouts as short descriptions, such as "100x80 on 2x2: b, c(8)". The grammar is:
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
 * Numbers are decimal. Blanks and line ends are allowed between words, numbers and punctuation. Blanks are
 * required only between two numbers or two words.
 *
 * - b: contiguous blocks, as even as possible. b[30,70] and b(lengths 30 70) mean blocks of 30 and 70
 *   elements. b(ceil) means blocks of ceil(size / processes) elements; the last processes may have fewer
 *   elements, or none.
 * - halo: communication padding on both sides of each interface between blocks. A single number gives the
 *   width at all interfaces. Several numbers give the widths at the individual interfaces.
 * - outer halo: communication padding at the two ends of a periodic axis, where the axis wraps around. A
 *   single number gives the width at both ends.
 * - wraps: an outer halo as wide as the halo.
 * - boundary: boundary padding at the two ends of the axis. The size of the axis includes this padding. A
 *   single number gives the width at both ends.
 * - c: blocks of one element, dealt round robin. c(8) means blocks of 8 elements. In c(8, first 1), process 1
 *   owns the first block.
 * - u: a list of global indices for each process. The mark "~", as in u[0,2,~3][1,3], precedes a ghost: an
 *   index that another process owns. If the axis contains no "~", the first process that lists an index owns
 *   it.
 * - r: every process has a copy of all elements.
 * - p: every process has an addend of each element. The element is the sum of its addends.
 * - n: not distributed; all elements are on one process.
 *
 * If the description does not specify the axes, each axis is of kind b. If no grid is given, an axis has one
 * process for each of its lengths or lists, or one process if it has neither. The list after "ranks" gives
 * the rank at each position of the grid, with positions in row-major order. Without "ranks", ranks are in
 * row-major order on the grid.
 *
 * dap_layout_summary() writes a similar description, but omits lists, and replaces some numbers with "...".
 */
#ifndef DAPBRIDGE_PARSE_H
#define DAPBRIDGE_PARSE_H

#include <dapbridge/layout.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  /** largest number of processes in a description; limits the time and memory for reading it */
  DAP_PARSE_PROCS = 1 << 20
};

/**
 * Creates a layout from a short description.
 *
 * The text may come from an untrusted source. The memory needed grows linearly with the length of the text
 * and the numbers of processes and indices. Not collective.
 *
 *     dap_layout_parse("100x80 on 2x2: b(halo 1), c(8)", &layout, &err);
 *
 * @param text    description of the layout
 * @param layout  receives the layout, to be freed with dap_layout_destroy(); NULL on error
 * @param err     receives the error, whose text begins with "column C: ", where C counts from 1; may be NULL
 * @return
 *  - DAP_OK
 *  - DAP_ERR_ARG: a pointer is NULL, the text does not follow the grammar, or the ranks are not a permutation
 *  - DAP_ERR_DIM: a distribution does not fit its axis: lengths do not add up to the size, a halo is too
 *    wide, or an index is missing
 *  - DAP_ERR_RANGE: a number or the number of elements exceeds 2^63 - 1, or the number of processes exceeds
 *    DAP_PARSE_PROCS
 *  - DAP_ERR_NOMEM
 * @see dap_layout_format()
 */
DAP_API dap_status dap_layout_parse(const char *text, dap_layout **layout, dap_error *err);

/**
 * Writes the shortest description of a layout to `text`, truncated to fit, like snprintf().
 *
 * dap_layout_parse() creates an equal layout from this description. If this process does not know a list of a
 * 'u' axis (dap_layout_assemble()), the text contains "[?]" instead, which cannot be parsed. Not collective.
 *
 * @param layout    the layout; must not be NULL
 * @param text      receives the description; may be NULL if `capacity` is 0
 * @param capacity  size of `text` in bytes
 * @return length of the full text, without the NUL
 * @see dap_layout_parse(), dap_layout_summary()
 */
DAP_API size_t dap_layout_format(const dap_layout *layout, char *text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif
