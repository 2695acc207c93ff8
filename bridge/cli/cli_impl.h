/* Declares what the files of the command `dapbridge` share. */
#ifndef DAP_CLI_IMPL_H
#define DAP_CLI_IMPL_H

#include "document.h"

#include <dapbridge/file.h>
#include <dapbridge/file_format.h>
#include <dapbridge/matrix.h>

/* The result for a document. The greatest of all documents is the command's exit status. */
typedef enum cli_exit {
  CLI_FINE = 0,      /* the document conforms */
  CLI_REFUSED = 1,   /* the document breaks a rule */
  CLI_UNREADABLE = 2 /* a file cannot be read or holds no document; too little memory; wrong usage */
} cli_exit;

/* ---- commands.c: the table of sub-commands, and their options --------------------------------------- */

/* The options of the user. */
typedef struct cli_options {
  const char *rules;    /* version of the protocol to read by; NULL: the documents' own */
  const char *routine;  /* routine of ScaLAPACK that takes the array as a matrix; NULL: none is named */
  const char *memory;   /* limit of memory in the user's words; NULL: none is set */
  const char *plane;    /* the plane to draw; NULL: the first two axes */
  const char *output;   /* file for a picture, "-" is standard output; NULL: no picture is wanted */
  const char *protocol; /* version to write; NULL: 0.10, or 0.9 if 0.10 cannot describe the layout */
  long rank;            /* the process whose part is written; -1: all */
  dap_dtype type;       /* the type of elements; DAP_NONE: that of the documents, or none */
  long node;            /* ranks on each node */
  long findings;        /* most errors that are printed of a document; 0: all */
  bool quiet, json, is_fortran;
  int count;
  char *const *files; /* [count] */
} cli_options;

typedef struct cli_command {
  const char *name;
  cli_exit (*run)(const cli_options *options);
  const char *letters; /* its options besides --help */
  const char *usage;   /* its files; "": it takes none */
  const char *what;    /* one line for the list of commands */
  const char *says;    /* the text of its help */
} cli_command;

typedef struct cli_flag {
  char letter;
  const char *name;  /* behind "--" */
  const char *value; /* the name of its value; NULL: it takes none */
  const char *says;  /* the text of the help */
} cli_flag;

/* The tables end with an entry without a name. */
extern const cli_command cli_commands[];
extern const cli_flag cli_flags[];

/* ---- options.c, help.c ----------------------------------------------------------------------------- */

/* Runs a command; argv[0] is its name. */
cli_exit cli_run(const cli_command *c, int argc, char **argv);
/* Prints a message of wrong usage: what is wrong with the arguments of `c`, or with the command's name if
 * `c` is NULL. The message ends with 'value', unless that is NULL. */
cli_exit cli_misused(const cli_command *c, const char *what, const char *value);
/* Prints a message of wrong usage about a word. `nearest` is the right word that is most like it, and is
 * printed behind `dashes`; NULL: no word is like it. */
cli_exit cli_mistyped(const cli_command *c, const char *what, const char *word, const char *dashes,
                      const char *nearest);
cli_exit cli_print_help(void);
cli_exit cli_print_command_help(const cli_command *c);

/* ---- walk.c: all documents of all files, and layouts in words -------------------------------------- */

/* A document that a sub-command works on, or a layout in words, which can be given in place of a file. */
typedef struct cli_case {
  const cli_options *options;
  const document *doc;
  const dap_layout *layout;  /* given in words, and `doc` is empty; NULL: `doc` has the layout */
  const dap_file_info *file; /* the file of an array that has the layout, or NULL */
  const char *where;         /* "FILE:LINE name", or the words */
  void *context;             /* the argument of cli_walk() */
  long number;               /* of documents before this one, in all files */
  FILE *findings;            /* the stream that errors are printed on */
  json_t *errors;            /* the list that errors are appended to; NULL: they are printed */
  long found;                /* errors; 0: the document is not refused */
  bool lacks_memory;         /* memory was short, so the document was not read to the end */
} cli_case;

/* Calls `visit` for all documents of options->files, and prints on standard error which files cannot be
 * read. */
cli_exit cli_walk(const cli_options *options, void *context, cli_exit (*visit)(cli_case *c));

/* ---- file.c: files with arrays ------------------------------------------------------------------------- */

/* Returns whether the path is that of a .npy file or an HDF5 file. */
bool cli_is_file(const char *path);
/* Reads the header and the layout that is stored with the array. If that is not taken, info->note says why,
 * and the layout is that of one process. The caller destroys *layout. Errors: DAP_ERR_ARG, DAP_ERR_FILE,
 * DAP_ERR_UNSUPPORTED, DAP_ERR_RANGE, DAP_ERR_NOMEM. */
dap_status cli_read_file(const char *path, dap_file_info *info, dap_layout **layout, dap_error *err);

/* ---- hdf5.c ------------------------------------------------------------------------------------------ */

/* Returns whether the path is that of an HDF5 file, with a dataset or without. */
bool cli_is_hdf5(const char *path);
/* Reads what the file says of the dataset, and the text of its layout into layout[capacity]; "": none.
 * Errors: as those of cli_read_file(); without HDF5 DAP_ERR_UNSUPPORTED. */
dap_status cli_read_hdf5(const char *path, dap_file_info *info, char *layout, size_t capacity,
                         dap_error *err);

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

