/* One call of MPI that fails on this process: of the calls that the library makes in its comm and transfer
 * layers (whose names CMake reads from the sources), counted from 1 on.
 *
 * A call for messages, or for what MPI knows on this process, fails and does nothing. A collective call takes
 * part, so that MPI itself keeps nobody waiting, and then reports a failure, without a result. */
#ifndef DAP_TEST_MPI_FAILURES_H
#define DAP_TEST_MPI_FAILURES_H

#include <stdint.h>

/* Call number `number` from now on fails; 0: none. */
void mpi_failures_start(int64_t number);

int64_t mpi_failures_count(void);

/* The name whose calls do not fail; NULL: all do. */
extern const char *mpi_failures_spared;

/* The names of all calls that are replaced, and then NULL; how many calls of a name have failed on this
 * process so far, or have come before one that did. */
extern const char *const mpi_failures_names[];
int64_t *mpi_failures_times(const char *name);

/* Ends what failed calls have left with MPI. Collective, as they were. */
void mpi_failures_end(void);

#endif
