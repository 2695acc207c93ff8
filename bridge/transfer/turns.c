/* All that is to be done in a run, in turns: whatever can go on does, so that no process waits for another that waits
 * for it. */
#include "transfer_impl.h"

/* ---- through buffers -------------------------------------------------------------------------- */

static dap_status send_some(const dap_plan *plan, dap_direction *send, int64_t *moved, int64_t *left,
                            dap_error *err)
{
  for (int i = 0; i < send->count; i++) {
    dap_flow *flow = &send->flows[i];
    bool sent = false;
    if (dap_flow_is_over(flow) || dap_flow_is_direct(flow)) continue;
    DAP_TRY(dap_chunk_send(plan, flow, &sent, err));
    *moved += sent;
    *left += !dap_flow_is_over(flow);
  }
  return DAP_OK;
}

static dap_status receive_some(const dap_plan *plan, dap_direction *receive, int64_t *moved, int64_t *left,
                               dap_error *err)
{
  for (int i = 0; i < receive->count; i++) {
    dap_flow *flow = &receive->flows[i];
    bool received = false;
    if (dap_flow_is_over(flow) || dap_flow_is_direct(flow)) continue;
    DAP_TRY(dap_chunk_receive(plan, flow, &received, err));
    *moved += received;
    *left += !dap_flow_is_over(flow);
  }
  return DAP_OK;
}

/* ---- direct work ------------------------------------------------------------------------------ */

static double share_done(const dap_flow *flow)
{
  return (double)flow->now.moved / (double)flow->now.chunks;
}

/* Of the flows that are left, direct or not, the one of which the least is done. */
static void find_last(dap_direction *direction, bool is_direct, dap_flow **last, int64_t *left)
{
  for (int i = 0; i < direction->count; i++) {
    dap_flow *flow = &direction->flows[i];
    if (dap_flow_is_over(flow) || dap_flow_is_direct(flow) != is_direct) continue;
    ++*left;
    if (!*last || share_done(flow) < share_done(*last)) *last = flow;
  }
}

/* A piece of direct work. All flows, those sent in chunks too, go on side by side, so that what the processor has
 * fetched around one flow's elements is still there for the others'. */
static void copy_some(dap_plan *plan, int64_t *moved, int64_t *left)
{
  dap_flow *direct = NULL, *sent = NULL;
  int64_t sends = 0;
  for (int x = 0; x < plan->exchange_count; x++) {
    dap_exchange *exchange = &plan->exchanges[x];
    find_last(&exchange->send, true, &direct, left);
    if (!exchange->is_fine) find_last(&exchange->receive, true, &direct, left);
    find_last(&exchange->send, false, &sent, &sends);
  }
  if (!direct || (*moved > 0 && sent && share_done(direct) > share_done(sent))) return;
  ++*moved;
  dap_chunk_copy(plan, direct);
}

/* ---- all of it -------------------------------------------------------------------------------- */

static dap_status turn(dap_plan *plan, int64_t *moved, int64_t *left, dap_error *err)
{
  *moved = *left = 0;
  for (int x = 0; x < plan->exchange_count; x++)
    DAP_TRY(send_some(plan, &plan->exchanges[x].send, moved, left, err));
  for (int x = 0; x < plan->exchange_count; x++) {
    dap_exchange *exchange = &plan->exchanges[x];
    if (exchange->is_fine)
      DAP_TRY(dap_fine_some(plan, exchange, moved, left, err));
    else
      DAP_TRY(receive_some(plan, &exchange->receive, moved, left, err));
  }
  copy_some(plan, moved, left);
  return DAP_OK;
}

dap_status dap_turns_all(dap_plan *plan, dap_error *err)
{
  for (int x = 0; x < plan->exchange_count; x++) {
    DAP_TRY(dap_direct_start(plan, &plan->exchanges[x].send, err));
    DAP_TRY(dap_direct_start(plan, &plan->exchanges[x].receive, err));
  }
  int64_t moved, left;
  int turns = 0;
  do {
    DAP_TRY(turn(plan, &moved, &left, err));
    if (moved > 0)
      turns = 0;
    else if (left > 0)
      dap_station_relax(&plan->station, &turns);
  } while (left > 0);
  plan->kernels->fence();
  return DAP_OK;
}
