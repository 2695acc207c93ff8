/* Tests memory limits, which are relative to the memory that a process has at its start; some MPI libraries
 * take more than the limit before. Each row runs in its own process, because a process keeps its limit.
 * Private: the system's answers are pretended. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS; NOLINT(bugprone-reserved-identifier) */
#include "cli_impl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { LIMITED = RLIMIT_DATA, MIB = 1 << 20 };

/* Behaviour of the system for setrlimit(), which the linker redirects to this file. */
typedef enum kind { KEEPS, IGNORES, REFUSES } kind;
static kind system_kind = KEEPS;

int __real_setrlimit(int resource, const struct rlimit *limit); /* NOLINT(bugprone-reserved-identifier) */
int __wrap_setrlimit(int resource, const struct rlimit *limit); /* NOLINT(bugprone-reserved-identifier) */
int __wrap_setrlimit(int resource, const struct rlimit *limit)  /* NOLINT(bugprone-reserved-identifier) */
{
  if (system_kind == KEEPS) return __real_setrlimit(resource, limit);
  return system_kind == IGNORES ? 0 : -1;
}

static void *take(int64_t mib)
{
  void *at = mmap(NULL, (size_t)mib * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? NULL : at;
}

static bool can_take(int64_t mib)
{
  void *at = take(mib);
  return at && !munmap(at, (size_t)mib * MIB);
}

typedef struct limit_row {
  const char *why;
  int64_t start;    /* MiB that the process takes before the limit is set */
  int64_t stricter; /* MiB of an earlier limit; 0: none */
  int64_t bytes;
  int64_t granted, refused; /* MiB: an allocation of this size must succeed, or fail; 0: not tried */
  cli_limit want;
  kind kind;
} limit_row;

static const limit_row rows[] = {
    {"what a test has at its start", 0, 0, 16 * MIB, 14, 18, CLI_LIMIT_SET, KEEPS},
    {"libraries take as much as the limit", 16, 0, 16 * MIB, 14, 18, CLI_LIMIT_SET, KEEPS},
    {"libraries take more than the limit", 64, 0, 16 * MIB, 14, 18, CLI_LIMIT_SET, KEEPS},
    {"far more", 3000, 0, 16 * MIB, 14, 18, CLI_LIMIT_SET, KEEPS},
    {"a limit above what is there", 64, 0, (int64_t)1024 * MIB, 1022, 1026, CLI_LIMIT_SET, KEEPS},
    {"the largest size", 64, 0, INT64_MAX, 1024, 0, CLI_LIMIT_SET, KEEPS},
    {"a stricter limit is there", 0, 1, 16 * MIB, 0, 18, CLI_LIMIT_STRICTER, KEEPS},
    {"and what is there is above it", 64, 1, 16 * MIB, 0, 2, CLI_LIMIT_STRICTER, KEEPS},
    {"a wider limit is there", 0, 1LL << 42, 16 * MIB, 14, 18, CLI_LIMIT_SET, KEEPS},
    {"the system ignores limits", 64, 0, 16 * MIB, 14, 0, CLI_LIMIT_NONE, IGNORES},
    {"the system refuses limits", 64, 0, 16 * MIB, 14, 0, CLI_LIMIT_NONE, REFUSES},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* Tests a row. Returns NULL, or a text about the fault. */
static const char *try_row(const limit_row *row)
{
  if (row->start && !take(row->start)) return "there is no memory to begin with";
  struct rlimit before;
  if (getrlimit(LIMITED, &before)) return "the limit cannot be asked for";
  if (row->stricter) before.rlim_cur = (rlim_t)row->stricter * MIB;
  if (__real_setrlimit(LIMITED, &before)) return "no limit can be set";
  system_kind = row->kind;
  if (cli_limit_memory(row->bytes) != row->want) return "another answer";
  if (row->granted && !can_take(row->granted)) return "less is granted";
  if (row->refused && can_take(row->refused)) return "more is granted";
  return NULL;
}

/* Runs `child` in its own process and returns its exit status. */
static int apart(int (*child)(const void *), const void *context)
{
  (void)fflush(NULL);
  const pid_t pid = fork();
  if (pid == 0) _exit(child(context));
  int status = -1;
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int child_of_row(const void *context)
{
  const limit_row *row = context;
  const char *fault = try_row(row);
  if (fault) (void)dprintf(STDERR_FILENO, "%s: %s\n", row->why, fault);
  return fault ? 1 : 0;
}

static void check_limits(void **state)
{
  (void)state;
  for (int i = 0; i < ROWS; i++)
    if (apart(child_of_row, &rows[i])) fail_msg("%s", rows[i].why);
}

typedef struct told_row {
  const char *why;
  char *arguments[4]; /* arguments of the command */
  kind kind;
  cli_exit want;
  const char *said; /* text on standard error */
} told_row;

static const told_row told[] = {
    {"the system keeps it", {"layout", "-m", "16M", "4 on 2"}, KEEPS, CLI_FINE, ""},
    {"the system ignores it",
     {"layout", "-m", "16M", "4 on 2"},
     IGNORES,
     CLI_UNREADABLE,
     "dapbridge layout: --memory 16M cannot be kept: this system does not limit the memory of a process\n"},
    {"the system refuses it",
     {"layout", "-m", "1G", "4 on 2"},
     REFUSES,
     CLI_UNREADABLE,
     "dapbridge layout: --memory 1G cannot be kept: this system does not limit the memory of a process\n"},
    {"nobody asks for it", {"layout", "4 on 2"}, IGNORES, CLI_FINE, ""},
};
enum { TOLD = sizeof told / sizeof told[0] };

/* Runs the command of a row, with standard error in a file, and compares both results. */
static int child_of_told(const void *context)
{
  const told_row *row = context;
  char *arguments[5] = {NULL}, text[256] = "";
  int count = 0;
  while (count < 4 && row->arguments[count]) count++;
  memcpy(arguments, row->arguments, sizeof row->arguments);
  const cli_command *command = cli_commands;
  while (strcmp(command->name, "layout") != 0) command++;
  FILE *file = tmpfile();
  if (!file || !freopen("/dev/null", "w", stdout) || dup2(fileno(file), STDERR_FILENO) < 0) return 2;
  system_kind = row->kind;
  const cli_exit result = cli_run(command, count, arguments);
  if (pread(fileno(file), text, sizeof text - 1, 0) < 0) return 2;
  return result == row->want && !strcmp(text, row->said) ? 0 : 1;
}

static void check_told(void **state)
{
  (void)state;
  for (int i = 0; i < TOLD; i++)
    if (apart(child_of_told, &told[i])) fail_msg("%s", told[i].why);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(check_limits), cmocka_unit_test(check_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
