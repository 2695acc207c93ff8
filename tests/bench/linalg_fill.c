/* Sets the first values of operands. */
#include "fail.h"
#include "linalg.h"

#include <stdlib.h>
#include <string.h>

double linalg_noise(int64_t i, int64_t j)
{
  const uint64_t low = (uint64_t)(i < j ? i : j), high = (uint64_t)(i < j ? j : i);
  uint64_t bits = (low << 32 | high) * UINT64_C(0x9e3779b97f4a7c15);
  bits = (bits ^ bits >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
  bits ^= bits >> 32;
  return (double)(bits >> 11) * 0x1p-53 - 0.5;
}

/* Returns the real part of element (i, j), or i of an operand with one axis, in a problem of order n. */
static double element(linalg_kind kind, int64_t n, int64_t i, int64_t j)
{
  switch (kind) {
  case LINALG_GENERAL:
    return linalg_noise(i, j + n); /* each pair has its own value */
  case LINALG_DEFINITE:
    return linalg_noise(i, j) + (i == j ? (double)n : 0);
  case LINALG_BAND:
    return linalg_noise(i, j) + (i == LINALG_DIAGONALS ? 2 * LINALG_DIAGONALS : 0);
  case LINALG_LOWER_BAND:
    return linalg_noise(i, j) + (i == 0 ? 2 * LINALG_DIAGONALS : 0);
  case LINALG_DIAGONAL:
    return linalg_noise(i, 0) + 4;
  case LINALG_BESIDE:
    return linalg_noise(i, 1);
  default:
    return linalg_noise(i, j);
  }
}

int64_t *linalg_indices(const linalg_operand *o, int rank, int axis)
{
  const int64_t count = axis < o->array.ndim ? o->array.shape[axis] : 1;
  int64_t *indices = bench_alloc(count * (int64_t)sizeof *indices);
  const bool is_empty = dap_array_count(&o->array) == 0;
  dap_error err;
  for (int64_t k = 0; k < count && !is_empty; k++) {
    int64_t local[2] = {0, 0}, at[2] = {0, 0};
    local[axis] = k;
    bench_require(dap_layout_globalize(o->layout, rank, local, at, NULL, &err), &err);
    indices[k] = at[axis];
  }
  return indices;
}

void linalg_fill(linalg_kind kind, int64_t n, const linalg_operand *operand, int rank)
{
  const dap_array *a = &operand->array;
  const bool is_complex = a->dtype == DAP_C16;
  const int64_t count = dap_array_count(a);
  if (count == 0) return; /* data may be NULL */
  memset(a->data, 0, (size_t)(count * dap_dtype_size(a->dtype)));
  if (kind >= LINALG_RESULT) return;
  int64_t *rows = linalg_indices(operand, rank, 0), *cols = linalg_indices(operand, rank, 1);
  for (int64_t i = 0; i < a->shape[0]; i++)
    for (int64_t j = 0; j < (a->ndim == 2 ? a->shape[1] : 1); j++) {
      double *to = (double *)((char *)a->data + i * a->strides[0] + (a->ndim == 2 ? j * a->strides[1] : 0));
      to[0] = element(kind, n, rows[i], cols[j]);
      if (is_complex) to[1] = linalg_noise(rows[i] + n, cols[j] + 2 * n);
    }
  free(cols), free(rows);
}
