/* Updates ghosts by hand: makes lists once, then packs, sends and receives without blocking, and unpacks.
 * Contiguous ghosts are received in place. */
#include "fail.h"
#include "ghosts.h"

#include <stdlib.h>
#include <string.h>

typedef struct peer {
  int rank, out, in;           /* numbers of nodes */
  int32_t *out_list, *in_list; /* [out], [in] positions in data; in_list NULL: contiguous, from in_first */
  int32_t in_first;
  double *packed, *received; /* [out][components], [in][components]; received NULL: in place */
} peer;

typedef struct state {
  int count;
  peer *peers;           /* [count] */
  MPI_Request *requests; /* [2 * count], receives first */
} state;

/* ---- lists ------------------------------------------------------------------------------------------ */

/* Lists the nodes of this process that `rank` has as ghosts, in the ascending order of its ghosts. */
static void list_out(const ghosts_mesh *mesh, peer *p)
{
  int64_t neighbours[14];
  p->out_list = bench_alloc(mesh->owned * (int64_t)sizeof *p->out_list);
  for (int64_t i = 0; i < mesh->owned; i++) {
    bool is_wanted = false;
    for (int k = ghosts_neighbours(mesh, mesh->list[i], neighbours) - 1; k >= 0; k--)
      is_wanted = is_wanted || mesh->owner[neighbours[k]] == p->rank;
    if (is_wanted) p->out_list[p->out++] = (int32_t)i;
  }
  p->packed = bench_alloc((int64_t)p->out * mesh->components * (int64_t)sizeof *p->packed);
}

static void list_in(const ghosts_mesh *mesh, peer *p)
{
  bool together = true;
  p->in_list = bench_alloc((mesh->count - mesh->owned) * (int64_t)sizeof *p->in_list);
  for (int64_t i = mesh->owned; i < mesh->count; i++) {
    if (mesh->owner[mesh->list[i]] != p->rank) continue;
    together = together && (p->in == 0 || p->in_list[p->in - 1] == i - 1);
    p->in_list[p->in++] = (int32_t)i;
  }
  if (!together) {
    p->received = bench_alloc((int64_t)p->in * mesh->components * (int64_t)sizeof *p->received);
    return;
  }
  p->in_first = p->in > 0 ? p->in_list[0] : 0;
  free(p->in_list);
  p->in_list = NULL;
}

static void release(peer *p)
{
  free(p->out_list);
  free(p->in_list);
  free(p->packed);
  free(p->received);
}

static void create(ghosts_job *job)
{
  const ghosts_mesh *mesh = job->mesh;
  state *s = bench_alloc(sizeof *s);
  *s = (state){.peers = bench_alloc(mesh->nprocs * (int64_t)sizeof(peer)),
               .requests = bench_alloc(2 * mesh->nprocs * (int64_t)sizeof(MPI_Request))};
  job->data = bench_alloc(mesh->count * mesh->components * (int64_t)sizeof(double));
  for (int i = 1; i < mesh->nprocs; i++) { /* each process begins with another peer */
    peer *p = &s->peers[s->count];
    *p = (peer){.rank = (mesh->rank + i) % mesh->nprocs};
    list_out(mesh, p);
    list_in(mesh, p);
    if (p->out + p->in > 0)
      s->count++;
    else
      release(p);
  }
  job->state = s;
}

/* ---- a run ------------------------------------------------------------------------------------------- */

/* Gathers nodes. Compiled for a constant number of components. */
static inline void gather_nodes(const double *data, const int32_t list[], int count, int components,
                                double *packed)
{
  for (int i = 0; i < count; i++)
    for (int k = 0; k < components; k++) packed[i * components + k] = data[list[i] * components + k];
}

static inline void scatter_nodes(const double *packed, const int32_t list[], int count, int components,
                                 double *data)
{
  for (int i = 0; i < count; i++)
    for (int k = 0; k < components; k++) data[list[i] * components + k] = packed[i * components + k];
}

static inline void add_nodes(const double *packed, const int32_t list[], int count, int components,
                             double *data)
{
  for (int i = 0; i < count; i++)
    for (int k = 0; k < components; k++) data[list[i] * components + k] += packed[i * components + k];
}

