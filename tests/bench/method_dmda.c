/* Updates halos by PETSc's DMDA: DMLocalToLocal() in place, in a local vector that wraps the buffer. */
#include "bench_petsc.h"
#include "redistribute.h"

#include <petscdmda.h>
#include <stdlib.h>

typedef struct state {
  DM dm;
  Vec vector;
} state;

static bool applies(const bench_case *c)
{
  return c->halo && bench_vecscatter.applies(c);
}

/* Returns the number of points of each process along an axis. The caller frees it. */
static PetscInt *ranges(const bench_axis *axis)
{
  PetscInt *counts = bench_alloc(axis->procs * (int64_t)sizeof *counts);
  for (int i = 0; i < axis->procs; i++) {
    const int64_t halo = axis->width * ((i > 0) + (i < axis->procs - 1));
    counts[i] = (PetscInt)(bench_axis_extent(axis, i) - halo);
  }
  return counts;
}

static void create(bench_job *job)
{
  const bench_axis *axes = job->c->from.axes;
  PetscInt *counts[3], size;
  state *s = bench_alloc(sizeof *s);
  for (int k = 0; k < 3; k++) counts[k] = ranges(&axes[k]);
  const DMBoundaryType none = DM_BOUNDARY_NONE;
  require(DMDACreate3d(job->comm, none, none, none, DMDA_STENCIL_BOX, (PetscInt)axes[2].size,
                       (PetscInt)axes[1].size, (PetscInt)axes[0].size, axes[2].procs, axes[1].procs,
                       axes[0].procs, 1, (PetscInt)axes[0].width, counts[2], counts[1], counts[0], &s->dm));
  require(DMSetUp(s->dm));
  const PetscInt count = (PetscInt)(job->c->from.bytes / job->c->itemsize);
  require(VecCreateSeqWithArray(PETSC_COMM_SELF, 1, count, (void *)job->from.data, &s->vector));
  Vec local;
  require(DMGetLocalVector(s->dm, &local));
  require(VecGetSize(local, &size));
  require(DMRestoreLocalVector(s->dm, &local));
  if (size != count) bench_fail("the DMDA cuts the field otherwise");
  for (int k = 0; k < 3; k++) free(counts[k]);
  job->state = s;
}

static void run(bench_job *job)
{
  const state *s = job->state;
  require(DMLocalToLocalBegin(s->dm, s->vector, INSERT_VALUES, s->vector));
  require(DMLocalToLocalEnd(s->dm, s->vector, INSERT_VALUES, s->vector));
}

static void destroy(bench_job *job)
{
  state *s = job->state;
  require(VecDestroy(&s->vector));
  require(DMDestroy(&s->dm));
  free(s);
}

const bench_method bench_dmda = {"dmda", BENCH_PEER, applies, create, run, destroy, .plans = true};
