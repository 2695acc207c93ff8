/* Reads the arguments of a sub-command. */
#include "check.h"
#include "cli_impl.h"
#include "nearest.h"

#include <dapbridge/matrix.h>
#include <getopt.h>
#include <limits.h>
#include <string.h>

enum { FLAGS = 16 /* entries for all options, and the end of the list */ };

cli_exit cli_misused(const cli_command *c, const char *what, const char *value)
{
  const char *name = c ? c->name : "", *space = c ? " " : "";
  (void)fprintf(stderr, "dapbridge%s%s: %s", space, name, what);
  if (value) (void)fprintf(stderr, " '%s'", value);
  (void)fprintf(stderr, "\nTry: dapbridge%s%s --help\n", space, name);
  return CLI_UNREADABLE;
}

cli_exit cli_mistyped(const cli_command *c, const char *what, const char *word, const char *dashes,
                      const char *nearest)
{
  char text[256];
  if (!nearest) return cli_misused(c, what, word);
  (void)snprintf(text, sizeof text, "%s '%.100s'; did you mean '%s%s'?", what, word, dashes, nearest);
  return cli_misused(c, text, NULL);
}

/* Prints that the command has no such option, with the most similar one that it has. */
static cli_exit refuse_option(const cli_command *c, const char *said)
{
  char word[DAP_NEAREST_LONGEST + 2]; /* without "--" and the value; one letter too long is near to none */
  const char *nearest = NULL;
  const bool is_long = !strncmp(said, "--", 2);
  if (is_long) (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(said + 2, "="), said + 2);
  for (const cli_flag *flag = cli_flags; is_long && flag->name; flag++)
    if (flag->letter == 'h' || strchr(c->letters, flag->letter))
      nearest = dap_nearer(word, flag->name, nearest);
  return cli_mistyped(c, "unknown option", said, "--", nearest);
}

static dap_status read_type(const char *text, dap_dtype *type, dap_error *err)
{
  bool swapped;
  const char *nearest = NULL;
  for (*type = DAP_BOOL; *type <= DAP_C32; (*type)++) {
    const char *name = dap_dtype_name(*type);
    if (!strcmp(name, text)) return DAP_OK;
    nearest = dap_nearer(text, name, nearest);
  }
  DAP_REQUIRE(!dap_dtype_parse_numpy(text, type, &swapped, NULL), err, DAP_ERR_ARG,
              "unknown element type '%.60s'%s%s%s --type is bool, int8 .. int64, uint8 .. uint64, float16 .. "
              "float128, complex64 .. complex256, or such as '<f8'",
              text, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : ";");
  return DAP_OK;
}

/* Stores an option. Fails if its value is wrong. */
static dap_status take_option(int letter, const char *value, cli_options *o, dap_error *err)
{
  int64_t bytes;
  dap_matrix_needs needs;
  if (letter == 'q') o->quiet = true;
  if (letter == 'j') o->json = true;
  if (letter == 'F') o->is_fortran = true;
  if (letter == 'r') o->rules = value;
  if (letter == 'v') o->protocol = value;
  if (letter == 'f') o->routine = value;
  if (letter == 'p') o->plane = value;
  if (letter == 'o') o->output = value;
  if (letter == 'm') o->memory = value;
  if (letter == 'f') return dap_matrix_needs_for(value, true, &needs, err);
  if (letter == 't') return read_type(value, &o->type, err);
  DAP_REQUIRE((letter != 'r' && letter != 'v') || dap_dialect_find(value), err, DAP_ERR_ARG,
              "--%s must be 0.10.0, 0.9.0 or 0.0.1, not '%s'", letter == 'r' ? "rules" : "protocol", value);
  DAP_REQUIRE(letter != 'n' || cli_read_number(value, &o->findings), err, DAP_ERR_ARG,
              "--findings must be a number of errors, or 0 for all, not '%s'", value);
  DAP_REQUIRE(letter != 'k' || cli_read_number(value, &o->rank), err, DAP_ERR_ARG,
              "--rank must be a process's number, not '%s'", value);
  DAP_REQUIRE(letter != 'N' || (cli_read_number(value, &o->node) && o->node >= 1 && o->node <= INT_MAX), err,
              DAP_ERR_ARG, "--node must be a number of ranks, at least 1, not '%s'", value);
  DAP_REQUIRE(letter != 'm' || cli_read_size(value, &bytes), err, DAP_ERR_ARG,
              "--memory must be at least 16M, such as 500M or 64G, not '%s'", value);
  return DAP_OK;
}

/* Lists all options for getopt_long(). */
static void list_flags(struct option known[FLAGS], char letters[2 * FLAGS])
{
  char *end = letters;
  *end++ = ':';
  for (const cli_flag *flag = cli_flags; flag->name; flag++) {
    const int kind = flag->value ? required_argument : no_argument;
    *known++ = (struct option){flag->name, kind, NULL, flag->letter};
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
    return cli_misused(c, c->run == cli_layout ? "no layout is given" : "no file is named", NULL);
  if (c->run == cli_plan && options->count != 2)
    return cli_misused(c, "two files are needed, FROM and TO", NULL);
  if (!*c->usage && options->count > 0) return cli_misused(c, "unexpected argument", options->files[0]);
  if (options->json && options->output) return cli_misused(c, "either --json or --output", NULL);
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
    if (letter == ':') return cli_misused(c, "a value must follow", argv[optind - 1]);
    const char *said =
        argv[optind - (optarg && optarg == argv[optind - 1] ? 2 : 1)]; /* the option without its value */
    if (letter == '?' || !strchr(c->letters, letter)) return refuse_option(c, said);
    dap_error err = {0};
    if (take_option(letter, optarg ? optarg : "", &options, &err)) return cli_misused(c, err.text, NULL);
  }
  options.files = argv + optind;
  options.count = argc - optind;
  return start(c, &options);
}
