/* Makes the limit of waits that a program or the environment asks for. */
#include "comm_impl.h"

#include <stdlib.h>
#include <string.h>

static const char VARIABLE[] = "DAPBRIDGE_WAIT_LIMIT";

/* Gives `comm` a limit without seconds, which has no effect until the processes have agreed that all have
 * it. */
static dap_status attach(MPI_Comm comm, dap_limit *limit, dap_error *err)
{
  DAP_TRY(dap_comm_private(comm, &limit->comm, err));
  DAP_TRY(dap_mpi_check(MPI_Comm_rank(comm, &limit->rank), "MPI_Comm_rank", err));
  DAP_TRY(dap_mpi_check(MPI_Comm_size(comm, &limit->nprocs), "MPI_Comm_size", err));
  DAP_TRY(dap_limit_share(limit, comm, err));
  dap_context *context = dap_context_find(comm);
  if (!context) return DAP_OK;
  DAP_TRY(dap_limit_share(limit, context->comm, err));
  return dap_limit_share(limit, context->node.comm, err);
}

/* Creates a limit on all processes or on none. After an error, attributes that are set stay without effect
 * until another limit replaces them. */
static dap_status create(MPI_Comm comm, dap_limit **made, dap_error *err)
{
  dap_limit *limit = calloc(1, sizeof *limit);
  dap_status s = limit ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for a limit of waits");
  if (limit) *limit = (dap_limit){.owner = comm, .comm = MPI_COMM_NULL, .missing = -1};
  s = dap_agree(comm, s, err);
  if (!s) s = dap_agree(comm, attach(comm, limit, err), err);
  if (s && limit && limit->users == 0) dap_limit_release(limit);
  *made = s ? NULL : limit;
  return s;
}

dap_status dap_limit_set(MPI_Comm comm, const char *function, double seconds, dap_error *err)
{
  enum { HAS_LIMIT, NO_VARIABLE };
  static const char *const names[] = {"seconds"};
  uint64_t word = 0;
  seconds += 0.0; /* -0 is 0 */
  memcpy(&word, &seconds, sizeof word);
  dap_agreement a = {
      .function = function,
      .words = &word,
      .names = names,
      .count = 1,
      .least = {[HAS_LIMIT] = dap_limit_find(comm) != NULL, [NO_VARIABLE] = !getenv(VARIABLE)}};
  if (!(seconds >= 0)) /* negative, or NaN */
    a.status = dap_fail(err, DAP_ERR_ARG, "seconds must be 0 or more, not %g", seconds);
  DAP_TRY(dap_agree_all(comm, &a, err));
  dap_limit *limit = a.least[HAS_LIMIT] ? dap_limit_find(comm) : NULL;
  /* A limit of 0 seconds is kept so that the environment's is not set, also if only some processes have
   * it. */
  if (!limit && (seconds > 0 || !a.least[NO_VARIABLE])) DAP_TRY(create(comm, &limit, err));
  if (!limit) return DAP_OK;
  limit->seconds = seconds;
  dap_context *context = dap_context_find(comm);
  if (!context) return DAP_OK;
  context->limit = limit;
  if (context->groups.size[0] > 0) limit->groups = &context->groups;
  return DAP_OK;
}

/* ---- DAPBRIDGE_WAIT_LIMIT ------------------------------------------------------------------------------ */

dap_status dap_limit_by_environment(MPI_Comm comm, dap_error *err)
{
  static const char function[] = "dap_wait_limit() by DAPBRIDGE_WAIT_LIMIT";
  double seconds = 0, delay;
  int nprocs = 1;
  if (!getenv(VARIABLE) && !getenv("DAPBRIDGE_WAIT_REPORT")) return DAP_OK;
  if (dap_context_find(comm) || dap_limit_find(comm)) return DAP_OK;
  dap_status s = dap_environment_seconds(VARIABLE, 0, &seconds, err);
  if (!s) s = dap_environment_seconds("DAPBRIDGE_WAIT_REPORT", 0, &delay, err);
  if (s) return dap_agree_all(comm, &(dap_agreement){.function = function, .status = s}, err);
  DAP_TRY(dap_mpi_check(MPI_Comm_size(comm, &nprocs), "MPI_Comm_size", err));
  return seconds > 0 && nprocs > 1 ? dap_limit_set(comm, function, seconds, err) : DAP_OK;
}
