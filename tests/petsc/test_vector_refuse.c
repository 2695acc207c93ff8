/* Wrong arguments of dap_petsc_vector_get(), on all processes or on one: the same status and text everywhere. */
#include "vector_test.h"

/* What is handed over. */
typedef struct request {
  MPI_Comm comm;
  dap_layout *layout, *other; /* the other has the same processes and local extents */
  dap_array array;
  dap_access access;
  dap_petsc_vector_options options;
  dap_petsc_vector view, *to;
} request;

enum { SIZE = 24, COLUMNS = 3 };

static void no_layout(request *r)
{
  r->layout = NULL;
}
static void no_vector(request *r)
{
  r->to = NULL;
}
static void bad_access(request *r)
{
  r->access = (dap_access)0;
}
static void bad_sharing(request *r)
{
  r->options.sharing = (dap_sharing)7;
}
static void bad_order(request *r)
{
  r->options.order = (dap_order)'A';
}
static void negative_block(request *r)
{
  r->options.block_size = -2;
}
static void odd_block(request *r)
{
  r->options.block_size = 7;
}
#if !defined(PETSC_USE_64BIT_INDICES)
static void huge_block(request *r)
{
  r->options.block_size = INT64_MAX;
}
#endif
static void other_access(request *r)
{
  r->access = DAP_READ;
}
static void other_order(request *r)
{
  r->options.order = DAP_ORDER_F;
}
static void other_natural(request *r)
{
  r->options.natural = true;
}
static void other_block(request *r)
{
  r->options.block_size = COLUMNS;
}
static void other_layout(request *r)
{
  r->layout = r->other;
}
static void other_comm(request *r)
{
  r->comm = MPI_COMM_SELF;
}
static void bad_type(request *r)
{
  r->array.dtype = DAP_I4;
}
static void bad_extent(request *r)
{
  r->array.shape[1]++;
}
static void no_data(request *r)
{
  r->array.data = NULL;
}
static void readonly(request *r)
{
  r->array.readonly = true;
}
static void repeats(request *r)
{
  r->array.strides[1] = 0;
}
static void share_window(request *r)
{
  r->array.strides[0] += (int64_t)sizeof(PetscScalar);
  r->options.sharing = DAP_SHARE_OR_FAIL;
}
static void share_misaligned(request *r)
{
  r->array.data = (char *)r->array.data + 4;
  r->options.sharing = DAP_SHARE_OR_FAIL;
}
static void share_turned(request *r)
{
  r->options.order = DAP_ORDER_F;
  r->options.sharing = DAP_SHARE_OR_FAIL;
}

typedef struct refusal {
  const char *why;
  void (*change)(request *r);
  bool last_only; /* the last process alone is wrong */
  int ranks;      /* at least so many */
  dap_status status;
  const char *parts;
} refusal;

static const refusal refusals[] = {
    {"no layout", no_layout, false, 1, DAP_ERR_ARG, "layout is NULL"},
    {"no layout on one process", no_layout, true, 2, DAP_ERR_ARG, "layout is NULL"},
    {"nowhere to put the vector on one process", no_vector, true, 1, DAP_ERR_ARG, "vector is NULL"},
    {"an access that is none", bad_access, true, 1, DAP_ERR_ARG, "dap_access"},
    {"a sharing that is none", bad_sharing, true, 1, DAP_ERR_ARG, "dap_sharing"},
    {"an order that is none", bad_order, true, 1, DAP_ERR_ARG, "dap_order"},
    {"a negative block size", negative_block, false, 1, DAP_ERR_ARG, "block size -2"},
    {"a block size that does not divide", odd_block, false, 1, DAP_ERR_UNSUPPORTED, "72 elements|size 7"},
#if !defined(PETSC_USE_64BIT_INDICES)
    {"a block size beyond PetscInt", huge_block, false, 1, DAP_ERR_RANGE, "exceeds PetscInt"},
#endif
    {"accesses that differ", other_access, true, 2, DAP_ERR_ARG, "access"},
    {"orders that differ", other_order, true, 2, DAP_ERR_ARG, "options: order"},
    {"natural on one process", other_natural, true, 2, DAP_ERR_ARG, "options: natural"},
    {"block sizes that differ", other_block, true, 2, DAP_ERR_ARG, "options: block_size"},
    {"layouts that differ", other_layout, true, 2, DAP_ERR_ARG, "the layout"},
    {"a communicator of another size", other_comm, false, 2, DAP_ERR_ARG,
     "processes, the communicator has 1"},
    {"another element type", bad_type, true, 1, DAP_ERR_BUFFER, "int32|PetscScalar"},
    {"an extent that is not the layout's", bad_extent, true, 1, DAP_ERR_BUFFER, "dim 1|differs"},
    {"no data", no_data, true, 1, DAP_ERR_BUFFER, "data is NULL"},
    {"a read-only buffer to be written", readonly, true, 1, DAP_ERR_BUFFER, "read-only"},
    {"a zero stride to be written", repeats, true, 1, DAP_ERR_BUFFER, "zero stride"},
    {"a window that must be shared", share_window, false, 1, DAP_ERR_SHARE,
     "dim 0|not contiguous in C order"},
    {"a misaligned buffer that must be shared", share_misaligned, false, 1, DAP_ERR_SHARE, "not aligned"},
    {"an order that must be shared", share_turned, false, 1, DAP_ERR_SHARE, "F order"},
};

