/* Makes MPI's collective calls for the core. On a communicator with a limit of waits (limit.c) they become
 * messages between processes, in one step to rank 0 and one back, because a process can give messages up.
 * MPI's nonblocking collective calls cannot be given up: Open MPI 4.1.4 mixes up other messages then. */
#include "comm_impl.h"

#include <stdlib.h>
#include <string.h>

enum { TAG = 1 /* messages come in the order of the calls */ };

/* The bytes of a message to or from one process; 0 bytes: there is no message. */
typedef struct parcel {
  char *at;
  int bytes;
} parcel;

/* Messages to and from each process. MPI may read and write the buffers of a message that was given up as
 * long as it runs, so messages are copies. They go on the limit's own communicator, so that none is left on
 * the caller's. */
typedef struct exchange {
  dap_left left; /* if it was given up */
  MPI_Comm comm;
  int rank, nprocs, count;
  parcel *out, *in;      /* [nprocs] */
  MPI_Request *requests; /* [2 * nprocs]; the first `count` are in use */
  char *copies;          /* of all bytes that come, then of all bytes that go */
} exchange;

/* ---- one exchange ------------------------------------------------------------------------------------- */

/* Returns the status of a step. If a step fails on a process, for lack of memory or by MPI, messages may be
 * left. Then the process leaves all further collective calls, and the others time out. */
static dap_status left(dap_limit *limit, dap_status status)
{
  if (status) limit->is_expired = true;
  return status;
}

/* Makes an exchange of empty parcels. */
static dap_status begin(dap_limit *limit, MPI_Comm comm, exchange **made, dap_error *err)
{
  int rank = 0, nprocs = 0;
  dap_status s = dap_limit_check(limit, err);
  if (!s) s = dap_mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err);
  if (!s) s = dap_mpi_check(MPI_Comm_size(comm, &nprocs), "MPI_Comm_size", err);
  const size_t each = 2 * (sizeof(parcel) + sizeof(MPI_Request));
  exchange *x = *made = s ? NULL : calloc(1, sizeof *x + (size_t)nprocs * each);
  if (!s && !x) s = dap_fail(err, DAP_ERR_NOMEM, "no memory for messages of %d processes", nprocs);
  if (s) return left(limit, s);
  *x = (exchange){.comm = comm == limit->owner ? limit->comm : comm, .rank = rank, .nprocs = nprocs};
  x->out = (parcel *)(x + 1);
  x->in = x->out + nprocs;
  x->requests = (MPI_Request *)(x->in + nprocs);
  return DAP_OK;
}

/* Copies the parcel that a process has for itself, if it is not in its place yet. */
static void keep_own(exchange *x)
{
  parcel *from = &x->out[x->rank], *to = &x->in[x->rank];
  if (to->bytes > 0) memmove(to->at, from->at, (size_t)to->bytes);
  *from = *to = (parcel){0};
}

/* Returns whether the parcel for a rank needs a copy. The same bytes for several ranks in turn share one. */
static bool is_new(const exchange *x, int rank)
{
  const parcel *own = &x->out[rank], *before = rank > 0 ? own - 1 : NULL;
  return own->bytes > 0 && (!before || before->bytes == 0 || before->at != own->at);
}

static size_t count_bytes(const exchange *x)
{
  size_t bytes = 0;
  for (int r = 0; r < x->nprocs; r++)
    bytes += (size_t)x->in[r].bytes + (is_new(x, r) ? (size_t)x->out[r].bytes : 0);
  return bytes;
}

static dap_status post(exchange *x, dap_error *err)
{
  char *next = x->copies, *copy = NULL;
  for (int r = 0; r < x->nprocs; r++) {
    if (x->in[r].bytes == 0) continue;
    DAP_TRY(
        dap_mpi_check(MPI_Irecv(next, x->in[r].bytes, MPI_BYTE, r, TAG, x->comm, &x->requests[x->count++]),
                      "MPI_Irecv", err));
    next += x->in[r].bytes;
  }
  for (int r = 0; r < x->nprocs; r++) {
    if (x->out[r].bytes == 0) continue;
    if (is_new(x, r)) {
      copy = memcpy(next, x->out[r].at, (size_t)x->out[r].bytes);
      next += x->out[r].bytes;
    }
    DAP_TRY(
        dap_mpi_check(MPI_Isend(copy, x->out[r].bytes, MPI_BYTE, r, TAG, x->comm, &x->requests[x->count++]),
                      "MPI_Isend", err));
  }
  return DAP_OK;
}

