/* Declares the benchmarks that bench.c runs. bench.c starts and ends MPI, reads the command line, and reports
 * wrong elements. */
#ifndef DAP_BENCH_PROGRAM_H
#define DAP_BENCH_PROGRAM_H

#include "command_line.h"

typedef struct bench_launch {
  int rank, nprocs, argc;
  char **argv;
} bench_launch;

typedef struct bench_program {
  const char *about;                       /* of --help, after what the benchmark times; NULL: nothing */
  const bench_option *options;             /* ends with one without a name */
  int64_t (*run)(const bench_launch *run); /* measures and reports; returns the number of wrong elements */
  const char *legend;                      /* explains the report, printed after it; NULL: none */
  const bool *is_data;                     /* the report is for programs, without a legend */
  bool uses_petsc, lacks_mpi;              /* lacks_mpi: it runs without MPI */
} bench_program;

/* bench_<name>.c defines each of these. */
extern const bench_program bench_elpa, bench_field, bench_files, bench_ghosts, bench_groups, bench_linalg,
    bench_many, bench_node, bench_patterns, bench_placements, bench_plan, bench_redistribute, bench_shapes,
    bench_small, bench_step;

#endif
