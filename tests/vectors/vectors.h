/* run_vectors: arrays that real producers exported, read from JSON, through the library and back. An index of
 * its files. */
#ifndef DAP_VECTORS_H
#define DAP_VECTORS_H

#include "document.h"
#include <dapbridge/array.h>
#include <dapbridge/comm.h>
#include <dapbridge/join.h>
#include <dapbridge/plan.h>
#include <jansson.h>
#include <mpi.h>

enum { VECTOR_ELEMENT = 32 /* bytes of the largest element type */, VECTOR_TEXT = 768 };

/* ---- expected.c: what a document says of its elements ------------------------------------------ */

/* Writes the element at C-order index `index` of the whole array, from the document's fill and
 * global_values. False when the document does not say it. */
bool expected_element(const json_t *vector, dap_dtype dtype, int64_t index, void *element);

/* Equal as values: the unused bytes of long doubles do not count. */
bool element_equals(dap_dtype dtype, const void *a, const void *b);

/* ---- places.c: the positions of one process's buffer -------------------------------------------- */

/* Every position in C order, with what the library says of it. */
typedef struct places {
  int ndim;
  int64_t count;
  int64_t shape[DAP_MAX_NDIM]; /* [ndim] of the whole array */
  int64_t *local, *global;     /* [count][ndim] */
  bool *owned;                 /* [count] */
  bool *halo;                  /* [count] in communication padding */
} places;

/* Ended with places_release(), also on error. */
dap_status places_init(places *all, const dap_layout *layout, int rank, dap_error *err);
void places_release(places *all);

/* C-order index of a position's element in the whole array. */
int64_t places_index(const places *all, int64_t i);

/* Address of position i in an array's buffer. */
void *places_address(const places *all, int64_t i, const dap_array *array);

/* Overwrites all elements, or those in communication padding, with bytes that no document expects. */
void places_wipe(const places *all, const dap_array *array, bool only_halo);

/* Every element, or those that are owned, is what the document expects; `what` begins the text. */
dap_status places_compare(const places *all, const json_t *vector, const dap_array *array, bool only_owned,
                          const char *what, dap_error *err);

/* ---- map.c: where the library says the elements are -------------------------------------------- */

/* The layout has the document's shape, gives this process's positions the global indices that the document
 * lists, and calls those owned that the document calls so and no lower coordinate holds. Not collective. */
dap_status map_compare(const json_t *vector, const dap_layout *layout, int rank, dap_error *err);

/* ---- find.c: where each element is ------------------------------------------------------------- */

/* Every element is found, by lookup on the assembled layout and by locate on the joined one, at the same
 * place, and that is where the document has it. Collective. */
dap_status find_all(const json_t *vector, MPI_Comm comm, const dap_layout *assembled,
                    const dap_layout *joined, dap_error *err);

/* ---- moves.c: the elements moved by plans ------------------------------------------------------ */

/* Gathers the array on rank 0; updates its halo; redistributes it to even rows and back; scatters it. After
 * each the elements must be the document's. Collective; changes the buffer unless it cannot be written. */
dap_status moves_compare(const json_t *vector, MPI_Comm comm, const dap_layout *layout,
                         const dap_array *given, dap_error *err);

/* ---- export.c: dictionaries written back ------------------------------------------------------- */

/* The dictionaries that the layout exports, in the parts' own dialect and in others, make an equal layout
 * when joined; in their own dialect they also say what the parts said, where the protocol leaves no choice.
 * rules: the version to read the parts by, or NULL for theirs. Not collective. */
dap_status export_compare(const dap_layout *layout, const char *rules, const dap_array parts[],
                          dap_error *err);

/* The layout of `nprocs` parts. Not collective. */
dap_status join_parts(int nprocs, const dap_array parts[], const char *rules, dap_layout **layout,
                      dap_error *err);

/* ---- tally.c: what came of all ----------------------------------------------------------------- */

typedef enum verdict { VERDICT_PASSED, VERDICT_FAILED, VERDICT_SKIPPED, VERDICTS } verdict;

typedef struct outcome {
  verdict verdict;
  bool in_two_wordings;   /* refused by the same rule, but assembled and joined do not say the same */
  char text[VECTOR_TEXT]; /* why it failed or was skipped, or what to know of it */
} outcome;

enum { TALLY_NOTES = 64 };

