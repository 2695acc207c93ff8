/* What a caller asks for, compared between the processes. */
#include "scalapack_impl.h"

/* FNV-1a over the eight bytes of `value` (http://www.isthe.com/chongo/tech/comp/fnv/). */
static uint64_t hash(uint64_t seed, int64_t value)
{
  const uint64_t bits = (uint64_t)value;
  for (int shift = 0; shift < 64; shift += 8) {
    seed = (seed ^ ((bits >> shift) & 0xff)) * UINT64_C(0x100000001b3);
  }
  return seed;
}

static const uint64_t hash_start = UINT64_C(0xcbf29ce484222325);

static uint64_t hash_axis(const dap_layout *layout, int k)
{
  const dap_axis axis = dap_layout_axis(layout, k);
  uint64_t h = hash(hash(hash_start, axis.dist_type), axis.size);
  h = hash(hash(hash(h, axis.procs), axis.first_owner), axis.block_size);
  for (int c = 0; c < axis.procs; c++) {
    int64_t halo[2];
    dap_layout_halo(layout, k, c, halo);
    h = hash(hash(hash(h, dap_layout_owned(layout, k, c)), halo[0]), halo[1]);
  }
  return h;
}

/* Not its context: that number differs between processes. */
static uint64_t hash_view(const dap_scalapack_state *view)
{
  if (!view) return 0;
  const dap_blacs_map *map = &view->grid->map;
  uint64_t h = hash(hash(hash_start, map->nprow), map->npcol);
  for (int i = 0; i < map->nprow * map->npcol; i++) h = hash(h, map->ranks[i]);
  for (int k = 0; k < 2; k++)
    h = hash(hash(hash(hash(h, view->block[k]), view->owner[k]), view->inside[k]), view->size[k]);
  return hash(hash(h, view->grid->adopted), view->op);
}

static uint64_t hash_needs(const dap_matrix_needs *needs)
{
  uint64_t h = hash(hash(hash_start, needs->square_blocks), needs->any_sources);
  h = hash(hash(hash(h, needs->several_blocks), needs->least_block), needs->most_block);
  return hash(hash(hash(h, needs->spans_grid), needs->offset), needs->align);
}

/* Axes, index and sub-matrix. */
static uint64_t hash_section(const dap_scalapack_request *request, int ndim)
{
  const dap_scalapack_options *o = &request->options;
  uint64_t h = hash_start;
  for (int k = 0; k < ndim; k++)
    h = hash(h, o->index && k != o->axes[0] && k != o->axes[1] ? o->index[k] : 0);
  for (int k = 0; k < 2; k++) h = hash(hash(hash(h, o->axes[k]), o->start[k]), o->shape[k]);
  return h;
}

enum { FIXED = 12 /* words before the axes */ };

dap_status dap_scalapack_request_compare(const dap_scalapack_request *request, const dap_layout *layout,
                                         const dap_array *array, dap_error *err)
{
  static const char *const axis_names[DAP_MAX_NDIM] = {
      "axis 0 of the layout", "axis 1 of the layout", "axis 2 of the layout", "axis 3 of the layout",
      "axis 4 of the layout", "axis 5 of the layout", "axis 6 of the layout", "axis 7 of the layout"};
  const dap_scalapack_options *o = &request->options;
  const int ndim = dap_layout_ndim(layout);
  const char *names[FIXED + DAP_MAX_NDIM + 1] = {
      "access",           "the element type", "the number of axes",
      "options: sharing", "options: op",      "options: needs or routine",
      "options: like",    "options: context", "options: block_size",
      "options: grid[0]", "options: grid[1]", "options: axes, index, start or shape"};
  uint64_t words[FIXED + DAP_MAX_NDIM + 1] = {
      (uint64_t)request->access,
      (uint64_t)array->dtype,
      (uint64_t)ndim,
      (uint64_t)o->sharing,
      (uint64_t)o->op,
      hash_needs(&request->needs),
      hash_view(request->like),
      o->context != NULL,
      hash(hash(hash_start, o->block_size[0]), o->block_size[1]),
      (uint64_t)o->grid[0],
      (uint64_t)o->grid[1],
      hash_section(request, ndim),
  };
  for (int k = 0; k < DAP_MAX_NDIM; k++) {
    names[FIXED + k] = axis_names[k];
    words[FIXED + k] = k < ndim ? hash_axis(layout, k) : 0;
  }
  names[FIXED + DAP_MAX_NDIM] = "the layout"; /* the rest: order of ranks, indices */
  words[FIXED + DAP_MAX_NDIM] = dap_layout_hash(layout);
  return dap_agree_words(request->comm, words, names, FIXED + DAP_MAX_NDIM + 1, err);
}
