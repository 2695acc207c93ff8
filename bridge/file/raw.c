/* Reads and writes the format raw. The file has elements only, and the options say their shape and type. */
#include "file_impl.h"

#include <inttypes.h>

/* Takes the file for one axis, if no shape is given. */
static dap_status take_length(const dap_file_options *o, const char *shown, int64_t bytes,
                              dap_file_info *info, dap_error *err)
{
  const int64_t item = dap_dtype_size(info->dtype);
  DAP_REQUIRE(bytes >= o->offset && (bytes - o->offset) % item == 0, err, DAP_ERR_FILE,
              "%.300s: the file's %" PRId64 " bytes are not %" PRId64
              " of options.offset and elements of %" PRId64,
              shown, bytes, o->offset, item);
  info->ndim = 1;
  info->shape[0] = (bytes - o->offset) / item;
  return DAP_OK;
}

static dap_status query(const dap_file_format *format, const dap_file_name *name, const dap_file_options *o,
                        dap_file_info *info, char *layout, size_t capacity, dap_error *err)
{
  (void)format;
  if (capacity > 0) layout[0] = '\0';
  bool exists;
  int64_t bytes, needed;
  DAP_TRY(dap_posix_look(name->file, name->shown, &exists, &bytes, err));
  DAP_REQUIRE(o->dtype, err, DAP_ERR_ARG, "%.300s: a raw file does not say its type: set options.dtype",
              name->shown);
  *info = (dap_file_info){.ndim = o->ndim,
                          .dtype = o->dtype,
                          .swapped = o->swapped,
                          .order = o->order ? o->order : DAP_ORDER_C,
                          .offset = o->offset};
  for (int k = 0; k < o->ndim; k++) info->shape[k] = o->shape[k];
  if (!o->shape) return take_length(o, name->shown, bytes, info, err);
  DAP_TRY(dap_flat_length(info, name->shown, &needed, err));
  DAP_REQUIRE(bytes >= needed, err, DAP_ERR_FILE,
              "%.300s: the file has %" PRId64 " bytes, and the array needs %" PRId64, name->shown, bytes,
              needed);
  return DAP_OK;
}

static dap_status open_raw(const dap_file_format *format, MPI_Comm comm, const dap_file_name *name,
                           dap_file_access access, int64_t steps, const char *layout, dap_file_info *info,
                           void **state, dap_error *err)
{
  (void)format;
  (void)steps;
  (void)layout;
  return dap_flat_open(comm, name, access, info, NULL, state, err);
}

const dap_file_format *dap_file_raw(void)
{
  static const dap_file_format raw = {.version = DAP_FILE_FORMAT_VERSION,
                                      .name = "raw",
                                      .query = query,
                                      .open = open_raw,
                                      .read = dap_flat_read,
                                      .write = dap_flat_write,
                                      .close = dap_flat_close};
  return &raw;
}
