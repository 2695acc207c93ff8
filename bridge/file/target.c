/* Finds what the file's array is: a new one as the options say, or an existing one as the file says. */
#include "file_impl.h"

#include <errno.h>
#include <string.h>

/* ---- a new file ------------------------------------------------------------------------------------ */

static void make_new(dap_file_call *call)
{
  const dap_file_options *o = &call->options;
  const bool appends = o->mode == DAP_FILE_APPEND;
  const dap_file_array *array = &call->array;
  call->info = (dap_file_info){.ndim = array->ndim + appends,
                               .dtype = o->dtype ? o->dtype : array->dtype,
                               .swapped = o->swapped && call->format == dap_file_raw(),
                               .order = o->order ? o->order : DAP_ORDER_C,
                               .offset = call->format == dap_file_raw() ? o->offset : 0};
  if (appends) call->info.shape[0] = 1;
  for (int k = 0; k < array->ndim; k++) call->info.shape[k + appends] = array->shape[k];
  call->access = DAP_FILE_CREATE;
  if (appends) call->steps = 1;
  dap_layout_text_make(call, call->layout);
}

/* ---- a file that exists ---------------------------------------------------------------------------- */

/* Returns the options for the format. Without others, shape and type of a raw file are the array's. */
static dap_file_options known_options(const dap_file_call *call)
{
  dap_file_options o = call->options;
  if (!call->has_array) return o;
  if (!o.shape) {
    o.ndim = call->array.ndim;
    o.shape = call->array.shape;
  }
  if (!o.dtype) o.dtype = call->array.dtype;
  return o;
}

static bool adds_datasets(const dap_file_call *call)
{
  return call->saves && call->format->has_datasets;
}

/* Asks the format. A dataset that is missing and will be added is not an error. */
static dap_status ask_format(dap_file_call *call, const dap_file_options *options, dap_error *err)
{
  dap_error why = {0};
  call->info.ndim = 0;
  const dap_status s =
      call->format->query(call->format, &call->name, options, &call->info, call->layout, DAP_FILE_TEXT, &why);
  if (s && call->info.ndim < 0 && adds_datasets(call)) return DAP_OK;
  if (s) *err = why;
  return s;
}

/* Asks the format on rank 0. If there is no file, info.ndim is -1. */
static dap_status read_header(dap_file_call *call, dap_error *err)
{
  bool exists;
  const dap_file_options options = known_options(call);
  call->info = (dap_file_info){.ndim = -1, .order = DAP_ORDER_C};
  call->layout[0] = '\0';
  DAP_TRY(dap_posix_look(call->name.file, call->path, &exists, &call->bytes, err));
  if (!exists) return DAP_OK;
  DAP_TRY(ask_format(call, &options, err));
  if (!call->format->has_attributes && !call->has_array)
    DAP_TRY(dap_layout_text_read(call->name.file, call->layout, err));
  return DAP_OK;
}

dap_status dap_file_ask(dap_file_call *call, dap_error *err)
{
  const dap_status s = call->context->rank == 0 ? read_header(call, err) : DAP_OK;
  DAP_TRY(dap_file_tell(call, s, &call->info, sizeof call->info, err));
  DAP_TRY(dap_file_tell(call, s, &call->bytes, sizeof call->bytes, err));
  return call->has_array ? DAP_OK : dap_file_tell(call, s, call->layout, DAP_FILE_TEXT, err);
}

/* Checks that the target's type holds all values of the source's. */
static dap_status check_types(const dap_file_call *call, dap_error *err)
{
  const dap_dtype file = call->info.dtype, array = call->array.dtype;
  const dap_dtype from = call->saves ? array : file, to = call->saves ? file : array;
  DAP_REQUIRE(call->options.lossy || dap_dtype_holds(to, from), err, DAP_ERR_ARG,
              "%.300s: a cast from %s to %s can lose something; options.lossy allows it", call->path,
              dap_dtype_name(from), dap_dtype_name(to));
  return DAP_OK;
}

/* Adds a step after the last one. */
static dap_status append(dap_file_call *call, dap_error *err)
{
  const int ndim = call->array.ndim;
  DAP_REQUIRE(call->info.ndim == ndim + 1, err, DAP_ERR_ARG,
              "%.300s: an array with %d axes is a step of a dataset with %d, and this one has %d", call->path,
              ndim, ndim + 1, call->info.ndim);
  call->steps = ++call->info.shape[0];
  return DAP_OK;
}

static dap_status find_existing(dap_file_call *call, dap_error *err)
{
  DAP_TRY(dap_file_ask(call, err));
  if (call->info.ndim < 0) {
    if (!adds_datasets(call)) return dap_posix_fail(ENOENT, call->path, "cannot be opened", err);
    make_new(call);
    return DAP_OK;
  }
  call->access = call->saves ? DAP_FILE_WRITE : DAP_FILE_READ;
  return call->saves && call->options.mode == DAP_FILE_APPEND ? append(call, err) : DAP_OK;
}

static dap_status find_target(dap_file_call *call, dap_error *err)
{
  const dap_file_mode mode = call->options.mode;
  DAP_REQUIRE(!call->saves || mode != DAP_FILE_APPEND || call->format->can_append, err, DAP_ERR_UNSUPPORTED,
              "%.300s: steps cannot be appended to a %s file", call->path, call->format->name);
  DAP_REQUIRE(!call->saves || mode != DAP_FILE_APPEND || call->array.ndim < DAP_MAX_NDIM, err,
              DAP_ERR_UNSUPPORTED,
              "%.300s: a dataset of steps has one axis more than the array's %d, and at most %d", call->path,
              call->array.ndim, DAP_MAX_NDIM);
  if (call->saves && mode == DAP_FILE_REPLACE)
    make_new(call);
  else
    DAP_TRY(find_existing(call, err));
  if (!call->has_array) return DAP_OK;
  if (call->access == DAP_FILE_CREATE && call->format->has_attributes)
    DAP_TRY(dap_file_tell(call, DAP_OK, call->layout, DAP_FILE_TEXT, err));
  return check_types(call, err);
}

dap_status dap_file_find_target(dap_file_call *call, dap_error *err)
{
  const dap_status s = find_target(call, err);
  return dap_file_agree(call, s, err);
}
