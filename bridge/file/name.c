/* Finds the format and the dataset that a path names. */
#include "file_impl.h"

#include <stdlib.h>
#include <string.h>

static bool ends_in(const char *text, size_t length, const char *ending)
{
  const size_t count = strlen(ending);
  return length > count && memcmp(text + length - count, ending, count) == 0;
}

/* Returns where the path of an HDF5 file ends: behind the first ".h5" or ".hdf5" that a colon or the end of
 * the text follows. NULL: it is not that of an HDF5 file. */
static const char *find_hdf5_end(const char *path)
{
  static const char *const endings[] = {".h5", ".hdf5"};
  for (const char *at = strchr(path, '.'); at; at = strchr(at + 1, '.'))
    for (int i = 0; i < 2; i++) {
      const size_t length = strlen(endings[i]);
      if (!strncmp(at, endings[i], length) && (at[length] == ':' || !at[length])) return at + length;
    }
  return NULL;
}

/* Returns the colon before a dataset: the one behind an ending of HDF5, or else the last one. NULL: none. */
static char *find_colon(char *path)
{
  const char *end = find_hdf5_end(path);
  if (end) return *end ? path + (end - path) : NULL;
  return strrchr(path, ':');
}

static dap_status find_format(dap_file_call *call, dap_error *err)
{
  call->format = call->options.format;
  if (call->format) return DAP_OK;
  DAP_REQUIRE(!find_hdf5_end(call->path), err, DAP_ERR_UNSUPPORTED,
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
