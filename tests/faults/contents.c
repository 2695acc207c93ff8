#include "contents.h"

#include "mpi_test.h"

#include <limits.h>
#include <math.h>

static const double LARGE = 1e-3; /* of an element of a vector of length 1 */

static dap_darray array_of(const call_arguments *g, int i)
{
  return i < ARRAYS ? g->array[i] : row_operand((operand)(i - ARRAYS));
}

/* ---- signs --------------------------------------------------------------------------------------------- */

enum { VECTORS_MOST = 8 };

/* The arrays whose columns, and whose rows, are vectors that turn round together; -1: there is none. */
static void find_vectors(const call *row, int *columns, int *rows)
{
  const bool is_svd = !strncmp(row->name, "dap_linalg_svd", 14),
             is_tall = strstr(row->name, ", tall") != NULL;
  *columns = is_svd && is_tall                                      ? ARRAYS + TALL_Q
             : is_svd || !strcmp(row->name, "dap_linalg_eigh, EVR") ? B
                                                                    : -1;
  *rows = !is_svd ? -1 : is_tall ? ARRAYS + TALL_R : C;
}

static double *element(const dap_array *array, double numbers[], int64_t i, int64_t j)
{
  return &numbers[(i * array->strides[0] + j * array->strides[1]) / (int64_t)sizeof(double)];
}

/* turns [VECTORS_MOST]: whether the first large element of a column is negative. Ranks have rows in order. */
static void find_signs(const dap_array *array, double numbers[], bool turns[])
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

/* Vectors are in its rows, or in its columns. */
static void turn_vectors(dap_darray a, bool in_rows, const bool turns[], double numbers[])
{
  const dap_array *array = a.local;
  for (int64_t i = 0; i < array->shape[0]; i++)
    for (int64_t j = 0; j < array->shape[1]; j++) {
      int64_t global[2];
      (void)dap_layout_globalize(a.layout, test_rank(), (int64_t[]){i, j}, global, NULL, NULL);
      if (turns[global[in_rows ? 0 : 1]]) *element(array, numbers, i, j) *= -1;
    }
}

/* ---- contents ------------------------------------------------------------------------------------------ */

void contents_take(const call *row, const call_arguments *g, contents c)
{
  int columns, rows;
  bool turns[VECTORS_MOST];
  memset(c, 0, sizeof(contents));
  for (int i = 0; i < CONTENTS; i++) {
    const dap_array *array = array_of(g, i).local;
    const int64_t bytes = dap_array_bytes(array);
    if (!EXPECT(bytes <= (int64_t)sizeof c[i].bytes)) return;
    c[i].is_computed = array->dtype == DAP_F8 || array->dtype == DAP_C16;
    if (bytes > 0) memcpy(c[i].bytes, array->data, (size_t)bytes);
  }
  find_vectors(row, &columns, &rows);
  if (columns < 0) return;
  find_signs(array_of(g, columns).local, c[columns].numbers, turns);
  turn_vectors(array_of(g, columns), false, turns, c[columns].numbers);
  if (rows >= 0) turn_vectors(array_of(g, rows), true, turns, c[rows].numbers);
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
  for (int i = 0; i < CONTENTS; i++)
    if (!(except >> i & 1) && !is_alike(&a[i], &b[i])) return i;
  return -1;
}

/* ---- workspace ----------------------------------------------------------------------------------------- */

#define BIT(i) (UINT64_C(1) << (i))

/* By a row's name, or its function's. Functions that find eigenvalues and singular values overwrite vectors
 * that are shared. */
static const struct {
  const char *name;
  uint64_t arrays;
} workspaces[] = {
    {"dap_view_halo_reverse, of a new view", BIT(ARRAYS + PADDED)}, /* which is updated before */
    {"dap_linalg_solve, with a copy", 0},
    {"dap_linalg_qr, in place", 0},
    {"dap_linalg_least_squares, of least norm", BIT(ARRAYS + WIDE) | BIT(ARRAYS + SHORT)},
    {"dap_linalg_least_squares_rank, rank 1", BIT(B) | BIT(ARRAYS + EQUAL)},
    {"dap_linalg_solve", BIT(A)},
    {"dap_linalg_cholesky_solve", BIT(A)},
    {"dap_linalg_least_squares", BIT(A) | BIT(B)},
    {"dap_linalg_least_squares_rank", BIT(A) | BIT(B)},
    {"dap_linalg_determinant", BIT(A)},
    {"dap_linalg_condition", BIT(A)},
    {"dap_linalg_lu", BIT(A)},
    {"dap_linalg_cholesky", BIT(A)},
    {"dap_linalg_qr", BIT(A)},
    {"dap_linalg_qr_pivoted", BIT(A)},
    {"dap_linalg_eigh", BIT(A) | BIT(B)},
    {"dap_linalg_eigh_generalized", BIT(A) | BIT(B) | BIT(C)},
    {"dap_linalg_svd", BIT(A) | BIT(B) | BIT(C)},
    {"dap_elpa_eigh", BIT(A) | BIT(B)},
    {"dap_elpa_eigh_generalized", BIT(A) | BIT(B) | BIT(C)},
};

uint64_t contents_workspace(const call *row)
{
  if (strstr(row->name, ", tall")) /* their results */
    return BIT(ARRAYS + TALL_Q) | BIT(ARRAYS + TALL_X) | BIT(ARRAYS + TALL_R) | BIT(ARRAYS + TALL_VALUES) |
           BIT(ARRAYS + TALL_ORDER);
  for (size_t i = 0; i < sizeof workspaces / sizeof workspaces[0]; i++) {
    const size_t length = strlen(workspaces[i].name);
    const char next = strncmp(workspaces[i].name, row->name, length) ? 'x' : row->name[length];
    if (next == '\0' || next == ',') return workspaces[i].arrays;
  }
  return 0;
}
