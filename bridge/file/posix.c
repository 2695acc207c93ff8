/* Calls the system's functions of files, and puts each failure in words, with the caller's path. */
#define _XOPEN_SOURCE 700 /* files; NOLINT(bugprone-reserved-identifier) */
#include "file_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 1 << 30 /* bytes of a read or write */ };

dap_status dap_posix_fail(int code, const char *shown, const char *what, dap_error *err)
{
  return dap_fail(err, DAP_ERR_FILE, "%.300s: %s: %s", shown, what, strerror(code));
}

static const char *kind_of(mode_t mode)
{
  return S_ISDIR(mode) ? "a directory" : S_ISFIFO(mode) ? "a pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
}

dap_status dap_posix_look(const char *file, const char *shown, bool *exists, int64_t *bytes, dap_error *err)
{
  struct stat found;
  *exists = false;
  *bytes = 0;
  if (stat(file, &found) != 0)
    return errno == ENOENT ? DAP_OK : dap_posix_fail(errno, shown, "cannot be opened", err);
  DAP_REQUIRE(S_ISREG(found.st_mode), err, DAP_ERR_FILE, "%.300s: the path is that of %s, not of a file",
              shown, kind_of(found.st_mode));
  *exists = true;
  *bytes = found.st_size;
  return DAP_OK;
}

dap_status dap_posix_follow(const char *file, const char *shown, char **target, dap_error *err)
{
  struct stat link;
  const bool is_link = lstat(file, &link) == 0 && S_ISLNK(link.st_mode);
  const size_t bytes = is_link ? PATH_MAX : strlen(file) + 1;
  *target = malloc(bytes);
  DAP_REQUIRE(*target, err, DAP_ERR_NOMEM, "no memory for a path of %zu bytes", bytes);
  if (!is_link)
    memcpy(*target, file, bytes);
  else if (!realpath(file, *target))
    return dap_posix_fail(errno, shown, "the link cannot be followed", err);
  return DAP_OK;
}

dap_status dap_posix_open(const char *file, const char *shown, bool writes, int *fd, dap_error *err)
{
  *fd = open(file, (writes ? O_WRONLY : O_RDONLY) | O_CLOEXEC | O_NONBLOCK);
  return *fd >= 0 ? DAP_OK : dap_posix_fail(errno, shown, "cannot be opened", err);
}

dap_status dap_posix_read(int fd, const char *shown, int64_t at, void *data, int64_t bytes, dap_error *err)
{
  char *to = data;
  while (bytes > 0) {
    const ssize_t count = pread(fd, to, (size_t)dap_smaller(bytes, MOST), at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return dap_posix_fail(errno, shown, "cannot be read", err);
    DAP_REQUIRE(count > 0, err, DAP_ERR_FILE, "%.300s: the file ends at byte %" PRId64 ", within the array",
                shown, at);
    to += count;
    at += count;
    bytes -= count;
  }
  return DAP_OK;
}

dap_status dap_posix_write(int fd, const char *shown, int64_t at, const void *data, int64_t bytes,
                           dap_error *err)
{
  const char *from = data;
  while (bytes > 0) {
    const ssize_t count = pwrite(fd, from, (size_t)dap_smaller(bytes, MOST), at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return dap_posix_fail(count < 0 ? errno : ENOSPC, shown, "cannot be written", err);
    from += count;
    at += count;
    bytes -= count;
  }
  return DAP_OK;
}

dap_status dap_posix_close(int fd, const char *shown, bool syncs, dap_error *err)
{
  dap_status s = DAP_OK;
  if (syncs && fsync(fd) != 0) s = dap_posix_fail(errno, shown, "cannot be synced", err);
  if (close(fd) != 0 && !s) s = dap_posix_fail(errno, shown, "cannot be closed", err);
  return s;
}
