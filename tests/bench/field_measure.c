#include "fail.h"
#include "field.h"

#include <stdlib.h>

/* ---- data of all methods ---------------------------------------------------------------------------- */

static void make_dm(const field_case *c, field_job *job)
{
  const DMBoundaryType outer = c->periodic ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE;
  const PetscInt n = (PetscInt)c->n;
  require(DMDACreate3d(c->comm, outer, outer, outer, DMDA_STENCIL_BOX, n, n, n, c->procs[2], c->procs[1],
                       c->procs[0], 1, (PetscInt)c->width, c->ranges[2], c->ranges[1], c->ranges[0],
                       &job->dm));
  require(DMSetUp(job->dm));
  require(DMCreateGlobalVector(job->dm, &job->global));
  require(DMCreateLocalVector(job->dm, &job->local));
  PetscInt points, count;
  require(VecGetLocalSize(job->global, &points));
  require(VecGetLocalSize(job->local, &count));
  if (points != c->points || count != c->count) bench_fail("the DMDA cuts the field otherwise");
}

/* Makes the array in memory of malloc(), like that of a program. */
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

/* ---- turns ------------------------------------------------------------------------------------------ */

typedef struct work {
  field_job jobs[BENCH_METHODS];
  const char *methods; /* NULL: all */
} work;

static field_job *job_of(void *context, int method)
{
  return &((work *)context)->jobs[method];
}

static bool applies(void *context, int method)
{
  return bench_is_listed(((work *)context)->methods, field_methods[method].name);
}

static void create(void *context, int method)
{
  if (field_methods[method].create) field_methods[method].create(job_of(context, method));
}

static void fill(void *context, int method)
{
  field_methods[method].fill(job_of(context, method));
}

static void run(void *context, int method)
{
  field_methods[method].run(job_of(context, method));
}

static int64_t count_wrong(void *context, int method)
{
  return field_methods[method].wrong(job_of(context, method));
}

static void destroy(void *context, int method)
{
  if (field_methods[method].destroy) field_methods[method].destroy(job_of(context, method));
}

void field_measure(const field_case *c, const char *methods, int reps, bench_time times[])
{
  work w = {.methods = methods};
  field_job job = {.c = c};
  const bench_turns turns = {.comm = c->comm,
                             .context = &w,
                             .methods = field_methods_count,
                             .reps = reps,
                             .most = 64,
                             .turn_us = 2000,
                             .applies = applies,
                             .create = create,
                             .fill = fill,
                             .run = run,
                             .wrong = count_wrong,
                             .destroy = destroy};
  make_dm(c, &job);
  make_array(c, &job);
  field_fill(c, job.array.data, job.strides, true); /* touches the memory before any measurement */
  void *const data = job.array.data;
  for (int m = 0; m < field_methods_count; m++) {
    w.jobs[m] = job;
    w.jobs[m].method = &field_methods[m];
  }
  bench_take_turns(&turns, times);
  dap_array_release(&job.array);
  free(data);
  require(VecDestroy(&job.global));
  require(VecDestroy(&job.local));
  require(DMDestroy(&job.dm));
}
