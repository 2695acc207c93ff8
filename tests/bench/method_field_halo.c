/* Updates halos by dapbridge: a halo plan, in place, and one that adds padding to its owners. */
#include "fail.h"
#include "field.h"

#include <dapbridge/plan.h>
#include <dapbridge/shared.h>

void field_halo_create(field_job *job)
{
  const dap_side side = {.layout = job->c->layout, .strides = job->array.strides};
  dap_plan *plan;
  dap_error err;
  bench_require(dap_plan_create_halo(job->c->comm, &side, (int64_t)sizeof(PetscScalar), NULL, &plan, &err),
                &err);
  job->state = plan;
}

/* Makes the array in memory that the node's processes see. */
static void share_array(field_job *job)
{
  dap_error err;
  bench_require(
      dap_array_alloc(job->c->comm, job->c->layout, field_dtype(), DAP_ORDER_C, &job->array, NULL, &err),
      &err);
  for (int k = 0; k < FIELD_NDIM; k++) job->strides[k] = job->array.strides[k] / (int64_t)sizeof(PetscScalar);
}

void field_halo_shared_create(field_job *job)
{
  share_array(job);
  field_halo_create(job);
}

void field_sum_create(field_job *job)
{
  const dap_side side = {.layout = job->c->layout, .strides = job->array.strides, .dtype = field_dtype()};
  dap_plan *plan;
  dap_error err;
  bench_require(dap_plan_create_halo_reverse(job->c->comm, &side, 0, NULL, &plan, &err), &err);
  job->state = plan;
}

void field_sum_shared_create(field_job *job)
{
  share_array(job);
  field_sum_create(job);
}

void field_sum_fill(field_job *job)
{
  field_fill(job->c, job->array.data, job->strides, true);
}

int64_t field_sum_wrong(field_job *job)
{
  return field_count_wrong_sums(job->c, job->array.data, job->strides);
}

void field_halo_fill(field_job *job)
{
  field_fill(job->c, job->array.data, job->strides, false);
}

void field_halo_run(field_job *job)
{
  dap_error err;
  bench_require(dap_plan_run(job->state, job->array.data, job->array.data, &err), &err);
}

int64_t field_halo_wrong(field_job *job)
{
  return field_count_wrong(job->c, job->array.data, job->strides);
}

void field_halo_destroy(field_job *job)
{
  dap_plan *plan = job->state;
  dap_plan_destroy(&plan);
}

void field_halo_shared_destroy(field_job *job)
{
  field_halo_destroy(job);
  dap_array_release(&job->array);
}
