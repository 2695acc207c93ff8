/* Checks a caller's request on each process, with the same texts for all adapters. */
#include "view_impl.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- arguments ----------------------------------------------------------------------------------- */

static dap_status check_arguments(const dap_view *view, const dap_view_request *request, const void *object,
                                  dap_error *err)
{
  const dap_darray a = request->array;
  DAP_REQUIRE(object, err, DAP_ERR_ARG, "%s is NULL", view->adapter->name);
  DAP_REQUIRE(a.layout, err, DAP_ERR_ARG, "array: layout is NULL");
  DAP_REQUIRE(a.local, err, DAP_ERR_ARG, "array: local is NULL");
  DAP_TRY(dap_layout_check(a.layout, err));
  DAP_REQUIRE(request->access >= DAP_READ && request->access <= DAP_READ_WRITE, err, DAP_ERR_ARG,
              "access is %d, not one of its values", (int)request->access);
  DAP_REQUIRE((unsigned)request->sharing <= DAP_SHARE_NEVER, err, DAP_ERR_ARG,
              "options: sharing is %d, not one of its values", (int)request->sharing);
  return DAP_OK;
}

static dap_status check_comm(dap_view *view, dap_error *err)
{
  int size = 0;
  DAP_TRY(dap_mpi_check(MPI_Comm_size(view->caller, &size), "MPI_Comm_size", err));
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(view->caller, &view->rank), "MPI_Comm_rank", err));
  DAP_REQUIRE(size == dap_layout_nprocs(view->layout), err, DAP_ERR_ARG,
              "the layout has %d processes, the communicator %d", dap_layout_nprocs(view->layout), size);
  return DAP_OK;
}

static dap_status check_dtype(const dap_view *view, dap_error *err)
{
  const dap_dtype here = view->dtype, there = view->adapter->dtype;
  const char *name = dap_dtype_name(here), *type = view->adapter->dtype_name;
  DAP_REQUIRE(dap_dtype_size(here) > 0, err, DAP_ERR_BUFFER, "the elements have no type");
  if (there == DAP_NONE || view->lossy) return DAP_OK;
  DAP_RULE(20, !(view->access & DAP_READ) || dap_dtype_holds(there, here), err, DAP_ERR_BUFFER,
           "the elements are %s, %s is %s, which can lose something of them; options.lossy allows it", name,
           type, dap_dtype_name(there));
  DAP_RULE(20, !(view->access & DAP_WRITE) || dap_dtype_holds(here, there), err, DAP_ERR_BUFFER,
           "DAP_WRITE: the elements are %s, which can lose something of %s, %s; options.lossy allows it",
           name, type, dap_dtype_name(there));
  return DAP_OK;
}

static dap_status check_array(const dap_view *view, const dap_array *array, dap_error *err)
{
  DAP_REQUIRE(array->abi == DAP_ARRAY_ABI, err, DAP_ERR_ARG, "the array has ABI %" PRId32 ", not %d",
              array->abi, (int)DAP_ARRAY_ABI);
  DAP_TRY(dap_array_match((dap_darray){view->layout, array}, view->rank, err));
  DAP_TRY(check_dtype(view, err));
  if (dap_array_count(array) == 0 || !(view->access & DAP_WRITE)) return DAP_OK;
  DAP_RULE(19, !array->readonly, err, DAP_ERR_BUFFER, "DAP_WRITE to a read-only buffer");
  for (int k = 0; k < array->ndim; k++)
    DAP_RULE(19, array->strides[k] != 0 || array->shape[k] == 1, err, DAP_ERR_BUFFER,
             "axis %d: DAP_WRITE to a buffer with a zero stride", k);
  return DAP_OK;
}

/* ---- the part ------------------------------------------------------------------------------------ */

static int axis_of(const dap_view_request *request, int j)
{
  return request->part.axes ? request->part.axes[j] : j;
}

