/* Makes texts about layouts, and writes pictures to files. */
#include "cli_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

char *cli_text(cli_writer writer, const dap_layout *layout)
{
  const size_t length = writer(layout, NULL, 0);
  char *text = malloc(length + 1);
  if (text) (void)writer(layout, text, length + 1);
  return text;
}

/* Returns 0, or errno if not all could be written. */
static int write_file(const char *path, cli_put *put, const void *what)
{
  FILE *file = fopen(path, "w");
  if (!file) return errno;
  errno = 0;
  put(file, what);
  const bool failed = fflush(file) != 0 || ferror(file);
  const int code = errno;
  return fclose(file) == 0 && !failed ? 0 : code ? code : errno ? errno : EIO;
}

cli_exit cli_write(const cli_options *options, cli_put *put, const void *what)
{
  if (!strcmp(options->output, "-")) {
    put(stdout, what); /* main() checks it */
    return CLI_FINE;
  }
  const int code = write_file(options->output, put, what);
  if (code == 0) return CLI_FINE;
  char text[256];
  (void)snprintf(text, sizeof text, "cannot be written: %s", code == ENOMEM ? "no memory" : strerror(code));
  return cli_complain(options, DAP_ERR_LIBRARY, options->output, text);
}

void cli_print_wrapped(int blanks, int further, const char *text)
{
  for (; *text; blanks = further) {
    const int room = CLI_WIDTH - blanks;
    int length = (int)strlen(text);
    if (length > room) {
      for (length = room; length > 0 && text[length] != ' ';) length--;
      if (length == 0) length = (int)strcspn(text, " "); /* a word that is longer than a line */
    }
    printf("%*s%.*s\n", blanks, "", length, text);
    text += length;
    text += strspn(text, " ");
  }
}
