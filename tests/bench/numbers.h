/* Computes numbers of all processes, and of all turns. */
#ifndef DAP_BENCH_NUMBERS_H
#define DAP_BENCH_NUMBERS_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

/* Return the largest value, or the sum, of all processes. Collective. */
double bench_most(MPI_Comm comm, double mine);
int64_t bench_most_bytes(MPI_Comm comm, int64_t mine);
int64_t bench_total(MPI_Comm comm, int64_t mine);

/* Returns seconds of a clock that the processes of a machine share. */
double bench_now(void);
/* Returns the time from the first begin to the last end: with more ranks than cores, a process may begin
 * after another has ended. Several machines have no common clock, so there it returns the longest time.
 * Collective. */
double bench_span(MPI_Comm comm, double begun, double ended);

/* Returns the text of a number for tables and objects. A negative number is unknown: "-", or null. */
const char *bench_number_text(double number, int digits, char text[16]);
void bench_print_number(FILE *file, const char *key, double number);

/* Both sort the values. quartiles: a quarter of the values are below the first, half below the second. */
double bench_median(double values[], int count);
void bench_quartiles(double values[], int count, double quartiles[3]);

#endif
