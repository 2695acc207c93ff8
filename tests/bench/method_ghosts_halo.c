/* Updates ghosts by dapbridge: a halo plan, in place, or one that adds ghosts to their owners. */
#include "fail.h"
#include "ghosts.h"

#include <dapbridge/plan.h>
#include <dapbridge/shared.h>
#include <stdlib.h>

typedef struct state {
  dap_array array;
  dap_plan *plan;
} state;

static void create(ghosts_job *job, state *s)
{
  dap_error err;
  const dap_darray array = {job->mesh->layout, &s->array};
  const dap_side side = dap_side_of(array);
  bench_require(job->mesh->reverse
                    ? dap_plan_create_halo_reverse(job->mesh->comm, &side, 0, NULL, &s->plan, &err)
                    : dap_plan_create_halo(job->mesh->comm, &side, 0, NULL, &s->plan, &err),
                &err);
  job->data = s->array.data;
  job->state = s;
}

void ghosts_halo_create(ghosts_job *job)
{
  const ghosts_mesh *mesh = job->mesh;
  dap_error err;
  state *s = bench_alloc(sizeof *s);
  bench_require(dap_array_init(&s->array, mesh->layout, mesh->rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  create(job, s);
}

/* Makes data in memory that the node's processes see. */
void ghosts_halo_shared_create(ghosts_job *job)
{
  dap_error err;
  state *s = bench_alloc(sizeof *s);
  bench_require(dap_array_alloc_contiguous(job->mesh->comm, job->mesh->layout, DAP_F8, DAP_ORDER_C, &s->array,
                                           NULL, &err),
                &err);
  create(job, s);
}

void ghosts_halo_run(ghosts_job *job)
{
  dap_error err;
  const state *s = job->state;
  bench_require(dap_plan_run(s->plan, job->data, job->data, &err), &err);
}

void ghosts_halo_destroy(ghosts_job *job)
{
  state *s = job->state;
  dap_plan_destroy(&s->plan);
  dap_array_release(&s->array);
  free(s);
}
