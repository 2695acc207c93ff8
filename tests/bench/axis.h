/* Computes where the elements of one axis of a case are. It does not ask the library, so that every
 * element that a method moves is compared with an independent result. */
#ifndef DAP_BENCH_AXIS_H
#define DAP_BENCH_AXIS_H

#include <dapbridge/layout.h>

typedef enum bench_kind {
  BENCH_BLOCK,  /* contiguous, ceil(size / procs) each */
  BENCH_PADDED, /* contiguous, as even as possible, with a halo of `width` elements at every interface */
  BENCH_CYCLIC, /* blocks of `width` elements that are dealt round robin */
  BENCH_SHUFFLE /* elements in a random order, as even as possible */
} bench_kind;

typedef struct bench_axis {
  bench_kind kind;
  int procs;
  int64_t size;
  int64_t width; /* of the halo, or of a block */
} bench_axis;

/* Returns the library's description of the axis, which must not be a shuffle. */
dap_dist bench_axis_dist(const bench_axis *axis);

/* Returns the number of elements in the buffer of the process at `coord`, halos included. */
int64_t bench_axis_extent(const bench_axis *axis, int coord);

/* Returns the global index of a position in the buffer at `coord`. *owned becomes false in the halo. */
int64_t bench_axis_global(const bench_axis *axis, int coord, int64_t local, bool *owned);

/* Returns the position of a global index in its owner's buffer. *coord becomes the owner's coordinate. */
int64_t bench_axis_locate(const bench_axis *axis, int64_t global, int *coord);

#endif
