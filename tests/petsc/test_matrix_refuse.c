/* Wrong arguments of dap_petsc_matrix_get(), on all processes or on one, and PETSc's end: the same status and text
 * everywhere. */
#include "matrix_check.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

/* For what PETSc loses when it fails, or ends too early. */
static void ignore_leaks(bool ignore)
{
#if defined(__SANITIZE_ADDRESS__)
  if (ignore) __lsan_disable();
  if (!ignore) __lsan_enable();
#endif
  (void)ignore;
}

enum { ROWS = 24, COLUMNS = 6 };

/* What is handed over. */
typedef struct request {
  dap_layout *layout;
  dap_layout *other; /* of the same processes and local extents, or of another kind */
  dap_array array;
  dap_access access;
  dap_petsc_matrix_options options;
  dap_petsc_matrix matrix, *to;
} request;

static void no_layout(request *r)
{
  r->layout = NULL;
}
static void no_matrix(request *r)
{
  r->to = NULL;
}
static void bad_access(request *r)
{
  r->access = (dap_access)4;
}
static void bad_sharing(request *r)
{
  r->options.sharing = (dap_sharing)7;
}
static void bad_form(request *r)
{
  r->options.form = (dap_petsc_form)3;
}
static void bad_block(request *r)
{
  r->options.block_size[1] = -1;
}
static void other_form(request *r)
{
  r->options.form = DAP_PETSC_DENSE;
}
static void other_access(request *r)
{
  r->access = DAP_READ;
}
static void other_block(request *r)
{
  r->options.block_size[0] = 5;
}
static void other_layout(request *r)
{
  r->layout = r->other;
}
static void bad_type(request *r)
{
  r->array.dtype = DAP_I4;
}
static void bad_extent(request *r)
{
  r->array.shape[1]++;
}
static void bad_ndim(request *r)
{
  r->array.ndim = 1;
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
static void must_be_dense(request *r)
{
  r->options.form = DAP_PETSC_DENSE;
  r->options.sharing = DAP_SHARE_OR_FAIL;
}
static void must_share(request *r)
{
  r->options.sharing = DAP_SHARE_OR_FAIL;
}
static void repeated_rows(request *r)
{
  must_share(r);
  r->access = DAP_READ;
  r->array.strides[0] = 0;
}
static void misaligned(request *r)
{
  must_share(r);
  r->array.data = (char *)r->array.data + 4;
}
static void odd_stride(request *r)
{
  must_share(r);
  r->access = DAP_READ;
  r->array.strides[0] += 4;
}
static void no_such_block(request *r)
{
  r->options.form = DAP_PETSC_SCALAPACK;
  must_share(r);
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
    {"nowhere to put the matrix on one process", no_matrix, true, 1, DAP_ERR_ARG, "matrix is NULL"},
    {"an access that is none", bad_access, true, 1, DAP_ERR_ARG, "dap_access"},
    {"a sharing that is none", bad_sharing, true, 1, DAP_ERR_ARG, "dap_sharing"},
    {"a form that is none", bad_form, true, 1, DAP_ERR_ARG, "dap_petsc_form"},
    {"a block size that is none", bad_block, true, 1, DAP_ERR_ARG, "block size -1"},
    {"a form of its own on one process", other_form, true, 2, DAP_ERR_ARG, "not the same|form"},
    {"an access of its own on one process", other_access, true, 2, DAP_ERR_ARG, "not the same|access"},
    {"a block size of its own on one process", other_block, true, 2, DAP_ERR_ARG,
     "not the same|block_size[0]"},
    {"a layout of its own on one process", other_layout, true, 2, DAP_ERR_ARG, "not the same|layout"},
    {"elements of another type", bad_type, true, 1, DAP_ERR_BUFFER, "int32|PetscScalar"},
    {"a buffer of another extent", bad_extent, true, 1, DAP_ERR_BUFFER, "dim 1|7|6"},
    {"a buffer of another dimension", bad_ndim, true, 1, DAP_ERR_BUFFER, "1 dimensions|2"},
    {"no data", no_data, true, 1, DAP_ERR_BUFFER, "data is NULL"},
    {"writing to a read-only buffer", readonly, true, 1, DAP_ERR_BUFFER, "read-only|(rule 19)"},
    {"writing to a repeated element", repeats, true, 1, DAP_ERR_BUFFER, "zero stride|(rule 19)"},
    {"C order as MATDENSE", must_be_dense, false, 1, DAP_ERR_SHARE, "cannot share|dim 0 is not contiguous"},
    {"to share repeated rows", repeated_rows, false, 1, DAP_ERR_SHARE, "not contiguous"},
    {"to share a misaligned buffer", misaligned, false, 1, DAP_ERR_SHARE, "aligned"},
    {"to share rows with odd distances", odd_stride, false, 1, DAP_ERR_SHARE, "no leading dimension"},
    {"to share a MATSCALAPACK", no_such_block, false, 1, DAP_ERR_SHARE, "owns its memory"},
};

static void make_request(request *r)
{
  dap_error err;
  const int procs = test_nprocs();
  const dap_dist rows[] = {dap_dist_even(ROWS, procs), dap_dist_even(COLUMNS, 1)};
  dap_dist padded[] = {dap_dist_even(ROWS, procs), dap_dist_even(COLUMNS, 1)};
  padded[0].boundary[0] = 1;
  *r = (request){.access = DAP_READ_WRITE};
  r->to = &r->matrix;
  EXPECT_OK(dap_layout_create(2, rows, &r->layout, &err), &err);
  EXPECT_OK(dap_layout_create(2, padded, &r->other, &err), &err);
  EXPECT_OK(dap_array_init(&r->array, r->layout, test_rank(), scalar_dtype(), DAP_ORDER_C, NULL, &err), &err);
}

static void check_refusal(const refusal *row)
{
  request r;
  dap_error err = {.rank = -1};
  make_request(&r);
  dap_layout *const layout = r.layout;
  const dap_array array = r.array;
  memset(&r.matrix, 0x5a, sizeof r.matrix);
  if (!row->last_only || test_rank() == test_nprocs() - 1) row->change(&r);
  dap_status s = dap_petsc_matrix_get(MPI_COMM_WORLD, r.layout, &r.array, r.access, &r.options, r.to, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, row->status, row->parts);
  if (r.to) EXPECT(!r.matrix.state && !r.matrix.mat && !r.matrix.shared && !r.matrix.reason[0]);
  s = dap_petsc_matrix_get(MPI_COMM_WORLD, r.layout, &r.array, r.access, &r.options, r.to, NULL);
  EXPECT_INT(s, row->status);
  r.array = array;
  r.layout = layout;
  dap_array_release(&r.array);
  dap_layout_destroy(&r.layout);
  dap_layout_destroy(&r.other);
}

static void wrong_arguments(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    if (test_nprocs() < refusals[i].ranks) continue;
    TEST_CASE("%s", refusals[i].why);
    check_refusal(&refusals[i]);
    SETTLE();
  }
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
    {"a vector", 1, {9}, DAP_PETSC_ANY, 1, DAP_ERR_UNSUPPORTED, "1 dimensions"},
    {"three axes", 3, {9, 3, 2}, DAP_PETSC_ANY, 1, DAP_ERR_UNSUPPORTED, "3 dimensions"},
    {"more rows than BLAS counts",
     2,
     {INT64_C(1) << 33, 0},
     DAP_PETSC_ANY,
     1,
     DAP_ERR_RANGE,
     "dim 0|8589934592"},
    {"more columns than BLAS counts",
     2,
     {0, INT64_C(1) << 33},
     DAP_PETSC_ANY,
     1,
     DAP_ERR_RANGE,
     "dim 1|8589934592"},
    {"too few rows for MATSCALAPACK",
     2,
     {1, 12},
     DAP_PETSC_SCALAPACK,
     3,
     DAP_ERR_UNSUPPORTED,
     "dim 0|spread 1 "},
    {"too few columns for MATSCALAPACK",
     2,
     {12, 1},
     DAP_PETSC_SCALAPACK,
     3,
     DAP_ERR_UNSUPPORTED,
     "dim 1|spread 1 "},
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
        dap_petsc_matrix_get(MPI_COMM_WORLD, layout, &array, DAP_READ, &options, &matrix, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, row->status, row->parts);
    dap_array_release(&array);
    dap_layout_destroy(&layout);
    SETTLE();
  }
}

