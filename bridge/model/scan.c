/* Scans words, numbers and signs of a text, and says where it is wrong. */
#include "parse_impl.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 24 /* characters of the text that errors quote */ };

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t skip_blanks(const char *text, size_t at)
{
  while (is_blank(text[at])) at++;
  return at;
}

dap_status dap_scan_start(const char *text, dap_scan *scan, dap_error *err)
{
  const size_t room = strlen(text) / 2 + 1;
  *scan = (dap_scan){.text = text, .at = skip_blanks(text, 0), .axis = -1, .room = room};
  scan->number = calloc(room, sizeof *scan->number);
  scan->is_owned = calloc(room, sizeof *scan->is_owned);
  DAP_REQUIRE(scan->number && scan->is_owned, err, DAP_ERR_NOMEM, "no memory for %zu numbers of a text",
              room);
  return DAP_OK;
}

void dap_scan_end(dap_scan *scan)
{
  free(scan->number);
  free(scan->is_owned);
  *scan = (dap_scan){0};
}

/* ---- errors ---------------------------------------------------------------------------------------- */

dap_status dap_scan_place(size_t at, dap_status status, const dap_error *error, dap_error *err)
{
  (void)dap_fail(err, status, "column %zu: %s", at + 1, error->text);
  if (err) err->rule = error->rule;
  return status;
}

dap_status dap_scan_fail(const dap_scan *scan, size_t at, dap_status status, dap_error *err,
                         const char *format, ...)
{
  dap_error error = {0};
  char text[DAP_ERROR_TEXT];
  va_list arguments;
  va_start(arguments, format);
  if (vsnprintf(text, sizeof text, format, arguments) < 0) text[0] = '\0';
  va_end(arguments);
  if (scan->axis >= 0)
    (void)dap_fail(&error, status, "axis %d: %s", scan->axis, text);
  else
    (void)dap_fail(&error, status, "%s", text);
  return dap_scan_place(at, status, &error, err);
}

/* Returns the length of the word, number or sign at the beginning of the text. */
static int length_of(const char *text)
{
  int length = 0;
  bool (*const is_one)(char) = is_digit(*text) ? is_digit : is_letter;
  while (length < SHOWN && is_one(text[length])) length++;
  if (length > 0) return length;
  while (length < SHOWN && (text[length] & 0x80)) length++; /* UTF-8 */
  return length > 0 ? length : 1;
}

dap_status dap_scan_expected(const dap_scan *scan, const char *what, dap_error *err)
{
  const char *here = scan->text + scan->at;
  if (*here == '\0') return dap_scan_fail(scan, scan->at, DAP_ERR_ARG, err, "%s is missing at the end", what);
  const bool is_cut = !strncmp(here, "...", 3);
  return dap_scan_fail(scan, scan->at, DAP_ERR_ARG, err, "%s is expected, not '%.*s'%s", what,
                       is_cut ? 3 : length_of(here), here, is_cut ? ": what it stands for is needed" : "");
}

/* ---- pieces ------------------------------------------------------------------------------------------ */

bool dap_scan_sign(dap_scan *scan, char sign)
{
  if (scan->text[scan->at] != sign) return false;
  scan->at = skip_blanks(scan->text, scan->at + 1);
  return true;
}

bool dap_scan_phrase(dap_scan *scan, const char *phrase)
{
  const char *text = scan->text;
  size_t at = scan->at;
  for (const char *c = phrase; *c; c++) {
    if (*c == ' ' ? !is_blank(text[at]) : text[at] != *c) return false;
    at = *c == ' ' ? skip_blanks(text, at) : at + 1;
  }
  if (is_letter(text[at])) return false;
  scan->at = skip_blanks(text, at);
  return true;
}

bool dap_scan_is_number(const dap_scan *scan)
{
  return is_digit(scan->text[scan->at]);
}

dap_status dap_scan_number(dap_scan *scan, int64_t *number, dap_error *err)
{
  const size_t first = scan->at;
  if (!dap_scan_is_number(scan)) return dap_scan_expected(scan, "a number", err);
  *number = 0;
  for (; is_digit(scan->text[scan->at]); scan->at++)
    if (!dap_multiply(*number, 10, number) || !dap_add(*number, scan->text[scan->at] - '0', number))
      return dap_scan_fail(scan, first, DAP_ERR_RANGE, err, "%.*s exceeds 2^63 - 1",
                           length_of(scan->text + first), scan->text + first);
  scan->at = skip_blanks(scan->text, scan->at);
  return DAP_OK;
}

static dap_status keep_number(dap_scan *scan, bool is_owned, dap_error *err)
{
  scan->is_owned[scan->count] = is_owned;
  DAP_TRY(dap_scan_number(scan, &scan->number[scan->count], err));
  scan->count++;
  return DAP_OK;
}

dap_status dap_scan_numbers(dap_scan *scan, size_t *first, dap_error *err)
{
  *first = scan->count;
  do {
    DAP_TRY(keep_number(scan, true, err));
  } while (dap_scan_is_number(scan));
  return DAP_OK;
}

dap_status dap_scan_list(dap_scan *scan, bool with_ghosts, size_t *first, dap_error *err)
{
  *first = scan->count;
  if (!dap_scan_sign(scan, '[')) return dap_scan_expected(scan, "'['", err);
  while (!dap_scan_sign(scan, ']')) {
    const bool is_ghost = with_ghosts && dap_scan_sign(scan, '~');
    if (!is_ghost && !dap_scan_is_number(scan))
      return dap_scan_expected(scan, scan->count > *first ? "a number or ']'" : "a number", err);
    DAP_TRY(keep_number(scan, !is_ghost, err));
    const bool goes_on = dap_scan_sign(scan, ',');
    if (goes_on && scan->text[scan->at] == ']') return dap_scan_expected(scan, "a number", err);
  }
  return DAP_OK;
}
