/* Limits how long the collective steps of the core wait on a communicator. A process that gives up finds the
 * missing one by a roll call. From then on processes may be in different steps, so nothing more is done on
 * the communicator. */
#include "comm_impl.h"

#include <stdlib.h>
#include <string.h>

enum { TAG = 0 /* of the roll call; other messages have another one */ };

static const double LONGEST_CALL = 1; /* seconds that a roll call listens; less if the limit is shorter */

/* ---- kept --------------------------------------------------------------------------------------------- */

/* The communicator is left to MPI as MPI ends: then the process's data is gone. It is also left if the limit
 * has expired, as MPI may still send and receive messages there. */
void dap_limit_release(dap_limit *limit)
{
  const bool ends = !dap_self_lock(false);
  dap_self_unlock();
  if (!ends && !limit->is_expired && limit->comm != MPI_COMM_NULL) (void)MPI_Comm_free(&limit->comm);
  free(limit);
}

static int on_delete(MPI_Comm comm, int key, void *attribute, void *extra)
{
  (void)comm, (void)key, (void)extra;
  dap_limit *limit = attribute;
  if (--limit->users == 0) dap_limit_release(limit);
  return MPI_SUCCESS;
}

dap_limit *dap_limit_find(MPI_Comm comm)
{
  const int key = dap_self_key(DAP_KEY_LIMIT);
  void *attribute = NULL;
  int found = 0;
  if (key == MPI_KEYVAL_INVALID || comm == MPI_COMM_NULL) return NULL;
  return MPI_Comm_get_attr(comm, key, &attribute, &found) == MPI_SUCCESS && found ? attribute : NULL;
}

dap_limit *dap_limit_of(MPI_Comm comm)
{
  dap_limit *limit = dap_limit_find(comm);
  return limit && limit->seconds > 0 ? limit : NULL;
}

dap_status dap_limit_share(dap_limit *limit, MPI_Comm comm, dap_error *err)
{
  if (!limit || dap_limit_find(comm) == limit) return DAP_OK;
  const int key = dap_self_make_key(DAP_KEY_LIMIT, MPI_COMM_NULL_COPY_FN, on_delete);
  DAP_REQUIRE(key != MPI_KEYVAL_INVALID, err, DAP_ERR_NOMEM, "no memory for an attribute of a communicator");
  limit->users++;
  const int code = MPI_Comm_set_attr(comm, key, limit);
  if (code != MPI_SUCCESS) limit->users--;
  return dap_mpi_check(code, "MPI_Comm_set_attr", err);
}

void dap_limit_free_comm(MPI_Comm *comm)
{
  const dap_limit *limit = dap_limit_of(*comm);
  if (!limit || !limit->is_expired) (void)MPI_Comm_free(comm);
  *comm = MPI_COMM_NULL;
}

/* ---- a wait -------------------------------------------------------------------------------------------- */

/* Returns the rank of another process that has given up; -1: there is none. Its message stays for the roll
 * call. If MPI fails here, the wait goes on until the limit. */
static int find_caller(const dap_limit *limit)
{
  int is_there = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, limit->comm, &is_there, &status) != MPI_SUCCESS) return -1;
  return is_there ? status.MPI_SOURCE : -1;
}

dap_status dap_limit_check(const dap_limit *limit, dap_error *err)
{
  char name[DAP_RANK_TEXT];
  if (!limit || !limit->is_expired) return DAP_OK;
  dap_groups_rank(limit->groups, -1, limit->missing, name);
  return dap_fail(err, DAP_ERR_LIBRARY,
                  "%s has not answered%s for %g s; no function of the library works on this communicator any "
                  "more",
                  limit->missing < 0 ? "some process" : name, limit->missing < 0 ? " the others" : "",
                  limit->seconds);
}

/* ---- the roll call ------------------------------------------------------------------------------------ */

/* Sends each other process a message without bytes. Processes that wait look for such messages, and join. */
static void call_out(const dap_limit *limit)
{
  for (int rank = 0; rank < limit->nprocs; rank++) {
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == limit->rank) continue;
    (void)MPI_Isend(NULL, 0, MPI_BYTE, rank, TAG, limit->comm, &request);
    if (request != MPI_REQUEST_NULL) (void)MPI_Request_free(&request);
  }
}

/* Receives the message of a process and returns its rank; -1: there is no message now. */
static int hear_one(const dap_limit *limit)
{
  const int rank = find_caller(limit);
  if (rank < 0) return -1;
  return MPI_Recv(NULL, 0, MPI_BYTE, rank, TAG, limit->comm, MPI_STATUS_IGNORE) == MPI_SUCCESS ? rank : -1;
}

/* Returns the lowest rank that is not heard; -1: all are heard, because late ones have come. */
static int find_missing(const dap_limit *limit, bool is_here[])
{
  const double longest = limit->seconds < LONGEST_CALL ? limit->seconds : LONGEST_CALL;
  int missing = 0;
  is_here[limit->rank] = true;
  for (dap_wait wait = {.seconds = longest}; !dap_wait_is_over(&wait);) {
    const int rank = hear_one(limit);
    if (rank >= 0) is_here[rank] = true;
    while (missing < limit->nprocs && is_here[missing]) missing++;
    if (missing == limit->nprocs) return -1;
    if (rank < 0) (void)dap_wait_step(&wait);
  }
  return missing;
}

/* Holds the roll call, and always fails. */
static dap_status end(dap_limit *limit, dap_error *err)
{
  bool *is_here = calloc((size_t)limit->nprocs, sizeof *is_here);
  call_out(limit);
  limit->missing = is_here ? find_missing(limit, is_here) : -1;
  limit->is_expired = true;
  free(is_here);
  return dap_limit_check(limit, err);
}

dap_status dap_limit_step(dap_limit *limit, dap_wait *wait, bool *is_long, dap_error *err)
{
  *is_long = dap_wait_step(wait);
  if (!*is_long || !limit) return DAP_OK;
  wait->seconds = limit->seconds;
  return find_caller(limit) >= 0 || dap_wait_is_over(wait) ? end(limit, err) : DAP_OK;
}
