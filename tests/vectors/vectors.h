/* run_vectors: arrays that real producers exported, read from JSON, through the library and back. An index of its files. */
#ifndef DAP_VECTORS_H
#define DAP_VECTORS_H

#include <dapbridge/array.h>
#include <dapbridge/comm.h>
#include <dapbridge/plan.h>
#include <jansson.h>
#include <mpi.h>

enum { VECTOR_ELEMENT = 16 /* bytes of the largest element type */, VECTOR_TEXT = 768 };

/* ---- element.c: one value ----------------------------------------------------------------------- */

/* Writes a JSON value as an element: a number, true or false for bool, [re, im] for complex. False when
 * it is none of that type. */
bool element_from_json(dap_dtype dtype, const json_t *value, void *element);

/* Writes the element at C-order index `index` of a document's whole array, from its fill and
 * global_values. False when the document does not say it. */
bool element_expected(const json_t *document, dap_dtype dtype, int64_t index, void *element);

/* ---- dim.c: one dictionary ---------------------------------------------------------------------- */

/* Reads the dictionary of `axis`. Integers are JSON integers and nothing else; a missing key is DAP_ABSENT
 * (padding: 0), unknown keys are ignored. The indices, if any, are allocated and the caller's, also on
 * error. */
dap_status dim_read(int axis, const json_t *json, dap_dim *dim, dap_error *err);

/* ---- part.c: one process' part ------------------------------------------------------------------ */

/* Rebuilds what process `rank` exported: dictionaries, and the buffer with its own strides. Ended with
 * dap_array_release(), also on error. Fails with DAP_ERR_DIM where a dictionary is not well formed, with
 * DAP_ERR_UNSUPPORTED for element types that the library does not move, and with DAP_ERR_LIBRARY where the
 * document itself is broken, which is never what it was to show. */
dap_status part_read(const json_t *document, int rank, dap_array *array, dap_error *err);

/* ---- compare.c: what the library made of it ----------------------------------------------------- */

/* The layout has the document's shape, and gives this process' positions the global indices that the
 * document lists. Not collective. */
dap_status compare_map(const json_t *document, const dap_layout *layout, int rank, dap_error *err);

/* Gathers the array on rank 0 by a plan and compares every element there. Collective. */
dap_status compare_elements(const json_t *document, MPI_Comm comm, const dap_layout *layout,
                            const dap_array *mine, dap_error *err);

/* ---- document.c: one document ------------------------------------------------------------------- */

typedef enum verdict { VERDICT_PASSED, VERDICT_FAILED, VERDICT_SKIPPED, VERDICTS } verdict;

typedef struct outcome {
  verdict verdict;
  char text[VECTOR_TEXT]; /* why it failed or was skipped */
} outcome;

/* Runs a document on the first nprocs processes of `world`. Collective; the outcome is the same on all. */
outcome document_run(const json_t *document, MPI_Comm world);

/* ---- tally.c: what came of all ------------------------------------------------------------------ */

enum { TALLY_REASONS = 64 };

typedef struct tally {
  long counts[VERDICTS];
  int reasons; /* different ones, of skipping */
  struct {
    char text[VECTOR_TEXT];
    long count;
  } list[TALLY_REASONS];
} tally;

void tally_add(tally *all, const outcome *one);
void tally_print(const tally *all);

#endif
