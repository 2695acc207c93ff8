/* Tests arrays that cannot be a field, a vector or a matrix, and communicators that do not belong to the
 * arrays. */
#include "any_view.h"
#include "mpi_test.h"

typedef struct shape_refusal {
  const char *why;
  any_kind kind;
  int ranks; /* the test needs at least this many processes */
  int ndim;
  bool split[5]; /* axes that are spread over all processes; at most one */
  dap_dist dist[5];
  dap_petsc_field_options options;
  dap_status status;
  const char *parts;
  dap_petsc_form form;
} shape_refusal;

#if defined(PETSC_USE_64BIT_INDICES) && defined(PETSC_USE_COMPLEX)
#define MOST "576460752303423487 entries"
#elif defined(PETSC_USE_64BIT_INDICES)
#define MOST "1152921504606846975 entries"
#else
#define MOST "2147483647 entries"
#endif

/* PetscInt can hold the square of this number, but not nine times the square. */
#define MANY ((int64_t)1 << (4 * sizeof(PetscInt) - 1))

#define LARGE (INT64_C(1) << 33)

/* clang-format off */
static const shape_refusal shapes[] = {
  {"four axes", FIELD, 1, 4, {1}, {{.size = 8}, {.size = 2}, {.size = 2}, {.size = 2}}, {.width = 1},
   DAP_ERR_UNSUPPORTED, .parts = "the array has 4|dof_axes"},
  {"five axes", FIELD, 1, 5, {1}, {{.size = 8}, {.size = 1}, {.size = 1}, {.size = 1}, {.size = 1}},
   {.dof_axes = 1}, DAP_ERR_UNSUPPORTED, .parts = "the array has 5"},
  {"degrees of freedom and no points", FIELD, 1, 1, {0}, {{.size = 8}}, {.dof_axes = 1}, DAP_ERR_UNSUPPORTED,
   .parts = "the array has 1"},
  {"degrees of freedom on several processes", FIELD, 2, 2, {0, 1}, {{.size = 8}, {.size = 12}},
   {.dof_axes = 1},
   DAP_ERR_UNSUPPORTED, .parts = "axis 1|degrees of freedom"},
  {"no degrees of freedom", FIELD, 1, 2, {1}, {{.size = 8}, {.size = 0}}, {.dof_axes = 1},
   DAP_ERR_UNSUPPORTED,
   .parts = "axis 1"},
  {"fewer points than processes", FIELD, 2, 1, {1}, {{.size = 1}}, {.width = 1}, DAP_ERR_UNSUPPORTED,
   .parts = "processes|1 points|width 1"},
  {"no points in a plane", FIELD, 1, 2, {1}, {{.size = 8}, {.size = 0}}, {.width = 1}, DAP_ERR_UNSUPPORTED,
   .parts = "8 x 0"},
  {"boundary padding wider than the stencil", FIELD, 1, 1, {1}, {{.size = 40, .boundary = {2, 2}}},
   {.boundary = DM_BOUNDARY_GHOSTED, .width = 1}, DAP_ERR_UNSUPPORTED, .parts = "axis 0|padding 2|width 1"},
  {"padding wider than the period", FIELD, 1, 2, {1},
   {{.size = 8}, {.size = 8, .boundary = {5, 1}, .periodic = true}}, {.strip_periodic = true},
   DAP_ERR_UNSUPPORTED, .parts = "axis 1|(5, 1)|2 points"},
  {"to share a cyclic array", FIELD, 2, 1, {1}, {{.size = 40, .kind = DAP_DIST_CYCLIC, .block_size = 3}},
   {.sharing = DAP_SHARE_OR_FAIL}, DAP_ERR_SHARE, .parts = "local vector|axis 0|cyclic"},
  {"to share a cyclic array as the global vector", FIELD, 2, 1, {1},
   {{.size = 40, .kind = DAP_DIST_CYCLIC, .block_size = 3}},
   {.sharing = DAP_SHARE_OR_FAIL, .vectors = DAP_PETSC_GLOBAL}, DAP_ERR_SHARE,
   .parts = "global vector|axis 0|cyclic"},
  {"to share padding between rows as the global vector", FIELD, 2, 2, {0, 1},
   {{.size = 8}, {.size = 18, .halo = 1}}, {.sharing = DAP_SHARE_OR_FAIL}, DAP_ERR_SHARE,
   .parts = "global vector|contiguous"},
  {"more points than PetscInt counts, ghost points included", FIELD, 1, 2, {1},
   {{.size = MANY, .periodic = true}, {.size = MANY, .periodic = true}}, {.width = MANY}, DAP_ERR_RANGE,
   .parts = "too many points|ghost points|" MOST},
#if !defined(PETSC_USE_64BIT_INDICES) /* a layout cannot have more */
  {"more points than PetscInt counts", FIELD, 1, 2, {1}, {{.size = 1 << 20}, {.size = 1 << 20}}, {.width = 1},
   DAP_ERR_RANGE, .parts = "too many points|" MOST},
  {"more entries than PetscInt counts", VECTOR, 1, 2, {1}, {{.size = 1 << 20}, {.size = 1 << 20}}, {0},
   DAP_ERR_RANGE, .parts = "PetscInt|2147483647"},
#else
  {"more bytes than 64 bits count", FIELD, 1, 2, {1},
   {{.size = INT64_C(1) << 31}, {.size = INT64_C(1) << 30}},
   {.width = 1}, DAP_ERR_RANGE, .parts = "too many points|" MOST},
#endif
  {"one axis", MATRIX, 1, 1, {1}, {{.size = 9}}, {0}, DAP_ERR_UNSUPPORTED, .parts = "the array has 1"},
  {"three axes", MATRIX, 1, 3, {1}, {{.size = 9}, {.size = 3}, {.size = 2}}, {0}, DAP_ERR_UNSUPPORTED,
   .parts = "the array has 3"},
  {"more rows than BLAS counts", MATRIX, 1, 2, {1}, {{.size = LARGE}, {.size = 0}}, {0}, DAP_ERR_RANGE,
   .parts = "axis 0|8589934592"},
  {"more columns than BLAS counts", MATRIX, 1, 2, {1}, {{.size = 0}, {.size = LARGE}}, {0}, DAP_ERR_RANGE,
   .parts = "axis 1|8589934592"},
  {"too few rows for MATSCALAPACK", MATRIX, 3, 2, {1}, {{.size = 1}, {.size = 12}}, {0}, DAP_ERR_UNSUPPORTED,
   .parts = "axis 0|spread 1 ", DAP_PETSC_SCALAPACK},
  {"too few columns for MATSCALAPACK", MATRIX, 3, 2, {1}, {{.size = 12}, {.size = 1}}, {0},
   DAP_ERR_UNSUPPORTED, .parts = "axis 1|spread 1 ", DAP_PETSC_SCALAPACK},
};
/* clang-format on */

