/* What is in the buffers: each element is its global index. */
#ifndef DAP_BENCH_ELEMENTS_H
#define DAP_BENCH_ELEMENTS_H

#include "cases.h"

/* A buffer of a side with its own strides [ndim], in bytes. */
typedef struct bench_buffer {
  char *data;
  int64_t strides[BENCH_NDIM];
} bench_buffer;

/* Writes all owned elements, and what is no element's value into the halos. */
void bench_fill(const bench_case *c, const bench_side *side, const bench_buffer *buffer);

/* Writes what is no element's value everywhere. */
void bench_spoil(const bench_case *c, const bench_side *side, const bench_buffer *buffer);

/* Elements that are not as bench_fill() leaves them; with `halos`, those of the halos must be their
 * owners'. */
int64_t bench_count_wrong(const bench_case *c, const bench_side *side, const bench_buffer *buffer,
                          bool halos);

#endif
