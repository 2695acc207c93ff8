/* Moves by hand: packs, sends and receives without blocking, and unpacks. It copies its own part
 * meanwhile. */
#include "fail.h"
#include "redistribute.h"

#include <limits.h>
#include <stdlib.h>

typedef struct peer {
  bench_share out, in;
  char *packed, *received;
} peer;

typedef struct state {
  MPI_Datatype element;
  MPI_Request *requests; /* [2 * nprocs], receives first */
  peer *peers;           /* [nprocs] */
} state;

static void create(bench_job *job)
{
  const bench_case *c = job->c;
  state *s = bench_alloc(sizeof *s);
  *s = (state){.requests = bench_alloc(2 * c->nprocs * (int64_t)sizeof(MPI_Request)),
               .peers = bench_alloc(c->nprocs * (int64_t)sizeof(peer))};
  MPI_Type_contiguous((int)c->itemsize, MPI_BYTE, &s->element);
  MPI_Type_commit(&s->element);
  for (int r = 0; r < c->nprocs; r++) {
    peer *p = &s->peers[r];
    *p = (peer){0};
    bench_share_make(c, c->rank, r, &p->out);
    if (r == c->rank) continue;
    bench_share_make(c, r, c->rank, &p->in);
    if (p->out.elements > INT_MAX || p->in.elements > INT_MAX)
      bench_fail("case %s: more than 2^31 - 1 elements in a message", c->name);
    p->packed = bench_alloc(p->out.elements * c->itemsize);
    p->received = bench_alloc(p->in.elements * c->itemsize);
  }
  job->state = s;
}

static bench_end_of_copy message(char *data)
{
  return (bench_end_of_copy){.place = BENCH_IN_MESSAGE, .data = data};
}

static void run(bench_job *job)
{
  enum { TAG = 1 };
  const bench_case *c = job->c;
  state *s = job->state;
  const bench_end_of_copy source = {BENCH_IN_SOURCE, job->from.data, job->from.strides};
  const bench_end_of_copy destination = {BENCH_IN_DESTINATION, job->to.data, job->to.strides};
  MPI_Request *receives = s->requests, *sends = s->requests + c->nprocs;
  for (int r = 0; r < c->nprocs; r++) {
    const peer *p = &s->peers[r];
    receives[r] = sends[r] = MPI_REQUEST_NULL;
    if (p->in.elements > 0)
      MPI_Irecv(p->received, (int)p->in.elements, s->element, r, TAG, job->comm, &receives[r]);
  }
  for (int i = 1; i < c->nprocs; i++) { /* each process begins with another peer */
    const int r = (c->rank + i) % c->nprocs;
    const peer *p = &s->peers[r];
    if (p->out.elements == 0) continue;
    bench_copy(c, &p->out, source, message(p->packed));
    MPI_Isend(p->packed, (int)p->out.elements, s->element, r, TAG, job->comm, &sends[r]);
  }
  bench_copy(c, &s->peers[c->rank].out, source, destination);
  for (;;) {
    int r;
    MPI_Waitany(c->nprocs, receives, &r, MPI_STATUS_IGNORE);
    if (r == MPI_UNDEFINED) break;
    bench_copy(c, &s->peers[r].in, message(s->peers[r].received), destination);
  }
  MPI_Waitall(c->nprocs, sends, MPI_STATUSES_IGNORE);
}

static void destroy(bench_job *job)
{
  state *s = job->state;
  for (int r = 0; r < job->c->nprocs; r++) {
    bench_share_free(&s->peers[r].out);
    bench_share_free(&s->peers[r].in);
    free(s->peers[r].packed);
    free(s->peers[r].received);
  }
  MPI_Type_free(&s->element);
  free(s->requests);
  free(s->peers);
  free(s);
}

const bench_method bench_pack_isend = {"pack_isend", BENCH_PEER, NULL, create, run, destroy, .plans = true};
