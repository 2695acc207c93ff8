/* Two phases: what others send by way of this process. */
#include "transport_impl.h"

#include <stdlib.h>

enum { TAG = 1 /* of those that are free */ };

/* ---- told ------------------------------------------------------------------------------------------- */

/* What this process sends by way of each of its row: [columns][rows] bytes, by the receiver's place. */
static int64_t *find_own(const dap_plan *plan, int columns, int rows)
{
  const dap_direction *send = &plan->schedule.exchanges[0].send;
  int64_t *own = calloc((size_t)columns * (size_t)rows, sizeof *own);
  for (int i = 0; own && i < send->count; i++) {
    const dap_channel *channel = &send->channels[i];
    if (channel->transport == DAP_TRANSPORT_MESSAGES)
      own[channel->rank % columns * rows + channel->rank / columns] = dap_relay_bytes(channel);
  }
  return own;
}

/* The first that went wrong. */
static void keep(dap_status *s, int code, const char *what, dap_error *err)
{
  const dap_status now = dap_mpi_check(code, what, *s ? NULL : err);
  if (!*s) *s = now;
}

/* Requests [columns] are those of sends. What goes wrong ends nothing: others wait for the rest. */
static dap_status tell(const dap_plan *plan, int columns, int rows, const int64_t own[],
                       const dap_relay_load *load, MPI_Request requests[], dap_error *err)
{
  MPI_Comm comm = plan->context->comm;
  dap_status s = DAP_OK;
  for (int c = 0; c < columns; c++) {
    const int via = dap_relay_via(columns, plan->nprocs, plan->rank, c);
    const int count = (plan->nprocs - c + columns - 1) / columns;
    if (via != plan->rank)
      keep(&s, MPI_Isend(own + c * rows, count, MPI_INT64_T, via, TAG, comm, &requests[c]), "MPI_Isend", err);
  }
  for (int i = 0; i < load->source_count; i++)
    if (load->sources[i] != plan->rank)
      keep(&s,
           MPI_Recv(load->bytes + i * load->target_count, load->target_count, MPI_INT64_T, load->sources[i],
                    TAG, comm, MPI_STATUS_IGNORE),
           "MPI_Recv", err);
  keep(&s, MPI_Waitall(columns, requests, MPI_STATUSES_IGNORE), "MPI_Waitall", err);
  return s;
}

dap_status dap_relay_tell(const dap_plan *plan, dap_relay_load *load, dap_error *err)
{
  const int columns = dap_relay_columns(plan->nprocs), rows = (plan->nprocs + columns - 1) / columns;
  int64_t *own = find_own(plan, columns, rows);
  MPI_Request *requests = malloc((size_t)columns * sizeof *requests);
  dap_status s = own && requests ? dap_relay_load_create(plan, load, err)
                                 : dap_fail(err, DAP_ERR_NOMEM, "no memory to tell %d processes", columns);
  s = dap_agree(plan->context->comm, s, err);
  for (int c = 0; c < columns && !s; c++) requests[c] = MPI_REQUEST_NULL;
  if (!s) s = tell(plan, columns, rows, own, load, requests, err);
  free(own);
  free(requests);
  return s;
}

/* ---- found alone -------------------------------------------------------------------------------------- */

/* The number of a rank's process on a side; -1: it has none. */
static int process_of(const dap_layout *layout, const int ranks[], int rank)
{
  int process = ranks ? 0 : rank;
  while (process < layout->nprocs && ranks && ranks[process] != rank) process++;
  return process < layout->nprocs ? process : -1;
}

/* What two processes share, as a product of what they share along each axis. */
static dap_status count_bytes(const dap_exchange *exchange, int from, int to, int64_t *bytes, dap_error *err)
{
  const dap_problem *problem = exchange->problem;
  int p[DAP_MAX_NDIM], q[DAP_MAX_NDIM];
  *bytes = from < 0 || to < 0 ? 0 : problem->from_item * problem->arrays;
  if (*bytes == 0) return DAP_OK;
  dap_problem_coords(problem, true, from, p);
  dap_problem_coords(problem, false, to, q);
  for (int k = 0; k < problem->ndim && (*bytes) > 0; k++) {
    const dap_axis_part part = {problem->from_start[k], problem->to_start[k], problem->shape[k]};
    dap_overlap overlap = {0};
    const dap_status s =
        dap_overlap_create(dap_problem_from_map(problem, k), p[k], dap_problem_to_map(problem, k), q[k],
                           &part, exchange->region[k], &overlap, err);
    *bytes *= overlap.elements;
    dap_overlap_release(&overlap);
    DAP_TRY(s);
  }
  return DAP_OK;
}

static bool is_known(const dap_problem *problem)
{
  bool known = true;
  for (int k = 0; k < problem->ndim; k++) known = known && !dap_problem_is_listed(problem, k);
  return known;
}

/* What comes from a source to this process that is known in any case. */
static int64_t bytes_from(const dap_plan *plan, int rank)
{
  const dap_direction *receive = &plan->schedule.exchanges[0].receive;
  for (int i = 0; i < receive->count; i++)
    if (receive->channels[i].rank == rank) return dap_relay_bytes(&receive->channels[i]);
  return 0;
}

static dap_status guess_one(const dap_plan *plan, int i, int own, int j, dap_relay_load *load, dap_error *err)
{
  const dap_problem *problem = &plan->problem;
  const int source = load->sources[i], target = load->targets[j];
  int64_t *bytes = &load->bytes[i * load->target_count + j];
  if (source == target) return DAP_OK;
  if (is_known(problem))
    return count_bytes(&plan->schedule.exchanges[0], process_of(problem->from, problem->from_ranks, source),
                       process_of(problem->to, problem->to_ranks, target), bytes, err);
  *bytes = target == plan->rank ? bytes_from(plan, source) : load->bytes[own * load->target_count + j];
  return DAP_OK;
}

dap_status dap_relay_guess(const dap_plan *plan, dap_relay_load *load, dap_error *err)
{
  int own = 0;
  DAP_TRY(dap_relay_load_create(plan, load, err));
  while (load->sources[own] != plan->rank) own++;
  for (int i = 0; i < load->source_count; i++)
    for (int j = 0; j < load->target_count && i != own; j++) DAP_TRY(guess_one(plan, i, own, j, load, err));
  return DAP_OK;
}
