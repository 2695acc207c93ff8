/* The processes of a test in two groups, and the intercommunicator between them. */
#ifndef DAP_TEST_TWO_GROUPS_H
#define DAP_TEST_TWO_GROUPS_H

#include <mpi.h>

#include "pair.h"

typedef struct two_groups {
  int own;                     /* this process's: 0 or 1 */
  int size[2];                 /* processes of each */
  int members[2][BRUTE_PROCS]; /* [size] rank in MPI_COMM_WORLD of each */
  MPI_Comm group;              /* this process's */
  MPI_Comm inter;
} two_groups;

/* Which ranks are in which group, and in what order. */
typedef enum group_order {
  LOW_FIRST,   /* the lowest in group 0 */
  HIGH_FIRST,  /* the highest in group 0 */
  INTERLEAVED, /* in turns as long as both last, the order of group 1 reversed */
  GROUP_ORDERS
} group_order;

/* With `first` processes in group 0. Collective on MPI_COMM_WORLD. Ended with two_groups_free(). */
two_groups two_groups_make(int first, group_order order);
void two_groups_free(two_groups *g);

/* Both sides of a plan from group `sender` to the other one, of few elements; on all processes of their
 * groups or on some of them. Memory of the library's is shared by all. Ended with free_pair(). */
void draw_groups(test_random *random, const two_groups *g, int sender, pair *c);

/* The side as this process gives it: ranks are those of its group, and a process of the other group gives
 * *room without a layout or NULL, which `own` draws. */
const dap_side *side_in_group(const two_groups *g, int holder, const test_side *s, bool tells,
                              test_random *own, dap_side *room, int ranks[]);

#endif
