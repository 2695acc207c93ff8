/* Moves patterns by MPI: one derived datatype for all sent elements, and one for all received ones, of
 * vectors or subarrays. */
#include "fail.h"
#include "patterns.h"

#include <stdlib.h>

typedef struct state {
  MPI_Datatype out, in;
} state;

static MPI_Datatype element_type(const pattern *p)
{
  return p->itemsize == 4 ? MPI_FLOAT : MPI_DOUBLE;
}

/* Makes nested vectors from the array's first element on. Inner axes that are sent whole are contiguous. */
static MPI_Datatype vector_type(const pattern *p, const pattern_group *g, const int64_t start[])
{
  MPI_Datatype type, outer;
  MPI_Aint step = p->itemsize, offset = 0;
  const int one = 1;
  MPI_Type_dup(element_type(p), &type);
  for (int k = g->ndim - 1; k >= 0; k--) {
    MPI_Type_create_hvector((int)g->count[k], 1, step, type, &outer);
    MPI_Type_free(&type);
    type = outer;
    offset += (MPI_Aint)start[k] * step;
    step *= (MPI_Aint)g->shape[k];
  }
  MPI_Type_create_hindexed(1, &one, &offset, type, &outer);
  MPI_Type_free(&type);
  return outer;
}

/* Makes blocks, one for each index of axis 0. */
static MPI_Datatype list_type(const pattern *p, const pattern_group *g, const int64_t places[])
{
  const int count = (int)g->count[0];
  int width = 1, *starts = bench_alloc(count * (int64_t)sizeof *starts);
  MPI_Datatype type;
  for (int k = 1; k < g->ndim; k++) width *= (int)g->shape[k];
  for (int i = 0; i < count; i++) starts[i] = (int)places[i] * width;
  MPI_Type_create_indexed_block(count, width, starts, element_type(p), &type);
  free(starts);
  return type;
}

static MPI_Datatype subarray_type(const pattern *p, const pattern_group *g, const int64_t start[])
{
  int shape[PATTERN_NDIM], count[PATTERN_NDIM], starts[PATTERN_NDIM];
  MPI_Datatype type;
  for (int k = 0; k < g->ndim; k++) {
    shape[k] = (int)g->shape[k];
    count[k] = (int)g->count[k];
    starts[k] = (int)start[k];
  }
  MPI_Type_create_subarray(g->ndim, shape, count, starts, MPI_ORDER_C, element_type(p), &type);
  return type;
}

typedef MPI_Datatype box_type(const pattern *p, const pattern_group *g, const int64_t start[]);

/* Makes the type of all arrays of all groups, by their addresses. */
static MPI_Datatype make_type(const pattern_data *d, bool sent, box_type *make_box)
{
  enum { MOST = PATTERN_GROUPS * PATTERN_ARRAYS };
  MPI_Datatype types[MOST] = {MPI_DATATYPE_NULL}, all;
  MPI_Aint starts[MOST] = {0};
  int ones[MOST] = {0}, count = 0;
  for (int i = 0; i < d->groups; i++) {
    const pattern_group *g = &d->pattern->groups[i];
    const int64_t *places = sent ? d->from_places[i] : d->to_places[i];
    for (int a = 0; a < g->arrays; a++) {
      types[count] =
          places ? list_type(d->pattern, g, places) : make_box(d->pattern, g, sent ? g->from : g->to);
      MPI_Get_address(sent ? d->from[i][a] : d->to[i][a], &starts[count]);
      ones[count++] = 1;
    }
  }
  MPI_Type_create_struct(count, ones, starts, types, &all);
  MPI_Type_commit(&all);
  for (int i = 0; i < count; i++) MPI_Type_free(&types[i]);
  return all;
}

static void create(pattern_job *job, box_type *make_box)
{
  state *s = bench_alloc(sizeof *s);
  s->out = make_type(job->data, true, make_box);
  s->in = make_type(job->data, false, make_box);
  job->state = s;
}

void pattern_vectors_create(pattern_job *job)
{
  create(job, vector_type);
}

bool pattern_subarrays_applies(const pattern *p)
{
  return !p->groups[0].scattered_from;
}

void pattern_subarrays_create(pattern_job *job)
{
  create(job, subarray_type);
}

void pattern_types_run(pattern_job *job)
{
  enum { TAG = 1 };
  const pattern_data *d = job->data;
  const state *s = job->state;
  MPI_Request requests[2];
  MPI_Irecv(MPI_BOTTOM, 1, s->in, (d->rank + d->nprocs - 1) % d->nprocs, TAG, d->comm, &requests[0]);
  MPI_Isend(MPI_BOTTOM, 1, s->out, d->next[d->rank], TAG, d->comm, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

void pattern_types_destroy(pattern_job *job)
{
  state *s = job->state;
  MPI_Type_free(&s->out);
  MPI_Type_free(&s->in);
  free(s);
}
