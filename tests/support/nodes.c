#include "nodes.h"

#include <dapbridge/plan.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static struct {
  int *first; /* [nprocs] the lowest rank on the node of each */
  int nprocs, rank;
} nodes;

/* MPI connects two hosts when one first has something to say to the other. Done now, as tests count open
 * files. */
static void meet_everyone(void)
{
  const int n = nodes.nprocs, self = nodes.rank;
  for (int step = 1; step < n; step++)
    PMPI_Sendrecv(NULL, 0, MPI_BYTE, (self + step) % n, 0, NULL, 0, MPI_BYTE, (self - step + n) % n, 0,
                  MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The names that MPI has for the machines; the library asks it otherwise. Without memory the test ends. */
void test_nodes_find(void)
{
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &nodes.rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &nodes.nprocs);
  PMPI_Get_processor_name(name, &length);
  char(*names)[MPI_MAX_PROCESSOR_NAME] = calloc((size_t)nodes.nprocs, sizeof *names);
  nodes.first = calloc((size_t)nodes.nprocs, sizeof *nodes.first);
  if (!names || !nodes.first) PMPI_Abort(MPI_COMM_WORLD, 1);
  PMPI_Allgather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, MPI_COMM_WORLD);
  for (int r = 0; r < nodes.nprocs; r++)
    while (strcmp(names[nodes.first[r]], names[r]) != 0) nodes.first[r]++;
  free(names);
  if (test_nodes() > 1) meet_everyone();
}

void test_nodes_forget(void)
{
  free(nodes.first);
  nodes.first = NULL;
}

int test_node(int rank)
{
  return nodes.first[rank];
}

bool test_is_mate(int rank)
{
  return nodes.first[nodes.rank] == nodes.first[rank];
}

int test_mates(void)
{
  int count = 0;
  for (int r = 0; r < nodes.nprocs; r++) count += test_is_mate(r);
  return count;
}

unsigned test_joining(unsigned transports)
{
  return transports && test_nodes() > 1 ? transports | DAP_TRANSPORT_MESSAGES : transports;
}

int test_nodes(void)
{
  int count = 0;
  for (int r = 0; r < nodes.nprocs; r++) count += nodes.first[r] == r;
  return count;
}