/* The buffer is one element, repeated by strides of 0. That suffices, because it is only read, if at all. */
static void check_shape(const shape_refusal *row)
{
  dap_layout *layout = NULL;
  dap_error err = {.rank = -1};
  dap_dist dist[5];
  PetscScalar one = 1;
  int coords[5] = {0};
  any_view v = {.kind = row->kind, .of_field = row->options, .of_matrix = {.form = row->form}};
  for (int k = 0; k < row->ndim; k++) {
    dist[k] = row->dist[k];
    dist[k].procs = row->split[k] ? test_nprocs() : 1;
  }
  dist[0].procs = row->split[0] || row->split[1] ? dist[0].procs : test_nprocs();
  EXPECT_OK(dap_layout_create(row->ndim, dist, &layout, &err), &err);
  dap_layout_coords(layout, test_rank(), coords);
  dap_array array = {.abi = DAP_ARRAY_ABI,
                     .version = "0.10.0",
                     .dim_count = row->ndim,
                     .ndim = row->ndim,
                     .dtype = scalar_dtype(),
                     .data = &one};
  for (int k = 0; k < row->ndim; k++) array.shape[k] = dap_layout_extent(layout, k, coords[k]);
  int64_t stride = (int64_t)sizeof one;
  for (int k = row->ndim - 1; k >= 0; k--) {
    array.strides[k] = stride;
    if (k > 0) stride *= array.shape[k];
  }
  const dap_status s = any_get(MPI_COMM_WORLD, &v, (dap_darray){layout, &array}, DAP_READ, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, row->status, row->parts);
  dap_layout_destroy(&layout);
}

static void wrong_shapes(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    if (test_nprocs() < shapes[i].ranks) continue;
    TEST_CASE("%s: %s", any_names[shapes[i].kind], shapes[i].why);
    check_shape(&shapes[i]);
    SETTLE();
  }
}

/* Tests a scalar, and a communicator that has another size than the layout. */
static void wrong_communicator(void **state)
{
  (void)state;
  dap_layout *layout = NULL;
  dap_error err = {.rank = -1};
  dap_petsc_field field;
  PetscScalar one = 1;
  const dap_array array = {.abi = DAP_ARRAY_ABI, .version = "0.10.0", .dtype = scalar_dtype(), .data = &one};
  EXPECT_OK(dap_layout_create(0, NULL, &layout, &err), &err);
  TEST_CASE("a scalar");
  dap_status s =
      dap_petsc_field_get(MPI_COMM_SELF, (dap_darray){layout, &array}, DAP_READ, NULL, &field, &err);
  expect_same_error(MPI_COMM_SELF, s, &err, DAP_ERR_UNSUPPORTED, "the array has 0");
  SETTLE();
  TEST_CASE("a communicator of another size");
  err.rank = -1;
  s = dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ, NULL, &field, &err);
  if (test_nprocs() > 1) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "1 processes|communicator");
  EXPECT_STATUS(
      dap_petsc_field_get(MPI_COMM_NULL, (dap_darray){layout, &array}, DAP_READ, NULL, &field, &err),
      DAP_ERR_ARG, &err);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(petsc_starts), cmocka_unit_test(wrong_shapes),
                                          cmocka_unit_test(wrong_communicator), cmocka_unit_test(petsc_ends)};

MPI_TEST_MAIN(tests)
