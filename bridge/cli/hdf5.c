/* Reads what an HDF5 file says of a dataset. The format is in a library of its own, which the command loads
 * only for such a file, so that it runs without HDF5. */
#define _XOPEN_SOURCE 700 /* strndup(), S_ISREG(); NOLINT(bugprone-reserved-identifier) */
#include "check.h"
#include "cli_impl.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define OTHERS "; h5dump -H and h5py describe such files, too"

/* Finds where the path of the file ends, as bridge/file/name.c does. NULL: it is not that of an HDF5 file. */
static const char *find_end(const char *path)
{
  static const char *const endings[] = {".h5", ".hdf5"};
  for (const char *at = strchr(path, '.'); at; at = strchr(at + 1, '.'))
    for (int i = 0; i < 2; i++) {
      const size_t length = strlen(endings[i]);
      if (!strncmp(at, endings[i], length) && (at[length] == ':' || !at[length])) return at + length;
    }
  return NULL;
}

bool cli_is_hdf5(const char *path)
{
  return find_end(path) != NULL;
}

/* Loads the library and finds the format. */
static dap_status find_format(const dap_file_format **format, dap_error *err)
{
#ifdef DAP_CLI_HDF5 /* name of the library */
  const dap_file_format *(*find)(void) = NULL;
  void *library = dlopen(DAP_CLI_HDF5, RTLD_NOW | RTLD_LOCAL);
  void *symbol = library ? dlsym(library, "dap_file_hdf5") : NULL;
  DAP_REQUIRE(symbol, err, DAP_ERR_UNSUPPORTED, "the library for HDF5 files cannot be loaded: %.200s" OTHERS,
              dlerror());
  memcpy(&find, &symbol, sizeof find); /* C has no cast from a pointer to data to one to a function */
  *format = find();
  return DAP_OK;
#else
  (void)format;
  return dap_fail(err, DAP_ERR_UNSUPPORTED, "this command was built without HDF5" OTHERS);
#endif
}

/* Asks the format, which takes a regular file or none. */
static dap_status query(const dap_file_name *name, dap_file_info *info, char *layout, size_t capacity,
                        dap_error *err)
{
  const dap_file_format *format = NULL;
  const dap_file_options options = {.mode = DAP_FILE_REPLACE};
  struct stat found;
  DAP_REQUIRE(stat(name->file, &found) != 0 || S_ISREG(found.st_mode), err, DAP_ERR_FILE,
              "%.300s is not a regular file", name->file);
  DAP_TRY(find_format(&format, err));
  return format->query(format, name, &options, info, layout, capacity, err);
}

dap_status cli_read_hdf5(const char *path, dap_file_info *info, char *layout, size_t capacity, dap_error *err)
{
  const char *end = find_end(path);
  char *file = strndup(path, (size_t)(end - path));
  DAP_REQUIRE(file, err, DAP_ERR_NOMEM, "no memory for a path");
  const dap_file_name name = {.file = file, .dataset = *end ? end + 1 : NULL, .shown = path};
  const dap_status s = query(&name, info, layout, capacity, err);
  free(file);
  return s;
}
