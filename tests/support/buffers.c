#include "buffers.h"

#include "mpi_test.h"

#include <inttypes.h>

/* ---- one element -------------------------------------------------------------------------------- */

void bytes_of(int64_t itemsize, int64_t index, void *element)
{
  unsigned char *bytes = element;
  for (int64_t i = 0; i < itemsize; i += 8) {
    const uint64_t word = (uint64_t)index + 1 + (uint64_t)(i / 8) * 0x9E3779B97F4A7C15u;
    memcpy(bytes + i, &word, (size_t)(itemsize - i < 8 ? itemsize - i : 8));
  }
}

void value_of(dap_dtype dtype, int64_t index, void *element)
{
  const uint64_t n = (uint64_t)index + 1;
  const float f[2] = {(float)n, (float)n + 0.5f};
  const double d[2] = {(double)n, (double)n + 0.5};
  const uint8_t u1 = (uint8_t)n, odd = n % 2;
  const uint16_t u2 = (uint16_t)n;
  const uint32_t u4 = (uint32_t)n;
  const void *value = NULL;
  switch (dtype) {
  case DAP_NONE:
    return;
  case DAP_BOOL:
    value = &odd;
    break;
  case DAP_I1:
  case DAP_U1:
    value = &u1;
    break;
  case DAP_I2:
  case DAP_U2:
    value = &u2;
    break;
  case DAP_I4:
  case DAP_U4:
    value = &u4;
    break;
  case DAP_I8:
  case DAP_U8:
    value = &n;
    break;
  case DAP_F4:
  case DAP_C8:
    value = f;
    break;
  case DAP_F8:
  case DAP_C16:
    value = d;
    break;
  case DAP_F2:
  case DAP_F16:
  case DAP_C32:
    bytes_of(dap_dtype_size(dtype), index, element);
    return;
  }
  memcpy(element, value, (size_t)dap_dtype_size(dtype));
}

void turn_bytes(dap_dtype dtype, void *element)
{
  const bool is_complex = dtype == DAP_C8 || dtype == DAP_C16 || dtype == DAP_C32;
  const int64_t size = dap_dtype_size(dtype), width = is_complex ? size / 2 : size;
  for (unsigned char *part = element; part < (unsigned char *)element + size; part += width)
    for (int64_t i = 0; i < width / 2; i++) {
      const unsigned char kept = part[i];
      part[i] = part[width - 1 - i];
      part[width - 1 - i] = kept;
    }
}

unsigned char *array_element(const dap_array *array, const int64_t position[])
{
  unsigned char *at = array->data;
  for (int k = 0; k < array->ndim; k++) at += position[k] * array->strides[k];
  return at;
}

bool next_position(int ndim, const int64_t shape[], int64_t position[])
{
  int k = ndim - 1;
  while (k >= 0 && ++position[k] >= shape[k]) position[k--] = 0;
  return k >= 0;
}

void turn_array(dap_array *array)
{
  int64_t local[DAP_MAX_NDIM] = {0};
  array->swapped = !array->swapped;
  for (bool more = dap_array_count(array) > 0; more; more = next_position(array->ndim, array->shape, local))
    turn_bytes(array->dtype, array_element(array, local));
}

/* ---- local buffers ------------------------------------------------------------------------------ */

bool has_value(const dap_layout *layout, int rank, const int64_t local[])
{
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < dap_layout_ndim(layout); k++)
    if (!dap_layout_axis(layout, k).replicated && !dap_layout_is_owned(layout, k, coords[k], local[k]))
      return false;
  return true;
}

/* What an axis says of one position. */
struct walk_place {
  int64_t global;
  bool has_value, owned, pads;
};

static void walk_look(array_walk *w)
{
  w->has_value = w->owned = true;
  w->pads = false;
  w->flat = w->offset = 0;
  for (int k = 0; k < w->ndim; k++) {
    const struct walk_place *place = &w->places[k][w->local[k]];
    w->global[k] = place->global;
    w->has_value = w->has_value && place->has_value;
    w->owned = w->owned && place->owned;
    w->pads = w->pads || place->pads;
    w->flat = w->flat * w->sizes[k] + place->global;
    w->offset += w->local[k] * w->strides[k];
  }
}

