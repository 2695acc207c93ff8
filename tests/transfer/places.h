/* Where the processes of a test are: on one host, and on several that are pretended. */
#ifndef DAP_TEST_PLACES_H
#define DAP_TEST_PLACES_H

#include <mpi.h>

/* Where the processes are. */
typedef struct place {
  const char *why;
  int (*host)(int rank);
} place;

enum { PLACES = 5 };
extern const place places[PLACES]; /* the first: one host */

/* A communicator of all processes, as if they were there; hosts [processes]. */
MPI_Comm comm_at(const place *p, int hosts[]);

#endif
