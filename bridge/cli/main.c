/* The command `dapbridge`. */
#include "cli_impl.h"

#include <string.h>

static cli_exit choose(int argc, char **argv)
{
  if (argc < 2) return cli_misused(NULL, "no command is named", "");
  const cli_command *c;
  for (int i = 0; (c = cli_command_at(i)); i++)
    if (!strcmp(argv[1], c->name)) return cli_run(c, argc - 1, argv + 1);
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) return cli_print_help();
  if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
    printf("dapbridge %s\n", DAP_CLI_VERSION);
    return CLI_FINE;
  }
  return cli_misused(NULL, "unknown command: ", argv[1]);
}

int main(int argc, char **argv)
{
  const cli_exit result = choose(argc, argv);
  if (fflush(stdout) == 0 && !ferror(stdout)) return (int)result;
  (void)fprintf(stderr, "dapbridge: standard output cannot be written\n");
  return CLI_UNREADABLE;
}
