/* The model layer: the protocol in pure C, without MPI or input/output. An index of what its files
 * share with each other and with the layers above inside the core library. */
#ifndef DAP_MODEL_IMPL_H
#define DAP_MODEL_IMPL_H

#include "check.h"
#include <dapbridge/array.h>
#include <dapbridge/dim.h>
#include <dapbridge/dtype.h>
#include <dapbridge/layout.h>
#include <dapbridge/status.h>
#include <stdatomic.h>

/* ---- the canonical form -------------------------------------------------------------------------
 * One axis on all of its processes, free of dialects: owned ranges and halo widths. Process c of a
 * contiguous axis owns [bounds[c], bounds[c + 1]), and its buffer holds halo[c][0] elements before and
 * halo[c][1] after that range, counted modulo size at the outer edges. */
typedef struct dap_map {
  dap_axis axis;
  const struct dap_dist_ops *ops; /* of axis.dist_type */
  int64_t *bounds;                /* 'b': [procs + 1]; 'c': NULL */
  int64_t (*halo)[2];             /* 'b': [procs] low, high; 'c': NULL */
} dap_map;

struct dap_layout {
  atomic_int references;
  int ndim;
  int nprocs;
  int64_t count;
  dap_map maps[DAP_MAX_NDIM]; /* [ndim] */
};

/* Which positions of a destination buffer a transfer fills along one axis. */
typedef enum dap_reach { DAP_REACH_OWNED, DAP_REACH_HALO, DAP_REACH_ALL } dap_reach;

/* What differs between distributions: one constant table each (block.c, cyclic.c), found by dist_type. */
typedef struct dap_dist_ops {
  char dist_type;
  /* one dictionary on its own, against the extent of its buffer */
  dap_status (*check)(int axis, const dap_dim *dim, int64_t extent, dap_error *err);
  /* the dictionaries of all coordinates, dims[procs], to the canonical form */
  dap_status (*assemble)(int axis, const dap_dim dims[], dap_map *map, dap_error *err);
  int64_t (*owned)(const dap_map *map, int coord);
  int64_t (*run_count)(const dap_map *map, int coord);
  dap_run (*run)(const dap_map *map, int coord, int64_t index);
  /* index of the first run that ends behind `global`; run_count() when there is none */
  int64_t (*run_after)(const dap_map *map, int coord, int64_t global);
  void (*locate)(const dap_map *map, int64_t global, int *coord, int64_t *local);
  int64_t (*globalize)(const dap_map *map, int coord, int64_t local);
  void (*export)(const dap_map *map, int coord, dap_dim *dim);
} dap_dist_ops;

/* dists.c: the table of distributions, and the axis of a dap_dist */
const dap_dist_ops *dap_dist_ops_find(char dist_type); /* NULL: unknown */
dap_status dap_map_create(int axis, const dap_dist *dist, dap_map *map, dap_error *err);
void dap_map_release(dap_map *map);

/* block.c, cyclic.c */
extern const dap_dist_ops dap_block_ops;
extern const dap_dist_ops dap_cyclic_ops;
dap_status dap_block_create(int axis, const dap_dist *dist, dap_map *map, dap_error *err);
dap_status dap_cyclic_create(int axis, const dap_dist *dist, dap_map *map, dap_error *err);
int64_t dap_numroc(int64_t size, int64_t block_size, int64_t distance, int64_t procs);

/* fill.c: the stretches of a destination buffer that a transfer fills, in the buffer's order */
int64_t dap_map_fill_count(const dap_map *map, int coord, dap_reach reach);
dap_run dap_map_fill(const dap_map *map, int coord, dap_reach reach, int64_t index);

/* dialect.c: which versions of the protocol are read */
dap_status dap_version_check(const char version[DAP_VERSION_TEXT], dap_error *err);

/* dim.c: one dictionary; the normal form has no empty dictionary and no absent optional key */
dap_dim dap_dim_normal(const dap_dim *dim, int64_t extent);
dap_status dap_dim_check(int axis, const dap_dim *dim, int64_t extent, dap_error *err);

/* layout.c: takes over the maps; releases them on error */
dap_status dap_layout_from_maps(int ndim, dap_map maps[], dap_layout **layout, dap_error *err);
dap_status dap_layout_from_dims(int ndim, const dap_dim *const dims[], dap_layout **layout, dap_error *err);
uint64_t dap_hash(uint64_t seed, const void *bytes, size_t count);

/* arithmetic.c: products and sums that can overflow; false when they do */
bool dap_multiply(int64_t a, int64_t b, int64_t *product);
bool dap_add(int64_t a, int64_t b, int64_t *sum);
/* Bytes from the lowest to behind the highest element of a strided buffer; 0 when it is empty. */
bool dap_span(int ndim, const int64_t shape[], const int64_t strides[], int64_t itemsize, int64_t *bytes);

/* text.c: a text of bounded size that knows its full length */
typedef struct dap_text {
  char *out;
  size_t capacity;
  size_t length; /* without the limit */
} dap_text;
dap_text dap_text_start(char *out, size_t capacity);
void dap_text_add(dap_text *text, const char *format, ...) DAP_PRINTF(2, 3);

#endif
