/* Views an array as a PETSc field through dapbridge, and restores it. */
#include "fail.h"
#include "field.h"

#include <dapbridge/petsc.h>
#include <stdlib.h>

/* Kinds of views, by number. */
static const struct {
  dap_access access;
  unsigned vectors;
  bool keeps; /* whether all views use the DMDA of the first run */
} views[] = {
    [FIELD_VIEW_READ] = {DAP_READ, DAP_PETSC_LOCAL, false},
    [FIELD_VIEW_WRITE] = {DAP_READ_WRITE, DAP_PETSC_LOCAL, false},
    [FIELD_VIEW_BOTH] = {DAP_READ_WRITE, DAP_PETSC_LOCAL | DAP_PETSC_GLOBAL, false},
    [FIELD_VIEW_KEPT_READ] = {DAP_READ, DAP_PETSC_LOCAL, true},
    [FIELD_VIEW_KEPT_WRITE] = {DAP_READ_WRITE, DAP_PETSC_LOCAL, true},
    [FIELD_VIEW_KEPT_BOTH] = {DAP_READ_WRITE, DAP_PETSC_LOCAL | DAP_PETSC_GLOBAL, true},
};

typedef struct view {
  dap_petsc_field_options options;
  int64_t wrong; /* wrong elements of the vectors during the view */
  bool checks;
} view;

void field_view_create(field_job *job)
{
  view *v = bench_alloc(sizeof *v);
  *v = (view){.options = {.vectors = views[job->method->number].vectors, .width = job->c->width}};
  job->state = v;
}

/* Fills the ghosts of a view for reading. A view for writing fills them itself. */
void field_view_fill(field_job *job)
{
  view *v = job->state;
  v->checks = true;
  field_fill(job->c, job->array.data, job->strides, views[job->method->number].access == DAP_READ);
}

/* Checks that the local vector is the array's memory, and that its points and the global vector's are
 * right. */
static int64_t check_vectors(const field_job *job, const dap_petsc_field *field)
{
  const PetscScalar *memory;
  int64_t wrong = 0;
  require(VecGetArrayRead(field->local, &memory));
  if (!field->shared_local || memory != (const PetscScalar *)job->array.data)
    bench_fail("the local vector is not shared: %s", field->reason_local);
  if (views[job->method->number].access == DAP_READ) wrong += field_count_wrong(job->c, memory, job->strides);
  require(VecRestoreArrayRead(field->local, &memory));
  if (!field->global) return wrong;
  require(VecGetArrayRead(field->global, &memory));
  wrong += field_count_wrong_points(job->c, memory);
  require(VecRestoreArrayRead(field->global, &memory));
  return wrong;
}

void field_view_run(field_job *job)
{
  view *v = job->state;
  dap_petsc_field field;
  dap_error err;
  bench_require(dap_petsc_field_get(job->c->comm, (dap_darray){job->c->layout, &job->array},
                                    views[job->method->number].access, &v->options, &field, &err),
                &err);
  if (v->checks) v->wrong = check_vectors(job, &field);
  if (views[job->method->number].keeps && !v->options.dm) {
    require(PetscObjectReference((PetscObject)field.dm));
    v->options.dm = field.dm;
  }
  bench_require(dap_petsc_field_restore(&field, &err), &err);
}

int64_t field_view_wrong(field_job *job)
{
  view *v = job->state;
  v->checks = false;
  return v->wrong + field_count_wrong(job->c, job->array.data, job->strides);
}

void field_view_destroy(field_job *job)
{
  view *v = job->state;
  require(DMDestroy(&v->options.dm));
  free(v);
}

/* ---- a live view's halo update ------------------------------------------------------------------------ */

void field_live_create(field_job *job)
{
  const dap_petsc_field_options options = {.width = job->c->width};
  dap_petsc_field *field = bench_alloc(sizeof *field);
  dap_error err;
  bench_require(dap_petsc_field_get(job->c->comm, (dap_darray){job->c->layout, &job->array}, DAP_READ_WRITE,
                                    &options, field, &err),
                &err);
  job->state = field;
}

void field_live_run(field_job *job)
{
  dap_error err;
  bench_require(dap_petsc_field_halo(job->state, &err), &err);
}

void field_live_sum_run(field_job *job)
{
  dap_error err;
  bench_require(dap_petsc_field_halo_reverse(job->state, DAP_COMBINE_SUM, DAP_PADDING_KEEP, &err), &err);
}

void field_live_destroy(field_job *job)
{
  dap_error err;
  bench_require(dap_petsc_field_restore(job->state, &err), &err);
  free(job->state);
}
