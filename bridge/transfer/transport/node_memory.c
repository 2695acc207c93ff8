/* Which channels of a plan stay on this node, and the plan's memory: a window of the context's pool, which
 * all processes of the node see, and buffers of messages. */
#include "relay_impl.h"

#include <stdlib.h>
#include <string.h>

static void set_node_ranks(const dap_plan *plan, dap_direction *direction)
{
  const dap_node_window *window = &plan->window;
  const bool alone =
      plan->schedule.transports == DAP_TRANSPORT_MESSAGES || window->node->size < 2 || window->is_apart;
  for (int i = 0; i < direction->count; i++)
    direction->channels[i].node_rank = alone ? -1 : window->node->node_ranks[direction->channels[i].rank];
}

static void set_all_node_ranks(dap_plan *plan)
{
  for (int x = 0; x < plan->schedule.exchange_count; x++) {
    set_node_ranks(plan, &plan->schedule.exchanges[x].send);
    set_node_ranks(plan, &plan->schedule.exchanges[x].receive);
  }
}

/* ---- this process's part ------------------------------------------------------------------------------- */

static bool wants_window(const dap_plan *plan)
{
  return plan->window.node->size > 1 && !plan->window.is_apart &&
         plan->schedule.transports != DAP_TRANSPORT_MESSAGES;
}

static int64_t window_bytes(const dap_plan *plan)
{
  return dap_node_window_bytes(plan->schedule.exchange_count, plan->window.node->size, plan->problem.arrays) +
         plan->schedule.slots_bytes;
}

/* *lacks: there is no room for it. */
static dap_status reserve_window(dap_plan *plan, bool *lacks, dap_error *err)
{
  dap_node_window *window = &plan->window;
  dap_pool *pool = &plan->context->pool;
  *lacks = false;
  if (!wants_window(plan)) return DAP_OK;
  if (!window->parts) window->parts = calloc((size_t)window->node->size, sizeof *window->parts);
  DAP_REQUIRE(window->parts, err, DAP_ERR_NOMEM, "no memory for a plan on %d processes of a node",
              window->node->size);
  DAP_TRY(dap_pool_take(pool, window_bytes(plan), &window->own, err));
  *lacks = window->own.bytes == 0;
  if (*lacks) return DAP_OK;
  window->size = window->node->size;
  window->arrays = plan->problem.arrays;
  window->parts[window->node->rank] =
      dap_pool_at(pool, window->node->rank, window->own.segment, window->own.offset);
  dap_buffers_publish(plan);
  return DAP_OK;
}

void dap_node_memory_release(dap_plan *plan)
{
  dap_buffers_release(plan);
  if (plan->context) dap_pool_give_back(&plan->context->pool, &plan->window.own);
  free(plan->window.parts);
  plan->window.parts = NULL;
  plan->window.size = 0;
}

/* ---- everybody's -----------------------------------------------------------------------------------------
 */

/* The position of a part, in one number; -1: there is none. */
enum { SEGMENT_SHIFT = 48 };

static int64_t pack_position(const dap_node_window *window)
{
  return window->size == 0 ? -1 : ((int64_t)window->own.segment << SEGMENT_SHIFT) + window->own.offset;
}

static void attach_parts(dap_plan *plan, const int64_t positions[])
{
  dap_node_window *window = &plan->window;
  for (int p = 0; p < window->size; p++)
    window->parts[p] = dap_pool_at(&plan->context->pool, p, (int)(positions[p] >> SEGMENT_SHIFT),
                                   positions[p] & ((INT64_C(1) << SEGMENT_SHIFT) - 1));
  window->is_whole = window->size > 0 && window->size == plan->nprocs;
  dap_buffers_attach(plan);
}

/* What one attempt came to, on all processes: words are 1 unless some process says 0. */
typedef struct attempt {
  bool is_sure, has_room;
  int64_t relay[DAP_RELAY_WORDS]; /* what processes propose, and then the least */
} attempt;

