/* Gets texts about a layout, of any length. */
#include "cli_impl.h"

#include <stdlib.h>

char *cli_text(cli_writer writer, const dap_layout *layout)
{
  const size_t length = writer(layout, NULL, 0);
  char *text = malloc(length + 1);
  if (text) (void)writer(layout, text, length + 1);
  return text;
}
