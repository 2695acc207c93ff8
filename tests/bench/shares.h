/* Computes which elements go from one process to another, for the methods written by hand. */
#ifndef DAP_BENCH_SHARES_H
#define DAP_BENCH_SHARES_H

#include "cases.h"

/* `count` equal stretches of one axis at equal steps, in elements of the two buffers. */
typedef struct bench_strided_run {
  int64_t from, to, length;
  int64_t count, from_step, to_step;
} bench_strided_run;

/* The combs of one axis, in the order of the destination. */
typedef struct bench_combs {
  bench_strided_run *list;
  int64_t count;
  int64_t elements;
} bench_combs;

/* Elements that process `source` has for process `destination`: the product of its axes' combs. A shuffled
 * array has places in the two buffers instead, in the order of the destination. */
typedef struct bench_share {
  int64_t elements;
  bench_combs axes[BENCH_NDIM];
  int32_t
      *places[2]; /* [elements] in the source's and the destination's buffer; NULL: not shuffled, or not this
                         process's buffer */
} bench_share;

/* Makes a share. For a halo update it has the elements of the destination's halo. Ends the program without
 * memory. */
void bench_share_make(const bench_case *c, int source, int destination, bench_share *share);
void bench_share_free(bench_share *share);

#endif
