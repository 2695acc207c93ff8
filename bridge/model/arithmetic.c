/* Finds the memory that a strided buffer spans. */
#include "model_impl.h"

bool dap_span(int ndim, const int64_t shape[], const int64_t strides[], int64_t itemsize, int64_t *bytes)
{
  *bytes = 0;
  for (int k = 0; k < ndim; k++)
    if (shape[k] == 0) return true;
  int64_t span = itemsize;
  for (int k = 0; k < ndim; k++) {
    if (shape[k] == 1) continue;
    if (strides[k] == INT64_MIN) return false;
    int64_t reach;
    if (!dap_multiply(shape[k] - 1, dap_magnitude(strides[k]), &reach) || !dap_add(span, reach, &span))
      return false;
  }
  *bytes = span;
  return true;
}
