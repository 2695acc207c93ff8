/* Writes files whole, or leaves them as they were. */
#define _XOPEN_SOURCE 700 /* fileno, mkstemp, realpath; NOLINT(bugprone-reserved-identifier) */
#include "cli_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Closes a file. This and the following functions return 0, or errno if not all could be written. */
static int finish(FILE *file)
{
  errno = 0;
  const bool failed = fflush(file) != 0 || ferror(file);
  const int code = errno;
  return fclose(file) == 0 && !failed ? 0 : code ? code : errno ? errno : EIO;
}

/* Writes to a new stream and closes it. NULL: opening it has failed. */
static int write_stream(FILE *file, cli_put *put, const void *what)
{
  if (!file) return errno;
  put(file, what);
  return finish(file);
}

/* Returns the rights of the file that is replaced, or of a new one. */
static mode_t rights_of(const struct stat *old)
{
  if (old) return old->st_mode & 07777;
  const mode_t mask = umask(0);
  (void)umask(mask);
  return 0666 & ~mask;
}

/* Writes to the file `beside`, which then takes the name `path`. */
static int write_beside(int beside, const char *name, const char *path, mode_t rights, cli_put *put,
                        const void *what)
{
  int code = fchmod(beside, rights) == 0 ? 0 : errno;
  FILE *file = fdopen(beside, "w");
  const int written = write_stream(file, put, what);
  if (!file) (void)close(beside);
  if (code == 0) code = written;
  if (code == 0 && rename(name, path) != 0) code = errno;
  return code;
}

/* Replaces a plain file in one step: it writes a file beside it and renames that. `old` is NULL for a new
 * file. */
static int replace(const char *path, const struct stat *old, cli_put *put, const void *what)
{
  if (old && access(path, W_OK) != 0) return errno;
  const size_t size = strlen(path) + sizeof ".XXXXXX";
  char *name = malloc(size);
  if (!name) return ENOMEM;
  (void)snprintf(name, size, "%s.XXXXXX", path);
  const int beside = mkstemp(name);
  int code = beside >= 0 ? 0 : errno;
  if (code == 0) {
    code = write_beside(beside, name, path, rights_of(old), put, what);
    if (code != 0) (void)remove(name);
  }
  free(name);
  return code;
}

/* Writes a file. It replaces the file that a link leads to, not the link, and writes straight to devices and
 * pipes. */
static int write_file(const char *path, cli_put *put, const void *what)
{
  struct stat status;
  if (stat(path, &status) != 0) return errno == ENOENT ? replace(path, NULL, put, what) : errno;
  if (!S_ISREG(status.st_mode)) return write_stream(fopen(path, "w"), put, what);
  char *real = realpath(path, NULL);
  if (!real) return errno;
  const int code = replace(real, &status, put, what);
  free(real);
  return code;
}

cli_exit cli_write(const char *path, cli_put *put, const void *what)
{
  if (!strcmp(path, "-")) {
    put(stdout, what); /* main() checks it */
    return CLI_FINE;
  }
  const int code = write_file(path, put, what);
  if (code == 0) return CLI_FINE;
  (void)fprintf(stderr, "dapbridge: %s: cannot be written: %s\n", path,
                code == ENOMEM ? "no memory" : strerror(code));
  return CLI_UNREADABLE;
}
