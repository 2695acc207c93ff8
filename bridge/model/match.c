/* Checks whether an array can be a process's part of a layout. */
#include "model_impl.h"

#include <inttypes.h>

/* Returns whether the dictionary names another place in the layout's grid. The array is then the part of
 * another process, whose extents may be the same. Replicated axes are alike at every place. */
static bool is_of_another(const dap_array *array, const dap_layout *layout, int k, int coord)
{
  const dap_dim *dim = &array->dims[k];
  const bool is_told = array->dim_count == layout->ndim && dim->dist_type && !layout->maps[k].axis.replicated;
  return is_told && dim->proc_grid_size == dap_layout_procs(layout, k) && dim->proc_grid_rank != coord;
}

dap_status dap_array_match_place(dap_darray whole, int rank, dap_error *err)
{
  int coords[DAP_MAX_NDIM];
  const dap_layout *layout = whole.layout;
  const dap_array *array = whole.local;
  const bool is_none = array->ndim == 0 && !array->data;
  DAP_REQUIRE(!is_none || layout->ndim == 0, err, DAP_ERR_BUFFER,
              "the array has no part here, but the layout gives rank %d one: was it made for another rank?",
              rank);
  DAP_REQUIRE(array->ndim == layout->ndim, err, DAP_ERR_BUFFER,
              "the buffer's ndim is %" PRId32 ", but the layout's number of axes is %d", array->ndim,
              layout->ndim);
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < layout->ndim; k++) {
    const int64_t extent = dap_layout_extent(layout, k, coords[k]);
    DAP_REQUIRE(array->shape[k] == extent, err, DAP_ERR_BUFFER,
                "axis %d: the buffer's extent %" PRId64 " differs from the %" PRId64
                " that the layout gives rank %d",
                k, array->shape[k], extent, rank);
    DAP_REQUIRE(!is_of_another(array, layout, k, coords[k]), err, DAP_ERR_BUFFER,
                "axis %d: the array is the part of proc_grid_rank %d, and rank %d has %d: was it made for "
                "another rank, or for its rank in another communicator?",
                k, (int)array->dims[k].proc_grid_rank, rank, coords[k]);
  }
  return DAP_OK;
}

dap_status dap_array_match(dap_darray whole, int rank, dap_error *err)
{
  const dap_layout *layout = whole.layout;
  const dap_array *array = whole.local;
  DAP_REQUIRE(array && layout, err, DAP_ERR_ARG, "%s must not be NULL", array ? "layout" : "array");
  DAP_TRY(dap_layout_check(layout, err));
  DAP_REQUIRE(rank >= 0 && rank < layout->nprocs, err, DAP_ERR_ARG, "rank %d is outside 0 .. %d", rank,
              layout->nprocs - 1);
  for (int k = 0; k < layout->ndim; k++)
    DAP_REQUIRE(!layout->maps[k].axis.partial, err, DAP_ERR_UNSUPPORTED,
                "axis %d is partial: processes have addends of the array's elements, which a plan can add up",
                k);
  DAP_TRY(dap_array_match_place(whole, rank, err));
  DAP_REQUIRE(array->data || dap_array_count(array) == 0, err, DAP_ERR_BUFFER,
              "data is NULL: there is no data for the buffer's %" PRId64 " elements", dap_array_count(array));
  return DAP_OK;
}

dap_status dap_array_find(dap_darray whole, int rank, int coords[], dap_error *err)
{
  DAP_REQUIRE(whole.local, err, DAP_ERR_ARG, "whole must not be NULL");
  if (dap_array_match(whole, rank, err)) return DAP_ERR_ARG;
  dap_layout_coords(whole.layout, rank, coords);
  return DAP_OK;
}
