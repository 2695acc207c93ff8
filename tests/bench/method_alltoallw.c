/* Moves by one MPI_Alltoallw, with a derived datatype for each process and direction. */
#include "fail.h"
#include "redistribute.h"

#include <stdlib.h>

typedef struct state {
  int *ones_out, *ones_in, *zeros; /* [nprocs] */
  MPI_Datatype *out, *in;          /* [nprocs] */
} state;

static void create(bench_job *job)
{
  const int nprocs = job->c->nprocs, rank = job->c->rank;
  const int64_t ints = nprocs * (int64_t)sizeof(int), types = nprocs * (int64_t)sizeof(MPI_Datatype);
  state *s = bench_alloc(sizeof *s);
  *s = (state){bench_alloc(ints), bench_alloc(ints), bench_alloc(ints), bench_alloc(types),
               bench_alloc(types)};
  for (int r = 0; r < nprocs; r++) {
    s->zeros[r] = 0;
    s->out[r] = bench_type_between(job, rank, r, true, &s->ones_out[r]);
    s->in[r] = bench_type_between(job, r, rank, false, &s->ones_in[r]);
  }
  job->state = s;
}

static void run(bench_job *job)
{
  const state *s = job->state;
  MPI_Alltoallw(job->from.data, s->ones_out, s->zeros, s->out, job->to.data, s->ones_in, s->zeros, s->in,
                job->comm);
}

static void destroy(bench_job *job)
{
  state *s = job->state;
  for (int r = 0; r < job->c->nprocs; r++) {
    if (s->ones_out[r]) MPI_Type_free(&s->out[r]);
    if (s->ones_in[r]) MPI_Type_free(&s->in[r]);
  }
  free(s->ones_out), free(s->ones_in), free(s->zeros), free(s->out), free(s->in);
  free(s);
}

const bench_method bench_alltoallw = {"alltoallw", BENCH_PEER, NULL, create, run, destroy, .plans = true};
