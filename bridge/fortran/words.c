/* Puts texts of errors and reasons in Fortran's words. The library's texts name C's options and count axes,
 * places in lists and indices from 0, which Fortran counts from 1. Ranks and coordinates count from 0 in
 * both. */
#include "fortran_impl.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Phrases of the C library and their forms in Fortran. Earlier ones are tried first. */
static const struct {
  const char *c, *here;
  bool is_counted; /* the number that follows counts from 0 in C */
  bool is_index;   /* an index: in a layout's short text it counts from 0 in Fortran also */
} phrases[] = {
    {"something; options.lossy", "something; options%lossy", false, false}, /* plans */
    {"options.lossy", "lossy=", false, false},                              /* views */
    {"options.part", "part=", false, false},
    {"options.shape", "shape=", false, false}, /* files */
    {"options.dof_axes", "dof_axes=", false, false},
    {"options: eigh.start .. stop is ", "options%eigh%first .. last is ", true, false},
    {"it must be within 0 .. ", "it must be within 1 .. ", false, false},
    {"options: eigh.start", "options%eigh%first", false, false},
    {"options: eigh.stop", "options%eigh%last", false, false},
    {"options: eigh.", "options%eigh%", false, false},
    {"options: svd.", "options%svd%", false, false},
    {"eigh.", "options%eigh%", false, false},
    {"options.", "options%", false, false},
    {"the source buffer is NULL, but this process has elements in it",
     "from is not an array of the plan: it is not set, or its layout, type or strides are others (are from "
     "and "
     "to exchanged?)",
     false, false},
    {"the destination buffer is NULL, but this process has elements in it",
     "to is not an array of the plan: it is not set, or its layout, type or strides are others (are from and "
     "to "
     "exchanged?)",
     false, false},
    {"axis ", "axis ", true, false},
    {"index ", "index ", true, true},
    {"owns element ", "owns element ", true, true},
    {"is less than start ", "is less than start - 1 = ", false, true},
    {"start ", "start ", true, true},
    {"stop - start", "stop - start + 1", false, true},
    {"outside -1 .. ", "outside 0 .. ", true, true},
    {"outside 0 .. size - 1 = ", "outside 1 .. size = ", true, true},
    {"outside 0 .. size = ", "outside 1 .. size + 1 = ", true, true},
};

typedef struct writer {
  const char *from;
  char text[2 * DAP_ERROR_TEXT];
  size_t length;
} writer;

static void put(writer *w, const char *text)
{
  const int length = snprintf(w->text + w->length, sizeof w->text - w->length, "%s", text);
  w->length += (size_t)length;
  if (w->length >= sizeof w->text) w->length = sizeof w->text - 1;
}

static bool skip(writer *w, const char *text)
{
  if (strncmp(w->from, text, strlen(text)) != 0) return false;
  w->from += strlen(text);
  return true;
}

/* Writes a number that counts from 0, and the words that follow it. */
static void put_counted(writer *w)
{
  char text[32], *end;
  const long long number = strtoll(w->from, &end, 10);
  if (end == w->from || isspace((unsigned char)*w->from) || number == INT64_MAX) return;
  w->from = end;
  if (strncmp(end, " is not a multiple", 18) == 0) { /* of the blocks before a first index */
    (void)snprintf(text, sizeof text, "- 1 = %lld", number);
    put(w, text);
    return;
  }
  (void)snprintf(text, sizeof text, "%lld", number + 1);
  put(w, text);
  if (skip(w, " is negative")) put(w, " is less than 1");
  if (skip(w, " is not less than size ")) put(w, " is more than size ");
}

static bool put_phrase(writer *w, bool has_indices)
{
  for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++) {
    if ((phrases[i].is_index && !has_indices) || !skip(w, phrases[i].c)) continue;
    put(w, phrases[i].here);
    if (phrases[i].is_counted) put_counted(w);
    return true;
  }
  return false;
}

/* Writes the index that follows a list's name, such as [0] in C, as Fortran counts it. Does the same with the
 * element that follows if the list contains indices. */
static bool put_place(writer *w, const char *name, size_t length)
{
  char text[32], *end;
  const long long place = *w->from == '[' ? strtoll(w->from + 1, &end, 10) : -1;
  if (place < 0 || end == w->from + 1 || *end != ']') return false;
  (void)snprintf(text, sizeof text, "(%lld)", place + 1);
  put(w, text);
  w->from = end + 1;
  if (!(length == 5 && strncmp(name, "start", 5) == 0) && !(length == 4 && strncmp(name, "axes", 4) == 0) &&
      !(length == 7 && strncmp(name, "indices", 7) == 0))
    return true;
  static const char *const between[] = {" is ", " = ", " "};
  for (size_t i = 0; i < sizeof between / sizeof *between; i++)
    if (skip(w, between[i])) {
      put(w, between[i]);
      put_counted(w);
      break;
    }
  if (skip(w, ", outside 0 .. ")) {
    put(w, ", outside 1 .. ");
    put_counted(w);
  }
  return true;
}

void dap_f_words(char text[DAP_ERROR_TEXT])
{
  writer w = {.from = text};
  const bool has_indices = strncmp(text, "column ", 7) != 0;
  while (*w.from) {
    if (put_phrase(&w, has_indices)) continue;
    const char *name = w.from;
    char one[2] = {*w.from++, '\0'};
    put(&w, one);
    if (!isalpha((unsigned char)one[0])) continue;
    while (isalnum((unsigned char)*w.from) || *w.from == '_') {
      one[0] = *w.from++;
      put(&w, one);
    }
    (void)put_place(&w, name, (size_t)(w.from - name));
  }
  (void)snprintf(text, DAP_ERROR_TEXT, "%.*s", DAP_ERROR_TEXT - 1, w.text);
}
