/* What the main() of a benchmark does: MPI is started and ended, the command line is read, all is measured,
 * and whether elements were wrong is said. */
#ifndef DAP_BENCH_PROGRAM_H
#define DAP_BENCH_PROGRAM_H

#include "command_line.h"

typedef struct bench_launch {
  int rank, nprocs, argc;
  char **argv;
} bench_launch;

typedef struct bench_program {
  const char *about;                       /* what --help says first */
  const bench_option *options;             /* up to one without a name */
  void (*start)(void), (*stop)(void);      /* of another library; NULL: there is none */
  int64_t (*run)(const bench_launch *run); /* measures and reports; the number of wrong elements */
  const char *legend;                      /* what the report means, printed behind it; NULL: nothing is */
  const bool *is_data;                     /* the report is for programs: nothing is printed behind it */
} bench_program;

int bench_main(int argc, char **argv, const bench_program *program);

#endif
