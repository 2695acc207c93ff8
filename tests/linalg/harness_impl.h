/* What the harness' files share. */
#ifndef DAP_TEST_LINALG_HARNESS_IMPL_H
#define DAP_TEST_LINALG_HARNESS_IMPL_H

#include "harness.h"

/* harness_whole.c: room for `count` elements, all zero, never NULL. */
void *zeros(int64_t count, size_t size);

/* harness_layout.c: the layout of an array of `ndim` axes as a row says, over exactly grid[0] * grid[1]
 * processes, grid[0] if ndim is 1. Ends the program where the library refuses it. */
dap_layout *source_layout(const source *s, int ndim, const int64_t size[2], const int grid[2]);

/* harness_place.c: goes through the local positions that are no communication padding. Start with a zeroed
 * place. */
typedef struct place {
  bool begun;
  int64_t halo[2][2]; /* of the part, by axis and end */
  int64_t local[2];
  int64_t i, j; /* global */
  bool owned;   /* else a copy of another process's element */
  unsigned char *element;
} place;
bool place_next(const matrix *m, place *p);

/* Asks the layout what is where, once for each matrix. */
void places_look_up(matrix *m);

/* The element of a place, bytes turned round where the array is swapped. */
double complex place_load(const matrix *m, const place *p);
void place_store(const matrix *m, const place *p, double complex value);

/* harness_matrix.c: what this process holds, owned or not, is what the whole matrix says. */
bool expect_copies(const matrix *m, const double complex *whole);

#endif