static dap_status await(dap_limit *limit, exchange *x, dap_error *err)
{
  int over = 0;
  bool is_long;
  for (dap_wait wait = {0};;) {
    DAP_TRY(
        dap_mpi_check(MPI_Testall(x->count, x->requests, &over, MPI_STATUSES_IGNORE), "MPI_Testall", err));
    if (over) return DAP_OK;
    DAP_TRY(dap_limit_step(limit, &wait, &is_long, err));
  }
}

/* Sends and receives the parcels, and ends the exchange. */
static dap_status run(dap_limit *limit, exchange *x, dap_error *err)
{
  keep_own(x);
  x->copies = malloc(count_bytes(x) + 1);
  dap_status s =
      x->copies ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for messages of %d processes", x->nprocs);
  if (!s) s = post(x, err);
  if (!s) s = await(limit, x, err);
  if (s) {
    dap_self_leave(&x->left);
    return left(limit, s);
  }
  const char *next = x->copies;
  for (int r = 0; r < x->nprocs; next += x->in[r++].bytes)
    if (x->in[r].bytes > 0) memcpy(x->in[r].at, next, (size_t)x->in[r].bytes);
  free(x->copies);
  free(x);
  return DAP_OK;
}

/* ---- to one, and from one ------------------------------------------------------------------------------ */

/* Sends bytes from `root` to all. */
static dap_status spread(dap_limit *limit, MPI_Comm comm, void *at, int bytes, int root, dap_error *err)
{
  exchange *x;
  DAP_TRY(begin(limit, comm, &x, err));
  if (x->rank != root) x->in[root] = (parcel){at, bytes};
  for (int r = 0; r < x->nprocs && x->rank == root; r++) x->out[r] = (parcel){at, bytes};
  return run(limit, x, err);
}

/* Gathers all[nprocs][bytes] on rank 0. `mine` NULL: this process's bytes are in their place in `all`. */
static dap_status collect(dap_limit *limit, MPI_Comm comm, const void *mine, void *all, int bytes,
                          dap_error *err)
{
  exchange *x;
  DAP_TRY(begin(limit, comm, &x, err));
  const size_t step = (size_t)bytes;
  x->out[0] = (parcel){mine ? (char *)mine : (char *)all + step * (size_t)x->rank, bytes};
  for (int r = 0; r < x->nprocs && x->rank == 0; r++)
    x->in[r] = (parcel){(char *)all + step * (size_t)r, bytes};
  return run(limit, x, err);
}

/* Finds the bytes of `count` elements. All `times` that many must fit an int. */
static dap_status bytes_of(int count, MPI_Datatype type, int64_t times, int *bytes, dap_error *err)
{
  int size = 0, all;
  (void)MPI_Type_size(type, &size); /* cannot fail, because the type is MPI's own */
  DAP_TRY(dap_to_int(times * count * size, "bytes of a message", &all, err));
  *bytes = count * size;
  return DAP_OK;
}

/* ---- all the same ------------------------------------------------------------------------------------- */

dap_status dap_bcast(MPI_Comm comm, void *at, int count, MPI_Datatype type, int root, dap_error *err)
{
  dap_limit *limit = dap_limit_of(comm);
  int bytes;
  if (!limit) return dap_mpi_check(MPI_Bcast(at, count, type, root, comm), "MPI_Bcast", err);
  DAP_TRY(bytes_of(count, type, 1, &bytes, err));
  return spread(limit, comm, at, bytes, root, err);
}

/* The elements of a process, and their bytes. */
typedef struct message {
  void *at;
  int count;
  MPI_Datatype type;
  int bytes;
} message;

/* Reduces the messages of all processes to one on rank 0. */
static dap_status reduce(dap_limit *limit, MPI_Comm comm, const message *m, MPI_Op op, dap_error *err)
{
  int rank = 0, nprocs = 0;
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank", err));
  DAP_TRY(dap_mpi_check(MPI_Comm_size(comm, &nprocs), "MPI_Comm_size", err));
  char *all = rank == 0 ? malloc((size_t)nprocs * (size_t)m->bytes + 1) : NULL;
  dap_status s = rank > 0 || all
                     ? DAP_OK
                     : dap_fail(err, DAP_ERR_NOMEM, "no memory for messages of %d processes", nprocs);
  if (!s) s = collect(limit, comm, m->at, all, m->bytes, err);
  for (int r = 1; r < nprocs && rank == 0 && !s; r++)
    s = dap_mpi_check(MPI_Reduce_local(all + (size_t)r * (size_t)m->bytes, m->at, m->count, m->type, op),
                      "MPI_Reduce_local", err);
  free(all);
  return left(limit, s);
}

