/* The command `dapbridge`: an index of its files. */
#ifndef DAP_CLI_IMPL_H
#define DAP_CLI_IMPL_H

#include "document.h"

#include <dapbridge/matrix.h>

/* Exit status; the greatest of all documents is the command's. */
typedef enum cli_exit {
  CLI_FINE = 0,      /* every document is what it should be */
  CLI_REFUSED = 1,   /* a document breaks a rule */
  CLI_UNREADABLE = 2 /* a file cannot be read or holds no document; too little memory; wrong usage */
} cli_exit;

/* ---- commands.c: the table of sub-commands, and their options --------------------------------------- */

/* The options of the user. */
typedef struct cli_options {
  const char *rules;    /* version of the protocol to read by; NULL: the documents' own */
  const char *routine;  /* of ScaLAPACK, for which the array is to be a matrix; NULL: for none */
  const char *memory;   /* limit of what a command takes, as it was said; NULL: none was set */
  const char *plane;    /* that is drawn; NULL: the first two axes */
  const char *output;   /* file for a picture, "-" is standard output; NULL: none is wanted */
  const char *protocol; /* version to write; NULL: 0.10, or 0.9 where only that can say it */
  long rank;            /* whose part is written; -1: all */
  dap_dtype type;       /* of elements; DAP_NONE: the documents', or none are spoken of */
  long node;            /* ranks on each node */
  long findings;        /* that are printed of a document; 0: all */
  bool quiet, json, is_fortran;
  int count;
  char *const *files; /* [count] */
} cli_options;

typedef struct cli_command {
  const char *name;
  cli_exit (*run)(const cli_options *options);
  const char *letters; /* options it has besides --help */
  const char *usage;   /* its files; "": it takes none */
  const char *what;    /* in one line */
  const char *says;    /* at length */
} cli_command;

typedef struct cli_flag {
  char letter;
  const char *name;  /* behind "--" */
  const char *value; /* what it takes; NULL: nothing */
  const char *says;
} cli_flag;

const cli_command *cli_command_at(int index); /* NULL: there are no more */
const cli_flag *cli_flag_at(int index);

/* ---- options.c, help.c ----------------------------------------------------------------------------- */

/* Runs a command; argv[0] is its name. */
cli_exit cli_run(const cli_command *c, int argc, char **argv);
/* Says what is wrong with the arguments, of a command or, NULL, before it. */
cli_exit cli_misused(const cli_command *c, const char *what, const char *value);
cli_exit cli_print_help(void);
cli_exit cli_print_command_help(const cli_command *c);

/* ---- walk.c: all documents of all files, and layouts in words -------------------------------------- */

/* A document on its way through a sub-command; or a layout in words, which stands where a file can. */
typedef struct cli_case {
  const cli_options *options;
  const document *doc;
  const dap_layout *layout; /* that was given in words, and doc is nothing; NULL: doc is to be read */
  const char *where;        /* "FILE:LINE name", or the words */
  void *context;            /* of who walks */
  long number;              /* of those before it in all files */
  FILE *findings;           /* where they are printed */
  json_t *errors;           /* they are appended to that instead; NULL: they are printed */
  long found;               /* so many; 0: it is not refused */
  bool lacks_memory;        /* so that it could not be looked at, or not to the end */
} cli_case;

/* Calls `visit` with all that options->files are; what cannot be read is said on standard error. */
cli_exit cli_walk(const cli_options *options, cli_exit (*visit)(cli_case *c));
/* The same of one of them. */
cli_exit cli_walk_one(const cli_options *options, const char *argument, void *context,
                      cli_exit (*visit)(cli_case *c));

/* ---- limit.c: what a document can cost -------------------------------------------------------------- */

/* Read a natural number, and a size of at least 16M, which may have a unit: K, M, G or T. Return false for
 * any other text. */
bool cli_read_number(const char *text, long *number);
bool cli_read_size(const char *text, int64_t *bytes);
typedef enum cli_limit {
  CLI_LIMIT_SET,      /* the process gets that many bytes more than it has, and then its allocations fail */
  CLI_LIMIT_STRICTER, /* the process already has a limit that is not higher, and keeps it */
  CLI_LIMIT_NONE      /* this system does not limit the memory of a process */
} cli_limit;

/* Limits how much more memory the process can take from now on. */
cli_limit cli_limit_memory(int64_t bytes);
/* Says on standard error that there is too little memory, and what the limit is. */
void cli_complain_memory(const cli_options *options, const char *what, const char *where, const char *text);
/* Says that there is too little memory to describe a document. */
cli_exit cli_no_memory(const cli_case *c);

/* ---- join.c: a document as a layout ------------------------------------------------------------------ */

/* Reads and joins a document, printing what is wrong with it. *layout, the caller's, is NULL if it is refused
 * or only a part of an array. The parts are ended with document_parts_release(), whatever is returned. */
