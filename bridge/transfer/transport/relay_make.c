/* Two phases: which messages a process has in each, and where their pieces lie in the plan's buffer: first
 * those that it sends, by the process that they go by way of; then what comes along its row; then along its
 * column. */
#include "relay_impl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What one channel has. */
typedef struct piece {
  int via;
  dap_channel *channel;
  dap_relay_message *message; /* NULL: none yet, or at all */
  int64_t at;
} piece;

typedef struct making {
  dap_plan *plan;
  dap_relay_load load;
  dap_relay *relay;
  piece *sent, *received; /* [sent_count], [received_count] by via, then by rank */
  int sent_count, received_count;
  int64_t bytes; /* of the buffer so far */
} making;

/* ---- pieces ------------------------------------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
  const piece *a = left, *b = right;
  if (a->via != b->via) return a->via < b->via ? -1 : 1;
  return a->channel->rank < b->channel->rank ? -1 : 1;
}

static dap_status find_pieces(const dap_plan *plan, dap_direction *direction, piece **pieces, int *count,
                              dap_error *err)
{
  const int columns = dap_relay_columns(plan->nprocs);
  *pieces = malloc((size_t)(direction->count + 1) * sizeof **pieces);
  DAP_REQUIRE(*pieces, err, DAP_ERR_NOMEM, "no memory for %d pieces of messages", direction->count);
  for (int i = 0; i < direction->count; i++) {
    dap_channel *channel = &direction->channels[i];
    if (channel->transport != DAP_TRANSPORT_MESSAGES) continue;
    const int via = channel->is_send ? dap_relay_via(columns, plan->nprocs, plan->rank, channel->rank)
                                     : dap_relay_via(columns, plan->nprocs, channel->rank, plan->rank);
    (*pieces)[(*count)++] = (piece){.via = via, .channel = channel};
  }
  qsort(*pieces, (size_t)*count, sizeof **pieces, compare);
  return DAP_OK;
}

/* ---- messages ----------------------------------------------------------------------------------------- */

/* At most as many of each kind as the grid has columns, or rows; from a row below, too. */
static dap_status create_relay(making *m, dap_error *err)
{
  const int most = 2 * dap_relay_columns(m->plan->nprocs);
  m->relay = calloc(1, sizeof *m->relay);
  dap_relay_message *all = m->relay ? malloc(DAP_RELAY_KINDS * (size_t)most * sizeof *all) : NULL;
  DAP_REQUIRE(all, err, DAP_ERR_NOMEM, "no memory for messages in two phases");
  m->relay->capacity = DAP_RELAY_KINDS * most;
  for (int kind = 0; kind < DAP_RELAY_KINDS; kind++) m->relay->messages[kind] = all + kind * most;
  return DAP_OK;
}

static dap_relay_message *add_message(making *m, dap_relay_kind kind, int rank)
{
  dap_relay_message *message = &m->relay->messages[kind][m->relay->counts[kind]++];
  *message = (dap_relay_message){
      .rank = rank, .at = m->bytes, .type = MPI_DATATYPE_NULL, .request = MPI_REQUEST_NULL};
  return message;
}

/* Pieces of one via are one message, but for those of which this process is the via. */
static void add_pieces(making *m, dap_relay_kind kind, piece pieces[], int count)
{
  dap_relay_message *message = NULL;
  for (int i = 0; i < count; i++) {
    const int64_t bytes = dap_relay_bytes(pieces[i].channel);
    const bool is_own = pieces[i].via == m->plan->rank;
    if (is_own && kind == DAP_RELAY_FROM_COLUMN) continue; /* they come along the row */
    if (!is_own && (!message || message->rank != pieces[i].via))
      message = add_message(m, kind, pieces[i].via);
    pieces[i].at = m->bytes;
    m->bytes += bytes;
    if (is_own) continue;
    pieces[i].message = message;
    message->bytes += bytes;
    message->pieces++;
  }
}

