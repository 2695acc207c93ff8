/* Private: hosts are pretended. */
#include "placements.h"

#include "comm_impl.h"
#include "mpi_test.h"

/* On the first placement all processes share memory. On the second a plan has messages and other transports.
 * On the third a process's rank on its node differs from its rank. On the fourth one process is alone on its
 * node, so its plan has no memory of the node. On the last all transports are messages. */
int placed_host(int placement, int rank)
{
  const int hosts[PLACEMENTS] = {0, rank / 2, rank % 2, rank == 0 ? 7 : 3, rank};
  return hosts[placement];
}

MPI_Comm placed_comms[PLACEMENTS];

void place_processes(void **state)
{
  (void)state;
  for (int i = 0; i < PLACEMENTS; i++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &placed_comms[i]);
    EXPECT(dap_node_pretend(placed_comms[i], placed_host(i, test_rank())));
  }
  SETTLE();
}

void free_places(void **state)
{
  (void)state;
  for (int i = 0; i < PLACEMENTS; i++) MPI_Comm_free(&placed_comms[i]);
}
