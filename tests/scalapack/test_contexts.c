/* Tests contexts and matrices of others: views on a caller's context, and ScaLAPACK's matrices as arrays. */
#include "operand.h"

#include <dapbridge/scalapack_calls.h>

/* Makes a grid of rows x (members / rows) of the first `members` processes. Its order is column-major,
 * from the last of these processes on. */
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

/* The number of this process's question for a communicator's size that fails. */
static struct {
  MPI_Comm comm;
  int countdown; /* questions until then */
} fault = {.comm = MPI_COMM_NULL};

int MPI_Comm_size(MPI_Comm comm, int *size)
{
  const int code = PMPI_Comm_size(comm, size);
  return comm == fault.comm && fault.countdown-- == 0 ? MPI_ERR_OTHER : code;
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
    held_array o = operand_make(MPI_COMM_WORLD, dists, DAP_F8, FORM_C);
    dap_scalapack_matrix m, with;
    const dap_scalapack_options options = {.context = &context};
    operand_get(&o, DAP_READ_WRITE, &options, &m);
    EXPECT_INT(m.desc[1], context);
    operand_get(&o, DAP_READ, &(dap_scalapack_options){.aligned_with = &m}, &with);
    EXPECT_INT(with.desc[1], context);
    if (members == n) matrix_check(&m, &o); /* asks all processes */
    operand_restore(&m);
    operand_restore(&with);
    check_global(o.layout, o.rank, &o.array, PADDING_POISON);
    held_array_free(&o);
    dap_scalapack_int grid[4];
    Cblacs_gridinfo(context, &grid[0], &grid[1], &grid[2], &grid[3]);
    EXPECT((grid[0] == rows_of) == (test_rank() < members)); /* still there */
    EXPECT((dap_scalapack_context_comm(context) == MPI_COMM_NULL) == (test_rank() >= members));
    if (context >= 0) Cblacs_gridexit(context);
    EXPECT(dap_scalapack_context_comm(context) == MPI_COMM_NULL);
    SETTLE();
  }
}

/* One question after the other fails on one process. All processes report it, and none waits for ever. */
static void sizes_that_mpi_does_not_tell(void **state)
{
  (void)state;
  const int n = test_nprocs(), culprit = n - 1;
  const dap_dist dists[2] = {dap_dist_even(13, n), dap_dist_even(9, 1)};
  const dap_scalapack_int context = make_context(MPI_COMM_WORLD, 1, n);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  held_array o = operand_make(comm, dists, DAP_F8, FORM_C);
  int failed = 0;
  for (dap_status status = DAP_ERR_LIBRARY; status == DAP_ERR_LIBRARY; failed++) {
    dap_scalapack_matrix m;
    dap_error err = {0};
    TEST_CASE("question %d", failed);
    fault.comm = test_rank() == culprit ? comm : MPI_COMM_NULL;
    fault.countdown = failed;
    status = dap_scalapack_get(comm, held_darray(&o), DAP_READ, &(dap_scalapack_options){.context = &context},
                               &m, &err);
    fault.comm = MPI_COMM_NULL;
    expect_same_error(comm, status, &err, status ? DAP_ERR_LIBRARY : DAP_OK, "MPI_Comm_size");
    if (status) EXPECT_INT(err.rank, culprit);
    if (!status) operand_restore(&m);
    SETTLE();
  }
  EXPECT_MSG(failed > 2, "%d questions", failed - 1);
  held_array_free(&o);
  MPI_Comm_free(&comm);
  Cblacs_gridexit(context);
  SETTLE();
}

/* ---- back ------------------------------------------------------------------------------------------ */

