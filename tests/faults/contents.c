#include "contents.h"

#include "mpi_test.h"

#include <math.h>

static const double TOLERANCE = 1e-8;

/* ---- contents ------------------------------------------------------------------------------------------ */

/* The arrays whose columns, and whose rows, are vectors that can turn round; -1: there is none. */
static void find_vectors(const call *row, int *columns, int *rows)
{
  const bool is_svd = !strncmp(row->name, "dap_linalg_svd", 14),
             is_tall = strstr(row->name, ", tall") != NULL;
  *columns = is_svd && is_tall ? TALL_Q : is_svd || !strcmp(row->name, "dap_linalg_eigh, EVR") ? B : -1;
  *rows = !is_svd ? -1 : is_tall ? TALL_R : C;
}

/* Of this process's part of each vector along `axis` the first number that counts becomes positive. */
static void turn_vectors(const dap_array *array, int axis, double numbers[])
{
  const int64_t step = array->strides[axis] / 8, next = array->strides[1 - axis] / 8;
  for (int64_t j = 0; j < array->shape[1 - axis]; j++) {
    double *first = &numbers[j * next], sign = 0;
    for (int64_t i = 0; i < array->shape[axis]; i++) {
      if (sign == 0 && fabs(first[i * step]) > TOLERANCE / 2) sign = copysign(1, first[i * step]);
      if (sign < 0) first[i * step] *= -1;
    }
  }
}

void contents_take(const call *row, const call_arguments *g, contents c)
{
  int columns, rows;
  memset(c, 0, sizeof(contents));
  for (int i = 0; i < ARRAYS; i++) {
    const dap_array *array = g->array[i].local;
    const int64_t bytes = dap_array_bytes(array);
    if (!EXPECT(bytes <= (int64_t)sizeof c[i].bytes)) return;
    c[i].is_computed = array->dtype == DAP_F8 || array->dtype == DAP_C16;
    if (bytes > 0) memcpy(c[i].bytes, array->data, (size_t)bytes);
  }
  find_vectors(row, &columns, &rows);
  if (columns >= 0) turn_vectors(g->array[columns].local, 0, c[columns].numbers);
  if (rows >= 0) turn_vectors(g->array[rows].local, 1, c[rows].numbers);
}

static bool is_alike(const content *a, const content *b)
{
  if (!a->is_computed) return !memcmp(a->bytes, b->bytes, sizeof a->bytes);
  for (int e = 0; e < NUMBERS; e++) {
    const double x = a->numbers[e], y = b->numbers[e];
    if (x != y && !(isnan(x) && isnan(y)) && fabs(x - y) > TOLERANCE * fmax(1, fabs(y))) return false;
  }
  return true;
}

int contents_other(const contents a, const contents b, uint64_t except)
{
  for (int i = 0; i < ARRAYS; i++)
    if (!(except >> i & 1) && !is_alike(&a[i], &b[i])) return i;
  return -1;
}
