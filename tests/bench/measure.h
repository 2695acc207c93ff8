/* Measures all methods on one case, in turns. */
#ifndef DAP_BENCH_MEASURE_H
#define DAP_BENCH_MEASURE_H

#include "methods.h"
#include "turns.h"

/* Result of a method, the same on every process. */
typedef struct bench_result {
  bench_time time;
  double plan_ms;      /* time of create() on the slowest process; -1: nothing to plan */
  int64_t extra_bytes; /* peak of create() and a run, the largest of all processes; -1: unknown */
  int64_t stats_bytes; /* the method's own count, the largest of all processes; -1: none */
  const char *side;
} bench_result;

/* Measures into results[bench_methods_count]. Collective. */
void bench_measure(MPI_Comm comm, const bench_case *c, const bench_options *options, bench_result results[]);

#endif
