/* What a caller asks for, checked on each process. */
#include "scalapack_impl.h"

#include <inttypes.h>
#include <limits.h>

const int64_t dap_scalapack_int_max = sizeof(dap_scalapack_int) == sizeof(int) ? INT_MAX : INT64_MAX;

static dap_status check_layout(const dap_scalapack_request *request, const dap_layout *layout, dap_error *err)
{
  int nprocs;
  DAP_REQUIRE(MPI_Comm_size(request->comm, &nprocs) == MPI_SUCCESS, err, DAP_ERR_LIBRARY,
              "MPI_Comm_size failed");
  DAP_REQUIRE(dap_layout_nprocs(layout) == nprocs, err, DAP_ERR_ARG,
              "the layout has %d processes, the communicator %d", dap_layout_nprocs(layout), nprocs);
  return DAP_OK;
}

dap_status dap_scalapack_check_dtype(dap_dtype dtype, dap_error *err)
{
  const dap_dtype integer = sizeof(dap_scalapack_int) == sizeof(int32_t) ? DAP_I4 : DAP_I8;
  DAP_REQUIRE(dtype == DAP_F4 || dtype == DAP_F8 || dtype == DAP_C8 || dtype == DAP_C16 || dtype == integer,
              err, DAP_ERR_BUFFER, "ScaLAPACK has no matrices of %s", dap_dtype_name(dtype));
  return DAP_OK;
}

static dap_status check_array(const dap_scalapack_request *request, const dap_layout *layout,
                              const dap_array *array, dap_error *err)
{
  DAP_REQUIRE(array->abi == DAP_ARRAY_ABI, err, DAP_ERR_ARG, "the array has ABI %" PRId32 ", not %d",
              array->abi, (int)DAP_ARRAY_ABI);
  DAP_TRY(dap_scalapack_check_dtype(array->dtype, err));
  DAP_TRY(dap_array_match(array, layout, request->rank, err));
  if (dap_array_count(array) == 0 || !(request->access & DAP_WRITE)) return DAP_OK;
  DAP_RULE(19, !array->readonly, err, DAP_ERR_BUFFER, "the buffer is read-only and access includes writing");
  for (int k = 0; k < array->ndim; k++) {
    DAP_RULE(19, array->strides[k] != 0 || array->shape[k] == 1, err, DAP_ERR_BUFFER,
             "axis %d: stride 0 and access includes writing", k);
  }
  return DAP_OK;
}

static dap_status check_sizes(const dap_scalapack_request *request, dap_error *err)
{
  for (int k = 0; k < 2; k++) {
    const int64_t size = dap_layout_size(request->layout, k);
    DAP_REQUIRE(size <= dap_scalapack_int_max, err, DAP_ERR_RANGE,
                "axis %d: size %" PRId64 " exceeds ScaLAPACK's %d-bit integers", request->options.axes[k],
                size, (int)(8 * sizeof(dap_scalapack_int)));
  }
  return DAP_OK;
}

static dap_status check_grid(const dap_scalapack_request *request, dap_error *err)
{
  const int *grid = request->options.grid;
  const int nprocs = request->nprocs;
  DAP_REQUIRE(grid[0] >= 0 && grid[1] >= 0, err, DAP_ERR_ARG, "options: grid %d x %d is negative", grid[0],
              grid[1]);
  if (grid[0] && grid[1]) {
    DAP_REQUIRE((int64_t)grid[0] * grid[1] == nprocs, err, DAP_ERR_ARG,
                "options: grid %d x %d does not use exactly the %d processes that hold the matrix", grid[0],
                grid[1], nprocs);
  }
  const int given = grid[0] ? grid[0] : grid[1];
  DAP_REQUIRE(given == 0 || nprocs % given == 0, err, DAP_ERR_ARG,
              "options: grid: %d does not divide the %d processes that hold the matrix", given, nprocs);
  return DAP_OK;
}

static dap_status check_blocks(const dap_scalapack_request *request, dap_error *err)
{
  const dap_scalapack_options *o = &request->options;
  const dap_matrix_needs *needs = &request->needs;
  for (int k = 0; k < 2; k++) {
    const int64_t size = o->block_size[k];
    DAP_REQUIRE(size >= 0 && size <= INT_MAX, err, DAP_ERR_ARG,
                "options: block_size[%d] is %" PRId64 ", not within 0..%d", k, size, INT_MAX);
    DAP_REQUIRE(!size || (size >= needs->least_block && (!needs->most_block || size <= needs->most_block)),
                err, DAP_ERR_ARG,
                "options: block_size[%d] is %" PRId64 ", outside the needs' %" PRId64 " .. %" PRId64, k, size,
                needs->least_block, needs->most_block);
  }
  DAP_REQUIRE(needs->least_block >= 0 && needs->most_block >= 0 && needs->most_block <= INT_MAX &&
                  needs->least_block <= (needs->most_block ? needs->most_block : INT_MAX),
              err, DAP_ERR_ARG, "options: no block size is within the needs' %" PRId64 " .. %" PRId64,
              needs->least_block, needs->most_block);
  DAP_REQUIRE(!needs->square_blocks || !o->block_size[0] || !o->block_size[1] ||
                  o->block_size[0] == o->block_size[1],
              err, DAP_ERR_ARG, "options: square blocks with block sizes %" PRId64 " and %" PRId64,
              o->block_size[0], o->block_size[1]);
  return DAP_OK;
}

