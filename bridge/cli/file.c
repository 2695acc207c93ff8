/* Reads headers of files with arrays, and the layouts that are stored with these. */
#define _XOPEN_SOURCE 700 /* realpath(), S_ISREG(); NOLINT(bugprone-reserved-identifier) */
#include "check.h"
#include "cli_impl.h"

#include <dapbridge/parse.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TEXT = 1 << 16 /* bytes of a stored layout, with the closing NUL */ };

bool cli_is_file(const char *path)
{
  const char *ending = strrchr(path, '.');
  return (ending && ending > path && !strcmp(ending, ".npy")) || cli_is_hdf5(path);
}

/* Reads the text that is stored beside the file, and not beside a link to it. Without one it is empty. */
static void read_text(const char *path, char text[TEXT])
{
  char name[PATH_MAX + sizeof ".dap"];
  struct stat found;
  text[0] = '\0';
  if (!realpath(path, name)) return;
  memcpy(name + strlen(name), ".dap", sizeof ".dap");
  FILE *stream = stat(name, &found) == 0 && S_ISREG(found.st_mode) ? fopen(name, "rb") : NULL;
  if (!stream) return;
  const size_t length = fread(text, 1, TEXT, stream);
  (void)fclose(stream);
  text[length < TEXT ? length : 0] = '\0';
}

static bool has_shape(const dap_layout *layout, const dap_file_info *info)
{
  if (dap_layout_ndim(layout) != info->ndim) return false;
  for (int k = 0; k < info->ndim; k++)
    if (dap_layout_size(layout, k) != info->shape[k]) return false;
  return true;
}

/* Takes the stored layout if it has the array's shape. Otherwise info->note says why not. */
static void take_stored(const char *text, dap_file_info *info, dap_layout **layout)
{
  dap_error err = {0};
  if (!*text)
    (void)snprintf(info->note, sizeof info->note, "no layout is stored with the array");
  else if (dap_layout_parse(text, layout, &err))
    (void)snprintf(info->note, sizeof info->note, "the stored layout cannot be read: %.400s", err.text);
  else if (!has_shape(*layout, info)) {
    (void)snprintf(info->note, sizeof info->note, "the stored layout has another shape than the array");
    dap_layout_destroy(layout);
  }
  info->has_layout = *layout;
}

static dap_status read_npy(const char *path, dap_file_info *info, char text[TEXT], dap_error *err)
{
  const dap_file_format *format = dap_file_npy();
  const dap_file_name name = {.file = path, .shown = path};
  const dap_file_options options = {0};
  DAP_TRY(format->query(format, &name, &options, info, text, TEXT, err));
  read_text(path, text);
  return DAP_OK;
}

dap_status cli_read_file(const char *path, dap_file_info *info, dap_layout **layout, dap_error *err)
{
  dap_dist dists[DAP_MAX_NDIM];
  *info = (dap_file_info){0};
  *layout = NULL;
  char *text = calloc(1, TEXT);
  if (!text) return dap_fail(err, DAP_ERR_NOMEM, "no memory for a layout");
  dap_status s =
      cli_is_hdf5(path) ? cli_read_hdf5(path, info, text, TEXT, err) : read_npy(path, info, text, err);
  if (!s) take_stored(text, info, layout);
  free(text);
  if (s || *layout) return s;
  for (int k = 0; k < info->ndim; k++) dists[k] = dap_dist_even(info->shape[k], 1);
  return dap_layout_create(info->ndim, dists, layout, err);
}
