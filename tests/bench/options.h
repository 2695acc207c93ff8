/* Declares the command line of bench_redistribute. */
#ifndef DAP_BENCH_OPTIONS_H
#define DAP_BENCH_OPTIONS_H

#include "command_line.h"

#include <dapbridge/dtype.h>
#include <stdbool.h>
#include <stdint.h>

typedef enum bench_which { BENCH_BEST, BENCH_FROM, BENCH_TO } bench_which;

typedef struct bench_options {
  bench_sizes sizes;
  const char *cases, *methods; /* names, separated by commas; NULL: all */
  dap_dtype dtype;
  int reps;
  bool alone;            /* whether a turn is one run */
  bool json;             /* prints objects on standard output instead of tables */
  const char *json_path; /* file for objects, besides tables; or NULL */
  unsigned transports;   /* transports of dapbridge; 0: all */
  int64_t memory;        /* dapbridge's limit in bytes; 0: its default */
  int side;              /* bench_which: the array that dap_alloc has in library memory */
} bench_options;

#endif