/* Limits the memory that the process can take from now on. */
cli_limit cli_limit_memory(int64_t bytes);
/* Prints "dapbridge: where: text" on standard error, with the limit of memory if the status is
 * DAP_ERR_NOMEM. Returns CLI_UNREADABLE. */
cli_exit cli_complain(const cli_options *options, dap_status status, const char *where, const char *text);
/* Prints that there is too little memory to describe a document. Returns CLI_UNREADABLE. */
cli_exit cli_no_memory(const cli_case *c);

/* ---- join.c: a document as a layout ------------------------------------------------------------------ */

/* Reads and joins a document, and prints its errors. *layout, which the caller destroys, is NULL if the
 * document is refused or has only a part of an array. The caller ends the parts with
 * document_parts_release() in any case. */
cli_exit cli_join(cli_case *c, document_parts *parts, dap_layout **layout);
/* The type of a sub-command's report about a layout. */
typedef cli_exit cli_telling(const cli_case *c, const document_parts *parts, const dap_layout *layout);
/* Joins a document and calls `tell`. Prints on standard error if the document has errors, or only a part of
 * an array. */
cli_exit cli_whole(cli_case *c, cli_telling *tell);
/* Calls cli_whole() for all documents of options->files. */
cli_exit cli_walk_whole(const cli_options *options, cli_telling *tell);

/* ---- check.c, describe.c, draw.c, explain.c, layout.c, plan.c, rules.c: the sub-commands -------------- */

cli_exit cli_check(const cli_options *options);
cli_exit cli_describe(const cli_options *options);
cli_exit cli_draw(const cli_options *options);
cli_exit cli_explain(const cli_options *options);
cli_exit cli_layout(const cli_options *options); /* options->files are layouts */
cli_exit cli_plan(const cli_options *options);
cli_exit cli_rules(const cli_options *options);

/* ---- output.c: texts, and files that are written ------------------------------------------------------ */

typedef size_t (*cli_writer)(const dap_layout *layout, char *text, size_t capacity);

/* Returns the whole text, which the caller frees; NULL: no memory. */
char *cli_text(cli_writer writer, const dap_layout *layout);
/* Writes `what` to a stream. It allocates nothing, so it fails only if the stream does. */
typedef void cli_put(FILE *to, const void *what);
/* Writes `what` to options->output, and prints why it cannot. A file that cannot be written whole is
 * incomplete. */
cli_exit cli_write(const cli_options *options, cli_put *put, const void *what);
enum { CLI_WIDTH = 99 /* most characters of a line */ };
/* Prints a text in lines of at most CLI_WIDTH characters. The first line begins with `blanks` blanks, and the
 * others with `further`. A longer word has a line of its own. */
void cli_print_wrapped(int blanks, int further, const char *text);

/* ---- json.c ------------------------------------------------------------------------------------------ */

/* Returns a string. If the text is not UTF-8, such as a file's name or a text that was cut, '?' stands for
 * each byte that is not ASCII. */
json_t *cli_json_string(const char *text);
/* Prints a value in a line of its own, and frees it. False: no memory for it, or it is NULL. */
bool cli_print_json(json_t *json);
/* Prints the result for a document in a line of its own, with the document's place, and frees it. */
cli_exit cli_print_result(const cli_case *c, json_t *result);
json_t *cli_json_text(cli_writer writer, const dap_layout *layout); /* returns the text; NULL: no memory */
/* Returns the list of item(context, i) for i < count; NULL: no memory for one of them. */
typedef json_t *cli_item(const void *context, int index);
json_t *cli_json_list(int count, cli_item *item, const void *context);
/* Adds the members of `from` to `to`, and frees `from`. Returns `to`. If one of them is NULL, or there is no
 * memory, it frees both and returns NULL. */
json_t *cli_json_join(json_t *to, json_t *from);

/* ---- matrix.c: arrays as matrices of ScaLAPACK ------------------------------------------------------- */

/* Prints whether ScaLAPACK shares the array or moves it, and why; or appends that to `verdicts`, if it is not
 * NULL. An array that ScaLAPACK has no matrices for is an error. */
dap_status cli_matrix(const cli_case *c, const document_parts *parts, const dap_layout *layout,
                      json_t *verdicts, dap_error *err);

/* ---- field.c: arrays as fields of PETSc -------------------------------------------------------------- */

/* The verdict on a vector of the field: PETSc works in the buffers or on a copy. */
typedef struct cli_field_verdict {
  const char *vector; /* "global" or "local" */
  bool is_shared;
  dap_order order; /* of the buffers that this holds for; 0: both, or the buffers are known */
  dap_dtype type;  /* of the elements; DAP_NONE: not known */
  char why[DAP_ERROR_TEXT];
} cli_field_verdict;

enum { CLI_FIELD_VERDICTS = 4 /* at most: two vectors, two orders */ };

/* Finds the verdicts on an array. `arrays` has the buffers of all processes; NULL: they are not known. An
 * array that a field cannot be made of is an error. */
dap_status cli_judge_field(const dap_layout *layout, const dap_array *arrays,
                           cli_field_verdict verdicts[CLI_FIELD_VERDICTS], int *count, dap_error *err);

/* ---- version.c ------------------------------------------------------------------------------------ */

/* Prints the text of --version. */
cli_exit cli_version(bool json);

#endif
