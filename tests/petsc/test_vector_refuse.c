/* Wrong arguments of dap_petsc_vector_get(), on all processes or on one: the same status and text
 * everywhere. */
#include "requests.h"
#include "vector_test.h"

static void bad_order(request *r)
{
  r->vector.order = (dap_order)'A';
}
static void negative_block(request *r)
{
  r->vector.block_size = -2;
}
static void odd_block(request *r)
{
  r->vector.block_size = 7;
}
#if !defined(PETSC_USE_64BIT_INDICES)
static void huge_block(request *r)
{
  r->vector.block_size = INT64_MAX;
}
#endif
static void other_order(request *r)
{
  r->vector.order = DAP_ORDER_F;
}
static void other_natural(request *r)
{
  r->vector.natural = true;
}
static void other_block(request *r)
{
  r->vector.block_size = COLUMNS;
}
static void other_comm(request *r)
{
  r->comm = MPI_COMM_SELF;
}
static void share_turned(request *r)
{
  r->vector.order = DAP_ORDER_F;
  share(r);
}

static const refusal refusals[] = {
    {"nowhere to put the vector on one process", no_view, true, 1, DAP_ERR_ARG, "vector is NULL"},
    {"an order that is none", bad_order, true, 1, DAP_ERR_ARG, "options: order is 65, not one of its values"},
    {"a negative block size", negative_block, false, 1, DAP_ERR_ARG, "options: block_size is -2, negative"},
    {"a block size that does not divide", odd_block, false, 1, DAP_ERR_UNSUPPORTED, "144 elements|size 7"},
#if !defined(PETSC_USE_64BIT_INDICES)
    {"a block size beyond PetscInt", huge_block, false, 1, DAP_ERR_RANGE, "exceeds PetscInt"},
#endif
    {"orders that differ", other_order, true, 2, DAP_ERR_ARG, "options: order"},
    {"natural on one process", other_natural, true, 2, DAP_ERR_ARG, "options: natural"},
    {"block sizes that differ", other_block, true, 2, DAP_ERR_ARG, "options: block_size"},
    {"a communicator of another size", other_comm, false, 2, DAP_ERR_ARG, "processes, the communicator 1"},
    {"a window that must be shared", share_window, false, 1, DAP_ERR_SHARE,
     "axis 0|not contiguous in C order"},
    {"an order that must be shared", share_turned, false, 1, DAP_ERR_SHARE, "F order"},
};

static dap_status get(const request *r, dap_error *err)
{
  dap_petsc_vector_options options = r->vector;
  dap_petsc_vector view;
  options.sharing = r->sharing;
  memset(&view, 0xEE, sizeof view);
  const dap_status s = dap_petsc_vector_get(r->comm, (dap_darray){r->layout, &r->array}, r->access, &options,
                                            r->nowhere ? NULL : &view, err);
  if (r->nowhere) return s;
  EXPECT(!view.vec && !view.ao && !view.handle.view && view.reason[0] == '\0');
  EXPECT_OK(dap_petsc_vector_restore(&view, NULL), NULL);
  return s;
}

static void refuses(void **state)
{
  (void)state;
  check_refusals(get, refusals, sizeof refusals / sizeof refusals[0]);
}

/* Also without an error to write to. */
static void refuses_no_communicator(void **state)
{
  (void)state;
  dap_petsc_vector view;
  dap_error err;
  EXPECT_FAIL(dap_petsc_vector_get(MPI_COMM_NULL, (dap_darray){NULL, NULL}, DAP_READ, NULL, &view, &err),
              DAP_ERR_ARG, &err, "MPI_COMM_NULL");
  EXPECT(dap_petsc_vector_get(MPI_COMM_WORLD, (dap_darray){NULL, NULL}, DAP_READ, NULL, NULL, NULL) ==
         DAP_ERR_ARG);
  SETTLE();
}

/* One process gets a matrix while the others get a vector; and imports one while they import a vector. */
static void names_other_functions(void **state)
{
  (void)state;
  const dap_darray none = {NULL, NULL};
  const bool last = test_rank() > 0 && test_rank() == test_nprocs() - 1;
  dap_petsc_vector vector;
  dap_petsc_matrix matrix;
  dap_array array;
  dap_layout *layout;
  dap_error err;
  Vec vec;
  Mat mat;
  if (test_nprocs() == 1) return;
  dap_status s = last ? dap_petsc_matrix_get(MPI_COMM_WORLD, none, DAP_READ, NULL, &matrix, &err)
                      : dap_petsc_vector_get(MPI_COMM_WORLD, none, DAP_READ, NULL, &vector, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG,
                    "this process is in dap_petsc_matrix_get, rank 0 in dap_petsc_vector_get");
  EXPECT(!VecCreateMPI(MPI_COMM_WORLD, 3, PETSC_DECIDE, &vec));
  EXPECT(!MatCreateDense(MPI_COMM_WORLD, 3, 3, PETSC_DECIDE, PETSC_DECIDE, NULL, &mat));
  s = last ? dap_petsc_matrix_import(mat, &array, &layout, &err)
           : dap_petsc_vector_import(vec, &array, &layout, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG,
                    "this process is in dap_petsc_matrix_import, rank 0 in dap_petsc_vector_import");
  EXPECT(!VecDestroy(&vec) && !MatDestroy(&mat));
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
  const dap_status s =
      dap_petsc_vector_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ, NULL, &view, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_RANGE, "more than PetscInt counts, 2147483647");
  dap_layout_destroy(&layout);
  SETTLE();
}
#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_is_initialised),    cmocka_unit_test(refuses),
    cmocka_unit_test(refuses_no_communicator), cmocka_unit_test(names_other_functions),
#if !defined(PETSC_USE_64BIT_INDICES)
    cmocka_unit_test(refuses_too_many),
#endif
    cmocka_unit_test(petsc_is_finalised),
};

MPI_TEST_MAIN(tests)
