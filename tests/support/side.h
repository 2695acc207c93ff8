/* Makes the sides of plans under test. Their arrays come from the brute-force model, so moved elements are
 * compared with elements that were dealt out one by one. The library's own answers are not used. */
#ifndef DAP_TEST_SIDE_H
#define DAP_TEST_SIDE_H

#include <dapbridge/plan.h>

#include "buffers.h"
#include "random_array.h"

/* How processes get their layouts. */
typedef enum side_origin {
  CREATED,   /* by dap_layout_create(), so all indices are known */
  ASSEMBLED, /* by dap_layout_assemble() on processes with a part, others as CREATED */
  MIXED      /* CREATED on even ranks, ASSEMBLED on odd ones */
} side_origin;

typedef struct test_side {
  const random_array *array;
  dap_layout *layout;
  int ranks[BRUTE_PROCS]; /* [nprocs] rank in MPI_COMM_WORLD of each process of the layout */
  int process;            /* the layout's process that this one is; -1: none */
  int64_t itemsize;
  test_buffer buffer; /* poisoned; if this process has no part, like that of process 0 */
} test_side;

/* Makes a side, which side_free() ends. `ranks` NULL: rank i is process i. An array that cannot be assembled
 * is created instead. So random arrays can have any origin, and rows are checked by case_deal(). Collective
 * on MPI_COMM_WORLD. */
test_side side_make(const random_array *array, side_origin origin, const int ranks[], int64_t itemsize,
                    test_form form, test_random *random);
void side_free(test_side *s);

/* Draws an array of `size` [ndim], of any origin and form, on all processes or some. `reorders` puts the
 * processes in any order. *array receives it. */
test_side side_draw(test_random *random, int ndim, const int64_t size[], int64_t itemsize, bool reorders,
                    random_array *array);

/* Draws the ranks of `nprocs` processes in any order. Returns NULL every second time. */
const int *random_part(test_random *random, int nprocs, int ranks[]);

dap_side side_of(const test_side *s);
void *side_data(const test_side *s); /* NULL on a process without a part */

/* Returns the address of a position of a walk over the process's own buffer. */
unsigned char *side_place(const test_side *s, const brute_walk *w);

enum { SIDE_ITEM = 6000 /* the most bytes of an element that is checked */ };

/* The values of copies, which are elements that another process owns. */
typedef enum side_copies {
  COPIES_RIGHT, /* the owner's value */
  COPIES_WRONG  /* another value, except in copies along replicated axes only */
} side_copies;

/* Writes the value of element number + shift to each owned position. Copies get the values that `copies`
 * names, and communication padding gets poison. */
void side_fill(const test_side *s, int64_t shift, side_copies copies);

/* Writes poison everywhere. */
void side_poison(const test_side *s);

/* Records a failure, and returns false, unless the buffer is as side_fill() writes it, and all gaps are
 * poison. Communication padding must be as `padding` says. PADDING_FILLED means the owners' values. */
bool side_check(const test_side *s, int64_t shift, side_copies copies, test_padding padding);

/* Checks the whole array in C order, with the values that side_fill() writes. */
bool whole_check(const random_array *array, int64_t itemsize, int64_t shift, const unsigned char *whole);

#endif
