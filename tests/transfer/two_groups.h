/* Puts the processes of a test into two groups, and makes the intercommunicator between them. */
#ifndef DAP_TEST_TWO_GROUPS_H
#define DAP_TEST_TWO_GROUPS_H

#include <mpi.h>

#include "side.h"

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

/* The rank in group `holder` of a process of MPI_COMM_WORLD; -1: it is not there. */
int two_groups_rank(const two_groups *g, int holder, int rank);

/* A side of group `holder` as this process gives it: ranks are those of its group; a process of the other
 * group gives nothing, which is *given zeroed or NULL, as `own` draws. *given is what it would give within
 * one communicator. */
const dap_side *side_in_group(const two_groups *g, int holder, const test_side *s, test_random *own,
                              dap_side *given, int ranks[]);

#endif
