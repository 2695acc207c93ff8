#include "vectors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- which positions there are ----------------------------------------------------------------- */

static dap_status allocate(places *all, dap_error *err)
{
  const size_t count = (size_t)all->count, words = count * (size_t)all->ndim;
  all->local = calloc(words + 1, sizeof *all->local);
  all->global = calloc(words + 1, sizeof *all->global);
  all->owned = calloc(count + 1, sizeof *all->owned);
  all->halo = calloc(count + 1, sizeof *all->halo);
  if (!all->local || !all->global || !all->owned || !all->halo)
    return dap_fail(err, DAP_ERR_NOMEM, "no memory for %" PRId64 " positions", all->count);
  return DAP_OK;
}

/* Positions in C order, and whether each lies in communication padding. */
static void enumerate(places *all, const int64_t extent[], int64_t halo[][2])
{
  int64_t at[DAP_MAX_NDIM] = {0};
  for (int64_t i = 0; i < all->count; i++) {
    for (int k = 0; k < all->ndim; k++) {
      all->local[i * all->ndim + k] = at[k];
      all->halo[i] = all->halo[i] || at[k] < halo[k][0] || at[k] >= extent[k] - halo[k][1];
    }
    for (int k = all->ndim - 1; k >= 0 && ++at[k] == extent[k]; k--) at[k] = 0;
  }
}

dap_status places_init(places *all, const dap_layout *layout, int rank, dap_error *err)
{
  int coords[DAP_MAX_NDIM];
  int64_t extent[DAP_MAX_NDIM], halo[DAP_MAX_NDIM][2];
  *all = (places){.ndim = dap_layout_ndim(layout), .count = 1};
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < all->ndim; k++) {
    all->shape[k] = dap_layout_size(layout, k);
    extent[k] = dap_layout_extent(layout, k, coords[k]);
    dap_layout_halo(layout, k, coords[k], halo[k]);
    all->count *= extent[k];
  }
  const dap_status s = allocate(all, err);
  if (s) return s;
  enumerate(all, extent, halo);
  return dap_layout_globalize_all(layout, rank, all->count, all->local, all->global, all->owned, err);
}

void places_release(places *all)
{
  free(all->local);
  free(all->global);
  free(all->owned);
  free(all->halo);
  *all = (places){0};
}

/* ---- the elements there ------------------------------------------------------------------------ */

int64_t places_index(const places *all, int64_t i)
{
  int64_t index = 0;
  for (int k = 0; k < all->ndim; k++) index = index * all->shape[k] + all->global[i * all->ndim + k];
  return index;
}

void *places_address(const places *all, int64_t i, const dap_array *array)
{
  unsigned char *element = array->data;
  for (int k = 0; k < all->ndim; k++) element += all->local[i * all->ndim + k] * array->strides[k];
  return element;
}

void places_wipe(const places *all, const dap_array *array, bool only_halo)
{
  for (int64_t i = 0; i < all->count; i++)
    if (all->halo[i] || !only_halo)
      memset(places_address(all, i, array), 0xEE, (size_t)dap_dtype_size(array->dtype));
}

dap_status places_compare(const places *all, const json_t *vector, const dap_array *array, bool only_owned,
                          const char *what, dap_error *err)
{
  unsigned char want[VECTOR_ELEMENT];
  for (int64_t i = 0; i < all->count; i++) {
    if (only_owned && !all->owned[i]) continue;
    const int64_t index = places_index(all, i);
    if (!expected_element(vector, array->dtype, index, want))
      return dap_fail(err, DAP_ERR_LIBRARY, "the document is broken: it does not say element %" PRId64,
                      index);
    if (!element_equals(array->dtype, places_address(all, i, array), want))
      return dap_fail(err, DAP_ERR_BUFFER, "%s: position %" PRId64 ", element %" PRId64 "%s, differs", what,
                      i, index, all->owned[i] ? "" : ", not owned");
  }
  return DAP_OK;
}
