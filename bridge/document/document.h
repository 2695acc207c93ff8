/* Reads JSON documents that describe distributed arrays into dap_arrays, for the command `dapbridge`, the
 * tests' vectors and the fuzzer. It is never installed, and does not use MPI. No JSON makes
 * these functions crash, overflow, or use memory out of proportion to it. */
#ifndef DAP_DOCUMENT_H
#define DAP_DOCUMENT_H

#include <dapbridge/array.h>
#include <dapbridge/dialect.h>
#include <dapbridge/join.h>
#include <dapbridge/layout.h>
#include <jansson.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>

/* ---- text.c, file.c: from text to JSON ------------------------------------------------------------ */

enum {
  DOCUMENT_NUMBER = '\001',
  DOCUMENT_LIMIT = INT_MAX /* bytes of text: jansson counts them in an int */
};

/* Parses one JSON value. Numbers that jansson cannot hold (integers beyond 64 bits, reals that are not
 * doubles, and Python's NaN and Infinity) become strings: DOCUMENT_NUMBER and the number's text. All
 * functions here take these for numbers. Returns NULL if the text is not JSON, or there is no memory for
 * it. */
json_t *document_parse(const char *text, size_t length, dap_error *err);

/* The documents of a file. */
typedef struct document_file {
  char *text; /* [length] with numbers quoted as in document_parse() */
  size_t length;
  size_t at;    /* place of the next value */
  size_t tried; /* bytes read of values that were not JSON */
  int line;     /* line of that place, 1-based */
  int begin;    /* line on which the last value began; 0: no value has been read */
  bool is_only; /* the last value is the only one */
  json_t *json; /* the last value */
  size_t index; /* place in the last value, if it is a list of documents */
} document_file;

/* A document of a file, and its place. */
typedef struct document_place {
  const json_t *json; /* valid until the next call; NULL: the value is not JSON, or there is no memory */
  dap_status status;  /* that of *err if json is NULL */
  int line;           /* 1-based; 0: the file is one value */
  int number;         /* in a list of documents, 0-based; -1: it is not in a list */
} document_place;

/* Reads `stream` to its end. `limit` is at most DOCUMENT_LIMIT bytes.
 * Errors: DAP_ERR_LIBRARY (it cannot be read), DAP_ERR_RANGE (it is longer), DAP_ERR_NOMEM. */
dap_status document_file_init(document_file *file, FILE *stream, size_t limit, dap_error *err);
/* Finds the next document. Returns false if none is left. If place->json is NULL, err says why; without
 * memory it is the last document. The time for all documents together is proportional to the file's
 * length. */
bool document_file_next(document_file *file, document_place *place, dap_error *err);
void document_file_release(document_file *file);

/* ---- document.c: the form of one document --------------------------------------------------------- */

/* A document is one of
 *   a. {"ranks": [{"__version__": ..., "dim_data": [...], "buffer": {...}}, ...]}, the form of tests/vectors,
 *   b. [{"__version__": ..., "dim_data": [...]}, ...], the exports of all processes,
 *   c. {"__version__": ..., "dim_data": [[...], [...], ...]}, or "ranks" for "dim_data": each process's
 *      dictionaries under one version,
 *   d. {"__version__": ..., "dim_data": [...]}, the export of one process of any number.
 * In all forms except c, a process may have a "buffer" or only a "buffer_shape". A file is one document, a
 * list of documents a or c, or several of these one after the other, such as one in each line.
 *
 * A buffer has "shape", "dtype" (numpy: "<f8") or "format" (PEP 3118: "<d"), and may have "strides" (bytes;
 * without them C order), "readonly" and "values" (in logical C order, complex as [re, im]). Unknown keys are
 * ignored everywhere. */
