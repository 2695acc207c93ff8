/* The limit of waits that a program asks for. */
#include "comm_impl.h"

#include <stdlib.h>
#include <string.h>

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
  s = dap_agree(comm, s, err);
  return s ? s : dap_agree(comm, make(comm, made, err), err);
}

/* Attributes that are set by now stay, and are of no effect until the next one takes their place. */
static dap_status start(MPI_Comm comm, dap_limit **limit, dap_error *err)
{
  const dap_status s = create(comm, limit, err);
  if (s && *limit && (*limit)->users == 0) dap_limit_release(*limit);
  if (s) *limit = NULL;
  return s;
}

static dap_status set(MPI_Comm comm, double seconds, dap_error *err)
{
  enum { HAS_LIMIT };
  static const char *const names[] = {"seconds"};
  uint64_t word = 0;
  seconds += 0.0; /* -0 is 0 */
  memcpy(&word, &seconds, sizeof word);
  dap_agreement a = {.function = "dap_wait_limit",
                     .words = &word,
                     .names = names,
                     .count = 1,
                     .least = {[HAS_LIMIT] = dap_limit_find(comm) != NULL}};
  if (!(seconds >= 0)) /* nor a number that is none */
    a.status = dap_fail(err, DAP_ERR_ARG, "seconds %g is negative, or no number", seconds);
  DAP_TRY(dap_agree_all(comm, &a, err));
  dap_limit *limit = a.least[HAS_LIMIT] ? dap_limit_find(comm) : NULL;
  if (!limit && seconds > 0) DAP_TRY(start(comm, &limit, err));
  if (!limit) return DAP_OK;
  limit->seconds = seconds;
  dap_context *context = dap_context_find(comm);
  if (!context) return DAP_OK;
  context->limit = limit;
  if (context->groups.ranks[0]) limit->groups = &context->groups;
  return DAP_OK;
}

/* Both groups have one communicator inside, which takes the limit. */
static dap_status set_between(MPI_Comm inter, double seconds, dap_error *err)
{
  dap_context *context;
  DAP_TRY(dap_context_get_any(inter, "dap_wait_limit", &context, err));
  const dap_status s = set(context->comm, seconds, err);
  if (s) dap_groups_name(&context->groups, -1, err);
  dap_context_release(&context);
  return s;
}

dap_status dap_wait_limit(MPI_Comm comm, double seconds, dap_error *err)
{
  dap_error own = {0};
  bool is_inter = false;
  err = err ? err : &own;
  DAP_TRY(dap_comm_is_inter(comm, &is_inter, err));
  return is_inter ? set_between(comm, seconds, err) : set(comm, seconds, err);
}
