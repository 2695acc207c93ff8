/* Passes wrong arguments to the calls that get a field, a vector or a matrix, on all processes or on one.
 * Every process must get the same status and text, and an empty view. PETSc must hold no more than
 * before. */
#include "any_view.h"
#include "mpi_test.h"

/* The rows of the array are spread over the processes. */
enum { ROWS = 24, COLUMNS = 6, ITEM = sizeof(PetscScalar) };

/* The arguments of a call. */
typedef struct request {
  MPI_Comm comm;
  dap_layout *layout;
  dap_layout *other; /* another layout of the same processes and extents */
  dap_array array;   /* the layout of an array in C order */
  dap_access access;
  dap_sharing sharing;
  dap_petsc_field_options field;
  dap_petsc_vector_options vector;
  dap_petsc_matrix_options matrix;
  bool nowhere; /* NULL is passed instead of the view */
} request;

/* A member of the request, and the number that it is set to. A pointer is set to NULL. */
typedef struct change {
  size_t offset, size;
  int64_t number;
} change;

#define SET(member, number)                                                                                  \
  {                                                                                                          \
    offsetof(request, member), sizeof(((request *)0)->member), (number)                                      \
  }

typedef struct refusal {
  const char *why;
  bool last_only; /* only the last process is wrong */
  int ranks;      /* the test needs at least this many processes */
  change set[2];
  dap_status status;
  const char *parts;
  void (*change)(request *r); /* or NULL */
} refusal;

static request make(void)
{
  request r = {.comm = MPI_COMM_WORLD, .access = DAP_READ_WRITE};
  dap_error err;
  dap_dist dist[] = {dap_dist_even(ROWS, test_nprocs()), dap_dist_even(COLUMNS, 1)};
  EXPECT_OK(dap_layout_create(2, dist, &r.layout, &err), &err);
  EXPECT_OK(dap_array_init(&r.array, r.layout, test_rank(), scalar_dtype(), DAP_ORDER_C, NULL, &err), &err);
  dist[0].boundary[0] = 1;
  EXPECT_OK(dap_layout_create(2, dist, &r.other, &err), &err);
  return r;
}

static void drop(request *r)
{
  dap_array_release(&r->array);
  dap_layout_destroy(&r->layout);
  dap_layout_destroy(&r->other);
}

/* ---- rows -------------------------------------------------------------------------------------------- */

static void other_layout(request *r)
{
  r->layout = r->other;
}

static void misaligned(request *r)
{
  r->array.data = (char *)r->array.data + 4;
}

static void other_comm(request *r)
{
  r->comm = MPI_COMM_SELF;
}

/* clang-format off */
static const refusal all[] = {
  {"no layout", false, 1, {SET(layout, 0)}, DAP_ERR_ARG, .parts = "layout|NULL"},
  {"no layout on one process", true, 2, {SET(layout, 0)}, DAP_ERR_ARG, .parts = "layout|NULL"},
  {"nowhere to put the view on one process", true, 1, {SET(nowhere, true)}, DAP_ERR_ARG, .parts = "is NULL"},
  {"no access", true, 1, {SET(access, 0)}, DAP_ERR_ARG, .parts = "access is 0"},
  {"an access that is none", true, 1, {SET(access, 4)}, DAP_ERR_ARG, .parts = "access is 4"},
  {"a sharing that is none", true, 1, {SET(sharing, 7)}, DAP_ERR_ARG, .parts = "options|sharing is 7"},
  {"an access of its own on one process", true, 2, {SET(access, DAP_READ)}, DAP_ERR_ARG,
   .parts = "not the same|access"},
  {"a layout of its own on one process", true, 2, {SET(nowhere, false)}, DAP_ERR_ARG,
   .parts = "not the same|layout",
   other_layout},
  {"elements of another type", true, 1, {SET(array.dtype, DAP_I4)}, DAP_ERR_BUFFER,
   .parts = "int32|PetscScalar"},
  {"a buffer of another extent", true, 1, {SET(array.shape[1], COLUMNS + 1)}, DAP_ERR_BUFFER,
   .parts = "axis 1|7|6"},
  {"a buffer of another dimension", true, 1, {SET(array.ndim, 1)}, DAP_ERR_BUFFER, .parts = "ndim is 1|2"},
  {"no data", true, 1, {SET(array.data, 0)}, DAP_ERR_BUFFER, .parts = "data|NULL"},
  {"writing to a read-only buffer", true, 1, {SET(array.readonly, true)}, DAP_ERR_BUFFER,
   .parts = "read-only|rule 19"},
  {"writing to a repeated element", true, 1, {SET(array.strides[1], 0)}, DAP_ERR_BUFFER,
   .parts = "stride|rule 19"},
  {"to share a misaligned buffer", false, 1, {SET(sharing, DAP_SHARE_OR_FAIL)}, DAP_ERR_SHARE,
   .parts = "aligned",
   misaligned},
};