typedef struct document {
  const json_t *json;  /* borrowed while the document is used */
  const json_t *ranks; /* the list of processes; NULL: json is one process's export */
  const char *rules;   /* version of the protocol whose rules apply, borrowed; NULL: the document's own */
  int nprocs;
  bool is_export;   /* form d: it may be only a part of an array */
  bool has_buffers; /* some process has a buffer or its shape */
  bool has_strides; /* all processes have a buffer, not only its shape */
  bool has_values;  /* all processes have the values of their elements */
} document;

/* Finds out the form of a document.
 * Errors: DAP_ERR_ARG (it has none of the forms), DAP_ERR_VERSION (`rules` is not a version of the
 * protocol). */
dap_status document_open(document *doc, const json_t *json, const char *rules, dap_error *err);

/* ---- part.c: one process -------------------------------------------------------------------------- */

/* A function that is told every finding. A NULL listener or `tell` is allowed. */
typedef struct document_listener {
  void (*tell)(void *context, dap_status status, const dap_error *finding);
  void *context;
} document_listener;

/* Reads the part of process `rank` (form d: 0): dictionaries, and the buffer with its strides, byte order and
 * alignment. Without a buffer, ndim is dim_count, and shape and dtype are 0. A buffer without values has an
 * address that must not be used. The caller calls dap_array_release(), also on error. The function checks
 * only the JSON, and leaves other checks to the library. A required integer that is absent is DAP_ABSENT.
 * Status and *err are those of the first finding. Texts name no rank. On error the array has the rest, so
 * that it can be checked: harmless dictionaries stand for wrong ones, dtype is DAP_NONE if the buffer's shape
 * is wrong, and abi is 0 if nothing is left.
 * Errors: DAP_ERR_VERSION, DAP_ERR_DIM, DAP_ERR_BUFFER, DAP_ERR_RANGE (more dimensions or memory than there
 * can be, integers beyond 64 bits), DAP_ERR_NOMEM. A broken rule of the protocol is in err->rule. */
dap_status document_read(const document *doc, int rank, const document_listener *listener, dap_array *array,
                         dap_error *err);

/* ---- element.c: one value ------------------------------------------------------------------------- */

/* Writes a JSON value as an element in this machine's byte order: true or false for bool, [re, im] for
 * complex, else a number, exact to the last digit. Returns false if it has another type or does not fit. */
bool document_element(dap_dtype dtype, const json_t *value, void *element);

/* ---- parts.c: all processes ----------------------------------------------------------------------- */

typedef struct document_parts {
  const document *doc; /* borrowed */
  dap_array *arrays;   /* [doc->nprocs] as document_read() leaves them; zeroed where nothing is left */
  bool *is_read;       /* [doc->nprocs] nothing was found in it */
  dap_status status;   /* of reading: that of the first finding */
  dap_error error;
} document_parts;

/* Reads every process. Texts begin with "rank R: ", except in form d. The caller calls
 * document_parts_release(), also on error.
 * Errors: those of document_read(), of the first process that has one. */
dap_status document_parts_init(document_parts *parts, const document *doc, const document_listener *listener,
                               dap_error *err);
void document_parts_release(document_parts *parts);

/* Makes the layout of all processes with dap_layout_join(). The caller owns it. If processes could not be
 * read, the function checks the rest of them and the others, and returns parts->status. If a document of form
 * d is a correct part of an array on more processes, it returns DAP_OK, with *layout NULL.
 * Errors: those of document_parts_init() and dap_layout_join(). On error *layout is NULL. */
dap_status document_parts_join(const document_parts *parts, const document_listener *listener,
                               dap_layout **layout, dap_error *err);

/* ---- replicas.c ----------------------------------------------------------------------------------- */

/* Checks that elements which 'u' axes put on several processes have the same value on all. Tells the first
 * that differs on each process. Returns DAP_OK for documents without values.
 * Errors: DAP_ERR_LAYOUT (rule 18). */
dap_status document_parts_compare(const document_parts *parts, const dap_layout *layout,
                                  const document_listener *listener, dap_error *err);

#endif
