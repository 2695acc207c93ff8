/* What plans of replicas and partial sums cost where there are many processes, as their previews say:
 * messages, bytes, memory, and the time it takes to make them. */
#include "mpi_test.h"
#include "problem_impl.h"

#include <inttypes.h>
#include <time.h>

enum { ITEM = sizeof(double) };

/* One axis of `size` elements, cut by `cut` processes, and one of length 1 that `dist` leaves whole. */
static dap_layout *layout_of(int64_t size, int cut, dap_dist dist)
{
  const dap_dist dists[] = {dap_dist_even(size, cut), dist};
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  return layout;
}

static dap_plan_stats preview(int nprocs, int rank, const dap_layout *from, const dap_layout *to, int fan_out)
{
  static const int kept[] = {0};
  const dap_part part = {.axes = kept, .naxes = 1};
  const dap_side a = {.layout = from, .contiguous = true, .dtype = DAP_F8, .part = part},
                 b = {.layout = to, .contiguous = true, .dtype = DAP_F8, .part = part};
  const dap_plan_options o = {.transports = DAP_FORCED_FAN_OUT * (unsigned)fan_out};
  dap_plan_stats stats = {0};
  dap_error err = {0};
  EXPECT_OK(dap_plan_preview(nprocs, rank, &a, &b, 0, &o, &stats, &err), &err);
  return stats;
}

/* ---- trees --------------------------------------------------------------------------------------------- */

/* From one process to `copies`: what each sends and receives of 100 elements; in all one transfer for each
 * other copy. */
static void a_tree_where_it_pays(void **state)
{
  (void)state;
  static const struct {
    int copies,
        first; /* what process 0 sends: to 4 in the first pass of a tree, to a few in each later one */
    bool is_tree;
  } rows[] = {{2, 1, false}, {8, 7, false}, {9, 4 + 1, true}, {20, 4 + 3, true}, {64, 4 + 4 + 2, true}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const int n = rows[i].copies;
    dap_layout *one = layout_of(100, 1, dap_dist_local(1)),
               *all = layout_of(100, 1, dap_dist_replicated(1, n));
    int64_t sent = 0;
    TEST_CASE("%d copies", n);
    for (int rank = 0; rank < n; rank++) {
      const dap_plan_stats stats = preview(n, rank, one, all, 0);
      if (rank == 0) EXPECT_INT(stats.messages_sent, rows[i].first);
      if (rank > 0) EXPECT_INT(stats.messages_received, 1);
      if (rank == 1) EXPECT(rows[i].is_tree == (stats.messages_sent > 0));
      sent += stats.bytes_sent;
    }
    EXPECT_INT(sent, (int64_t)(n - 1) * 100 * ITEM);
    dap_layout_destroy(&one);
    dap_layout_destroy(&all);
    SETTLE();
  }
}

/* Copies that have it, at first `have`, hand it to fan_out others each: the passes' messages of a process
 * that has work in all of them. */
static int messages_of_passes(int64_t have, int copies, int fan_out)
{
  int messages = 0;
  while (have < copies) {
    const int64_t then = have * (1 + fan_out) < copies ? have * (1 + fan_out) : copies;
    messages += (int)((then - have + have - 1) / have);
    have = then;
  }
  return messages;
}

/* Blocks, or parts of sums, of which every process has one at first: however many of them one process hands
 * to another in a pass, they are one message. */
static void one_message_a_neighbour_and_pass(void **state)
{
  (void)state;
  static const int fans[] = {1, 2, 3};
  enum { PROCS = 20, SIZE = 240 };
  for (int i = 0; i < 6; i++) {
    const bool sums = i % 2;
    const int fan = fans[i / 2], tree = messages_of_passes(1, PROCS, fan);
    dap_layout *from = sums ? layout_of(SIZE, 1, dap_dist_partial(1, PROCS))
                            : layout_of(SIZE, PROCS, dap_dist_local(1)),
               *to = layout_of(SIZE, 1, dap_dist_replicated(1, PROCS));
    int64_t sent = 0;
    TEST_CASE("%s, fan_out %d", sums ? "sums" : "blocks", fan);
    for (int rank = 0; rank < PROCS; rank++) {
      const dap_plan_stats stats = preview(PROCS, rank, from, to, fan);
      EXPECT_INT(stats.messages_sent, tree + (sums ? PROCS - 1 : 0));
      EXPECT_INT(stats.messages_received, tree + (sums ? PROCS - 1 : 0));
      sent += stats.bytes_sent;
    }
    EXPECT_INT(sent, (int64_t)(PROCS - 1) * (1 + sums) * SIZE * ITEM);
    dap_layout_destroy(&from);
    dap_layout_destroy(&to);
    SETTLE();
  }
}

