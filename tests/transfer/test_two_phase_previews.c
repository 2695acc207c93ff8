/* Tests previews of plans with two phases on more processes than a test can start. Previews of all
 * processes must fit together, and must choose two phases when they should. Private: phases are forced. */
#include "mpi_test.h"
#include "plans.h"
#include "problem_impl.h"

typedef enum cut { EVEN, DEALT, DEALT_64, ROWS, COLUMNS, GRID, WHOLE } cut;

/* The layout has one axis, or two equal ones. */
static dap_layout *make_layout(cut kind, int64_t size, int n)
{
  int side = 1;
  while (side * side < n) side++;
  const dap_dist dists[] = {kind == EVEN       ? dap_dist_even(size, n)
                            : kind == DEALT    ? dap_dist_cyclic(size, n, 1)
                            : kind == DEALT_64 ? dap_dist_cyclic(size, n, 64)
                            : kind == ROWS     ? dap_dist_even(size, n)
                            : kind == WHOLE    ? dap_dist_replicated(size, n)
                            : kind == GRID     ? dap_dist_cyclic(size, n / side, 64)
                                               : dap_dist_local(size),
                            kind == COLUMNS ? dap_dist_even(size, n)
                            : kind == GRID  ? dap_dist_cyclic(size, side, 64)
                                            : dap_dist_local(size)};
  return layout_make(kind == ROWS || kind == COLUMNS || kind == GRID ? 2 : 1, dists, NULL);
}

/* All that is sent must be received. It goes twice, except for elements that need no third process. */
static void all_previews_fit_together(void **state)
{
  (void)state;
  static const struct {
    int n, columns;
    int64_t size;
    cut from, to;
  } rows[] = {{64, 8, 5000, EVEN, DEALT},  {65, 9, 5000, DEALT, EVEN},    {71, 9, 300, EVEN, DEALT_64},
              {72, 9, 150, ROWS, COLUMNS}, {73, 9, 8000, DEALT_64, EVEN}, {90, 10, 300, COLUMNS, ROWS},
              {100, 10, 150, EVEN, DEALT}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const int n = rows[i].n;
    TEST_CASE("row %zu, %d processes", i, n);
    dap_layout *from = make_layout(rows[i].from, rows[i].size, n),
               *to = make_layout(rows[i].to, rows[i].size, n);
    const dap_side a = side_in_c_order(from, DAP_NONE), b = side_in_c_order(to, DAP_NONE);
    int64_t bytes = 0, messages = 0, direct = 0, handed_on = 0;
    for (int rank = 0; rank < n; rank++) {
      dap_plan_stats one, two;
      dap_error err = {0};
      EXPECT_OK(dap_plan_preview(n, rank, &a, &b, 8, &(dap_plan_options){.transports = DAP_FORCED_ONE_PHASE},
                                 &one, &err),
                &err);
      EXPECT_OK(dap_plan_preview(n, rank, &a, &b, 8, &(dap_plan_options){.transports = DAP_FORCED_TWO_PHASES},
                                 &two, &err),
                &err);
      if (one.messages_sent + one.messages_received > 0) EXPECT_INT(two.phases, 2);
      EXPECT(two.messages_sent <= 2 * rows[i].columns && two.messages_received <= 3 * rows[i].columns);
      EXPECT_INT(two.bytes_local, one.bytes_local);
      bytes += two.bytes_sent - two.bytes_received;
      messages += two.messages_sent - two.messages_received;
      direct += two.bytes_sent - two.bytes_handed_on - one.bytes_sent;
      handed_on += two.bytes_handed_on;
    }
    EXPECT_INT(bytes, 0);
    EXPECT_INT(messages, 0);
    EXPECT_INT(direct, 0);
    EXPECT(handed_on > 0);
    dap_layout_destroy(&from);
    dap_layout_destroy(&to);
  }
}

/* By the rule there is one phase with fewer than 64 processes, for large messages or too little memory, and
 * for copies. */
