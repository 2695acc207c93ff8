/* Manages the memory that the processes of a plan share on a node, and their waits for each other there. In
 * every run a process publishes the addresses of its buffers, and in the end it says that it is done with the
 * buffers of others. tests/transfer/weak.h tries interleavings of these functions. */
#include "transport_impl.h"

#include <stdio.h>

/* A part begins with the control and the form of its process's buffers. Behind them are the addresses
 * [2][arrays] by the run's parity, and the table of offsets. */
enum { ADDRESSES = sizeof(dap_control) + sizeof(dap_buffer_form) };

static int64_t offsets_at(int64_t arrays)
{
  return ADDRESSES + 2 * arrays * (int64_t)sizeof(dap_buffer_address);
}

int64_t dap_node_window_bytes(int exchanges, int node_size, int64_t arrays)
{
  const int64_t bytes = offsets_at(arrays) + (int64_t)exchanges * node_size * (int64_t)sizeof(int64_t);
  return (bytes + DAP_LINE - 1) / DAP_LINE * DAP_LINE;
}

int64_t *dap_node_window_offset(const dap_node_window *window, int sender, int exchange, int receiver)
{
  int64_t *offsets = (int64_t *)(void *)(window->parts[sender] + offsets_at(window->arrays));
  return &offsets[(int64_t)exchange * window->size + receiver];
}

dap_control *dap_node_window_control(const dap_node_window *window, int node_rank)
{
  return (dap_control *)(void *)window->parts[node_rank];
}

dap_buffer_address *dap_node_window_addresses(const dap_node_window *window, int node_rank)
{
  char *addresses = window->parts[node_rank] + ADDRESSES;
  return (dap_buffer_address *)(void *)addresses + (int64_t)(window->run % 2) * window->arrays;
}

dap_buffer_form *dap_node_window_form(const dap_node_window *window, int node_rank)
{
  return (dap_buffer_form *)(void *)(window->parts[node_rank] + sizeof(dap_control));
}

/* `published` and `done` are stored with release and read with acquire, because processors may show stores in
 * another order than a process's own. A process that reads them sees all that the other one stored before,
 * and the other one has read all that it read before. This orders
 *   addresses and faults  They are stored, then published. They are stored again two runs later: a process
 *                         that begins a run has waited in the last one for all that read them.
 *   elements              A process reads another's source or writes another's destination, then is done.
 *                         Stores past the caches need the kernels' fence() before (progress.c).
 *   slots                 The slots of runs before the last are emptied (slots.c). */
void dap_node_window_say(const dap_node_window *window, _Atomic uint64_t *said)
{
  atomic_store_explicit(said, window->run, memory_order_release);
}

dap_wait dap_node_window_wait(const dap_node_window *window, double seconds)
{
  return (dap_wait){
      .node = window->node,
      .is_away = window->size > 0 ? &dap_node_window_control(window, window->node->rank)->is_away : NULL,
      .seconds = seconds};
}

void dap_node_window_report(const dap_node_window *window, int rank, int missing, dap_wait *wait)
{
  char self[DAP_RANK_TEXT], name[DAP_RANK_TEXT] = "another process", who[64];
  if (!dap_wait_is_long(wait)) return;
  if (missing >= 0) dap_groups_rank(window->groups, -1, missing, name);
  (void)snprintf(who, sizeof who, "%s has not come", name);
  dap_groups_rank(window->groups, -1, rank, self);
  dap_wait_report(wait, "dap_plan_end", self, who);
}

static int rank_of(const dap_node *node, int node_rank)
{
  int rank = 0;
  while (node->node_ranks[rank] != node_rank) rank++;
  return rank;
}

bool dap_node_window_await(const dap_node_window *window, int node_rank, const _Atomic uint64_t *said,
                           double seconds)
{
  const _Atomic bool *is_away = &dap_node_window_control(window, node_rank)->is_away;
  dap_wait spin = {0}, yield = dap_node_window_wait(window, seconds);
  yield.spins = DAP_PATIENCE;
  while (atomic_load_explicit(said, memory_order_acquire) < window->run)
    if (spin.spins < DAP_PATIENCE - 1 && !atomic_load_explicit(is_away, memory_order_relaxed)) {
      (void)dap_wait_step(&spin);
    } else {
      spin.spins = 0;
      if (!dap_wait_step(&yield)) continue;
      if (dap_wait_is_over(&yield)) return false;
      if (dap_wait_is_long(&yield))
        dap_node_window_report(window, window->node->whole_rank, rank_of(window->node, node_rank), &yield);
    }
  return true;
}
