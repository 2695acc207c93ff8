/**
 * @file
 * Stops the compilation if mpi.h does not belong to the MPI with which dapbridge was built.
 *
 * Handles and constants differ between MPI libraries. A program that was compiled with the mpi.h of a
 * different MPI would link without an error, but fail at run time.
 */
#ifndef DAPBRIDGE_MPI_FAMILY_H
#define DAPBRIDGE_MPI_FAMILY_H

#include <mpi.h>

/** The MPI with which dapbridge was built. 1: Open MPI. 2: MPICH, or an MPI with the same binary interface.
 * 0: any other MPI; this header does not check it. The sources contain 0; the installation sets the correct
 * value. */
#define DAPBRIDGE_MPI_FAMILY 0

#if DAPBRIDGE_MPI_FAMILY == 1 && !defined OPEN_MPI
#error "dapbridge was built with Open MPI, and mpi.h is another MPI's: compile with Open MPI's mpicc"
#elif DAPBRIDGE_MPI_FAMILY == 2 && defined OPEN_MPI
#error "dapbridge was built with MPICH, and mpi.h is Open MPI's: compile with MPICH's mpicc"
#endif

#endif
