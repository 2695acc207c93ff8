/* Runs bridge/docs/ghosts.md: a ring of edges, in which each node has a random owner. Ghosts are filled,
 * and each edge adds to each of its ends the value of the other. Every sum is compared with the sum over
 * the whole ring. */
#include "mpi_test.h"

#include <dapbridge/comm.h>
#include <dapbridge/plan.h>
#include <string.h>

enum { NODES = 60, COMPONENTS = 3 };

/* Edges and nodes of this process. */
static struct {
  int64_t corner[2 * NODES], corners, list[NODES], count, place[NODES];
  bool is_owned[NODES];
} mine;

/* Returns the value of component k before the step. */
static double start(int64_t node, int k)
{
  return (double)(node * COMPONENTS + k);
}

/* Returns the sum of the other ends of a node's two edges. */
static double sum(int64_t node, int k)
{
  return start((node + 1) % NODES, k) + start((node + NODES - 1) % NODES, k);
}

/* Adds as a program does, without owners and without clearing. */
static void add_elements(const double *values, double *sums)
{
  for (int64_t e = 0; e < mine.corners; e += 2)
    for (int k = 0; k < COMPONENTS; k++) {
      const int64_t a = mine.place[mine.corner[e]] * COMPONENTS + k,
                    b = mine.place[mine.corner[e + 1]] * COMPONENTS + k;
      sums[a] += values[b];
      sums[b] += values[a];
    }
}

int64_t number_nodes(int rank, int64_t nodes, const int owner[], int64_t corners, const int64_t corner[],
                     int64_t list[], bool is_owned[], int64_t place[]);
dap_status describe(MPI_Comm comm, int64_t nodes, int64_t count, const int64_t list[], const bool is_owned[],
                    double *values, dap_array *array, dap_layout **layout, dap_error *err);
dap_status step(MPI_Comm comm, dap_darray nodes, double *sums, dap_error *err);

#include "ghosts_number.inc"

#include "ghosts_describe.inc"

#include "ghosts_step.inc"

static void test_step(void **state)
{
  (void)state;
  static double values[NODES * COMPONENTS], sums[NODES * COMPONENTS];
  int owner[NODES];
  for (int node = 0; node < NODES; node++) owner[node] = (node * 7919 % 101) % test_nprocs();
  mine.corners = 0;
  for (int node = 0; node < NODES; node++) { /* the process of its first end has the edge */
    if (owner[node] != test_rank()) continue;
    mine.corner[mine.corners++] = node;
    mine.corner[mine.corners++] = (node + 1) % NODES;
  }
  mine.count = number_nodes(test_rank(), NODES, owner, mine.corners, mine.corner, mine.list, mine.is_owned,
                            mine.place);
  for (int64_t i = 0; i < mine.count; i++)
    for (int k = 0; k < COMPONENTS; k++) {
      values[i * COMPONENTS + k] = mine.is_owned[i] ? start(mine.list[i], k) : -1;
      sums[i * COMPONENTS + k] = 1000; /* from an earlier step */
    }
  dap_array array;
  dap_layout *layout = NULL;
  dap_error err;
  if (EXPECT_OK(describe(MPI_COMM_WORLD, NODES, mine.count, mine.list, mine.is_owned, values, &array, &layout,
                         &err),
                &err))
    EXPECT_OK(step(MPI_COMM_WORLD, (dap_darray){layout, &array}, sums, &err), &err);
  for (int64_t i = 0; i < mine.count; i++)
    for (int k = 0; k < COMPONENTS; k++) {
      const double value = values[i * COMPONENTS + k], total = sums[i * COMPONENTS + k];
      EXPECT_MSG(value == start(mine.list[i], k), "node %d: value %g", (int)mine.list[i], value);
      EXPECT_MSG(total == sum(mine.list[i], k), "node %d: sum %g", (int)mine.list[i], total);
    }
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(test_step)};

MPI_TEST_MAIN(tests)
