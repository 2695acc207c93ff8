/* Reads the command line of a benchmark by a table of its options, which also gives the text of --help. */
#ifndef DAP_BENCH_COMMAND_LINE_H
#define DAP_BENCH_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { BENCH_SIZES = 16, BENCH_OPTIONS = 16 };

/* A list of extents or widths, which ends with 0. */
typedef struct bench_sizes {
  int64_t list[BENCH_SIZES + 1];
  int count;
} bench_sizes;

typedef struct bench_option {
  const char *name, *argument; /* argument in --help, "[=FILE]" if it is optional; NULL: none */
  const char *otherwise;       /* text that is read if the option is not given; NULL: *into does not change */
  const char *help;
  /* Returns false if the text is not allowed. Without an argument the text is NULL. */
  bool (*read)(const char *text, const struct bench_option *option);
  void *into;
  int64_t most;             /* largest allowed number */
  const char *const *words; /* allowed words, which end with NULL; NULL: all */
} bench_option;

/* Readers, with the type that `into` points to. */
bool bench_read_flag(const char *text, const bench_option *option);    /* bool */
bool bench_read_sizes(const char *text, const bench_option *option);   /* bench_sizes: numbers from 1 */
bool bench_read_count(const char *text, const bench_option *option);   /* int: a number from 1 */
bool bench_read_bytes(const char *text, const bench_option *option);   /* int64_t */
bool bench_read_seconds(const char *text, const bench_option *option); /* double */
bool bench_read_text(const char *text, const bench_option *option);    /* const char * */
bool bench_read_words(const char *text, const bench_option *option);   /* const char *: words with commas */
bool bench_read_word(const char *text, const bench_option *option);    /* int: place of the word in words */
bool bench_read_bits(const char *text, const bench_option *option);    /* unsigned: a bit for each word */

/* Reads the command line by the options, which end with one without a name. Returns BENCH_RUNS, or the status
 * of a program that must print its usage and end: 0 for --help. If this process `speaks`, it says what is
 * wrong. */
int bench_command_line_read(const bench_option options[], int argc, char **argv, bool speaks);
enum { BENCH_RUNS = -1, BENCH_WRONG_USAGE = 2 };

/* Prints a line for each option, and for --help. */
void bench_print_options(FILE *file, const bench_option options[]);

/* Returns whether a list with commas has `name`, or its part before the first '_' or ','. NULL has all. */
bool bench_is_listed(const char *list, const char *name);

/* Returns the word after this one in a list with commas. */
const char *bench_next_word(const char *word);

#endif