/* Agrees on `s`, and gathers where parts are. One reduction. */
static dap_status settle(dap_plan *plan, dap_status s, attempt *a, int64_t positions[], dap_error *err)
{
  enum { FLAGS = 3 };
  int64_t words[FLAGS + DAP_RELAY_WORDS] = {0, a->is_sure, a->has_room};
  memcpy(words + FLAGS, a->relay, sizeof a->relay);
  positions[plan->window.node->rank] = pack_position(&plan->window);
  DAP_TRY(dap_reduce_and_gather(plan->context, &s, words, FLAGS + DAP_RELAY_WORDS, positions, err));
  if (!words[0]) return dap_agree(plan->context->comm, s, err);
  *a = (attempt){.is_sure = words[1], .has_room = words[2]};
  memcpy(a->relay, words + FLAGS, sizeof a->relay);
  return DAP_OK;
}

/* Makes room on nodes on which a process lacks it: not on others, whose memory would double with every plan
 * that finds none on one of them. *drops_out, of any process: its node has no more shared memory, so that its
 * processes are to each other as on different nodes. */
static dap_status make_room(dap_plan *plan, bool lacks, bool *drops_out, dap_error *err)
{
  dap_node_window *window = &plan->window;
  dap_error own = {0};
  bool has_room = true;
  const bool wants = wants_window(plan);
  const int64_t bytes = lacks ? window_bytes(plan) : 0;
  const dap_status s =
      wants ? dap_pool_grow(&plan->context->pool, window->node, bytes, &has_room, &own) : DAP_OK;
  if (s && err) *err = own;
  if (!has_room) window->is_apart = true;
  dap_agreement a = {.status = s, .least = {!(wants && window->is_apart)}};
  DAP_TRY(dap_context_agree(plan->context, &a, err));
  *drops_out = !a.least[0];
  return DAP_OK;
}

/* Slots are of one size on all nodes: where a node drops out the others' may grow. */
static dap_status try_again(dap_plan *plan, const dap_plan_options *options, bool lacks, attempt *a,
                            int64_t positions[], dap_error *err)
{
  for (;;) {
    bool drops_out = false;
    dap_node_memory_release(plan);
    set_all_node_ranks(plan);
    DAP_TRY(dap_schedule_set(plan->context->comm, options, &plan->schedule, err));
    if (!a->has_room) DAP_TRY(make_room(plan, lacks, &drops_out, err));
    a->has_room = true;
    lacks = false;
    if (drops_out) continue;
    dap_status s = dap_buffers_create(plan, err);
    if (!s) s = reserve_window(plan, &lacks, err);
    *a = (attempt){.is_sure = true, .has_room = !lacks};
    if (!s) dap_relay_propose(plan, options, a->relay);
    DAP_TRY(settle(plan, s, a, positions, err));
    if (a->has_room) return DAP_OK;
  }
}

dap_status dap_node_memory_create(dap_plan *plan, const dap_plan_options *options, dap_status s,
                                  dap_error *err)
{
  bool is_sure = false, lacks = false;
  int64_t *const positions = plan->context->gathered;
  plan->window.is_apart = plan->context->pool.never;
  if (!s) set_all_node_ranks(plan);
  if (!s) s = dap_schedule_try(options, &plan->schedule, &is_sure, err);
  if (!s && is_sure) s = dap_buffers_create(plan, err);
  if (!s && is_sure) s = reserve_window(plan, &lacks, err);
  attempt a = {.is_sure = is_sure, .has_room = !lacks};
  if (!s && is_sure) dap_relay_propose(plan, options, a.relay);
  DAP_TRY(settle(plan, s, &a, positions, err));
  if (!a.is_sure || !a.has_room) DAP_TRY(try_again(plan, options, lacks, &a, positions, err));
  attach_parts(plan, positions);
  return dap_relay_create(plan, options, a.relay, err);
}
