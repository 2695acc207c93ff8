/* Tests the costs of plans for replicas and partial sums on many processes. Previews give the messages, the
 * bytes, the memory, and the time to make a plan. Private: fan-out is forced, and previews know no nodes. */
#include "mpi_test.h"
#include "plans.h"
#include "problem_impl.h"
#include "transfer_impl.h"

#include <inttypes.h>
#include <time.h>

enum { ITEM = sizeof(double) };

/* An axis of `size` elements is cut by `cut` processes. Another axis, of length 1, has the distribution
 * `dist`. */
static dap_layout *cut_and(int64_t size, int cut, dap_dist dist)
{
  const dap_dist dists[] = {dap_dist_even(size, cut), dist};
  return layout_make(2, dists, NULL);
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

/* 100 elements go from one process to `copies` processes. Checks what each process sends and receives. In
 * all, there is one transfer for each other copy. */
static void a_tree_where_it_pays(void **state)
{
  (void)state;
  static const struct {
    int copies, first; /* first: messages of process 0, in a tree 4 of them in the first pass */
    bool is_tree;
  } rows[] = {{2, 1, false}, {8, 7, false}, {9, 4 + 1, true}, {20, 4 + 3, true}, {64, 4 + 4 + 2, true}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const int n = rows[i].copies;
    dap_layout *one = cut_and(100, 1, dap_dist_local(1)), *all = cut_and(100, 1, dap_dist_replicated(1, n));
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

/* `have` processes have the elements at first, and each hands them to fan_out others. Returns the messages in
 * all passes of a process that works in all of them. */
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

/* At first each process has one of the blocks or parts of sums. In a pass, one process hands all of them to
 * another in one message. */
static void one_message_a_neighbour_and_pass(void **state)
{
  (void)state;
  static const int fans[] = {1, 2, 3};
  enum { PROCS = 20, SIZE = 240 };
  for (int i = 0; i < 6; i++) {
    const bool sums = i % 2;
    const int fan = fans[i / 2], tree = messages_of_passes(1, PROCS, fan);
    dap_layout *from = sums ? cut_and(SIZE, 1, dap_dist_partial(1, PROCS))
                            : cut_and(SIZE, PROCS, dap_dist_local(1)),
               *to = cut_and(SIZE, 1, dap_dist_replicated(1, PROCS));
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

/* By the rule, sums for many processes go by a tree of 4. */
static void a_tree_for_sums_of_many(void **state)
{
  (void)state;
  static const struct {
    int copies, messages; /* messages that each process sends */
  } rows[] = {{8, 7 + 7}, {9, 8 + 4 + 1}, {25, 24 + 4 + 4}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const int n = rows[i].copies;
    dap_layout *from = cut_and(600, 1, dap_dist_partial(1, n)),
               *to = cut_and(600, 1, dap_dist_replicated(1, n));
    TEST_CASE("%d copies", n);
    for (int rank = 0; rank < n; rank++)
      EXPECT_INT(preview(n, rank, from, to, 0).messages_sent, rows[i].messages);
    dap_layout_destroy(&from);
    dap_layout_destroy(&to);
  }
  SETTLE();
}

/* ---- lists --------------------------------------------------------------------------------------------- */

/* Elements go to lists that are not runs. A process that reads its own copy keeps one list, however many
 * copies there are. A process that gets all addends also keeps one list for all of them. */
static void one_list_for_all_copies(void **state)
{
  (void)state;
  enum { SIZE = 4096, LISTED = SIZE * 2 * 4 /* bytes, as points */, FEW = 4, MANY = 64 };
  static int64_t list[SIZE];
  test_random random = test_random_init(210);
  for (int i = 0; i < SIZE; i++) list[i] = i;
  test_shuffle(&random, SIZE, list);
  for (int is_partial = 0; is_partial < 2; is_partial++) {
    int64_t bytes[2];
    for (int i = 0; i < 2; i++) {
      const int procs = i ? MANY : FEW;
      const int64_t length = SIZE, *const lists[] = {list};
      const dap_dist whole = is_partial ? dap_dist_partial(SIZE, procs) : dap_dist_replicated(SIZE, procs),
                     listed = dap_dist_unstructured(SIZE, 1, &length, lists);
      dap_layout *from = layout_make(1, &whole, NULL), *to = layout_make(1, &listed, NULL);
      dap_error err = {0};
      dap_plan_stats stats = {0};
      const dap_side a = side_in_c_order(from, DAP_F8), b = side_in_c_order(to, DAP_F8);
      EXPECT_OK(dap_plan_preview(procs, 0, &a, &b, 0, NULL, &stats, &err), &err);
      EXPECT_INT(stats.bytes_received, is_partial ? (int64_t)(procs - 1) * SIZE * ITEM : 0);
      bytes[i] = stats.bytes_plan;
      dap_layout_destroy(&from);
      dap_layout_destroy(&to);
    }
    TEST_CASE("%s: %" PRId64 " and %" PRId64 " bytes", is_partial ? "addends" : "copies", bytes[0], bytes[1]);
    EXPECT(bytes[1] - bytes[0] < 4 * LISTED); /* for 60 more processes */
    SETTLE();
  }
}

/* ---- memory and time -------------------------------------------------------------------------------- */

/* The plan contains the tables of copies, with two numbers twice for each copy. This also holds for a process
 * that has nothing to move. */
static void copies_are_counted(void **state)
{
  (void)state;
  enum { PROCS = 5000 };
  dap_layout *all = cut_and(1, 1, dap_dist_replicated(1, PROCS));
  const int64_t few = preview(PROCS + 1, PROCS, all, all, 0).bytes_plan;
  EXPECT_MSG(few >= PROCS * 4 * (int64_t)sizeof(int), "%" PRId64 " bytes", few);
  dap_layout_destroy(&all);
  SETTLE();
}

/* Processor time of one preview in seconds, and its bytes. */
enum { SECONDS = 10, MANY = 30000, BLOCKS = 512, ROUND = 1 << 24 };

static const struct {
  const char *why;
  int nprocs, rank, fan_out, first; /* first: rank of the first process of the destination */
  bool is_partial, is_cyclic;
  int64_t size, each; /* elements of an axis that `cut` processes cut, and of another axis */
  int cut, addends, copies;
  int64_t sent, received, most; /* numbers; bytes of the plan, 0: any */
} costs[] = {
    {"sums of many, in time that grows with their number, not its square", MANY, 7, 0, 0, true, false, MANY,
     1, 1, MANY, MANY, 2 * (MANY - 1), 2 * (MANY - 1), 0},
    /* a copy must not have a part of each block, which would take megabytes; it has two addends of a 512th,
     * and the rest */
    {"sums of others, of which none has an addend", 3 * BLOCKS, 2 * BLOCKS + 7, 0, 2 * BLOCKS, true, false,
     BLOCKS, BLOCKS, BLOCKS, 2, BLOCKS, BLOCKS *(BLOCKS - 1), BLOCKS *(BLOCKS + 1), 1 << 22},
    {"blocks that all get, as a tree of many passes", 8192, 7, 1, 0, false, false, 8192, 1, 8192, 1, 8192, -1,
     8191, 0},
    /* otherwise elements would be listed one by one */
    {"blocks whose elements alternate", 64, 4, 0, 0, false, true, ROUND, 1, 4, 1, 64, -1, ROUND, 1 << 16},
    {"parts of such blocks, added up", 64, 4, 0, 0, true, true, ROUND, 1, 4, 16, 64, -1, -1, 1 << 19},
};

static void plans_of_many_are_made_quickly(void **state)
{
  (void)state;
  static const int kept[] = {0, 1};
  static int ranks[MANY];
  const dap_part part = {.axes = kept, .naxes = 2};
  for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++) {
    const int cut = costs[i].cut, addends = costs[i].addends, copies = costs[i].copies;
    const dap_dist from[] = {dap_dist_local(costs[i].each),
                             costs[i].is_cyclic ? dap_dist_cyclic(costs[i].size, cut, 1)
                                                : dap_dist_even(costs[i].size, cut),
                             costs[i].is_partial ? dap_dist_partial(1, addends) : dap_dist_local(1)},
                   to[] = {from[0], dap_dist_local(costs[i].size), dap_dist_replicated(1, copies)};
    dap_layout *a = layout_make(3, from, NULL), *b = layout_make(3, to, NULL);
    dap_side x = side_in_c_order(a, DAP_F8), y = side_in_c_order(b, DAP_F8);
    const dap_plan_options o = {.transports = DAP_FORCED_FAN_OUT * (unsigned)costs[i].fan_out};
    dap_plan_stats stats = {0};
    dap_error err = {0};
    TEST_CASE("%s", costs[i].why);
    for (int c = 0; c < copies; c++) ranks[c] = costs[i].first + c;
    x.part = y.part = part;
    y.ranks = ranks;
    const clock_t begun = clock();
    EXPECT_OK(dap_plan_preview(costs[i].nprocs, costs[i].rank, &x, &y, 0, &o, &stats, &err), &err);
    const double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    if (costs[i].sent >= 0) EXPECT_INT(stats.bytes_sent, costs[i].sent * ITEM);
    if (costs[i].received >= 0) EXPECT_INT(stats.bytes_received, costs[i].received * ITEM);
    if (costs[i].most) EXPECT_MSG(stats.bytes_plan < costs[i].most, "%" PRId64 " bytes", stats.bytes_plan);
    EXPECT_MSG(seconds < SECONDS, "%g seconds", seconds);
    dap_layout_destroy(&a);
    dap_layout_destroy(&b);
    SETTLE();
  }
}

/* The time for choosing from copies must grow with the number of copies or readers, not with their product.
 * With the product it would take minutes. */
static void many_that_read_from_many(void **state)
{
  (void)state;
  enum { PAIRS = 15000 };
  static int ranks[2 * PAIRS], hosts[2 * PAIRS];
  static const int kept[] = {0};
  dap_layout *layout = cut_and(1, 1, dap_dist_replicated(1, PAIRS));
  dap_side from = side_in_c_order(layout, DAP_F8), to = from;
  dap_problem problem = {0};
  dap_error err = {0};
  for (int r = 0; r < 2 * PAIRS; r++) ranks[r] = r;
  for (int r = 0; r < 2 * PAIRS; r++) hosts[r] = r % PAIRS / 50; /* 50 copies and 50 readers on each host */
  from.part = to.part = (dap_part){.axes = kept, .naxes = 1};
  to.ranks = ranks + PAIRS;
  const dap_plan_arguments arguments = {.from = &from, .to = &to, .options = &(dap_plan_options){0}};
  EXPECT_OK(dap_problem_take(&from, &to, &problem, &err), &err);
  EXPECT_OK(dap_problem_check(2 * PAIRS, 0, &arguments, &problem, &err), &err);
  problem.copies->hosts = hosts;
  const clock_t begun = clock();
  for (int i = 0; i < PAIRS; i++) {
    const int reader[DAP_MAX_NDIM] = {0, i};
    int read[DAP_MAX_NDIM] = {0};
    (void)dap_copies_read(&problem, DAP_READS_NEAREST, false, read, reader);
    EXPECT_INT(read[1] / 50, i / 50);
  }
  const double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
  EXPECT_MSG(seconds < SECONDS, "%g seconds", seconds);
  dap_problem_release(&problem);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_tree_for_sums_of_many),
    cmocka_unit_test(a_tree_where_it_pays),
    cmocka_unit_test(one_message_a_neighbour_and_pass),
    cmocka_unit_test(one_list_for_all_copies),
    cmocka_unit_test(copies_are_counted),
    cmocka_unit_test(plans_of_many_are_made_quickly),
    cmocka_unit_test(many_that_read_from_many),
};
MPI_TEST_MAIN(tests)
