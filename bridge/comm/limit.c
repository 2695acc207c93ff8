/* Limits of waits: how long the collective steps of the core wait on a communicator, and what is done when
 * some process has not answered in time.
 *
 * Who gives up holds a roll call: by a message without bytes it tells each other process that it is here, and
 * listens for theirs for a while. Processes that wait look for such messages, and join. Who is not heard of
 * is missing. From then on processes may be in different steps, so nothing more is done on the
 * communicator. */
#include "comm_impl.h"

#include <stdlib.h>
#include <string.h>

enum { TAG = 0 /* of the roll call, which alone sends messages there */ };

static const double LONGEST_CALL = 1; /* seconds that a roll call listens, or as long as a wait lasts */

/* ---- kept --------------------------------------------------------------------------------------------- */

/* As MPI ends, which then has the process's lists no more, the communicator is MPI's affair. With a broken
 * one it is so, too: of what is under way there MPI may still send and receive something. */
static void release(dap_limit *limit)
{
  const bool ends = !dap_self_lock(false);
  dap_self_unlock();
  if (!ends && !limit->is_over && limit->comm != MPI_COMM_NULL) (void)MPI_Comm_free(&limit->comm);
  free(limit);
}

static int let_go(MPI_Comm comm, int key, void *attribute, void *extra)
{
  (void)comm, (void)key, (void)extra;
  dap_limit *limit = attribute;
  if (--limit->users == 0) release(limit);
  return MPI_SUCCESS;
}

/* The key lives until MPI_Finalize. */
static int limit_key(bool make)
{
  dap_self *self = dap_self_lock(make);
  if (self && make && self->limit_key == MPI_KEYVAL_INVALID &&
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, let_go, &self->limit_key, NULL) != MPI_SUCCESS)
    self->limit_key = MPI_KEYVAL_INVALID;
  const int key = self ? self->limit_key : MPI_KEYVAL_INVALID;
  dap_self_unlock();
  return key;
}

static dap_limit *find(MPI_Comm comm)
{
  const int key = limit_key(false);
  void *attribute = NULL;
  int found = 0;
  if (key == MPI_KEYVAL_INVALID || comm == MPI_COMM_NULL) return NULL;
  return MPI_Comm_get_attr(comm, key, &attribute, &found) == MPI_SUCCESS && found ? attribute : NULL;
}

dap_limit *dap_limit_of(MPI_Comm comm)
{
  dap_limit *limit = find(comm);
  return limit && limit->seconds > 0 ? limit : NULL;
}

dap_status dap_limit_share(dap_limit *limit, MPI_Comm comm, dap_error *err)
{
  if (!limit || find(comm) == limit) return DAP_OK;
  limit->users++;
  const int code = MPI_Comm_set_attr(comm, limit_key(false), limit);
  if (code != MPI_SUCCESS) limit->users--;
  return dap_mpi_check(code, "MPI_Comm_set_attr", err);
}

void dap_limit_free_comm(MPI_Comm *comm)
{
  const dap_limit *limit = dap_limit_of(*comm);
  if (!limit || !limit->is_over) (void)MPI_Comm_free(comm);
  *comm = MPI_COMM_NULL;
}

/* ---- a wait -------------------------------------------------------------------------------------------- */

bool dap_wait_goes_on(double seconds, double *since)
{
  if (seconds <= 0) return true;
  const double now = MPI_Wtime();
  if (*since <= 0) *since = now;
  return now - *since < seconds;
}

/* Whether another process has given up: its message stays for the roll call. If MPI fails, time will tell. */
static bool is_called(const dap_limit *limit)
{
  int is_there = 0;
  return MPI_Iprobe(MPI_ANY_SOURCE, TAG, limit->comm, &is_there, MPI_STATUS_IGNORE) == MPI_SUCCESS &&
         is_there;
}

bool dap_limit_lasts(const dap_limit *limit, double *since)
{
  return !limit || (!is_called(limit) && dap_wait_goes_on(limit->seconds, since));
}

dap_status dap_limit_check(const dap_limit *limit, dap_error *err)
{
  static const char after[] = "no function of the library works on this communicator any more";
  if (!limit || !limit->is_over) return DAP_OK;
  if (limit->missing >= 0)
    return dap_fail(err, DAP_ERR_LIBRARY, "rank %d has not answered for %g s; %s", limit->missing,
                    limit->seconds, after);
  return dap_fail(err, DAP_ERR_LIBRARY, "some process has not answered the others for %g s; %s",
                  limit->seconds, after);
}

/* ---- the roll call ------------------------------------------------------------------------------------ */

