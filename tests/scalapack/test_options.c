/* What a view can be asked for: axes of an array of more or fewer than two, sub-matrices, the caller's own context,
 * what a routine needs; and matrices of ScaLAPACK's as arrays. */
#include "operand.h"

#include <dapbridge/scalapack_calls.h>

/* Sets elements of a part of a matrix to 1 + 1000 i + j, found by their descriptor alone (numroc and indxl2g of
 * ScaLAPACK's TOOLS), or counts those that are not. i and j count from the part's first element. */
static int64_t walk(const dap_scalapack_matrix *m, bool set)
{
  dap_scalapack_int grid[4];
  Cblacs_gridinfo(m->desc[1], &grid[0], &grid[1], &grid[2], &grid[3]);
  if (grid[2] < 0) return 0;
  int64_t wrong = 0;
  for (dap_scalapack_int j = m->ja - 1; j < m->ja - 1 + m->n; j++) {
    if ((j / m->desc[5] + m->desc[7]) % grid[1] != grid[3]) continue;
    for (dap_scalapack_int i = m->ia - 1; i < m->ia - 1 + m->m; i++) {
      if ((i / m->desc[4] + m->desc[6]) % grid[0] != grid[2]) continue;
      const int64_t row = i / m->desc[4] / grid[0] * m->desc[4] + i % m->desc[4];
      const int64_t col = j / m->desc[5] / grid[1] * m->desc[5] + j % m->desc[5];
      double *element = (double *)m->data + col * m->desc[8] + row;
      const double want = 1 + 1000.0 * (double)(i - (m->ia - 1)) + (double)(j - (m->ja - 1));
      if (set) *element = want;
      if (*element != want) wrong++;
    }
  }
  return wrong;
}

/* ---- sections and sub-matrices ------------------------------------------------------------------- */

/* P processes along one axis of the array; E: all of them. */
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

/* Writes the part through a view, then looks at the array itself: its elements, and only these, have changed. */
static void check_array(size_t i, const dap_layout *layout, const dap_array *array, char op)
{
  const int ndim = rows[i].ndim;
  int axes[2] = {rows[i].axes[0], rows[i].axes[1]};
  if (!axes[0] && !axes[1]) axes[0] = ndim > 2 ? ndim - 2 : 0, axes[1] = ndim == 1 ? -1 : axes[0] + 1;
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
    const dap_scalapack_options options = {.routine = rows[i].routine,
                                           .axes = {rows[i].axes[0], rows[i].axes[1]},
                                           .index = rows[i].index,
                                           .start = {rows[i].start[0], rows[i].start[1]},
                                           .shape = {rows[i].shape[0], rows[i].shape[1]}};
    dap_scalapack_matrix m;
    EXPECT_OK(dap_scalapack_get(MPI_COMM_WORLD, layout, &array, DAP_READ_WRITE, &options, &m, &err), &err);
    if (rows[i].shared < 2 || (rows[i].shared == 2 ? n == 1 : n > 1))
      EXPECT_MSG(m.shared == (rows[i].shared != 0), "%s: %s", m.shared ? "shared" : "moved", m.reason);
    EXPECT_INT(m.m, rows[i].m);
    EXPECT_INT(m.n, rows[i].n);
    const char op = m.op;
    EXPECT_INT(walk(&m, true), 0);
    EXPECT_OK(dap_scalapack_restore(&m, &err), &err);
    check_array(i, layout, &array, op);
    EXPECT_OK(dap_scalapack_get(MPI_COMM_WORLD, layout, &array, DAP_READ, &options, &m, &err), &err);
    EXPECT_INT(walk(&m, false), 0);
    EXPECT_OK(dap_scalapack_discard(&m, &err), &err);
    dap_array_release(&array);
    dap_layout_destroy(&layout);
    SETTLE();
  }
}

/* ---- contexts of others -------------------------------------------------------------------------- */

/* A grid of rows x (processes / rows), column-major from the last process on, or of the first `members` only. */
static dap_scalapack_int make_context(MPI_Comm comm, int rows_of, int members)
{
  dap_scalapack_int map[64];
  for (int i = 0; i < members; i++) map[i] = members - 1 - i;
  const dap_scalapack_int handle = Csys2blacs_handle(comm);
  dap_scalapack_int context = handle;
  Cblacs_gridmap(&context, map, rows_of, rows_of, members / rows_of);
  Cfree_blacs_system_handle(handle);
  return context;
}

