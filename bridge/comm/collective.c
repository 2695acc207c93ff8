/* The collective calls of MPI that the core makes. On communicators with a limit of waits (limit.c) by
 * messages from process to process, which can be given up: one step to rank 0 and one back.
 *
 * What has been given up MPI may still read and write, for as long as it runs: so messages are of copies, and
 * these are then MPI's for good. They go on the limit's own communicator instead of the caller's, so that no
 * message is ever left there. Not by MPI's nonblocking collective calls: with one of them left unfinished on
 * a communicator, those of Open MPI 4.1.4 have been seen to mix up messages on others. */
#include "comm_impl.h"

#include <stdlib.h>
#include <string.h>

enum { TAG = 1 /* messages come in the order of the calls */ };

/* What goes to, or comes from, each process: bytes[p] at first[p]. */
typedef struct parcels {
  const char *from; /* what goes, or */
  char *at;         /* what comes */
  size_t size;      /* of all, bytes */
  int *bytes;       /* [processes] */
  size_t *first;
} parcels;

/* Messages under way, with all that MPI needs for them, in one piece. */
typedef struct trade {
  struct trade *next;
  MPI_Comm comm;
  int rank, nprocs, count;
  char *out, *in;         /* copies of what goes, and what comes */
  MPI_Request requests[]; /* [2 * nprocs], count of which are in use; the copies are behind them */
} trade;

/* Those that are MPI's for good, so that memory checkers see that somebody knows them. */
static trade *given_up;

static void leave(trade *t)
{
  (void)dap_self_lock(false);
  t->next = given_up;
  given_up = t;
  dap_self_unlock();
}

/* ---- parcels ------------------------------------------------------------------------------------------ */

static void release(parcels *p)
{
  free(p->bytes);
  free(p->first);
}

/* None. */
static dap_status allocate(int nprocs, parcels *p, dap_error *err)
{
  *p = (parcels){.bytes = calloc((size_t)nprocs, sizeof *p->bytes),
                 .first = calloc((size_t)nprocs, sizeof *p->first)};
  if (p->bytes && p->first) return DAP_OK;
  release(p);
  *p = (parcels){0};
  return dap_fail(err, DAP_ERR_NOMEM, "no memory for messages of %d processes", nprocs);
}

/* The same to each, or equal ones one after the other from each: step 0, or bytes. */
static void fill(parcels *p, int nprocs, int bytes, int step)
{
  p->size = step ? (size_t)step * (size_t)nprocs : (size_t)bytes;
  for (int r = 0; r < nprocs; r++) {
    p->bytes[r] = bytes;
    p->first[r] = (size_t)r * (size_t)step;
  }
}

/* ---- trades ------------------------------------------------------------------------------------------- */

static dap_status start(const dap_limit *limit, MPI_Comm comm, const parcels *out, const parcels *in,
                        trade **made, dap_error *err)
{
  int rank = 0, nprocs = 0;
  *made = NULL;
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err));
  DAP_TRY(dap_mpi_check(MPI_Comm_size(comm, &nprocs), "MPI_Comm_size", err));
  const size_t requests = 2 * (size_t)nprocs * sizeof(MPI_Request);
  trade *t = *made = malloc(sizeof *t + requests + out->size + in->size);
  DAP_REQUIRE(t, err, DAP_ERR_NOMEM, "no memory for messages of %d processes", nprocs);
  *t = (trade){.comm = comm == limit->owner ? limit->comm : comm, .rank = rank, .nprocs = nprocs};
  t->out = (char *)t->requests + requests;
  t->in = t->out + out->size;
  if (out->size > 0) memcpy(t->out, out->from, out->size);
  return DAP_OK;
}

static dap_status post(trade *t, const parcels *out, const parcels *in, dap_error *err)
{
  for (int r = 0; r < t->nprocs; r++)
    if (r != t->rank && in->bytes[r] > 0)
      DAP_TRY(dap_mpi_check(
          MPI_Irecv(t->in + in->first[r], in->bytes[r], MPI_BYTE, r, TAG, t->comm, &t->requests[t->count++]),
          "MPI_Irecv", err));
  for (int r = 0; r < t->nprocs; r++)
    if (r != t->rank && out->bytes[r] > 0)
      DAP_TRY(dap_mpi_check(MPI_Isend(t->out + out->first[r], out->bytes[r], MPI_BYTE, r, TAG, t->comm,
                                      &t->requests[t->count++]),
                            "MPI_Isend", err));
  return DAP_OK;
}