cli_exit cli_join_parts(cli_case *c, document_parts *parts, dap_layout **layout);
cli_exit cli_join(cli_case *c, dap_layout **layout); /* does not return the parts */
cli_exit cli_part_only(const cli_case *c); /* reports that the document has only a part of an array */
/* The type of a sub-command's report about a layout. */
typedef cli_exit cli_telling(const cli_case *c, const dap_layout *layout);
/* Joins a document and calls `tell`. Reports on standard error if the document has errors, or only a part of
 * an array. */
cli_exit cli_whole(cli_case *c, cli_telling *tell);

/* ---- check.c --------------------------------------------------------------------------------------- */

cli_exit cli_check(const cli_options *options);

/* ---- show.c, text.c, show_json.c: a layout in words -------------------------------------------------- */

typedef size_t (*cli_writer)(const dap_layout *layout, char *text, size_t capacity);

/* The whole text; the caller frees it. NULL: no memory. */
char *cli_text(cli_writer writer, const dap_layout *layout);
/* The layout as a value with a member for all that it is described by. NULL: no memory. */
json_t *cli_json_layout(const dap_layout *layout);
cli_exit cli_describe(const cli_options *options);

/* ---- layout.c: from a short form to documents -------------------------------------------------------- */

cli_exit cli_layout(const cli_options *options); /* whose files are layouts */

/* ---- json.c ------------------------------------------------------------------------------------------ */

/* A string; if it is not UTF-8, such as names of files, or texts that were cut, with '?' for what is
 * not ASCII. */
json_t *cli_json_string(const char *text);
/* Prints a value, which it takes, in a line of its own. False: no memory for it, or it is NULL. */
bool cli_print_json(json_t *json);
/* The same for a document: `where` it is, and what is said of it, which is taken. */
cli_exit cli_print_result(const cli_case *c, json_t *result);
json_t *cli_json_text(cli_writer writer, const dap_layout *layout); /* NULL: no memory */
/* The list of item(context, 0), item(context, 1), ..., `count` of them. NULL: no memory for one of them. */
typedef json_t *cli_item(const void *context, int index);
json_t *cli_json_list(int count, cli_item *item, const void *context);
/* Adds the members of `from` to `to`, and frees `from`. Returns `to`. If one of them is NULL, or there is no
 * memory, it frees both and returns NULL. */
json_t *cli_json_join(json_t *to, json_t *from);

/* ---- draw.c, draw_impl.h: a layout as a picture ----------------------------------------------------- */

cli_exit cli_draw(const cli_options *options);

/* ---- output.c: files that are written ---------------------------------------------------------------- */

/* Writes `what` to a stream; allocates nothing, so that it fails only if that cannot be written. */
typedef void cli_put(FILE *to, const void *what);
/* Has it written to a file, or for "-" to standard output. What cannot be written is said, and the file is as
 * it was: none, or what it held. */
cli_exit cli_write(const char *path, cli_put *put, const void *what);

/* ---- plan.c, traffic_impl.h: what a move takes -------------------------------------------------------- */

cli_exit cli_plan(const cli_options *options);

/* ---- explain.c, explain_json.c, matrix.c, ranges.c, verdict.c: what solvers' libraries can take ------- */

/* Whether ScaLAPACK shares an array or moves it. */
typedef struct cli_verdict {
  const char *routine;         /* for which; NULL: for none */
  int axes[2];                 /* of the array that are the matrix; zeros: all it has */
  const dap_matrix_form *form; /* of a shared matrix; NULL: it is moved */
  char op;                     /* 0: not known */
  const char *condition;       /* "C", "F" or "any": if buffers are in that order; NULL: as they are */
  int64_t bytes;               /* that are moved; -1: not known */
  char why[DAP_ERROR_TEXT];
  char speed[DAP_ERROR_TEXT]; /* why factorisations of linalg.h move it although it can be shared; or empty */
} cli_verdict;

/* Prints a verdict; or appends it to a list, if that is not NULL. Errors: DAP_ERR_NOMEM. */
dap_status cli_say_verdict(const cli_verdict *v, json_t *list, dap_error *err);
/* Says whether ScaLAPACK shares the array or moves it, and why. What ScaLAPACK has no matrices of is an
 * error. */
dap_status cli_matrix(const cli_case *c, const document_parts *parts, const dap_layout *layout,
                      json_t *verdicts, dap_error *err);
/* PETSc's ranges of an axis [its processes + 1], as of dap_layout_ranges(), but of none whose elements all
 * processes have. */
dap_status cli_ranges(const dap_layout *layout, int axis, int64_t ranges[], dap_error *why);
/* As a line of JSON. */
cli_exit cli_explain_json(const cli_case *c, const document_parts *parts, const dap_layout *layout);
cli_exit cli_explain(const cli_options *options);

/* ---- rules.c, version.c ------------------------------------------------------------------------------ */

cli_exit cli_rules(const cli_options *options);
/* Prints the text of --version. */
cli_exit cli_version(bool json);

#endif