/* Makes the stride from row to row larger than a row. */
#define WINDOW SET(array.strides[0], (COLUMNS + 1) * ITEM)

static const refusal fields[] = {
  {"vectors that are none", false, 1, {SET(field.vectors, 4)}, DAP_ERR_ARG, .parts = "vectors 4"},
  {"negative width", true, 1, {SET(field.width, -1)}, DAP_ERR_ARG, .parts = "width -1"},
  {"width beyond PetscInt", false, 1, {SET(field.width, INT64_MAX)}, DAP_ERR_RANGE, .parts = "PetscInt"},
  {"a boundary that is no choice", false, 1, {SET(field.boundary, DM_BOUNDARY_MIRROR)}, DAP_ERR_ARG,
   .parts = "boundary"},
  {"a width of its own on one process", true, 2, {SET(field.width, 1)}, DAP_ERR_ARG, .parts = "not the same"},
  {"a stencil wider than the grid", false, 2, {SET(field.width, ROWS + 1)}, DAP_ERR_UNSUPPORTED,
   .parts = "24 x 6|width 25"},
  {"to share a window, one process has one", true, 2, {SET(sharing, DAP_SHARE_OR_FAIL), WINDOW}, DAP_ERR_ARG,
   .parts = "not the same"},
  {"to share a window", false, 1, {SET(sharing, DAP_SHARE_OR_FAIL), WINDOW}, DAP_ERR_SHARE,
   .parts = "contiguous"},
  {"to share a narrower halo", false, 2, {SET(sharing, DAP_SHARE_OR_FAIL), SET(field.width, 2)},
   DAP_ERR_SHARE,
   .parts = "padding 0|2 ghost"},
};

static const refusal vectors[] = {
  {"an order that is none", true, 1, {SET(vector.order, 'A')}, DAP_ERR_ARG, .parts = "options|order is 65"},
  {"a negative block size", false, 1, {SET(vector.block_size, -2)}, DAP_ERR_ARG, .parts = "block_size is -2"},
  {"a block size that does not divide", false, 1, {SET(vector.block_size, 7)}, DAP_ERR_UNSUPPORTED,
   .parts = "144 elements|size 7"},
#if !defined(PETSC_USE_64BIT_INDICES)
  {"a block size beyond PetscInt", false, 1, {SET(vector.block_size, INT64_MAX)}, DAP_ERR_RANGE,
   .parts = "PetscInt"},
#endif
  {"orders that differ", true, 2, {SET(vector.order, DAP_ORDER_F)}, DAP_ERR_ARG, .parts = "options: order"},
  {"natural on one process", true, 2, {SET(vector.natural, true)}, DAP_ERR_ARG, .parts = "options: natural"},
  {"block sizes that differ", true, 2, {SET(vector.block_size, COLUMNS)}, DAP_ERR_ARG,
   .parts = "options: block_size"},
  {"a communicator of another size", false, 2, {SET(nowhere, false)}, DAP_ERR_ARG,
   .parts = "communicator 1", other_comm},
  {"a window that must be shared", false, 1, {SET(sharing, DAP_SHARE_OR_FAIL), WINDOW}, DAP_ERR_SHARE,
   .parts = "axis 0|not contiguous|C order"},
  {"an order that must be shared", false, 1,
   {SET(sharing, DAP_SHARE_OR_FAIL), SET(vector.order, DAP_ORDER_F)},
   DAP_ERR_SHARE, .parts = "F order"},
};

#define READ_SHARED {SET(sharing, DAP_SHARE_OR_FAIL), SET(access, DAP_READ)}

static void repeated_rows(request *r)
{
  r->array.strides[0] = 0;
}

static void odd_stride(request *r)
{
  r->array.strides[0] += 4;
}

