/* Declarations that the files of this folder share. Other folders include document.h. */
#ifndef DAP_DOCUMENT_IMPL_H
#define DAP_DOCUMENT_IMPL_H

#include "check.h"
#include "document.h"

/* ---- value.c: one JSON value ---------------------------------------------------------------------- */

/* The description of a value that follows its name: "0.5 is a real", "is a list". */
typedef struct document_words {
  char text[96];
} document_words;
document_words document_say(const json_t *value);

/* Returns the text of a number that jansson cannot hold; NULL for any other value. */
const char *document_number_text(const json_t *value);
bool document_is_integer_text(const char *number);

/* Reads an integer. If the value has another type, returns `status` and names `rule`. Texts call the value
 * what `name` and the arguments behind it say, such as "axis 7: start". */
dap_status document_integer(const json_t *value, int rule, dap_status status, int64_t *word, dap_error *err,
                            const char *name, ...) DAP_PRINTF(6, 7);

/* ---- numbers.c ------------------------------------------------------------------------------------ */

/* Quotes the numbers of a text that jansson cannot hold. *text is allocated and ends with NUL, before and
 * after. Returns false and changes nothing if there is no memory. */
bool document_quote_numbers(char **text, size_t *length);

/* ---- text.c ------------------------------------------------------------------------------------------ */

/* Quotes numbers as document_quote_numbers() does, and checks that jansson can count the bytes.
 * Errors: DAP_ERR_NOMEM, DAP_ERR_RANGE (more than DOCUMENT_LIMIT). */
dap_status document_prepare(char **text, size_t *length, dap_error *err);

/* Parses a prepared text; if `whole` is false, only the value at its beginning. *count is the number of bytes
 * up to the end of the value or the error, and *line the line there.
 * Errors: DAP_ERR_ARG (it is not JSON), DAP_ERR_NOMEM. */
dap_status document_load(const char *text, size_t length, bool whole, json_t **json, size_t *count, int *line,
                         dap_error *err);

/* ---- document.c: the parts of a document ---------------------------------------------------------- */

/* Returns whether a value is a document of all processes (form a or c), as entries of a list of documents
 * are. */
bool document_is_whole(const json_t *json);

/* A document's entries about one process; NULL: it has none. */
typedef struct document_process {
  const json_t *json;    /* the whole entry of the process */
  const json_t *version; /* of the process; if it has none, of the document */
  const json_t *buffer;
  const json_t *shape; /* extents, if there is no buffer */
} document_process;
document_process document_process_of(const document *doc, int rank);

/* Returns the list of dictionaries; NULL: there is none. Its key is the dialect's or "dim_data". If `dialect`
 * is NULL, the key of any dialect will do. */
const json_t *document_dims(const json_t *json, const dap_dialect *dialect);

/* ---- findings.c ----------------------------------------------------------------------------------- */

typedef struct document_findings {
  const document_listener *listener;
  int rank; /* the rank that texts begin with; -1: none */
  long count;
  dap_status status; /* of the first finding */
  dap_error *err;
} document_findings;

/* Notes the status that a function returned, if it is an error. Returns true if it is DAP_OK. */
bool document_found(document_findings *findings, dap_status status, const dap_error *error);

/* ---- dim.c, buffer.c: pieces of a part ------------------------------------------------------------ */

/* Reads a dictionary, and notes every fault. Returns false if there was one. The caller frees *indices. */
bool document_dim(int axis, const json_t *json, const dap_dialect *dialect, dap_dim *dim, void **indices,
                  document_findings *findings);

/* Reads a buffer or only its shape, and notes every fault. If the shape is wrong, dtype stays DAP_NONE. The
 * caller frees *memory. */
void document_buffer(const document_process *process, bool is_unaligned, dap_array *array, void **memory,
                     document_findings *findings);

/* ---- part.c --------------------------------------------------------------------------------------- */

/* Does the same as document_read(), and adds to the caller's findings. */
dap_status document_read_noting(const document *doc, int rank, dap_array *array, document_findings *findings);

/* ---- element.c ------------------------------------------------------------------------------------ */

enum { DOCUMENT_ELEMENT = 64 /* bytes, more than any element has */ };

/* Reverses the bytes of an element; those of each half, if it is complex. */
void document_swap(dap_dtype dtype, unsigned char *element);

#endif
