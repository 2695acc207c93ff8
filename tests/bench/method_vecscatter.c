/* Moves by PETSc's VecScatter between vectors that wrap the buffers, with an index for each element that
 * moves. */
#include "bench_petsc.h"
#include "redistribute.h"

#include <petscvec.h>
#include <stdlib.h>

typedef struct state {
  Vec from, to;
  VecScatter scatter;
} state;

/* Returns whether elements are this build's scalars, and its indices can count them. */
static bool applies(const bench_case *c)
{
#ifdef PETSC_USE_COMPLEX
  const dap_dtype scalar = sizeof(PetscReal) == sizeof(double) ? DAP_C16 : DAP_C8;
#else
  const dap_dtype scalar = sizeof(PetscReal) == sizeof(double) ? DAP_F8 : DAP_F4;
#endif
  const int64_t elements = 2 * c->n * c->n; /* halos included */
  return c->dtype == scalar && elements < PETSC_MAX_INT;
}

/* ---- indices ------------------------------------------------------------------------------------------ */

/* Place of a process's buffer in the vector of all buffers of a side. */
typedef struct span {
  int64_t start;
  int64_t extents[BENCH_NDIM];
} span;

static span *make_spans(const bench_case *c, const bench_side *side)
{
  span *spans = bench_alloc(c->nprocs * (int64_t)sizeof *spans);
  int64_t start = 0;
  for (int r = 0; r < c->nprocs; r++) {
    int coords[BENCH_NDIM];
    bench_side_coords(c, side, r, coords);
    spans[r].start = start;
    int64_t count = 1;
    for (int k = 0; k < c->ndim; k++)
      count *= spans[r].extents[k] = bench_axis_extent(&side->axes[k], coords[k]);
    start += count;
  }
  return spans;
}

/* Returns the index in the vector of place [ndim] in a process's buffer. */
static PetscInt index_of(const bench_case *c, const bench_side *side, const span *buffer,
                         const int64_t place[])
{
  int64_t index = 0;
  for (int i = 0; i < c->ndim; i++) {
    const int k = side->order == DAP_ORDER_F ? c->ndim - 1 - i : i; /* slowest first */
    index = index * buffer->extents[k] + place[k];
  }
  return (PetscInt)(buffer->start + index);
}

typedef struct maker {
  const bench_case *c;
  span *sources, *destinations; /* [nprocs] */
  PetscInt *from, *to;          /* [count] */
  PetscInt count;
} maker;

/* Lists all elements of this process's destination, or of its halo, and their places in the source. */
static void list_axis(maker *m, int level, bool owned, int rank, int64_t here[], int64_t there[])
{
  const bench_case *c = m->c;
  if (level == c->ndim) {
    if (c->halo == owned) return;
    m->from[m->count] = index_of(c, &c->from, &m->sources[rank], there);
    m->to[m->count++] = index_of(c, &c->to, &m->destinations[c->rank], here);
    return;
  }
  const int k = c->to.order == DAP_ORDER_F ? c->ndim - 1 - level : level;
  int weight = 1;
  for (int j = k + 1; j < c->ndim; j++) weight *= c->from.axes[j].procs;
  for (here[k] = 0; here[k] < c->to.shape[k]; here[k]++) {
    bool mine;
    int coord;
    const int64_t global = bench_axis_global(&c->to.axes[k], c->to.coords[k], here[k], &mine);
    if (!mine && !c->halo) continue;
    there[k] = bench_axis_locate(&c->from.axes[k], global, &coord);
    list_axis(m, level + 1, owned && mine, rank + coord * weight, here, there);
  }
}

static void list_all(const bench_case *c, maker *m)
{
  const int64_t bytes = bench_payload(c) / c->itemsize * (int64_t)sizeof(PetscInt);
  *m = (maker){.c = c,
               .sources = make_spans(c, &c->from),
               .destinations = make_spans(c, &c->to),
               .from = bench_alloc(bytes),
               .to = bench_alloc(bytes)};
  int64_t here[BENCH_NDIM], there[BENCH_NDIM];
  list_axis(m, 0, true, 0, here, there);
  free(m->sources);
  free(m->destinations);
}

/* ---- the method --------------------------------------------------------------------------------------- */

static Vec wrap(const bench_job *job, const bench_side *side, const bench_buffer *buffer)
{
  Vec vec;
  const PetscInt count = (PetscInt)(side->bytes / job->c->itemsize);
  require(VecCreateMPIWithArray(job->comm, 1, count, PETSC_DETERMINE, (void *)buffer->data, &vec));
  return vec;
}

static void create(bench_job *job)
{
  maker m;
  IS from, to;
  state *s = bench_alloc(sizeof *s);
  s->from = wrap(job, &job->c->from, &job->from);
  s->to = wrap(job, &job->c->to, &job->to);
  list_all(job->c, &m);
  require(ISCreateGeneral(job->comm, m.count, m.from, PETSC_USE_POINTER, &from));
  require(ISCreateGeneral(job->comm, m.count, m.to, PETSC_USE_POINTER, &to));
  require(VecScatterCreate(s->from, from, s->to, to, &s->scatter));
  require(ISDestroy(&from));
  require(ISDestroy(&to));
  free(m.from);
  free(m.to);
  job->state = s;
}

static void run(bench_job *job)
{
  const state *s = job->state;
  Vec to = job->c->halo ? s->from : s->to; /* a halo update is in place */
  require(VecScatterBegin(s->scatter, s->from, to, INSERT_VALUES, SCATTER_FORWARD));
  require(VecScatterEnd(s->scatter, s->from, to, INSERT_VALUES, SCATTER_FORWARD));
}

static void destroy(bench_job *job)
{
  state *s = job->state;
  require(VecScatterDestroy(&s->scatter));
  require(VecDestroy(&s->from));
  require(VecDestroy(&s->to));
  free(s);
}

const bench_method bench_vecscatter = {"vecscatter", BENCH_PEER, applies,      create,
                                       run,          destroy,    .plans = true};
