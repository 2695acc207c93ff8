/* Private: hosts are pretended. */
#include "placements.h"

#include "comm_impl.h"
#include "mpi_test.h"

static int one_host(int rank)
{
  return rank * 0;
}

static int pairs(int rank)
{
  return rank / 2;
}

static int round_robin(int rank)
{
  return rank % 2;
}

static int uneven(int rank)
{
  return rank == 0 ? 7 : 3;
}

static int own_host(int rank)
{
  return rank;
}

const placement placements[PLACEMENTS] = {
    {"one host: all share memory", one_host},
    {"two on each host: of one plan some flows are messages and others are not", pairs},
    {"ranks dealt to two hosts in turn: a rank on a node is another number", round_robin},
    {"one process alone, the others together: its plan has no memory of the node", uneven},
    {"each on its own host: nothing but messages", own_host},
};

MPI_Comm placed_comms[PLACEMENTS];

void place_processes(void **state)
{
  (void)state;
  for (int i = 0; i < PLACEMENTS; i++) {
    MPI_Comm_dup(MPI_COMM_WORLD, &placed_comms[i]);
    EXPECT(dap_node_pretend(placed_comms[i], placements[i].host(test_rank())));
  }
  SETTLE();
}

void free_places(void **state)
{
  (void)state;
  for (int i = 0; i < PLACEMENTS; i++) MPI_Comm_free(&placed_comms[i]);
}
