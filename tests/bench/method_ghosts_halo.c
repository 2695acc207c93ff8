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

static void make_plan(ghosts_job *job, state *s)
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

static void create(ghosts_job *job)
{
  const ghosts_mesh *mesh = job->mesh;
  dap_error err;
  state *s = bench_alloc(sizeof *s);
  bench_require(dap_array_init(&s->array, mesh->layout, mesh->rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  make_plan(job, s);
}

/* Makes data in memory that the node's processes see. */
static void create_shared(ghosts_job *job)
{
  dap_error err;
  state *s = bench_alloc(sizeof *s);
  bench_require(dap_array_alloc_contiguous(job->mesh->comm, job->mesh->layout, DAP_F8, DAP_ORDER_C, &s->array,
                                           NULL, &err),
                &err);
  make_plan(job, s);
}

static void run(ghosts_job *job)
{
  dap_error err;
  const state *s = job->state;
  bench_require(dap_plan_run(s->plan, job->data, job->data, &err), &err);
}

static void destroy(ghosts_job *job)
{
  state *s = job->state;
  dap_plan_destroy(&s->plan);
  dap_array_release(&s->array);
  free(s);
}

const ghosts_method ghosts_halo = {
    "halo", "dap_plan_run() of a halo plan, or a reverse one", false, NULL, create, run, destroy};
const ghosts_method ghosts_halo_shared = {
    "halo_shared", "the same, the array from dap_array_alloc()", false, NULL, create_shared, run, destroy};
