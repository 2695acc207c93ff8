/* Numbers of all processes, and of all turns. */
#ifndef DAP_BENCH_NUMBERS_H
#define DAP_BENCH_NUMBERS_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

/* The most, or the sum, of what the processes have. Collective. */
double bench_most(MPI_Comm comm, double mine);
int64_t bench_most_bytes(MPI_Comm comm, int64_t mine);
int64_t bench_total(MPI_Comm comm, int64_t mine);

/* Seconds, by a clock that the processes of a machine share. */
double bench_now(void);
/* From the first that began to the last that ended: where ranks outnumber cores a process may begin when
 * another has ended. On several machines, which have no common clock, the longest of all. Collective. */
double bench_span(MPI_Comm comm, double begun, double ended);

/* A number as a table and an object have it; one below 0 is not known: "-", or null. */
const char *bench_number_text(double number, int digits, char text[16]);
void bench_print_number(FILE *file, const char *key, double number);

/* Both sort them. quartiles: a quarter of the values are below the first, half below the second. */
double bench_median(double values[], int count);
void bench_quartiles(double values[], int count, double quartiles[3]);

#endif
