/* Tests plans of several arrays: what they refuse, how many messages they send, and what they say about
 * themselves. */
#include "mpi_test.h"
#include "plans.h"

#include <dapbridge/shared.h>
#include <inttypes.h>

enum { SIZE = 120, ARRAYS = 4 };

/* Makes a plan from blocks to elements that are dealt out one by one. */
static dap_status make_plan(const dap_plan_options *o, dap_plan **plan, dap_error *err)
{
  const dap_dist block = dap_dist_even(SIZE, test_nprocs()), dealt = dap_dist_cyclic(SIZE, test_nprocs(), 1);
  return plan_between(1, &block, &dealt, o, plan, err);
}

/* ---- arguments ---------------------------------------------------------------------------------------- */

static void wrong_numbers(void **state)
{
  (void)state;
  const int culprit = test_nprocs() - 1;
  const struct {
    const char *why;
    int64_t arrays, others;
    dap_status status;
    const char *parts;
  } rows[] = {{"negative", -1, 1, DAP_ERR_ARG, "arrays -1"},
              {"too many", INT64_C(1) << 31, 1, DAP_ERR_ARG, "arrays 2147483648"},
              {"not the others'", 3, 2, test_nprocs() > 1 ? DAP_ERR_ARG : DAP_OK, "arrays"},
              {"not the others' default", 2, 0, test_nprocs() > 1 ? DAP_ERR_ARG : DAP_OK, "arrays"},
              {"one is the default", 1, 0, DAP_OK, ""}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dap_plan *plan = NULL;
    dap_error err = {0};
    TEST_CASE("%s", rows[i].why);
    const dap_plan_options o = {.arrays = test_rank() == culprit ? rows[i].arrays : rows[i].others};
    expect_same_error(MPI_COMM_WORLD, make_plan(&o, &plan, &err), &err, rows[i].status, rows[i].parts);
    EXPECT((plan == NULL) == (rows[i].status != DAP_OK));
    dap_plan_destroy(&plan);
    SETTLE();
  }
  SETTLE();
}

/* The bytes of all arrays cannot be counted, although those of one array can. All processes and a preview
 * must find this. */
static void too_many_bytes(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist dist = dap_dist_even((INT64_C(1) << 40) * n, n);
  const dap_plan_options o = {.arrays = 1 << 30};
  dap_layout *layout = layout_make(1, &dist, NULL);
  dap_plan *plan = NULL;
  dap_plan_stats stats;
  dap_error err = {0};
  const dap_side side = side_in_c_order(layout, DAP_NONE);
  expect_same_error(MPI_COMM_WORLD, dap_plan_create(MPI_COMM_WORLD, &side, &side, 8, &o, &plan, &err), &err,
                    DAP_ERR_RANGE, "1073741824 arrays");
  EXPECT_FAIL(dap_plan_preview(n, test_rank(), &side, &side, 8, &o, &stats, &err), DAP_ERR_RANGE, &err,
              "1073741824 arrays");
  dap_layout_destroy(&layout);
  SETTLE();
}

/* A plan of several arrays cannot be begun like a plan of one array. A plan of one array can be begun like
 * one of several. */
static void begun_the_wrong_way(void **state)
{
  (void)state;
  static double memory[2 * ARRAYS][SIZE];
  const void *from[ARRAYS];
  void *to[ARRAYS];
  for (int a = 0; a < ARRAYS; a++) from[a] = memory[2 * a], to[a] = memory[2 * a + 1];
  for (int64_t count = 0; count <= ARRAYS; count += ARRAYS / 2) {
    dap_plan *plan = NULL;
    dap_error err = {0};
    EXPECT_OK(make_plan(&(dap_plan_options){.arrays = count}, &plan, &err), &err);
    if (count > 1) {
      EXPECT_FAIL(dap_plan_begin(plan, from[0], to[0], &err), DAP_ERR_ARG, &err,
                  "arrays at once|dap_plan_begin_many()");
      EXPECT_FAIL(dap_plan_run(plan, from[0], to[0], &err), DAP_ERR_ARG, &err, "arrays at once");
      EXPECT_FAIL(dap_plan_end(plan, &err), DAP_ERR_ARG, &err, "not been begun");
    }
    EXPECT_OK(dap_plan_begin_many(plan, from, to, &err), &err);
    EXPECT_FAIL(dap_plan_begin_many(plan, from, to, &err), DAP_ERR_ARG, &err, "has been begun");
    EXPECT_OK(dap_plan_end(plan, &err), &err);
    dap_plan_destroy(&plan);
    SETTLE();
  }
  SETTLE();
}

