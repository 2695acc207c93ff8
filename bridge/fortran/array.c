/* Makes arrays and answers questions about them. An array is a layout and this process's part of it, in
 * memory of the program or of the library. A process that does not belong to the layout gets an array without
 * a part, so that all processes can make the same calls. */
#include "fortran_impl.h"

#include <stdio.h>
#include <stdlib.h>

static bool end(void *object)
{
  dap_f_array *array = object;
  dap_array_release(&array->local);
  dap_layout_destroy(&array->layout);
  free(array->ranks);
  dap_f_drop(array->whole); /* after what looks into its buffer */
  return true;
}

static void get_buffer(const void *object, dap_f_buffer *buffer)
{
  const dap_f_array *array = object;
  buffer->data = array->local.data;
  buffer->dtype = array->dtype;
  buffer->ndim = array->layout ? dap_layout_ndim(array->layout) : 2; /* of a descriptor, on other processes */
  for (int k = 0; k < buffer->ndim; k++) {
    buffer->shape[k] = array->local.shape[k];
    buffer->strides[k] = array->local.strides[k];
  }
}

static size_t describe(const void *object, char *text, size_t capacity)
{
  const dap_f_array *array = object;
  if (array->layout) return dap_layout_describe(array->layout, text, capacity);
  return (size_t)snprintf(text, capacity, "an array without a part here");
}

const dap_f_kind dap_f_array_kind = {"array", sizeof(dap_f_array), end, describe, get_buffer};

dap_darray dap_f_darray(const dap_f_array *array)
{
  return array ? (dap_darray){array->layout, &array->local} : (dap_darray){0};
}

/* ---- made ------------------------------------------------------------------------------------- */

/* An array without a part. NULL: no memory, or no layout. */
static dap_f_array *make(const dap_f_layout *layout, int rank, dap_dtype dtype, dap_error *err)
{
  if (dap_layout_check(dap_f_layout_of(layout), err)) return NULL;
  dap_f_array *array = dap_f_new(&dap_f_array_kind, err);
  if (!array) return NULL;
  array->layout = dap_layout_retain(layout->layout);
  array->rank = rank;
  array->dtype = dtype;
  return array;
}

bool dap_f_array_has_part(const dap_f_array *array)
{
  return array->layout && array->rank < dap_layout_nprocs(array->layout);
}

dap_status dap_f_array_put(void **variable, dap_f_array *array, dap_status status)
{
  if (status) dap_f_drop(array);
  dap_f_put(variable, status ? NULL : array);
  return status;
}

/* A process outside of the layout has any rank from the layout's number of processes on. So a rank and a
 * dtype that are exchanged are found by the dtype, if not here, then by the plan that takes the array. */
static dap_status check_dtype(int rank, int dtype, dap_error *err)
{
  if (dap_dtype_size((dap_dtype)dtype) > 0) return DAP_OK;
  return dap_fail(err, DAP_ERR_ARG, "dtype %d is not an element type%s", dtype,
                  dap_dtype_size((dap_dtype)rank) > 0 ? "; were rank and dtype exchanged?" : "");
}

dap_status dap_f_array_init(const dap_f_layout *layout, int rank, int dtype, char order, void **variable,
                            dap_error *err)
{
  dap_f_array *array = make(layout, rank, (dap_dtype)dtype, err);
  dap_status status = array ? check_dtype(rank, dtype, err) : DAP_ERR_ARG;
  if (!status && dap_f_array_has_part(array))
    status =
        dap_array_init(&array->local, array->layout, rank, (dap_dtype)dtype, (dap_order)order, NULL, err);
  return dap_f_array_put(variable, array, status);
}

/* The extents and strides that the descriptor has; of an assumed-size array the last extent is the
 * layout's. */
static dap_status take_shape(dap_array *local, const CFI_cdesc_t *data, dap_error *err)
{
  if (data->rank != local->ndim)
    return dap_fail(err, DAP_ERR_BUFFER, "the buffer's rank is %d, the layout's %d", (int)data->rank,
                    local->ndim);
  for (int k = 0; k < local->ndim; k++) {
    if (data->dim[k].extent != -1) local->shape[k] = data->dim[k].extent;
    local->strides[k] = data->dim[k].sm;
  }
  return DAP_OK;
}

/* flang sets the extents of an array that is deallocated to 0: the layout says whether there should be
 * elements. */
static dap_status check_part(const dap_array *local, const CFI_cdesc_t *data, dap_error *err)
{
  bool has_elements = true;
  for (int k = 0; k < local->ndim; k++) has_elements = has_elements && local->shape[k] > 0;
  return has_elements && !data->base_addr ? dap_f_refuse_memory("data", err) : DAP_OK;
}

