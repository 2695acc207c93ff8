/* Runs the command with too little memory. If any allocation fails, it must say so and exit with 2, or give
 * its usual output; it never blames the document, and never leaves part of a picture.
 *
 * Each command reads each file that the arguments name. After the first allocations, one in DAP_TEST_SCALE
 * is refused. Private: allocations are refused in this process, where the commands run. */
#define _POSIX_C_SOURCE 200809L
#include "cli_impl.h"

#include "allocations.h"
#include "random.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ALLOCATIONS = 20000, FIRST = 100 };

static const struct {
  const char *name;
  cli_exit (*run)(const cli_options *options);
  const char *other; /* layout of a second argument; NULL: none */
  bool draws;        /* whether it draws a picture */
  bool json;
} commands[] = {{.name = "check", .run = cli_check},
                {.name = "describe", .run = cli_describe},
                {.name = "draw", .run = cli_draw},
                {.name = "explain", .run = cli_explain},
                {.name = "draw --json", .run = cli_draw, .json = true},
                {.name = "draw --output", .run = cli_draw, .draws = true},
                {.name = "plan --output", .run = cli_plan, .other = "3x2 on 1x2", .draws = true}};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static int out, err; /* files with the command's output */

static char picture[] = "/tmp/dapbridge-memory-XXXXXX"; /* path of the picture */

typedef enum drawn { NONE, PART, WHOLE } drawn;

/* Returns how much of the picture exists, and removes it. */
static drawn take_picture(void)
{
  char end[8] = "";
  FILE *file = fopen(picture, "r");
  if (!file) return NONE;
  const bool is_whole = fseek(file, -7, SEEK_END) == 0 && fread(end, 1, 7, file) == 7;
  (void)fclose(file);
  (void)remove(picture);
  return is_whole && !strcmp(end, "</svg>\n") ? WHOLE : PART;
}

/* Returns all text that was written to a file since it was empty, and empties it. The caller frees the
 * text. */
static char *take(int file)
{
  const off_t length = lseek(file, 0, SEEK_END);
  char *text = calloc((size_t)length + 1, 1);
  if (!text || pread(file, text, (size_t)length, 0) != length) abort();
  if (ftruncate(file, 0) || lseek(file, 0, SEEK_SET)) abort();
  return text;
}

/* Runs a command, and refuses its allocation number `refused`; 0: none. */
static cli_exit run(int c, const char *path, int64_t refused, char **said, char **complained)
{
  char *files[] = {(char *)path, (char *)commands[c].other};
  const cli_options options = {.count = commands[c].other ? 2 : 1,
                               .files = files,
                               .node = 1,
                               .json = commands[c].json,
                               .output = commands[c].draws ? picture : NULL};
  const int kept_out = dup(STDOUT_FILENO), kept_err = dup(STDERR_FILENO);
  (void)fflush(stdout);
  (void)dup2(out, STDOUT_FILENO);
  (void)dup2(err, STDERR_FILENO);
  allocations_start(refused);
  const cli_exit result = commands[c].run(&options);
  const int64_t made = allocations_count();
  allocations_start(0);
  (void)fflush(stdout);
  (void)fflush(stderr);
  (void)dup2(kept_out, STDOUT_FILENO);
  (void)dup2(kept_err, STDERR_FILENO);
  (void)close(kept_out);
  (void)close(kept_err);
  *said = take(out);
  *complained = take(err);
  return refused > made ? (cli_exit)-1 : result;
}

/* Returns whether each line occurs in `all`, or is about memory. Changes the text. */
static bool is_part_of(char *text, const char *all)
{
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
    if (!strstr(all, line) && !strstr(line, "no memory")) return false;
  return true;
}

/* Returns how many allocations were refused, or -1 if an output was wrong. */
static int try_all(int c, const char *path)
{
  char *said, *complained, *all, *all_complaints;
  const cli_exit whole = run(c, path, 0, &all, &all_complaints);
  int tried = 0;
  const drawn there = take_picture();
  bool is_right = whole == CLI_FINE && commands[c].draws ? there == WHOLE : there != PART;
  for (int64_t n = 1; is_right && n < MOST_ALLOCATIONS; n += n < FIRST ? 1 : test_scale(), tried++) {
    const cli_exit result = run(c, path, n, &said, &complained);
    const bool is_over = result == (cli_exit)-1;
    const bool is_same = result == whole && !strcmp(said, all) && !strcmp(complained, all_complaints);
    const bool is_told = result == CLI_UNREADABLE && strstr(complained, "no memory");
    const bool is_true = is_part_of(said, all) && is_part_of(complained, all_complaints);
    is_right = is_over || is_same || (is_told && is_true);
    const drawn now = take_picture();
    is_right = is_right && (is_over || is_same ? now == there : now != PART);
    if (!is_right)
      (void)fprintf(stderr, "dapbridge %s %s without allocation %d: exit status %d\n%s\n%s\n",
                    commands[c].name, path, (int)n, (int)result, said, complained);
    free(said);
    free(complained);
    if (is_over) break;
  }
  free(all);
  free(all_complaints);
  return is_right ? tried : -1;
}

int main(int argc, char **argv)
{
  bool is_right = argc > 1;
  FILE *files[2] = {tmpfile(), tmpfile()};
  const int place = mkstemp(picture);
  if (!files[0] || !files[1] || place < 0) abort();
  (void)close(place);
  (void)remove(picture);
  out = fileno(files[0]);
  err = fileno(files[1]);
  for (int i = 1; i < argc; i++)
    for (int c = 0; c < COMMANDS; c++) {
      const int tried = try_all(c, argv[i]);
      printf("%s %s: %d allocations\n", commands[c].name, argv[i], tried);
      is_right = is_right && tried > 0 && tried < MOST_ALLOCATIONS - 1;
    }
  return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