static void contexts_of_others_are_used(void **state)
{
  (void)state;
  const int n = test_nprocs();
  for (int members = n; members > 0; members -= n > 1 ? n - 1 : 1) {
    const int rows_of = members % 2 == 0 ? 2 : 1;
    TEST_CASE("%d of %d processes", members, n);
    const dap_scalapack_int context = make_context(MPI_COMM_WORLD, rows_of, members);
    const dap_dist dists[2] = {dap_dist_even(13, n), dap_dist_even(9, 1)};
    operand o = operand_make(MPI_COMM_WORLD, dists, DAP_F8, OPERAND_C);
    dap_scalapack_matrix m, with;
    dap_error err = {0};
    const dap_scalapack_options options = {.context = &context};
    EXPECT_OK(dap_scalapack_get(o.comm, o.layout, &o.array, DAP_READ_WRITE, &options, &m, &err), &err);
    EXPECT_INT(m.desc[1], context);
    EXPECT_OK(dap_scalapack_get(o.comm, o.layout, &o.array, DAP_READ, &(dap_scalapack_options){.like = &m},
                                &with, &err),
              &err);
    EXPECT_INT(with.desc[1], context);
    if (members == n) matrix_check(&m, &o); /* asks all processes */
    EXPECT_OK(dap_scalapack_restore(&m, &err), &err);
    EXPECT_OK(dap_scalapack_restore(&with, &err), &err);
    check_global(o.layout, o.rank, &o.array, PADDING_POISON);
    operand_free(&o);
    dap_scalapack_int grid[4];
    Cblacs_gridinfo(context, &grid[0], &grid[1], &grid[2], &grid[3]);
    EXPECT((grid[0] == rows_of) == (test_rank() < members)); /* still there */
    EXPECT((dap_scalapack_context_comm(context) == MPI_COMM_NULL) == (test_rank() >= members));
    if (context >= 0) Cblacs_gridexit(context);
    EXPECT(dap_scalapack_context_comm(context) == MPI_COMM_NULL);
    SETTLE();
  }
}

/* ---- back ------------------------------------------------------------------------------------------ */

static void matrices_become_arrays(void **state)
{
  (void)state;
  const int n = test_nprocs(), rows_of = n % 2 == 0 ? 2 : 1, cols_of = n / rows_of;
  const dap_scalapack_int context = make_context(MPI_COMM_WORLD, rows_of, n);
  dap_scalapack_int grid[4];
  Cblacs_gridinfo(context, &grid[0], &grid[1], &grid[2], &grid[3]);
  static const dap_scalapack_int forms[][4] = {
      {17, 11, 3, 2}, {1, 1, 5, 5}, {0, 4, 1, 1}, {8, 30, 4, 7}}; /* M N MB NB */
  for (size_t i = 0; i < 2 * sizeof forms / sizeof forms[0]; i++) {
    const dap_scalapack_int *f = forms[i / 2];
    const char op = i % 2 ? 'T' : 'N';
    const dap_scalapack_int rsrc = (dap_scalapack_int)i % rows_of,
                            csrc = (dap_scalapack_int)(i + 1) % cols_of;
    const dap_scalapack_int here = numroc_(&f[0], &f[2], &grid[2], &rsrc, &grid[0]);
    const dap_scalapack_int lld = here + 3, cols = numroc_(&f[1], &f[3], &grid[3], &csrc, &grid[1]);
    TEST_CASE("%d x %d, op %c", (int)f[0], (int)f[1], op);
    double *data = calloc((size_t)lld * (size_t)(cols + 1), sizeof *data);
    dap_scalapack_matrix m = {.data = data,
                              .desc = {1, context, f[0], f[1], f[2], f[3], rsrc, csrc, lld},
                              .m = f[0],
                              .n = f[1],
                              .ia = 1,
                              .ja = 1};
    (void)walk(&m, true);
    dap_array array;
    dap_layout *layout;
    dap_error err = {0};
    EXPECT_OK(dap_scalapack_import(MPI_COMM_WORLD, m.desc, data, DAP_F8, op, &array, &layout, &err), &err);
    EXPECT_OK(dap_array_check(&array, &err), &err);
    EXPECT(dap_array_count(&array) == (int64_t)here * cols && (array.data == data || !array.data));
    for (int64_t e = 0; e < dap_array_count(&array); e++) {
      const int64_t local[2] = {e / array.shape[1], e % array.shape[1]};
      int64_t at[2];
      EXPECT_OK(dap_layout_globalize(layout, test_rank(), local, at, NULL, &err), &err);
      const double got =
          *(double *)((char *)array.data + local[0] * array.strides[0] + local[1] * array.strides[1]);
      EXPECT(got == 1 + 1000.0 * (double)at[op == 'T'] + (double)at[op == 'N']);
    }
    /* And there again: the same memory on the same context. */
    dap_scalapack_matrix again;
    const dap_scalapack_options options = {.context = &context, .routine = "gemm", .op = op};
    EXPECT_OK(dap_scalapack_get(MPI_COMM_WORLD, layout, &array, DAP_READ, &options, &again, &err), &err);
    EXPECT_MSG(again.shared, "%s", again.reason);
    EXPECT_INT(again.op, op);
    EXPECT_INT(walk(&again, false), 0);
    EXPECT_OK(dap_scalapack_restore(&again, &err), &err);
    dap_array_release(&array);
    dap_layout_destroy(&layout);
    free(data);
    SETTLE();
  }
  Cblacs_gridexit(context);
}