static const refusal matrices[] = {
  {"a form that is none", true, 1, {SET(matrix.form, 3)}, DAP_ERR_ARG, .parts = "options|form is 3"},
  {"a block size that is none", true, 1, {SET(matrix.block_size[1], -1)}, DAP_ERR_ARG,
   .parts = "block_size[1] is -1"},
  {"a form of its own on one process", true, 2, {SET(matrix.form, DAP_PETSC_DENSE)}, DAP_ERR_ARG,
   .parts = "not the same|form"},
  {"a block size of its own on one process", true, 2, {SET(matrix.block_size[0], 5)}, DAP_ERR_ARG,
   .parts = "not the same|block_size[0]"},
  {"C order as MATDENSE", false, 1, {SET(sharing, DAP_SHARE_OR_FAIL), SET(matrix.form, DAP_PETSC_DENSE)},
   DAP_ERR_SHARE, .parts = "axis 0|not contiguous"},
  {"to share repeated rows", false, 1, READ_SHARED, DAP_ERR_SHARE, .parts = "not contiguous", repeated_rows},
  {"to share rows with odd distances", false, 1, READ_SHARED, DAP_ERR_SHARE, .parts = "leading dimension",
   odd_stride},
  {"to share a MATSCALAPACK", false, 1,
   {SET(sharing, DAP_SHARE_OR_FAIL), SET(matrix.form, DAP_PETSC_SCALAPACK)}, DAP_ERR_SHARE,
   .parts = "owns its memory"},
};
/* clang-format on */

/* ---- one row ----------------------------------------------------------------------------------------- */

static void apply(request *r, const change *c)
{
  char *at = (char *)r + c->offset;
  const int32_t number = (int32_t)c->number;
  if (c->size == sizeof(bool)) *(bool *)(void *)at = c->number != 0;
  if (c->size == sizeof number) memcpy(at, &number, sizeof number);
  if (c->size == sizeof c->number) memcpy(at, &c->number, sizeof c->number);
}

/* Makes the call, which must fail and leave an empty view. */
static dap_status get(any_kind kind, const request *r, dap_error *err)
{
  const dap_darray array = {r->layout, &r->array};
  any_view v = {.kind = kind, .of_field = r->field, .of_vector = r->vector, .of_matrix = r->matrix};
  any_share(&v, r->sharing);
  if (r->nowhere && kind == VECTOR)
    return dap_petsc_vector_get(r->comm, array, r->access, &v.of_vector, NULL, err);
  if (r->nowhere && kind == MATRIX)
    return dap_petsc_matrix_get(r->comm, array, r->access, &v.of_matrix, NULL, err);
  if (r->nowhere) return dap_petsc_field_get(r->comm, array, r->access, &v.of_field, NULL, err);
  if (kind == FIELD) memset(&v.field, 0x5a, sizeof v.field);
  if (kind == VECTOR) memset(&v.vector, 0x5a, sizeof v.vector);
  if (kind == MATRIX) memset(&v.matrix, 0x5a, sizeof v.matrix);
  const dap_status s = any_get(r->comm, &v, array, r->access, err);
  EXPECT(!any_is_live(&v) && !any_is_shared(&v) && !any_moved(&v));
  EXPECT(!v.field.reason_global[0] && !v.field.reason_local[0]);
  EXPECT(!v.vector.reason[0] && !v.matrix.reason[0]);
  EXPECT_OK(any_do(&v, RESTORE, NULL), NULL);
  return s;
}

/* Makes the call with and without a dap_error. */
static void check(any_kind kind, const refusal *row)
{
  request r = make(), wrong = r;
  dap_error err = {.rank = -1};
  PetscLogDouble before = 0, after = 0;
  TEST_CASE("%s: %s", any_names[kind], row->why);
  if (!row->last_only || test_rank() == test_nprocs() - 1) {
    for (int i = 0; i < 2; i++) apply(&wrong, &row->set[i]);
    if (row->change) row->change(&wrong);
  }
  expect_same_error(wrong.comm, get(kind, &wrong, &err), &err, row->status, row->parts);
  EXPECT(!PetscMallocGetCurrentUsage(&before));
  EXPECT_INT(get(kind, &wrong, NULL), row->status);
  EXPECT(!PetscMallocGetCurrentUsage(&after));
  EXPECT_MSG(before == after, "PETSc holds %g bytes, not %g", after, before);
  drop(&r);
  SETTLE();
}