static void pack(const double *data, const int32_t list[], int count, int components, double *packed)
{
  if (components == 1)
    gather_nodes(data, list, count, 1, packed);
  else if (components == 3)
    gather_nodes(data, list, count, 3, packed);
  else
    gather_nodes(data, list, count, components, packed);
}

static void unpack(const double *packed, const int32_t list[], int count, int components, double *data)
{
  if (components == 1)
    scatter_nodes(packed, list, count, 1, data);
  else if (components == 3)
    scatter_nodes(packed, list, count, 3, data);
  else
    scatter_nodes(packed, list, count, components, data);
}

static void add(const double *packed, const int32_t list[], int count, int components, double *data)
{
  if (components == 1)
    add_nodes(packed, list, count, 1, data);
  else if (components == 3)
    add_nodes(packed, list, count, 3, data);
  else
    add_nodes(packed, list, count, components, data);
}

static void run_forward(ghosts_job *job)
{
  enum { TAG = 1 };
  const ghosts_mesh *mesh = job->mesh;
  const state *s = job->state;
  const int components = mesh->components;
  MPI_Request *receives = s->requests, *sends = s->requests + s->count;
  for (int i = 0; i < s->count; i++) {
    const peer *p = &s->peers[i];
    double *to = p->received ? p->received : job->data + (int64_t)p->in_first * components;
    MPI_Irecv(to, p->in * components, MPI_DOUBLE, p->rank, TAG, mesh->comm, &receives[i]);
  }
  for (int i = 0; i < s->count; i++) {
    const peer *p = &s->peers[i];
    pack(job->data, p->out_list, p->out, components, p->packed);
    MPI_Isend(p->packed, p->out * components, MPI_DOUBLE, p->rank, TAG, mesh->comm, &sends[i]);
  }
  for (int i = 0; i < s->count; i++) {
    int which;
    MPI_Waitany(s->count, receives, &which, MPI_STATUS_IGNORE);
    const peer *p = &s->peers[which];
    if (p->received) unpack(p->received, p->in_list, p->in, components, job->data);
  }
  MPI_Waitall(s->count, sends, MPI_STATUSES_IGNORE);
}

/* Runs the other way with the same lists. Additions follow the order in which messages arrive. */
static void run_reverse(ghosts_job *job)
{
  enum { TAG = 2 };
  const ghosts_mesh *mesh = job->mesh;
  const state *s = job->state;
  const int components = mesh->components;
  MPI_Request *receives = s->requests, *sends = s->requests + s->count;
  for (int i = 0; i < s->count; i++) {
    const peer *p = &s->peers[i];
    MPI_Irecv(p->packed, p->out * components, MPI_DOUBLE, p->rank, TAG, mesh->comm, &receives[i]);
  }
  for (int i = 0; i < s->count; i++) {
    const peer *p = &s->peers[i];
    if (p->received) pack(job->data, p->in_list, p->in, components, p->received);
    const double *from = p->received ? p->received : job->data + (int64_t)p->in_first * components;
    MPI_Isend(from, p->in * components, MPI_DOUBLE, p->rank, TAG, mesh->comm, &sends[i]);
  }
  for (int i = 0; i < s->count; i++) {
    int which;
    MPI_Waitany(s->count, receives, &which, MPI_STATUS_IGNORE);
    const peer *p = &s->peers[which];
    add(p->packed, p->out_list, p->out, components, job->data);
  }
  MPI_Waitall(s->count, sends, MPI_STATUSES_IGNORE);
}

static void run(ghosts_job *job)
{
  if (job->mesh->reverse)
    run_reverse(job);
  else
    run_forward(job);
}

static void destroy(ghosts_job *job)
{
  state *s = job->state;
  for (int i = 0; i < s->count; i++) release(&s->peers[i]);
  free(s->peers);
  free(s->requests);
  free(job->data);
  free(s);
}

const ghosts_method ghosts_hand = {"hand", "by hand, MPI_Isend and MPI_Irecv", true, NULL, create, run,
                                   destroy};
