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

/* Calls on this process since these were set to 0. Failed calls count too. */
extern int mpi_calls_made[MPI_CALLS];
/* The call that fails on this process: 1 is the next one, and 0 is none. It fails once, and does nothing. */
extern int mpi_calls_failing[MPI_CALLS];

#endif
