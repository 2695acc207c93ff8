/* Declares the files that copy a chunk. Along each axis a chunk has pieces: equal stretches at equal steps,
 * which are two loops. One piece of each axis together make a nest of loops {count, step in the source, step
 * in the destination}. A chunk of regular distributions is a single nest. All others are copied nest by nest.
 *
 *     copy.c              combines the pieces to nests
 *     kernel/nest.c       sorts the loops by the destination's steps, and merges loops that continue each
 *                         other; bytes that lie together at both ends become one element
 *     kernel/nest_copy.c  picks a kernel by the two or three innermost loops, and runs the outer loops:
 *                         rows        long elements are streamed in whole lines
 *                         transpose   the source runs along the second loop, the destination along the first
 *                         gather      strided elements make lines of the destination
 *                         items       all others go element by element, in panels where the orders differ
 *     kernel/vector_*.h   has the kernels, which are compiled for AVX2 and for AVX-512
 *     copy_listed.c       copies an axis whose elements are listed, or lie in short runs: its innermost loop
 *                         is over places in memory, around the bytes that lie together at each
 *     interleave.c        copies chunks of several channels whose elements alternate: their nests differ only
 *                         in where the innermost loop begins, so lines are written from all of them at a time
 *
 * Streamed stores go past the caches in whole lines. A line that two rows share is put together first.
 * Elements that change on the way take the same path, with kernel/transform.c in place of the kernels. */
#ifndef DAP_COPY_IMPL_H
#define DAP_COPY_IMPL_H

#include "transport_impl.h"

typedef struct dap_walk {
  const dap_copy *copy;
  int ndim;
  int listed; /* axis copied by copy_listed.c, not part of the nest; -1: none */
  int64_t from_strides[DAP_MAX_NDIM], to_strides[DAP_MAX_NDIM]; /* [ndim] bytes, by axis */
  dap_nest nest;                                                /* one piece of each axis so far */
} dap_walk;

/* ---- copy_listed.c ---------------------------------------------------------------------------------- */

/* Returns the listed axis of the chunk with the shortest steps; -1: none. */
int dap_walk_find_listed(const dap_walk *w);
/* Makes elements of the other axes that lie together at each place one element. */
void dap_walk_join(const dap_walk *w, dap_nest *others);
/* Copies all of the listed axis at each iteration of the nest of the other axes. */
void dap_walk_copy_listed(const dap_walk *w, const dap_nest *others, const char *from, char *to);

#endif
