/* Reads the arguments of a sub-command. */
#include "cli_impl.h"

#include <dapbridge/matrix.h>
#include <getopt.h>
#include <limits.h>
#include <string.h>

enum { FLAGS = 16 /* entries for all options, and the end of the list */ };

cli_exit cli_misused(const cli_command *c, const char *what, const char *value)
{
  const char *name = c ? c->name : "", *space = c ? " " : "";
  (void)fprintf(stderr, "dapbridge%s%s: %s%s\nTry: dapbridge%s%s --help\n", space, name, what, value, space,
                name);
  return CLI_UNREADABLE;
}

static bool read_type(const char *text, dap_dtype *type)
{
  for (*type = DAP_BOOL; *type <= DAP_C32; (*type)++)
    if (!strcmp(dap_dtype_name(*type), text)) return true;
  bool swapped;
  return dap_dtype_parse_numpy(text, type, &swapped, NULL) == DAP_OK;
}

/* Takes an option whose value is a number. This and the following functions return NULL, or what is wrong
 * with the value. */
static const char *take_number(int letter, const char *value, cli_options *options)
{
  int64_t bytes;
  switch (letter) {
  case 'n':
    return cli_read_number(value, &options->findings) ? NULL : "no number of errors: ";
  case 'N':
    return cli_read_number(value, &options->node) && options->node >= 1 && options->node <= INT_MAX
               ? NULL
               : "no number of ranks: ";
  case 'k':
    return cli_read_number(value, &options->rank) ? NULL : "no rank: ";
  default:
    options->memory = value;
    return cli_read_size(value, &bytes) ? NULL : "no size of 16M or more: ";
  }
}

/* Takes an option that has no argument. */
static const char *take_flag(int letter, cli_options *options)
{
  if (letter == 'q') options->quiet = true;
  if (letter == 'j') options->json = true;
  if (letter == 'F') options->is_fortran = true;
  return NULL;
}

static const char *take_option(int letter, const char *value, cli_options *options)
{
  dap_matrix_needs needs;
  switch (letter) {
  case 'r':
    options->rules = value;
    return dap_dialect_find(value) ? NULL : "no version of the protocol: ";
  case 'f':
    options->routine = value;
    return dap_matrix_needs_for(value, true, &needs, NULL) ? "no routine whose needs are known: " : NULL;
  case 't':
    return read_type(value, &options->type) ? NULL : "no type of elements: ";
  case 'p':
    options->plane = value;
    return NULL;
  case 'o':
    options->output = value;
    return NULL;
  case 'v':
    options->protocol = value;
    return dap_dialect_find(value) ? NULL : "no version of the protocol: ";
  case 'q':
  case 'j':
  case 'F':
    return take_flag(letter, options);
  default:
    return take_number(letter, value, options);
  }
}

/* Lists all options for getopt_long(). */
static void list_flags(struct option known[FLAGS], char letters[2 * FLAGS])
{
  const cli_flag *flag;
  char *end = letters;
  *end++ = ':';
  for (int i = 0; (flag = cli_flag_at(i)); i++) {
    known[i] = (struct option){flag->name, flag->value ? required_argument : no_argument, NULL, flag->letter};
    *end++ = flag->letter;
    if (flag->value) *end++ = ':';
  }
  *end = '\0';
}

/* Sets the limit of memory. False: the system cannot keep the limit that the user names; this prints why. */
static bool limit_memory(const cli_command *c, cli_options *options)
{
  int64_t bytes;
  const bool is_named = options->memory;
  if (!is_named) options->memory = "4G";
  const cli_limit limit = cli_read_size(options->memory, &bytes) ? cli_limit_memory(bytes) : CLI_LIMIT_NONE;
  if (limit == CLI_LIMIT_NONE && is_named) {
    (void)fprintf(
        stderr,
        "dapbridge %s: --memory %s cannot be kept: this system does not limit the memory of a process\n",
        c->name, options->memory);
    return false;
  }
  if (limit != CLI_LIMIT_SET) options->memory = NULL;
  return true;
}

static cli_exit start(const cli_command *c, cli_options *options)
{
  if (*c->usage && options->count == 0)
    return cli_misused(c, c->run == cli_layout ? "no layout is given" : "no file is named", "");
  if (c->run == cli_plan && options->count != 2)
    return cli_misused(c, "two files are needed, FROM and TO", "");
  if (!*c->usage && options->count > 0) return cli_misused(c, "too many arguments: ", options->files[0]);
  if (options->json && options->output) return cli_misused(c, "either --json or --output", "");
  return limit_memory(c, options) ? c->run(options) : CLI_UNREADABLE;
}

cli_exit cli_run(const cli_command *c, int argc, char **argv)
{
  struct option known[FLAGS] = {{0}};
  char letters[2 * FLAGS];
  cli_options options = {.findings = 1000, .rank = -1, .node = 1};
  list_flags(known, letters);
  opterr = 0;
  for (int letter; (letter = getopt_long(argc, argv, letters, known, NULL)) != -1;) {
    if (letter == 'h') return cli_print_command_help(c);
    if (letter == ':') return cli_misused(c, "a value is missing: ", argv[optind - 1]);
    const char *said =
        argv[optind - (optarg && optarg == argv[optind - 1] ? 2 : 1)]; /* the option without its value */
    if (letter == '?' || !strchr(c->letters, letter)) return cli_misused(c, "unknown option: ", said);
    const char *value = optarg ? optarg : ""; /* a flag has none */
    const char *fault = take_option(letter, value, &options);
    if (fault) return cli_misused(c, fault, value);
  }
  options.files = argv + optind;
  options.count = argc - optind;
  return start(c, &options);
}
