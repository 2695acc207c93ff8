/* Both sides of a plan at once, drawn by chance, and its runs in private memory and in the library's. */
#ifndef DAP_TEST_PAIR_H
#define DAP_TEST_PAIR_H

#include "alloc_side.h"

enum { WAYS = 7 };
extern const unsigned ways[WAYS]; /* sets of transports; the first three are one each, the last is any */

/* Both sides, in private memory and in the library's. */
typedef struct pair {
  random_array arrays[2];
  test_side from, to;
  alloc_side alloc_from, alloc_to;
  bool tells; /* processes outside a side give no layout */
} pair;

/* Of few elements. Collective on MPI_COMM_WORLD; `comm` shares the library's memory. Ended with
 * free_pair(). */
void draw_pair(test_random *random, MPI_Comm comm, pair *c);
void free_pair(pair *c);
/* The same of numbers of 8 bytes in C order, dealt by these dists [ndim] to all processes. */
void deal_pair(int ndim, const dap_dist from[], const dap_dist to[], test_random *random, pair *c);
dap_side as_given(const pair *c, const test_side *s);
dap_plan_options draw_options(test_random *random);

/* Names the case in what is recorded from here on. */
void label(const char *what, int number, const pair *c, const dap_plan_options *o);

/* Which of a run's buffers are the library's. */
typedef struct memory {
  const char *why;
  bool from, to;
} memory;

enum { MEMORIES = 5 };
extern const memory memories[MEMORIES];

/* Whether both sides are as a run must leave them. */
void check_run(const pair *c, const dap_plan_options *o, const memory *m, int64_t shift);

/* Elements of both sides are there, then run; refused on those that receive where only direct copies are
 * allowed and cannot be. */
void run_in(const pair *c, dap_plan *plan, const dap_plan_options *o, const memory *m, const traffic *t,
            int64_t shift);

/* What the plan says of itself is what it has to do. Collective on MPI_COMM_WORLD. */
void check_stats(const pair *c, const dap_plan *plan, const dap_plan_options *o, const traffic *t);

#endif
