/* The smallest second-level cache of all processes determines how chunks are cut. These tests check with
 * caches of any size that both ends of a channel cut alike, and that every element arrives. Private: no
 * public call tells how a channel is cut. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): RTLD_NEXT */
#include "buffers.h"
#include "mpi_test.h"
#include "plans.h"
#include "transfer_impl.h"

#include <dlfcn.h>
#include <unistd.h>

enum { KIB = 1024, ROWS = 1203, COLUMNS = 997, ITEM = 8 };

static long cache; /* bytes that the system tells this process; 0: it does not tell */

long sysconf(int name)
{
  static long (*system)(int);
  if (!system) *(void **)&system = dlsym(RTLD_NEXT, "sysconf");
  return name == _SC_LEVEL2_CACHE_SIZE ? cache : system(name);
}

static const struct {
  const char *why;
  long first, others;   /* KiB, of the cache of rank 0 and of the others */
  int64_t least, chunk; /* KiB: the cache for which the plan is made; most of a chunk */
} rows[] = {
    {"a usual one", 1024, 1024, 1024, 256},
    {"nobody knows", 0, 0, 1024, 256},
    {"small", 256, 256, 256, 64},
    {"large", 2048, 2048, 2048, 512},
    {"no power of two", 1280, 1280, 1280, 256},
    {"smaller than is believed", 16, 16, 256, 64},
    {"larger than is believed", 65536, 65536, 4096, 1024},
    {"rank 0 has less", 512, 2048, 512, 128},
    {"rank 0 has more", 2048, 512, 512, 128},
    {"rank 0 does not know", 0, 2048, 1024, 256},
};

static dap_layout *make(bool of_rows)
{
  const dap_dist dists[] = {of_rows ? dap_dist_even(ROWS, test_nprocs()) : dap_dist_local(ROWS),
                            of_rows ? dap_dist_local(COLUMNS) : dap_dist_even(COLUMNS, test_nprocs())};
  return layout_make(2, dists, NULL);
}

/* The other end of each channel must have as many chunks of the same length. */
static void expect_alike(const dap_plan *plan, int64_t chunk)
{
  const dap_exchange *exchange = &plan->schedule.exchanges[0];
  int64_t mine[2][64] = {{0}}, theirs[2][64] = {{0}};
  for (int i = 0; i < exchange->send.count; i++) {
    const dap_channel *channel = &exchange->send.channels[i];
    mine[0][channel->rank] = channel->chunks;
    mine[1][channel->rank] = channel->chunk_bytes;
    const bool is_cut = test_is_mate(channel->rank); /* messages to other nodes have any length */
    EXPECT_MSG(channel->chunk_bytes <= chunk || !is_cut, "%lld bytes", (long long)channel->chunk_bytes);
  }
  for (int k = 0; k < 2; k++)
    MPI_Alltoall(mine[k], 1, MPI_INT64_T, theirs[k], 1, MPI_INT64_T, MPI_COMM_WORLD);
  for (int i = 0; i < exchange->receive.count; i++) {
    const dap_channel *channel = &exchange->receive.channels[i];
    if (channel->rank == plan->rank) continue;
    EXPECT(channel->chunks == theirs[0][channel->rank]);
    EXPECT(channel->chunk_bytes == theirs[1][channel->rank]);
  }
}

static void move(MPI_Comm comm, size_t row)
{
  dap_layout *layouts[] = {make(true), make(false)};
  dap_array from = {0}, to = {0};
  dap_error err = {0};
  dap_plan *plan = NULL;
  EXPECT_OK(dap_array_init(&from, layouts[0], test_rank(), DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_array_init(&to, layouts[1], test_rank(), DAP_F8, DAP_ORDER_F, NULL, &err), &err);
  fill_global(layouts[0], test_rank(), &from);
  const dap_side a = dap_side_of((dap_darray){layouts[0], &from}),
                 b = dap_side_of((dap_darray){layouts[1], &to});
  if (EXPECT_OK(dap_plan_create(comm, &a, &b, ITEM, NULL, &plan, &err), &err)) {
    EXPECT_MSG(plan->schedule.cache_bytes == rows[row].least * KIB, "%lld bytes",
               (long long)plan->schedule.cache_bytes);
    expect_alike(plan, rows[row].chunk * KIB);
    EXPECT_OK(dap_plan_run(plan, from.data, to.data, &err), &err);
    check_global(layouts[1], test_rank(), &to, PADDING_FILLED);
  }
  dap_plan_destroy(&plan);
  dap_array_release(&from);
  dap_array_release(&to);
  for (int k = 0; k < 2; k++) dap_layout_destroy(&layouts[k]);
}

static void chunks_are_cut_by_the_least_cache(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (test_nprocs() == 1 && rows[i].first != rows[i].others) continue;
    TEST_CASE("%s", rows[i].why);
    MPI_Comm comm; /* whose context is made with the pretended caches */
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    cache = KIB * (test_rank() == 0 ? rows[i].first : rows[i].others);
    move(comm, i);
    MPI_Comm_free(&comm);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(chunks_are_cut_by_the_least_cache)};
MPI_TEST_MAIN(tests)