/* The rule gives sums to many processes a tree of 4. */
static void a_tree_for_sums_of_many(void **state)
{
  (void)state;
  static const struct {
    int copies, messages; /* that each process sends */
  } rows[] = {{8, 7 + 7}, {9, 8 + 4 + 1}, {25, 24 + 4 + 4}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const int n = rows[i].copies;
    dap_layout *from = layout_of(600, 1, dap_dist_partial(1, n)),
               *to = layout_of(600, 1, dap_dist_replicated(1, n));
    TEST_CASE("%d copies", n);
    for (int rank = 0; rank < n; rank++)
      EXPECT_INT(preview(n, rank, from, to, 0).messages_sent, rows[i].messages);
    dap_layout_destroy(&from);
    dap_layout_destroy(&to);
  }
  SETTLE();
}

/* ---- lists --------------------------------------------------------------------------------------------- */

/* To lists in an order that no runs describe: a process that reads its own copy keeps one list, however many
 * copies there are; and one that gets all addends, one for all of them. */
static void one_list_for_all_copies(void **state)
{
  (void)state;
  enum { SIZE = 4096, LISTED = SIZE * 2 * 4 /* bytes, as points */, FEW = 4, MANY = 64 };
  static int64_t list[SIZE];
  test_random random = test_random_init(210);
  for (int i = 0; i < SIZE; i++) list[i] = i;
  test_shuffle_long(&random, SIZE, list);
  for (int is_partial = 0; is_partial < 2; is_partial++) {
    int64_t bytes[2];
    for (int i = 0; i < 2; i++) {
      const int procs = i ? MANY : FEW;
      const int64_t length = SIZE, *const lists[] = {list};
      const dap_dist whole = is_partial ? dap_dist_partial(SIZE, procs) : dap_dist_replicated(SIZE, procs),
                     listed = dap_dist_unstructured(SIZE, 1, &length, lists);
      dap_layout *from = NULL, *to = NULL;
      dap_error err = {0};
      dap_plan_stats stats = {0};
      EXPECT_OK(dap_layout_create(1, &whole, &from, &err), &err);
      EXPECT_OK(dap_layout_create(1, &listed, &to, &err), &err);
      const dap_side a = {.layout = from, .contiguous = true, .dtype = DAP_F8},
                     b = {.layout = to, .contiguous = true, .dtype = DAP_F8};
      EXPECT_OK(dap_plan_preview(procs, 0, &a, &b, 0, NULL, &stats, &err), &err);
      EXPECT_INT(stats.bytes_received, is_partial ? (int64_t)(procs - 1) * SIZE * ITEM : 0);
      bytes[i] = stats.bytes_plan;
      dap_layout_destroy(&from);
      dap_layout_destroy(&to);
    }
    TEST_CASE("%s: %" PRId64 " and %" PRId64 " bytes", is_partial ? "addends" : "copies", bytes[0], bytes[1]);
    EXPECT(bytes[1] - bytes[0] < 4 * LISTED); /* of 60 processes more */
    SETTLE();
  }
}

/* ---- memory and time -------------------------------------------------------------------------------- */

/* The tables of copies, of two numbers twice for each, are the plan's, too, also of a process that has
 * nothing to move. */
static void copies_are_counted(void **state)
{
  (void)state;
  enum { PROCS = 5000 };
  dap_layout *all = layout_of(1, 1, dap_dist_replicated(1, PROCS));
  const int64_t few = preview(PROCS + 1, PROCS, all, all, 0).bytes_plan;
  EXPECT_MSG(few >= PROCS * 4 * (int64_t)sizeof(int), "%" PRId64 " bytes", few);
  dap_layout_destroy(&all);
  SETTLE();
}

/* In time that grows with their number, not its square: that would be minutes. */
static void sums_of_many_are_made_quickly(void **state)
{
  (void)state;
  enum { PROCS = 30000, SECONDS = 20 };
  dap_layout *from = layout_of(PROCS, 1, dap_dist_partial(1, PROCS)),
             *to = layout_of(PROCS, 1, dap_dist_replicated(1, PROCS));
  const clock_t begun = clock();
  const dap_plan_stats stats = preview(PROCS, 7, from, to, 0);
  const double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
  EXPECT_INT(stats.bytes_sent, (int64_t)2 * (PROCS - 1) * ITEM);
  EXPECT_INT(stats.bytes_received, stats.bytes_sent);
  EXPECT_MSG(seconds < SECONDS, "%g seconds", seconds);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  SETTLE();
}

/* The same for copies on other processes, of which none has an addend: a copy has not something of each
 * block, which would be megabytes and minutes, and more messages than memory for them. */
