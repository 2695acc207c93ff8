/* Runs a row once. */
#include "fail.h"
#include "linalg.h"
#include "memory.h"
#include "numbers.h"

#include <stdlib.h>

static void before(const linalg_row *row, linalg_method method, linalg_job *job)
{
  linalg_job_restore(job);
  if (method == LINALG_MOVES)
    linalg_move_before(row, job);
  else if (row->before)
    row->before(job, method == LINALG_HAND);
}

static void run(const linalg_row *row, linalg_method method, linalg_job *job, dap_linalg_report *report)
{
  const dap_linalg_options with = {.sharing = job->moved ? DAP_SHARE_NEVER : DAP_SHARE_IF_POSSIBLE,
                                   .report = report};
  dap_error err;
  if (method == LINALG_HAND)
    linalg_job_hand(row, job);
  else if (method == LINALG_MOVES)
    linalg_move(row, job);
  else
    bench_require(row->library(job, &with, &err), &err);
}

static void after(linalg_job *job)
{
  linalg_move_after(job);
  dap_linalg_factors_destroy(&job->factors);
  free(job->pivots);
  job->pivots = NULL;
  for (int i = 0; i < LINALG_OPERANDS; i++) {
    free(job->spaces[i]);
    job->spaces[i] = NULL;
  }
}

double linalg_run(const linalg_row *row, linalg_method method, linalg_job *job, linalg_seen *seen)
{
  dap_linalg_report report = {0};
  bench_memory memory = {0};
  before(row, method, job);
  if (seen) memory = bench_memory_begin();
  MPI_Barrier(MPI_COMM_WORLD);
  const double begun = bench_now();
  run(row, method, job, &report);
  const double time = bench_span(MPI_COMM_WORLD, begun, bench_now());
  if (seen) {
    *seen = (linalg_seen){.report = report, .bytes = bench_memory_end(&memory)};
    seen->bytes = bench_most_bytes(MPI_COMM_WORLD, seen->bytes);
    if (method != LINALG_MOVES) seen->result = linalg_result(row, job, method == LINALG_HAND);
  }
  after(job);
  return time;
}
