#include "sample.h"

#include "buffers.h"
#include "mpi_test.h"

int64_t size_of(const sample *s, int axis)
{
  return dap_layout_size(s->layout, axis);
}

sample sample_make(int ndim, const dap_dist dists[], dap_dtype dtype, dap_order order, bool shares)
{
  sample s = {0};
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(ndim, dists, &s.layout, &err), &err);
  s.holds = test_rank() < dap_layout_nprocs(s.layout);
  if (shares)
    EXPECT_OK(dap_array_alloc(MPI_COMM_WORLD, s.layout, dtype, order, &s.array, NULL, &err), &err);
  else if (s.holds)
    EXPECT_OK(dap_array_init(&s.array, s.layout, test_rank(), dtype, order, NULL, &err), &err);
  return s;
}

void sample_free(sample *s)
{
  dap_array_release(&s->array);
  dap_layout_destroy(&s->layout);
}

unsigned char *element_at(const sample *s, int64_t i, int64_t global[])
{
  const dap_array *a = &s->array;
  int64_t local[DAP_MAX_NDIM];
  unsigned char *at = a->data;
  for (int k = a->ndim - 1; k >= 0; k--) {
    local[k] = i % a->shape[k];
    i /= a->shape[k];
    at += local[k] * a->strides[k];
  }
  EXPECT(!dap_layout_globalize(s->layout, test_rank(), local, global, NULL, NULL));
  return at;
}

number sample_value(int64_t flat)
{
  return (number){(long double)(flat % 101), (long double)(flat % 53)};
}

int64_t flat_of(const sample *s, const int64_t global[])
{
  int64_t flat = 0;
  for (int k = 0; k < s->array.ndim; k++) flat = flat * size_of(s, k) + global[k];
  return flat;
}

void sample_fill(const sample *s, bool is_source)
{
  int64_t global[DAP_MAX_NDIM] = {0};
  for (int64_t i = 0; s->holds && i < dap_array_count(&s->array); i++) {
    unsigned char *at = element_at(s, i, global);
    number_write(s->array.dtype, is_source ? sample_value(flat_of(s, global)) : (number){OLD, 0}, at);
    if (s->array.swapped) turn_bytes(s->array.dtype, at);
  }
}

number changed(number x, dap_dtype from, dap_dtype to)
{
  unsigned char bytes[32] = {0};
  number_write(from, x, bytes);
  x = number_read(from, bytes);
  number_write(to, x, bytes);
  return number_read(to, bytes);
}

bool element_is(const sample *s, const unsigned char *at, number want)
{
  unsigned char bytes[32] = {0};
  memcpy(bytes, at, (size_t)dap_dtype_size(s->array.dtype));
  if (s->array.swapped) turn_bytes(s->array.dtype, bytes);
  return number_is(number_read(s->array.dtype, bytes), want, false);
}
