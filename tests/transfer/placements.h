/* Where the processes of a test are: on one host, and on several that are pretended. */
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

/* A communicator of all processes, as if they were there; hosts [processes]. */
MPI_Comm comm_at(const placement *p, int hosts[]);

#endif
