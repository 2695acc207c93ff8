/**
 * @file
 * Stops the compilation if mpi.h is not that of the MPI with which the library was built.
 *
 * Handles and constants differ between MPI libraries. A program compiled with another mpi.h would link
 * without an error, but fail when it runs.
 */
#ifndef DAPBRIDGE_MPI_FAMILY_H
#define DAPBRIDGE_MPI_FAMILY_H

#include <mpi.h>

/** The MPI that the library was built with. 1: Open MPI. 2: MPICH, or an MPI with the same binary interface.
 * 0: another MPI, which is not checked. The value is 0 in the sources, and correct in the installed file. */
#define DAPBRIDGE_MPI_FAMILY 0

#if DAPBRIDGE_MPI_FAMILY == 1 && !defined OPEN_MPI
#error "dapbridge was built with Open MPI, and mpi.h is another MPI's: compile with Open MPI's mpicc"
#elif DAPBRIDGE_MPI_FAMILY == 2 && defined OPEN_MPI
#error "dapbridge was built with MPICH, and mpi.h is Open MPI's: compile with MPICH's mpicc"
#endif

#endif
