#include "buffers.h"

#include "mpi_test.h"

#include <inttypes.h>

enum { MARGIN = 64 /* poisoned bytes on both sides */ };

static void *must(void *memory)
{
  if (!memory) {
    fprintf(stderr, "out of memory\n");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return memory;
}

/* The axes from slowest to fastest in memory. */
static void order_axes(int ndim, test_form form, int rank, test_random *random, int order[])
{
  const bool fortran =
      form == FORM_F || form == FORM_WIDE_F || form == FORM_UPSIDE_F || (form == FORM_MIXED && rank % 2 == 1);
  for (int k = 0; k < ndim; k++) order[k] = fortran ? ndim - 1 - k : k;
  if (form == FORM_PERMUTED) test_shuffle(random, ndim, order);
}

/* Elements left out behind those of an axis. */
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
  b.memory = must(malloc((size_t)b.bytes));
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
  dap_array_release(&a->array); /* its indices; the buffer is not its own */
  dap_layout_destroy(&a->layout);
  test_buffer_free(&a->buffer);
}

dap_darray held_darray(const held_array *a)
{
  return (dap_darray){a->layout, &a->array};
}

void test_buffer_free(test_buffer *buffer)
{
  free(buffer->memory);
  memset(buffer, 0, sizeof *buffer);
}

/* The first byte that is marked as no element's and is not poison; their number if there is none. */
static int64_t find_written(const test_buffer *buffer, const unsigned char *element)
{
  for (int64_t at = 0; at < buffer->bytes;) {
    const unsigned char *gap = memchr(element + at, 0, (size_t)(buffer->bytes - at));
    if (!gap) return buffer->bytes;
    for (at = gap - element; at < buffer->bytes && !element[at]; at++)
      if (buffer->memory[at] != TEST_POISON) return at;
  }
  return buffer->bytes;
}

/* Marks the bytes of all elements, then looks at the others. */
bool check_gaps(const test_buffer *buffer)
{
  unsigned char *element = must(calloc((size_t)buffer->bytes, 1));
  int64_t position[DAP_MAX_NDIM] = {0};
  for (bool more = buffer->data != NULL; more;) {
    int64_t offset = (unsigned char *)buffer->data - buffer->memory;
    for (int k = 0; k < buffer->ndim; k++) offset += position[k] * buffer->strides[k];
    memset(element + offset, 1, (size_t)buffer->itemsize);
    more = next_position(buffer->ndim, buffer->shape, position);
  }
  const int64_t written = find_written(buffer, element);
  free(element);
  return EXPECT_MSG(written == buffer->bytes,
                    "byte %" PRId64 " of the buffer belongs to no element and was written", written);
}
