/* JSON documents that describe distributed arrays, read into dap_arrays. Never installed: it serves the
 * command `dapbridge`, the tests' vectors and the fuzzer. No MPI. An index of its files.
 *
 * A document is one of
 *   a. {"ranks": [{"__version__": ..., "dim_data": [...], "buffer": {...}}, ...]}, the form of tests/vectors,
 *   b. [{"__version__": ..., "dim_data": [...]}, ...], what each process exported,
 *   c. {"__version__": ..., "dim_data": [[...], [...], ...]}, or "ranks" for "dim_data": each process's
 *      dictionaries under one version,
 *   d. {"__version__": ..., "dim_data": [...]}, what one process exported, of however many.
 * In all of them a process may bring a "buffer" or only a "buffer_shape", which c cannot. A file is one
 * document, a list of documents a or c, or several of these one after the other, such as one in each line.
 *
 * A buffer has "shape", "dtype" (numpy: "<f8") or "format" (PEP 3118: "<d"), and may have "strides" (bytes;
 * without them C order), "readonly" and "values" (in logical C order, complex as [re, im]). Unknown keys are
 * ignored everywhere.
 *
 * No JSON whatsoever makes these functions crash, overflow, or use memory out of proportion to it. */
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

/* Parses one JSON value. What jansson's numbers cannot hold (integers beyond 64 bits, reals that are no
 * double, and Python's NaN and Infinity) becomes a string: DOCUMENT_NUMBER, then the number as it stood.
 * All functions here take that for the number. NULL when it is not JSON, or there is no memory for it;
 * *line (may be NULL) is where. */
json_t *document_parse(const char *text, size_t length, int *line, dap_error *err);

/* The documents of a file. */
typedef struct document_file {
  char *text; /* [length] with numbers quoted, as document_parse() quotes them */
  size_t length;
  size_t at;    /* place of the next value */
  size_t tried; /* bytes read of values that were not JSON */
  int line;     /* line of that place, 1-based */
  int begin;    /* line on which the last value began; 0: no value has been read */
  bool is_only; /* the last value is the only one */
  json_t *json; /* the last value */
  size_t index; /* place in the last value, if it is a list of documents */
} document_file;

/* One of them, and where it stands. */
typedef struct document_place {
  const json_t *json; /* until the next call; NULL: this value is not JSON, or too large, */
  dap_status status;  /* as this says: that of *err */
  int line;           /* 1-based; 0: the file is one value */
  int number;         /* in a list of documents, 0-based; -1: it is none */
} document_place;

/* Reads all of `stream`, which stays the caller's, but no more than `limit` bytes, at most DOCUMENT_LIMIT.
 * Errors: DAP_ERR_LIBRARY (it cannot be read), DAP_ERR_RANGE (it is longer), DAP_ERR_NOMEM. */
dap_status document_file_init(document_file *file, FILE *stream, size_t limit, dap_error *err);
/* The next document; false when there is none left. Where place->json is NULL, err says why; where that is
 * too little memory, it is the last. In time proportional to the file's length for all documents together. */
bool document_file_next(document_file *file, document_place *place, dap_error *err);
void document_file_release(document_file *file);

/* ---- document.c: the form of one document --------------------------------------------------------- */

typedef struct document {
  const json_t *json;  /* borrowed, as long as the document is used */
  const json_t *ranks; /* the list of processes; NULL: json is one process's export */
  const char *rules;   /* version of the protocol to read by, borrowed; NULL: the document's own */
  int nprocs;
  bool is_export;   /* form d: it may be a part of an array only */
  bool has_buffers; /* some process brings one; else dictionaries are all there is */
  bool has_strides; /* all processes bring a buffer, not only its shape */
  bool has_values;  /* all processes bring the values of their elements */
} document;

/* Finds out the form of a document. Errors: DAP_ERR_ARG (it is none of the forms, in words), DAP_ERR_VERSION
 * (`rules` is no version of the protocol). */
dap_status document_open(document *doc, const json_t *json, const char *rules, dap_error *err);

/* ---- part.c: one process -------------------------------------------------------------------------- */

/* Told everything that is wrong. NULL: nobody. */
typedef struct document_listener {
  void (*tell)(void *context, dap_status status, const dap_error *finding);
  void *context;
} document_listener;

/* Reads the part of process `rank` (form d: 0): dictionaries by the protocol's own types, and the buffer with
 * its strides, byte order and alignment. Without a buffer ndim is dim_count, shape and dtype are 0. A buffer
 * without values has an address that must not be used. Ended with dap_array_release(), also on error.
 * Only JSON is judged here: what the library can check of the result is left to it; a required integer that
 * is not there is DAP_ABSENT. Status and *err are those of the first finding; texts name no rank.
 * On error the array holds what could be read, so that it can be checked too: harmless dictionaries stand for
 * wrong ones, dtype is DAP_NONE when the buffer's shape is wrong, and abi is 0 when nothing is left.
 * Errors: DAP_ERR_VERSION, DAP_ERR_DIM, DAP_ERR_BUFFER, DAP_ERR_RANGE (more dimensions or memory than
 * there can be, integers beyond 64 bits), DAP_ERR_NOMEM. A broken rule of the protocol is in err->rule. */
dap_status document_read(const document *doc, int rank, const document_listener *listener, dap_array *array,
                         dap_error *err);

/* ---- element.c: one value ------------------------------------------------------------------------- */

/* Writes a JSON value as an element in this machine's byte order: true or false for bool, [re, im] for
 * complex, else a number, to the last digit. False when it is none of that type or does not fit. */
bool document_element(dap_dtype dtype, const json_t *value, void *element);

/* ---- parts.c: all processes ----------------------------------------------------------------------- */

typedef struct document_parts {
  const document *doc; /* borrowed */
  dap_array *arrays;   /* [doc->nprocs] as document_read() leaves them; zeroed where nothing is left */
  bool *is_read;       /* [doc->nprocs] nothing was found in it */
  dap_status status;   /* of reading: that of the first finding */
  dap_error error;
} document_parts;

/* Reads every process; texts begin with "rank R: ", but in form d. Ended with document_parts_release(), also
 * on error.
 * Errors: as document_read(), of the first process that has one. */
dap_status document_parts_init(document_parts *parts, const document *doc, const document_listener *listener,
                               dap_error *err);
void document_parts_release(document_parts *parts);

/* The layout of them all, as dap_layout_join() makes it; the caller owns it. Where processes could not be
 * read, it checks what is left of them, and the others, and returns parts->status. A document of form d that
 * is a right part of an array on more processes is DAP_OK with *layout NULL.
 * Errors: as document_parts_init() and dap_layout_join(). On error *layout is NULL. */
dap_status document_parts_join(const document_parts *parts, const document_listener *listener,
                               dap_layout **layout, dap_error *err);

/* ---- replicas.c ----------------------------------------------------------------------------------- */

/* Where 'u' axes put an element on several processes, it must have the same value on all. Tells the first
 * that differs on each process. DAP_OK for documents without values.
 * Errors: DAP_ERR_LAYOUT (rule 18). */
dap_status document_parts_compare(const document_parts *parts, const dap_layout *layout,
                                  const document_listener *listener, dap_error *err);

#endif
