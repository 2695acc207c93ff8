/* Two axes of an array of more or fewer as a matrix, and sub-matrices. */
#include "numbered.h"
#include "operand.h"

/* One axis of the array is distributed, over all processes. */
static const struct {
  const char *why;
  int ndim;
  int64_t size[4];
  int spread; /* the axis that is distributed */
  int64_t block;
  int axes[2];
  int64_t index[4];
  int64_t start[2], shape[2];
  dap_order order;
  const char *routine;
  int shared;   /* 1: yes, 0: no, 2: only on one process, 3: only on several */
  int64_t m, n; /* of the view */
} rows[] = {
    {"a vector is a column", 1, {23}, 0, 3, {0, 0}, {0}, {0, 0}, {0, 0}, DAP_ORDER_C, NULL, 1, 23, 1},
    {"a vector as a row", 1, {23}, 0, 3, {-1, 0}, {0}, {0, 0}, {0, 0}, DAP_ORDER_C, NULL, 1, 1, 23},
    {"the last two axes of three",
     3,
     {3, 17, 14},
     1,
     2,
     {0, 0},
     {1},
     {0, 0},
     {0, 0},
     DAP_ORDER_C,
     NULL,
     1,
     14,
     17},
    {"the first two of three, F order",
     3,
     {13, 7, 3},
     0,
     2,
     {0, 1},
     {0, 0, 2},
     {0, 0},
     {0, 0},
     DAP_ORDER_F,
     NULL,
     1,
     13,
     7},
    {"axes that are not neighbours",
     3,
     {11, 3, 9},
     0,
     2,
     {0, 2},
     {0, 2},
     {0, 0},
     {0, 0},
     DAP_ORDER_C,
     NULL,
     1,
     9,
     11},
    {"a strided plane: no axis is contiguous",
     3,
     {11, 9, 3},
     0,
     2,
     {0, 1},
     {0, 0, 1},
     {0, 0},
     {0, 0},
     DAP_ORDER_C,
     NULL,
     0,
     9,
     11},
    {"a slab of a distributed axis",
     3,
     {11, 8, 9},
     0,
     2,
     {1, 2},
     {5},
     {0, 0},
     {0, 0},
     DAP_ORDER_C,
     NULL,
     1,
     9,
     8},
    {"a plane of four axes",
     4,
     {2, 3, 9, 8},
     2,
     2,
     {2, 3},
     {1, 2},
     {0, 0},
     {0, 0},
     DAP_ORDER_C,
     "getrf",
     2,
     8,
     9},
    {"a sub-matrix from a block on",
     2,
     {24, 24},
     0,
     4,
     {0, 0},
     {0},
     {8, 4},
     {9, 20},
     DAP_ORDER_C,
     "getrf",
     3,
     20,
     9},
    {"a sub-matrix from inside a block",
     2,
     {24, 24},
     0,
     4,
     {0, 0},
     {0},
     {9, 0},
     {8, 0},
     DAP_ORDER_C,
     "getrf",
     0,
     24,
     8},
    {"the same for a routine that takes it",
     2,
     {24, 24},
     0,
     4,
     {0, 0},
     {0},
     {9, 3},
     {8, 0},
     DAP_ORDER_C,
     "pdgemm",
     1,
     21,
     8},
    {"a sub-matrix of a symmetric one",
     2,
     {24, 24},
     0,
     4,
     {0, 0},
     {0},
     {8, 0},
     {8, 8},
     DAP_ORDER_C,
     "pdsyev",
     0,
     8,
     8},
    {"a sub-matrix for a driver",
     2,
     {24, 24},
     0,
     4,
     {0, 0},
     {0},
     {8, 8},
     {8, 8},
     DAP_ORDER_C,
     "pdsyevd",
     0,
     8,
     8},
    {"a column of a sub-matrix",
     2,
     {24, 5},
     0,
     4,
     {0, 0},
     {0},
     {4, 2},
     {0, 1},
     DAP_ORDER_F,
     "gemv",
     1,
     20,
     1},
};

/* {0, 0} stands for the usual ones. */
static void find_axes(size_t i, int axes[2])
{
  const int ndim = rows[i].ndim;
  const bool is_usual = !rows[i].axes[0] && !rows[i].axes[1];
  const int first = ndim > 2 ? ndim - 2 : 0;
  axes[0] = is_usual ? first : rows[i].axes[0];
  axes[1] = !is_usual ? rows[i].axes[1] : ndim == 1 ? -1 : first + 1;
}

/* Writes the part through a view, then looks at the array itself: its elements, and only these, have
 * changed. */