static void call_out(const dap_limit *limit)
{
  for (int rank = 0; rank < limit->nprocs; rank++) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == limit->rank) continue;
    (void)MPI_Isend(NULL, 0, MPI_BYTE, rank, TAG, limit->comm, &request);
    if (request != MPI_REQUEST_NULL) (void)MPI_Request_free(&request);
  }
}

/* The rank of one that is there; -1: none is heard for now. */
static int hear_one(const dap_limit *limit)
{
  int is_there = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, limit->comm, &is_there, &status) != MPI_SUCCESS || !is_there) return -1;
  const int rank = status.MPI_SOURCE;
  return MPI_Recv(NULL, 0, MPI_BYTE, rank, TAG, limit->comm, MPI_STATUS_IGNORE) == MPI_SUCCESS ? rank : -1;
}

/* The lowest rank that is not there; -1: all are, as who was late has come meanwhile. */
static int find_missing(const dap_limit *limit, bool is_here[])
{
  const double longest = limit->seconds < LONGEST_CALL ? limit->seconds : LONGEST_CALL;
  int spins = 0, missing = 0;
  is_here[limit->rank] = true;
  for (double since = 0; dap_wait_goes_on(longest, &since);) {
    const int rank = hear_one(limit);
    if (rank >= 0) is_here[rank] = true;
    while (missing < limit->nprocs && is_here[missing]) missing++;
    if (missing == limit->nprocs) return -1;
    if (rank < 0) (void)dap_relax(&spins);
  }
  return missing;
}

dap_status dap_limit_end(dap_limit *limit, dap_error *err)
{
  bool *is_here = calloc((size_t)limit->nprocs, sizeof *is_here);
  call_out(limit);
  limit->missing = is_here ? find_missing(limit, is_here) : -1;
  limit->is_over = true;
  free(is_here);
  return dap_limit_check(limit, err);
}

/* ---- made --------------------------------------------------------------------------------------------- */

/* It has no seconds yet, and so is none: the processes first agree on whether all have it. */
static dap_status make(MPI_Comm comm, dap_limit **made, dap_error *err)
{
  dap_limit *limit = *made;
  DAP_TRY(dap_comm_private(comm, &limit->comm, err));
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(comm, &limit->rank), "MPI_Comm_rank", err));
  DAP_TRY(dap_mpi_check(MPI_Comm_size(comm, &limit->nprocs), "MPI_Comm_size", err));
  DAP_TRY(dap_limit_share(limit, comm, err));
  dap_context *context = dap_context_find(comm);
  if (!context) return DAP_OK;
  DAP_TRY(dap_limit_share(limit, context->comm, err));
  return dap_limit_share(limit, context->node.comm, err);
}

static dap_status create(MPI_Comm comm, dap_limit **made, dap_error *err)
{
  dap_limit *limit = *made = calloc(1, sizeof *limit);
  dap_status s = limit ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a limit of waits");
  if (limit) *limit = (dap_limit){.owner = comm, .comm = MPI_COMM_NULL, .missing = -1};
  if (!s && limit_key(true) == MPI_KEYVAL_INVALID)
    s = dap_fail(err, DAP_ERR_NOMEM, "no memory for an attribute of a communicator");
  s = dap_agree(comm, s, err);
  return s ? s : dap_agree(comm, make(comm, made, err), err);
}

/* Attributes that are set by now stay, and are of no effect until the next one takes their place. */
static dap_status start(MPI_Comm comm, dap_limit **limit, dap_error *err)
{
  const dap_status s = create(comm, limit, err);
  if (s && *limit && (*limit)->users == 0) release(*limit);
  if (s) *limit = NULL;
  return s;
}

dap_status dap_wait_limit(MPI_Comm comm, double seconds, dap_error *err)
{
  static const char *const names[] = {"seconds"};
  dap_error own = {0};
  uint64_t word = 0;
  err = err ? err : &own;
  DAP_TRY(dap_comm_check(comm, err));
  seconds += 0.0; /* -0 is 0 */
  memcpy(&word, &seconds, sizeof word);
  dap_agreement a = {.function = "dap_wait_limit",
                     .words = &word,
                     .names = names,
                     .count = 1,
                     .least = {find(comm) != NULL}};
  if (!(seconds >= 0)) /* nor a number that is none */
    a.status = dap_fail(err, DAP_ERR_ARG, "seconds %g is negative, or no number", seconds);
  DAP_TRY(dap_agree_all(comm, &a, err));
  dap_limit *limit = a.least[0] ? find(comm) : NULL;
  if (!limit && seconds > 0) DAP_TRY(start(comm, &limit, err));
  if (!limit) return DAP_OK;
  limit->seconds = seconds;
  dap_context *context = dap_context_find(comm);
  if (context) context->limit = limit;
  return DAP_OK;
}
