/* Declarations that the files of this folder share. Other folders include document.h. */
#ifndef DAP_DOCUMENT_IMPL_H
#define DAP_DOCUMENT_IMPL_H

#include "check.h"
#include "document.h"

/* ---- value.c: one JSON value ---------------------------------------------------------------------- */

/* Describes a value in words that follow its name: "0.5 is a real", "is a list". */
typedef struct document_words {
  char text[96];
} document_words;
document_words document_say(const json_t *value);

/* Returns the text of a number that jansson cannot hold; NULL for any other value. */
const char *document_number_text(const json_t *value);
bool document_is_integer_text(const char *number);

/* Reads an integer. If the value has another type, returns `status` and names `rule`. `name` is what texts
 * call the value. */
dap_status document_integer(const json_t *value, const char *name, int rule, dap_status status, int64_t *word,
                            dap_error *err);

/* ---- numbers.c ------------------------------------------------------------------------------------ */

/* Quotes those numbers in a text that jansson cannot hold. *text is allocated and ends with NUL, before and
 * after. False: no memory, and nothing has changed. */
bool document_quote_numbers(char **text, size_t *length);

/* ---- text.c ------------------------------------------------------------------------------------------ */

/* Quotes numbers, and checks that jansson can count the bytes. *text is replaced as by
 * document_quote_numbers().
 * Errors: DAP_ERR_NOMEM, DAP_ERR_RANGE (more than DOCUMENT_LIMIT). */
dap_status document_prepare(char **text, size_t *length, dap_error *err);

/* Parses a prepared text: all of it, or where `whole` is false the value at its beginning. *count bytes
 * were read, to behind the value or to the error, and *line is the last of them.
 * Errors: DAP_ERR_ARG (it is not JSON), DAP_ERR_NOMEM. */
dap_status document_load(const char *text, size_t length, bool whole, json_t **json, size_t *count, int *line,
                         dap_error *err);

/* ---- document.c: where things are in a document --------------------------------------------------- */

/* Whether a value is a document of all processes (form a or c), like each entry of a list of documents. */
bool document_is_whole(const json_t *json);

/* A document's entries about one process; NULL: it has none. */
typedef struct document_process {
  const json_t *json;    /* the whole entry of the process */
  const json_t *version; /* of the process; if it has none, of the document */
  const json_t *buffer;
  const json_t *shape; /* extents, if there is no buffer */
} document_process;
document_process document_process_of(const document *doc, int rank);

/* The list of dictionaries, under the dialect's key or another's. */
const json_t *document_dims(const json_t *json, const dap_dialect *dialect);

/* ---- findings.c: what is wrong -------------------------------------------------------------------- */

typedef struct document_findings {
  const document_listener *listener;
  int rank; /* the rank named at the beginning of texts; -1: none */
  long count;
  dap_status status; /* of the first finding */
  dap_error *err;
} document_findings;

/* Notes the status that a function returned, if it is an error. Returns true if it is DAP_OK. */
bool document_found(document_findings *findings, dap_status status, const dap_error *error);

/* ---- dim.c, buffer.c: pieces of a part ------------------------------------------------------------ */

/* Reads a dictionary; all that is wrong becomes findings. *indices is allocated, and the caller's. False: it
 * could not be read. */
bool document_dim(int axis, const json_t *json, const dap_dialect *dialect, dap_dim *dim, void **indices,
                  document_findings *findings);

/* Reads a buffer, or its shape if that is all there is; dtype stays DAP_NONE where even that is wrong.
 * *memory is allocated, and the caller's. */
void document_buffer(const document_process *process, bool is_unaligned, dap_array *array, void **memory,
                     document_findings *findings);

/* ---- part.c --------------------------------------------------------------------------------------- */

/* document_read(), for who goes on noting. */
dap_status document_read_noting(const document *doc, int rank, dap_array *array, document_findings *findings);

/* ---- element.c ------------------------------------------------------------------------------------ */

enum { DOCUMENT_ELEMENT = 64 /* bytes, more than any element has */ };

/* Reverses the bytes of an element, of each half of a complex one. */
void document_swap(dap_dtype dtype, unsigned char *element);

#endif
