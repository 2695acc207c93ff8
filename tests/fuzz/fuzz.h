/* Declares the functions that the fuzzers share. They fuzz documents (fuzz_document.c), dictionaries in
 * memory (fuzz_dims.c), and layouts in short texts (fuzz_text.c). */
#ifndef DAP_FUZZ_H
#define DAP_FUZZ_H

#include <dapbridge/array.h>
#include <dapbridge/join.h>
#include <dapbridge/layout.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the run if the condition is false, so that libFuzzer keeps the document. */
#define FUZZ_REQUIRE(condition)                                                                              \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      (void)fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                          \
      abort();                                                                                               \
    }                                                                                                        \
  } while (0)

/* ---- fuzz_layout.c: compares several answers to each question about a layout ---------------------- */

/* Findings in the order in which the listener receives them. */
typedef struct fuzz_heard {
  long count;
  char first[DAP_ERROR_TEXT];
} fuzz_heard;
void fuzz_listen(void *context, dap_status status, const dap_error *finding);

/* The arrays from which a layout was made. */
typedef struct fuzz_arrays {
  int nprocs;
  const dap_array *of; /* [nprocs] */
  bool has_buffers;    /* the buffers' shapes are known */
  bool has_values;     /* each element is where its array says */
} fuzz_arrays;

/* Checks a layout's texts, the places of its elements, and the arrays from which it was made. */
void fuzz_layout(const fuzz_arrays *arrays, const dap_layout *layout);

/* Checks that the layout's short text gives an equal layout. */
void fuzz_format(const dap_layout *layout);

/* Returns number i % FUZZ_FEW of FUZZ_FEW numbers that are spread over 0 .. count - 1. Some of them
 * coincide. */
enum { FUZZ_FEW = 8 };
int64_t fuzz_spread(int64_t count, int i);

/* Returns the owner of an element, and sets local[] to its place there. Checks that the owner has it
 * there. */
int fuzz_find(const dap_layout *layout, const int64_t global[], int64_t local[]);

/* ---- fuzz_slice.c ------------------------------------------------------------------------------------- */

/* Takes parts of the layout and of its arrays. The elements must stay in place. */
void fuzz_slices(const fuzz_arrays *arrays, const dap_layout *layout);

/* ---- fuzz_export.c -------------------------------------------------------------------------------- */

extern const char *const fuzz_versions[3]; /* of the protocol */
/* Sets *array to a process's dictionaries, with a buffer of bytes. Fails if the version cannot describe the
 * layout. */
dap_status fuzz_array(const dap_layout *layout, const char *version, int rank, dap_array *array,
                      dap_error *err);

/* Exports every dictionary in every version of the protocol that can describe it, and joins them again. */
void fuzz_export(const dap_layout *layout);

#endif
