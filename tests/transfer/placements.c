#include "placements.h"

#include "brute.h"
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

void hosts_at(const placement *p, int hosts[])
{
  for (int r = 0; r < test_nprocs(); r++) hosts[r] = p->host(r) * BRUTE_PROCS + test_node(r);
}

MPI_Comm comm_at(const placement *p, int hosts[])
{
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  hosts_at(p, hosts);
  EXPECT(dap_node_pretend(comm, p->host(test_rank())));
  return comm;
}

MPI_Comm placed_comms[PLACEMENTS];

void place_processes(void **state)
{
  int hosts[BRUTE_PROCS];
  (void)state;
  for (int i = 0; i < PLACEMENTS; i++) placed_comms[i] = comm_at(&placements[i], hosts);
  SETTLE();
}

void free_places(void **state)
{
  (void)state;
  for (int i = 0; i < PLACEMENTS; i++) MPI_Comm_free(&placed_comms[i]);
}