typedef struct tally {
  long counts[VERDICTS];
  int notes; /* different ones */
  struct {
    char text[VECTOR_TEXT];
    long count;
  } list[TALLY_NOTES];
} tally;

void tally_add(tally *all, const outcome *one);
/* Counts something to print at the end, by its text. */
void tally_note(tally *all, const char *format, ...) DAP_PRINTF(2, 3);
void tally_print(const tally *all);

/* ---- array.c: one document of all processes of an array ---------------------------------------- */

/* Runs it on the first nprocs processes of `world`. Collective; the outcome is the same on all. */
outcome array_run(const json_t *vector, MPI_Comm world);

/* ---- oracle.c: the protocol's rules for one process's export, from the rules' text alone -------- */

/* What can be wrong with it. */
typedef enum fault {
  FAULT_VERSION,
  FAULT_NO_DIM_DATA,
  FAULT_NO_SEQUENCE,
  FAULT_NO_BUFFER,
  FAULT_ELEMENT,
  FAULT_COUNT,
  FAULT_NO_DICTIONARY,
  FAULT_TYPE,
  FAULT_KEY,
  FAULT_INTEGER,
  FAULT_BOOL,
  FAULT_SIZE,
  FAULT_GRID,
  FAULT_RANGE,
  FAULT_EDGE,
  FAULT_PADDING,
  FAULT_BLOCK_SIZE,
  FAULT_START,
  FAULT_NOTHING,
  FAULT_INDICES,
  FAULT_LABEL,
  FAULT_TWICE,
  FAULT_GAP,
  FAULT_EXTENT,
  FAULTS
} fault;

typedef struct oracle_axis {
  char type; /* 'b', 'c' or 'u' */
  bool periodic;
  int64_t size, procs, rank;
  int64_t start, stop; /* 'b': what is owned; 'c': start is the key's */
  int64_t halo[2];     /* 'b': communication padding towards neighbours */
  int64_t wrap[2];     /* 'b': communication padding that wraps round */
  int64_t block_size;
  const json_t *indices;
  int64_t owned, extent; /* extent -1: not to be told, or the buffer's */
} oracle_axis;

typedef struct oracle {
  unsigned long faults; /* bit 1 << fault for each that was found; 0: it is right */
  bool padding_inside;  /* of the dialect */
  int ndim;
  oracle_axis axes[DAP_MAX_NDIM]; /* [ndim]; to be used if nothing is wrong */
} oracle;

/* Judges {"__version__", "dim_data", "buffer" or "buffer_shape"}. rules: the version to read by, or NULL;
 * needs_buffer: it is wrong without one. */
void oracle_judge(const json_t *part, const char *rules, bool needs_buffer, oracle *judged);

/* The rules that a fault breaks, by the numbers of rules.h: fault_rule() is the one to cite. */
int fault_rule(fault f);
bool fault_breaks(fault f, int rule);
const char *fault_text(fault f);
bool fault_is_of_whole(fault f); /* nothing is wrong with the part, but no whole array has it */

/* ---- opinions.c: what an entry says of itself -------------------------------------------------- */

/* Compares the entry's own verdicts, by the documents' text and by the protocol's checker, with the oracle's.
 * Where they differ the difference must be one that the rules decide; these are noted in `all`. False: it is
 * none of those, and `text` says what. */
bool opinions_explained(const json_t *entry, const oracle *judged, tally *all, char text[VECTOR_TEXT]);

/* The text says that the entry is wrong. */
bool opinions_say_wrong(const json_t *entry);

/* ---- completion.c: one process's export as a part of a whole array ------------------------------ */

/* Adds the dictionaries of all other processes and joins them with the given ones. The layout must own at
 * this process what the oracle says. DAP_OK and *layout NULL: there is no whole array of that kind that is
 * small enough and has such a part, or none that is known. */
dap_status completion_join(const oracle *judged, const dap_array *part, dap_layout **layout, dap_error *err);

/* ---- single.c: one entry of a file of single dictionaries -------------------------------------- */

/* Not collective. needs_buffer: the entries of its list have buffers. */
outcome single_run(const json_t *entry, bool needs_buffer, tally *all);

/* ---- singles.c: such a file -------------------------------------------------------------------- */

/* Goes through all lists of a file; tells `report` of each entry. Not collective. */
typedef void (*singles_report)(void *context, const char *name, const outcome *one);
void singles_run(const json_t *file, tally *all, singles_report report, void *context);

#endif
