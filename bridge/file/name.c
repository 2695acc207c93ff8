/* Which format and which dataset a path names. */
#include "file_impl.h"

#include <stdlib.h>
#include <string.h>

static bool ends_in(const char *text, size_t length, const char *ending)
{
  const size_t count = strlen(ending);
  return length > count && memcmp(text + length - count, ending, count) == 0;
}

static bool names_hdf5(const char *path, size_t length)
{
  return ends_in(path, length, ".h5") || ends_in(path, length, ".hdf5");
}

/* Whether the path is that of an HDF5 file, with a dataset or without. */
static bool is_hdf5(const char *path)
{
  const char *colon = strrchr(path, ':');
  return names_hdf5(path, strlen(path)) || (colon && names_hdf5(path, (size_t)(colon - path)));
}

/* The colon before a dataset. In "12:30.h5" and "12:30/u.h5" it belongs to the file. */
static char *find_colon(char *path)
{
  char *colon = strrchr(path, ':');
  const bool is_of_file =
      colon && colon[1] != '/' && names_hdf5(path, strlen(path)) && !names_hdf5(path, (size_t)(colon - path));
  return is_of_file ? NULL : colon;
}

static dap_status find_format(dap_file_call *call, dap_error *err)
{
  call->format = call->options.format;
  if (call->format) return DAP_OK;
  DAP_REQUIRE(!is_hdf5(call->path), err, DAP_ERR_UNSUPPORTED,
              "%.300s: HDF5 files need options.format = dap_file_hdf5() of dapbridge/hdf5.h", call->path);
  DAP_REQUIRE(
      ends_in(call->path, strlen(call->path), ".npy"), err, DAP_ERR_UNSUPPORTED,
      "%.300s: the path does not end in .npy; other files need options.format, such as dap_file_raw()",
      call->path);
  call->format = dap_file_npy();
  return DAP_OK;
}

dap_status dap_file_find_name(dap_file_call *call, dap_error *err)
{
  DAP_TRY(find_format(call, err));
  const size_t bytes = strlen(call->path) + 1;
  call->file = malloc(bytes);
  DAP_REQUIRE(call->file, err, DAP_ERR_NOMEM, "no memory for a path of %zu bytes", bytes);
  memcpy(call->file, call->path, bytes);
  call->name = (dap_file_name){.file = call->file, .shown = call->path};
  char *colon = call->format->has_datasets ? find_colon(call->file) : NULL;
  if (!colon) return DAP_OK;
  *colon = '\0';
  call->name.dataset = colon + 1;
  DAP_REQUIRE(colon > call->file, err, DAP_ERR_ARG, "%.300s: the path has no file before ':'", call->path);
  return DAP_OK;
}