/* M x N in blocks of MB x NB, each element with its own value. */
static dap_scalapack_matrix make_numbered(dap_scalapack_int context, const dap_scalapack_int form[4],
                                          const dap_scalapack_int source[2], void *data,
                                          dap_scalapack_int lld, char op)
{
  dap_scalapack_matrix m = {
      .data = data,
      .desc = {1, context, form[0], form[1], form[2], form[3], source[0], source[1], lld},
      .m = form[0],
      .n = form[1],
      .ia = 1,
      .ja = 1,
      .op = op};
  matrix_write(&m, DAP_F8);
  return m;
}

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
    const dap_scalapack_int source[2] = {(dap_scalapack_int)i % rows_of,
                                         (dap_scalapack_int)(i + 1) % cols_of};
    const dap_scalapack_int here = numroc_(&f[0], &f[2], &grid[2], &source[0], &grid[0]);
    const dap_scalapack_int lld = here + 3, cols = numroc_(&f[1], &f[3], &grid[3], &source[1], &grid[1]);
    TEST_CASE("%d x %d, op %c", (int)f[0], (int)f[1], op);
    double *data = calloc((size_t)lld * (size_t)(cols + 1), sizeof *data);
    const dap_scalapack_matrix m = make_numbered(context, f, source, data, lld, op);
    dap_array array;
    dap_layout *layout;
    dap_error err = {0};
    EXPECT_OK(dap_scalapack_import(MPI_COMM_WORLD, m.desc, data, DAP_F8, op, &array, &layout, &err), &err);
    EXPECT_OK(dap_array_check(&array, &err), &err);
    EXPECT(dap_array_count(&array) == (int64_t)here * cols && (array.data == data || !array.data));
    check_global(layout, test_rank(), &array, PADDING_POISON);
    /* The array becomes a matrix again, in the same memory and on the same context. */
    dap_scalapack_matrix again;
    const dap_scalapack_options options = {.context = &context, .routine = "gemm", .op = op};
    EXPECT_OK(
        dap_scalapack_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ, &options, &again, &err),
        &err);
    EXPECT_MSG(again.shared, "%s", again.reason);
    EXPECT_INT(again.op, op);
    EXPECT_INT(matrix_right(&again, DAP_F8), dap_array_count(&array));
    operand_restore(&again);
    dap_array_release(&array);
    dap_layout_destroy(&layout);
    free(data);
    SETTLE();
  }
  Cblacs_gridexit(context);
}

/* A library that is given a matrix knows only its descriptor, which also tells the processes. */
static void a_descriptor_is_enough(void **state)
{
  (void)state;
  const int n = test_nprocs(), members = n > 1 ? n - 1 : 1, rows_of = members % 2 == 0 ? 2 : 1;
  dap_scalapack_int context = make_context(MPI_COMM_WORLD, rows_of, members), grid[4];
  MPI_Comm comm = dap_scalapack_context_comm(context);
  EXPECT((comm != MPI_COMM_NULL) == (test_rank() < members));
  if (comm != MPI_COMM_NULL) {
    static double data[40 * 40];
    const dap_scalapack_int f[4] = {17, 11, 3, 2}, zero = 0; /* M N MB NB */
    int size, rank;
    MPI_Comm_size(comm, &size);
    MPI_Comm_rank(comm, &rank);
    EXPECT_INT(size, members);
    Cblacs_gridinfo(context, &grid[0], &grid[1], &grid[2], &grid[3]);
    const dap_scalapack_int rows = numroc_(&f[0], &f[2], &grid[2], &zero, &grid[0]), lld = rows + 1;
    const dap_scalapack_matrix m =
        make_numbered(context, f, (const dap_scalapack_int[]){0, 0}, data, lld, 'N');
    dap_array array;
    dap_layout *layout;
    dap_error err = {0};
    EXPECT_OK(dap_scalapack_import(comm, m.desc, data, DAP_F8, 'N', &array, &layout, &err), &err);
    EXPECT_INT(dap_layout_nprocs(layout), members);
    EXPECT_INT(array.shape[0], rows);
    check_global(layout, rank, &array, PADDING_POISON);
    dap_array_release(&array);
    dap_layout_destroy(&layout);
    Cblacs_gridexit(context);
  }
  EXPECT(dap_scalapack_context_comm(context) == MPI_COMM_NULL); /* it is gone, or was never here */
  SETTLE();
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
      {"no block size", 4, 0, "MB is 0|1"},
      {"a source outside", 6, 1, "RSRC is 1|0 .. 0"},
      {"a leading dimension too small", 8, 3, "LLD is 3|4"},
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
  expect_same_error(MPI_COMM_WORLD, status, &err, DAP_ERR_ARG, "context|live");
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(contexts_of_others_are_used), cmocka_unit_test(sizes_that_mpi_does_not_tell),
    cmocka_unit_test(matrices_become_arrays),      cmocka_unit_test(a_descriptor_is_enough),
    cmocka_unit_test(bad_descriptors_are_refused),
};
MPI_TEST_MAIN(tests)
