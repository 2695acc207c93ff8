/* The axes of arrays in the tables of the tests, each a dap_dist: on one process; on all; padded; cut by
 * ceiling division; with boundary padding; the same, periodic; with padding that wraps round; cyclic; lists
 * of indices. */
#ifndef DAP_LIVE_AXES_H
#define DAP_LIVE_AXES_H

/* clang-format off */
#define ONE(n) { .procs = 1, .size = (n) }
#define ALL(n) { .size = (n) }
#define PAD(n, h) { .size = (n), .halo = (h) }
#define CEIL(n, h) { .kind = DAP_DIST_CEIL, .size = (n), .halo = (h) }
#define EDGE(n, h, low, high) { .size = (n), .halo = (h), .boundary = { low, high } }
#define LOOP(n, h, low, high) { .size = (n), .halo = (h), .boundary = {low, high}, .periodic = true }
#define WRAP(n, h) { .size = (n), .halo = (h), .periodic = true, .wraps = true }
#define ROUND(n, b) { .kind = DAP_DIST_CYCLIC, .size = (n), .block_size = (b) }
#define LIST(n) { .kind = DAP_DIST_UNSTRUCTURED, .size = (n) }
/* clang-format on */

#endif