static void check_array(size_t i, const dap_layout *layout, const dap_array *array, char op)
{
  const int ndim = rows[i].ndim;
  int axes[2];
  find_axes(i, axes);
  int64_t local[DAP_MAX_NDIM], global[DAP_MAX_NDIM];
  for (int64_t e = 0; e < dap_array_count(array); e++) {
    char *at = array->data;
    int64_t rest = e;
    for (int k = ndim - 1; k >= 0; k--) {
      local[k] = rest % array->shape[k];
      rest /= array->shape[k];
      at += local[k] * array->strides[k];
    }
    EXPECT_OK(dap_layout_globalize(layout, test_rank(), local, global, NULL, NULL), NULL);
    bool inside = true;
    int64_t place[2] = {0, 0}; /* in the part, along the two axes */
    for (int k = 0; k < ndim; k++)
      if (k != axes[0] && k != axes[1]) inside = inside && global[k] == rows[i].index[k];
    for (int k = 0; k < 2; k++) {
      if (axes[k] < 0) continue;
      const int64_t size = rows[i].size[axes[k]], start = rows[i].start[k];
      place[k] = global[axes[k]] - start;
      inside = inside && place[k] >= 0 && place[k] < (rows[i].shape[k] ? rows[i].shape[k] : size - start);
    }
    const int64_t row = place[op == 'N' ? 0 : 1], col = place[op == 'N' ? 1 : 0];
    const double want = inside ? 1 + 1000.0 * (double)row + (double)col : -7;
    EXPECT_MSG(*(double *)at == want, "element %lld is %g, not %g", (long long)e, *(double *)at, want);
  }
}

/* An extent of 0 stands for all that is left. */
static dap_part part_of(size_t i, int64_t start[], int64_t shape[])
{
  int axes[2];
  for (int k = 0; k < rows[i].ndim; k++) {
    start[k] = rows[i].index[k];
    shape[k] = rows[i].size[k];
  }
  find_axes(i, axes);
  for (int j = 0; j < 2; j++) {
    const int k = axes[j];
    if (k < 0) continue;
    start[k] = rows[i].start[j];
    shape[k] = rows[i].shape[j] ? rows[i].shape[j] : rows[i].size[k] - start[k];
  }
  const bool is_usual = !rows[i].axes[0] && !rows[i].axes[1];
  return (dap_part){
      .naxes = is_usual ? 0 : 2, .axes = is_usual ? NULL : rows[i].axes, .start = start, .shape = shape};
}

static void parts_of_arrays_are_matrices(void **state)
{
  (void)state;
  const int n = test_nprocs();
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    TEST_CASE("%s", rows[i].why);
    dap_dist dists[4];
    for (int k = 0; k < rows[i].ndim; k++)
      dists[k] = dap_dist_cyclic(rows[i].size[k], k == rows[i].spread ? n : 1,
                                 k == rows[i].spread ? rows[i].block : rows[i].size[k]);
    dap_layout *layout;
    dap_array array;
    dap_error err = {0};
    EXPECT_OK(dap_layout_create(rows[i].ndim, dists, &layout, &err), &err);
    EXPECT_OK(dap_array_init(&array, layout, test_rank(), DAP_F8, rows[i].order, NULL, &err), &err);
    for (int64_t e = 0; e < dap_array_count(&array); e++) ((double *)array.data)[e] = -7;
    int64_t start[DAP_MAX_NDIM], shape[DAP_MAX_NDIM];
    const dap_scalapack_options options = {.routine = rows[i].routine, .part = part_of(i, start, shape)};
    dap_scalapack_matrix m;
    EXPECT_OK(
        dap_scalapack_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ_WRITE, &options, &m, &err),
        &err);
    if (rows[i].shared < 2 || (rows[i].shared == 2 ? n == 1 : n > 1))
      EXPECT_MSG(m.shared == (rows[i].shared != 0), "%s: %s", m.shared ? "shared" : "moved", m.reason);
    EXPECT_INT(m.m, rows[i].m);
    EXPECT_INT(m.n, rows[i].n);
    const char op = m.op;
    EXPECT_INT(walk(&m, true), 0);
    EXPECT_OK(dap_scalapack_restore(&m, &err), &err);
    check_array(i, layout, &array, op);
    EXPECT_OK(dap_scalapack_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ, &options, &m, &err),
              &err);
    EXPECT_INT(walk(&m, false), 0);
    EXPECT_OK(dap_scalapack_discard(&m, &err), &err);
    dap_array_release(&array);
    dap_layout_destroy(&layout);
    SETTLE();
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(parts_of_arrays_are_matrices)};
  return mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
}
