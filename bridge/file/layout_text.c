/* Stores the layout of an array as its short text, and reads it. HDF5 has it in the file, other formats
 * beside it. */
#include "file_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dap_layout_text_make(const dap_file_call *call, char text[DAP_FILE_TEXT])
{
  text[0] = '\0';
  if (call->options.drop_layout || call->context->rank > 0) return;
  const size_t length = dap_layout_format(call->local.layout, text, DAP_FILE_TEXT);
  if (length >= DAP_FILE_TEXT || strstr(text, "[?]")) text[0] = '\0';
}

char *dap_layout_text_name(const char *file)
{
  const size_t room = strlen(file) + sizeof ".dap";
  char *name = malloc(room);
  if (name) (void)snprintf(name, room, "%s.dap", file);
  return name;
}

/* ---- read ------------------------------------------------------------------------------------------ */

dap_status dap_layout_text_read(const char *file, char text[DAP_FILE_TEXT], dap_error *err)
{
  bool exists;
  int64_t bytes;
  int fd = -1;
  char *target = NULL;
  const bool is_found = dap_posix_follow(file, file, &target, NULL) == DAP_OK;
  char *name = dap_layout_text_name(is_found ? target : file);
  free(target);
  DAP_REQUIRE(name, err, DAP_ERR_NOMEM, "no memory for a path");
  text[0] = '\0';
  /* An error here is not one of the call, because the array can be loaded without its layout. */
  const bool can_read = dap_posix_look(name, name, &exists, &bytes, NULL) == DAP_OK && exists &&
                        bytes < DAP_FILE_TEXT && dap_posix_open(name, name, false, &fd, NULL) == DAP_OK;
  if (can_read) {
    const bool failed = dap_posix_read(fd, name, 0, text, bytes, NULL) != DAP_OK;
    text[failed ? 0 : bytes] = '\0';
    (void)dap_posix_close(fd, name, false, NULL);
  }
  free(name);
  return DAP_OK;
}

/* Sets *is_layout to whether the text beside `file` is that of a layout. */
static dap_status read_as_layout(const char *file, bool *is_layout, dap_error *err)
{
  dap_layout *layout = NULL;
  dap_error why = {0};
  char *text = malloc(DAP_FILE_TEXT);
  DAP_REQUIRE(text, err, DAP_ERR_NOMEM, "no memory for the text of a layout");
  dap_status s = dap_layout_text_read(file, text, err);
  if (!s) {
    const dap_status parsed = dap_layout_parse(text, &layout, &why);
    *is_layout = parsed == DAP_OK;
    if (parsed == DAP_ERR_NOMEM) s = dap_fail(err, DAP_ERR_NOMEM, "%s", why.text);
  }
  dap_layout_destroy(&layout);
  free(text);
  return s;
}

dap_status dap_layout_text_look(const char *file, bool *exists, bool *is_layout, dap_error *err)
{
  int64_t bytes;
  *is_layout = false;
  char *name = dap_layout_text_name(file);
  DAP_REQUIRE(name, err, DAP_ERR_NOMEM, "no memory for a path");
  const dap_status s = dap_posix_look(name, name, exists, &bytes, err);
  free(name);
  return s || !*exists ? s : read_as_layout(file, is_layout, err);
}

/* ---- used ------------------------------------------------------------------------------------------ */

/* Returns whether the layout has the shape of the file's array and the communicator's number of processes. */
static bool fits(const dap_file_call *call, const dap_layout *layout, char note[DAP_ERROR_TEXT])
{
  const int nprocs = dap_layout_nprocs(layout);
  bool same = dap_layout_ndim(layout) == call->info.ndim;
  for (int k = 0; k < call->info.ndim && same; k++) same = dap_layout_size(layout, k) == call->info.shape[k];
  if (!same)
    (void)snprintf(note, DAP_ERROR_TEXT, "the stored layout has another shape than the array");
  else if (nprocs != call->context->nprocs)
    (void)snprintf(note, DAP_ERROR_TEXT, "the stored layout has %d process%s, and the communicator %d",
                   nprocs, nprocs == 1 ? "" : "es", call->context->nprocs);
  return same && nprocs == call->context->nprocs;
}

/* Returns whether an array of the layout can be loaded. Addends cannot: the file has their sums. */
static bool can_be_loaded(const dap_layout *layout, char note[DAP_ERROR_TEXT])
{
  for (int k = 0; k < dap_layout_ndim(layout); k++)
    if (dap_layout_axis(layout, k).partial) {
      (void)snprintf(note, DAP_ERROR_TEXT, "axis %d of the stored layout is partial", k);
      return false;
    }
  return true;
}

/* Returns the stored layout of the file's array. NULL, with a note: there is none that fits. */
static dap_layout *find_stored(const dap_file_call *call, char note[DAP_ERROR_TEXT])
{
  dap_layout *layout = NULL;
  dap_error why = {0};
  if (!call->layout[0]) {
    (void)snprintf(note, DAP_ERROR_TEXT, "no layout is stored with the array");
    return NULL;
  }
  if (dap_layout_parse(call->layout, &layout, &why) != DAP_OK)
    (void)snprintf(note, DAP_ERROR_TEXT, "the stored layout cannot be read: %.400s", why.text);
  else if (!fits(call, layout, note) || !can_be_loaded(layout, note))
    dap_layout_destroy(&layout);
  return layout;
}

/* Returns the layout of the part that is asked for, and destroys that of the whole. NULL, with a note: it
 * cannot be cut. */
static dap_layout *take_part(const dap_file_call *call, dap_layout *whole, char note[DAP_ERROR_TEXT])
{
  dap_layout *layout = NULL;
  dap_error why = {0};
  const dap_part *part = &call->options.part;
  if (part->axes)
    (void)snprintf(note, DAP_ERROR_TEXT, "the part has other axes than the stored layout");
  else if (dap_layout_part(whole, part, &layout, NULL, &why) != DAP_OK)
    (void)snprintf(note, DAP_ERROR_TEXT, "the stored layout cannot be cut: %.400s", why.text);
  dap_layout_destroy(&whole);
  return layout;
}

/* Makes even blocks of the first axis. */
static dap_status make_slabs(const dap_file_call *call, const dap_layout *part, dap_layout **layout,
                             dap_error *err)
{
  dap_dist dists[DAP_MAX_NDIM];
  const int ndim = dap_layout_ndim(part);
  for (int k = 0; k < ndim; k++)
    dists[k] = dap_dist_even(dap_layout_size(part, k), k == 0 ? call->context->nprocs : 1);
  return dap_layout_create(ndim, dists, layout, err);
}

dap_status dap_layout_text_use(dap_file_call *call, dap_layout **layout, dap_error *err)
{
  dap_layout *whole = NULL, *part = NULL;
  int ranks[1];
  *layout = find_stored(call, call->info.note);
  if (*layout) *layout = take_part(call, *layout, call->info.note);
  call->info.has_layout = *layout != NULL;
  if (*layout) return DAP_OK;
  DAP_TRY(dap_file_whole_layout(call, &whole, err));
  dap_status s = dap_layout_part(whole, &call->options.part, &part, ranks, err);
  if (!s) s = make_slabs(call, part, layout, err);
  dap_layout_destroy(&whole);
  dap_layout_destroy(&part);
  return s;
}
