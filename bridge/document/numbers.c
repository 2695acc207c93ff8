/* Puts numbers that jansson would refuse or round into strings. It would refuse a whole document with one NaN
 * or Infinity of Python, one uint64 beyond 2^63 or one long double beyond a double's range, and round other
 * long doubles. */
#include "document_impl.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  EXACT_DIGITS = 17, /* significant digits that any double can be written with */
  SHORT = 15,        /* a number of at most this many characters is exact if it has no exponent */
  QUOTES = 8         /* bytes of "\u0001" */
};

static size_t digits(const char *text)
{
  return strspn(text, "0123456789");
}

/* Returns the length of the number at the beginning of `text`, which may be Python's NaN or Infinity; 0:
 * none. */
static size_t number_length(const char *text)
{
  const char *at = text + (*text == '-');
  if (!strncmp(at, "Infinity", 8)) return (size_t)(at - text) + 8;
  if (!strncmp(text, "NaN", 3)) return 3;
  const size_t whole = digits(at);
  if (whole == 0 || (whole > 1 && *at == '0')) return 0;
  at += whole;
  if (*at == '.') {
    if (digits(at + 1) == 0) return 0;
    at += 1 + digits(at + 1);
  }
  if (*at == 'e' || *at == 'E') {
    at += 1 + (at[1] == '+' || at[1] == '-');
    if (digits(at) == 0) return 0;
    at += digits(at);
  }
  return (size_t)(at - text);
}

static size_t significant(const char *text, size_t length)
{
  size_t count = 0;
  for (size_t i = 0; i < length && text[i] != 'e' && text[i] != 'E'; i++)
    if (isdigit((unsigned char)text[i]) && (count > 0 || text[i] != '0')) count++;
  return count;
}

/* Returns whether jansson holds the number exactly. */
static bool is_exact(const char *text, size_t length)
{
  if (!isdigit((unsigned char)text[length - 1])) return false; /* NaN, Infinity */
  const bool has_exponent = memchr(text, 'e', length) || memchr(text, 'E', length);
  if (length <= SHORT && !has_exponent) return true;
  errno = 0;
  if (!has_exponent && !memchr(text, '.', length)) {
    (void)strtoll(text, NULL, 10);
    return errno == 0;
  }
  const double real = strtod(text, NULL);
  const size_t count = significant(text, length);
  if (isinf(real) || (real == 0 && count > 0)) return false; /* beyond a double's range */
  return count <= EXACT_DIGITS || strtold(text, NULL) == (long double)real;
}

/* Returns the place behind the string that begins at text + at; `length` if it is not closed. */
static size_t behind_string(const char *text, size_t length, size_t at)
{
  for (at++; at < length && text[at] != '"'; at++)
    if (text[at] == '\\' && at + 1 < length) at++;
  return at < length ? at + 1 : length;
}

static bool is_word(char c)
{
  return isalnum((unsigned char)c) || (c != '\0' && strchr("+-._", c));
}

/* Returns the place behind a string, a number or name, or one other character. */
static size_t behind_word(const char *text, size_t length, size_t at)
{
  const size_t begin = at;
  if (text[at] == '"') return behind_string(text, length, at);
  while (at < length && is_word(text[at])) at++;
  return at > begin ? at : at + 1;
}

/* Returns whether a word is a number that must be quoted. */
static bool must_quote(const char *word, size_t length)
{
  if (!isdigit((unsigned char)word[0]) && !strchr("-NI", word[0])) return false;
  return number_length(word) == length && !is_exact(word, length);
}

static size_t count_quoted(const char *text, size_t length)
{
  size_t count = 0;
  for (size_t at = 0, next; at < length; at = next) {
    next = behind_word(text, length, at);
    count += must_quote(text + at, next - at);
  }
  return count;
}

bool document_quote_numbers(char **text, size_t *length)
{
  const char *from = *text;
  const size_t count = count_quoted(from, *length);
  if (count == 0) return true;
  char *quoted = malloc(*length + count * QUOTES + 1);
  if (!quoted) return false;
  size_t out = 0;
  for (size_t at = 0, next; at < *length; at = next) {
    next = behind_word(from, *length, at);
    const size_t word = next - at;
    const bool quote = must_quote(from + at, word);
    if (quote) memcpy(quoted + out, "\"\\u0001", QUOTES - 1);
    if (quote) out += QUOTES - 1;
    memcpy(quoted + out, from + at, word);
    out += word;
    if (quote) quoted[out++] = '"';
  }
  quoted[out] = '\0';
  free(*text);
  *text = quoted;
  *length = out;
  return true;
}