dap_status dap_allreduce(MPI_Comm comm, void *words, int count, MPI_Datatype type, MPI_Op op, dap_error *err)
{
  dap_limit *limit = dap_limit_of(comm);
  message m = {.at = words, .count = count, .type = type};
  if (!limit)
    return dap_mpi_check(MPI_Allreduce(MPI_IN_PLACE, words, count, type, op, comm), "MPI_Allreduce", err);
  DAP_TRY(bytes_of(count, type, 1, &m.bytes, err));
  DAP_TRY(reduce(limit, comm, &m, op, err));
  return spread(limit, comm, words, m.bytes, 0, err);
}

/* ---- each its own ------------------------------------------------------------------------------------- */

static int allgather(MPI_Comm comm, const void *mine, void *all, int count, MPI_Datatype type)
{
  return mine ? MPI_Allgather(mine, count, type, all, count, type, comm)
              : MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count, type, comm);
}

dap_status dap_allgather(MPI_Comm comm, const void *mine, void *all, int count, MPI_Datatype type,
                         dap_error *err)
{
  dap_limit *limit = dap_limit_of(comm);
  int bytes, nprocs = 0;
  if (!limit) return dap_mpi_check(allgather(comm, mine, all, count, type), "MPI_Allgather", err);
  DAP_TRY(bytes_of(count, type, limit->nprocs, &bytes, err)); /* an upper bound for `comm` */
  DAP_TRY(left(limit, dap_mpi_check(MPI_Comm_size(comm, &nprocs), "MPI_Comm_size", err)));
  DAP_TRY(collect(limit, comm, mine, all, bytes, err));
  return spread(limit, comm, all, nprocs * bytes, 0, err);
}

dap_status dap_gather_bytes(MPI_Comm comm, const dap_gathering *g, dap_error *err)
{
  dap_limit *limit = dap_limit_of(comm);
  exchange *x;
  if (!limit)
    return dap_mpi_check(
        MPI_Gatherv(g->mine, g->length, MPI_BYTE, g->all, g->lengths, g->first, MPI_BYTE, 0, comm),
        "MPI_Gatherv", err);
  DAP_TRY(begin(limit, comm, &x, err));
  x->out[0] = (parcel){(char *)g->mine, g->length};
  for (int r = 0; r < x->nprocs && x->rank == 0; r++)
    x->in[r] = (parcel){g->all + g->first[r], g->lengths[r]};
  return run(limit, x, err);
}

/* ---- to each other process ---------------------------------------------------------------------------- */

/* NOLINTNEXTLINE(readability-non-const-parameter): parcels write the received counts to `in` */
dap_status dap_alltoall(MPI_Comm comm, const int out[], int in[], dap_error *err)
{
  dap_limit *limit = dap_limit_of(comm);
  exchange *x;
  if (!limit) return dap_mpi_check(MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm), "MPI_Alltoall", err);
  DAP_TRY(begin(limit, comm, &x, err));
  for (int r = 0; r < x->nprocs; r++) {
    x->out[r] = (parcel){(char *)&out[r], (int)sizeof *out};
    x->in[r] = (parcel){(char *)&in[r], (int)sizeof *in};
  }
  return run(limit, x, err);
}

static dap_status list(const dap_words *w, int nprocs, parcel parcels[], dap_error *err)
{
  for (int r = 0; r < nprocs; r++) {
    const int64_t bytes = (int64_t)w->count[r] * (int64_t)sizeof *w->at;
    DAP_TRY(dap_to_int(bytes, "bytes of a message", &parcels[r].bytes, err));
    parcels[r].at = (char *)(w->at + w->first[r]);
  }
  return DAP_OK;
}

dap_status dap_alltoall_words(MPI_Comm comm, const dap_words *out, const dap_words *in, dap_error *err)
{
  dap_limit *limit = dap_limit_of(comm);
  exchange *x;
  if (!limit)
    return dap_mpi_check(MPI_Alltoallv(out->at, out->count, out->first, MPI_INT64_T, in->at, in->count,
                                       in->first, MPI_INT64_T, comm),
                         "MPI_Alltoallv", err);
  DAP_TRY(begin(limit, comm, &x, err));
  dap_status s = list(out, x->nprocs, x->out, err);
  if (!s) s = list(in, x->nprocs, x->in, err);
  if (!s) return run(limit, x, err);
  free(x);
  return left(limit, s);
}

/* ---- before a call that cannot be given up ------------------------------------------------------------ */

dap_status dap_barrier(MPI_Comm comm, dap_error *err)
{
  int64_t word = 0;
  return dap_limit_of(comm) ? dap_allreduce(comm, &word, 1, MPI_INT64_T, MPI_MIN, err) : DAP_OK;
}
