/* Checks that all copies of an element on 'u' axes have one value. */
#include "document_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool has_copies(const dap_layout *layout)
{
  for (int k = 0; k < dap_layout_ndim(layout); k++)
    if (dap_layout_axis(layout, k).dist_type == 'u') return true;
  return false;
}

/* Reads an element in this machine's byte order. */
static void read_element(const dap_array *array, const int64_t local[],
                         unsigned char element[DOCUMENT_ELEMENT])
{
  const unsigned char *place = array->data;
  for (int k = 0; k < array->ndim; k++) place += local[k] * array->strides[k];
  memcpy(element, place, (size_t)dap_dtype_size(array->dtype));
  if (array->swapped) document_swap(array->dtype, element);
}

/* Returns whether a position lies in communication padding, whose copies may be stale. */
static bool is_padding(const dap_layout *layout, const dap_array *array, const int coords[],
                       const int64_t local[])
{
  for (int k = 0; k < array->ndim; k++) {
    int64_t halo[2];
    dap_layout_halo(layout, k, coords[k], halo);
    if (local[k] < halo[0] || local[k] >= array->shape[k] - halo[1]) return true;
  }
  return false;
}

static void write_index(int ndim, const int64_t index[], char *text, size_t capacity)
{
  size_t used = 0;
  for (int k = 0; k < ndim && used < capacity; k++)
    used += (size_t)snprintf(text + used, capacity - used, "%s%" PRId64, k ? ", " : "", index[k]);
}

/* Compares the element at a position with that of its owner. */
static dap_status compare(const document_parts *parts, const dap_layout *layout, int rank,
                          const int64_t local[], dap_error *err)
{
  const dap_array *mine = &parts->arrays[rank];
  unsigned char here[DOCUMENT_ELEMENT], there[DOCUMENT_ELEMENT];
  int64_t global[DAP_MAX_NDIM], place[DAP_MAX_NDIM];
  char text[DAP_MAX_NDIM * 24];
  int owner = 0;
  bool owned = false;
  DAP_TRY(dap_layout_globalize(layout, rank, local, global, &owned, err));
  if (owned) return DAP_OK;
  DAP_TRY(dap_layout_locate(layout, global, &owner, place, err));
  read_element(mine, local, here);
  read_element(&parts->arrays[owner], place, there);
  write_index(mine->ndim, global, text, sizeof text);
  DAP_RULE(18, memcmp(here, there, (size_t)dap_dtype_size(mine->dtype)) == 0, err, DAP_ERR_LAYOUT,
           "element (%s) has another value than on rank %d", text, owner);
  return DAP_OK;
}

static dap_status compare_part(const document_parts *parts, const dap_layout *layout, int rank,
                               dap_error *err)
{
  const dap_array *array = &parts->arrays[rank];
  const int64_t count = dap_array_count(array);
  int64_t local[DAP_MAX_NDIM] = {0};
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(layout, rank, coords);
  for (int64_t i = 0; i < count; i++) {
    if (!is_padding(layout, array, coords, local)) DAP_TRY(compare(parts, layout, rank, local, err));
    for (int k = array->ndim - 1; k >= 0 && ++local[k] == array->shape[k]; k--) local[k] = 0;
  }
  return DAP_OK;
}

dap_status document_parts_compare(const document_parts *parts, const dap_layout *layout,
                                  const document_listener *listener, dap_error *err)
{
  document_findings findings = {.listener = listener, .err = err};
  if (!parts->doc->has_values || !has_copies(layout)) return DAP_OK;
  for (int rank = 0; rank < parts->doc->nprocs; rank++) {
    dap_error error = {0};
    findings.rank = rank;
    (void)document_found(&findings, compare_part(parts, layout, rank, &error), &error);
  }
  return findings.status;
}