/* False where the layout says nothing of a position. */
static bool walk_ask(array_walk *w, const dap_layout *layout, int axis, int coord)
{
  const bool replicated = dap_layout_axis(layout, axis).replicated;
  int64_t local[DAP_MAX_NDIM] = {0}, global[DAP_MAX_NDIM] = {0}, halo[2];
  dap_error err = {0};
  dap_layout_halo(layout, axis, coord, halo);
  w->places[axis] = calloc((size_t)w->shape[axis], sizeof *w->places[axis]);
  if (!EXPECT(w->places[axis])) return false;
  for (int64_t *i = &local[axis]; *i < w->shape[axis]; ++*i) {
    if (!EXPECT_OK(dap_layout_globalize(layout, w->rank, local, global, NULL, &err), &err)) return false;
    const bool owned = dap_layout_is_owned(layout, axis, coord, *i);
    const bool pads = *i < halo[0] || *i >= w->shape[axis] - halo[1];
    w->places[axis][*i] = (struct walk_place){global[axis], replicated || owned, owned, pads};
  }
  return true;
}

array_walk walk_begin(const dap_layout *layout, int rank, const int64_t strides[])
{
  array_walk w = {.rank = rank, .ndim = dap_layout_ndim(layout)};
  int coords[DAP_MAX_NDIM] = {0};
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < w.ndim; k++) {
    w.sizes[k] = dap_layout_size(layout, k);
    w.shape[k] = dap_layout_extent(layout, k, coords[k]);
    w.strides[k] = strides[k];
    w.done = w.done || w.shape[k] == 0;
  }
  for (int k = 0; k < w.ndim && !w.done; k++) w.done = !walk_ask(&w, layout, k, coords[k]);
  if (!w.done) walk_look(&w);
  return w;
}

void walk_next(array_walk *w)
{
  w->done = !next_position(w->ndim, w->shape, w->local);
  if (!w->done) walk_look(w);
}

void walk_end(array_walk *w)
{
  for (int k = 0; k < w->ndim; k++) free(w->places[k]);
}

/* With DAP_NONE poison everywhere. */
static void fill(const dap_layout *layout, int rank, unsigned char *data, const int64_t strides[],
                 dap_dtype dtype, int64_t itemsize)
{
  array_walk w = walk_begin(layout, rank, strides);
  for (; !w.done; walk_next(&w))
    if (w.has_value && dtype)
      value_of(dtype, w.flat, data + w.offset);
    else
      memset(data + w.offset, TEST_POISON, (size_t)itemsize);
  walk_end(&w);
}

void fill_global(const dap_layout *layout, int rank, const dap_array *array)
{
  fill(layout, rank, array->data, array->strides, array->dtype, dap_dtype_size(array->dtype));
}

void fill_poison(const dap_layout *layout, int rank, void *data, const int64_t strides[], int64_t itemsize)
{
  fill(layout, rank, data, strides, DAP_NONE, itemsize);
}

static void report(const array_walk *w, const unsigned char *got, const unsigned char *want, int64_t itemsize)
{
  char place[256] = "", have[33] = "", need[33] = "";
  size_t used = 0;
  for (int k = 0; k < w->ndim; k++)
    used += (size_t)snprintf(place + used, sizeof place - used, "%s%" PRId64 "->%" PRId64, k ? ", " : "",
                             w->local[k], w->global[k]);
  for (int64_t i = 0; i < itemsize && i < 16; i++) {
    snprintf(have + 2 * i, 3, "%02x", got[i]);
    snprintf(need + 2 * i, 3, "%02x", want[i]);
  }
  EXPECT_MSG(false, "%s element at local->global (%s) of rank %d: bytes %s, expected %s",
             w->has_value ? "owned" : "padding", place, w->rank, have, need);
}

bool check_global(const dap_layout *layout, int rank, const dap_array *array, test_padding padding)
{
  const int64_t itemsize = dap_dtype_size(array->dtype);
  unsigned char want[2 * sizeof(long double)];
  bool good = true;
  array_walk w = walk_begin(layout, rank, array->strides);
  for (; good && !w.done; walk_next(&w)) {
    const unsigned char *got = (const unsigned char *)array->data + w.offset;
    if (!w.has_value && padding == PADDING_ANY) continue;
    if (w.has_value || padding == PADDING_FILLED || (padding == COPIES_FILLED && !w.pads))
      value_of(array->dtype, w.flat, want);
    else
      memset(want, TEST_POISON, sizeof want);
    good = !memcmp(got, want, (size_t)itemsize);
    if (!good) report(&w, got, want, itemsize);
  }
  walk_end(&w);
  return good;
}
