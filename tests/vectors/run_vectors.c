/* run_vectors: the documents of .jsonl files, one a line, and the entries of .json files, through the
 * library. */

/* getline() is POSIX. */
#define _POSIX_C_SOURCE 200809L

#include "vectors.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: mpiexec -n K run_vectors [--verbose] [--all] [--at-least N] FILE...\n"
    "FILE.jsonl: a document a line, all processes of an array. Runs those with nprocs <= K: rebuilds every\n"
    "process's buffer, assembles the layout, compares where each element is, moves the elements and\n"
    "compares them. A document that does not conform must be refused, with the same message on all ranks.\n"
    "FILE.json: lists of single dictionaries, each judged by the protocol's rules.\n"
    "  --verbose     a line for every document, not only for those that fail\n"
    "  --all         fail if a document is skipped\n"
    "  --at-least N  fail unless at least N documents pass\n"
    "  --help        this text\n";

typedef struct options {
  bool verbose, help, wrong, all;
  long at_least;
} options;

static options read_options(int argc, char **argv)
{
  static const struct option known[] = {{"verbose", no_argument, NULL, 'v'},
                                        {"all", no_argument, NULL, 'a'},
                                        {"at-least", required_argument, NULL, 'n'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  options given = {0};
  for (int c; (c = getopt_long(argc, argv, "van:h", known, NULL)) != -1;) {
    given.verbose = given.verbose || c == 'v';
    given.all = given.all || c == 'a';
    given.help = given.help || c == 'h';
    given.wrong = given.wrong || c == '?';
    if (c == 'n') given.at_least = strtol(optarg, NULL, 10);
  }
  given.wrong = given.wrong || (!given.help && optind == argc);
  return given;
}

/* ---- one file ---------------------------------------------------------------------------------- */

typedef struct source {
  const char *path;
  FILE *file; /* rank 0's */
  char *text; /* [room] */
  size_t room;
  int rank;
  bool verbose;
  tally *all;
} source;

static void report(void *context, const char *name, const outcome *one)
{
  static const char *const words[] = {"passed", "FAILED", "skipped"};
  const source *s = context;
  const char *slash = strrchr(s->path, '/');
  if (s->rank != 0 || (one->verdict != VERDICT_FAILED && !s->verbose)) return;
  printf("%s: %s: %s%s%s\n", words[one->verdict], slash ? slash + 1 : s->path, name, one->text[0] ? ": " : "",
         one->text);
}

static void fail(source *s, const char *name, const char *why)
{
  outcome one = {.verdict = VERDICT_FAILED};
  snprintf(one.text, sizeof one.text, "%s", why);
  tally_add(s->all, &one);
  report(s, name, &one);
}

/* ---- a document a line ------------------------------------------------------------------------- */

/* The next line's length, on all ranks; -1 at the end. Read by rank 0 for all. */
static long next_line(source *s)
{
  long length = s->file ? (long)getline(&s->text, &s->room, s->file) : -1;
  MPI_Bcast(&length, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  if (length < 0) return length;
  if (s->rank != 0 && s->room < (size_t)length + 1) {
    free(s->text);
    s->room = (size_t)length + 1;
    s->text = malloc(s->room);
    if (!s->text) MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Bcast(s->text, (int)length, MPI_CHAR, 0, MPI_COMM_WORLD);
  return length;
}

static bool is_blank(const char *line, long length)
{
  for (long i = 0; i < length; i++)
    if (!strchr(" \t\r\n", line[i])) return false;
  return true;
}

static void run_line(source *s, long length, long number)
{
  char name[64];
  dap_error err = {0};
  snprintf(name, sizeof name, "line %ld", number);
  json_t *vector = document_parse(s->text, (size_t)length, &err);
  if (!vector) {
    fail(s, name, err.text);
    return;
  }
  const outcome one = array_run(vector, MPI_COMM_WORLD);
  const char *given = json_string_value(json_object_get(vector, "name"));
  tally_add(s->all, &one);
  report(s, given ? given : name, &one);
  json_decref(vector);
}

static void run_lines(source *s)
{
  long number = 0;
  for (long length; (length = next_line(s)) >= 0;) {
    number++;
    if (!is_blank(s->text, length)) run_line(s, length, number);
  }
}

/* ---- a file of single dictionaries ------------------------------------------------------------- */

/* On rank 0 alone: each entry is about one process. */
static void run_singles(source *s)
{
  dap_error err = {0};
  if (s->rank == 0) {
    const long length = (long)getdelim(&s->text, &s->room, '\0', s->file);
    json_t *file = document_parse(s->text, length < 0 ? 0 : (size_t)length, &err);
    if (file)
      singles_run(file, s->all, report, s);
    else
      fail(s, "the file", err.text);
    json_decref(file);
  }
  MPI_Bcast(s->all, (int)sizeof *s->all, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* ---- all of them ------------------------------------------------------------------------------- */

static bool is_json(const char *path)
{
  const char *dot = strrchr(path, '.');
  return dot && !strcmp(dot, ".json");
}

static void run_file(const char *path, int rank, bool verbose, tally *all)
{
  source s = {.path = path, .rank = rank, .verbose = verbose, .all = all};
  if (rank == 0) s.file = fopen(path, "r");
  int missing = rank == 0 && !s.file ? errno : 0;
  MPI_Bcast(&missing, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (missing)
    fail(&s, "cannot be read", strerror(missing));
  else if (is_json(path))
    run_singles(&s);
  else
    run_lines(&s);
  if (s.file) fclose(s.file);
  free(s.text);
}

int main(int argc, char **argv)
{
  static tally all;
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) opterr = 0;
  const options given = read_options(argc, argv);
  int code = given.wrong ? 2 : 0;
  if (given.wrong || given.help) {
    if (rank == 0) fputs(usage, given.help ? stdout : stderr);
  } else {
    for (int i = optind; i < argc; i++) run_file(argv[i], rank, given.verbose, &all);
    if (rank == 0) tally_print(&all);
    const bool too_few = all.counts[VERDICT_PASSED] < given.at_least;
    const bool skipped = given.all && all.counts[VERDICT_SKIPPED] > 0;
    code = all.counts[VERDICT_FAILED] > 0 || too_few || skipped;
    if (rank == 0 && too_few) printf("expected at least %ld to pass\n", given.at_least);
    if (rank == 0 && skipped) printf("expected none to be skipped\n");
  }
  MPI_Finalize();
  return code;
}