static void sums_of_others_are_made_quickly(void **state)
{
  (void)state;
  enum { BLOCKS = 512, COPIES = 512, ROWS = 512, SECONDS = 10, BYTES = 1 << 22 };
  static const int kept[] = {0, 1};
  const dap_dist from[] = {dap_dist_local(ROWS), dap_dist_even(BLOCKS, BLOCKS), dap_dist_partial(1, 2)},
                 to[] = {dap_dist_local(ROWS), dap_dist_local(BLOCKS), dap_dist_replicated(1, COPIES)};
  const dap_part part = {.axes = kept, .naxes = 2};
  int ranks[COPIES];
  dap_layout *a = NULL, *b = NULL;
  dap_plan_stats stats = {0};
  dap_error err = {0};
  for (int c = 0; c < COPIES; c++) ranks[c] = 2 * BLOCKS + c;
  EXPECT_OK(dap_layout_create(3, from, &a, &err), &err);
  EXPECT_OK(dap_layout_create(3, to, &b, &err), &err);
  const dap_side x = {.layout = a, .contiguous = true, .dtype = DAP_F8, .part = part},
                 y = {.layout = b, .ranks = ranks, .contiguous = true, .dtype = DAP_F8, .part = part};
  const clock_t begun = clock();
  EXPECT_OK(dap_plan_preview(2 * BLOCKS + COPIES, 2 * BLOCKS + 7, &x, &y, 0, NULL, &stats, &err), &err);
  const double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
  EXPECT_INT(stats.bytes_received,
             (int64_t)ROWS * (BLOCKS + 1) * ITEM); /* two addends of a 512th, and the rest */
  EXPECT_INT(stats.bytes_sent, (int64_t)ROWS * (COPIES - 1) * ITEM);
  EXPECT_MSG(stats.bytes_plan < BYTES, "%" PRId64 " bytes", stats.bytes_plan);
  EXPECT_MSG(seconds < SECONDS, "%g seconds", seconds);
  dap_layout_destroy(&a);
  dap_layout_destroy(&b);
  SETTLE();
}

/* The same of blocks that all get, as a tree of many passes. */
static void blocks_of_many_are_made_quickly(void **state)
{
  (void)state;
  enum { PROCS = 8192, SECONDS = 10 };
  dap_layout *cut = layout_of(PROCS, PROCS, dap_dist_local(1)),
             *whole = layout_of(PROCS, 1, dap_dist_replicated(1, PROCS));
  const clock_t begun = clock();
  const dap_plan_stats stats = preview(PROCS, 7, cut, whole, 1);
  const double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
  EXPECT_INT(stats.bytes_received, (int64_t)(PROCS - 1) * ITEM);
  EXPECT_MSG(seconds < SECONDS, "%g seconds", seconds);
  dap_layout_destroy(&cut);
  dap_layout_destroy(&whole);
  SETTLE();
}

/* Blocks whose elements alternate, and parts of such blocks, are not listed one by one and sorted: that would
 * take twenty times as long. */
static void long_cyclic_blocks(void **state)
{
  (void)state;
  enum { BLOCKS = 4, COPIES = 64, SECONDS = 6, BYTES = 1 << 16 };
  const int64_t size = (int64_t)1 << 24;
  for (int is_partial = 0; is_partial < 2; is_partial++) {
    const dap_dist dists[] = {dap_dist_cyclic(size, BLOCKS, 1),
                              is_partial ? dap_dist_partial(1, COPIES / BLOCKS) : dap_dist_local(1)};
    dap_layout *from = NULL, *to = layout_of(size, 1, dap_dist_replicated(1, COPIES));
    dap_error err = {0};
    EXPECT_OK(dap_layout_create(2, dists, &from, &err), &err);
    TEST_CASE("%s", is_partial ? "sums" : "blocks");
    const clock_t begun = clock();
    const dap_plan_stats stats = preview(COPIES, BLOCKS, from, to, 0);
    const double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    EXPECT(stats.bytes_received >= size * ITEM);
    EXPECT_MSG(stats.bytes_plan < BYTES * (is_partial ? 8 : 1), "%" PRId64 " bytes", stats.bytes_plan);
    EXPECT_MSG(seconds < SECONDS, "%g seconds", seconds);
    dap_layout_destroy(&from);
    dap_layout_destroy(&to);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_tree_for_sums_of_many),
    cmocka_unit_test(a_tree_where_it_pays),
    cmocka_unit_test(one_message_a_neighbour_and_pass),
    cmocka_unit_test(one_list_for_all_copies),
    cmocka_unit_test(copies_are_counted),
    cmocka_unit_test(sums_of_many_are_made_quickly),
    cmocka_unit_test(sums_of_others_are_made_quickly),
    cmocka_unit_test(long_cyclic_blocks),
    cmocka_unit_test(blocks_of_many_are_made_quickly),
};
MPI_TEST_MAIN(tests)
