/* Moves by dapbridge: a plan on buffers from malloc(), or with one of the two arrays in library memory. */
#include "fail.h"
#include "redistribute.h"

#include <dapbridge/plan.h>
#include <dapbridge/shared.h>
#include <stdio.h>
#include <string.h>

/* Returns whether reading the source directly is faster. This holds for elements that are dealt one by
 * one; in other cases, direct writing to the destination is faster. */
static bool source_is_best(const bench_case *c)
{
  const bench_axis *axis = &c->from.axes[0];
  return axis->kind == BENCH_CYCLIC && axis->width == 1;
}

static void prepare(bench_job *job)
{
  const bench_case *c = job->c;
  const int side = job->options->side;
  const bool from = side == BENCH_FROM || (side == BENCH_BEST && source_is_best(c));
  dap_error err;
  const bench_side *own = from ? &c->from : &c->to;
  bench_require(dap_array_alloc(job->comm, own->layout, c->dtype, own->order, &job->array, NULL, &err), &err);
  bench_buffer *buffer = from ? &job->from : &job->to;
  buffer->data = job->array.data;
  for (int k = 0; k < c->ndim; k++) buffer->strides[k] = job->array.strides[k];
  if (c->halo) job->from = job->to = *buffer;
  job->side = from ? "from" : "to";
}

static void create(bench_job *job)
{
  const bench_case *c = job->c;
  const dap_plan_options options = {.transports = job->options->transports,
                                    .memory_bytes = job->options->memory};
  const dap_side from = {.layout = c->from.layout, .strides = job->from.strides};
  const dap_side to = {.layout = c->to.layout, .strides = job->to.strides};
  dap_plan *plan;
  dap_error err;
  if (c->halo)
    bench_require(dap_plan_create_halo(job->comm, &from, c->itemsize, &options, &plan, &err), &err);
  else
    bench_require(dap_plan_create(job->comm, &from, &to, c->itemsize, &options, &plan, &err), &err);
  const dap_plan_stats stats = dap_plan_summarize(plan);
  job->stats_bytes = stats.bytes_buffer + stats.bytes_plan;
  job->state = plan;
}

static void run(bench_job *job)
{
  dap_error err;
  bench_require(dap_plan_run(job->state, job->from.data, job->to.data, &err), &err);
}

static void destroy(bench_job *job)
{
  dap_plan *plan = job->state;
  dap_plan_destroy(&plan);
  dap_array_release(&job->array);
}

const bench_method bench_dap_alloc = {"dap_alloc", BENCH_OURS, NULL,          create,
                                      run,         destroy,    .plans = true, .prepare = prepare};
const bench_method bench_dap_malloc = {"dap_malloc", BENCH_OURS, NULL, create, run, destroy, .plans = true};
