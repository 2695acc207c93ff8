/* Parses a text as JSON. */
#include "document_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

dap_status document_prepare(char **text, size_t *length, dap_error *err)
{
  DAP_REQUIRE(document_quote_numbers(text, length), err, DAP_ERR_NOMEM, "no memory for %zu bytes of text",
              *length);
  DAP_REQUIRE(*length <= DOCUMENT_LIMIT, err, DAP_ERR_RANGE,
              "more than %d bytes of text, the most that can be read", DOCUMENT_LIMIT);
  return DAP_OK;
}

dap_status document_load(const char *text, size_t length, bool whole, json_t **json, size_t *count, int *line,
                         dap_error *err)
{
  json_error_t error = {.line = 1};
  const size_t flags = JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | (whole ? 0 : JSON_DISABLE_EOF_CHECK);
  errno = 0; /* without memory, jansson gives no text, or that of a wrong token */
  *json = json_loadb(text, length, flags, &error);
  const bool no_memory = !*json && (errno == ENOMEM || error.text[0] == '\0');
  *count = error.position > 0 ? (size_t)error.position : 0;
  *line = error.line > 0 ? error.line : 1;
  DAP_REQUIRE(!no_memory, err, DAP_ERR_NOMEM, "no memory for the JSON value that begins here");
  DAP_REQUIRE(*json, err, DAP_ERR_ARG, "not JSON: %s", error.text);
  return DAP_OK;
}

json_t *document_parse(const char *text, size_t length, dap_error *err)
{
  json_t *json = NULL;
  size_t count;
  int line;
  char *copy = length < SIZE_MAX ? malloc(length + 1) : NULL;
  if (!copy) {
    (void)dap_fail(err, DAP_ERR_NOMEM, "no memory for %zu bytes of text", length);
  } else {
    if (length > 0) memcpy(copy, text, length);
    copy[length] = '\0';
    if (!document_prepare(&copy, &length, err))
      (void)document_load(copy, length, true, &json, &count, &line, err);
  }
  free(copy);
  return json;
}
