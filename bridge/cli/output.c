/* Files that are written. */
#include "cli_impl.h"

#include <errno.h>
#include <string.h>

static bool is_standard(const char *path)
{
  return !strcmp(path, "-");
}

static void complain(const char *path)
{
  (void)fprintf(stderr, "dapbridge: %s: cannot be written: %s\n", path, strerror(errno));
}

FILE *cli_open(const char *path)
{
  FILE *file = is_standard(path) ? stdout : fopen(path, "w");
  if (!file) complain(path);
  return file;
}

bool cli_close(FILE *file, const char *path)
{
  if (is_standard(path)) return true; /* main() looks at it */
  const bool had_error = ferror(file) != 0;
  if (fclose(file) == 0 && !had_error) return true;
  complain(path);
  return false;
}
