/* Prints results as a table for people, and as one object a line for programs. */
#ifndef DAP_BENCH_REPORT_H
#define DAP_BENCH_REPORT_H

#include "measure.h"

#include <stdio.h>

void bench_report_table(FILE *file, const bench_case *c, const bench_result results[]);
void bench_report_json(FILE *file, const bench_case *c, bool alone, const bench_result results[]);

#endif
