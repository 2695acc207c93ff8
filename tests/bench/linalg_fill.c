/* What operands begin with. */
#include "fail.h"
#include "linalg.h"

#include <string.h>

double linalg_noise(int64_t i, int64_t j)
{
  const uint64_t low = (uint64_t)(i < j ? i : j), high = (uint64_t)(i < j ? j : i);
  uint64_t bits = (low << 32 | high) * UINT64_C(0x9e3779b97f4a7c15);
  bits = (bits ^ bits >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
  bits ^= bits >> 32;
  return (double)(bits >> 11) * 0x1p-53 - 0.5;
}

/* The real part of element (i, j), or i of an operand of one axis, of a problem of order n. */
static double element(linalg_kind kind, int64_t n, int64_t i, int64_t j)
{
  switch (kind) {
  case LINALG_GENERAL:
    return linalg_noise(i, j + n); /* every pair is another one */
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

void linalg_fill(linalg_kind kind, int64_t n, const linalg_operand *operand, int rank)
{
  const dap_array *a = &operand->array;
  const bool is_complex = a->dtype == DAP_C16;
  dap_error err;
  memset(a->data, 0, (size_t)(dap_array_count(a) * dap_dtype_size(a->dtype)));
  if (kind >= LINALG_RESULT) return;
  for (int64_t i = 0; i < a->shape[0]; i++)
    for (int64_t j = 0; j < (a->ndim == 2 ? a->shape[1] : 1); j++) {
      const int64_t local[2] = {i, j};
      int64_t at[2] = {0, 0};
      bench_require(dap_layout_globalize(operand->layout, rank, local, at, NULL, &err), &err);
      double *to = (double *)((char *)a->data + i * a->strides[0] + (a->ndim == 2 ? j * a->strides[1] : 0));
      to[0] = element(kind, n, at[0], at[1]);
      if (is_complex) to[1] = linalg_noise(at[0] + n, at[1] + 2 * n);
    }
}
