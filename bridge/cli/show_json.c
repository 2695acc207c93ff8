/* A layout as JSON. */
#include "cli_impl.h"

#include <stdlib.h>

/* A list with a number for each of `count`. */
static json_t *pack_list(const dap_layout *layout, int axis, int count,
                         int64_t (*of)(const dap_layout *layout, int axis, int index))
{
  json_t *list = json_array();
  for (int i = 0; list && i < count; i++)
    if (json_array_append_new(list, json_integer(of(layout, axis, i)))) {
      json_decref(list);
      return NULL;
    }
  return list;
}

static int64_t halo_low(const dap_layout *layout, int axis, int coord)
{
  int64_t width[2];
  dap_layout_halo(layout, axis, coord, width);
  return width[0];
}

static int64_t halo_high(const dap_layout *layout, int axis, int coord)
{
  int64_t width[2];
  dap_layout_halo(layout, axis, coord, width);
  return width[1];
}

static const char *kind(const dap_axis *a)
{
  if (a->replicated || a->partial) return a->partial ? "partial" : "replicated";
  return a->dist_type == 'b' ? "block" : a->dist_type == 'c' ? "cyclic" : "unstructured";
}

/* What only some distributions have. */
static bool add_special(json_t *to, const dap_layout *layout, int axis, const dap_axis *a)
{
  if (a->dist_type == 'c')
    return json_object_set_new(to, "block_size", json_integer(a->block_size)) == 0 &&
           json_object_set_new(to, "first_owner", json_integer(a->first_owner)) == 0;
  if (a->dist_type == 'u') return json_object_set_new(to, "one_to_one", json_boolean(a->one_to_one)) == 0;
  return json_object_set_new(to, "periodic", json_boolean(a->periodic)) == 0 &&
         json_object_set_new(to, "boundary",
                             json_pack("[II]", (json_int_t)a->boundary[0], (json_int_t)a->boundary[1])) ==
             0 &&
         json_object_set_new(to, "halo_low", pack_list(layout, axis, a->procs, halo_low)) == 0 &&
         json_object_set_new(to, "halo_high", pack_list(layout, axis, a->procs, halo_high)) == 0;
}

static json_t *pack_axis(const dap_layout *layout, int axis)
{
  const dap_axis a = dap_layout_axis(layout, axis);
  json_t *json = json_pack("{ss sI si so so}", "kind", kind(&a), "size", (json_int_t)a.size, "processes",
                           a.procs, "owned", pack_list(layout, axis, a.procs, dap_layout_owned), "extent",
                           pack_list(layout, axis, a.procs, dap_layout_extent));
  if (json && add_special(json, layout, axis, &a)) return json;
  json_decref(json);
  return NULL;
}

static int64_t size(const dap_layout *layout, int axis, int index)
{
  (void)axis;
  return dap_layout_size(layout, index);
}

static int64_t procs(const dap_layout *layout, int axis, int index)
{
  (void)axis;
  return dap_layout_procs(layout, index);
}

/* The rank at each position of the grid, in row-major order. */
static int64_t rank_at(const dap_layout *layout, int axis, int index)
{
  int coords[DAP_MAX_NDIM] = {0};
  (void)axis;
  for (int k = dap_layout_ndim(layout) - 1; k >= 0; k--) {
    coords[k] = index % dap_layout_procs(layout, k);
    index /= dap_layout_procs(layout, k);
  }
  return dap_layout_rank(layout, coords);
}

json_t *cli_json_layout(const dap_layout *layout)
{
  const int ndim = dap_layout_ndim(layout), nprocs = dap_layout_nprocs(layout);
  json_t *axes = json_array();
  bool is_whole = axes != NULL;
  for (int k = 0; k < ndim && is_whole; k++)
    is_whole = json_array_append_new(axes, pack_axis(layout, k)) == 0;
  json_t *json = json_pack("{so so so si so}", "summary", cli_json_text(dap_layout_summary, layout), "shape",
                           pack_list(layout, 0, ndim, size), "grid", pack_list(layout, 0, ndim, procs),
                           "processes", nprocs, "axes", axes);
  if (json && !dap_layout_is_row_major(layout))
    is_whole = is_whole && json_object_set_new(json, "ranks", pack_list(layout, 0, nprocs, rank_at)) == 0;
  if (json && is_whole) return json;
  json_decref(json);
  return NULL;
}