static void refuse(const refusal *row)
{
  static PetscScalar memory[SIZE * (COLUMNS + 1) + 1];
  dap_dist dist[] = {dap_dist_even(SIZE, test_nprocs()), dap_dist_even(COLUMNS, 1)};
  request r = {.comm = MPI_COMM_WORLD, .access = DAP_READ_WRITE, .to = &r.view};
  dap_error err;
  dap_layout *all[2];
  EXPECT_OK(dap_layout_create(2, dist, &r.layout, &err), &err);
  dist[0] = dap_dist_cyclic(SIZE, test_nprocs(), SIZE / test_nprocs());
  EXPECT_OK(dap_layout_create(2, dist, &r.other, &err), &err);
  EXPECT_OK(dap_array_init(&r.array, r.layout, test_rank(), scalar_type(), DAP_ORDER_C, memory, &err), &err);
  all[0] = r.layout;
  all[1] = r.other;
  memset(&r.view, 0xEE, sizeof r.view);
  if (!row->last_only || test_rank() == test_nprocs() - 1) row->change(&r);
  const dap_status s = dap_petsc_vector_get(r.comm, r.layout, &r.array, r.access, &r.options, r.to, &err);
  expect_same_error(r.comm, s, &err, row->status, row->parts);
  EXPECT(!r.to || (!r.view.vec && !r.view.ao && !r.view.state && r.view.reason[0] == '\0'));
  if (r.to) EXPECT_OK(dap_petsc_vector_restore(&r.view, &err), &err);
  dap_layout_destroy(&all[0]);
  dap_layout_destroy(&all[1]);
}

static void refuses(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    if (test_nprocs() < refusals[i].ranks) continue;
    TEST_CASE("%s", refusals[i].why);
    refuse(&refusals[i]);
    SETTLE();
  }
}

/* Also without an error to write to. */
static void refuses_no_communicator(void **state)
{
  (void)state;
  dap_petsc_vector view;
  dap_error err;
  EXPECT_FAIL(dap_petsc_vector_get(MPI_COMM_NULL, NULL, NULL, DAP_READ, NULL, &view, &err), DAP_ERR_ARG, &err,
              "MPI_COMM_NULL");
  EXPECT(dap_petsc_vector_get(MPI_COMM_WORLD, NULL, NULL, DAP_READ, NULL, NULL, NULL) == DAP_ERR_ARG);
  SETTLE();
}

#if !defined(PETSC_USE_64BIT_INDICES)
/* More elements than PetscInt counts, but hardly any memory: most of them are nowhere to be looked at. */
static void refuses_too_many(void **state)
{
  (void)state;
  const int64_t size = (int64_t)PETSC_MAX_INT + 1;
  PetscScalar one = 0;
  dap_petsc_vector view;
  dap_layout *layout;
  dap_error err;
  const dap_dist dist = dap_dist_even(size * test_nprocs(), test_nprocs());
  EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err);
  const dap_array array = {.abi = DAP_ARRAY_ABI,
                           .version = "0.10.0",
                           .dtype = scalar_type(),
                           .ndim = 1,
                           .shape = {size},
                           .strides = {0},
                           .data = &one};
  const dap_status s = dap_petsc_vector_get(MPI_COMM_WORLD, layout, &array, DAP_READ, NULL, &view, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_RANGE, "more than PetscInt counts, 2147483647");
  dap_layout_destroy(&layout);
  SETTLE();
}
#endif

static void starts(void **state)
{
  (void)state;
  EXPECT(!PetscInitializeNoArguments());
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(starts),
    cmocka_unit_test(refuses),
    cmocka_unit_test(refuses_no_communicator),
#if !defined(PETSC_USE_64BIT_INDICES)
    cmocka_unit_test(refuses_too_many),
#endif
    cmocka_unit_test(petsc_is_finalised),
};

MPI_TEST_MAIN(tests)
