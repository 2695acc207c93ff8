/* Wrong arguments of dap_petsc_matrix_get(), on all processes or on one, and PETSc's end: the same status and
 * text everywhere. */
#include "matrix_check.h"
#include "requests.h"

static void bad_form(request *r)
{
  r->matrix.form = (dap_petsc_form)3;
}
static void bad_block(request *r)
{
  r->matrix.block_size[1] = -1;
}
static void other_form(request *r)
{
  r->matrix.form = DAP_PETSC_DENSE;
}
static void other_block(request *r)
{
  r->matrix.block_size[0] = 5;
}
static void must_be_dense(request *r)
{
  r->matrix.form = DAP_PETSC_DENSE;
  share(r);
}
static void repeated_rows(request *r)
{
  share(r);
  r->access = DAP_READ;
  r->array.strides[0] = 0;
}
static void odd_stride(request *r)
{
  share(r);
  r->access = DAP_READ;
  r->array.strides[0] += 4;
}
static void no_such_block(request *r)
{
  r->matrix.form = DAP_PETSC_SCALAPACK;
  share(r);
}

static const refusal refusals[] = {
    {"nowhere to put the matrix on one process", no_view, true, 1, DAP_ERR_ARG, "matrix is NULL"},
    {"a form that is none", bad_form, true, 1, DAP_ERR_ARG, "options: form is 3, not one of its values"},
    {"a block size that is none", bad_block, true, 1, DAP_ERR_ARG, "options: block_size[1] is -1"},
    {"a form of its own on one process", other_form, true, 2, DAP_ERR_ARG, "not the same|form"},
    {"a block size of its own on one process", other_block, true, 2, DAP_ERR_ARG,
     "not the same|block_size[0]"},
    {"C order as MATDENSE", must_be_dense, false, 1, DAP_ERR_SHARE, "cannot share|axis 0 is not contiguous"},
    {"to share repeated rows", repeated_rows, false, 1, DAP_ERR_SHARE, "not contiguous"},
    {"to share rows with odd distances", odd_stride, false, 1, DAP_ERR_SHARE, "no leading dimension"},
    {"to share a MATSCALAPACK", no_such_block, false, 1, DAP_ERR_SHARE, "owns its memory"},
};

static dap_status get(const request *r, dap_error *err)
{
  dap_petsc_matrix_options options = r->matrix;
  dap_petsc_matrix matrix;
  options.sharing = r->sharing;
  memset(&matrix, 0x5a, sizeof matrix);
  const dap_status s = dap_petsc_matrix_get(r->comm, (dap_darray){r->layout, &r->array}, r->access, &options,
                                            r->nowhere ? NULL : &matrix, err);
  if (!r->nowhere) EXPECT(!matrix.handle.view && !matrix.mat && !matrix.shared && !matrix.reason[0]);
  return s;
}

static void wrong_arguments(void **state)
{
  (void)state;
  check_refusals(get, refusals, sizeof refusals / sizeof refusals[0]);
}

/* ---- layouts ------------------------------------------------------------------------------------------ */

typedef struct layout_row {
  const char *why;
  int ndim;
  int64_t size[3];
  dap_petsc_form form;
  int ranks; /* at least so many */
  dap_status status;
  const char *parts;
} layout_row;

static const layout_row layouts[] = {
    {"a vector", 1, {9}, DAP_PETSC_ANY, 1, DAP_ERR_UNSUPPORTED, "ndim is 1"},
    {"three axes", 3, {9, 3, 2}, DAP_PETSC_ANY, 1, DAP_ERR_UNSUPPORTED, "ndim is 3"},
    {"more rows than BLAS counts",
     2,
     {INT64_C(1) << 33, 0},
     DAP_PETSC_ANY,
     1,
     DAP_ERR_RANGE,
     "axis 0|8589934592"},
    {"more columns than BLAS counts",
     2,
     {0, INT64_C(1) << 33},
     DAP_PETSC_ANY,
     1,
     DAP_ERR_RANGE,
     "axis 1|8589934592"},
    {"too few rows for MATSCALAPACK",
     2,
     {1, 12},
     DAP_PETSC_SCALAPACK,
     3,
     DAP_ERR_UNSUPPORTED,
     "axis 0|spread 1 "},
    {"too few columns for MATSCALAPACK",
     2,
     {12, 1},
     DAP_PETSC_SCALAPACK,
     3,
     DAP_ERR_UNSUPPORTED,
     "axis 1|spread 1 "},
};