/* If only direct copies are allowed, all buffers of a side must be shared. Some are not enough. */
static void some_shared_are_not_enough(void **state)
{
  (void)state;
  if (test_nodes() > 1) return; /* all processes must share memory */
  static double memory[2][SIZE];
  const dap_dist block = dap_dist_even(SIZE, test_nprocs());
  dap_layout *layout = layout_make(1, &block, NULL);
  dap_array shared[2] = {{0}};
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(make_plan(&(dap_plan_options){.arrays = 2, .transports = DAP_TRANSPORT_DIRECT}, &plan, &err),
            &err);
  for (int side = 0; side < 2; side++)
    EXPECT_OK(dap_array_alloc(MPI_COMM_WORLD, layout, DAP_F8, DAP_ORDER_C, &shared[side], NULL, &err), &err);
  for (int last = 0; last < 2; last++) {
    const void *from[2] = {memory[0], memory[0]};
    void *to[2] = {memory[1], memory[1]};
    from[last] = shared[0].data;
    to[last] = shared[1].data;
    EXPECT_FAIL(dap_plan_run_many(plan, from, to, &err), test_nprocs() > 1 ? DAP_ERR_ARG : DAP_OK, &err,
                test_nprocs() > 1 ? "only direct|dap_array_alloc()" : "");
  }
  dap_plan_destroy(&plan);
  for (int side = 0; side < 2; side++) dap_array_release(&shared[side]);
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- messages ----------------------------------------------------------------------------------------- */

static dap_plan *halo_plan(int64_t size, const dap_plan_options *o)
{
  const dap_dist dists[] = {dap_dist_padded(size * test_nprocs(), test_nprocs(), 1), dap_dist_local(size)};
  return plan_of(2, dists, NULL, o);
}

/* If all that goes to a neighbour fits into one message, there are as many messages as for one array. There
 * are never more than for one array after the other. The memory must stay within the options. */
static void messages_of_many(void **state)
{
  (void)state;
  static const struct {
    int64_t size, message_bytes, arrays, each; /* each: arrays in a message; 0: less than one */
    unsigned transports;
  } rows[] = {{64, 0, 16, 16, DAP_TRANSPORT_MESSAGES},    {64, 0, 16, 16, DAP_TRANSPORT_STAGED},
              {8, 0, 1000, 1000, DAP_TRANSPORT_MESSAGES}, {8, 0, 1000, 1000, 0},
              {16, 1024, 16, 8, DAP_TRANSPORT_MESSAGES},  {16, 64, 5, 0, DAP_TRANSPORT_STAGED},
              {16, 2048, 16, 16, DAP_TRANSPORT_MESSAGES}, {16, 2047, 16, 8, 0}};
  const int P = test_nprocs(), neighbours = (test_rank() > 0) + (test_rank() < P - 1);
  if (P == 1) return;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dap_plan_options o = {.message_bytes = rows[i].message_bytes,
                          .transports = test_joining(rows[i].transports)};
    TEST_CASE("%" PRId64 " arrays of rows of %" PRId64, rows[i].arrays, rows[i].size);
    dap_plan *single = halo_plan(rows[i].size, &o);
    o.arrays = rows[i].arrays;
    dap_plan *plan = halo_plan(rows[i].size, &o);
    const dap_plan_stats a = dap_plan_summarize(single), b = dap_plan_summarize(plan);
    const int64_t messages = rows[i].each ? (rows[i].arrays + rows[i].each - 1) / rows[i].each : 0;
    if (messages) {
      EXPECT_INT(a.messages_sent, neighbours);
      EXPECT_INT(b.messages_sent, messages * neighbours);
      EXPECT_INT(b.messages_received, messages * neighbours);
      EXPECT_INT(b.rounds, messages);
    } else {
      EXPECT_INT(b.messages_sent, a.messages_sent * rows[i].arrays);
    }
    EXPECT_INT(b.bytes_sent, a.bytes_sent * rows[i].arrays);
    EXPECT_INT(b.bytes_received, a.bytes_received * rows[i].arrays);
    EXPECT(b.bytes_buffer <= INT64_C(64) << 20);
    dap_plan_destroy(&single);
    dap_plan_destroy(&plan);
    SETTLE();
  }
}

/* The memory that one array needs must be enough for any number of arrays. Less is refused, as for one
 * array. */
static void little_memory(void **state)
{
  (void)state;
  const int64_t least = 64 * 2 * (int64_t)(test_nprocs() - 1);
  for (int64_t count = 1; count <= 1000; count *= 10)
    for (int lacks = 0; lacks < 2 && test_nprocs() > 1; lacks++) {
      const dap_plan_options o = {
          .arrays = count, .transports = DAP_TRANSPORT_MESSAGES, .memory_bytes = least - lacks};
      dap_plan *plan = NULL;
      dap_error err = {0};
      TEST_CASE("%" PRId64 " arrays in %" PRId64 " bytes", count, o.memory_bytes);
      expect_same_error(MPI_COMM_WORLD, make_plan(&o, &plan, &err), &err, lacks ? DAP_ERR_ARG : DAP_OK,
                        "memory_bytes|too little");
      EXPECT(dap_plan_summarize(plan).bytes_buffer <= o.memory_bytes);
      dap_plan_destroy(&plan);
      SETTLE();
    }
  SETTLE();
}

/* ---- in words ----------------------------------------------------------------------------------------- */

static void says_how_many(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist block = dap_dist_even(SIZE, n), dealt = dap_dist_cyclic(SIZE, n, 1);
  const dap_plan_options o = {.arrays = 16, .transports = DAP_TRANSPORT_MESSAGES};
  dap_layout *from = layout_make(1, &block, NULL), *to = layout_make(1, &dealt, NULL);
  const dap_side a = side_in_c_order(from, DAP_F8), b = side_in_c_order(to, DAP_F8);
  dap_plan *plan = plan_of(1, &block, &dealt, &o);
  char text[4096];
  const dap_plan_stats stats = dap_plan_summarize(plan);
  EXPECT(dap_plan_describe(plan, text, sizeof text) < sizeof text);
  EXPECT_MSG(test_contains(text, "16 arrays at once, each: move of"), "%s", text);
  expect_preview(&a, &b, 0, &o, plan);
  EXPECT_INT(stats.messages_sent, n - 1);
  EXPECT_INT(stats.bytes_local + stats.bytes_received, 16 * 8 * SIZE / n);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(wrong_numbers),
    cmocka_unit_test(too_many_bytes),
    cmocka_unit_test(begun_the_wrong_way),
    cmocka_unit_test(messages_of_many),
    cmocka_unit_test(some_shared_are_not_enough),
    cmocka_unit_test(little_memory),
    cmocka_unit_test(says_how_many),
};
MPI_TEST_MAIN(tests)
