/* Moves patterns by dapbridge: a plan for each group of arrays, all begun before the first is ended. */
#include "fail.h"
#include "patterns.h"

#include <stdlib.h>

typedef struct state {
  dap_plan *plans[PATTERN_GROUPS];
  const void *from[PATTERN_GROUPS][PATTERN_ARRAYS];
  void *to[PATTERN_GROUPS][PATTERN_ARRAYS];
} state;

/* Sets the part of the whole array that is sent. In lists, sent elements have the lowest indices;
 * otherwise it is the box of every process. */
static void set_part(const pattern_data *d, const pattern_group *g, const int64_t box[], int64_t start[],
                     int64_t shape[])
{
  const bool lists = g->scattered_from || g->scattered_to;
  const int first = lists ? 0 : 1; /* axis 0 of boxes is that of the processes */
  start[0] = 0;
  shape[0] = d->nprocs;
  for (int k = 0; k < g->ndim; k++) {
    start[first + k] = lists ? 0 : box[k];
    shape[first + k] = g->count[k];
  }
  if (lists) shape[0] = d->nprocs * g->count[0];
}

static dap_plan *make_plan(const pattern_data *d, int group)
{
  const pattern_group *g = &d->pattern->groups[group];
  const dap_plan_options options = {.arrays = g->arrays};
  int64_t from_start[PATTERN_NDIM + 1], to_start[PATTERN_NDIM + 1], shape[PATTERN_NDIM + 1];
  dap_plan *plan;
  dap_error err;
  set_part(d, g, g->from, from_start, shape);
  set_part(d, g, g->to, to_start, shape);
  const dap_side from = {
      .layout = d->from_layouts[group], .contiguous = true, .part = {.start = from_start, .shape = shape}};
  const dap_side to = {.layout = d->to_layouts[group],
                       .ranks = d->next,
                       .contiguous = true,
                       .part = {.start = to_start, .shape = shape}};
  bench_require(dap_plan_create(d->comm, &from, &to, d->pattern->itemsize, &options, &plan, &err), &err);
  return plan;
}

void pattern_plan_create(pattern_job *job)
{
  const pattern_data *d = job->data;
  state *s = bench_alloc(sizeof *s);
  for (int i = 0; i < d->groups; i++) {
    s->plans[i] = make_plan(d, i);
    for (int a = 0; a < d->pattern->groups[i].arrays; a++) {
      s->from[i][a] = d->from[i][a];
      s->to[i][a] = pattern_destination(d, i, a, job->shared);
    }
  }
  job->state = s;
}

void pattern_plan_run(pattern_job *job)
{
  state *s = job->state;
  dap_error err;
  for (int i = 0; i < job->data->groups; i++)
    bench_require(dap_plan_begin_many(s->plans[i], s->from[i], s->to[i], &err), &err);
  for (int i = 0; i < job->data->groups; i++) bench_require(dap_plan_end(s->plans[i], &err), &err);
}

void pattern_plan_destroy(pattern_job *job)
{
  state *s = job->state;
  for (int i = 0; i < job->data->groups; i++) dap_plan_destroy(&s->plans[i]);
  free(s);
}
