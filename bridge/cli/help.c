/* Prints the help texts of the command. */
#include "cli_impl.h"

#include <string.h>

static const char about_files[] =
    "Each FILE contains one JSON document, a list of documents, or several documents, for example one\n"
    "per line; - is standard input. The manual page dapbridge(1) describes documents. A FILE can also be\n"
    "a layout in a short form, such as '100x80 on 2x2: b, c(8)', a .npy file, or a dataset such as\n"
    "u.h5:/x. A .npy file or a dataset stands for the layout that is stored with the array, or for an\n"
    "array on one process if no layout is stored.\n";

static const char about_status[] =
    "Exit status: 0 if all documents conform, 1 if some are refused, 2 if some cannot be read or the\n"
    "usage is wrong.\n";

enum { COLUMN = 23 /* where texts of options begin */ };

cli_exit cli_print_help(void)
{
  printf("usage: dapbridge COMMAND [OPTION...] [FILE...]\n\n"
         "Examines JSON documents that describe distributed arrays with the Distributed Array Protocol.\n\n");
  for (const cli_command *c = cli_commands; c->name; c++) printf("  %-9s %s\n", c->name, c->what);
  printf("\ndapbridge COMMAND --help describes a command; dapbridge --version prints how it was built.\n%s",
         about_status);
  return CLI_FINE;
}

static void print_flag(const cli_flag *flag)
{
  char option[64];
  const int length = snprintf(option, sizeof option, "  -%c, --%s%s%s", flag->letter, flag->name,
                              flag->value ? " " : "", flag->value ? flag->value : "");
  printf("%s%*s", option, COLUMN - length, "");
  for (const char *c = flag->says; *c; c++) {
    (void)putchar(*c);
    if (*c == '\n' && c[1]) printf("%*s", COLUMN, "");
  }
}

cli_exit cli_print_command_help(const cli_command *c)
{
  const bool has_options = *c->letters;
  printf("usage: dapbridge %s%s%s%s\n\n%s%s\n", c->name, has_options ? " [OPTION...]" : "",
         *c->usage ? " " : "", c->usage, c->says, strchr(c->letters, 'r') ? about_files : "");
  for (const cli_flag *flag = cli_flags; flag->name; flag++)
    if (flag->letter == 'h' || strchr(c->letters, flag->letter)) print_flag(flag);
  printf("\n%s", about_status);
  return CLI_FINE;
}