/* ---- PETSc's own errors, and its end -------------------------------------------------------------------- */

/* An option that PETSc refuses when it makes the matrix. */
static void tells_what_petsc_says(void **state)
{
  (void)state;
  request r;
  dap_error err;
  make_request(&r);
  r.options.form = DAP_PETSC_SCALAPACK;
  EXPECT(!PetscOptionsSetValue(NULL, "-mat_scalapack_grid_height", "7"));
  ignore_leaks(true);
  const dap_status s =
      dap_petsc_matrix_get(MPI_COMM_WORLD, r.layout, &r.array, r.access, &r.options, r.to, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_LIBRARY, "making the matrix|PETSc error|Grid Height 7");
  ignore_leaks(false);
  EXPECT(!PetscOptionsClearValue(NULL, "-mat_scalapack_grid_height"));
  dap_array_release(&r.array);
  dap_layout_destroy(&r.layout);
  dap_layout_destroy(&r.other);
  SETTLE();
}

/* One process has set a value that was never assembled; PETSc would wait for it. */
static void wants_assembled_ones(void **state)
{
  (void)state;
  request r;
  dap_error err;
  for (int form = DAP_PETSC_DENSE; form <= DAP_PETSC_SCALAPACK; form++) {
    TEST_CASE("form %d", form);
    make_request(&r);
    r.options.form = (dap_petsc_form)form;
    dap_status s = dap_petsc_matrix_get(MPI_COMM_WORLD, r.layout, &r.array, r.access, &r.options, r.to, &err);
    EXPECT_OK(s, &err);
    /* MATSCALAPACK takes notice only of values for another process. */
    if (form == DAP_PETSC_DENSE || test_nprocs() > 1) {
      const bool last = test_rank() == test_nprocs() - 1;
      if (last && !s) EXPECT(!MatSetValue(r.matrix.mat, 0, 0, 5, INSERT_VALUES));
      s = dap_petsc_matrix_restore(&r.matrix, &err);
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "not assembled");
    }
    EXPECT_OK(dap_petsc_matrix_restore(&r.matrix, &err), &err);
    dap_array_release(&r.array);
    dap_layout_destroy(&r.layout);
    dap_layout_destroy(&r.other);
    SETTLE();
  }
}

/* Must be the last test: the matrix is still there when PETSc goes. */
static void knows_that_petsc_is_over(void **state)
{
  (void)state;
  request r;
  dap_error err;
  make_request(&r);
  ignore_leaks(true);
  EXPECT_OK(dap_petsc_matrix_get(MPI_COMM_WORLD, r.layout, &r.array, DAP_READ_WRITE, NULL, &r.matrix, &err),
            &err);
  EXPECT(!PetscFinalize());
  ignore_leaks(false);
  dap_status s = dap_petsc_matrix_restore(&r.matrix, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_LIBRARY, "finalised");
  EXPECT(!r.matrix.mat && !r.matrix.state);
  s = dap_petsc_matrix_get(MPI_COMM_WORLD, r.layout, &r.array, DAP_READ, NULL, &r.matrix, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_LIBRARY, "finalised");
  dap_array_release(&r.array);
  dap_layout_destroy(&r.layout);
  dap_layout_destroy(&r.other);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(wrong_arguments),          cmocka_unit_test(wrong_layouts),
    cmocka_unit_test(tells_what_petsc_says),    cmocka_unit_test(wants_assembled_ones),
    cmocka_unit_test(knows_that_petsc_is_over),
};

MPI_TEST_MAIN(tests)
