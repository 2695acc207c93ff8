/* Tests the node's memory of a context: reductions on its boards, and regions of its pool. Regions are used
 * again, and the pool can grow. Private: only plans take regions, and they choose the sizes. */
#include "comm_impl.h"
#include "mpi_test.h"
#include "shared_memory.h"

static dap_context *get(MPI_Comm comm)
{
  dap_context *context;
  dap_error err = {0};
  EXPECT_OK(dap_context_get(comm, "a test", &context, &err), &err);
  return context;
}

/* ---- reductions -------------------------------------------------------------------------------------- */

static void check_reductions(dap_context *context, const char *how)
{
  for (int turn = 0; turn < 300; turn++) {
    enum { MOST = 40 };
    const int count = 1 + turn % MOST, own = 1 + (test_rank() + turn) % test_nprocs();
    int64_t least[MOST], bits[MOST];
    dap_error err = {0};
    TEST_CASE("%s, turn %d", how, turn);
    for (int i = 0; i < count; i++) {
      least[i] = own * (i % 2 ? 1 : -1) * 1000 + i;
      bits[i] = ~(INT64_C(1) << (test_rank() + i));
    }
    EXPECT_OK(dap_context_reduce(context, DAP_REDUCE_MIN, least, count, &err), &err);
    EXPECT_OK(dap_context_reduce(context, DAP_REDUCE_AND, bits, count, &err), &err);
    for (int i = 0; i < count; i++) {
      EXPECT_INT(least[i], (i % 2 ? 1 : -test_nprocs()) * 1000 + i);
      EXPECT_INT(bits[i], ~(((INT64_C(1) << test_nprocs()) - 1) << i));
    }
  }
  SETTLE();
}

static void reductions_are_of_all(void **state)
{
  (void)state;
  MPI_Comm comm;
  for (int hosts = 1; hosts <= 2; hosts++) {
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    EXPECT(dap_node_pretend(comm, test_rank() % hosts));
    dap_context *context = get(comm);
    check_reductions(context, hosts == 1 ? "one node" : "two nodes");
    dap_context_release(&context);
    PMPI_Comm_free(&comm);
  }
}

/* ---- regions ----------------------------------------------------------------------------------------- */

static bool are_apart(const dap_reservation regions[], int count)
{
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++)
      if (regions[i].segment == regions[j].segment &&
          regions[i].offset < regions[j].offset + regions[j].bytes &&
          regions[j].offset < regions[i].offset + regions[i].bytes)
        return false;
  return true;
}

/* Grows the pool twice, because one process of a node needs more than it has. Both regions begin a
 * segment, so each must return to its own segment. */
static void check_growth(dap_context *context)
{
  dap_pool *pool = &context->pool;
  dap_reservation large[2];
  bool has_room = false;
  dap_error err = {0};
  for (int i = 0; i < 2; i++) {
    EXPECT_OK(dap_pool_grow(pool, &context->node, 0, &has_room, &err), &err); /* no process lacks room */
    EXPECT(has_room && pool->segment_count == 1 + i);
    has_room = false;
    EXPECT_OK(dap_pool_grow(pool, &context->node, pool->node_rank == 0 ? 1000000 : i, &has_room, &err), &err);
    EXPECT(has_room);
    EXPECT_OK(dap_pool_take(pool, 1000000, &large[i], &err), &err);
    EXPECT(large[i].segment == 1 + i && large[i].offset == 0);
    memset(dap_pool_at(pool, pool->node_rank, 1 + i, 0), 0xff, 1000000);
  }
  dap_pool_give_back(pool, &large[1]);
  EXPECT_OK(dap_pool_take(pool, 1000000, &large[1], &err), &err);
  EXPECT_INT(large[1].segment, 2);
  for (int i = 0; i < 2; i++) dap_pool_give_back(pool, &large[i]);
}

static void regions_are_used_again(void **state)
{
  (void)state;
  enum { MOST = 40 };
  dap_reservation regions[MOST];
  dap_error err = {0};
  MPI_Comm comm;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  dap_context *context = get(comm);
  dap_pool *pool = &context->pool;
  int taken = 0;
  for (; taken < MOST && pool->segment_count > 0; taken++) {
    EXPECT_OK(dap_pool_take(pool, 100 + 1000 * taken, &regions[taken], &err), &err);
    if (regions[taken].bytes == 0) break;
    EXPECT(regions[taken].offset % DAP_LINE == 0 && regions[taken].bytes >= 100 + 1000 * taken);
    memset(dap_pool_at(pool, pool->node_rank, 0, regions[taken].offset), 0xff, (size_t)regions[taken].bytes);
  }
  EXPECT(taken < MOST && are_apart(regions, taken));
  for (int i = 1; i < taken; i += 2) {
    const dap_reservation old = regions[i];
    dap_pool_give_back(pool, &regions[i]);
    EXPECT_OK(dap_pool_take(pool, old.bytes, &regions[i], &err), &err);
    EXPECT(regions[i].offset == old.offset);
  }
  if (taken > 0) check_growth(context);
  check_reductions(context, "regions are in use"); /* no region occupies the boards */
  for (int i = 0; i < taken; i++) dap_pool_give_back(pool, &regions[i]);
  EXPECT_INT(pool->taken_count, 0);
  dap_context_release(&context);
  PMPI_Comm_free(&comm);
  SETTLE();
}

/* If the pool cannot double, it must grow by the necessary amount. The counter of a long wait must wrap
 * around. */
static void little_memory_is_enough(void **state)
{
  (void)state;
  dap_reservation all, more;
  bool has_room = false;
  dap_error err = {0};
  MPI_Comm comm;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  dap_context *context = get(comm);
  dap_pool *pool = &context->pool;
  if (pool->segment_count > 0) {
    EXPECT_OK(dap_pool_take(pool, LIMIT_BYTES - (int64_t)sizeof(dap_board), &all, &err), &err);
    limit_start(LIMIT_SIZE);
    EXPECT_OK(dap_pool_grow(pool, &context->node, 1000, &has_room, &err), &err);
    limit_end();
    EXPECT(has_room);
    EXPECT_OK(dap_pool_take(pool, 1000, &more, &err), &err);
    EXPECT_INT(more.bytes, 1024);
    dap_pool_give_back(pool, &more);
    dap_pool_give_back(pool, &all);
  }
  dap_wait wait = {.node = &context->node};
  for (int i = 0; i < 1000; i++) (void)dap_wait_step(&wait);
  EXPECT(wait.spins > 0 && wait.spins < 100);
  dap_context_release(&context);
  PMPI_Comm_free(&comm);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(reductions_are_of_all),
    cmocka_unit_test(regions_are_used_again),
    cmocka_unit_test(little_memory_is_enough),
};

MPI_TEST_MAIN(tests)
