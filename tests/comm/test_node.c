/* Checks that processes know which others are on their node, also if hosts are pretended. Private: no
 * public function tells the nodes of a communicator. */
#include "comm_impl.h"
#include "mpi_test.h"

/* Checks node ranks and ids by counting. Process r of `comm` pretends to be on host hosts[r]. */
static void check_node(MPI_Comm comm, const int hosts[])
{
  int rank = 0, size = 0;
  uint64_t ids[6];
  const uint64_t id = dap_process_id();
  dap_context *context = NULL;
  dap_error err = {0};
  if (!EXPECT_OK(dap_context_get(comm, "a test", &context, &err), &err)) return;
  const dap_node *node = &context->node;
  MPI_Comm_rank(comm, &rank);
  MPI_Allgather(&id, 1, MPI_UINT64_T, ids, 1, MPI_UINT64_T, comm);
  for (int r = 0; r < test_nprocs(); r++) {
    for (int before = 0; before < r; before++) EXPECT(ids[before] != ids[r]);
    if (r == rank) EXPECT_INT(node->rank, size);
    EXPECT_INT(node->node_ranks[r], hosts[r] == hosts[rank] ? size : -1);
    if (hosts[r] == hosts[rank]) EXPECT(node->ids[size++] == ids[r]);
  }
  EXPECT_INT(node->size, size);
  dap_context_release(&context);
}

/* Tests all processes, a duplicate, and another order of ranks. */
static void processes_are_on_nodes(void **state)
{
  (void)state;
  static const int pretended[][6] = {{7, 7, 7, 7, 7, 7}, {1, 0, 1, 0, 1, 0}, {2, 0, 0, 1, 0, 2}};
  for (int row = 0; row < 3 && test_nprocs() <= 6; row++) {
    const int n = test_nprocs();
    MPI_Comm comm, copy, turned;
    int hosts[6], order[6];
    for (int r = 0; r < n; r++) order[n - 1 - r] = hosts[r] = pretended[row][r] * n + test_node(r);
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    EXPECT(dap_node_pretend(comm, pretended[row][test_rank()]));
    PMPI_Comm_dup(comm, &copy);
    PMPI_Comm_split(comm, 0, -test_rank(), &turned);
    EXPECT(dap_node_pretend(turned, pretended[row][test_rank()]));
    check_node(comm, hosts);
    check_node(copy, hosts);
    check_node(turned, order);
    PMPI_Comm_free(&comm);
    PMPI_Comm_free(&copy);
    PMPI_Comm_free(&turned);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(processes_are_on_nodes)};
MPI_TEST_MAIN(tests)
