/* Files that are written: whole, or not at all. */
#define _POSIX_C_SOURCE 200809L /* fileno; NOLINT(bugprone-reserved-identifier) */
#include "cli_impl.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static cli_exit complain(const char *path, int code)
{
  (void)fprintf(stderr, "dapbridge: %s: cannot be written: %s\n", path, strerror(code));
  return CLI_UNREADABLE;
}

/* Not a device or a pipe, which stays where it is. */
static bool is_plain(FILE *file)
{
  struct stat status;
  return fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode);
}

/* Closes it; 0, or why not all of it could be written. */
static int finish(FILE *file)
{
  errno = 0;
  const bool failed = fflush(file) != 0 || ferror(file);
  const int code = errno;
  return fclose(file) == 0 && !failed ? 0 : code ? code : errno ? errno : EIO;
}

cli_exit cli_write(const char *path, cli_put *put, const void *what)
{
  if (!strcmp(path, "-")) {
    put(stdout, what); /* main() looks at it */
    return CLI_FINE;
  }
  FILE *file = fopen(path, "w");
  if (!file) return complain(path, errno);
  put(file, what);
  const bool plain = is_plain(file);
  const int code = finish(file);
  if (code == 0) return CLI_FINE;
  if (plain) (void)remove(path);
  return complain(path, code);
}
