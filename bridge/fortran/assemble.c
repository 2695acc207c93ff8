/* Assembles layouts from the processes' descriptions of their own parts, and finds which process has which
 * elements. Lists, places and first indices count from 1 in Fortran. The last index of a range is C's stop,
 * unchanged. */
#include "fortran_impl.h"

#include <dapbridge/comm.h>
#include <stdio.h>
#include <stdlib.h>

/* A dictionary as the module passes it. */
typedef struct dap_f_dim {
  char dist_type; /* ' ': the empty dictionary */
  bool periodic, one_to_one;
  int proc_grid_size, proc_grid_rank;
  int64_t size, start, stop, padding[2], block_size;
  int64_t owned;       /* 'u': number of leading indices that are owned; -1: not said */
  int64_t index_count; /* 'u' */
  const int64_t *indices;
} dap_f_dim;

/* Memory that an axis's dictionary points to. */
typedef struct lists {
  int64_t *indices;
  bool *is_owned; /* NULL: not said */
} lists;

static dap_status make_lists(const dap_f_dim *from, int axis, lists *made, dap_error *err)
{
  const int64_t count = from->index_count;
  if (from->owned < -1 || from->owned > count)
    return dap_fail(err, DAP_ERR_ARG, "axis %d: owned is %lld, and there are %lld indices", axis,
                    (long long)from->owned, (long long)count);
  made->indices = calloc((size_t)count + 1, sizeof *made->indices);
  made->is_owned = from->owned >= 0 ? calloc((size_t)count + 1, sizeof *made->is_owned) : NULL;
  if (!made->indices || (from->owned >= 0 && !made->is_owned))
    return dap_fail(err, DAP_ERR_NOMEM, "no memory for %lld indices", (long long)count);
  for (int64_t i = 0; i < count; i++) made->indices[i] = from->indices[i] - 1;
  for (int64_t i = 0; i < from->owned; i++) made->is_owned[i] = true;
  return DAP_OK;
}

static dap_dim as_c(const dap_f_dim *from, const lists *made)
{
  return (dap_dim){.dist_type = from->dist_type == ' ' ? '\0' : from->dist_type,
                   .periodic = from->periodic,
                   .one_to_one = from->one_to_one,
                   .indices_dtype = DAP_I8,
                   .size = from->size,
                   .proc_grid_size = from->proc_grid_size,
                   .proc_grid_rank = from->proc_grid_rank,
                   .start = from->start - 1,
                   .stop = from->stop,
                   .padding = {from->padding[0], from->padding[1]},
                   .block_size = from->block_size,
                   .index_count = from->index_count,
                   .indices = made->indices};
}

static dap_status take_buffer(dap_array *local, const CFI_cdesc_t *data, dap_error *err)
{
  const int ndim = (unsigned char)data->rank; /* 0 .. 15 */
  if (ndim > DAP_MAX_NDIM)
    return dap_fail(err, DAP_ERR_BUFFER, "the buffer's rank is %d, more than %d", ndim, DAP_MAX_NDIM);
  dap_status status = dap_f_check_type(data, "data", err);
  if (!status) status = dap_f_check_memory(data, "data", err);
  if (status) return status;
  local->dtype = dap_f_dtype(data);
  local->data = data->base_addr;
  local->ndim = ndim;
  for (int k = 0; k < ndim; k++) {
    if (data->dim[k].extent < 0)
      return dap_fail(err, DAP_ERR_BUFFER, "the buffer's last extent is not known: pass a section of it");
    local->shape[k] = data->dim[k].extent;
    local->strides[k] = data->dim[k].sm;
  }
  return DAP_OK;
}

static dap_status make_local(dap_array *local, lists made[], int ndim, const dap_f_dim dims[],
                             const char *version, const CFI_cdesc_t *data, dap_error *err)
{
  if (ndim < 0) return dap_fail(err, DAP_ERR_ARG, "dims is not allocated");
  if (ndim > DAP_MAX_NDIM)
    return dap_fail(err, DAP_ERR_ARG, "%d dictionaries, more than %d", ndim, DAP_MAX_NDIM);
  local->abi = DAP_ARRAY_ABI;
  (void)snprintf(local->version, sizeof local->version, "%s", version);
  local->dim_count = ndim;
  dap_status status = take_buffer(local, data, err);
  for (int k = 0; k < ndim && !status; k++) {
    if (dims[k].dist_type == 'u') status = make_lists(&dims[k], k, &made[k], err);
    local->dims[k] = as_c(&dims[k], &made[k]);
  }
  return status;
}

dap_status dap_f_layout_assemble(const MPI_Fint *comm, int ndim, const dap_f_dim dims[], const char *version,
                                 const CFI_cdesc_t *data, void **variable, dap_error *err)
{
  MPI_Comm c = dap_f_comm(comm);
  dap_array local = {0};
  lists made[DAP_MAX_NDIM] = {0};
  const bool *is_owned[DAP_MAX_NDIM] = {NULL};
  dap_f_layout *object = dap_f_new(&dap_f_layout_kind, err);
  dap_status status = object ? make_local(&local, made, ndim, dims, version, data, err) : DAP_ERR_NOMEM;
  for (int k = 0; k < DAP_MAX_NDIM; k++) is_owned[k] = made[k].is_owned;
  dap_f_put(variable, NULL);
  status = dap_agree_call(c, "dap_layout_assemble", status, err);
  if (!status) status = dap_layout_assemble_ghosted(c, NULL, &local, is_owned, &object->layout, err);
  for (int k = 0; k < DAP_MAX_NDIM; k++) {
    free(made[k].indices);
    free(made[k].is_owned);
  }
  if (status)
    dap_f_drop(object);
  else
    dap_f_put(variable, object);
  return status;
}

/* ---- asked ------------------------------------------------------------------------------------ */

/* global, local [count][ndim]; both have nglobal numbers an element. nglobal -1, -2, -3: global, ranks or
 * local is not allocated. */
dap_status dap_f_layout_lookup(const MPI_Fint *comm, const dap_f_layout *object, int nglobal, int64_t count,
                               const int64_t global[], int ranks[], int64_t local[], dap_error *err)
{
  MPI_Comm c = dap_f_comm(comm);
  const dap_layout *layout = dap_f_layout_of(object);
  dap_status status = dap_layout_check(layout, err);
  const int ndim = status ? 0 : dap_layout_ndim(layout);
  const size_t numbers = (size_t)count * (size_t)ndim;
  int64_t *from = NULL;
  static const char *const names[] = {"global", "ranks", "local"};
  for (int64_t i = 0; i < count; i++) ranks[i] = -1;
  for (int64_t i = 0; i < count * nglobal; i++) local[i] = 0;
  if (!status && nglobal < 0) status = dap_fail(err, DAP_ERR_ARG, "%s is not allocated", names[-1 - nglobal]);
  if (!status && (nglobal != ndim || count < 0))
    status = dap_fail(err, DAP_ERR_ARG,
                      "global and local must have %d numbers an element, and ranks as many elements", ndim);
  if (!status && !(from = malloc((numbers + 1) * sizeof *from)))
    status = dap_fail(err, DAP_ERR_NOMEM, "no memory for %lld elements", (long long)count);
  for (size_t i = 0; i < numbers && !status; i++) from[i] = global[i] - 1;
  status = dap_agree_call(c, "dap_layout_lookup", status, err);
  if (!status) status = dap_layout_lookup(c, layout, count, from, ranks, local, err);
  for (size_t i = 0; i < numbers && !status; i++) local[i]++;
  free(from);
  return status;
}
