/* Private: dap_dim_index() reads indices of all integer types. */
#include "buffers.h"

#include "brute.h"
#include "model_impl.h"
#include "mpi_test.h"

#include <dapbridge/parse.h>
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
  const uint8_t u1 = (uint8_t)(dtype == DAP_BOOL ? n % 2 : n);
  const uint16_t u2 = (uint16_t)n;
  const uint32_t u4 = (uint32_t)n;
  const float f[2] = {(float)n, (float)n + 0.5f};
  const double d[2] = {(double)n, (double)n + 0.5};
  const int64_t size = dap_dtype_size(dtype);
  const void *value = size == 1   ? (const void *)&u1
                      : size == 2 ? (const void *)&u2
                      : size == 4 ? (const void *)&u4
                                  : &n;
  if (dtype == DAP_F4 || dtype == DAP_C8) value = f;
  if (dtype == DAP_F8 || dtype == DAP_C16) value = d;
  if (dtype == DAP_F2 || dtype == DAP_F16 || dtype == DAP_C32)
    bytes_of(size, index, element);
  else
    memcpy(element, value, (size_t)size);
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

/* What an axis tells of one position. */
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

/* Marks the indices that processes before `coord` list, so that they own them. Returns false if owners were
 * given, or if the layout does not know these lists. */
static bool mark_taken(const dap_layout *layout, int k, int coord, bool taken[])
{
  dap_dim dim = {0};
  for (int c = 0; c < coord; c++) {
    if (dap_layout_dim(layout, "0.10.0", k, c, &dim, NULL)) return false;
    for (int64_t i = 0; i < dim.index_count; i++) taken[dap_dim_index(&dim, i)] = true;
  }
  return !dap_layout_axis(layout, k).owners_given;
}

/* Finds what is at all positions along an axis. The layout describes the axis, and the model deals. An axis
 * that every process has as a whole is one range. The layout is asked for owners of lists that cannot be
 * marked. Returns false if its extent differs. */
static bool walk_deal(array_walk *w, const dap_layout *layout, int k, int coord)
{
  const dap_axis axis = dap_layout_axis(layout, k);
  const bool dealt = axis.dist_type != 'u', listed = !dealt && !axis.replicated && !axis.partial;
  int64_t lengths[BRUTE_PROCS] = {0}, halo[2];
  dap_dist dist = dealt ? dap_dist_cyclic(axis.size, axis.procs, axis.block_size) : dap_dist_local(axis.size);
  dap_dim dim = {0};
  dist.first_owner = axis.first_owner;
  if (axis.dist_type == 'b') dist = dap_dist_lengths(axis.size, axis.procs, lengths);
  for (int c = 0; dist.lengths && c < axis.procs && c < BRUTE_PROCS; c++)
    lengths[c] = dap_layout_owned(layout, k, c);
  dap_layout_halo(layout, k, coord, halo);
  int64_t *held = brute_hold(&dist, dealt ? coord : 0, halo, &w->shape[k]);
  if (listed)
    w->shape[k] =
        EXPECT_OK(dap_layout_dim(layout, "0.10.0", k, coord, &dim, NULL), NULL) ? dim.index_count : 0;
  w->places[k] = test_must(calloc((size_t)w->shape[k] + 1, sizeof *w->places[k]));
  bool *taken = test_must(calloc((size_t)axis.size + 1, sizeof *taken));
  const bool marked = listed && mark_taken(layout, k, coord, taken);
  for (int64_t i = 0; i < w->shape[k]; i++) {
    const int64_t global = listed ? dap_dim_index(&dim, i) : held[i];
    const bool pads = i < halo[0] || i >= w->shape[k] - halo[1];
    const bool owned = marked   ? !taken[global]
                       : listed ? dap_layout_is_owned(layout, k, coord, i)
                                : !pads && (dealt || coord == 0);
    w->places[k][i] = (struct walk_place){global, axis.replicated || owned, owned, pads};
  }
  free(held);
  free(taken);
  return EXPECT_INT(dap_layout_extent(layout, k, coord), w->shape[k]);
}

