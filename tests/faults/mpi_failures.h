/* One call of MPI that fails on this process: of the calls that the library makes in its comm and transfer
 * layers (whose names CMake reads from the sources), counted from 1 on.
 *
 * A call for messages, or for what MPI knows on this process, fails and does nothing. A collective call takes
 * part, so that MPI itself keeps nobody waiting, and then reports a failure, without a result. */
#ifndef DAP_TEST_MPI_FAILURES_H
#define DAP_TEST_MPI_FAILURES_H

#include <stdint.h>

/* Counts from 0 again. Call number `number` fails; 0: none. */
void mpi_failures_start(int64_t number);

/* Calls of this name do not fail from now on; NULL: all do. */
void mpi_failures_spare(const char *name);

/* Calls since the start. */
int64_t mpi_failures_count(void);

/* The name of call `i` of those that are replaced, from 0 on; NULL: there are no more. */
const char *mpi_failures_name(int i);

/* How many calls of that name have failed on this process so far, or have come before one that did. */
int64_t mpi_failures_times(const char *name);

/* Ends what failed calls have left with MPI. Collective, as they were. */
void mpi_failures_end(void);

#endif
