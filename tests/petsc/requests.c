#include "requests.h"

#include "field_test.h"

/* ---- a right one ------------------------------------------------------------------------------------- */

request request_make(void)
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

void request_free(request *r)
{
  dap_array_release(&r->array);
  dap_layout_destroy(&r->layout);
  dap_layout_destroy(&r->other);
}

/* ---- changes ----------------------------------------------------------------------------------------- */

static void no_layout(request *r)
{
  r->layout = NULL;
}
void no_view(request *r)
{
  r->nowhere = true;
}
static void no_access(request *r)
{
  r->access = (dap_access)0;
}
static void bad_access(request *r)
{
  r->access = (dap_access)4;
}
static void bad_sharing(request *r)
{
  r->sharing = (dap_sharing)7;
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
void share(request *r)
{
  r->sharing = DAP_SHARE_OR_FAIL;
}
static void share_misaligned(request *r)
{
  share(r);
  r->array.data = (char *)r->array.data + 4;
}
void share_window(request *r)
{
  share(r);
  r->array.strides[0] += (int64_t)sizeof(PetscScalar);
}

/* ---- refusals ---------------------------------------------------------------------------------------- */

static const refusal common[] = {
    {"no layout", no_layout, false, 1, DAP_ERR_ARG, "layout is NULL"},
    {"no layout on one process", no_layout, true, 2, DAP_ERR_ARG, "layout is NULL"},
    {"no access", no_access, true, 1, DAP_ERR_ARG, "access is 0, not one of its values"},
    {"an access that is none", bad_access, true, 1, DAP_ERR_ARG, "access is 4, not one of its values"},
    {"a sharing that is none", bad_sharing, true, 1, DAP_ERR_ARG,
     "options: sharing is 7, not one of its values"},
    {"an access of its own on one process", other_access, true, 2, DAP_ERR_ARG, "not the same|access"},
    {"a layout of its own on one process", other_layout, true, 2, DAP_ERR_ARG, "not the same|layout"},
    {"elements of another type", bad_type, true, 1, DAP_ERR_BUFFER, "int32|PetscScalar"},
    {"a buffer of another extent", bad_extent, true, 1, DAP_ERR_BUFFER, "axis 1|differs|7|6"},
    {"a buffer of another dimension", bad_ndim, true, 1, DAP_ERR_BUFFER, "ndim is 1|2"},
    {"no data", no_data, true, 1, DAP_ERR_BUFFER, "data is NULL"},
    {"writing to a read-only buffer", readonly, true, 1, DAP_ERR_BUFFER, "read-only|(rule 19)"},
    {"writing to a repeated element", repeats, true, 1, DAP_ERR_BUFFER, "zero stride|(rule 19)"},
    {"to share a misaligned buffer", share_misaligned, false, 1, DAP_ERR_SHARE, "not aligned"},
};

static void check_rows(request_get *get, const refusal rows[], size_t count)
{
  for (const refusal *row = rows; row < rows + count; row++) {
    request r = request_make(), wrong = r;
    dap_error err = {.rank = -1};
    if (test_nprocs() >= row->ranks) {
      TEST_CASE("%s", row->why);
      if (!row->last_only || test_rank() == test_nprocs() - 1) row->change(&wrong);
      expect_same_error(wrong.comm, get(&wrong, &err), &err, row->status, row->parts);
      EXPECT_INT(get(&wrong, NULL), row->status);
    }
    request_free(&r);
    SETTLE();
  }
}

void check_refusals(request_get *get, const refusal rows[], size_t count)
{
  check_rows(get, common, sizeof common / sizeof common[0]);
  check_rows(get, rows, count);
}
