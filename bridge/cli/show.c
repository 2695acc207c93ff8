/* dapbridge describe: describes the layout of each document. */
#include "cli_impl.h"

#include <stdlib.h>

static cli_exit print_words(const cli_case *c, const dap_layout *layout)
{
  const bool has_layout = !c->file || c->file->has_layout;
  char *text = has_layout ? cli_text(dap_layout_describe, layout) : NULL;
  if (has_layout && !text) return cli_no_memory(c);
  printf("%s:\n", c->where);
  if (c->file) cli_print_file(c->file);
  if (text) printf("%s", text);
  free(text);
  return CLI_FINE;
}

static cli_exit describe_layout(const cli_case *c, const document_parts *parts, const dap_layout *layout)
{
  (void)parts;
  if (!c->options->json) return print_words(c, layout);
  json_t *json = cli_json_layout(layout);
  return cli_print_result(c, c->file ? cli_json_join(json, cli_json_file(c->file)) : json);
}

static cli_exit describe(cli_case *c)
{
  return cli_whole(c, describe_layout);
}

cli_exit cli_describe(const cli_options *options)
{
  return cli_walk(options, describe);
}
