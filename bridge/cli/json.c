/* Makes and prints JSON values, each in a line of its own. */
#include "cli_impl.h"

#include <stdlib.h>

json_t *cli_json_string(const char *text)
{
  char plain[1024];
  json_t *json = json_string(text);
  if (json) return json;
  size_t length = 0;
  for (; length < sizeof plain - 1 && text[length]; length++)
    plain[length] = (char)((unsigned char)text[length] < 128 ? text[length] : '?');
  plain[length] = '\0';
  return json_string(plain);
}

bool cli_print_json(json_t *json)
{
  const bool is_printed = json && json_dumpf(json, stdout, JSON_COMPACT | JSON_ENSURE_ASCII) == 0;
  json_decref(json);
  if (is_printed) printf("\n");
  return is_printed || ferror(stdout);
}

json_t *cli_json_join(json_t *to, json_t *from)
{
  const bool is_whole = to && from && json_object_update(to, from) == 0;
  json_decref(from);
  if (is_whole) return to;
  json_decref(to);
  return NULL;
}

json_t *cli_json_list(int count, cli_item *item, const void *context)
{
  json_t *list = json_array();
  for (int i = 0; list && i < count; i++)
    if (json_array_append_new(list, item(context, i))) {
      json_decref(list);
      return NULL;
    }
  return list;
}

cli_exit cli_print_result(const cli_case *c, json_t *result)
{
  json_t *line = json_pack("{so}", "document", cli_json_string(c->where));
  return cli_print_json(cli_json_join(line, result)) ? CLI_FINE : cli_no_memory(c);
}

json_t *cli_json_text(cli_writer writer, const dap_layout *layout)
{
  char *text = cli_text(writer, layout);
  json_t *json = text ? json_string(text) : NULL;
  free(text);
  return json;
}
