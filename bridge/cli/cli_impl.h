/* The command `dapbridge`: an index of its files. */
#ifndef DAP_CLI_IMPL_H
#define DAP_CLI_IMPL_H

#include "document.h"

/* Exit status; the greatest of all documents is the command's. */
typedef enum cli_exit {
  CLI_FINE = 0,      /* every document is what it should be */
  CLI_REFUSED = 1,   /* a document breaks a rule */
  CLI_UNREADABLE = 2 /* a file cannot be read or holds no document; too little memory; wrong usage */
} cli_exit;

/* ---- main.c: what the user wants ------------------------------------------------------------------ */

typedef struct cli_options {
  const char *rules;    /* version of the protocol to read by; NULL: the documents' own */
  const char *routine;  /* of ScaLAPACK, for which the array is to be a matrix; NULL: for none */
  const char *memory;   /* that may be taken, as it was said; NULL: all there is */
  long findings;        /* that are printed of a document; 0: all */
  const char *protocol; /* version to write; NULL: 0.10, or 0.9 where only that can say it */
  long rank;            /* whose part is written; -1: all */
  dap_dtype type;       /* of elements; DAP_NONE: none are spoken of */
  bool quiet, is_fortran;
  int count;
  char *const *files; /* [count] */
} cli_options;

/* ---- limit.c: what a document can cost -------------------------------------------------------------- */

/* Natural numbers; a size may have a unit: K, M, G or T, and is 16M or more. False: it is none. */
bool cli_read_number(const char *text, long *number);
bool cli_read_size(const char *text, int64_t *bytes);
/* Allocations fail that would make the process take more. False: there is no such limit here, or a stricter
 * one already. */
bool cli_limit_memory(int64_t bytes);
/* Says on standard error that there is too little memory, and what the limit is. */
void cli_complain_memory(const cli_options *options, const char *what, const char *where, const char *text);

/* ---- walk.c: all documents of all files ----------------------------------------------------------- */

/* A document on its way through a sub-command. */
typedef struct cli_case {
  const cli_options *options;
  const document *doc;
  const char *where; /* "FILE:LINE name" */
  FILE *findings;    /* where they are printed */
  long found;        /* so many; 0: it is not refused */
  bool lacks_memory; /* so that it could not be looked at, or not to the end */
} cli_case;

/* Calls `visit` with every document; what cannot be read is said on standard error. */
cli_exit cli_walk(const cli_options *options, cli_exit (*visit)(cli_case *c));

/* ---- check.c --------------------------------------------------------------------------------------- */

/* Reads and joins a document, printing what is wrong with it. *layout, the caller's, is NULL if it is refused
 * or only a part of an array. The parts are ended with document_parts_release(), whatever is returned. */
cli_exit cli_join_parts(cli_case *c, document_parts *parts, dap_layout **layout);
cli_exit cli_join(cli_case *c, dap_layout **layout); /* the same without the parts */
cli_exit cli_part_only(const cli_case *c);           /* says that this is not enough */
cli_exit cli_no_memory(const cli_case *c);           /* says so */
cli_exit cli_check(const cli_options *options);

/* ---- show.c: a layout in words ------------------------------------------------------------------- */

typedef size_t (*cli_writer)(const dap_layout *layout, char *text, size_t capacity);

/* The whole text; the caller frees it. NULL: no memory. */
char *cli_text(cli_writer writer, const dap_layout *layout);
cli_exit cli_describe(const cli_options *options);
cli_exit cli_draw(const cli_options *options);

/* ---- layout.c: from a short form to documents -------------------------------------------------------- */

cli_exit cli_layout(const cli_options *options); /* whose files are layouts */

/* ---- explain.c, matrix.c: what solvers' libraries can take ------------------------------------------ */

/* Says whether ScaLAPACK shares the array or moves it, and why. What ScaLAPACK has no matrices of is an
 * error. */
dap_status cli_matrix(const cli_case *c, const document_parts *parts, const dap_layout *layout,
                      dap_error *err);
cli_exit cli_explain(const cli_options *options);

/* ---- rules.c ----------------------------------------------------------------------------------------- */

cli_exit cli_rules(const cli_options *options);

#endif
