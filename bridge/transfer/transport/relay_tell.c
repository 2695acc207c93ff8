/* Two phases: what others send by way of this process. */
#include "relay_impl.h"

#include <stdlib.h>

/* ---- told ------------------------------------------------------------------------------------------- */

typedef struct telling {
  const dap_plan *plan;
  int columns;
  const dap_channel **channels; /* [count] whose pieces go by way of others */
  dap_relay_load *load;
} telling;

static int via_of(const telling *t, const dap_channel *channel)
{
  return dap_relay_via(t->columns, t->plan->nprocs, t->plan->rank, channel->rank);
}

/* To the process that a piece goes by way of: for whom it is, and its bytes. */
static int ask(void *context, int64_t i, int64_t question[])
{
  const telling *t = context;
  question[0] = t->channels[i]->rank;
  question[1] = dap_relay_bytes(t->channels[i]);
  return via_of(t, t->channels[i]);
}

/* Sources are one rank after the other, and targets a column. */
/* NOLINTNEXTLINE(readability-non-const-parameter): a dap_query's answer, which here is empty */
static void answer(void *context, int from, const int64_t question[], int64_t reply[])
{
  const telling *t = context;
  const int64_t i = from - t->load->sources[0], j = question[0] / t->columns;
  (void)reply;
  t->load->bytes[i * t->load->target_count + j] = question[1];
}

static dap_status find_channels(telling *t, int64_t *count, dap_error *err)
{
  const dap_direction *send = &t->plan->schedule.exchanges[0].send;
  t->channels = malloc((size_t)(send->count + 1) * sizeof(dap_channel *));
  DAP_REQUIRE(t->channels, err, DAP_ERR_NOMEM, "no memory to tell of %d pieces", send->count);
  for (int i = 0; i < send->count; i++) {
    const dap_channel *channel = &send->channels[i];
    if (channel->transport == DAP_TRANSPORT_MESSAGES && via_of(t, channel) != t->plan->rank)
      t->channels[(*count)++] = channel;
  }
  return DAP_OK;
}

dap_status dap_relay_tell(const dap_plan *plan, dap_relay_load *load, dap_error *err)
{
  telling t = {.plan = plan, .columns = dap_relay_columns(plan->nprocs), .load = load};
  dap_query pieces = {.question_words = 2, .context = &t, .question = ask, .answer = answer};
  dap_status s = dap_relay_load_create(plan, load, err);
  if (!s) s = find_channels(&t, &pieces.count, err);
  s = dap_agree(plan->context->comm, s, err);
  if (!s) s = dap_query_all(plan->context->comm, &pieces, err);
  free(t.channels);
  return s;
}

/* ---- found alone ------------------------------------------------------------------------------------ */

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
    const dap_axis_part part = {problem->from_start[k], problem->to_start[k], problem->shape[k],
                                exchange->region[k]};
    dap_overlap overlap = {0};
    const dap_status s = dap_overlap_create(dap_problem_from_map(problem, k), p[k],
                                            dap_problem_to_map(problem, k), q[k], &part, &overlap, err);
    *bytes *= overlap.elements;
    dap_overlap_release(&overlap);
    DAP_TRY(s);
  }
  return DAP_OK;
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
  if (!dap_problem_has_lists(problem))
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
