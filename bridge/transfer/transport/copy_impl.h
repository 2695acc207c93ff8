/* What the copy of a chunk is made of: copy.c goes through the slow axes, copy_plane.c through the two
 * fastest, copy_box.c through a chunk without gaps, copy_across.c where source and destination run
 * along different ones, copy_points.c along one that is listed. */
#ifndef DAP_COPY_IMPL_H
#define DAP_COPY_IMPL_H

#include "transport_impl.h"

/* A piece of an axis at both ends, in bytes: `count` stretches of `length` elements. */
typedef struct dap_stretches {
  int64_t from, to; /* of the first element */
  int64_t length, from_item, to_item;
  int64_t count, from_step, to_step;
} dap_stretches;

typedef struct dap_walk {
  const dap_copy *copy;
  int ndim;
  int axes[DAP_MAX_NDIM]; /* [ndim] slowest first; the last two are those of the blocks */
  int64_t from_strides[DAP_MAX_NDIM], to_strides[DAP_MAX_NDIM]; /* [ndim] bytes, by axis */
  bool from_packed, to_packed;
} dap_walk;

/* ---- walk.c --------------------------------------------------------------------------------------- */

int64_t dap_walk_elements(const dap_walk *w, int k); /* of the chunk along axis k */
dap_pieces dap_walk_pieces(const dap_walk *w, int k);
/* A piece in bytes. Single elements at equal steps become one stretch. */
dap_stretches dap_walk_resolve(const dap_walk *w, int k, const dap_strided_run *piece);
/* All stretches of `a` at one element of the other axes; one stretch of `a` times one of `b`. */
void dap_walk_line(const dap_walk *w, const char *from, char *to, const dap_stretches *a);
void dap_walk_stretch(const dap_walk *w, const char *from, char *to, const dap_stretches *a,
                      const dap_stretches *b);
void dap_walk_block(const dap_walk *w, const dap_block *block);

/* ---- copy_box.c ------------------------------------------------------------------------------------- */

/* A chunk without gaps along each axis, at these distances from where its buffers, or what is packed, begin.
 * Of its axes only those with more than one element are left, and none that goes on where another ends. */
typedef struct dap_gapless {
  int64_t from, to, itemsize; /* bytes */
  int naxes, inner;           /* the first `inner` are those of the blocks that are copied */
  int64_t n[DAP_MAX_NDIM], from_step[DAP_MAX_NDIM], to_step[DAP_MAX_NDIM]; /* [naxes] fastest first */
  bool is_plain; /* kernels have nothing better than element by element */
} dap_gapless;

/* False: it is not one, or its elements change, or source and destination run along different axes. */
bool dap_walk_gapless(const dap_walk *w, dap_gapless *g);
void dap_walk_copy_gapless(const dap_walk *w, const dap_gapless *g, const char *from, char *to);

/* ---- copy_plane.c ---------------------------------------------------------------------------------- */

/* All elements of the two fastest axes. */
void dap_walk_plane(const dap_walk *w, const char *from, char *to);

/* ---- copy_points.c --------------------------------------------------------------------------------- */

/* All of axis `k`, if it is listed, one by one or in short runs: at each position `each` elements that lie
 * together at both ends. False: it is not. */
bool dap_walk_listed(const dap_walk *w, int k, const char *from, char *to, int64_t each);

/* ---- copy_across.c --------------------------------------------------------------------------------- */

/* The same where the source runs along `b`, the destination along `a`. */
void dap_walk_across(const dap_walk *w, int a, int b, const char *from, char *to);

#endif
