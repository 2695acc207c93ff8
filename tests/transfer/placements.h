/* Places the processes of a test on one host, or on several pretended hosts. */
#ifndef DAP_TEST_PLACEMENTS_H
#define DAP_TEST_PLACEMENTS_H

#include <mpi.h>

/* Where the processes are. */
typedef struct placement {
  const char *why;
  int (*host)(int rank);
} placement;

enum { PLACEMENTS = 5 };
extern const placement placements[PLACEMENTS]; /* the first: one host */

/* Communicators of all processes as if they were there, between these two, the first and the last of a
 * program's tests. */
extern MPI_Comm placed_comms[PLACEMENTS];
void place_processes(void **state);
void free_places(void **state);

#endif
