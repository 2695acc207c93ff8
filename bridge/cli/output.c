/* Files that are written: whole, or as they were. */
#define _XOPEN_SOURCE 700 /* fileno, mkstemp, realpath; NOLINT(bugprone-reserved-identifier) */
#include "cli_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Closes it; 0, or why not all of it could be written. */
static int finish(FILE *file)
{
  errno = 0;
  const bool failed = fflush(file) != 0 || ferror(file);
  const int code = errno;
  return fclose(file) == 0 && !failed ? 0 : code ? code : errno ? errno : EIO;
}

/* A device or a pipe, which stays where it is. Each of these returns 0, or errno. */
static int write_straight(const char *path, cli_put *put, const void *what)
{
  FILE *file = fopen(path, "w");
  if (!file) return errno;
  put(file, what);
  return finish(file);
}

/* The rights of the file that is replaced, or of a new one. */
static mode_t rights_of(const struct stat *old)
{
  if (old) return old->st_mode & 07777;
  const mode_t mask = umask(0);
  (void)umask(mask);
  return 0666 & ~mask;
}

/* To the file beside, which takes `path` then. */
static int write_beside(int beside, const char *name, const char *path, mode_t rights, cli_put *put,
                        const void *what)
{
  FILE *file = fdopen(beside, "w");
  if (!file) {
    const int code = errno;
    (void)close(beside);
    return code;
  }
  put(file, what);
  int code = fchmod(beside, rights) == 0 ? 0 : errno;
  const int written = finish(file);
  if (code == 0) code = written;
  if (code == 0 && rename(name, path) != 0) code = errno;
  return code;
}

/* A plain file, `old` if it is there, in one step: written beside, and renamed. */
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

/* Replaces the file that a link leads to, not the link. */
static int write_file(const char *path, cli_put *put, const void *what)
{
  struct stat status;
  if (stat(path, &status) != 0) return errno == ENOENT ? replace(path, NULL, put, what) : errno;
  if (!S_ISREG(status.st_mode)) return write_straight(path, put, what);
  char *real = realpath(path, NULL);
  if (!real) return errno;
  const int code = replace(real, &status, put, what);
  free(real);
  return code;
}

cli_exit cli_write(const char *path, cli_put *put, const void *what)
{
  if (!strcmp(path, "-")) {
    put(stdout, what); /* main() looks at it */
    return CLI_FINE;
  }
  const int code = write_file(path, put, what);
  if (code == 0) return CLI_FINE;
  (void)fprintf(stderr, "dapbridge: %s: cannot be written: %s\n", path,
                code == ENOMEM ? "no memory" : strerror(code));
  return CLI_UNREADABLE;
}
