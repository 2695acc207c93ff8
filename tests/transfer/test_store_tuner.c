/* Writes slots in the node's memory both through and past the caches. Both ways must be tried, and every
 * element must arrive. One clock tells chunks apart, and another one does not.
 *
 * Private: no public call tells which ways a channel has tried. */
#include "buffers.h"
#include "mpi_test.h"
#include "plans.h"
#include "transfer_impl.h"

enum {
  MESSAGE = 20 * 1024, /* bytes; slots are measured from 16 KiB on */
  RUNS = 24,
  PROCS = 6,   /* most processes */
  STEP = 7919, /* a prime; distance of listed indices */
  LISTED = 60011
};

typedef enum deal { EVEN, SINGLE, BLOCKS, LISTS } deal;

static const struct {
  const char *why;
  deal from, to;      /* of the axis that is dealt out */
  int64_t size, each; /* elements of that axis, and of the other one, which is the second */
  dap_order from_order, to_order;
} rows[] = {
    {"long rows", EVEN, BLOCKS, 1200, 96, DAP_ORDER_C, DAP_ORDER_C},
    {"rows as short as a block", EVEN, BLOCKS, 1203, 97, DAP_ORDER_F, DAP_ORDER_F},
    {"transposed, lines that begin anywhere", EVEN, BLOCKS, 1203, 97, DAP_ORDER_C, DAP_ORDER_F},
    {"sources alternate: interleaved", SINGLE, EVEN, 1203, 97, DAP_ORDER_F, DAP_ORDER_F},
    {"listed one by one", LISTS, EVEN, LISTED, 1, DAP_ORDER_C, DAP_ORDER_C},
    {"listed, three together", LISTS, EVEN, 40009, 3, DAP_ORDER_C, DAP_ORDER_C},
    {"listed, more than a line together", LISTS, EVEN, 6007, 23, DAP_ORDER_C, DAP_ORDER_C},
};

static bool is_coarse; /* the clock has steps of 10 ms, in which many chunks are moved */
static const double tick = 0.01;

double MPI_Wtime(void)
{
  const double now = PMPI_Wtime();
  return is_coarse ? tick * (double)(int64_t)(now / tick) : now;
}

double MPI_Wtick(void)
{
  return is_coarse ? tick : PMPI_Wtick();
}

/* Each process has a stretch of the multiples of STEP. */
static dap_dist lists(int64_t size)
{
  static int64_t indices[LISTED], lengths[PROCS];
  static const int64_t *starts[PROCS];
  const int procs = test_nprocs();
  for (int64_t i = 0; i < size; i++) indices[i] = i * STEP % size;
  for (int p = 0; p < procs; p++) {
    starts[p] = indices + size * p / procs;
    lengths[p] = size * (p + 1) / procs - size * p / procs;
  }
  return dap_dist_unstructured(size, procs, lengths, starts);
}

static dap_dist dist_of(deal kind, int64_t size)
{
  const int procs = test_nprocs();
  return kind == LISTS  ? lists(size)
         : kind == EVEN ? dap_dist_even(size, procs)
                        : dap_dist_cyclic(size, procs, kind == SINGLE ? 1 : 5);
}

static dap_layout *make(size_t row, deal kind)
{
  const dap_dist dists[] = {dist_of(kind, rows[row].size), dap_dist_local(rows[row].each)};
  return layout_make(2, dists, NULL);
}

/* Channels with enough chunks must have tried both ways. */
static void expect_both_tried(const dap_plan *plan)
{
  for (int x = 0; x < plan->schedule.exchange_count; x++)
    for (int i = 0; i < plan->schedule.exchanges[x].send.count; i++) {
      const dap_channel *channel = &plan->schedule.exchanges[x].send.channels[i];
      if (!test_is_mate(channel->rank) || channel->chunk_bytes < 16 * 1024 ||
          RUNS * channel->chunks < 4 * DAP_SLOTS)
        continue;
      EXPECT_MSG(channel->store_tuner.cost[0] > 0 && channel->store_tuner.cost[1] > 0,
                 "to rank %d, in %lld chunks of %lld bytes: %g and %g ns a byte", channel->rank,
                 (long long)channel->chunks, (long long)channel->chunk_bytes,
                 (double)channel->store_tuner.cost[0], (double)channel->store_tuner.cost[1]);
    }
}

static void move(size_t row, dap_layout *const layouts[2])
{
  dap_array from, to;
  dap_error err = {0};
  dap_plan *plan = NULL;
  EXPECT_OK(dap_array_init(&from, layouts[0], test_rank(), DAP_F8, rows[row].from_order, NULL, &err), &err);
  EXPECT_OK(dap_array_init(&to, layouts[1], test_rank(), DAP_F8, rows[row].to_order, NULL, &err), &err);
  fill_global(layouts[0], test_rank(), &from);
  const dap_side a = dap_side_of((dap_darray){layouts[0], &from}),
                 b = dap_side_of((dap_darray){layouts[1], &to});
  const dap_plan_options options = {.transports = test_joining(DAP_TRANSPORT_STAGED),
                                    .message_bytes = MESSAGE};
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 0, &options, &plan, &err), &err)) {
    for (int i = 0; i < RUNS; i++) {
      memset(to.data, TEST_POISON, (size_t)dap_array_count(&to) * 8);
      EXPECT_OK(dap_plan_run(plan, from.data, to.data, &err), &err);
      check_global(layouts[1], test_rank(), &to, PADDING_FILLED);
    }
    expect_both_tried(plan);
  }
  dap_plan_destroy(&plan);
  dap_array_release(&from);
  dap_array_release(&to);
}

static void every_element_arrives_both_ways(void **state)
{
  (void)state;
  for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
    const size_t row = i / 2;
    is_coarse = i % 2 == 1;
    TEST_CASE("%s%s", rows[row].why, is_coarse ? ", with a coarse clock" : "");
    dap_layout *layouts[2] = {make(row, rows[row].from), make(row, rows[row].to)};
    move(row, layouts);
    for (int k = 0; k < 2; k++) dap_layout_destroy(&layouts[k]);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(every_element_arrives_both_ways)};
MPI_TEST_MAIN(tests)
