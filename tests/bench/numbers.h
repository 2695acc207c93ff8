/* Numbers of all processes, and of all turns. */
#ifndef DAP_BENCH_NUMBERS_H
#define DAP_BENCH_NUMBERS_H

#include <mpi.h>
#include <stdint.h>

/* The most, or the sum, of what the processes have. Collective. */
double bench_most(MPI_Comm comm, double mine);
int64_t bench_most_bytes(MPI_Comm comm, int64_t mine);
int64_t bench_total(MPI_Comm comm, int64_t mine);

/* Sorts them. */
double bench_median(double values[], int count);

#endif
