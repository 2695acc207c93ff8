#define _GNU_SOURCE /* getopt_long(); NOLINT(bugprone-reserved-identifier) */
#include "command_line.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- words and numbers -------------------------------------------------------------------------------- */

/* Returns a number, which may end with K, M or G, or -1 if the text is not a number. */
static int64_t number_of(const char *text)
{
  char *end;
  long long value = strtoll(text, &end, 10);
  if (end == text || value < 0 || value > INT64_C(1) << 32) return -1;
  static const char letters[] = "KMG";
  const char *letter = *end ? strchr(letters, *end) : NULL;
  if (letter) value <<= 10 * (letter - letters + 1);
  return end[letter != NULL] ? -1 : value;
}

const char *bench_next_word(const char *word)
{
  word += strcspn(word, ",");
  return word + (*word == ',');
}

/* Returns the place among the allowed words of a word that ends at a comma, or -1. */
static int place_of(const char *word, const char *const allowed[])
{
  const size_t length = strcspn(word, ",");
  for (int i = 0; allowed[i]; i++)
    if (strlen(allowed[i]) == length && strncmp(word, allowed[i], length) == 0) return i;
  return -1;
}

bool bench_is_listed(const char *list, const char *name)
{
  if (!list) return true;
  const size_t length = strlen(name), head = strcspn(name, "_,");
  for (const char *word = list; *word; word = bench_next_word(word)) {
    const size_t size = strcspn(word, ",");
    if ((size == length || size == head) && strncmp(word, name, size) == 0) return true;
  }
  return false;
}

/* ---- readers ------------------------------------------------------------------------------------------ */

bool bench_read_flag(const char *text, const bench_option *option)
{
  (void)text;
  *(bool *)option->into = true;
  return true;
}

bool bench_read_sizes(const char *text, const bench_option *option)
{
  bench_sizes *sizes = option->into;
  for (const char *word = text; *word; word = bench_next_word(word)) {
    char number[32];
    snprintf(number, sizeof number, "%.*s", (int)strcspn(word, ","), word);
    const int64_t size = number_of(number);
    if (size < 1 || size > option->most || sizes->count == BENCH_SIZES) return false;
    sizes->list[sizes->count++] = size;
  }
  return true;
}

bool bench_read_count(const char *text, const bench_option *option)
{
  const int64_t count = number_of(text);
  if (count < 1 || count > option->most) return false;
  *(int *)option->into = (int)count;
  return true;
}

bool bench_read_bytes(const char *text, const bench_option *option)
{
  return (*(int64_t *)option->into = number_of(text)) >= 0;
}

bool bench_read_seconds(const char *text, const bench_option *option)
{
  char *end;
  const double seconds = *(double *)option->into = strtod(text, &end);
  return end > text && !*end && seconds >= 0;
}

bool bench_read_text(const char *text, const bench_option *option)
{
  *(const char **)option->into = text;
  return true;
}

bool bench_read_words(const char *text, const bench_option *option)
{
  for (const char *word = text; *word && option->words; word = bench_next_word(word))
    if (place_of(word, option->words) < 0) return false;
  return bench_read_text(text, option);
}

bool bench_read_word(const char *text, const bench_option *option)
{
  const int place = place_of(text, option->words);
  *(int *)option->into = place;
  return place >= 0 && !strchr(text, ',');
}

bool bench_read_bits(const char *text, const bench_option *option)
{
  unsigned *bits = option->into;
  for (const char *word = text; *word; word = bench_next_word(word)) {
    const int place = place_of(word, option->words);
    if (place < 0) return false;
    *bits |= 1U << place;
  }
  return *bits != 0;
}

/* ---- the command line --------------------------------------------------------------------------------- */

static bool is_left_out(const bench_option *option)
{
  return option->argument && option->argument[0] == '[';
}

/* Prints an option's lines. Further lines of its help are below the first one. */
static void print_option(FILE *file, const bench_option *o)
{
  char name[64];
  const char *text = o->help;
  snprintf(name, sizeof name, "--%s%s%s", o->name, o->argument && !is_left_out(o) ? " " : "",
           o->argument ? o->argument : "");
  fprintf(file, "  %-21s ", name);
  for (; *text; text++) {
    fputc(*text, file);
    if (*text == '\n') fprintf(file, "%24s", "");
  }
  if (o->otherwise) fprintf(file, " (%s)", o->otherwise);
  fprintf(file, "\n");
}

void bench_print_options(FILE *file, const bench_option options[])
{
  const bench_option help = {.name = "help", .help = "this text"};
  for (int i = 0; options[i].name; i++) print_option(file, &options[i]);
  print_option(file, &help);
}

/* Converts the options for getopt_long(). Each option has its place as value, and --help has 'h'. */
static int list_names(const bench_option options[], struct option names[])
{
  int count = 0;
  for (; options[count].name; count++) {
    const bench_option *o = &options[count];
    const int has = is_left_out(o) ? optional_argument : o->argument ? required_argument : no_argument;
    names[count] = (struct option){o->name, has, NULL, 0};
  }
  names[count] = (struct option){"help", no_argument, NULL, 'h'};
  return count;
}

static bool read_defaults(const bench_option options[], const bool is_given[])
{
  bool right = true;
  for (int i = 0; options[i].name; i++)
    if (!is_given[i] && options[i].otherwise)
      right = options[i].read(options[i].otherwise, &options[i]) && right;
  return right;
}

int bench_command_line_read(const bench_option options[], int argc, char **argv, bool speaks)
{
  struct option names[BENCH_OPTIONS + 2] = {{NULL, 0, NULL, 0}};
  bool is_given[BENCH_OPTIONS] = {false};
  int which = list_names(options, names);
  opterr = speaks;
  for (int letter; (letter = getopt_long(argc, argv, "", names, &which)) != -1;) {
    if (letter == 'h') return EXIT_SUCCESS;
    if (letter == 0 && options[which].read(optarg, &options[which])) {
      is_given[which] = true;
      continue;
    }
    if (speaks && letter == 0) fprintf(stderr, "--%s: not %s\n", names[which].name, optarg);
    return BENCH_WRONG_USAGE;
  }
  if (optind < argc) {
    if (speaks) fprintf(stderr, "%s: no option\n", argv[optind]);
    return BENCH_WRONG_USAGE;
  }
  return read_defaults(options, is_given) ? BENCH_RUNS : BENCH_WRONG_USAGE;
}
