/* The file of options.wisdom. A text: a first line that names the format, then a line for each plan: its
 * key, the nanoseconds of a run, and how it is carried, in words (ways.c). Who adds an entry writes a new
 * file beside it and gives that the old one's name, so that a reader finds one or the other, whole. */
#define _POSIX_C_SOURCE 200809L /* NOLINT(bugprone-reserved-identifier) */
#include "transfer_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kind[] = "dapbridge wisdom ", format[] = "1";
enum { DIGITS = 16, LONGEST = 128 /* bytes of a line */ };

static dap_status fail_system(const char *path, const char *what, int code, dap_error *err)
{
  char reason[128] = "";
  if (strerror_r(code, reason, sizeof reason)) reason[sizeof reason - 1] = '\0';
  return dap_fail(err, DAP_ERR_LIBRARY, "options.wisdom %.200s: cannot be %s: %s (error %d)", path, what,
                  reason, code);
}

static dap_status fail_line(const char *path, int64_t number, const char *rule, dap_error *err)
{
  return dap_fail(err, DAP_ERR_ARG, "options.wisdom %.200s: line %" PRId64 ": %s", path, number, rule);
}

/* ---- read ---------------------------------------------------------------------------------------------- */

typedef struct entry {
  uint64_t key;
  const dap_way *way;
} entry;

/* Cuts off the line's end. */
static const char *find_fault(char *line, entry *e)
{
  char *end = strchr(line, '\n');
  if (!end) return "has no end, or more than a line has: the file is damaged";
  *end = '\0';
  if (strspn(line, "0123456789abcdef") != DIGITS || line[DIGITS] != ' ')
    return "does not begin with the 16 digits of a key and a space";
  const size_t time = strspn(line + DIGITS + 1, "0123456789");
  const char *name = line + DIGITS + 1 + time;
  if (time == 0 || *name != ' ') return "has no number of nanoseconds and a space behind its key";
  e->key = strtoull(line, NULL, 16);
  e->way = dap_way_find(name + 1);
  return e->way ? NULL : "names no way to carry a plan that this release knows";
}

static dap_status check_first(const char *path, const char *line, dap_error *err)
{
  const size_t length = strlen(kind);
  if (strncmp(line, kind, length) != 0)
    return fail_line(path, 1, "does not begin with \"dapbridge wisdom\": it is another kind of file", err);
  const char *said = line + length;
  DAP_REQUIRE(strcspn(said, "\n") == strlen(format) && !strncmp(said, format, strlen(format)), err,
              DAP_ERR_UNSUPPORTED,
              "options.wisdom %.200s: line 1: format %.*s, but this release has format %s", path,
              (int)strcspn(said, "\n"), said, format);
  return strchr(said, '\n') ? DAP_OK : fail_line(path, 1, "has no end: the file is damaged", err);
}

/* The way of the entry with the key, if it is not NULL; entries with other keys are copied, if `copy` is not
 * NULL. */
static dap_status read_lines(const char *path, FILE *file, uint64_t key, const dap_way **way, FILE *copy,
                             dap_error *err)
{
  char line[LONGEST], whole[LONGEST];
  errno = 0;
  for (int64_t number = 1; fgets(line, sizeof line, file); number++) {
    entry e = {0};
    memcpy(whole, line, sizeof whole);
    if (number == 1) {
      DAP_TRY(check_first(path, line, err));
      continue;
    }
    const char *fault = find_fault(line, &e);
    if (fault) return fail_line(path, number, fault, err);
    if (way && e.key == key) *way = e.way;
    if (copy && e.key != key) (void)fputs(whole, copy); /* what fails shows in the end */
  }
  return ferror(file) ? fail_system(path, "read", errno, err) : DAP_OK;
}

/* No file is one without entries. */
static dap_status read_file(const char *path, uint64_t key, const dap_way **way, FILE *copy, dap_error *err)
{
  FILE *file = fopen(path, "r");
  if (!file && errno == ENOENT) return DAP_OK;
  if (!file) return fail_system(path, "opened", errno, err);
  const dap_status s = read_lines(path, file, key, way, copy, err);
  (void)fclose(file);
  return s;
}

dap_status dap_wisdom_find(const char *path, uint64_t key, const dap_way **way, dap_error *err)
{
  *way = NULL;
  return read_file(path, key, way, NULL, err);
}

/* ---- written ------------------------------------------------------------------------------------------- */

/* Closes the file. */
static dap_status write_all(const char *path, FILE *file, uint64_t key, const dap_way *way, double ns,
                            dap_error *err)
{
  errno = 0;
  (void)fprintf(file, "%s%s\n", kind, format);
  const dap_status s = read_file(path, key, NULL, file, err);
  (void)fprintf(file, "%016" PRIx64 " %.0f %s\n", key, ns, way->name);
  const bool failed = ferror(file) != 0;
  if ((fclose(file) || failed) && !s) return fail_system(path, "written", errno, err);
  return s;
}

/* Beside it, under a name that nobody else uses, in another thread or elsewhere, or can guess. */
static char *name_beside(const char *path)
{
  const size_t room = strlen(path) + DIGITS + 2;
  char *name = malloc(room);
  if (name) (void)snprintf(name, room, "%s.%016" PRIx64, path, dap_process_draw());
  return name;
}

dap_status dap_wisdom_add(const char *path, uint64_t key, const dap_way *way, double ns, dap_error *err)
{
  char *beside = name_beside(path);
  DAP_REQUIRE(beside, err, DAP_ERR_NOMEM, "no memory for the name of a wisdom file");
  FILE *file = fopen(beside, "wx");
  dap_status s = file ? write_all(path, file, key, way, ns, err) : fail_system(path, "written", errno, err);
  if (!s && rename(beside, path)) s = fail_system(path, "written", errno, err);
  if (s && file) (void)remove(beside);
  free(beside);
  return s;
}
