/* Lists the pieces that this process sends, forwards and receives in two phases. It knows only its own
 * pieces, so each process tells those between about the pieces that they forward. */
#include "two_phase_impl.h"

#include <stdlib.h>

static dap_status add_piece(const dap_plan *plan, int from, int to, int64_t bytes, dap_channel *channel,
                            dap_two_phase_pieces *pieces, dap_error *err)
{
  const int via = dap_two_phase_via(dap_two_phase_columns(plan->nprocs), plan->nprocs, from, to);
  const dap_two_phase_kind kind = from == plan->rank  ? DAP_TWO_PHASE_TO_ROW
                                  : via == plan->rank ? DAP_TWO_PHASE_FROM_ROW
                                                      : DAP_TWO_PHASE_FROM_COLUMN;
  dap_two_phase_piece *all = dap_grow(pieces->all, pieces->count, &pieces->capacity, sizeof *all);
  DAP_REQUIRE(all, err, DAP_ERR_NOMEM, "no memory for %d pieces of messages", pieces->count + 1);
  pieces->all = all;
  pieces->all[pieces->count++] = (dap_two_phase_piece){.kind = kind,
                                                       .peer = kind == DAP_TWO_PHASE_FROM_ROW ? from : via,
                                                       .from = from,
                                                       .to = to,
                                                       .bytes = bytes,
                                                       .channel = channel};
  return DAP_OK;
}

typedef struct announcement {
  const dap_plan *plan;
  int columns;
  dap_two_phase_pieces *pieces;
  dap_status status; /* result for the pieces that others announce */
  dap_error error;
} announcement;

enum { PIECE_TO, PIECE_BYTES, PIECE_WORDS };

/* Announces a piece to the process between. */
static int write_piece(void *context, int64_t i, int64_t words[])
{
  const announcement *a = context;
  const dap_two_phase_piece *piece = &a->pieces->all[i];
  words[PIECE_TO] = piece->to;
  words[PIECE_BYTES] = piece->bytes;
  return dap_two_phase_via(a->columns, a->plan->nprocs, piece->from, piece->to);
}

/* NOLINTNEXTLINE(readability-non-const-parameter): a dap_query's answer, which here is empty */
static void receive_piece(void *context, int from, const int64_t words[], int64_t answer[])
{
  announcement *a = context;
  const int to = (int)words[PIECE_TO];
  (void)answer;
  if (from == a->plan->rank || to == a->plan->rank || a->status) return; /* its own pieces are known */
  a->status = add_piece(a->plan, from, to, words[PIECE_BYTES], NULL, a->pieces, &a->error);
}

/* Receives the pieces that this process forwards. The first `count` pieces are those that it sends.
 * Collective on the plan's communicator; agreed, on `s` too. */
static dap_status exchange_pieces(const dap_plan *plan, int count, dap_status s, dap_two_phase_pieces *pieces,
                                  dap_error *err)
{
  announcement a = {.plan = plan, .columns = dap_two_phase_columns(plan->nprocs), .pieces = pieces};
  const dap_query sent = {.count = count,
                          .question_words = PIECE_WORDS,
                          .context = &a,
                          .question = write_piece,
                          .answer = receive_piece};
  DAP_TRY(dap_agree(plan->context->comm, s, err));
  DAP_TRY(dap_query_all(plan->context->comm, &sent, err));
  if (a.status) *err = a.error;
  return dap_agree(plan->context->comm, a.status, err);
}

/* Returns the number of a rank's process on a side; -1: it has none. */
static int process_of(const dap_layout *layout, const int ranks[], int rank)
{
  int process = ranks ? 0 : rank;
  while (process < layout->nprocs && ranks && ranks[process] != rank) process++;
  return process < layout->nprocs ? process : -1;
}

/* Counts the bytes that one rank has for another: a product of the elements in common along each axis. */
static dap_status count_bytes(const dap_exchange *exchange, int from, int to, int64_t *bytes, dap_error *err)
{
  const dap_problem *problem = exchange->problem;
  const int source = process_of(problem->from.layout, problem->from.ranks, from);
  const int destination = process_of(problem->to.layout, problem->to.ranks, to);
  int p[DAP_MAX_NDIM], q[DAP_MAX_NDIM];
  *bytes = source < 0 || destination < 0 ? 0 : problem->from.item * problem->arrays;
  if (*bytes == 0) return DAP_OK;
  dap_problem_coords(problem, true, source, p);
  dap_problem_coords(problem, false, destination, q);
  for (int k = 0; *bytes > 0 && k < problem->ndim; k++) {
    const dap_axis_part part = {problem->from.start[k], problem->to.start[k], problem->shape[k],
                                exchange->product.region[k]};
    dap_overlap overlap = {0};
    const dap_status s = dap_overlap_create(dap_problem_from_map(problem, k), p[k],
                                            dap_problem_to_map(problem, k), q[k], &part, &overlap, err);
    *bytes *= overlap.elements;
    dap_overlap_release(&overlap);
    DAP_TRY(s);
  }
  return DAP_OK;
}

static int64_t own_bytes(const dap_direction *send, int to)
{
  for (int i = 0; i < send->count; i++)
    if (send->channels[i].rank == to && send->channels[i].transport == DAP_TRANSPORT_MESSAGES)
      return dap_channel_bytes(&send->channels[i]);
  return 0;
}

static dap_status guess_piece(const dap_plan *plan, int from, int to, dap_two_phase_pieces *pieces,
                              dap_error *err)
{
  const dap_exchange *exchange = &plan->schedule.exchanges[0];
  int64_t bytes = 0;
  if (from == plan->rank || to == plan->rank || from == to) return DAP_OK;
  if (dap_problem_has_lists(&plan->problem))
    bytes = own_bytes(&exchange->send, to);
  else
    DAP_TRY(count_bytes(exchange, from, to, &bytes, err));
  return bytes > 0 ? add_piece(plan, from, to, bytes, NULL, pieces, err) : DAP_OK;
}

static dap_status guess_pieces(const dap_plan *plan, dap_two_phase_pieces *pieces, dap_error *err)
{
  const int columns = dap_two_phase_columns(plan->nprocs);
  for (int from = 0; from < plan->nprocs; from++)
    for (int to = plan->rank % columns; to < plan->nprocs; to += columns)
      if (dap_two_phase_via(columns, plan->nprocs, from, to) == plan->rank)
        DAP_TRY(guess_piece(plan, from, to, pieces, err));
  return DAP_OK;
}

dap_status dap_two_phase_pieces_find(const dap_plan *plan, dap_two_phase_pieces *pieces, dap_error *err)
{
  dap_status s = DAP_OK;
  int sent = 0;
  for (dap_channel *channel = NULL; !s && (channel = dap_schedule_next(&plan->schedule, channel));) {
    if (channel->transport != DAP_TRANSPORT_MESSAGES) continue;
    const int from = channel->is_send ? plan->rank : channel->rank;
    const int to = channel->is_send ? channel->rank : plan->rank;
    s = add_piece(plan, from, to, dap_channel_bytes(channel), channel, pieces, err);
    sent += channel->is_send;
  }
  if (plan->context) return exchange_pieces(plan, sent, s, pieces, err);
  return s ? s : guess_pieces(plan, pieces, err);
}
