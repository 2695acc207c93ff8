/* Makes the messages of two phases from pieces, and finds their places in the plan's buffer. First come the
 * messages that this process sends along its row, then those that it receives along its row, then along its
 * column. Messages that it sends along its column consist of pieces of the first two. */
#include "two_phase_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct making {
  dap_plan *plan;
  dap_two_phase_pieces pieces;
  dap_two_phase *two_phase;
  int64_t bytes; /* size of the buffer so far */
} making;

/* Each kind has at most a message for each column, or for each row and those below the last whole one. */
static dap_status create_two_phase(making *m, dap_error *err)
{
  const int most = 2 * dap_two_phase_columns(m->plan->nprocs);
  m->two_phase = calloc(1, sizeof *m->two_phase);
  dap_two_phase_message *all = m->two_phase ? malloc(DAP_TWO_PHASE_KINDS * (size_t)most * sizeof *all) : NULL;
  DAP_REQUIRE(all, err, DAP_ERR_NOMEM, "no memory for messages in two phases");
  m->two_phase->capacity = DAP_TWO_PHASE_KINDS * most;
  for (int kind = 0; kind < DAP_TWO_PHASE_KINDS; kind++) m->two_phase->messages[kind] = all + kind * most;
  return DAP_OK;
}

/* Returns the last message of a kind if it is one with `rank`, else a new one. */
static dap_two_phase_message *message_with(making *m, dap_two_phase_kind kind, int rank)
{
  const int count = m->two_phase->counts[kind];
  dap_two_phase_message *messages = m->two_phase->messages[kind];
  if (count > 0 && messages[count - 1].rank == rank) return &messages[count - 1];
  messages[count] = (dap_two_phase_message){
      .rank = rank, .at = m->bytes, .type = MPI_DATATYPE_NULL, .request = MPI_REQUEST_NULL};
  m->two_phase->counts[kind]++;
  return &messages[count];
}

/* Both ends of a message order its pieces alike. */
static int compare_places(const void *left, const void *right)
{
  const dap_two_phase_piece *a = left, *b = right;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  if (a->peer != b->peer) return a->peer < b->peer ? -1 : 1;
  if (a->from != b->from) return a->from < b->from ? -1 : 1;
  return (a->to > b->to) - (a->to < b->to);
}

static void place_pieces(making *m)
{
  qsort(m->pieces.all, (size_t)m->pieces.count, sizeof *m->pieces.all, compare_places);
  for (int i = 0; i < m->pieces.count; i++) {
    dap_two_phase_piece *piece = &m->pieces.all[i];
    if (piece->peer != m->plan->rank) {
      piece->message = message_with(m, piece->kind, piece->peer);
      piece->message->bytes += piece->bytes;
      piece->message->pieces++;
    }
    piece->at = m->bytes;
    m->bytes += piece->bytes;
  }
}

static int compare_receivers(const void *left, const void *right)
{
  const dap_two_phase_piece *a = left, *b = right;
  if (a->to != b->to) return a->to < b->to ? -1 : 1;
  return (a->from > b->from) - (a->from < b->from);
}

static bool goes_to_column(const making *m, const dap_two_phase_piece *piece)
{
  return piece->to != m->plan->rank &&
         (piece->peer == m->plan->rank || piece->kind == DAP_TWO_PHASE_FROM_ROW);
}

static void add_column(making *m)
{
  qsort(m->pieces.all, (size_t)m->pieces.count, sizeof *m->pieces.all, compare_receivers);
  for (int i = 0; i < m->pieces.count; i++) {
    const dap_two_phase_piece *piece = &m->pieces.all[i];
    if (!goes_to_column(m, piece)) continue;
    dap_two_phase_message *message = message_with(m, DAP_TWO_PHASE_TO_COLUMN, piece->to);
    message->at = 0;
    message->bytes += piece->bytes;
    if (piece->kind == DAP_TWO_PHASE_FROM_ROW) m->two_phase->forwarded += piece->bytes;
  }
}