/* The first of the pieces of which this process is the via. */
static piece *first_own(const making *m, piece pieces[], int count)
{
  piece *own = pieces;
  while (own < pieces + count && own->via != m->plan->rank) own++;
  return own;
}

/* Where this process's own pieces for its column are. */
static void place_own(const making *m, int source)
{
  const piece *end = m->sent + m->sent_count;
  int64_t *at = m->load.at + source * m->load.target_count;
  int j = 0;
  for (const piece *own = first_own(m, m->sent, m->sent_count); own < end && own->via == m->plan->rank;
       own++) {
    while (m->load.targets[j] != own->channel->rank) j++;
    at[j] = own->at;
  }
}

/* Pieces for this process are in the order of their senders. */
static void add_row(making *m)
{
  const dap_relay_load *load = &m->load;
  piece *own = first_own(m, m->received, m->received_count);
  for (int i = 0; i < load->source_count; i++) {
    dap_relay_message *message = NULL;
    if (load->sources[i] == m->plan->rank) {
      place_own(m, i);
      continue;
    }
    for (int j = 0; j < load->target_count; j++) {
      const int64_t bytes = load->bytes[i * load->target_count + j];
      if (bytes == 0) continue;
      if (!message) message = add_message(m, DAP_RELAY_FROM_ROW, load->sources[i]);
      load->at[i * load->target_count + j] = m->bytes;
      if (load->targets[j] == m->plan->rank) {
        own->message = message;
        own++->at = m->bytes;
      } else
        m->relay->handed_on += bytes;
      message->bytes += bytes;
      m->bytes += bytes;
    }
  }
}

static void add_column(making *m)
{
  const dap_relay_load *load = &m->load;
  for (int j = 0; j < load->target_count; j++) {
    int64_t bytes = 0;
    for (int i = 0; i < load->source_count; i++) bytes += load->bytes[i * load->target_count + j];
    if (bytes == 0 || load->targets[j] == m->plan->rank) continue;
    dap_relay_message *message = add_message(m, DAP_RELAY_TO_COLUMN, load->targets[j]);
    message->at = 0;
    message->bytes = bytes;
  }
}

static dap_status lay_out(making *m, dap_error *err)
{
  dap_exchange *exchange = &m->plan->schedule.exchanges[0];
  DAP_TRY(create_relay(m, err));
  DAP_TRY(find_pieces(m->plan, &exchange->send, &m->sent, &m->sent_count, err));
  DAP_TRY(find_pieces(m->plan, &exchange->receive, &m->received, &m->received_count, err));
  add_pieces(m, DAP_RELAY_TO_ROW, m->sent, m->sent_count);
  add_row(m);
  add_column(m);
  add_pieces(m, DAP_RELAY_FROM_COLUMN, m->received, m->received_count);
  return DAP_OK;
}

/* ---- taken -------------------------------------------------------------------------------------------- */

static bool fits(const making *m, const dap_plan_options *options)
{
  const dap_schedule *schedule = &m->plan->schedule;
  const int64_t longest = options && options->message_bytes ? options->message_bytes : INT_MAX;
  bool fit = m->bytes + schedule->slots_bytes <= dap_schedule_memory(schedule, options);
  for (int kind = 0; kind < DAP_RELAY_KINDS; kind++)
    for (int i = 0; i < m->relay->counts[kind]; i++)
      fit = fit && m->relay->messages[kind][i].bytes <= longest;
  return fit;
}

static void bind(const making *m, const piece pieces[], int count)
{
  for (int i = 0; i < count; i++) {
    dap_channel *channel = pieces[i].channel;
    dap_tile_whole(channel, &channel->tile);
    channel->chunks = channel->slots = 1;
    channel->chunk_bytes = channel->slot_bytes = dap_relay_bytes(channel);
    free(channel->requests);
    channel->requests = NULL;
    channel->is_relayed = true;
    channel->message = pieces[i].message;
    channel->base = m->plan->buffer ? m->plan->buffer + pieces[i].at : NULL;
  }
}