static dap_status await(dap_limit *limit, trade *t, dap_error *err)
{
  int over = 0;
  for (dap_wait wait = {0};;) {
    DAP_TRY(
        dap_mpi_check(MPI_Testall(t->count, t->requests, &over, MPI_STATUSES_IGNORE), "MPI_Testall", err));
    if (over) return DAP_OK;
    DAP_TRY(dap_limit_step(limit, &wait, err));
  }
}

/* What this process has for itself stays where it is. */
static void take(const trade *t, const parcels *in)
{
  for (int r = 0; r < t->nprocs; r++)
    if (r != t->rank && in->bytes[r] > 0)
      memcpy(in->at + in->first[r], t->in + in->first[r], (size_t)in->bytes[r]);
}

/* The parcels that go and come. Collective. */
static dap_status run(dap_limit *limit, MPI_Comm comm, const parcels *out, const parcels *in, dap_error *err)
{
  trade *t;
  DAP_TRY(dap_limit_check(limit, err));
  DAP_TRY(start(limit, comm, out, in, &t, err));
  dap_status s = post(t, out, in, err);
  if (!s) s = await(limit, t, err);
  if (s) {
    leave(t);
    return s;
  }
  take(t, in);
  free(t);
  return DAP_OK;
}

/* ---- to one, and from one ------------------------------------------------------------------------------ */

/* Of how a step goes: who takes part in it, and in which role. */
typedef struct step {
  dap_limit *limit;
  MPI_Comm comm;
  int rank, nprocs;
  parcels out, in;
} step;

static dap_status begin(dap_limit *limit, MPI_Comm comm, step *s, dap_error *err)
{
  *s = (step){.limit = limit, .comm = comm};
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(comm, &s->rank), "MPI_Comm_rank", err));
  DAP_TRY(dap_mpi_check(MPI_Comm_size(comm, &s->nprocs), "MPI_Comm_size", err));
  dap_status t = allocate(s->nprocs, &s->out, err);
  if (!t) t = allocate(s->nprocs, &s->in, err);
  if (t) release(&s->out);
  return t;
}

static dap_status end(step *s, dap_status status)
{
  release(&s->out);
  release(&s->in);
  return status;
}

/* From `root` to all. */
static dap_status spread(dap_limit *limit, MPI_Comm comm, void *at, int bytes, int root, dap_error *err)
{
  step s;
  DAP_TRY(begin(limit, comm, &s, err));
  if (s.rank == root) {
    s.out.from = at;
    fill(&s.out, s.nprocs, bytes, 0);
  } else {
    s.in.at = at;
    s.in.size = (size_t)bytes;
    s.in.bytes[root] = bytes;
  }
  return end(&s, run(limit, comm, &s.out, &s.in, err));
}

/* all [processes][bytes] on rank 0, from the others' `mine`. */
static dap_status collect(dap_limit *limit, MPI_Comm comm, const void *mine, void *all, int bytes,
                          dap_error *err)
{
  step s;
  DAP_TRY(begin(limit, comm, &s, err));
  if (s.rank == 0) {
    s.in.at = all;
    fill(&s.in, s.nprocs, bytes, bytes);
  } else {
    s.out.from = mine;
    s.out.size = (size_t)bytes;
    s.out.bytes[0] = bytes;
  }
  return end(&s, run(limit, comm, &s.out, &s.in, err));
}

static dap_status bytes_of(int count, MPI_Datatype type, int64_t times, int *bytes, dap_error *err)
{
  int size = 0, all;
  (void)MPI_Type_size(type, &size); /* of a type of MPI's own */
  DAP_TRY(dap_to_int(times * count * size, "bytes of a message", &all, err));
  *bytes = count * size;
  return DAP_OK;
}

/* What a step returns. On a process where it fails, for lack of memory or by MPI, messages may be left, so
 * that it takes part in nothing more: for the others it has not answered. */
