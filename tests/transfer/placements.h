/* Places the processes of a test on one host, or on several pretended hosts. */
#ifndef DAP_TEST_PLACEMENTS_H
#define DAP_TEST_PLACEMENTS_H

#include <mpi.h>

enum { PLACEMENTS = 5 };

/* Which host a process is on. The first placement has one host, the last one for each process. */
int placed_host(int placement, int rank);

/* Communicators of all processes as if they were there, between these two, the first and the last of a
 * program's tests. */
extern MPI_Comm placed_comms[PLACEMENTS];
void place_processes(void **state);
void free_places(void **state);

#endif
