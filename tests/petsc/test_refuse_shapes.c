/* Arrays that make no field, and communicators that are not theirs. */
#include "field_test.h"

typedef struct shape_refusal {
  const char *why;
  int ranks; /* at least so many */
  int ndim;
  bool split[5]; /* axes over all processes; at most one */
  dap_dist dist[5];
  dap_petsc_field_options options;
  dap_status status;
  const char *parts;
} shape_refusal;

#if defined(PETSC_USE_64BIT_INDICES) && defined(PETSC_USE_COMPLEX)
#define MOST "at most 576460752303423487 entries"
#elif defined(PETSC_USE_64BIT_INDICES)
#define MOST "at most 1152921504606846975 entries"
#else
#define MOST "at most 2147483647 entries"
#endif

/* PetscInt holds its square, but not nine of them. */
#define MANY ((int64_t)1 << (4 * sizeof(PetscInt) - 1))

static const shape_refusal shapes[] = {
    {"four axes",
     1,
     4,
     {1},
     {{.size = 8}, {.size = 2}, {.size = 2}, {.size = 2}},
     {.width = 1},
     DAP_ERR_UNSUPPORTED,
     "ndim 4|options.dof_axes"},
    {"five axes",
     1,
     5,
     {1},
     {{.size = 8}, {.size = 1}, {.size = 1}, {.size = 1}, {.size = 1}},
     {.dof_axes = 1},
     DAP_ERR_UNSUPPORTED,
     "ndim 5"},
    {"degrees of freedom and no points",
     1,
     1,
     {0},
     {{.size = 8}},
     {.dof_axes = 1},
     DAP_ERR_UNSUPPORTED,
     "ndim 1"},
    {"degrees of freedom on several processes",
     2,
     2,
     {0, 1},
     {{.size = 8}, {.size = 12}},
     {.dof_axes = 1},
     DAP_ERR_UNSUPPORTED,
     "axis 1|degrees of freedom"},
    {"no degrees of freedom",
     1,
     2,
     {1},
     {{.size = 8}, {.size = 0}},
     {.dof_axes = 1},
     DAP_ERR_UNSUPPORTED,
     "axis 1"},
    {"fewer points than processes",
     2,
     1,
     {1},
     {{.size = 1}},
     {.width = 1},
     DAP_ERR_UNSUPPORTED,
     "processes|of 1 points|width 1"},
    {"no points in a plane",
     1,
     2,
     {1},
     {{.size = 8}, {.size = 0}},
     {.width = 1},
     DAP_ERR_UNSUPPORTED,
     "8 x 0"},
    {"boundary padding wider than the stencil",
     1,
     1,
     {1},
     {{.size = 40, .boundary = {2, 2}}},
     {.boundary = DM_BOUNDARY_GHOSTED, .width = 1},
     DAP_ERR_UNSUPPORTED,
     "axis 0|boundary padding 2|width 1"},
    {"padding wider than the period",
     1,
     2,
     {1},
     {{.size = 8}, {.size = 8, .boundary = {5, 1}, .periodic = true}},
     {.strip_periodic = true},
     DAP_ERR_UNSUPPORTED,
     "axis 1|(5, 1)|2 points"},
    {"to share a cyclic array",
     2,
     1,
     {1},
     {{.size = 40, .kind = DAP_DIST_CYCLIC, .block_size = 3}},
     {.sharing = DAP_SHARE_OR_FAIL},
     DAP_ERR_SHARE,
     "local vector|axis 0 is cyclic"},
    {"to share a cyclic array as the global vector",
     2,
     1,
     {1},
     {{.size = 40, .kind = DAP_DIST_CYCLIC, .block_size = 3}},
     {.sharing = DAP_SHARE_OR_FAIL, .vectors = DAP_PETSC_GLOBAL},
     DAP_ERR_SHARE,
     "global vector|axis 0 is cyclic"},
    {"to share padding between rows as the global vector",
     2,
     2,
     {0, 1},
     {{.size = 8}, {.size = 18, .halo = 1}},
     {.sharing = DAP_SHARE_OR_FAIL},
     DAP_ERR_SHARE,
     "global vector|contiguous"},
    {"more points than PetscInt counts, ghost points included",
     1,
     2,
     {1},
     {{.size = MANY, .periodic = true}, {.size = MANY, .periodic = true}},
     {.width = MANY},
     DAP_ERR_RANGE,
     "too many points|ghost points included|" MOST},
#if !defined(PETSC_USE_64BIT_INDICES) /* no layout has more */
    {"more points than PetscInt counts",
     1,
     2,
     {1},
     {{.size = 1 << 20}, {.size = 1 << 20}},
     {.width = 1},
     DAP_ERR_RANGE,
     "too many points|" MOST},
#else
    {"more bytes than 64 bits count",
     1,
     2,
     {1},
     {{.size = INT64_C(1) << 31}, {.size = INT64_C(1) << 30}},
     {.width = 1},
     DAP_ERR_RANGE,
     "too many points|" MOST},
#endif
};

/* The buffer is one element, repeated: enough for what is only read, if it is read at all. */
static void check_shape(const shape_refusal *row)
{
  dap_layout *layout = NULL;
  dap_error err = {.rank = -1};
  dap_dist dist[5];
  dap_petsc_field field;
  PetscScalar one = 1;
  int coords[5] = {0};
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
  const dap_status s = dap_petsc_field_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ,
                                           &row->options, &field, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, row->status, row->parts);
  dap_layout_destroy(&layout);
}

static void wrong_shapes(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    if (test_nprocs() < shapes[i].ranks) continue;
    TEST_CASE("%s", shapes[i].why);
    check_shape(&shapes[i]);
    SETTLE();
  }
}

/* A scalar is one process's own; so is a communicator of another size. */
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
  expect_same_error(MPI_COMM_SELF, s, &err, DAP_ERR_UNSUPPORTED, "ndim 0");
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_is_initialised), cmocka_unit_test(wrong_shapes),
    cmocka_unit_test(wrong_communicator), cmocka_unit_test(petsc_is_finalised)};

MPI_TEST_MAIN(tests)