static dap_status left(dap_limit *limit, dap_status status)
{
  if (status) limit->is_expired = true;
  return status;
}

/* ---- all the same ------------------------------------------------------------------------------------- */

dap_status dap_bcast(MPI_Comm comm, void *at, int count, MPI_Datatype type, int root, dap_error *err)
{
  dap_limit *limit = dap_limit_of(comm);
  int bytes;
  if (!limit) return dap_mpi_check(MPI_Bcast(at, count, type, root, comm), "MPI_Bcast", err);
  DAP_TRY(bytes_of(count, type, 1, &bytes, err));
  return left(limit, spread(limit, comm, at, bytes, root, err));
}

/* Elements that each process brings, and their size. */
typedef struct message {
  void *at;
  int count;
  MPI_Datatype type;
  int bytes;
} message;

/* Those of all, on rank 0, become one. */
static dap_status reduce(dap_limit *limit, MPI_Comm comm, const message *m, MPI_Op op, dap_error *err)
{
  int rank = 0, nprocs = 0;
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err));
  DAP_TRY(dap_mpi_check(MPI_Comm_size(comm, &nprocs), "MPI_Comm_size", err));
  char *all = rank == 0 ? malloc((size_t)nprocs * (size_t)m->bytes + 1) : NULL;
  DAP_REQUIRE(rank > 0 || all, err, DAP_ERR_NOMEM, "no memory for messages of %d processes", nprocs);
  dap_status s = collect(limit, comm, m->at, all, m->bytes, err);
  for (int r = 1; r < nprocs && rank == 0 && !s; r++)
    s = dap_mpi_check(MPI_Reduce_local(all + (size_t)r * (size_t)m->bytes, m->at, m->count, m->type, op),
                      "MPI_Reduce_local", err);
  free(all);
  return s;
}

dap_status dap_allreduce(MPI_Comm comm, void *words, int count, MPI_Datatype type, MPI_Op op, dap_error *err)
{
  dap_limit *limit = dap_limit_of(comm);
  message m = {.at = words, .count = count, .type = type};
  if (!limit)
    return dap_mpi_check(MPI_Allreduce(MPI_IN_PLACE, words, count, type, op, comm), "MPI_Allreduce", err);
  DAP_TRY(bytes_of(count, type, 1, &m.bytes, err));
  const dap_status s = reduce(limit, comm, &m, op, err);
  return left(limit, s ? s : spread(limit, comm, words, m.bytes, 0, err));
}

/* ---- each its own ------------------------------------------------------------------------------------- */

/* With `mine` NULL it is in its place already. */
static int allgather(MPI_Comm comm, const void *mine, void *all, int count, MPI_Datatype type)
{
  return mine ? MPI_Allgather(mine, count, type, all, count, type, comm)
              : MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count, type, comm);
}

static dap_status allgather_bytes(dap_limit *limit, MPI_Comm comm, const void *mine, void *all, int bytes,
                                  dap_error *err)
{
  int rank = 0, nprocs = 0;
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err));
  DAP_TRY(dap_mpi_check(MPI_Comm_size(comm, &nprocs), "MPI_Comm_size", err));
  char *place = (char *)all + (size_t)rank * (size_t)bytes;
  if (mine) memcpy(place, mine, (size_t)bytes);
  DAP_TRY(collect(limit, comm, place, all, bytes, err));
  return spread(limit, comm, all, nprocs * bytes, 0, err);
}

dap_status dap_allgather(MPI_Comm comm, const void *mine, void *all, int count, MPI_Datatype type,
                         dap_error *err)
{
  dap_limit *limit = dap_limit_of(comm);
  int bytes;
  if (!limit) return dap_mpi_check(allgather(comm, mine, all, count, type), "MPI_Allgather", err);
  DAP_TRY(bytes_of(count, type, limit->nprocs, &bytes, err)); /* comm may have fewer: the same everywhere */
  return left(limit, allgather_bytes(limit, comm, mine, all, bytes, err));
}

