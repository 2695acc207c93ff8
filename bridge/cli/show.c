/* dapbridge describe: describes the layout of each document. */
#include "cli_impl.h"

#include <stdlib.h>

static cli_exit print_words(const cli_case *c, const dap_layout *layout)
{
  char *text = cli_text(dap_layout_describe, layout);
  if (!text) return cli_no_memory(c);
  printf("%s:\n%s", c->where, text);
  free(text);
  return CLI_FINE;
}

static cli_exit describe_layout(const cli_case *c, const document_parts *parts, const dap_layout *layout)
{
  (void)parts;
  return c->options->json ? cli_print_result(c, cli_json_layout(layout)) : print_words(c, layout);
}

static cli_exit describe(cli_case *c)
{
  return cli_whole(c, describe_layout);
}

cli_exit cli_describe(const cli_options *options)
{
  return cli_walk(options, describe);
}
