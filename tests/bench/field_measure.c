#include "fail.h"
#include "field.h"
#include "numbers.h"

#include <stdlib.h>

/* ---- what the methods share ------------------------------------------------------------------------- */

static void make_dm(const field_case *c, field_job *job)
{
  const DMBoundaryType outer = c->periodic ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE;
  const PetscInt n = (PetscInt)c->n;
  field_petsc_require(DMDACreate3d(c->comm, outer, outer, outer, DMDA_STENCIL_BOX, n, n, n, c->procs[2],
                                   c->procs[1], c->procs[0], 1, (PetscInt)c->width, c->ranges[2],
                                   c->ranges[1], c->ranges[0], &job->dm));
  field_petsc_require(DMSetUp(job->dm));
  field_petsc_require(DMCreateGlobalVector(job->dm, &job->global));
  field_petsc_require(DMCreateLocalVector(job->dm, &job->local));
  PetscInt points, count;
  field_petsc_require(VecGetLocalSize(job->global, &points));
  field_petsc_require(VecGetLocalSize(job->local, &count));
  if (points != c->points || count != c->count) bench_fail("the DMDA cuts the field otherwise");
}

/* In memory of malloc(), as a program's would be. */
static void make_array(const field_case *c, field_job *job)
{
  dap_error err;
  void *data = bench_alloc(c->count * (int64_t)sizeof(PetscScalar));
  bench_require(dap_array_init(&job->array, c->layout, c->rank, field_dtype(), DAP_ORDER_C, data, &err),
                &err);
  field_strides(c->shape, job->strides);
  for (int k = 0; k < FIELD_NDIM; k++)
    if (job->array.shape[k] != c->shape[k]) bench_fail("the library cuts the field otherwise");
}

/* ---- one method ------------------------------------------------------------------------------------- */

static int64_t check(field_job *job)
{
  const field_method *method = job->method;
  method->fill(job);
  MPI_Barrier(job->c->comm); /* one process's run may write another's buffer */
  method->run(job);
  MPI_Barrier(job->c->comm);
  return bench_total(job->c->comm, method->wrong(job));
}

/* Microseconds of one run on the slowest process. */
static double time_runs(field_job *job, int runs)
{
  MPI_Barrier(job->c->comm);
  const double begun = bench_now();
  for (int i = 0; i < runs; i++) job->method->run(job);
  return 1e6 * bench_span(job->c->comm, begun, bench_now()) / runs;
}

/* So many runs are timed at once that the barrier before them does not count. */
static int choose_runs(field_job *job)
{
  enum { MOST = 64, TURN_US = 2000 };
  const double one = time_runs(job, 2);
  return one * MOST <= TURN_US ? MOST : one >= TURN_US ? 1 : (int)(TURN_US / one);
}

static int start(field_job *job, field_result *result)
{
  MPI_Barrier(job->c->comm);
  const double begun = bench_now();
  if (job->method->create) job->method->create(job);
  job->method->run(job);
  result->measured = true;
  result->first_us = 1e6 * bench_span(job->c->comm, begun, bench_now());
  result->wrong = check(job);
  return choose_runs(job);
}

/* ---- all methods ------------------------------------------------------------------------------------ */

static void measure_all(field_job jobs[], const field_options *options, field_result results[])
{
  int runs[FIELD_METHODS] = {0};
  double *times = bench_alloc(FIELD_METHODS * options->reps * (int64_t)sizeof *times);
  for (int m = 0; field_methods[m].name; m++) {
    results[m] = (field_result){0};
    if (bench_is_listed(options->methods, field_methods[m].name)) runs[m] = start(&jobs[m], &results[m]);
  }
  for (int i = 0; i < options->reps; i++)
    for (int m = 0; field_methods[m].name; m++)
      if (runs[m] > 0) times[m * options->reps + i] = time_runs(&jobs[m], runs[m]);
  for (int m = 0; field_methods[m].name; m++) {
    if (runs[m] == 0) continue;
    results[m].median_us = bench_median(times + m * options->reps, options->reps);
    results[m].wrong += check(&jobs[m]);
    if (field_methods[m].destroy) field_methods[m].destroy(&jobs[m]);
  }
  free(times);
}

void field_measure(const field_case *c, const field_options *options, field_result results[])
{
  field_job jobs[FIELD_METHODS] = {{.c = c}};
  make_dm(c, &jobs[0]);
  make_array(c, &jobs[0]);
  field_fill(c, jobs[0].array.data, jobs[0].strides, true); /* touched before anything is measured */
  dap_array array = jobs[0].array;
  void *const data = array.data;
  for (int m = 0; field_methods[m].name; m++) {
    jobs[m] = jobs[0];
    jobs[m].method = &field_methods[m];
  }
  measure_all(jobs, options, results);
  dap_array_release(&array);
  free(data);
  field_petsc_require(VecDestroy(&jobs[0].global));
  field_petsc_require(VecDestroy(&jobs[0].local));
  field_petsc_require(DMDestroy(&jobs[0].dm));
}
