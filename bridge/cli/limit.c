/* Limits on what a document can cost: three bytes of it can be a process, which takes a thousand to look at,
 * and has a line said of it. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS; NOLINT(bugprone-reserved-identifier) */
#include "cli_impl.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

/* What is allocated; on Linux without the stack, which then can still grow. */
#ifdef __linux__
enum { LIMITED = RLIMIT_DATA };
#else
enum { LIMITED = RLIMIT_AS };
#endif

enum { LEAST = 1 << 24 /* bytes: the program's own, and to look at what any user has */ };

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

/* Whether there still is memory at all: a sanitizer's run time has more than any limit already. */
static bool can_allocate(void)
{
  const size_t bytes = 1 << 20;
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at != MAP_FAILED && !munmap(at, bytes);
}

bool cli_limit_memory(int64_t bytes)
{
  struct rlimit before;
  if (getrlimit(LIMITED, &before)) return false;
  const struct rlimit limit = {.rlim_cur = (rlim_t)bytes, .rlim_max = before.rlim_max};
  if (before.rlim_cur != RLIM_INFINITY && before.rlim_cur <= limit.rlim_cur) return false;
  if (setrlimit(LIMITED, &limit)) return false;
  if (can_allocate()) return true;
  (void)setrlimit(LIMITED, &before);
  return false;
}

void cli_complain_memory(const cli_options *options, const char *what, const char *where, const char *text)
{
  (void)fprintf(stderr, "%s%s: %s", what, where, text);
  if (options->memory) (void)fprintf(stderr, "; it may take %s, --memory SIZE allows more", options->memory);
  (void)fprintf(stderr, "\n");
}

cli_exit cli_no_memory(const cli_case *c)
{
  cli_complain_memory(c->options, "", c->where, "no memory to say what it is");
  return CLI_UNREADABLE;
}
