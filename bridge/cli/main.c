/* The command `dapbridge`. */
#include "cli_impl.h"

#include <dapbridge/build_info.h>
#include <dapbridge/version.h>
#include <string.h>

/* The version, and what it was built with: as dap_build_info() has it, the first line in words. */
static cli_exit print_version(void)
{
  char text[4096];
  (void)dap_build_info(NULL, text, sizeof text);
  const char *rest = strchr(text, '\n');
  printf("dapbridge %s\n%s", dap_version(), rest ? rest + 1 : "");
  return CLI_FINE;
}

static cli_exit choose(int argc, char **argv)
{
  if (argc < 2) return cli_misused(NULL, "no command is named", "");
  const cli_command *c;
  for (int i = 0; (c = cli_command_at(i)); i++)
    if (!strcmp(argv[1], c->name)) return cli_run(c, argc - 1, argv + 1);
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) return cli_print_help();
  if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) return print_version();
  return cli_misused(NULL, "unknown command: ", argv[1]);
}

int main(int argc, char **argv)
{
  const cli_exit result = choose(argc, argv);
  if (fflush(stdout) == 0 && !ferror(stdout)) return (int)result;
  (void)fprintf(stderr, "dapbridge: standard output cannot be written\n");
  return CLI_UNREADABLE;
}
