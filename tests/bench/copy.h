/* Copies a share of a case between buffers and messages, as a careful user would write it: rows by memcpy,
 * transposes in tiles, the rest in plain loops over the destination. */
#ifndef DAP_BENCH_COPY_H
#define DAP_BENCH_COPY_H

#include "shares.h"

typedef enum bench_place {
  BENCH_IN_SOURCE,
  BENCH_IN_DESTINATION,
  BENCH_IN_MESSAGE /* packed in the destination's order */
} bench_place;

/* One end of a copy. The `strides` of a message are ignored. */
typedef struct bench_end_of_copy {
  bench_place place;
  char *data;
  const int64_t *strides;
} bench_end_of_copy;

void bench_copy(const bench_case *c, const bench_share *share, bench_end_of_copy from, bench_end_of_copy to);

#endif
