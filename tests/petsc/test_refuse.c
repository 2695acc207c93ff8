/* Wrong arguments of dap_petsc_field_get(), on all processes or on one: the same status and text everywhere. */
#include "field_test.h"

/* What is handed over. */
typedef struct request {
  dap_layout *layout;
  dap_layout *other; /* of the same processes and local extents, or of another kind */
  dap_array array;
  dap_access access;
  dap_petsc_options options;
  dap_petsc_field field, *to;
} request;

enum { ROWS = 24, COLUMNS = 6 };

static void no_layout(request *r)
{
  r->layout = NULL;
}
static void no_field(request *r)
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
static void bad_vectors(request *r)
{
  r->options.vectors = 4;
}
static void bad_width(request *r)
{
  r->options.width = -1;
}
static void huge_width(request *r)
{
  r->options.width = INT64_MAX;
}
static void bad_boundary(request *r)
{
  r->options.boundary = DM_BOUNDARY_MIRROR;
}
static void other_width(request *r)
{
  r->options.width = 1;
}
static void other_access(request *r)
{
  r->access = DAP_READ;
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
static void too_wide(request *r)
{
  r->options.width = ROWS + 1;
}
static void window(request *r)
{
  r->array.strides[0] += (int64_t)sizeof(PetscScalar);
  r->options.sharing = DAP_SHARE_OR_FAIL;
}
static void share_wider(request *r)
{
  r->options.sharing = DAP_SHARE_OR_FAIL;
  r->options.width = 2;
}
static void share_misaligned(request *r)
{
  r->array.data = (char *)r->array.data + 4;
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
    {"nowhere to put the field on one process", no_field, true, 1, DAP_ERR_ARG, "field is NULL"},
    {"an access that is none", bad_access, true, 1, DAP_ERR_ARG, "dap_access"},
    {"a sharing that is none", bad_sharing, true, 1, DAP_ERR_ARG, "dap_sharing"},
    {"vectors that are none", bad_vectors, false, 1, DAP_ERR_ARG, "vectors 4"},
    {"negative width", bad_width, true, 1, DAP_ERR_ARG, "width -1"},
    {"width beyond PetscInt", huge_width, false, 1, DAP_ERR_RANGE, "PetscInt"},
    {"a boundary that is no choice", bad_boundary, false, 1, DAP_ERR_ARG, "boundary"},
    {"a width of its own on one process", other_width, true, 2, DAP_ERR_ARG, "not the same"},
    {"an access of its own on one process", other_access, true, 2, DAP_ERR_ARG, "not the same"},
    {"a layout of its own on one process", other_layout, true, 2, DAP_ERR_ARG, "not the same"},
    {"elements of another type", bad_type, true, 1, DAP_ERR_BUFFER, "int32|PetscScalar"},
    {"a buffer of another extent", bad_extent, true, 1, DAP_ERR_BUFFER, "dim 1|7|6"},
    {"a buffer of another dimension", bad_ndim, true, 1, DAP_ERR_BUFFER, "1 dimensions|2"},
    {"no data", no_data, true, 1, DAP_ERR_BUFFER, "data is NULL"},
    {"writing to a read-only buffer", readonly, true, 1, DAP_ERR_BUFFER, "read-only|(rule 19)"},
    {"writing to a repeated element", repeats, true, 1, DAP_ERR_BUFFER, "zero stride|(rule 19)"},
    {"a stencil wider than the grid", too_wide, false, 2, DAP_ERR_UNSUPPORTED, "24 x 6|width 25"},
    {"to share a window, one process has one", window, true, 2, DAP_ERR_ARG, "not the same"},
    {"to share a window", window, false, 1, DAP_ERR_SHARE, "contiguous"},
    {"to share a narrower halo", share_wider, false, 2, DAP_ERR_SHARE, "padding 0|2 ghost"},
    {"to share a misaligned buffer", share_misaligned, false, 1, DAP_ERR_SHARE, "aligned"},
};

static void make_request(request *r)
{
  dap_error err;
  const int procs = test_nprocs();
  const dap_dist rows[] = {dap_dist_even(ROWS, procs), dap_dist_even(COLUMNS, 1)};
  dap_dist padded[] = {dap_dist_even(ROWS, procs), dap_dist_even(COLUMNS, 1)};
  padded[0].boundary[0] = 1;
  padded[0].periodic = true;
  *r = (request){.access = DAP_READ_WRITE};
  r->to = &r->field;
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
  memset(&r.field, 0x5a, sizeof r.field);
  if (!row->last_only || test_rank() == test_nprocs() - 1) row->change(&r);
  dap_status s = dap_petsc_field_get(MPI_COMM_WORLD, r.layout, &r.array, r.access, &r.options, r.to, &err);
  expect_same_error(MPI_COMM_WORLD, s, &err, row->status, row->parts);
  if (r.to) EXPECT(!r.field.state && !r.field.dm && !r.field.global && !r.field.local);
  s = dap_petsc_field_get(MPI_COMM_WORLD, r.layout, &r.array, r.access, &r.options, r.to, NULL);
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

static const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_arguments)};

MPI_TEST_MAIN(tests)
