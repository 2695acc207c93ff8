/* Takes parts of a layout and of its arrays, and checks them. */
#include "fuzz.h"

#include <dapbridge/part.h>
#include <string.h>

enum { ENDS = 2 /* tried for each beginning */ };

/* Checks that an element of the part is on the same process as in the whole. */
static void compare(const dap_layout *whole, const dap_layout *part, const int64_t lo[])
{
  const int ndim = dap_layout_ndim(part);
  int64_t index[DAP_MAX_NDIM], from[DAP_MAX_NDIM], local[DAP_MAX_NDIM];
  for (int i = 0; i < FUZZ_FEW && dap_layout_count(part) > 0; i++) {
    for (int k = 0; k < ndim; k++) {
      index[k] = fuzz_spread(dap_layout_size(part, k), i + k);
      from[k] = lo[k] + index[k];
    }
    FUZZ_REQUIRE(fuzz_find(part, index, local) == fuzz_find(whole, from, local));
  }
}

static const char *place_of(const dap_array *array, const int64_t local[])
{
  const char *place = array->data;
  for (int k = 0; k < array->ndim; k++) place += local[k] * array->strides[k];
  return place;
}

/* Checks that the window of a process's buffer has the extents of its layout, and that no element moved. */
static void compare_window(const dap_array *whole, const dap_layout *layout, int rank, const dap_part *range,
                           const dap_layout *part)
{
  const int ndim = dap_layout_ndim(part);
  int coords[DAP_MAX_NDIM];
  int64_t index[DAP_MAX_NDIM], local[DAP_MAX_NDIM], before[DAP_MAX_NDIM];
  dap_array window;
  dap_error err = {.text = ""};
  const dap_status s = dap_array_part((dap_darray){layout, whole}, rank, range, &window, &err);
  if (s) (void)fprintf(stderr, "%s\n", err.text);
  FUZZ_REQUIRE(!s && window.ndim == ndim && window.dim_count == ndim && window.dtype == whole->dtype);
  dap_layout_coords(part, rank, coords);
  for (int k = 0; k < ndim; k++) FUZZ_REQUIRE(window.shape[k] == dap_layout_extent(part, k, coords[k]));
  for (int i = 0; i < FUZZ_FEW && dap_array_count(&window) > 0; i++) {
    bool owned = false;
    for (int k = 0; k < ndim; k++) local[k] = fuzz_spread(window.shape[k], i + k);
    FUZZ_REQUIRE(dap_layout_globalize(part, rank, local, index, &owned, NULL) == DAP_OK);
    for (int k = 0; k < ndim; k++) index[k] += range->start[k];
    if (!owned) continue;
    FUZZ_REQUIRE(fuzz_find(layout, index, before) == rank);
    FUZZ_REQUIRE(place_of(&window, local) == place_of(whole, before));
  }
  dap_array_release(&window);
}

void fuzz_slices(const fuzz_arrays *arrays, const dap_layout *layout)
{
  const int ndim = dap_layout_ndim(layout);
  for (int i = 0; i < ENDS * FUZZ_FEW; i++) {
    int64_t lo[DAP_MAX_NDIM], shape[DAP_MAX_NDIM];
    const dap_part range = {.start = lo, .shape = shape};
    dap_layout *part = NULL;
    dap_error err = {.text = ""};
    for (int k = 0; k < ndim; k++) {
      const int64_t size = dap_layout_size(layout, k);
      lo[k] = size ? fuzz_spread(size, i + k) : 0;
      shape[k] = size ? size - lo[k] - fuzz_spread(size - lo[k], 2 * (i / FUZZ_FEW) + k) : 0;
    }
    const dap_status s = dap_layout_part(layout, &range, &part, NULL, &err);
    FUZZ_REQUIRE(s == DAP_OK || (s == DAP_ERR_SHARE && !part && err.text[0]));
    if (!part) continue;
    for (int k = 0; k < ndim; k++) FUZZ_REQUIRE(dap_layout_size(part, k) == shape[k]);
    compare(layout, part, lo);
    const int rank = (int)fuzz_spread(arrays->nprocs, i);
    if (arrays->has_values) compare_window(&arrays->of[rank], layout, rank, &range, part);
    fuzz_export(part);
    dap_layout_destroy(&part);
  }
}
