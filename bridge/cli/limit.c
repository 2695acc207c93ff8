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

/* The memory that is limited: allocations; on Linux without the stack, which can still grow. */
#ifdef __linux__
enum { LIMITED = RLIMIT_DATA };
#else
enum { LIMITED = RLIMIT_AS };
#endif

enum { LEAST = 1 << 24 /* bytes: enough to look at what any user has */ };
enum { MIB_SHIFT = 20 };
static const rlim_t MOST_MIB = INT64_MAX >> MIB_SHIFT;

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

/* Sets the soft limit to that many MiB, and asks whether the process gets one more MiB under it. */
static bool can_grow(const struct rlimit *before, int64_t mib)
{
  const size_t bytes = (size_t)1 << MIB_SHIFT;
  const struct rlimit limit = {.rlim_cur = (rlim_t)mib << MIB_SHIFT, .rlim_max = before->rlim_max};
  if (setrlimit(LIMITED, &limit)) return false;
  void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at != MAP_FAILED && !munmap(at, bytes);
}

/* Finds how many MiB the process has already, as the system counts them. These include the libraries it was
 * started with, which can be more than a limit. -1: the system keeps no limit. */
static int64_t count_used(const struct rlimit *before)
{
  const rlim_t hard = before->rlim_max >> MIB_SHIFT;
  int64_t granted = (int64_t)(hard < MOST_MIB ? hard : MOST_MIB);
  int64_t refused = 1; /* Linux does not keep a limit of 0 */
  const bool is_kept = !can_grow(before, refused);
  while (is_kept && granted - refused > 1) {
    const int64_t middle = refused + (granted - refused) / 2;
    if (can_grow(before, middle))
      granted = middle;
    else
      refused = middle;
  }
  (void)setrlimit(LIMITED, before);
  return is_kept ? granted - 1 : -1;
}

cli_limit cli_limit_memory(int64_t bytes)
{
  struct rlimit before;
  if (getrlimit(LIMITED, &before)) return CLI_LIMIT_NONE;
  const int64_t used = count_used(&before);
  if (used < 0) return CLI_LIMIT_NONE;
  const rlim_t most = ((rlim_t)used << MIB_SHIFT) + (rlim_t)bytes;
  if (before.rlim_cur != RLIM_INFINITY && before.rlim_cur <= most) return CLI_LIMIT_STRICTER;
  const struct rlimit limit = {.rlim_cur = most, .rlim_max = before.rlim_max};
  return setrlimit(LIMITED, &limit) ? CLI_LIMIT_NONE : CLI_LIMIT_SET;
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