/* What options.needs and options.routine ask for, both. */
static dap_status add_needs(dap_scalapack_request *request, dap_error *err)
{
  const dap_scalapack_options *o = &request->options;
  dap_matrix_needs *needs = &request->needs;
  *needs = o->needs;
  DAP_REQUIRE((unsigned)needs->offset <= DAP_OFFSET_ANY && (unsigned)needs->align <= DAP_ALIGN_SAME, err,
              DAP_ERR_ARG, "options: needs has offset %d and align %d, none of their values",
              (int)needs->offset, (int)needs->align);
  if (!o->routine) return DAP_OK;
  dap_matrix_needs routine;
  DAP_TRY(dap_matrix_needs_for(o->routine, !o->like, &routine, err));
  needs->square_blocks = needs->square_blocks || routine.square_blocks;
  needs->several_blocks = needs->several_blocks || routine.several_blocks;
  needs->spans_grid = needs->spans_grid || routine.spans_grid;
  needs->any_sources = routine.any_sources;
  needs->offset = routine.offset;
  if (routine.align > needs->align) needs->align = routine.align;
  return DAP_OK;
}

static dap_status check_options(const dap_scalapack_request *request, dap_error *err)
{
  const dap_scalapack_options *o = &request->options;
  DAP_REQUIRE(o->sharing == DAP_SHARE_IF_POSSIBLE || o->sharing == DAP_SHARE_OR_FAIL ||
                  o->sharing == DAP_SHARE_NEVER,
              err, DAP_ERR_ARG, "options: sharing is %d, none of its values", (int)o->sharing);
  DAP_REQUIRE(o->op == 0 || o->op == 'N' || o->op == 'T', err, DAP_ERR_ARG,
              "options: op is character %d, not 'N', 'T' or 0", (int)o->op);
  DAP_TRY(check_blocks(request, err));
  return check_grid(request, err);
}

static dap_status check_like(const dap_scalapack_request *request, const dap_scalapack_matrix *matrix,
                             dap_error *err)
{
  const dap_scalapack_options *o = &request->options;
  DAP_REQUIRE(o->like || request->needs.align == DAP_ALIGN_GRID, err, DAP_ERR_ARG,
              "options: needs.align needs like");
  DAP_REQUIRE(!(o->like && o->context), err, DAP_ERR_ARG, "options: like and context are both given");
  DAP_REQUIRE(!(o->like || o->context) || (!o->grid[0] && !o->grid[1]), err, DAP_ERR_ARG,
              "options: grid must be 0 with %s", o->like ? "like" : "context");
  if (!o->like) return DAP_OK;
  DAP_REQUIRE(o->like != matrix, err, DAP_ERR_ARG, "options: like is the matrix to be filled");
  DAP_REQUIRE(request->like, err, DAP_ERR_ARG, "options: like is not a live view");
  DAP_REQUIRE(request->like->grid->set->owner == request->comm, err, DAP_ERR_ARG,
              "options: like is a view on another communicator");
  DAP_REQUIRE(!o->block_size[0] && !o->block_size[1], err, DAP_ERR_ARG,
              "options: block_size must be 0 with like");
  return DAP_OK;
}

dap_status dap_scalapack_request_check(dap_scalapack_request *request, const dap_layout *layout,
                                       const dap_array *array, const dap_scalapack_matrix *matrix,
                                       dap_error *err)
{
  DAP_REQUIRE(layout && array && matrix, err, DAP_ERR_ARG, "%s is NULL",
              !layout  ? "layout"
              : !array ? "array"
                       : "matrix");
  DAP_REQUIRE(request->access == DAP_READ || request->access == DAP_WRITE ||
                  request->access == DAP_READ_WRITE,
              err, DAP_ERR_ARG, "access is %d, none of its values", (int)request->access);
  DAP_TRY(check_layout(request, layout, err));
  DAP_TRY(check_array(request, layout, array, err));
  DAP_TRY(add_needs(request, err));
  DAP_TRY(dap_scalapack_section(request, layout, array, err));
  DAP_TRY(check_sizes(request, err));
  DAP_TRY(check_options(request, err));
  return check_like(request, matrix, err);
}
