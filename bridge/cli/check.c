/* dapbridge check: prints whether each document conforms, and its errors. */
#include "cli_impl.h"

#include <stdlib.h>

static cli_exit print_conforming(const cli_case *c, const dap_layout *layout)
{
  if (!layout) {
    printf("%s: part conforms\n", c->where);
    return CLI_FINE;
  }
  char *summary = cli_text(dap_layout_summary, layout);
  if (!summary) return cli_no_memory(c);
  printf("%s: conforming: %s\n", c->where, summary);
  free(summary);
  return CLI_FINE;
}

/* Returns `result`, unless there is no memory. */
static cli_exit print_json(const cli_case *c, const dap_layout *layout, cli_exit result)
{
  const json_int_t found = c->found;
  json_t *json = json_pack("{sb so}", "conforms", result == CLI_FINE, "errors", json_incref(c->errors));
  if (json && c->options->findings > 0 && c->found > c->options->findings)
    (void)json_object_set_new(json, "found", json_integer(found));
  if (json && result == CLI_FINE) (void)json_object_set_new(json, "part", json_boolean(!layout));
  if (json && layout) (void)json_object_set_new(json, "summary", cli_json_text(dap_layout_summary, layout));
  return cli_print_result(c, json) == CLI_FINE ? result : CLI_UNREADABLE;
}

static cli_exit check(cli_case *c)
{
  document_parts parts;
  dap_layout *layout = NULL;
  if (c->options->json && !(c->errors = json_array())) return cli_no_memory(c);
  cli_exit result = cli_join(c, &parts, &layout);
  document_parts_release(&parts);
  const bool is_said = result == CLI_REFUSED || (result == CLI_FINE && !c->options->quiet);
  if (c->errors && is_said)
    result = print_json(c, layout, result);
  else if (result == CLI_FINE && is_said)
    result = print_conforming(c, layout);
  json_decref(c->errors);
  dap_layout_destroy(&layout);
  return result;
}

cli_exit cli_check(const cli_options *options)
{
  return cli_walk(options, NULL, check);
}
