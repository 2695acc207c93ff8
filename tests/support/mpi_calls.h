/* Counts calls of MPI, and can make them fail. In a program that is linked with mpi_calls.c, these
 * functions replace MPI's functions. */
#ifndef DAP_TEST_MPI_CALLS_H
#define DAP_TEST_MPI_CALLS_H

#include <stdbool.h>

typedef enum mpi_call {
  MPI_CALL_SEND,    /* MPI_Isend */
  MPI_CALL_RECEIVE, /* MPI_Irecv */
  MPI_CALL_TEST,    /* MPI_Test */
  MPI_CALLS
} mpi_call;

/* Calls on this process since they were set to 0, also those that failed. */
extern int mpi_calls_made[MPI_CALLS];
/* Which call from now on fails on this process, once, without anything being done: 1 is the next one; 0:
 * none. */
extern int mpi_calls_failing[MPI_CALLS];

#endif
