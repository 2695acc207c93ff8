/* The command `dapbridge`. */
#include "cli_impl.h"

#include <dapbridge/matrix.h>
#include <getopt.h>
#include <string.h>

typedef struct command {
  const char *name;
  cli_exit (*run)(const cli_options *options);
  const char *letters; /* options it has besides --help; none: no files either */
  const char *usage;   /* behind its name */
  const char *what;    /* in one line */
  const char *says;    /* at length */
} command;

static const command commands[] = {
    {"check", cli_check, "rqnm", " [OPTION...] FILE...",
     "say whether arrays conform to the protocol, and which rules they break",
     "Says of each document whether the distributed array in it conforms to the protocol: what its layout "
     "is,\n"
     "or all that is wrong with it, and the numbers of the rules (which dapbridge rules lists).\n"},
    {"describe", cli_describe, "rnm", " [OPTION...] FILE...", "describe layouts in words",
     "Describes the layout of each document's array in words, one line an axis.\n"},
    {"draw", cli_draw, "rnm", " [OPTION...] FILE...", "draw which process owns which elements",
     "Draws which process owns which elements of each document's array.\n"},
    {"explain", cli_explain, "rfnm", " [OPTION...] FILE...",
     "say whether ScaLAPACK and PETSc take arrays as they lie, and why",
     "Says of each document's array whether ScaLAPACK works in its buffers or on a copy, as which matrix, "
     "and "
     "why;\n"
     "and of each axis PETSc's ownership ranges, or why it has none.\n"},
    {"layout", cli_layout, "vktFm", " [OPTION...] LAYOUT...",
     "print the document of a layout given in a short form",
     "Prints what the processes of an array export, as a document that the other commands read, of each\n"
     "LAYOUT, such as '100x80 on 2x2: b, c(8)': sizes, processes, and the distribution of each axis:\n"
     "  b    blocks: b[30,70] of these lengths, b(ceil) of ceil(size / processes); and in parentheses\n"
     "       halo N, boundary N N, periodic, wraps\n"
     "  c    cyclic: c(8) in blocks of 8, c(8, first 1) beginning with process 1\n"
     "  u    lists of indices: u[0,2,~3][1,3], ~ marks a ghost\n"
     "  r    replicated\n"
     "  n    not distributed\n"
     "The manual page dapbridge(1) has the grammar.\n"},
    {"rules", cli_rules, "", "", "list the rules of the protocol",
     "Lists the rules of the protocol by the numbers that dapbridge check names.\n"},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

/* ---- help ---------------------------------------------------------------------------------------- */

static const char about_files[] =
    "Each FILE holds JSON: a document, a list of documents, or documents one after the other, such as one "
    "in\n"
    "each line; - is standard input. The manual page dapbridge(1) says what a document is.\n";

static const char about_status[] = "Exit status: 0 if all documents conform, 1 if some are refused, 2 if "
                                   "some cannot be read or the usage is\n"
                                   "wrong.\n";

static const char *const about_options[][2] = {
    {"r",
     "  -r, --rules VERSION  read by the rules of protocol 0.10.0, 0.9.0 or 0.0.1, whatever version the\n"
     "                       documents name\n"},
    {"f", "  -f, --for ROUTINE    as the first matrix of that ScaLAPACK routine, such as pdsyevd: meeting "
          "what it\n"
          "                       needs\n"},
    {"v", "  -v, --protocol V     in protocol 0.10.0, 0.9.0 or 0.0.1; default 0.10.0, or 0.9.0 where only "
          "that can\n"
          "                       say it\n"},
    {"k", "  -k, --rank N         the part of process N alone\n"},
    {"t", "  -t, --type TYPE      with buffers of that type, such as float64 or '<f8'; default: with their "
          "shapes\n"
          "                       only\n"},
    {"F", "  -F, --fortran        buffers are in F order; default: in C order\n"},
    {"q", "  -q, --quiet          say nothing of documents that conform\n"},
    {"n",
     "  -n, --findings N     print N errors of a document at most, and how many more there are; 0: all;\n"
     "                       default 1000\n"},
    {"m", "  -m, --memory SIZE    take no more memory, such as 500M or 64G; default 4G\n"},
    {"", "  -h, --help           print this text\n"},
};

static cli_exit print_help(void)
{
  printf("usage: dapbridge COMMAND [OPTION...] [FILE...]\n\n"
         "Looks at JSON documents that describe distributed arrays by the Distributed Array Protocol.\n\n");
  for (int i = 0; i < COMMANDS; i++) printf("  %-9s %s\n", commands[i].name, commands[i].what);
  printf("\ndapbridge COMMAND --help says more about each, dapbridge --version the version.\n%s",
         about_status);
  return CLI_FINE;
}

static cli_exit print_command_help(const command *c)
{
  printf("usage: dapbridge %s%s\n\n%s%s\n", c->name, c->usage, c->says,
         strchr(c->letters, 'r') ? about_files : "");
  for (size_t i = 0; i < sizeof about_options / sizeof about_options[0]; i++)
    if (strstr(c->letters, about_options[i][0])) printf("%s", about_options[i][1]);
  printf("\n%s", about_status);
  return CLI_FINE;
}

/* ---- arguments ----------------------------------------------------------------------------------- */

static cli_exit misused(const command *c, const char *what, const char *value)
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

/* NULL, or what is wrong with the value. */
static const char *take_option_of_layout(cli_options *options, int letter, const char *value)
{
  switch (letter) {
  case 'v':
    options->protocol = value;
    return dap_dialect_find(value) ? NULL : "no version of the protocol: ";
  case 'k':
    return cli_read_number(value, &options->rank) ? NULL : "no rank: ";
  case 't':
    return read_type(value, &options->type) ? NULL : "no type of elements: ";
  default:
    options->is_fortran = true;
    return NULL;
  }
}

/* The same for all options. */
static const char *take_option(cli_options *options, int letter, const char *value)
{
  dap_matrix_needs needs;
  int64_t bytes;
  switch (letter) {
  case 'r':
    options->rules = value;
    return dap_dialect_find(value) ? NULL : "no version of the protocol: ";
  case 'f':
    options->routine = value;
    return dap_matrix_needs_for(value, true, &needs, NULL) ? "no routine whose needs are known: " : NULL;
  case 'n':
    return cli_read_number(value, &options->findings) ? NULL : "no number of errors: ";
  case 'm':
    options->memory = value;
    return cli_read_size(value, &bytes) ? NULL : "no size of 16M or more: ";
  case 'q':
    options->quiet = true;
    return NULL;
  default:
    return take_option_of_layout(options, letter, value);
  }
}

/* Runs a command; argv[0] is its name. */
static cli_exit run(const command *c, int argc, char **argv)
{
  static const struct option known[] = {{"rules", required_argument, NULL, 'r'},
                                        {"for", required_argument, NULL, 'f'},
                                        {"findings", required_argument, NULL, 'n'},
                                        {"memory", required_argument, NULL, 'm'},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"protocol", required_argument, NULL, 'v'},
                                        {"rank", required_argument, NULL, 'k'},
                                        {"type", required_argument, NULL, 't'},
                                        {"fortran", no_argument, NULL, 'F'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
  cli_options options = {.memory = "4G", .findings = 1000, .rank = -1};
  int64_t bytes;
  opterr = 0;
  for (int letter; (letter = getopt_long(argc, argv, ":r:f:n:m:qv:k:t:Fh", known, NULL)) != -1;) {
    if (letter == 'h') return print_command_help(c);
    if (letter == ':') return misused(c, "a value is missing: ", argv[optind - 1]);
    const char *said = argv[optind - (optarg && optarg == argv[optind - 1] ? 2 : 1)]; /* without its value */
    if (letter == '?' || !strchr(c->letters, letter)) return misused(c, "unknown option: ", said);
    const char *fault = take_option(&options, letter, optarg);
    if (fault) return misused(c, fault, optarg);
  }
  options.files = argv + optind;
  options.count = argc - optind;
  if (*c->letters && options.count == 0)
    return misused(c, c->run == cli_layout ? "no layout is given" : "no file is named", "");
  if (!*c->letters && options.count > 0) return misused(c, "too many arguments: ", options.files[0]);
  if (!cli_read_size(options.memory, &bytes) || !cli_limit_memory(bytes)) options.memory = NULL;
  return c->run(&options);
}

static cli_exit choose(int argc, char **argv)
{
  if (argc < 2) return misused(NULL, "no command is named", "");
  for (int i = 0; i < COMMANDS; i++)
    if (!strcmp(argv[1], commands[i].name)) return run(&commands[i], argc - 1, argv + 1);
  if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) return print_help();
  if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
    printf("dapbridge %s\n", DAP_CLI_VERSION);
    return CLI_FINE;
  }
  return misused(NULL, "unknown command: ", argv[1]);
}

int main(int argc, char **argv)
{
  const cli_exit result = choose(argc, argv);
  if (fflush(stdout) == 0 && !ferror(stdout)) return (int)result;
  (void)fprintf(stderr, "dapbridge: standard output cannot be written\n");
  return CLI_UNREADABLE;
}
