/* Describes a JSON value in words, and reads it as an integer. */
#include "document_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 40 /* characters of a value */ };

static const char *kind_of(const json_t *value)
{
  static const char *const kinds[] = {
      [JSON_OBJECT] = "an object",   [JSON_ARRAY] = "a list", [JSON_STRING] = "a string",
      [JSON_INTEGER] = "an integer", [JSON_REAL] = "a real",  [JSON_TRUE] = "a bool",
      [JSON_FALSE] = "a bool",       [JSON_NULL] = "null"};
  const char *number = document_number_text(value);
  if (number) return document_is_integer_text(number) ? "an integer" : "a real";
  return value ? kinds[json_typeof(value)] : "absent";
}

document_words document_say(const json_t *value)
{
  document_words words;
  const char *number = document_number_text(value);
  char *made = NULL;
  if (!number && !json_is_object(value) && !json_is_array(value) && !json_is_null(value))
    made = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
  const char *shown = number ? number : made;
  if (shown)
    (void)snprintf(words.text, sizeof words.text, "%.*s%s is %s", SHOWN, shown,
                   strlen(shown) > SHOWN ? "..." : "", kind_of(value));
  else
    (void)snprintf(words.text, sizeof words.text, "is %s", kind_of(value));
  free(made);
  return words;
}

const char *document_number_text(const json_t *value)
{
  const char *text = json_string_value(value);
  return text && text[0] == DOCUMENT_NUMBER ? text + 1 : NULL;
}

bool document_is_integer_text(const char *number)
{
  return number[strspn(number, "-0123456789")] == '\0';
}

dap_status document_integer(const json_t *value, int rule, dap_status status, int64_t *word, dap_error *err,
                            const char *name, ...)
{
  const char *number = document_number_text(value);
  const bool is_large = number && document_is_integer_text(number);
  /* DAP_ABSENT, the least integer, stands for a key that is absent. */
  if (json_is_integer(value) && json_integer_value(value) != DAP_ABSENT) {
    *word = json_integer_value(value);
    return DAP_OK;
  }
  char named[64];
  va_list arguments;
  va_start(arguments, name);
  (void)vsnprintf(named, sizeof named, name, arguments);
  va_end(arguments);
  DAP_RULE(rule, is_large || json_is_integer(value), err, status, "%s %s, not an integer", named,
           document_say(value).text);
  return dap_fail(err, DAP_ERR_RANGE, "%s %s of more than 63 bits", named, document_say(value).text);
}
