/* Puts the processes of a test into two groups, and makes the intercommunicator between them. */
#ifndef DAP_TEST_TWO_GROUPS_H
#define DAP_TEST_TWO_GROUPS_H

#include <mpi.h>

#include "side.h"

typedef struct two_groups {
  int own;                     /* 0 or 1: the group of this process */
  int size[2];                 /* processes of each group */
  int members[2][BRUTE_PROCS]; /* [size] ranks in MPI_COMM_WORLD */
  MPI_Comm group;              /* the group of this process */
  MPI_Comm inter;
} two_groups;

/* Which ranks are in which group, and in what order. */
typedef enum group_order {
  LOW_FIRST,   /* the lowest ranks are in group 0 */
  HIGH_FIRST,  /* the highest ranks are in group 0 */
  INTERLEAVED, /* in turns until one group is full; group 1 is in reverse order */
  GROUP_ORDERS
} group_order;

/* Makes group 0 of `first` processes. Call two_groups_free() at the end. Collective on MPI_COMM_WORLD. */
two_groups two_groups_make(int first, group_order order);
void two_groups_free(two_groups *g);

/* Returns the rank in group `holder` of a process of MPI_COMM_WORLD, or -1 if the process is not there. */
int two_groups_rank(const two_groups *g, int holder, int rank);

/* Returns a side of group `holder` as this process must give it. At first, *given is the side for one
 * communicator. Its ranks become those in the group. A process of the other group gives nothing: a zeroed
 * side or NULL, which `own` draws. */
const dap_side *side_in_group(const two_groups *g, int holder, const test_side *s, test_random *own,
                              dap_side *given, int ranks[]);

#endif
