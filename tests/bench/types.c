#include "redistribute.h"

#include "fail.h"

#include <limits.h>
#include <stdlib.h>

/* Returns a repetition of `inner`, which it frees. */
static MPI_Datatype repeat(MPI_Datatype inner, int64_t count, int64_t length, int64_t step)
{
  MPI_Datatype outer;
  if (count > INT_MAX || length > INT_MAX) bench_fail("more than 2^31 - 1 elements in a stretch");
  MPI_Type_create_hvector((int)count, (int)length, (MPI_Aint)step, inner, &outer);
  MPI_Type_free(&inner);
  return outer;
}

/* Returns the type of one run, whose elements are `inner`, `stride` bytes apart. */
static MPI_Datatype comb_type(const bench_strided_run *run, bool source, int64_t stride, MPI_Datatype inner)
{
  MPI_Datatype element;
  MPI_Type_create_resized(inner, 0, (MPI_Aint)stride, &element);
  return repeat(element, run->count, run->length, (source ? run->from_step : run->to_step) * stride);
}

/* Returns the type of all combs of an axis, and frees `inner`. */
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

/* Returns the type of a share in the source's or in the destination's buffer. Both list the elements in
 * the destination's order. */
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

MPI_Datatype bench_type_between(const bench_job *job, int from, int to, bool source, int *count)
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
