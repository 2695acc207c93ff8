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
  bool is_whole = json != NULL;
  for (char *line = text, *end; is_whole && (end = strchr(line, '\n')); line = end + 1) {
    *end = '\0';
    is_whole = add_line(json, line);
  }
  if (is_whole && cli_print_json(json)) return CLI_FINE;
  if (!is_whole) json_decref(json);
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