static dap_status gather_parcels(dap_limit *limit, MPI_Comm comm, const dap_gathering *g, dap_error *err)
{
  step s;
  DAP_TRY(begin(limit, comm, &s, err));
  if (s.rank > 0) {
    s.out.from = g->mine;
    s.out.size = (size_t)g->length;
    s.out.bytes[0] = g->length;
  } else {
    s.in.at = g->all;
    s.in.size = (size_t)g->room;
    for (int r = 0; r < s.nprocs; r++) {
      s.in.bytes[r] = g->lengths[r];
      s.in.first[r] = (size_t)g->first[r];
    }
    memcpy(g->all + g->first[0], g->mine, (size_t)g->length);
  }
  return end(&s, run(limit, comm, &s.out, &s.in, err));
}

dap_status dap_gather_bytes(MPI_Comm comm, const dap_gathering *g, dap_error *err)
{
  dap_limit *limit = dap_limit_of(comm);
  if (limit) return left(limit, gather_parcels(limit, comm, g, err));
  return dap_mpi_check(
      MPI_Gatherv(g->mine, g->length, MPI_BYTE, g->all, g->lengths, g->first, MPI_BYTE, 0, comm),
      "MPI_Gatherv", err);
}

/* ---- to each another ---------------------------------------------------------------------------------- */

static dap_status exchange_counts(dap_limit *limit, MPI_Comm comm, const int out[], int in[], dap_error *err)
{
  step s;
  DAP_TRY(begin(limit, comm, &s, err));
  s.out.from = (const char *)out;
  s.in.at = (char *)in;
  fill(&s.out, s.nprocs, (int)sizeof *out, (int)sizeof *out);
  fill(&s.in, s.nprocs, (int)sizeof *in, (int)sizeof *in);
  in[s.rank] = out[s.rank];
  return end(&s, run(limit, comm, &s.out, &s.in, err));
}

dap_status dap_alltoall(MPI_Comm comm, const int out[], int in[], dap_error *err)
{
  dap_limit *limit = dap_limit_of(comm);
  return limit ? left(limit, exchange_counts(limit, comm, out, in, err))
               : dap_mpi_check(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm), "MPI_Alltoall", err);
}

static dap_status list(const dap_words *w, int nprocs, parcels *p, dap_error *err)
{
  p->from = p->at = (char *)w->at;
  for (int r = 0; r < nprocs; r++) {
    DAP_TRY(
        dap_to_int((int64_t)w->count[r] * (int64_t)sizeof *w->at, "bytes of a message", &p->bytes[r], err));
    p->first[r] = (size_t)w->first[r] * sizeof *w->at;
    if (p->bytes[r] > 0) p->size = (size_t)dap_larger((int64_t)p->size, (int64_t)p->first[r] + p->bytes[r]);
  }
  return DAP_OK;
}

static dap_status exchange_words(dap_limit *limit, MPI_Comm comm, const dap_words *out, const dap_words *in,
                                 dap_error *err)
{
  step s;
  DAP_TRY(begin(limit, comm, &s, err));
  dap_status t = list(out, s.nprocs, &s.out, err);
  if (!t) t = list(in, s.nprocs, &s.in, err);
  if (!t && s.in.bytes[s.rank] > 0)
    memcpy(s.in.at + s.in.first[s.rank], s.out.from + s.out.first[s.rank], (size_t)s.in.bytes[s.rank]);
  return end(&s, t ? t : run(limit, comm, &s.out, &s.in, err));
}

dap_status dap_alltoall_words(MPI_Comm comm, const dap_words *out, const dap_words *in, dap_error *err)
{
  dap_limit *limit = dap_limit_of(comm);
  if (limit) return left(limit, exchange_words(limit, comm, out, in, err));
  return dap_mpi_check(MPI_Alltoallv(out->at, out->count, out->first, MPI_INT64_T, in->at, in->count,
                                     in->first, MPI_INT64_T, comm),
                       "MPI_Alltoallv", err);
}

/* ---- before a call that cannot be given up ------------------------------------------------------------ */

dap_status dap_barrier(MPI_Comm comm, dap_error *err)
{
  int64_t word = 0;
  return dap_limit_of(comm) ? dap_allreduce(comm, &word, 1, MPI_INT64_T, MPI_MIN, err) : DAP_OK;
}
