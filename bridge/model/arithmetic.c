/* 64-bit arithmetic that says when it overflows. */
#include "model_impl.h"

int64_t dap_smaller(int64_t a, int64_t b)
{
  return a < b ? a : b;
}

int64_t dap_larger(int64_t a, int64_t b)
{
  return a > b ? a : b;
}

bool dap_multiply(int64_t a, int64_t b, int64_t *product)
{
  return !__builtin_mul_overflow(a, b, product);
}

bool dap_add(int64_t a, int64_t b, int64_t *sum)
{
  return !__builtin_add_overflow(a, b, sum);
}

int64_t dap_magnitude(int64_t a)
{
  return a < 0 ? -a : a;
}

bool dap_span(int ndim, const int64_t shape[], const int64_t strides[], int64_t itemsize, int64_t *bytes)
{
  *bytes = 0;
  for (int k = 0; k < ndim; k++)
    if (shape[k] == 0) return true;
  int64_t span = itemsize;
  for (int k = 0; k < ndim; k++) {
    if (shape[k] == 1) continue;
    if (strides[k] == INT64_MIN) return false;
    const int64_t stride = strides[k] < 0 ? -strides[k] : strides[k];
    int64_t reach;
    if (!dap_multiply(shape[k] - 1, stride, &reach) || !dap_add(span, reach, &span)) return false;
  }
  *bytes = span;
  return true;
}
