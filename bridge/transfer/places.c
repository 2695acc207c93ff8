/* Which flows of a plan stay on this node, and its memory there. */
#include "transfer_impl.h"

static void set_places(dap_plan *plan, dap_direction *direction)
{
  const dap_station *station = &plan->station;
  const bool alone = plan->transports == DAP_TRANSPORT_MESSAGES || station->node.size < 2;
  for (int i = 0; i < direction->count; i++)
    direction->flows[i].place = alone ? -1 : station->node.places[direction->flows[i].rank];
}

void dap_places_set(dap_plan *plan)
{
  for (int x = 0; x < plan->exchange_count; x++) {
    set_places(plan, &plan->exchanges[x].send);
    set_places(plan, &plan->exchanges[x].receive);
  }
}

/* Where a node has no shared memory its processes are to each other as on different nodes. *some: any has none. */
static dap_status try_memory(dap_plan *plan, int *some, dap_error *err)
{
  dap_station *station = &plan->station;
  dap_node *node = &station->node;
  const bool wants =
      node->size > 1 && node->places[plan->rank] >= 0 && plan->transports != DAP_TRANSPORT_MESSAGES;
  const int64_t bytes = dap_station_bytes(plan->move_count) + plan->slots_bytes;
  dap_error own = {0};
  dap_status s = wants ? dap_memory_create(node, bytes, &station->memory, &own) : DAP_OK;
  if (s && err) *err = own;
  DAP_TRY(dap_agree(plan->comm, s, err));
  const int lacks = wants && station->memory.size == 0;
  for (int r = 0; r < plan->nprocs && lacks; r++) node->places[r] = -1;
  return dap_mpi_check(MPI_Allreduce(&lacks, some, 1, MPI_INT, MPI_LOR, plan->comm), "MPI_Allreduce", err);
}

/* Slots are of one size on all nodes. Where a node drops out the others' may grow, so that they need other memory. */
dap_status dap_places_reserve(dap_plan *plan, const dap_plan_options *options, dap_error *err)
{
  dap_station *station = &plan->station;
  int some = 0;
  DAP_TRY(try_memory(plan, &some, err));
  while (some) {
    dap_memory_release(&station->memory);
    dap_places_set(plan);
    DAP_TRY(dap_plan_cut(plan, plan->comm, options, err));
    DAP_TRY(try_memory(plan, &some, err));
  }
  station->is_whole = station->memory.size > 0 && station->node.size == plan->nprocs;
  return DAP_OK;
}
