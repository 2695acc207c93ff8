/* Nodes: which processes are on one. Private: no public function tells. What they share is tested by
 * comm_shared_array. */
#include "comm_impl.h"
#include "mpi_test.h"

enum { RANKS = 64 };

/* ---- nodes ------------------------------------------------------------------------------------------- */

/* What hosts[rank] of all processes of `comm` mean, counted one by one. */
static void check_node(MPI_Comm comm, const int hosts[])
{
  int rank = 0, nprocs = 0, size = 0, node_rank = 0;
  uint64_t ids[RANKS];
  dap_node node;
  dap_error err = {0};
  const uint64_t id = dap_process_id();
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &nprocs);
  MPI_Allgather(&id, 1, MPI_UINT64_T, ids, 1, MPI_UINT64_T, comm);
  if (!EXPECT_OK(dap_node_create(comm, &node, &err), &err)) return;
  for (int r = 0; r < nprocs; r++) {
    if (r == rank) node_rank = size;
    EXPECT_INT(node.node_ranks[r], hosts[r] == hosts[rank] ? size : -1);
    if (hosts[r] == hosts[rank]) EXPECT(node.ids[size] == ids[r]);
    size += hosts[r] == hosts[rank];
  }
  EXPECT_INT(node.size, size);
  EXPECT_INT(node.rank, node_rank);
  int sum = 0;
  MPI_Allreduce(&node_rank, &sum, 1, MPI_INT, MPI_SUM, node.comm);
  EXPECT_INT(sum, size * (size - 1) / 2);
  dap_node_release(&node);
  EXPECT(node.comm == MPI_COMM_NULL && !node.node_ranks && !node.ids && node.size == 0);
  dap_node_release(&node);
}

static void processes_have_ids(void **state)
{
  (void)state;
  uint64_t ids[RANKS];
  const uint64_t id = dap_process_id();
  MPI_Allgather(&id, 1, MPI_UINT64_T, ids, 1, MPI_UINT64_T, MPI_COMM_WORLD);
  EXPECT(id != 0 && id == dap_process_id());
  for (int a = 0; a < test_nprocs(); a++)
    for (int b = 0; b < a; b++) EXPECT_MSG(ids[a] != ids[b], "ranks %d and %d have one id", b, a);
  SETTLE();
}

/* The names of the machines, by MPI, say who shares memory. */
static void nodes_are_machines(void **state)
{
  (void)state;
  static char names[RANKS][MPI_MAX_PROCESSOR_NAME];
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0, hosts[RANKS];
  MPI_Get_processor_name(name, &length);
  MPI_Allgather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, MPI_COMM_WORLD);
  for (int r = 0; r < test_nprocs(); r++)
    for (hosts[r] = 0; strcmp(names[hosts[r]], names[r]) != 0;) hosts[r]++;
  check_node(MPI_COMM_WORLD, hosts);
  check_node(MPI_COMM_SELF, &(int){0});
  dap_node zeroed = {0};
  dap_node_release(&zeroed);
  SETTLE();
}

typedef struct pretence {
  const char *why;
  int hosts[6];
} pretence;

static const pretence pretences[] = {
    {"one host", {7, 7, 7, 7, 7, 7}},          {"two hosts by halves", {0, 0, 0, 1, 1, 1}},
    {"two hosts in turn", {1, 0, 1, 0, 1, 0}}, {"each its own", {5, 4, 3, 2, 1, 0}},
    {"one apart", {0, 0, 9, 0, 0, 0}},         {"three hosts, uneven", {2, 0, 0, 1, 0, 2}},
};

/* Also on duplicates, and where ranks are in another order; but not on the communicator behind it. */
static void check_pretence(const pretence *row)
{
  MPI_Comm comm, again, turned;
  int hosts[6], order[6], machines[6];
  for (int r = 0; r < test_nprocs(); r++) {
    machines[r] = test_node(r);
    hosts[r] = row->hosts[r] * RANKS + machines[r];
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  EXPECT(dap_node_pretend(comm, row->hosts[test_rank()]));
  check_node(comm, hosts);
  MPI_Comm_dup(comm, &again);
  MPI_Comm_free(&comm);
  check_node(again, hosts);
  MPI_Comm_split(again, 0, -test_rank(), &turned);
  for (int r = 0; r < test_nprocs(); r++) order[r] = hosts[test_nprocs() - 1 - r];
  EXPECT(dap_node_pretend(turned, row->hosts[test_rank()]));
  check_node(turned, order);
  check_node(MPI_COMM_WORLD, machines);
  MPI_Comm_free(&again);
  MPI_Comm_free(&turned);
}

static void hosts_can_be_pretended(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof pretences / sizeof pretences[0] && test_nprocs() <= 6; i++) {
    TEST_CASE("%s", pretences[i].why);
    check_pretence(&pretences[i]);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(processes_have_ids),
    cmocka_unit_test(nodes_are_machines),
    cmocka_unit_test(hosts_can_be_pretended),
};

MPI_TEST_MAIN(tests)
