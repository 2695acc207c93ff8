/* Measures all methods on one case, in turns. */
#ifndef DAP_BENCH_MEASURE_H
#define DAP_BENCH_MEASURE_H

#include "methods.h"
#include "turns.h"

/* What is known of a method in the end; the same on every process. */
typedef struct bench_result {
  bench_time time;
  double plan_ms;      /* of create(), slowest process; -1: nothing to plan */
  int64_t extra_bytes; /* peak of create() and a run, most of all processes; -1: unknown */
  int64_t stats_bytes; /* by its own count, most of all processes; -1: it has none */
  const char *side;
} bench_result;

/* results[bench_methods_count]. Collective. */
void bench_measure(MPI_Comm comm, const bench_case *c, const bench_options *options, bench_result results[]);

#endif
