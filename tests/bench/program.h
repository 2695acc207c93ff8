/* Defines the main() of a benchmark: starts and ends MPI, reads the command line, measures everything, and
 * reports wrong elements. */
#ifndef DAP_BENCH_PROGRAM_H
#define DAP_BENCH_PROGRAM_H

#include "command_line.h"

typedef struct bench_launch {
  int rank, nprocs, argc;
  char **argv;
} bench_launch;

typedef struct bench_program {
  const char *about;                       /* beginning of --help */
  const bench_option *options;             /* ends with one without a name */
  void (*start)(void), (*stop)(void);      /* for another library; NULL: none */
  int64_t (*run)(const bench_launch *run); /* measures and reports; returns the number of wrong elements */
  const char *legend;                      /* explains the report, printed after it; NULL: none */
  const bool *is_data;                     /* the report is for programs, without a legend */
} bench_program;

int bench_main(int argc, char **argv, const bench_program *program);

#endif
