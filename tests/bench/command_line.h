/* The command line of a benchmark: a table of its options, of which the text of --help is made too. */
#ifndef DAP_BENCH_COMMAND_LINE_H
#define DAP_BENCH_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_SIZES = 16, BENCH_OPTIONS = 16 };

/* A list of extents or widths, up to a 0. */
typedef struct bench_sizes {
  int64_t list[BENCH_SIZES + 1];
  int count;
} bench_sizes;

typedef struct bench_option {
  const char *name, *argument; /* argument: as --help has it, "[=FILE]" if it can be left out; NULL: none */
  const char *otherwise;       /* what is read if the option is not given; NULL: *into stays as it is */
  const char *help;
  /* False: the text is not allowed. Without an argument the text is NULL. */
  bool (*read)(const char *text, const struct bench_option *option);
  void *into;
  int64_t most;             /* the largest number that is allowed */
  const char *const *words; /* the words that are allowed, up to NULL; NULL: all */
} bench_option;

/* Readers, and what `into` points to. */
bool bench_read_flag(const char *text, const bench_option *option);    /* bool */
bool bench_read_sizes(const char *text, const bench_option *option);   /* bench_sizes: numbers from 1 */
bool bench_read_count(const char *text, const bench_option *option);   /* int: a number from 1 */
bool bench_read_bytes(const char *text, const bench_option *option);   /* int64_t */
bool bench_read_seconds(const char *text, const bench_option *option); /* double */
bool bench_read_text(const char *text, const bench_option *option);    /* const char * */
bool bench_read_words(const char *text, const bench_option *option);   /* const char *: words with commas */
bool bench_read_word(const char *text, const bench_option *option);    /* int: the word's place in words */
bool bench_read_bits(const char *text, const bench_option *option);    /* unsigned: a bit for each word */

/* Reads the command line by the options [up to one without a name]; `about` is what --help says first. False:
 * the program is to end with *status; this process has said why if it `speaks`. */
bool bench_command_line_read(const char *about, const bench_option options[], int argc, char **argv,
                             bool speaks, int *status);

/* Whether `name`, or what is before its first '_' or ',', is in a list with commas, or there is no list. */
bool bench_is_listed(const char *list, const char *name);

/* The word after this one in a list with commas. */
const char *bench_next_word(const char *word);

#endif