static void two_where_that_pays(void **state)
{
  (void)state;
  static const struct {
    int n;
    int64_t size;
    cut from, to;
    dap_plan_options options;
    int64_t phases, messages;
  } rows[] = {{63, 1 << 20, EVEN, DEALT, {0}, 1, 62},
              {64, 1 << 20, EVEN, DEALT, {0}, 2, 14},
              {64, 1 << 20, EVEN, DEALT, {.transports = DAP_FORCED_ONE_PHASE}, 1, 63},
              {64, 1 << 20, EVEN, DEALT, {.memory_bytes = 300000}, 1, 63},
              {64, 1 << 20, EVEN, DEALT, {.message_bytes = 8192}, 1, 63},
              {64, 1 << 20, EVEN, EVEN, {0}, 1, 0},
              {64, 1 << 22, EVEN, DEALT, {0}, 2, 14}, /* 8 KiB each */
              {64, 1 << 23, EVEN, DEALT, {0}, 1, 63},
              {64, 1 << 25, EVEN, DEALT, {0}, 1, 63},
              {64, 1 << 25, DEALT, EVEN, {0}, 1, 63},     /* 64 KiB each: one message, ... */
              {64, 1 << 26, DEALT, EVEN, {0}, 1, 2 * 63}, /* ... and not several shorter ones */
              {64, 640, EVEN, WHOLE, {.transports = DAP_FORCED_TWO_PHASES}, 1, 63},
              {1024, 1 << 24, DEALT, EVEN, {0}, 2, 62},
              {1024, 1 << 26, DEALT, EVEN, {0}, 2, 62},
              {1024, 16384, ROWS, GRID, {0}, 1, 31},
              {1024, 4096, ROWS, COLUMNS, {0}, 2, 62},
              {4096, 1 << 26, DEALT, EVEN, {0}, 2, 126},
              {4096, 65536, ROWS, COLUMNS, {0}, 2, 126}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const int n = rows[i].n;
    TEST_CASE("row %zu, %d processes", i, n);
    dap_layout *from = make_layout(rows[i].from, rows[i].size, n),
               *to = make_layout(rows[i].to, rows[i].size, n);
    const dap_side a = side_in_c_order(from, DAP_NONE), b = side_in_c_order(to, DAP_NONE);
    dap_plan_stats stats;
    dap_error err = {0};
    EXPECT_OK(dap_plan_preview(n, 0, &a, &b, 8, &rows[i].options, &stats, &err), &err);
    EXPECT_INT(stats.phases, rows[i].phases);
    EXPECT_INT(stats.messages_sent, rows[i].messages);
    dap_layout_destroy(&from);
    dap_layout_destroy(&to);
  }
}

/* No tile is wide enough for two elements that are N apart. The search for one must end. */
static void elements_far_apart(void **state)
{
  (void)state;
  const int64_t size = (INT64_C(1) << 59) - 1, apart[] = {size - 1, 1}, whole[] = {size, 0};
  const dap_dist from[] = {dap_dist_local(2), dap_dist_lengths(size, 2, apart)},
                 to[] = {dap_dist_local(2), dap_dist_lengths(size, 2, whole)};
  dap_layout *a = layout_make(2, from, NULL), *b = layout_make(2, to, NULL);
  const dap_side source = side_in_c_order(a, DAP_NONE), target = side_in_c_order(b, DAP_NONE);
  for (int rank = 0; rank < 2; rank++) {
    dap_plan_stats stats = {0};
    dap_error err = {0};
    EXPECT_OK(dap_plan_preview(2, rank, &source, &target, 8, NULL, &stats, &err), &err);
    EXPECT_INT(rank == 0 ? stats.bytes_received : stats.bytes_sent, 16);
  }
  dap_layout_destroy(&a);
  dap_layout_destroy(&b);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(elements_far_apart),
    cmocka_unit_test(all_previews_fit_together),
    cmocka_unit_test(two_where_that_pays),
};
MPI_TEST_MAIN(tests)
