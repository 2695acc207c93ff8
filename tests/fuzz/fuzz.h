/* The fuzzers, of documents (fuzz_document.c), of dictionaries in memory (fuzz_dims.c) and of layouts in a
 * short text (fuzz_text.c): an index of what they share. */
#ifndef DAP_FUZZ_H
#define DAP_FUZZ_H

#include <dapbridge/array.h>
#include <dapbridge/join.h>
#include <dapbridge/layout.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the run, so that libFuzzer keeps the document. */
#define FUZZ_REQUIRE(condition)                                                                              \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      (void)fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                          \
      abort();                                                                                               \
    }                                                                                                        \
  } while (0)

/* ---- fuzz_layout.c: questions to a layout, answered in more than one way -------------------------- */

/* Findings as they are told. */
typedef struct fuzz_heard {
  long count;
  char first[DAP_ERROR_TEXT];
} fuzz_heard;
void fuzz_listen(void *context, dap_status status, const dap_error *finding);

/* The arrays that a layout was made of. */
typedef struct fuzz_arrays {
  int nprocs;
  const dap_array *of; /* [nprocs] */
  bool has_buffers;    /* their shapes are known */
  bool has_values;     /* and each element is where the array says */
} fuzz_arrays;

/* The words for it; elements there and back; the arrays that it was made of. */
void fuzz_layout(const fuzz_arrays *arrays, const dap_layout *layout);

/* Its short text is that of an equal layout. */
void fuzz_format(const dap_layout *layout);

/* The i-th of FUZZ_FEW numbers spread over 0 .. count - 1; some coincide. */
enum { FUZZ_FEW = 8 };
int64_t fuzz_spread(int64_t count, int i);

/* ---- fuzz_slice.c ------------------------------------------------------------------------------------- */

/* Takes parts of the layout and of its arrays, whose elements must stay where they are. */
void fuzz_slices(const fuzz_arrays *arrays, const dap_layout *layout);

/* ---- fuzz_export.c -------------------------------------------------------------------------------- */

/* Exports every dictionary in every version of the protocol that can say it, and joins them again. */
void fuzz_export(const dap_layout *layout);

#endif
