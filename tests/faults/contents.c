#include "contents.h"

#include "mpi_test.h"

#include <limits.h>
#include <math.h>

static const double LARGE = 1e-3; /* an element of a vector of length 1 whose sign rounding does not change */
enum { VECTORS_MOST = 8 };

/* ---- signs --------------------------------------------------------------------------------------------- */

/* Finds the arrays whose columns and whose rows are vectors that turn round together; -1: there is none. */
static void find_vectors(const call *row, int *columns, int *rows)
{
  const bool is_svd = !strncmp(row->name, "dap_linalg_svd", 14),
             is_tall = strstr(row->name, ", tall") != NULL;
  *columns = is_svd && is_tall ? TALL_Q : is_svd || !strcmp(row->name, "dap_linalg_eigh, EVR") ? B : -1;
  *rows = !is_svd ? -1 : is_tall ? TALL_R : C;
}

static double *element(const dap_array *array, double numbers[], int64_t i, int64_t j)
{
  return &numbers[(i * array->strides[0] + j * array->strides[1]) / (int64_t)sizeof(double)];
}

/* Sets turns[j] if the first large element of column j is negative. Rows lie on the processes in the order of
 * ranks, so the lowest rank with a large element decides for all. */
static void find_signs(const dap_array *array, double numbers[], bool turns[VECTORS_MOST])
{
  int firsts[VECTORS_MOST];
  for (int j = 0; j < VECTORS_MOST; j++) {
    firsts[j] = INT_MAX;
    for (int64_t i = 0; i < array->shape[0] && j < array->shape[1] && firsts[j] == INT_MAX; i++)
      if (fabs(*element(array, numbers, i, j)) > LARGE)
        firsts[j] = 2 * test_rank() + (*element(array, numbers, i, j) < 0);
  }
  (void)PMPI_Allreduce(MPI_IN_PLACE, firsts, VECTORS_MOST, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  for (int j = 0; j < VECTORS_MOST; j++) turns[j] = firsts[j] != INT_MAX && firsts[j] % 2;
}

/* The vectors are the rows (axis 0) of an array, or its columns (axis 1). */
static void turn_vectors(dap_darray a, int axis, const bool turns[], double numbers[])
{
  const dap_array *array = a.local;
  for (int64_t i = 0; i < array->shape[0]; i++)
    for (int64_t j = 0; j < array->shape[1]; j++) {
      int64_t global[2] = {0};
      (void)dap_layout_globalize(a.layout, test_rank(), (int64_t[]){i, j}, global, NULL, NULL);
      if (turns[global[axis]]) *element(array, numbers, i, j) *= -1;
    }
}

/* ---- contents ------------------------------------------------------------------------------------------ */

void contents_take(const call *row, const call_arguments *g, contents c)
{
  int columns, rows;
  bool turns[VECTORS_MOST];
  memset(c, 0, sizeof(contents));
  for (int i = 0; i < ARRAYS; i++) {
    const dap_array *array = g->array[i].local;
    const int64_t bytes = dap_array_bytes(array);
    if (!EXPECT(bytes <= (int64_t)sizeof c[i].bytes)) return;
    c[i].is_computed = array->dtype == DAP_F8 || array->dtype == DAP_C16;
    if (bytes > 0) memcpy(c[i].bytes, array->data, (size_t)bytes);
  }
  find_vectors(row, &columns, &rows);
  if (columns < 0) return;
  find_signs(g->array[columns].local, c[columns].numbers, turns);
  turn_vectors(g->array[columns], 1, turns, c[columns].numbers);
  if (rows >= 0) turn_vectors(g->array[rows], 0, turns, c[rows].numbers);
}

static bool is_alike(const content *a, const content *b)
{
  if (!a->is_computed) return !memcmp(a->bytes, b->bytes, sizeof a->bytes);
  for (int e = 0; e < NUMBERS; e++) {
    const double x = a->numbers[e], y = b->numbers[e];
    if (x != y && !(isnan(x) && isnan(y)) && fabs(x - y) > 1e-8 * fmax(1, fabs(y))) return false;
  }
  return true;
}

int contents_other(const contents a, const contents b, uint64_t except)
{
  for (int i = 0; i < ARRAYS; i++)
    if (!(except >> i & 1) && !is_alike(&a[i], &b[i])) return i;
  return -1;
}
