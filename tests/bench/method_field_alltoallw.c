/* Updates halos by MPI's collectives with derived datatypes: MPI_Alltoallw, and MPI_Neighbor_alltoallw on
 * a graph of neighbours. */
#include "fail.h"
#include "field.h"

#include <stdlib.h>

typedef struct state {
  MPI_Comm graph;
  int count;              /* neighbours, which send and receive */
  int *ones, *zeros;      /* [nprocs] counts of types: one, or in MPI_Alltoallw none */
  MPI_Aint *starts;       /* [nprocs] zeros */
  MPI_Datatype *out, *in; /* [nprocs]; MPI_Neighbor_alltoallw uses `count` of them */
} state;

enum { SIDES = 27 /* places of neighbours: -1, 0 or 1 along each axis */ };

static void side_of(int number, int side[])
{
  for (int k = 0; k < FIELD_NDIM; k++, number /= 3) side[k] = number % 3 - 1;
}

/* Returns the process on a side, or -1 if there is none or it is the same place. */
static int rank_at(const field_case *c, const int side[])
{
  int rank = 0;
  bool moves = false;
  for (int k = 0; k < FIELD_NDIM; k++) {
    const int coord = c->coords[k] + side[k], procs = c->procs[k];
    if (!c->periodic && (coord < 0 || coord >= procs)) return -1;
    rank = rank * procs + (coord + procs) % procs;
    moves = moves || side[k] != 0;
  }
  return moves ? rank : -1;
}

/* Returns the type of the box of the padded buffer that goes to a side, or with `ghosts` comes from it. */
static MPI_Datatype box_type(const field_job *job, const int side[], bool ghosts)
{
  const field_case *c = job->c;
  int shape[FIELD_NDIM], sizes[FIELD_NDIM], starts[FIELD_NDIM];
  MPI_Datatype type;
  for (int k = 0; k < FIELD_NDIM; k++) {
    const int64_t end = c->low[k] + c->owned[k];
    const int64_t before = ghosts ? 0 : c->low[k], after = ghosts ? end : end - c->width;
    shape[k] = (int)c->shape[k];
    sizes[k] = (int)(side[k] == 0 ? c->owned[k] : c->width);
    starts[k] = (int)(side[k] == 0 ? c->low[k] : side[k] < 0 ? before : after);
  }
  MPI_Type_create_subarray(FIELD_NDIM, shape, sizes, starts, MPI_ORDER_C, MPIU_SCALAR, &type);
  return type;
}

/* Makes the type of all boxes for one process, or from it, in the order of the sender's sides. Returns
 * false if there are none. */
static bool make_type(const field_job *job, int rank, bool ghosts, MPI_Datatype *all)
{
  MPI_Datatype types[SIDES];
  MPI_Aint starts[SIDES] = {0};
  int ones[SIDES], count = 0;
  for (int number = 0; number < SIDES; number++) {
    int side[FIELD_NDIM]; /* of the sender; the receiver's is opposite */
    side_of(ghosts ? SIDES - 1 - number : number, side);
    if (rank_at(job->c, side) != rank) continue;
    types[count] = box_type(job, side, ghosts);
    ones[count++] = 1;
  }
  if (count == 0) return false;
  MPI_Type_create_struct(count, ones, starts, types, all);
  MPI_Type_commit(all);
  for (int i = 0; i < count; i++) MPI_Type_free(&types[i]);
  return true;
}

static state *make_state(const field_case *c)
{
  const int64_t ints = c->nprocs * (int64_t)sizeof(int), types = c->nprocs * (int64_t)sizeof(MPI_Datatype);
  state *s = bench_alloc(sizeof *s);
  *s = (state){.graph = MPI_COMM_NULL,
               .ones = bench_alloc(ints),
               .zeros = bench_alloc(ints),
               .starts = bench_alloc(c->nprocs * (int64_t)sizeof(MPI_Aint)),
               .out = bench_alloc(types),
               .in = bench_alloc(types)};
  for (int r = 0; r < c->nprocs; r++) {
    s->zeros[r] = 0;
    s->starts[r] = 0;
  }
  return s;
}

void field_alltoallw_create(field_job *job)
{
  state *s = make_state(job->c);
  for (int r = 0; r < job->c->nprocs; r++) {
    s->out[r] = s->in[r] = MPI_BYTE;
    s->ones[r] = make_type(job, r, false, &s->out[r]) && make_type(job, r, true, &s->in[r]);
  }
  s->count = job->c->nprocs;
  job->state = s;
}

void field_neighbor_create(field_job *job)
{
  state *s = make_state(job->c);
  int *ranks = bench_alloc(job->c->nprocs * (int64_t)sizeof *ranks);
  for (int r = 0; r < job->c->nprocs; r++) {
    if (!make_type(job, r, false, &s->out[s->count])) continue;
    (void)make_type(job, r, true, &s->in[s->count]);
    s->ones[s->count] = 1;
    ranks[s->count++] = r;
  }
  MPI_Dist_graph_create_adjacent(job->c->comm, s->count, ranks, s->ones, s->count, ranks, s->ones,
                                 MPI_INFO_NULL, 0, &s->graph);
  free(ranks);
  job->state = s;
}

void field_alltoallw_run(field_job *job)
{
  const state *s = job->state;
  void *data = job->array.data;
  MPI_Alltoallw(data, s->ones, s->zeros, s->out, data, s->ones, s->zeros, s->in, job->c->comm);
}

void field_neighbor_run(field_job *job)
{
  const state *s = job->state;
  void *data = job->array.data;
  MPI_Neighbor_alltoallw(data, s->ones, s->starts, s->out, data, s->ones, s->starts, s->in, s->graph);
}

void field_alltoallw_destroy(field_job *job)
{
  state *s = job->state;
  for (int i = 0; i < s->count; i++) {
    if (!s->ones[i]) continue;
    MPI_Type_free(&s->out[i]);
    MPI_Type_free(&s->in[i]);
  }
  if (s->graph != MPI_COMM_NULL) MPI_Comm_free(&s->graph);
  free(s->ones), free(s->zeros), free(s->starts), free(s->out), free(s->in);
  free(s);
}
