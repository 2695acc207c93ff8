/* Declares the files that copy a chunk. Along each axis a chunk has pieces: equal stretches at equal steps,
 * which are two loops. One piece of each axis together make a nest, which kernel/nest.c sorts and merges and
 * kernel/nest_copy.c copies. */
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
