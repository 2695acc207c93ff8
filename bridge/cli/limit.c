/* Limits what a document can cost. Three bytes of it can be a process, for which the command needs a thousand
 * bytes, and prints a line. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS; NOLINT(bugprone-reserved-identifier) */
#include "cli_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LIMITED = RLIMIT_DATA }; /* limits allocated memory, but not the stack */
enum { MIB = 1 << 20, LEAST = 16 * MIB /* bytes, which are enough for the documents of most users */ };

bool cli_read_number(const char *text, long *number)
{
  char *end;
  errno = 0;
  *number = strtol(text, &end, 10);
  return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

bool cli_read_size(const char *text, int64_t *bytes)
{
  static const char units[] = "KMGT";
  char *end;
  errno = 0;
  *bytes = strtoll(text, &end, 10);
  const char *unit = *end ? strchr(units, *end) : NULL;
  if (*text < '0' || *text > '9' || errno || (*end && (!unit || end[1]))) return false;
  const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
  if (*bytes > INT64_MAX >> shift) return false;
  *bytes <<= shift;
  return *bytes >= LEAST;
}

/* Returns whether the system keeps a limit. Under a limit of 1 MiB this process must not get a MiB more. */
static bool is_kept(const struct rlimit *before)
{
  const struct rlimit limit = {.rlim_cur = MIB, .rlim_max = before->rlim_max};
  if (setrlimit(LIMITED, &limit)) return false;
  void *at = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool is_refused = at == MAP_FAILED;
  if (!is_refused) (void)munmap(at, MIB);
  return !setrlimit(LIMITED, before) && is_refused;
}

/* Returns the bytes that the process has already, as Linux counts them (proc(5), statm, the sixth number);
 * -1: the system does not tell. The libraries that it was started with can have more than a limit. This
 * allocates nothing, because the process may have a limit already. */
static int64_t count_used(void)
{
  enum { DATA = 6 };
  char line[256] = "", *at = line;
  const int file = open("/proc/self/statm", O_RDONLY);
  const bool is_read = file >= 0 && read(file, line, sizeof line - 1) > 0;
  int64_t pages = -1;
  for (int i = 0; is_read && i < DATA; i++) pages = strtoll(at, &at, 10);
  if (file >= 0) (void)close(file);
  return pages < 0 ? -1 : pages * (int64_t)sysconf(_SC_PAGESIZE);
}

cli_limit cli_limit_memory(int64_t bytes)
{
  struct rlimit before;
  const int64_t used = count_used();
  if (used < 0 || getrlimit(LIMITED, &before) || !is_kept(&before)) return CLI_LIMIT_NONE;
  const rlim_t most = (rlim_t)used + (rlim_t)bytes;
  if (before.rlim_cur != RLIM_INFINITY && before.rlim_cur <= most) return CLI_LIMIT_STRICTER;
  const struct rlimit limit = {.rlim_cur = most, .rlim_max = before.rlim_max};
  return setrlimit(LIMITED, &limit) ? CLI_LIMIT_NONE : CLI_LIMIT_SET;
}

cli_exit cli_complain(const cli_options *options, dap_status status, const char *where, const char *text)
{
  (void)fprintf(stderr, "dapbridge: %s: %s", where, text);
  if (status == DAP_ERR_NOMEM && options->memory)
    (void)fprintf(stderr, "; it may take %s, --memory SIZE allows more", options->memory);
  (void)fprintf(stderr, "\n");
  return CLI_UNREADABLE;
}

cli_exit cli_no_memory(const cli_case *c)
{
  return cli_complain(c->options, DAP_ERR_NOMEM, c->where, "no memory to describe it");
}
