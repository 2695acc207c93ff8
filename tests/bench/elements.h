/* Fills and checks buffers, in which each element is its global index. */
#ifndef DAP_BENCH_ELEMENTS_H
#define DAP_BENCH_ELEMENTS_H

#include "cases.h"

/* A buffer of a side with its own strides [ndim], in bytes. */
typedef struct bench_buffer {
  char *data;
  int64_t strides[BENCH_NDIM];
} bench_buffer;

/* Writes all owned elements, and into the halos a value that no element has. */
void bench_fill(const bench_case *c, const bench_side *side, const bench_buffer *buffer);

/* Writes a value that no element has to the whole buffer. */
void bench_spoil(const bench_case *c, const bench_side *side, const bench_buffer *buffer);

/* Returns how many elements differ from the values of bench_fill(). With `halos`, the halos must have the
 * owners' values. */
int64_t bench_count_wrong(const bench_case *c, const bench_side *side, const bench_buffer *buffer,
                          bool halos);

#endif
