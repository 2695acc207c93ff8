/* JSON that is printed: a line for each value. */
#include "cli_impl.h"

#include <stdlib.h>

bool cli_print_json(json_t *json)
{
  const bool is_printed = json && json_dumpf(json, stdout, JSON_COMPACT | JSON_ENSURE_ASCII) == 0;
  json_decref(json);
  if (is_printed) printf("\n");
  return is_printed || ferror(stdout);
}

json_t *cli_json_text(cli_writer writer, const dap_layout *layout)
{
  char *text = cli_text(writer, layout);
  json_t *json = text ? json_string(text) : NULL;
  free(text);
  return json;
}
