/* Places the processes of a test on one host, or on several pretended hosts. */
#ifndef DAP_TEST_PLACEMENTS_H
#define DAP_TEST_PLACEMENTS_H

#include <mpi.h>

enum { PLACEMENTS = 5 };

/* Returns the host of a process. In the first placement there is one host, and in the last one there is a
 * host for each process. */
int placed_host(int placement, int rank);

/* Communicators with all processes, which are placed in these ways. They exist between place_processes() and
 * free_places(), which are the first and the last test of a program. */
extern MPI_Comm placed_comms[PLACEMENTS];
void place_processes(void **state);
void free_places(void **state);

#endif
