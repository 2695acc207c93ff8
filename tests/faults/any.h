/* Whether something holds on any process. */
#ifndef DAP_TEST_ANY_H
#define DAP_TEST_ANY_H

#include <stdbool.h>

/* Collective on MPI_COMM_WORLD, by MPI itself, which never fails here (mpi_failures.h). */
bool any(bool own);

#endif
