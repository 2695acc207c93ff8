/* What the command lines of the benchmarks are made of. */
#ifndef DAP_BENCH_WORDS_H
#define DAP_BENCH_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_SIZES = 16 };

/* A list of extents or widths, up to a 0. */
typedef struct bench_sizes {
  int64_t list[BENCH_SIZES + 1];
  int count;
} bench_sizes;

/* A number, with K, M or G; -1: it is none. */
int64_t bench_number(const char *text);

/* The word after this one in a list with commas. */
const char *bench_next_word(const char *word);

/* The place of a word of `length` in words[count]; -1: none. */
int bench_find_word(const char *word, size_t length, const char *const words[], int count);

/* Whether all words of a list with commas are in words[count]. */
bool bench_are_words(const char *list, const char *const words[], int count);

/* Adds numbers of 1 .. most with commas between. False: something else is there, or too many. */
bool bench_read_sizes(const char *text, int64_t most, bench_sizes *sizes);

/* Whether `name`, or what is before its first '_' or ',', is in a list with commas, or there is no list. */
bool bench_is_listed(const char *list, const char *name);

#endif