/* Sets the type of a message to the column: its pieces, from piece *next on. */
static dap_status set_type(const making *m, int lengths[], MPI_Aint at[], int *next,
                           dap_two_phase_message *message, dap_error *err)
{
  int count = 0;
  for (; *next < m->pieces.count && m->pieces.all[*next].to <= message->rank; ++*next) {
    const dap_two_phase_piece *piece = &m->pieces.all[*next];
    if (!goes_to_column(m, piece)) continue;
    lengths[count] = (int)piece->bytes;
    at[count++] = (MPI_Aint)piece->at;
  }
  DAP_TRY(dap_mpi_check(MPI_Type_create_hindexed(count, lengths, at, MPI_BYTE, &message->type),
                        "MPI_Type_create_hindexed", err));
  return dap_mpi_check(MPI_Type_commit(&message->type), "MPI_Type_commit", err);
}

static dap_status set_types(const making *m, dap_error *err)
{
  const dap_two_phase *two_phase = m->plan->two_phase;
  const size_t most = (size_t)m->pieces.count + 1;
  int *lengths = malloc(most * sizeof *lengths), next = 0;
  MPI_Aint *at = malloc(most * sizeof *at);
  dap_status s = lengths && at ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for types of messages");
  for (int i = 0; i < two_phase->counts[DAP_TWO_PHASE_TO_COLUMN] && !s; i++)
    s = set_type(m, lengths, at, &next, &two_phase->messages[DAP_TWO_PHASE_TO_COLUMN][i], err);
  free(lengths);
  free(at);
  return s;
}

static bool fits(const making *m)
{
  const dap_schedule *schedule = &m->plan->schedule;
  const int64_t longest = schedule->longest ? schedule->longest : INT_MAX;
  bool fit = m->bytes + schedule->slots_bytes <= schedule->memory / schedule->passes;
  for (int kind = 0; kind < DAP_TWO_PHASE_KINDS; kind++)
    for (int i = 0; i < m->two_phase->counts[kind]; i++)
      fit = fit && m->two_phase->messages[kind][i].bytes <= longest;
  return fit;
}

static void attach_channel(const dap_plan *plan, const dap_two_phase_piece *piece)
{
  dap_channel *channel = piece->channel;
  dap_tile_whole(channel, &channel->tile);
  channel->chunks = channel->slots = 1;
  channel->chunk_bytes = channel->slot_bytes = piece->bytes;
  free(channel->requests);
  channel->requests = NULL;
  channel->in_two_phases = true;
  channel->message = piece->message;
  channel->base = plan->buffer ? plan->buffer + piece->at : NULL;
}

/* Gives the plan its two phases. Tiles of several channels do not agree any more. */
static void attach(making *m)
{
  dap_plan *plan = m->plan;
  plan->two_phase = m->two_phase;
  m->two_phase = NULL;
  plan->schedule.message_bytes = m->bytes;
  plan->schedule.exchanges[0].is_interleaved = false;
  for (int i = 0; i < m->pieces.count; i++)
    if (m->pieces.all[i].channel) attach_channel(plan, &m->pieces.all[i]);
}

static dap_status replace_buffer(making *m, dap_error *err)
{
  dap_plan *plan = m->plan;
  const size_t bytes = ((size_t)m->bytes + DAP_LINE - 1) / DAP_LINE * DAP_LINE;
  free(plan->buffer);
  plan->buffer = bytes > 0 ? aligned_alloc(DAP_LINE, bytes) : NULL;
  DAP_REQUIRE(plan->buffer || bytes == 0, err, DAP_ERR_NOMEM,
              "no memory for %" PRId64 " bytes of messages in two phases", m->bytes);
  if (bytes > 0) memset(plan->buffer, 0, bytes); /* touches all pages, once */
  attach(m);
  return set_types(m, err);
}

dap_status dap_two_phase_create(dap_plan *plan, const int64_t words[], dap_error *err)
{
  enum { FITS };
  making m = {.plan = plan};
  if (!dap_two_phase_pays(plan, words)) return DAP_OK;
  dap_status s = dap_two_phase_pieces_find(plan, &m.pieces, err);
  if (!s) s = create_two_phase(&m, err);
  if (!s && m.pieces.count > 0) {
    place_pieces(&m);
    add_column(&m);
  }
  dap_agreement a = {.status = s, .least = {[FITS] = !s && fits(&m)}};
  if (plan->context) s = dap_context_agree(plan->context, &a, err);
  if (!s && a.least[FITS] && plan->context)
    s = dap_agree(plan->context->comm, replace_buffer(&m, err), err);
  else if (!s && a.least[FITS])
    attach(&m);
  free(m.pieces.all);
  if (m.two_phase) free(m.two_phase->messages[0]);
  free(m.two_phase);
  return s;
}
