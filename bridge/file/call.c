/* Begins and ends a call. All processes agree on its arguments, and rank 0 describes the array to them. */
#include "file_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the array ------------------------------------------------------------------------------------- */

/* Checks this process's array, as far as that is possible without the others. */
static dap_status check_local(const dap_file_call *call, dap_error *err)
{
  const dap_layout *layout = call->local.layout;
  const int rank = call->context->rank;
  if (!layout && rank > 0) return DAP_OK;
  DAP_TRY(dap_layout_check(layout, err));
  DAP_REQUIRE(dap_layout_nprocs(layout) <= call->context->nprocs, err, DAP_ERR_ARG,
              "the layout has %d processes, and the communicator %d", dap_layout_nprocs(layout),
              call->context->nprocs);
  if (rank >= dap_layout_nprocs(layout)) return DAP_OK;
  DAP_REQUIRE(call->local.local, err, DAP_ERR_ARG, "array.local is NULL on process %d of the layout's %d",
              rank, dap_layout_nprocs(layout));
  DAP_TRY(dap_array_match_place(call->local, rank, err)); /* partial axes are legal: plans add them up */
  DAP_REQUIRE(call->local.local->data || dap_array_count(call->local.local) == 0, err, DAP_ERR_BUFFER,
              "data is NULL: there is no data for the buffer's %" PRId64 " elements",
              dap_array_count(call->local.local));
  DAP_REQUIRE(dap_dtype_size(call->local.local->dtype) > 0, err, DAP_ERR_BUFFER,
              "dtype %d is not one of the element types", (int)call->local.local->dtype);
  DAP_REQUIRE(call->saves || !call->local.local->readonly, err, DAP_ERR_BUFFER,
              "the buffer of array.local is read-only");
  return DAP_OK;
}

static void describe_array(dap_file_call *call)
{
  const dap_layout *layout = call->local.layout;
  call->array = (dap_file_array){.ndim = dap_layout_ndim(layout),
                                 .nprocs = dap_layout_nprocs(layout),
                                 .dtype = call->local.local->dtype,
                                 .hash = dap_layout_hash(layout)};
  for (int k = 0; k < call->array.ndim; k++) call->array.shape[k] = dap_layout_size(layout, k);
}

/* Compares this process's array with that of rank 0. */
static dap_status compare_array(const dap_file_call *call, dap_error *err)
{
  const dap_file_array *array = &call->array;
  const int rank = call->context->rank;
  DAP_REQUIRE(call->local.layout || rank >= array->nprocs, err, DAP_ERR_ARG,
              "array.layout is NULL on process %d of the layout's %d", rank, array->nprocs);
  if (!call->local.layout) return DAP_OK;
  DAP_REQUIRE(dap_layout_hash(call->local.layout) == array->hash, err, DAP_ERR_ARG,
              "the layout is not the same as on rank 0");
  if (rank >= array->nprocs) return DAP_OK;
  DAP_REQUIRE(call->local.local->dtype == array->dtype, err, DAP_ERR_ARG,
              "the elements are %s, and those of rank 0 are %s", dap_dtype_name(call->local.local->dtype),
              dap_dtype_name(array->dtype));
  return DAP_OK;
}

static dap_status share_array(dap_file_call *call, dap_error *err)
{
  if (call->context->rank == 0) describe_array(call);
  DAP_TRY(dap_file_tell(call, DAP_OK, &call->array, sizeof call->array, err));
  return dap_file_agree(call, compare_array(call, err), err);
}

/* ---- begin and end --------------------------------------------------------------------------------- */

static dap_status check(dap_file_call *call, dap_error *err)
{
  DAP_TRY(dap_file_check_options(call, err));
  DAP_TRY(dap_file_find_name(call, err));
  if (call->has_array) DAP_TRY(check_local(call, err));
  call->layout = calloc(1, DAP_FILE_TEXT);
  DAP_REQUIRE(call->layout, err, DAP_ERR_NOMEM, "no memory for the text of a layout");
  return DAP_OK;
}

dap_status dap_file_begin(dap_file_call *call, const dap_file_options *options, dap_error *err)
{
  uint64_t words[DAP_AGREE_MOST];
  call->writers = (dap_file_writers){.self = -1, .comm = MPI_COMM_NULL};
  if (options) call->options = *options;
  DAP_TRY(dap_comm_check(call->comm, err));
  DAP_TRY(dap_context_get(call->comm, call->function, &call->context, err));
  dap_agreement agreement = {.function = call->function, .status = check(call, err), .words = words};
  if (!agreement.status) agreement.count = dap_file_words(call, words, &agreement.names);
  DAP_TRY(dap_context_agree(call->context, &agreement, err));
  return call->has_array ? share_array(call, err) : DAP_OK;
}

void dap_file_end(dap_file_call *call)
{
  dap_file_free_writers(&call->writers);
  free(call->layout);
  free(call->file);
  dap_context_release(&call->context);
}
