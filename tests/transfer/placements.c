/* Private: hosts are pretended. */
#include "placements.h"

#include "comm_impl.h"
#include "mpi_test.h"

/* All share memory; of one plan some flows are messages and others are not; a rank on a node is another
 * number; the plan of a process alone has no memory of the node; nothing but messages. */
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
