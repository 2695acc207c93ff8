/* The tables of dap_layout_assemble()'s refusals: one process says something else than the others. Every
 * process must return the same status and text, and none may wait for another. */
#ifndef DAP_TEST_REFUSE_H
#define DAP_TEST_REFUSE_H

#include "mpi_test.h"
#include "mutate.h"

/* The right arrays that the rows change. Values do not depend on the number of processes P. */
typedef enum base {
  PADDED, /* 'b', 4 elements a process, halo 1 */
  PLAIN,  /* 'b', 1 element a process */
  CYCLIC, /* 'c', blocks of 2, 4 elements a process */
  GRID    /* 'b' 4 a process x 'c' blocks of 2, 4 a process, over a grid with an even second axis */
} base;

enum { EVERY = -1, LAST = -2 /* for `who` */ };

typedef struct row {
  const char *why;
  base base;
  int least; /* processes that the row needs */
  int who;   /* the rank that says it, or EVERY or LAST */
  test_change changes[TEST_CHANGES];
  int whose; /* a second rank; 0: none */
  test_change more[TEST_CHANGES];
  dap_status want;
  const char *parts; /* of the message */
  int rule;          /* that is broken; 0: none of the protocol's */
} row;

#define NO_MORE                                                                                              \
  0,                                                                                                         \
  {                                                                                                          \
    {                                                                                                        \
      KEY_END, 0, 0, 0                                                                                       \
    }                                                                                                        \
  }

/* This process's part of a base, with the layout that it comes from; ended by the two calls of their own. */
void make_base(base which, dap_layout **layout, dap_array *array);

/* Assembles with the row's changes, twice; checks and settles. Rows for more processes, or another grid,
 * than there are do nothing. Collective. */
void check_row(const row *r);

#define ROWS(name)                                                                                           \
  static void check_##name(void **state)                                                                     \
  {                                                                                                          \
    (void)state;                                                                                             \
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) check_row(&name[i]);                           \
  }

#endif
