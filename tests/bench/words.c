#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t bench_number(const char *text)
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

int bench_find_word(const char *word, size_t length, const char *const words[], int count)
{
  for (int i = 0; i < count; i++) {
    if (strlen(words[i]) == length && strncmp(word, words[i], length) == 0) return i;
  }
  return -1;
}

bool bench_are_words(const char *list, const char *const words[], int count)
{
  for (const char *word = list; *word; word = bench_next_word(word))
    if (bench_find_word(word, strcspn(word, ","), words, count) < 0) return false;
  return true;
}

bool bench_read_sizes(const char *text, int64_t most, bench_sizes *sizes)
{
  for (const char *word = text; *word; word = bench_next_word(word)) {
    char number[32];
    snprintf(number, sizeof number, "%.*s", (int)strcspn(word, ","), word);
    const int64_t size = bench_number(number);
    if (size < 1 || size > most || sizes->count == BENCH_SIZES) return false;
    sizes->list[sizes->count++] = size;
  }
  return true;
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