/* Sets the part's start and shape along its axes, and is_range. */
static void set_range(dap_view *view, const dap_view_request *request)
{
  const dap_part *part = &request->part;
  for (int j = 0; j < dap_layout_ndim(view->layout); j++) {
    const int k = axis_of(request, j);
    const int64_t size = dap_layout_size(view->layout, j);
    view->start[j] = k >= 0 && part->start ? part->start[k] : 0;
    view->shape[j] = k >= 0 && part->shape ? part->shape[k] : size - view->start[j];
    view->is_range = view->is_range || view->shape[j] < size;
  }
}

/* Returns the position of an index that this process owns in its buffer. */
static int64_t position_of(const dap_layout *layout, int axis, int coord, int64_t index)
{
  for (dap_run run = {0}; dap_layout_next_run(layout, axis, coord, &run);)
    if (index >= run.global && index < run.global + run.length) return run.local + index - run.global;
  return 0;
}

/* Finds the axes of the whole that a part with axes keeps. */
static void find_kept(const dap_part *part, bool is_kept[DAP_MAX_NDIM])
{
  for (int k = 0; k < DAP_MAX_NDIM; k++) is_kept[k] = false;
  for (int j = 0; j < part->naxes; j++)
    if (part->axes[j] >= 0) is_kept[part->axes[j]] = true;
}

/* Makes view->local the window of a member's buffer, without dictionaries, because no protocol may have words
 * for it. */
static void cut_window(dap_view *view, const dap_view_request *request)
{
  const dap_layout *whole = request->array.layout;
  const dap_array array = view->local;
  int coords[DAP_MAX_NDIM] = {0}, at[DAP_MAX_NDIM] = {0};
  bool is_kept[DAP_MAX_NDIM];
  find_kept(&request->part, is_kept);
  dap_layout_coords(whole, view->rank, coords);
  dap_layout_coords(view->layout, view->member, at);
  view->local.ndim = view->local.dim_count = dap_layout_ndim(view->layout);
  for (int j = 0; j < view->local.ndim; j++) {
    const int k = axis_of(request, j);
    view->local.shape[j] = dap_layout_extent(view->layout, j, at[j]);
    view->local.strides[j] = k < 0 ? dap_dtype_size(array.dtype) : array.strides[k];
  }
  for (int k = 0; k < array.ndim && dap_array_count(&array) > 0; k++)
    if (!is_kept[k]) {
      const int64_t index = request->part.start ? request->part.start[k] : 0;
      view->local.data =
          (char *)view->local.data + array.strides[k] * position_of(whole, k, coords[k], index);
    }
}

/* Checks that a view that is written to keeps replicated axes, because other copies would not be written. */
static dap_status check_copies(const dap_view *view, const bool is_kept[], dap_error *err)
{
  for (int k = 0; k < dap_layout_ndim(view->layout); k++) {
    const dap_axis axis = dap_layout_axis(view->layout, k);
    DAP_REQUIRE(!(view->access & DAP_WRITE) || is_kept[k] || !axis.replicated || axis.procs == 1, err,
                DAP_ERR_UNSUPPORTED,
                "axis %d is replicated and left out of the part: only one of its copies would be written", k);
  }
  return DAP_OK;
}

/* Makes view->layout that of the axes kept, each whole, on the processes that have the other indices. */
static dap_status take_axes(dap_view *view, const dap_view_request *request, dap_error *err)
{
  int64_t index[DAP_MAX_NDIM] = {0};
  bool is_kept[DAP_MAX_NDIM];
  const dap_part *part = &request->part;
  find_kept(part, is_kept);
  for (int k = 0; k < dap_layout_ndim(view->layout) && part->start; k++)
    if (!is_kept[k]) index[k] = part->start[k];
  DAP_TRY(check_copies(view, is_kept, err));
  const dap_part axes = {.naxes = part->naxes, .axes = part->axes, .start = index};
  dap_layout *layout = NULL;
  DAP_TRY(dap_layout_part(view->layout, &axes, &layout, view->ranks, err));
  dap_layout_destroy(&view->layout);
  view->layout = layout;
  return DAP_OK;
}

