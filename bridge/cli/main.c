/* Runs the command `dapbridge`. */
#include "cli_impl.h"
#include "nearest.h"

#include <string.h>

static bool is_option(const char *text, const char *name, const char *letter)
{
  return !strcmp(text, name) || !strcmp(text, letter);
}

static cli_exit print_version(int argc, char **argv)
{
  const bool json = argc > 2 && is_option(argv[2], "--json", "-j");
  if (argc > 2 + json) return cli_misused(NULL, "unexpected argument", argv[2 + json]);
  return cli_version(json);
}

/* Prints that the command is unknown. Suggests the most similar command or, if no command is similar, the
 * most similar option. */
static cli_exit refuse(const char *word)
{
  char option[DAP_NEAREST_LONGEST + 2]; /* the word as an option; one letter too long is near to none */
  const char *nearest = NULL;
  (void)snprintf(option, sizeof option, "--%s", word + strspn(word, "-"));
  for (const cli_command *c = cli_commands; c->name; c++) nearest = dap_nearer(word, c->name, nearest);
  if (!nearest) nearest = dap_nearer(option, "--version", dap_nearer(option, "--help", NULL));
  return cli_mistyped(NULL, "unknown command", word, "", nearest);
}

static cli_exit choose(int argc, char **argv)
{
  if (argc < 2) return cli_misused(NULL, "no command is named", NULL);
  for (const cli_command *c = cli_commands; c->name; c++)
    if (!strcmp(argv[1], c->name)) return cli_run(c, argc - 1, argv + 1);
  if (is_option(argv[1], "--help", "-h")) return cli_print_help();
  if (is_option(argv[1], "--version", "-V")) return print_version(argc, argv);
  return refuse(argv[1]);
}

int main(int argc, char **argv)
{
  const cli_exit result = choose(argc, argv);
  if (fflush(stdout) == 0 && !ferror(stdout)) return (int)result;
  (void)fprintf(stderr, "dapbridge: standard output cannot be written\n");
  return CLI_UNREADABLE;
}