/* The channels are carried so from now on, and the plan has the relay; tiles of several channels do not
 * agree any more. */
static void take(making *m)
{
  dap_plan *plan = m->plan;
  plan->relay = m->relay;
  m->relay = NULL;
  plan->schedule.message_bytes = m->bytes;
  plan->schedule.exchanges[0].is_interleaved = false;
  bind(m, m->sent, m->sent_count);
  bind(m, m->received, m->received_count);
}

/* The pieces of all sources for one target. */
static dap_status set_type(const dap_relay_load *load, int j, int lengths[], MPI_Aint at[],
                           dap_relay_message *message, dap_error *err)
{
  int count = 0;
  for (int i = 0; i < load->source_count; i++) {
    const int64_t bytes = load->bytes[i * load->target_count + j];
    if (bytes == 0) continue;
    lengths[count] = (int)bytes;
    at[count++] = (MPI_Aint)load->at[i * load->target_count + j];
  }
  DAP_TRY(dap_mpi_check(MPI_Type_create_hindexed(count, lengths, at, MPI_BYTE, &message->type),
                        "MPI_Type_create_hindexed", err));
  return dap_mpi_check(MPI_Type_commit(&message->type), "MPI_Type_commit", err);
}

static dap_status set_types(const making *m, dap_error *err)
{
  const dap_relay_load *load = &m->load;
  const dap_relay *relay = m->plan->relay;
  int *lengths = malloc((size_t)load->source_count * sizeof *lengths);
  MPI_Aint *at = malloc((size_t)load->source_count * sizeof *at);
  dap_status s = lengths && at ? DAP_OK : dap_fail(err, DAP_ERR_NOMEM, "no memory for types of messages");
  for (int i = 0, j = 0; i < relay->counts[DAP_RELAY_TO_COLUMN] && !s; i++) {
    dap_relay_message *message = &relay->messages[DAP_RELAY_TO_COLUMN][i];
    while (load->targets[j] != message->rank) j++;
    s = set_type(load, j, lengths, at, message, err);
  }
  free(lengths);
  free(at);
  return s;
}

/* Instead of what messages in one phase have. */
static dap_status carry(making *m, dap_error *err)
{
  dap_plan *plan = m->plan;
  const size_t bytes = ((size_t)m->bytes + 63) / 64 * 64;
  free(plan->buffer);
  plan->buffer = bytes > 0 ? aligned_alloc(64, bytes) : NULL;
  DAP_REQUIRE(plan->buffer || bytes == 0, err, DAP_ERR_NOMEM,
              "no memory for %" PRId64 " bytes of messages in two phases", m->bytes);
  if (bytes > 0) memset(plan->buffer, 0, bytes); /* touched once, here */
  take(m);
  return set_types(m, err);
}

static void release(making *m)
{
  dap_relay_load_release(&m->load);
  if (m->relay) free(m->relay->messages[0]);
  free(m->relay);
  free(m->sent);
  free(m->received);
}

dap_status dap_relay_create(dap_plan *plan, const dap_plan_options *options, const int64_t words[],
                            dap_error *err)
{
  making m = {.plan = plan};
  if (!dap_relay_pays(plan, options, words)) return DAP_OK;
  dap_status s = dap_relay_tell(plan, &m.load, err);
  if (!s) s = lay_out(&m, err);
  dap_agreement a = {.status = s, .least = {!s && fits(&m, options)}};
  s = dap_context_agree(plan->context, &a, err);
  if (!s && a.least[0]) s = dap_agree(plan->context->comm, carry(&m, err), err);
  release(&m);
  return s;
}

dap_status dap_relay_create_alone(dap_plan *plan, const dap_plan_options *options, const int64_t words[],
                                  dap_error *err)
{
  making m = {.plan = plan};
  if (!dap_relay_pays(plan, options, words)) return DAP_OK;
  dap_status s = dap_relay_guess(plan, &m.load, err);
  if (!s) s = lay_out(&m, err);
  if (!s && fits(&m, options)) take(&m);
  release(&m);
  return s;
}
