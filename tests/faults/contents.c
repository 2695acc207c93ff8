#include "contents.h"

#include "buffers.h"
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

/* Goes through an array in which vector j is at index j of `axis`. With `finds`, firsts[j] becomes twice the
 * row of the first large element of vector j, and 1 more if that element is negative. Otherwise vectors for
 * which firsts[j] is odd change their sign. */
static void go_through(dap_darray a, int axis, double numbers[], bool finds, int firsts[VECTORS_MOST])
{
  array_walk w = walk_begin(a.layout, test_rank(), a.local->strides);
  for (; !w.done; walk_next(&w)) {
    double *x = &numbers[w.offset / (int64_t)sizeof *numbers];
    const int key = 2 * (int)w.global[0] + (*x < 0), vector = (int)w.global[axis];
    if (finds && fabs(*x) > LARGE && key < firsts[vector]) firsts[vector] = key;
    if (!finds && firsts[vector] % 2) *x *= -1;
  }
  walk_end(&w);
}

/* Gives vectors their signs. All processes decide together. */
static void set_signs(const call *row, const call_arguments *g, contents c)
{
  int columns, rows, firsts[VECTORS_MOST];
  find_vectors(row, &columns, &rows);
  if (columns < 0) return;
  for (int j = 0; j < VECTORS_MOST; j++) firsts[j] = INT_MAX - 1;
  go_through(g->array[columns], 1, c[columns].numbers, true, firsts);
  (void)PMPI_Allreduce(MPI_IN_PLACE, firsts, VECTORS_MOST, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  go_through(g->array[columns], 1, c[columns].numbers, false, firsts);
  if (rows >= 0) go_through(g->array[rows], 0, c[rows].numbers, false, firsts);
}

/* ---- contents ------------------------------------------------------------------------------------------ */

void contents_take(const call *row, const call_arguments *g, contents c)
{
  memset(c, 0, sizeof(contents));
  for (int i = 0; i < ARRAYS; i++) {
    const dap_array *array = g->array[i].local;
    const int64_t bytes = dap_array_bytes(array);
    if (!EXPECT(bytes <= (int64_t)sizeof c[i].bytes)) return;
    c[i].is_computed = array->dtype == DAP_F8 || array->dtype == DAP_C16;
    if (bytes > 0) memcpy(c[i].bytes, array->data, (size_t)bytes);
  }
  set_signs(row, g, c);
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
