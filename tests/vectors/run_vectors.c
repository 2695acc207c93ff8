/* run_vectors: the documents of .jsonl files, one a line, through assembly and gather. */

/* getline() is POSIX. */
#define _POSIX_C_SOURCE 200809L

#include "vectors.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: mpiexec -n K run_vectors [--verbose] [--at-least N] FILE.jsonl...\n"
    "Runs each document with nprocs <= K: rebuilds every process' buffer, assembles the layout, gathers the\n"
    "array on rank 0 and compares every element. A document that does not conform must be refused, with\n"
    "the same message on all ranks.\n"
    "  --verbose     a line for every document, not only for those that fail\n"
    "  --at-least N  fail unless at least N documents pass\n"
    "  --help        this text\n";

typedef struct options {
  bool verbose, help, wrong;
  long at_least;
} options;

static options read_options(int argc, char **argv)
{
  static const struct option known[] = {{"verbose", no_argument, NULL, 'v'},
                                        {"at-least", required_argument, NULL, 'n'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  options given = {0};
  for (int c; (c = getopt_long(argc, argv, "vn:h", known, NULL)) != -1;) {
    given.verbose = given.verbose || c == 'v';
    given.help = given.help || c == 'h';
    given.wrong = given.wrong || c == '?';
    if (c == 'n') given.at_least = strtol(optarg, NULL, 10);
  }
  given.wrong = given.wrong || (!given.help && optind == argc);
  return given;
}

/* ---- lines, read by rank 0 for all --------------------------------------------------------------- */

typedef struct reader {
  FILE *file; /* rank 0's */
  char *line; /* [room] */
  size_t room;
  int rank;
} reader;

/* The next line's length, on all ranks; -1 at the end. */
static long next_line(reader *r)
{
  long length = r->file ? (long)getline(&r->line, &r->room, r->file) : -1;
  MPI_Bcast(&length, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  if (length < 0) return length;
  if (r->rank != 0 && r->room < (size_t)length + 1) {
    free(r->line);
    r->room = (size_t)length + 1;
    r->line = malloc(r->room);
    if (!r->line) MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Bcast(r->line, (int)length, MPI_CHAR, 0, MPI_COMM_WORLD);
  return length;
}

static bool is_blank(const char *line, long length)
{
  for (long i = 0; i < length; i++)
    if (!strchr(" \t\r\n", line[i])) return false;
  return true;
}

/* ---- documents ---------------------------------------------------------------------------------- */

static void report(const char *path, const char *name, const outcome *one, bool verbose)
{
  static const char *const words[] = {"passed", "FAILED", "skipped"};
  const char *slash = strrchr(path, '/');
  if (one->verdict != VERDICT_FAILED && !verbose) return;
  printf("%s: %s: %s%s%s\n", words[one->verdict], slash ? slash + 1 : path, name, one->text[0] ? ": " : "",
         one->text);
}

static void run_line(const reader *r, long length, const char *path, long number, bool verbose, tally *all)
{
  char name[64];
  json_error_t error;
  snprintf(name, sizeof name, "line %ld", number);
  json_t *document = json_loadb(r->line, (size_t)length, JSON_REJECT_DUPLICATES, &error);
  outcome one = {VERDICT_FAILED, ""};
  if (document)
    one = document_run(document, MPI_COMM_WORLD);
  else
    snprintf(one.text, sizeof one.text, "not JSON: %s", error.text);
  const char *given = json_string_value(json_object_get(document, "name"));
  tally_add(all, &one);
  if (r->rank == 0) report(path, given ? given : name, &one, verbose);
  json_decref(document);
}

static void run_file(const char *path, int rank, bool verbose, tally *all)
{
  reader r = {.file = rank == 0 ? fopen(path, "r") : NULL, .rank = rank};
  int missing = rank == 0 && !r.file;
  outcome one = {VERDICT_FAILED, ""};
  if (missing) snprintf(one.text, sizeof one.text, "%s", strerror(errno));
  MPI_Bcast(&missing, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (missing) tally_add(all, &one);
  if (missing && rank == 0) report(path, "cannot be read", &one, verbose);
  long number = 0;
  for (long length; (length = next_line(&r)) >= 0;) {
    number++;
    if (!is_blank(r.line, length)) run_line(&r, length, path, number, verbose, all);
  }
  if (r.file) fclose(r.file);
  free(r.line);
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
    code = all.counts[VERDICT_FAILED] > 0 || all.counts[VERDICT_PASSED] < given.at_least;
    if (rank == 0 && all.counts[VERDICT_PASSED] < given.at_least)
      printf("expected at least %ld to pass\n", given.at_least);
  }
  MPI_Finalize();
  return code;
}
