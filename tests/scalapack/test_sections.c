/* Two axes of an array of more or fewer as a matrix, and sub-matrices. */
#include "operand.h"

/* One axis of the array is distributed, over all processes. Lists of numbers; those left out are 0. */
static const struct {
  const char *why, *size;
  int spread; /* the axis that is distributed */
  int64_t block;
  const char *axes;          /* of the matrix; "": the last two */
  const char *index;         /* along the others */
  const char *start, *shape; /* along the two; 0: all that is left */
  dap_order order;
  const char *routine;
  int shared;   /* 1: yes, 0: no, 2: only on one process, 3: only on several */
  int64_t m, n; /* of the view */
} table[] = {
    {"a vector is a column", "23", 0, 3, "", "", "", "", DAP_ORDER_C, NULL, 1, 23, 1},
    {"a vector as a row", "23", 0, 3, "-1 0", "", "", "", DAP_ORDER_C, NULL, 1, 1, 23},
    {"the last two axes of three", "3 17 14", 1, 2, "", "1", "", "", DAP_ORDER_C, NULL, 1, 14, 17},
    {"the first two of three, F order", "13 7 3", 0, 2, "0 1", "0 0 2", "", "", DAP_ORDER_F, NULL, 1, 13, 7},
    {"axes that are not neighbours", "11 3 9", 0, 2, "0 2", "0 2", "", "", DAP_ORDER_C, NULL, 1, 9, 11},
    {"a strided plane: no axis is contiguous", "11 9 3", 0, 2, "0 1", "0 0 1", "", "", DAP_ORDER_C, NULL, 0,
     9, 11},
    {"a slab of a distributed axis", "11 8 9", 0, 2, "1 2", "5", "", "", DAP_ORDER_C, NULL, 1, 9, 8},
    {"a plane of four axes", "2 3 9 8", 2, 2, "2 3", "1 2", "", "", DAP_ORDER_C, "getrf", 2, 8, 9},
    {"a sub-matrix from a block on", "24 24", 0, 4, "", "", "8 4", "9 20", DAP_ORDER_C, "getrf", 3, 20, 9},
    {"a sub-matrix from inside a block", "24 24", 0, 4, "", "", "9", "8", DAP_ORDER_C, "getrf", 0, 24, 8},
    {"the same for a routine that takes it", "24 24", 0, 4, "", "", "9 3", "8", DAP_ORDER_C, "pdgemm", 1, 21,
     8},
    {"a sub-matrix of a symmetric one", "24 24", 0, 4, "", "", "8", "8 8", DAP_ORDER_C, "pdsyev", 0, 8, 8},
    {"a sub-matrix for a driver", "24 24", 0, 4, "", "", "8 8", "8 8", DAP_ORDER_C, "pdsyevd", 0, 8, 8},
    {"a column of a sub-matrix", "24 5", 0, 4, "", "", "4 2", "0 1", DAP_ORDER_F, "gemv", 1, 20, 1},
};

/* The numbers of a row. */
typedef struct numbers {
  int ndim, axes[2];
  bool has_axes;
  int64_t size[DAP_MAX_NDIM], index[DAP_MAX_NDIM], start[2], shape[2];
} numbers;

static int read_list(const char *text, int64_t list[])
{
  int count = 0;
  char *end = NULL;
  for (; *text; text = end) list[count++] = strtoll(text, &end, 10);
  return count;
}

static numbers read_row(size_t i)
{
  numbers r = {0};
  int64_t axes[2];
  r.ndim = read_list(table[i].size, r.size);
  r.has_axes = read_list(table[i].axes, axes) == 2;
  const int first = r.ndim > 2 ? r.ndim - 2 : 0;
  r.axes[0] = r.has_axes ? (int)axes[0] : first;
  r.axes[1] = r.has_axes ? (int)axes[1] : r.ndim == 1 ? -1 : first + 1;
  (void)read_list(table[i].index, r.index);
  (void)read_list(table[i].start, r.start);
  (void)read_list(table[i].shape, r.shape);
  return r;
}

/* Writes the part through a view, then looks at the array itself: its elements, and only these, have
 * changed. */
static void check_array(const numbers *r, const dap_layout *layout, const dap_array *array, char op)
{
  const int ndim = r->ndim, *axes = r->axes;
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
      if (k != axes[0] && k != axes[1]) inside = inside && global[k] == r->index[k];
    for (int k = 0; k < 2; k++) {
      if (axes[k] < 0) continue;
      const int64_t size = r->size[axes[k]], start = r->start[k];
      place[k] = global[axes[k]] - start;
      inside = inside && place[k] >= 0 && place[k] < (r->shape[k] ? r->shape[k] : size - start);
    }
    const int64_t row = place[op == 'N' ? 0 : 1], col = place[op == 'N' ? 1 : 0];
    const double want = inside ? 1 + 1000.0 * (double)row + (double)col : -7;
    EXPECT_MSG(*(double *)at == want, "element %lld is %g, not %g", (long long)e, *(double *)at, want);
  }
}

/* An extent of 0 stands for all that is left. */
static dap_part part_of(const numbers *r, int64_t start[], int64_t shape[])
{
  for (int k = 0; k < r->ndim; k++) {
    start[k] = r->index[k];
    shape[k] = r->size[k];
  }
  for (int j = 0; j < 2; j++) {
    const int k = r->axes[j];
    if (k < 0) continue;
    start[k] = r->start[j];
    shape[k] = r->shape[j] ? r->shape[j] : r->size[k] - start[k];
  }
  return (dap_part){
      .naxes = r->has_axes ? 2 : 0, .axes = r->has_axes ? r->axes : NULL, .start = start, .shape = shape};
}

static void parts_of_arrays_are_matrices(void **state)
{
  (void)state;
  const int n = test_nprocs();
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    const numbers r = read_row(i);
    TEST_CASE("%s", table[i].why);
    dap_dist dists[4];
    for (int k = 0; k < r.ndim; k++)
      dists[k] = dap_dist_cyclic(r.size[k], k == table[i].spread ? n : 1,
                                 k == table[i].spread ? table[i].block : r.size[k]);
    dap_layout *layout;
    dap_array array;
    dap_error err = {0};
    EXPECT_OK(dap_layout_create(r.ndim, dists, &layout, &err), &err);
    EXPECT_OK(dap_array_init(&array, layout, test_rank(), DAP_F8, table[i].order, NULL, &err), &err);
    for (int64_t e = 0; e < dap_array_count(&array); e++) ((double *)array.data)[e] = -7;
    int64_t start[DAP_MAX_NDIM], shape[DAP_MAX_NDIM];
    const dap_scalapack_options options = {.routine = table[i].routine, .part = part_of(&r, start, shape)};
    dap_scalapack_matrix m;
    EXPECT_OK(
        dap_scalapack_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ_WRITE, &options, &m, &err),
        &err);
    if (table[i].shared < 2 || (table[i].shared == 2 ? n == 1 : n > 1))
      EXPECT_MSG(m.shared == (table[i].shared != 0), "%s: %s", m.shared ? "shared" : "moved", m.reason);
    EXPECT_INT(m.m, table[i].m);
    EXPECT_INT(m.n, table[i].n);
    const char op = m.op;
    EXPECT_INT(matrix_walk(&m, true), 0);
    operand_restore(&m);
    check_array(&r, layout, &array, op);
    EXPECT_OK(dap_scalapack_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ, &options, &m, &err),
              &err);
    EXPECT_INT(matrix_walk(&m, false), 0);
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
