/* dapbridge describe: the layout of each document. */
#include "cli_impl.h"

#include <stdlib.h>

static cli_exit show(cli_case *c, cli_writer writer)
{
  dap_layout *layout = NULL;
  c->findings = stderr;
  cli_exit result = cli_join(c, &layout);
  if (layout) {
    char *text = cli_text(writer, layout);
    if (text)
      printf("%s:\n%s", c->where, text);
    else
      result = cli_no_memory(c);
    free(text);
  } else if (result == CLI_FINE) {
    result = cli_part_only(c);
  }
  dap_layout_destroy(&layout);
  return result;
}

static cli_exit describe(cli_case *c)
{
  return show(c, dap_layout_describe);
}

cli_exit cli_describe(const cli_options *options)
{
  return cli_walk(options, describe);
}
