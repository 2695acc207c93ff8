/* Makes the new file beside the old one, under another name, and renames it when all is written and
 * synced. */
#define _XOPEN_SOURCE 700 /* files; NOLINT(bugprone-reserved-identifier) */
#include "file_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- on rank 0 ------------------------------------------------------------------------------------- */

/* Draws a name beside `target` that no other process draws. NULL: no memory. */
static char *draw_name(const char *target)
{
  static const char form[] = ".dapbridge-%016" PRIx64;
  const char *slash = strrchr(target, '/');
  const size_t folder = slash ? (size_t)(slash - target) + 1 : 0, room = folder + sizeof form + 16;
  char *name = malloc(room);
  if (!name) return NULL;
  memcpy(name, target, folder);
  (void)snprintf(name + folder, room - folder, form, dap_process_draw());
  return name;
}

/* Makes an empty file beside `target`, with its mode if it exists. */
static dap_status make_beside(const char *target, const char *shown, char **beside, dap_error *err)
{
  struct stat old;
  char *name = draw_name(target);
  DAP_REQUIRE(name, err, DAP_ERR_NOMEM, "no memory for a path");
  const int fd = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  if (fd < 0) {
    const int code = errno;
    free(name);
    return dap_posix_fail(code, shown, "no file can be made in its directory", err);
  }
  if (stat(target, &old) == 0) (void)fchmod(fd, old.st_mode & 07777);
  (void)close(fd);
  *beside = name;
  return DAP_OK;
}

/* Refuses to replace a file with the name of the layout's that this library has not written. Such a file
 * stays if no layout is to be stored. */
static dap_status check_old_layout(const dap_file_call *call, dap_replacement *r, dap_error *err)
{
  const bool stores = call->layout[0] != '\0';
  bool exists = false;
  dap_error why = {0};
  if (call->format->has_attributes) return DAP_OK;
  const dap_status s = dap_layout_text_look(r->target, &exists, &r->has_old_layout, &why);
  if (s && (stores || s == DAP_ERR_NOMEM)) {
    *err = why;
    return s;
  }
  DAP_REQUIRE(
      !stores || !exists || r->has_old_layout, err, DAP_ERR_FILE,
      "%.300s.dap is in the way: it is not a layout that dapbridge has stored. Rename it, or do not store "
      "the layout",
      r->target);
  return DAP_OK;
}

static dap_status prepare(dap_file_call *call, dap_replacement *r, dap_error *err)
{
  bool exists;
  int64_t bytes;
  DAP_TRY(dap_posix_look(call->name.file, call->path, &exists, &bytes, err));
  DAP_TRY(dap_posix_follow(call->name.file, call->path, &r->target, err));
  if (exists && access(r->target, W_OK) != 0)
    return dap_posix_fail(errno, call->path, "must not be replaced", err);
  DAP_TRY(check_old_layout(call, r, err));
  return make_beside(r->target, call->path, &r->beside, err);
}

/* Writes the layout's text to a file that rename_both() renames. */
static dap_status write_layout(const dap_file_call *call, dap_replacement *r, dap_error *err)
{
  int fd = -1;
  if (call->format->has_attributes || !call->layout[0]) return DAP_OK;
  DAP_TRY(make_beside(r->target, call->path, &r->layout, err));
  DAP_TRY(dap_posix_open(r->layout, call->path, true, &fd, err));
  const dap_status s = dap_posix_write(fd, call->path, 0, call->layout, (int64_t)strlen(call->layout), err);
  const dap_status closed = dap_posix_close(fd, call->path, !s, s ? NULL : err);
  return s ? s : closed;
}

/* ---- on all ---------------------------------------------------------------------------------------- */

/* Lets all processes open the new file. The name of the dataset is copied behind that of the file. */
static dap_status use_beside(dap_file_call *call, const dap_replacement *r, dap_error *err)
{
  int length = r->beside ? (int)strlen(r->beside) + 1 : 0;
  DAP_TRY(dap_file_tell(call, DAP_OK, &length, sizeof length, err));
  const char *dataset = call->name.dataset ? call->name.dataset : "";
  char *file = malloc((size_t)length + strlen(dataset) + 1);
  const dap_status s = file ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a path");
  if (file && r->beside) memcpy(file, r->beside, (size_t)length);
  const dap_status told = dap_file_tell(call, s, file, length, err);
  if (told || !file) {
    free(file);
    return told;
  }
  memcpy(file + length, dataset, strlen(dataset) + 1);
  free(call->file);
  call->file = file;
  call->name.file = file;
  if (call->name.dataset) call->name.dataset = file + length;
  return DAP_OK;
}

dap_status dap_replacement_begin(dap_file_call *call, dap_replacement *r, dap_error *err)
{
  dap_status s = call->context->rank == 0 ? prepare(call, r, err) : DAP_OK;
  DAP_TRY(dap_file_agree(call, s, err));
  call->bytes = 0;
  return use_beside(call, r, err);
}

/* ---- the end --------------------------------------------------------------------------------------- */

/* Syncs the directory, so that the new names last. On file systems that cannot do this nothing is done. */
static void sync_folder(const char *file)
{
  const char *slash = strrchr(file, '/');
  char folder[PATH_MAX] = ".";
  if (slash && slash - file + 1 < PATH_MAX) {
    memcpy(folder, file, (size_t)(slash - file) + 1);
    folder[slash - file + 1] = '\0';
  }
  const int fd = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
  if (fd < 0) return;
  (void)fsync(fd);
  (void)close(fd);
}

/* Gives both files their names. The layout of an older array does not stay beside the new one. */
static dap_status rename_both(const dap_file_call *call, dap_replacement *r, dap_error *err)
{
  char *layout = dap_layout_text_name(r->target);
  DAP_REQUIRE(layout, err, DAP_ERR_NOMEM, "no memory for a path");
  dap_status s = DAP_OK;
  if (rename(r->beside, r->target) != 0) {
    s = dap_posix_fail(errno, call->path, "cannot be renamed", err);
  } else {
    free(r->beside);
    r->beside = NULL;
    if (!r->layout && r->has_old_layout) (void)unlink(layout);
    if (r->layout && rename(r->layout, layout) != 0)
      s = dap_posix_fail(errno, call->path, "is saved, but its layout's file cannot be renamed", err);
    sync_folder(r->target);
  }
  free(layout);
  return s;
}

dap_status dap_replacement_end(dap_file_call *call, dap_replacement *r, dap_status status, dap_error *err)
{
  const bool is_first = call->context->rank == 0;
  dap_status s = status;
  if (!s && is_first) s = write_layout(call, r, err);
  if (!s && is_first) s = rename_both(call, r, err);
  if (s && r->beside) (void)unlink(r->beside);
  if (s && r->layout) (void)unlink(r->layout);
  free(r->target);
  free(r->beside);
  free(r->layout);
  return status ? status : dap_file_agree(call, s, err);
}