array_walk walk_begin(const dap_layout *layout, int rank, const int64_t strides[])
{
  array_walk w = {.ndim = dap_layout_ndim(layout)};
  int coords[DAP_MAX_NDIM] = {0};
  dap_layout_coords(layout, rank, coords);
  for (int k = 0; k < w.ndim; k++) {
    w.sizes[k] = dap_layout_size(layout, k);
    w.strides[k] = strides[k];
    w.done = !walk_deal(&w, layout, k, coords[k]) || w.shape[k] == 0 || w.done;
  }
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

void fill_global(const dap_layout *layout, int rank, const dap_array *array)
{
  array_walk w = walk_begin(layout, rank, array->strides);
  for (; !w.done; walk_next(&w)) {
    unsigned char *at = (unsigned char *)array->data + w.offset;
    if (w.has_value)
      value_of(array->dtype, w.flat, at);
    else
      memset(at, TEST_POISON, (size_t)dap_dtype_size(array->dtype));
  }
  walk_end(&w);
}

bool expect_bytes(const void *got, const void *want, int64_t bytes, const char *what, int ndim,
                  const int64_t local[], const int64_t global[])
{
  const unsigned char *a = got, *b = want;
  char place[256] = "", have[33] = "", need[33] = "";
  size_t used = 0;
  int64_t first = 0;
  if (!memcmp(got, want, (size_t)bytes)) return true;
  while (a[first] == b[first]) first++;
  for (int k = 0; k < ndim; k++)
    used += (size_t)snprintf(place + used, sizeof place - used, "%s%" PRId64 "->%" PRId64, k ? ", " : "",
                             local[k], global[k]);
  for (int64_t i = 0; first + i < bytes && i < 16; i++) {
    snprintf(have + 2 * i, 3, "%02x", a[first + i]);
    snprintf(need + 2 * i, 3, "%02x", b[first + i]);
  }
  return EXPECT_MSG(false, "%s at local->global (%s): from byte %" PRId64 " on %s, expected %s", what, place,
                    first, have, need);
}

bool check_global(const dap_layout *layout, int rank, const dap_array *array, test_padding padding)
{
  unsigned char want[2 * sizeof(long double)];
  bool good = true;
  array_walk w = walk_begin(layout, rank, array->strides);
  for (; good && !w.done; walk_next(&w)) {
    if (!w.has_value && padding == PADDING_ANY) continue;
    if (w.has_value || padding == PADDING_FILLED)
      value_of(array->dtype, w.flat, want);
    else
      memset(want, TEST_POISON, sizeof want);
    good = expect_bytes((const unsigned char *)array->data + w.offset, want, dap_dtype_size(array->dtype),
                        w.has_value ? "owned element" : "padding", w.ndim, w.local, w.global);
  }
  walk_end(&w);
  return good;
}

/* ---- strided memory ----------------------------------------------------------------------------- */

enum { MARGIN = 64 /* poisoned bytes on both sides */ };

/* Lists the axes from the slowest to the fastest in memory. */
static void order_axes(int ndim, test_form form, int rank, test_random *random, int order[])
{
  const bool fortran =
      form == FORM_F || form == FORM_WIDE_F || form == FORM_UPSIDE_F || (form == FORM_MIXED && rank % 2 == 1);
  for (int k = 0; k < ndim; k++) order[k] = fortran ? ndim - 1 - k : k;
  if (form == FORM_PERMUTED) test_shuffle(random, ndim, order);
}

/* Returns how many elements are left out behind those of an axis. */
static int64_t gap_behind(test_form form, bool is_fastest, int64_t extent, test_random *random)
{
  if (form == FORM_WINDOW) return test_random_int(random, 0, 2);
  return is_fastest && (form == FORM_WIDE || form == FORM_WIDE_F) ? extent : 0;
}

static bool runs_backwards(test_form form, bool is_slowest, bool is_fastest, test_random *random)
{
  if (form == FORM_NEGATIVE) return test_random_one_in(random, 2);
  return form == FORM_REVERSED ? is_fastest : is_slowest && (form == FORM_UPSIDE || form == FORM_UPSIDE_F);
}

test_buffer test_buffer_make(const dap_layout *layout, int rank, int64_t itemsize, test_form form,
                             test_random *random)
{
  test_buffer b = {.ndim = dap_layout_ndim(layout), .itemsize = itemsize};
  int coords[DAP_MAX_NDIM] = {0}, order[DAP_MAX_NDIM] = {0};
  dap_layout_coords(layout, rank, coords);
  order_axes(b.ndim, form, rank, random, order);
  int64_t step = form == FORM_GAPS ? 2 * itemsize : itemsize, origin = MARGIN + (form == FORM_ODD), count = 1;
  for (int i = b.ndim - 1; i >= 0; i--) {
    const int k = order[i];
    const bool is_fastest = i == b.ndim - 1;
    b.shape[k] = dap_layout_extent(layout, k, coords[k]);
    const int64_t wider = gap_behind(form, is_fastest, b.shape[k], random);
    const bool backwards = runs_backwards(form, i == 0, is_fastest, random);
    b.strides[k] = backwards ? -step : step;
    if (backwards && b.shape[k] > 0) origin += (b.shape[k] - 1) * step;
    step *= b.shape[k] + wider > 0 ? b.shape[k] + wider : 1;
    count *= b.shape[k];
  }
  b.bytes = step + (int64_t)2 * MARGIN;
  b.memory = test_must(malloc((size_t)b.bytes));
  memset(b.memory, TEST_POISON, (size_t)b.bytes);
  b.data = count > 0 ? b.memory + origin : NULL;
  return b;
}

dap_array test_buffer_array(const test_buffer *buffer, dap_dtype dtype)
{
  dap_array array = {.abi = DAP_ARRAY_ABI,
                     .version = "0.10.0",
                     .dim_count = buffer->ndim,
                     .dtype = dtype,
                     .ndim = buffer->ndim,
                     .data = buffer->data};
  memcpy(array.shape, buffer->shape, sizeof array.shape);
  memcpy(array.strides, buffer->strides, sizeof array.strides);
  return array;
}

held_array held_array_make(MPI_Comm comm, dap_layout *layout, dap_dtype dtype, test_form form)
{
  test_random random = test_random_init(77);
  held_array a = {.comm = comm, .layout = layout};
  dap_error err = {0};
  MPI_Comm_rank(comm, &a.rank);
  a.buffer = test_buffer_make(layout, a.rank, dap_dtype_size(dtype), form, &random);
  EXPECT_OK(dap_array_init(&a.array, layout, a.rank, dtype, DAP_ORDER_C, a.buffer.memory, &err), &err);
  a.array.data = a.buffer.data;
  memcpy(a.array.strides, a.buffer.strides, sizeof a.array.strides);
  return a;
}

void held_array_free(held_array *a)
{
  dap_array_release(&a->array); /* frees indices; the buffer belongs to a->buffer */
  dap_layout_destroy(&a->layout);
  test_buffer_free(&a->buffer);
}

dap_darray held_darray(const held_array *a)
{
  return (dap_darray){a->layout, &a->array};
}

fixture fixture_make(dap_dtype dtype, dap_order order, const char *format)
{
  fixture f = {0};
  dap_error err = {0};
  char text[128];
  snprintf(text, sizeof text, format, test_nprocs());
  EXPECT_OK(dap_layout_parse(text, &f.layout, &err), &err);
  EXPECT_OK(dap_array_init(&f.local, f.layout, test_rank(), dtype, order, NULL, &err), &err);
  fill_global(f.layout, test_rank(), &f.local);
  return f;
}

void fixture_end(fixture *f)
{
  dap_array_release(&f->local);
  dap_layout_destroy(&f->layout);
}

void test_buffer_free(test_buffer *buffer)
{
  free(buffer->memory);
  memset(buffer, 0, sizeof *buffer);
}

/* Marks the bytes of all elements, and then checks all others. */
bool check_gaps(const test_buffer *buffer)
{
  unsigned char *element = test_must(calloc((size_t)buffer->bytes, 1));
  int64_t position[DAP_MAX_NDIM] = {0}, first = -1, last = -1;
  const dap_array array = test_buffer_array(buffer, DAP_NONE);
  for (bool more = buffer->data != NULL; more; more = next_position(array.ndim, array.shape, position))
    memset(element + (array_element(&array, position) - buffer->memory), 1, (size_t)buffer->itemsize);
  for (int64_t at = 0; at < buffer->bytes; at++) {
    if (element[at] || buffer->memory[at] == TEST_POISON) continue;
    if (first < 0) first = at;
    last = at;
  }
  free(element);
  return EXPECT_MSG(first < 0,
                    "bytes %" PRId64 " to %" PRId64 " of %" PRId64 " were written outside elements", first,
                    last, buffer->bytes);
}
