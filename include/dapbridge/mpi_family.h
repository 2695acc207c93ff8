/**
 * @file
 * Refuses to be compiled with another MPI than the library's.
 *
 * The handles and constants of another MPI differ. A program that is compiled with its mpi.h would link
 * without an error, and fail when it runs.
 */
#ifndef DAPBRIDGE_MPI_FAMILY_H
#define DAPBRIDGE_MPI_FAMILY_H

#include <mpi.h>

/** The MPI whose binary interface the library was built with. 1: Open MPI. 2: MPICH, and those that share its
 * interface. 0: another one, which is not checked. The sources have 0, and the installed file has the number.
 */
#define DAPBRIDGE_MPI_FAMILY 0

#if DAPBRIDGE_MPI_FAMILY == 1 && !defined OPEN_MPI
#error "dapbridge was built with Open MPI, and mpi.h is another MPI's: compile with Open MPI's mpicc"
#elif DAPBRIDGE_MPI_FAMILY == 2 && defined OPEN_MPI
#error "dapbridge was built with MPICH, and mpi.h is Open MPI's: compile with MPICH's mpicc"
#endif

#endif
