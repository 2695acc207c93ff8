/* A text as JSON. */
#include "document_impl.h"

#include <stdlib.h>

json_t *document_load(const char *quoted, size_t length, size_t *count, int *line, dap_error *err)
{
  json_error_t error = {.line = 1};
  const size_t flags = JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | (count ? JSON_DISABLE_EOF_CHECK : 0);
  json_t *json = json_loadb(quoted, length, flags, &error);
  if (json && count) *count = (size_t)error.position;
  if (!json) (void)dap_fail(err, DAP_ERR_ARG, "not JSON: %s", error.text);
  if (line) *line = error.line > 0 ? error.line : 1;
  return json;
}

json_t *document_parse(const char *text, size_t length, int *line, dap_error *err)
{
  size_t quoted_length = 0;
  char *quoted = document_quote_numbers(text, length, &quoted_length);
  json_t *json = NULL;
  if (line) *line = 1;
  if (quoted)
    json = document_load(quoted, quoted_length, NULL, line, err);
  else
    (void)dap_fail(err, DAP_ERR_NOMEM, "no memory for %zu bytes of text", length);
  free(quoted);
  return json;
}
