/* dapbridge --version: prints the version and the text of dap_build_info(). */
#include "cli_impl.h"

#include <dapbridge/build_info.h>
#include <dapbridge/version.h>
#include <string.h>

/* Adds a member for a line "key: value", which it changes. */
static bool add_line(json_t *to, char *line)
{
  char *colon = strstr(line, ": ");
  if (!colon) return true;
  *colon = '\0';
  return json_object_set_new(to, line, cli_json_string(colon + 2)) == 0;
}

static cli_exit print_json(char *text)
{
  json_t *json = json_object();
  for (char *line = text, *end; json && (end = strchr(line, '\n')); line = end + 1) {
    *end = '\0';
    if (add_line(json, line)) continue;
    json_decref(json);
    json = NULL;
  }
  if (cli_print_json(json)) return CLI_FINE;
  (void)fprintf(stderr, "dapbridge: --version: no memory\n");
  return CLI_UNREADABLE;
}

cli_exit cli_version(bool json)
{
  char text[4096];
  (void)dap_build_info(NULL, text, sizeof text);
  if (json) return print_json(text);
  const char *rest = strchr(text, '\n'); /* the first line is the version */
  printf("dapbridge %s\n%s", dap_version(), rest ? rest + 1 : "");
  return CLI_FINE;
}
