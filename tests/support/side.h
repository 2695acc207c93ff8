/* Makes the sides of plans under test. Their arrays come from the brute-force model, so moved elements are
 * compared with elements that were dealt out one by one. The library's own map is not used. */
#ifndef DAP_TEST_SIDE_H
#define DAP_TEST_SIDE_H

#include <dapbridge/plan.h>

#include "buffers.h"
#include "random_array.h"

/* Where processes have their layouts from. */
typedef enum side_origin {
  CREATED,   /* dap_layout_create(): all indices are known */
  ASSEMBLED, /* dap_layout_assemble() where they hold a part, else CREATED */
  MIXED      /* the one on even ranks, the other on odd ones */
} side_origin;

typedef struct test_side {
  const random_array *array;
  dap_layout *layout;
  int ranks[BRUTE_PROCS]; /* [nprocs] rank in MPI_COMM_WORLD of each process of the layout */
  int process;            /* of the layout that this one is; -1: none */
  int64_t itemsize;
  test_buffer buffer; /* poisoned; of process 0's form where this is none */
} test_side;

/* Collective on MPI_COMM_WORLD. `ranks` NULL: rank i is process i. The origin is CREATED where the protocol
 * has no words for a drawn array, or only lists for a replicated axis; rows of tables may not say so
 * (case.h). Ended with side_free(). */
test_side side_make(const random_array *array, side_origin origin, const int ranks[], int64_t itemsize,
                    test_form form, test_random *random);
void side_free(test_side *s);

/* A random array of `size` [ndim], which *array becomes, on some of the processes in any order. */
test_side side_draw(test_random *random, int ndim, const int64_t size[], int64_t itemsize,
                    random_array *array);

/* Ranks for `nprocs` of the processes, in any order; or NULL, every second time. */
const int *random_part(test_random *random, int nprocs, int ranks[]);

dap_side side_of(const test_side *s);
void *side_data(const test_side *s); /* NULL where it holds no part */

/* Where the position of a walk over its own buffer lies. */
unsigned char *side_place(const test_side *s, const brute_walk *w);

enum { SIDE_ITEM = 6000 /* bytes of an element that is checked, at most */ };

/* What elements that another process owns too hold. */
typedef enum side_copies {
  COPIES_RIGHT, /* the owner's value */
  COPIES_WRONG, /* another, which no element with the owner's number has; not along replicated axes alone */
  COPIES_ALL_WRONG /* the same, also along those */
} side_copies;

/* Writes to each owned position the value that says which element it is, `shift` elements on; to copies what
 * `copies` says; poison into communication padding. */
void side_fill(const test_side *s, int64_t shift, side_copies copies);

/* Poison everywhere. */
void side_poison(const test_side *s);

/* Records a failure, and returns false, unless all is as side_fill() writes it, but communication padding as
 * `padding` says (with the owner's values, also that of copies), and all gaps are poison. */
bool side_check(const test_side *s, int64_t shift, side_copies copies, test_padding padding);

/* ---- moved ----------------------------------------------------------------------------------------- */

/* Plans a move between two sides and runs it twice with other values: both sides are checked. Copies in the
 * source are wrong, with from_owners also those along replicated axes. Collective on MPI_COMM_WORLD. */
void side_move(const test_side *from, const test_side *to, const dap_plan_options *options);

/* Plans a halo update and runs it twice: padding and copies get the owners' values. Collective on
 * MPI_COMM_WORLD. */
void side_update(const test_side *s, const dap_plan_options *options);

/* The whole array in C order: filled as side_fill() does, or checked. */
void whole_fill(const random_array *array, int64_t itemsize, int64_t shift, unsigned char *whole);
bool whole_check(const random_array *array, int64_t itemsize, int64_t shift, const unsigned char *whole);

#endif
