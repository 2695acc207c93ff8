/* Private: it makes the layout that a file is read as, of maps. */
#include "model_impl.h"
#include "mpi_test.h"
#include "random_array.h"

/* The lists that a replicated axis is exported as. */
static dap_status list_axis(const dap_map *map, dap_map *listed, dap_error *err)
{
  const int procs = map->axis.procs;
  const int64_t size = map->axis.size;
  int64_t *all = calloc((size_t)size + 1, sizeof *all), *lengths = calloc((size_t)procs, sizeof *lengths);
  const int64_t **indices = calloc((size_t)procs, sizeof(int64_t *));
  dap_status s = all && lengths && indices ? DAP_OK : DAP_ERR_NOMEM;
  for (int64_t i = 0; i < size && !s; i++) all[i] = i;
  for (int c = 0; c < procs && !s; c++) {
    lengths[c] = size;
    indices[c] = all;
  }
  const dap_dist dist = dap_dist_unstructured(size, procs, lengths, indices);
  if (!s) s = dap_map_create(0, &dist, listed, err);
  free(all);
  free(lengths);
  free(indices);
  return s;
}

dap_layout *layout_as_read(const dap_layout *layout)
{
  dap_map maps[DAP_MAX_NDIM] = {0};
  dap_layout *read = NULL;
  dap_error err = {0};
  if (!layout) return NULL;
  for (int k = 0; k < layout->ndim; k++) {
    const dap_map *map = &layout->maps[k];
    EXPECT_OK(map->axis.replicated ? list_axis(map, &maps[k], &err) : dap_map_copy(k, map, &maps[k], &err),
              &err);
  }
  if (EXPECT_OK(dap_layout_from_maps(DAP_OK, layout->ndim, maps, &read, &err), &err))
    EXPECT_OK(dap_layout_set_ranks(read, layout->ranks, &err), &err);
  return read;
}

bool is_as_read(const dap_layout *got, const dap_layout *layout)
{
  dap_layout *read = layout_as_read(layout);
  const bool same = dap_layout_is_equal(got, read) && dap_layout_is_equal(read, got) &&
                    dap_layout_hash(got) == dap_layout_hash(read);
  dap_layout_destroy(&read);
  return same;
}
