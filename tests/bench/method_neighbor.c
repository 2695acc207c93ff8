/* Updates halos by one MPI_Neighbor_alltoallw on a graph of neighbours. */
#include "fail.h"
#include "redistribute.h"

#include <stdlib.h>

typedef struct state {
  MPI_Comm graph;
  int *ones_out, *ones_in; /* [nprocs]; used up to the number of neighbours */
  MPI_Datatype *out, *in;  /* used in the same way */
  MPI_Aint *zeros;         /* [nprocs] */
  int count_out, count_in;
} state;

static bool applies(const bench_case *c)
{
  return c->halo;
}

/* Lists the types, and the ranks, of the processes that this one sends to or receives from. Returns their
 * number. */
static int list_types(const bench_job *job, bool source, MPI_Datatype types[], int ones[], int ranks[])
{
  int count = 0;
  for (int r = 0; r < job->c->nprocs; r++) {
    const int from = source ? job->c->rank : r, to = source ? r : job->c->rank;
    types[count] = bench_type_between(job, from, to, source, &ones[count]);
    ranks[count] = r;
    count += ones[count];
  }
  return count;
}

static void create(bench_job *job)
{
  const int nprocs = job->c->nprocs;
  const int64_t ints = nprocs * (int64_t)sizeof(int), types = nprocs * (int64_t)sizeof(MPI_Datatype);
  int *to = bench_alloc(ints), *from = bench_alloc(ints);
  state *s = bench_alloc(sizeof *s);
  *s = (state){.ones_out = bench_alloc(ints),
               .ones_in = bench_alloc(ints),
               .out = bench_alloc(types),
               .in = bench_alloc(types),
               .zeros = bench_alloc(nprocs * (int64_t)sizeof(MPI_Aint))};
  for (int r = 0; r < nprocs; r++) s->zeros[r] = 0;
  s->count_out = list_types(job, true, s->out, s->ones_out, to);
  s->count_in = list_types(job, false, s->in, s->ones_in, from);
  MPI_Dist_graph_create_adjacent(job->comm, s->count_in, from, s->ones_in, s->count_out, to, s->ones_out,
                                 MPI_INFO_NULL, 0, &s->graph);
  free(to), free(from);
  job->state = s;
}

static void run(bench_job *job)
{
  const state *s = job->state;
  MPI_Neighbor_alltoallw(job->from.data, s->ones_out, s->zeros, s->out, job->to.data, s->ones_in, s->zeros,
                         s->in, s->graph);
}

static void destroy(bench_job *job)
{
  state *s = job->state;
  for (int i = 0; i < s->count_out; i++) MPI_Type_free(&s->out[i]);
  for (int i = 0; i < s->count_in; i++) MPI_Type_free(&s->in[i]);
  MPI_Comm_free(&s->graph);
  free(s->ones_out), free(s->ones_in), free(s->out), free(s->in), free(s->zeros);
  free(s);
}

const bench_method bench_neighbor = {"neighbor", BENCH_PEER, applies, create, run, destroy, .plans = true};