static void check_rows(any_kind kind, const refusal rows[], size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (test_nprocs() >= rows[i].ranks) check(kind, &rows[i]);
}

static void wrong_arguments(void **state)
{
  (void)state;
  for (any_kind kind = FIELD; kind < KINDS; kind++) check_rows(kind, all, sizeof all / sizeof all[0]);
  check_rows(FIELD, fields, sizeof fields / sizeof fields[0]);
  check_rows(VECTOR, vectors, sizeof vectors / sizeof vectors[0]);
  check_rows(MATRIX, matrices, sizeof matrices / sizeof matrices[0]);
}

/* ---- other functions, no communicator ---------------------------------------------------------------- */

/* One process gets or imports a matrix while the others get or import a vector. */
static void names_other_functions(void **state)
{
  (void)state;
  const bool last = test_rank() > 0 && test_rank() == test_nprocs() - 1;
  any_view v = {.kind = last ? MATRIX : VECTOR};
  dap_array array;
  dap_layout *layout;
  dap_error err;
  Vec vec;
  Mat mat;
  dap_status s = any_get(MPI_COMM_NULL, &v, (dap_darray){NULL, NULL}, DAP_READ, &err);
  EXPECT_FAIL(s, DAP_ERR_ARG, &err, "MPI_COMM_NULL");
  if (test_nprocs() == 1) return;
  s = any_get(MPI_COMM_WORLD, &v, (dap_darray){NULL, NULL}, DAP_READ, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "dap_petsc_matrix_get|rank 0|dap_petsc_vector_get");
  EXPECT(!VecCreateMPI(MPI_COMM_WORLD, 3, PETSC_DECIDE, &vec));
  EXPECT(!MatCreateDense(MPI_COMM_WORLD, 3, 3, PETSC_DECIDE, PETSC_DECIDE, NULL, &mat));
  s = last ? dap_petsc_matrix_import(mat, &array, &layout, &err)
           : dap_petsc_vector_import(vec, &array, &layout, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG,
                    "dap_petsc_matrix_import|rank 0|dap_petsc_vector_import");
  EXPECT(!VecDestroy(&vec) && !MatDestroy(&mat));
  SETTLE();
}

/* ---- PETSc's own errors ------------------------------------------------------------------------------ */

/* Sets an option that PETSc refuses when it makes the matrix. */
static void tells_what_petsc_says(void **state)
{
  (void)state;
  request r = make();
  any_view v = {.kind = MATRIX, .of_matrix = {.form = DAP_PETSC_SCALAPACK}};
  dap_error err;
  EXPECT(!PetscOptionsSetValue(NULL, "-mat_scalapack_grid_height", "7"));
  test_ignore_leaks(true);
  const dap_status s = any_get(MPI_COMM_WORLD, &v, (dap_darray){r.layout, &r.array}, r.access, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_LIBRARY, "making the matrix|PETSc error|Grid Height 7");
  test_ignore_leaks(false);
  EXPECT(!PetscOptionsClearValue(NULL, "-mat_scalapack_grid_height"));
  drop(&r);
  SETTLE();
}

/* One process has set a value that was never assembled. PETSc would wait for it. */
static void wants_assembled_ones(void **state)
{
  (void)state;
  dap_error err;
  for (int form = DAP_PETSC_DENSE; form <= DAP_PETSC_SCALAPACK; form++) {
    request r = make();
    any_view v = {.kind = MATRIX, .of_matrix = {.form = (dap_petsc_form)form}};
    TEST_CASE("form %d", form);
    dap_status s = any_get(MPI_COMM_WORLD, &v, (dap_darray){r.layout, &r.array}, r.access, &err);
    EXPECT_OK(s, &err);
    /* MATSCALAPACK notices only values for another process. */
    if (form == DAP_PETSC_DENSE || test_nprocs() > 1) {
      const bool last = test_rank() == test_nprocs() - 1;
      if (last && !s) EXPECT(!MatSetValue(v.matrix.mat, 0, 0, 5, INSERT_VALUES));
      s = any_do(&v, RESTORE, &err);
      expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_ARG, "not assembled");
    }
    EXPECT_OK(any_do(&v, RESTORE, &err), &err);
    drop(&r);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts_watched),  cmocka_unit_test(wrong_arguments),
    cmocka_unit_test(names_other_functions), cmocka_unit_test(tells_what_petsc_says),
    cmocka_unit_test(wants_assembled_ones),  cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