static void wrong_layouts(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
    const layout_row *row = &layouts[i];
    if (test_nprocs() < row->ranks) continue;
    TEST_CASE("%s", row->why);
    dap_layout *layout;
    dap_array array;
    dap_petsc_matrix matrix;
    dap_error err;
    const dap_dist dist[] = {dap_dist_even(row->size[0], test_nprocs()), dap_dist_even(row->size[1], 1),
                             dap_dist_even(row->size[2], 1)};
    const dap_petsc_matrix_options options = {.form = row->form};
    EXPECT_OK(dap_layout_create(row->ndim, dist, &layout, &err), &err);
    EXPECT_OK(dap_array_init(&array, layout, test_rank(), scalar_dtype(), DAP_ORDER_C, NULL, &err), &err);
    const dap_status s =
        dap_petsc_matrix_get(MPI_COMM_WORLD, (dap_darray){layout, &array}, DAP_READ, &options, &matrix, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, row->status, row->parts);
    dap_array_release(&array);
    dap_layout_destroy(&layout);
    SETTLE();
  }
}

/* ---- PETSc's own errors, and its end ----------------------------------------------------------------- */

/* An option that PETSc refuses when it makes the matrix. */
static void tells_what_petsc_says(void **state)
{
  (void)state;
  request r = request_make();
  dap_petsc_matrix matrix;
  dap_error err;
  r.matrix.form = DAP_PETSC_SCALAPACK;
  EXPECT(!PetscOptionsSetValue(NULL, "-mat_scalapack_grid_height", "7"));
  test_ignore_leaks(true);
  const dap_status s = dap_petsc_matrix_get(MPI_COMM_WORLD, (dap_darray){r.layout, &r.array}, r.access,
                                            &r.matrix, &matrix, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_LIBRARY, "making the matrix|PETSc error|Grid Height 7");
  test_ignore_leaks(false);
  EXPECT(!PetscOptionsClearValue(NULL, "-mat_scalapack_grid_height"));
  request_free(&r);
  SETTLE();
}

/* One process has set a value that was never assembled; PETSc would wait for it. */
static void wants_assembled_ones(void **state)
{
  (void)state;
  dap_petsc_matrix matrix;
  dap_error err;
  for (int form = DAP_PETSC_DENSE; form <= DAP_PETSC_SCALAPACK; form++) {
    TEST_CASE("form %d", form);
    request r = request_make();
    r.matrix.form = (dap_petsc_form)form;
    dap_status s = dap_petsc_matrix_get(MPI_COMM_WORLD, (dap_darray){r.layout, &r.array}, r.access, &r.matrix,
                                        &matrix, &err);
    EXPECT_OK(s, &err);
    /* MATSCALAPACK takes notice only of values for another process. */
    if (form == DAP_PETSC_DENSE || test_nprocs() > 1) {
      const bool last = test_rank() == test_nprocs() - 1;
      if (last && !s) EXPECT(!MatSetValue(matrix.mat, 0, 0, 5, INSERT_VALUES));
      s = dap_petsc_matrix_restore(&matrix, &err);
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "not assembled");
    }
    EXPECT_OK(dap_petsc_matrix_restore(&matrix, &err), &err);
    request_free(&r);
    SETTLE();
  }
}

/* Must be the last test: the matrix is still there when PETSc goes. */
static void knows_that_petsc_is_over(void **state)
{
  (void)state;
  request r = request_make();
  dap_petsc_matrix matrix;
  dap_error err;
  test_ignore_leaks(true);
  EXPECT_OK(dap_petsc_matrix_get(MPI_COMM_WORLD, (dap_darray){r.layout, &r.array}, DAP_READ_WRITE, NULL,
                                 &matrix, &err),
            &err);
  EXPECT(!PetscFinalize());
  test_ignore_leaks(false);
  EXPECT_FAIL(dap_petsc_matrix_restore(&matrix, &err), DAP_ERR_LIBRARY, &err, "PETSc has been finalised");
  EXPECT(!matrix.mat && !matrix.handle.view);
  const dap_status s =
      dap_petsc_matrix_get(MPI_COMM_WORLD, (dap_darray){r.layout, &r.array}, DAP_READ, NULL, &matrix, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_LIBRARY, "finalised");
  request_free(&r);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_is_initialised), cmocka_unit_test(wrong_arguments),
    cmocka_unit_test(wrong_layouts),        cmocka_unit_test(tells_what_petsc_says),
    cmocka_unit_test(wants_assembled_ones), cmocka_unit_test(knows_that_petsc_is_over),
};

MPI_TEST_MAIN(tests)