/* Makes the range an array of its own, if it is one in place, with the same answer on every process. Ranges
 * of lists stay ranges, because not all processes know the lists. */
static dap_status take_range(dap_view *view, const dap_view_request *request, dap_error *err)
{
  dap_layout *layout = NULL;
  dap_array local;
  for (int j = 0; j < dap_layout_ndim(view->layout); j++)
    if (dap_layout_axis(view->layout, j).dist_type == 'u' &&
        view->shape[j] < dap_layout_size(view->layout, j))
      return DAP_OK;
  const dap_status s = dap_layout_part(request->array.layout, &request->part, &layout, view->ranks, err);
  if (s == DAP_ERR_SHARE) return DAP_OK;
  DAP_TRY(s);
  dap_layout_destroy(&view->layout);
  view->layout = layout;
  view->is_range = false;
  for (int j = 0; j < dap_layout_ndim(layout); j++) view->start[j] = 0;
  if (view->member < 0) return DAP_OK;
  DAP_TRY(dap_array_part(request->array, view->rank, &request->part, &local, err));
  view->local = local;
  return DAP_OK;
}

static dap_status take_part(dap_view *view, const dap_view_request *request, dap_error *err)
{
  const int all = dap_layout_nprocs(view->layout);
  view->ranks = malloc((size_t)all * sizeof *view->ranks);
  DAP_REQUIRE(view->ranks, err, DAP_ERR_NOMEM, "no memory for %d ranks", all);
  for (int i = 0; i < all; i++) view->ranks[i] = i;
  if (request->part.axes) DAP_TRY(take_axes(view, request, err));
  view->nprocs = dap_layout_nprocs(view->layout);
  view->is_apart = view->nprocs < all;
  view->member = -1;
  for (int i = 0; i < view->nprocs; i++) {
    if (view->ranks[i] == view->rank) view->member = i;
    if (view->ranks[i] != i) view->is_apart = true;
  }
  if (view->member < 0)
    view->local = (dap_array){0};
  else if (request->part.axes)
    cut_window(view, request);
  set_range(view, request);
  return view->is_range && !view->adapter->ranges ? take_range(view, request, err) : DAP_OK;
}

/* ---- all of it ----------------------------------------------------------------------------------- */

dap_status dap_view_check_elements(const dap_view *view, dap_error *why)
{
  const dap_dtype there = view->adapter->dtype;
  DAP_REQUIRE(there == DAP_NONE || there == view->dtype, why, DAP_ERR_SHARE, "the elements are %s, %s is %s",
              dap_dtype_name(view->dtype), view->adapter->dtype_name, dap_dtype_name(there));
  DAP_REQUIRE(!view->is_range || view->adapter->ranges, why, DAP_ERR_SHARE,
              "the range is not an array in place");
  DAP_REQUIRE(!view->local.swapped || dap_array_count(&view->local) == 0, why, DAP_ERR_SHARE,
              "the elements are in the other byte order");
  return DAP_OK;
}

dap_status dap_view_check(dap_view *view, const dap_view_request *request, const void *object, dap_error *err)
{
  const dap_adapter *adapter = view->adapter;
  DAP_TRY(check_arguments(view, request, object, err));
  view->layout = dap_layout_retain(request->array.layout);
  view->dtype = request->array.local->dtype;
  view->local = *request->array.local;
  view->local.release = NULL; /* borrowed */
  DAP_TRY(check_comm(view, err));
  DAP_TRY(check_array(view, &view->local, err));
  DAP_TRY(dap_part_check(view->layout, &request->part, err));
  DAP_TRY(take_part(view, request, err));
  return adapter->check ? adapter->check(view, err) : DAP_OK;
}
