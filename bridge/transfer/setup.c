/* Sets up a plan that has its channels: schedules them, allocates its memory and connects it to the other
 * processes' memory. The memory is buffers of messages, and a window of the context's pool, which all
 * processes of the node see. */
#include "transfer_impl.h"
#include "two_phase_impl.h"

#include <stdlib.h>
#include <string.h>

static bool wants_window(const dap_plan *plan)
{
  return plan->window.node->size > 1 && !plan->window.is_apart &&
         plan->schedule.transports != DAP_TRANSPORT_MESSAGES;
}

/* Sets which channels stay on this node. */
static void set_node_ranks(dap_plan *plan)
{
  const int *node_ranks = wants_window(plan) ? plan->window.node->node_ranks : NULL;
  for (dap_channel *channel = NULL; (channel = dap_schedule_next(&plan->schedule, channel));)
    channel->node_rank = node_ranks ? node_ranks[channel->rank] : -1;
}

/* Reserves this process's part of the window, if the pool has room for it. */
static dap_status reserve_window(dap_plan *plan, dap_error *err)
{
  dap_node_window *window = &plan->window;
  dap_pool *pool = &plan->context->pool;
  if (!wants_window(plan)) return DAP_OK;
  if (!window->parts) window->parts = calloc((size_t)window->node->size, sizeof *window->parts);
  DAP_REQUIRE(window->parts, err, DAP_ERR_NOMEM, "no memory for a plan on %d processes of a node",
              window->node->size);
  DAP_TRY(
      dap_pool_take(pool, dap_buffers_slots_offset(plan) + plan->schedule.slots_bytes, &window->own, err));
  if (window->own.bytes == 0) return DAP_OK;
  window->size = window->node->size;
  window->arrays = plan->problem.arrays;
  window->parts[window->node->rank] =
      dap_pool_at(pool, window->node->rank, window->own.segment, window->own.offset);
  dap_buffers_publish(plan);
  return DAP_OK;
}

void dap_plan_take_down(dap_plan *plan)
{
  dap_buffers_release(plan);
  if (plan->context) dap_pool_give_back(&plan->context->pool, &plan->window.own);
  free(plan->window.parts);
  plan->window.parts = NULL;
  plan->window.size = 0;
}

/* A part's position is one number: its segment shifted by SEGMENT_SHIFT, plus its offset. -1: no part. */
enum { SEGMENT_SHIFT = 48 };

/* The result of an attempt to schedule and allocate. */
typedef struct attempt {
  bool lacks;                             /* this process has no room for its part */
  bool is_sure, has_room;                 /* hold for this process; once agreed, for all */
  int64_t two_phase[DAP_TWO_PHASE_WORDS]; /* the proposal for two phases; once agreed, the least of all */
} attempt;

/* Agrees on an attempt and on `s`, and gathers the positions of parts, by one reduction. */
static dap_status agree_attempt(dap_plan *plan, dap_status s, attempt *a, int64_t positions[], dap_error *err)
{
  enum { ALL_SUCCEEDED, IS_SURE, HAS_ROOM, TWO_PHASE };
  int64_t words[TWO_PHASE + DAP_TWO_PHASE_WORDS] = {[IS_SURE] = a->is_sure, [HAS_ROOM] = a->has_room};
  memcpy(words + TWO_PHASE, a->two_phase, sizeof a->two_phase);
  const dap_node_window *window = &plan->window;
  positions[window->node->rank] =
      window->size == 0 ? -1 : ((int64_t)window->own.segment << SEGMENT_SHIFT) + window->own.offset;
  DAP_TRY(dap_reduce_and_gather(plan->context, &s, words, TWO_PHASE + DAP_TWO_PHASE_WORDS, positions, err));
  if (!words[ALL_SUCCEEDED]) return dap_agree(plan->context->comm, s, err);
  a->is_sure = words[IS_SURE];
  a->has_room = words[HAS_ROOM];
  memcpy(a->two_phase, words + TWO_PHASE, sizeof a->two_phase);
  return DAP_OK;
}

static dap_status allocate_memory(dap_plan *plan, attempt *a, dap_error *err)
{
  DAP_TRY(dap_buffers_create(plan, err));
  DAP_TRY(reserve_window(plan, err));
  a->lacks = wants_window(plan) && plan->window.own.bytes == 0;
  a->has_room = !a->lacks;
  dap_two_phase_propose(plan, a->two_phase);
  return DAP_OK;
}

/* Makes room on the nodes on which a process lacks it, so that the memory of other nodes does not grow.
 * *drops_out: some node has no more shared memory, so that its processes are as on different nodes. */
static dap_status make_room(dap_plan *plan, bool lacks, bool *drops_out, dap_error *err)
{
  dap_node_window *window = &plan->window;
  dap_error own = {0};
  bool has_room = true;
  const bool wants = wants_window(plan);
  const int64_t bytes = lacks ? dap_buffers_slots_offset(plan) + plan->schedule.slots_bytes : 0;
  const dap_status s =
      wants ? dap_pool_grow(&plan->context->pool, window->node, bytes, &has_room, &own) : DAP_OK;
  if (s && err) *err = own;
  if (!has_room) window->is_apart = true;
  enum { KEEPS_WINDOW };
  dap_agreement a = {.status = s, .least = {[KEEPS_WINDOW] = !(wants && window->is_apart)}};
  DAP_TRY(dap_context_agree(plan->context, &a, err));
  *drops_out = !a.least[KEEPS_WINDOW];
  return DAP_OK;
}

/* Schedules with all processes, and allocates, until the pools of all nodes have room. All nodes have
 * slots of one size, so those of others may grow where a node drops out. Collective; agreed. */
static dap_status set_up_together(dap_plan *plan, attempt *a, int64_t positions[], dap_error *err)
{
  for (;;) {
    bool drops_out = false;
    dap_plan_take_down(plan);
    set_node_ranks(plan);
    DAP_TRY(dap_schedule_set(plan->context->comm, &plan->schedule, err));
    if (!a->has_room) DAP_TRY(make_room(plan, a->lacks, &drops_out, err));
    *a = (attempt){.is_sure = true, .has_room = true};
    if (drops_out) continue;
    const dap_status s = allocate_memory(plan, a, err);
    DAP_TRY(agree_attempt(plan, s, a, positions, err));
    if (a->has_room) return DAP_OK;
  }
}

/* Finds the parts of the other processes of this node, and the slots in them. */
static void attach_parts(dap_plan *plan, const int64_t positions[])
{
  dap_node_window *window = &plan->window;
  for (int p = 0; p < window->size; p++)
    window->parts[p] = dap_pool_at(&plan->context->pool, p, (int)(positions[p] >> SEGMENT_SHIFT),
                                   positions[p] & ((INT64_C(1) << SEGMENT_SHIFT) - 1));
  window->is_whole = window->size > 0 && window->size == plan->nprocs;
  dap_buffers_attach(plan);
}

dap_status dap_plan_set_up(dap_plan *plan, dap_status s, dap_error *err)
{
  int64_t *const positions = plan->context->gathered;
  attempt a = {.has_room = true};
  plan->window.is_apart = plan->context->pool.never;
  set_node_ranks(plan);
  if (!s) s = dap_schedule_try(&plan->schedule, &a.is_sure, err);
  if (!s && a.is_sure) s = allocate_memory(plan, &a, err);
  DAP_TRY(agree_attempt(plan, s, &a, positions, err));
  if (!a.is_sure || !a.has_room) DAP_TRY(set_up_together(plan, &a, positions, err));
  attach_parts(plan, positions);
  return dap_two_phase_create(plan, a.two_phase, err);
}
