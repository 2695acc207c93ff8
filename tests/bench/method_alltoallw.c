/* One MPI_Alltoallw with a derived datatype for each process and direction. */
#include "fail.h"
#include "methods.h"
#include "shares.h"

#include <limits.h>
#include <stdlib.h>

typedef struct state {
  int *ones_out, *ones_in, *zeros; /* [nprocs] */
  MPI_Datatype *out, *in;          /* [nprocs] */
} state;

/* ---- types -------------------------------------------------------------------------------------------- */

/* Takes `inner` over. */
static MPI_Datatype repeat(MPI_Datatype inner, int64_t count, int64_t length, int64_t step)
{
  MPI_Datatype outer;
  if (count > INT_MAX || length > INT_MAX) bench_fail("more than 2^31 - 1 elements in a stretch");
  MPI_Type_create_hvector((int)count, (int)length, (MPI_Aint)step, inner, &outer);
  MPI_Type_free(&inner);
  return outer;
}

/* One run, whose elements are `inner`, `stride` bytes apart. */
static MPI_Datatype comb_type(const bench_strided_run *run, bool source, int64_t stride, MPI_Datatype inner)
{
  MPI_Datatype element;
  MPI_Type_create_resized(inner, 0, (MPI_Aint)stride, &element);
  return repeat(element, run->count, run->length, (source ? run->from_step : run->to_step) * stride);
}

/* All combs of an axis; takes `inner` over. */
static MPI_Datatype axis_type(const bench_combs *combs, bool source, int64_t stride, MPI_Datatype inner)
{
  const int count = (int)combs->count;
  int *ones = bench_alloc(count * (int64_t)sizeof *ones);
  MPI_Aint *starts = bench_alloc(count * (int64_t)sizeof *starts);
  MPI_Datatype *types = bench_alloc(count * (int64_t)sizeof(MPI_Datatype)), all;
  for (int i = 0; i < count; i++) {
    const bench_strided_run *run = &combs->list[i];
    ones[i] = 1;
    starts[i] = (MPI_Aint)((source ? run->from : run->to) * stride);
    types[i] = comb_type(run, source, stride, inner);
  }
  MPI_Type_create_struct(count, ones, starts, types, &all);
  for (int i = 0; i < count; i++) MPI_Type_free(&types[i]);
  MPI_Type_free(&inner);
  free(ones), free(starts), free(types);
  return all;
}

/* A share in the source's or in the destination's buffer. Both list the elements in the destination's
 * order. */
static MPI_Datatype share_type(const bench_case *c, const bench_share *share, bool source,
                               const int64_t strides[])
{
  MPI_Datatype element, type;
  MPI_Type_contiguous((int)c->itemsize, MPI_BYTE, &element);
  type = element;
  if (share->elements > INT_MAX) bench_fail("case %s: more than 2^31 - 1 elements in a message", c->name);
  if (share->places[!source]) {
    MPI_Type_create_indexed_block((int)share->elements, 1, share->places[!source], element, &type);
    MPI_Type_free(&element);
  } else {
    for (int i = 0; i < c->ndim; i++) {
      const int k = c->to.order == DAP_ORDER_F ? i : c->ndim - 1 - i; /* fastest first */
      type = axis_type(&share->axes[k], source, strides[k], type);
    }
  }
  MPI_Type_commit(&type);
  return type;
}

/* ---- the method --------------------------------------------------------------------------------------- */

/* The type of what goes from `from` to `to`; *count is 0 if nothing does. */
static MPI_Datatype type_between(const bench_job *job, int from, int to, bool source, int *count)
{
  bench_share share;
  bench_share_make(job->c, from, to, &share);
  MPI_Datatype type = MPI_BYTE;
  *count = share.elements > 0;
  if (share.elements > 0)
    type = share_type(job->c, &share, source, source ? job->from.strides : job->to.strides);
  bench_share_free(&share);
  return type;
}

void bench_alltoallw_create(bench_job *job)
{
  const int nprocs = job->c->nprocs, rank = job->c->rank;
  const int64_t ints = nprocs * (int64_t)sizeof(int), types = nprocs * (int64_t)sizeof(MPI_Datatype);
  state *s = bench_alloc(sizeof *s);
  *s = (state){bench_alloc(ints), bench_alloc(ints), bench_alloc(ints), bench_alloc(types),
               bench_alloc(types)};
  for (int r = 0; r < nprocs; r++) {
    s->zeros[r] = 0;
    s->out[r] = type_between(job, rank, r, true, &s->ones_out[r]);
    s->in[r] = type_between(job, r, rank, false, &s->ones_in[r]);
  }
  job->state = s;
}

void bench_alltoallw_run(bench_job *job)
{
  const state *s = job->state;
  MPI_Alltoallw(job->from.data, s->ones_out, s->zeros, s->out, job->to.data, s->ones_in, s->zeros, s->in,
                job->comm);
}

void bench_alltoallw_destroy(bench_job *job)
{
  state *s = job->state;
  for (int r = 0; r < job->c->nprocs; r++) {
    if (s->ones_out[r]) MPI_Type_free(&s->out[r]);
    if (s->ones_in[r]) MPI_Type_free(&s->in[r]);
  }
  free(s->ones_out), free(s->ones_in), free(s->zeros), free(s->out), free(s->in);
  free(s);
}
