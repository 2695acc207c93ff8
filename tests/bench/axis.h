/* One axis of a case, by arithmetic of its own: where its elements are is computed here, not asked of the
 * library, so that every element a method moves is checked against something else. */
#ifndef DAP_BENCH_AXIS_H
#define DAP_BENCH_AXIS_H

#include <dapbridge/layout.h>

typedef enum bench_kind {
  BENCH_BLOCK,  /* contiguous, ceil(size / procs) each */
  BENCH_PADDED, /* contiguous, as even as possible, with `width` elements of halo at every interface */
  BENCH_CYCLIC, /* blocks of `width` dealt round robin */
  BENCH_SHUFFLE /* elements in a random order, as even as possible */
} bench_kind;

typedef struct bench_axis {
  bench_kind kind;
  int procs;
  int64_t size;
  int64_t width; /* of the halo, or of a block */
} bench_axis;

/* The library's words for it; not of a shuffle. */
dap_dist bench_axis_dist(const bench_axis *axis);

/* Elements in the buffer of the process at `coord`, halos included. */
int64_t bench_axis_extent(const bench_axis *axis, int coord);

/* Position in the buffer of the process at `coord` -> global index; *owned: it is not in the halo. */
int64_t bench_axis_global(const bench_axis *axis, int coord, int64_t local, bool *owned);

/* Global index -> its owner's coordinate and the position in the owner's buffer. */
int64_t bench_axis_locate(const bench_axis *axis, int64_t global, int *coord);

#endif