static void bad_descriptors_are_refused(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_scalapack_int context = make_context(MPI_COMM_WORLD, 1, n);
  static const struct {
    const char *why;
    int word;
    dap_scalapack_int value;
    const char *parts;
  } bad[] = {
      {"another kind", 0, 501, "DTYPE is 501"},
      {"rows below 0", 2, -1, "M is -1"},
      {"no block size", 4, 0, "MB is 0, outside 1"},
      {"a source outside", 6, 1, "RSRC is 1, outside 0 .. 0"},
      {"a leading dimension too small", 8, 3, "LLD is 3, below the 4 local rows"},
  };
  double data[4 * 64];
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    TEST_CASE("%s", bad[i].why);
    dap_scalapack_int desc[9] = {1, context, 4, 2 * n, 4, 2, 0, 0, 4};
    desc[bad[i].word] = bad[i].value;
    dap_array array;
    dap_layout *layout;
    dap_error err = {0};
    const dap_status status =
        dap_scalapack_import(MPI_COMM_WORLD, desc, data, DAP_F8, 'N', &array, &layout, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_ARG, bad[i].parts);
    EXPECT(!layout && !array.data);
    SETTLE();
  }
  dap_scalapack_int dead = context;
  Cblacs_gridexit(context);
  dap_scalapack_int desc[9] = {1, dead, 4, 2 * n, 4, 2, 0, 0, 4};
  dap_array array;
  dap_layout *layout;
  dap_error err = {0};
  const dap_status status =
      dap_scalapack_import(MPI_COMM_WORLD, desc, data, DAP_F8, 'N', &array, &layout, &err);
  expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_ARG, "context is live on no process");
  SETTLE();
}

/* ---- what routines need ---------------------------------------------------------------------------- */

static void routines_get_what_they_need(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist unequal[2] = {dap_dist_cyclic(30, n, 3), dap_dist_cyclic(30, 1, 5)};
  const dap_dist blocks[2] = {dap_dist_cyclic(30, 1, 4), dap_dist_cyclic(30, n, 4)};
  const dap_dist one_block[2] = {dap_dist_cyclic(8, 1, 8), dap_dist_cyclic(8, n, 8)};
  static const char *const names[] = {"pdsyevd", "dsyevd", "syevd", "pdsyevd_"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    TEST_CASE("%s", names[i]);
    operand o[3] = {operand_make(MPI_COMM_WORLD, unequal, DAP_F8, OPERAND_F),
                    operand_make(MPI_COMM_WORLD, blocks, DAP_F8, OPERAND_F),
                    operand_make(MPI_COMM_WORLD, one_block, DAP_F8, OPERAND_F)};
    for (int k = 0; k < 3; k++) {
      dap_scalapack_matrix m;
      dap_error err = {0};
      const dap_scalapack_options options = {.routine = names[i]};
      EXPECT_OK(dap_scalapack_get(o[k].comm, o[k].layout, &o[k].array, DAP_READ, &options, &m, &err), &err);
      EXPECT(m.desc[4] == m.desc[5] && m.desc[6] == 0 && m.desc[7] == 0);
      EXPECT(n == 1 || m.desc[3] > m.desc[5]); /* several blocks */
      EXPECT_MSG(m.shared == (k < 2 || n == 1), "%s", m.reason);
      matrix_check(&m, &o[k]);
      EXPECT_OK(dap_scalapack_restore(&m, &err), &err);
      operand_free(&o[k]);
    }
    SETTLE();
  }
  operand o = operand_make(MPI_COMM_WORLD, blocks, DAP_F8, OPERAND_F);
  dap_scalapack_matrix m;
  dap_error err = {0};
  dap_status s = dap_scalapack_get(o.comm, o.layout, &o.array, DAP_READ,
                                   &(dap_scalapack_options){.routine = "pdsyevq"}, &m, &err);
  expect_same_error(o.comm, s, &err, DAP_ERR_ARG, "\"pdsyevq\" is none");
  s = dap_scalapack_get(o.comm, o.layout, &o.array, DAP_READ,
                        &(dap_scalapack_options){.needs = {.least_block = 9, .most_block = 8}}, &m, &err);
  expect_same_error(o.comm, s, &err, DAP_ERR_ARG, "no block size is within the needs' 9 .. 8");
  EXPECT_OK(dap_scalapack_get(o.comm, o.layout, &o.array, DAP_READ,
                              &(dap_scalapack_options){.needs = {.least_block = 5, .most_block = 6}}, &m,
                              &err),
            &err);
  EXPECT_MSG(n == 1 || (!m.shared && test_contains(m.reason, "at least 5|4 x 4|")) || m.desc[4] != 4, "%s",
             m.reason);
  EXPECT(m.desc[5] >= 5 && m.desc[5] <= 6);
  EXPECT_OK(dap_scalapack_restore(&m, &err), &err);
  operand_free(&o);
  SETTLE();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_of_arrays_are_matrices), cmocka_unit_test(contexts_of_others_are_used),
      cmocka_unit_test(matrices_become_arrays),       cmocka_unit_test(bad_descriptors_are_refused),
      cmocka_unit_test(routines_get_what_they_need),
  };
  return mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
}