dap_status dap_f_array_wrap(const dap_f_layout *layout, int rank, const CFI_cdesc_t *data, void **variable,
                            dap_error *err)
{
  static char nothing;
  void *elements = data->base_addr ? data->base_addr : &nothing;
  const dap_dtype dtype = dap_f_dtype(data);
  dap_f_array *array = make(layout, rank, dtype, err);
  dap_status status = array ? DAP_OK : DAP_ERR_ARG;
  if (array && dap_f_array_has_part(array)) {
    status = dap_f_check_type(data, "data", err);
    if (!status) status = dap_f_check_memory(data, "data", err);
    if (!status)
      status = dap_array_init(&array->local, array->layout, rank, dtype, DAP_ORDER_F, elements, err);
    if (!status) status = check_part(&array->local, data, err);
    if (!status) status = take_shape(&array->local, data, err);
    if (!status) status = dap_array_match(dap_f_darray(array), rank, err);
  }
  return dap_f_array_put(variable, array, status);
}

dap_status dap_f_array_alloc(const MPI_Fint *comm, const dap_f_layout *layout, int dtype, char order,
                             void **variable, dap_error *err)
{
  MPI_Comm c = dap_f_comm(comm);
  int rank = 0;
  dap_error own = {.rank = -1};
  dap_array local = {0};
  dap_f_array *array = NULL;
  dap_status status =
      dap_array_alloc(c, dap_f_layout_of(layout), (dap_dtype)dtype, (dap_order)order, &local, NULL, err);
  if (!status) {
    MPI_Comm_rank(c, &rank);
    array = make(layout, rank, (dap_dtype)dtype, &own);
    status = dap_agree(c, array ? DAP_OK : DAP_ERR_NOMEM, &own);
    if (status && err) *err = own;
  }
  if (array && !status)
    array->local = local;
  else
    dap_array_release(&local);
  return dap_f_array_put(variable, array, status);
}

/* ---- asked ------------------------------------------------------------------------------------ */

dap_status dap_f_array_layout(const dap_f_array *array, void **variable, dap_error *err)
{
  dap_f_put(variable, NULL);
  if (!array || !array->layout) return dap_fail(err, DAP_ERR_ARG, "the array's layout is not known here");
  return dap_f_layout_put(variable, dap_layout_retain(array->layout), err);
}

int dap_f_array_nprocs(const dap_f_array *array)
{
  return array && array->layout ? dap_layout_nprocs(array->layout) : 0;
}

void dap_f_array_ranks(const dap_f_array *array, int ranks[])
{
  for (int i = 0; i < dap_f_array_nprocs(array); i++) ranks[i] = array->ranks ? array->ranks[i] : i;
}

int64_t dap_f_array_extent(const dap_f_array *array, int axis)
{
  return array && axis >= 1 && axis <= array->local.ndim ? array->local.shape[axis - 1] : 0;
}

/* Owned elements by their runs, which takes no time per element's other indices; padding and ghosts one by
 * one. */
static dap_status list_indices(const dap_f_array *array, int axis, int64_t indices[], bool owned[],
                               dap_error *err)
{
  int coords[DAP_MAX_NDIM];
  dap_layout_coords(array->layout, array->rank, coords);
  dap_run run = {0};
  while (dap_layout_next_run(array->layout, axis, coords[axis], &run))
    for (int64_t i = 0; i < run.length; i++) {
      indices[run.local + i] = run.global + i + 1;
      owned[run.local + i] = true;
    }
  for (int64_t i = 0; i < array->local.shape[axis] && dap_array_count(&array->local) > 0; i++) {
    if (owned[i]) continue;
    int64_t local[DAP_MAX_NDIM] = {0}, global[DAP_MAX_NDIM];
    local[axis] = i;
    const dap_status status = dap_layout_globalize(array->layout, array->rank, local, global, NULL, err);
    if (status) return status;
    indices[i] = global[axis] + 1;
  }
  return DAP_OK;
}

dap_status dap_f_array_indices(const dap_f_array *array, int axis, int64_t indices[], bool owned[],
                               dap_error *err)
{
  if (!array || axis < 1 || (array->layout && axis > dap_layout_ndim(array->layout)))
    return dap_fail(err, DAP_ERR_ARG, "the array has no axis %d", axis);
  const int64_t extent = dap_f_array_extent(array, axis);
  for (int64_t i = 0; i < extent; i++) {
    indices[i] = 0;
    owned[i] = false;
  }
  return extent > 0 ? list_indices(array, axis - 1, indices, owned, err) : DAP_OK;
}
