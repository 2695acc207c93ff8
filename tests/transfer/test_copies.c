/* Who is read of several that have an element: the reader itself, else one on its node, else any; and both
 * ends choose the same. And in which order copies get elements: those that have them first, each once. By
 * brute force, on many processes that are nowhere but in tables. */
#include "mpi_test.h"
#include "transfer_impl.h"

#include <inttypes.h>
#include <time.h>

enum { CASES = 300, MOST = 24 /* processes of a side */, HOSTS = 5, MANY = 20000 };

typedef struct side {
  dap_layout *layout;
  int procs[3]; /* of blocks, copies and addends */
  int ranks[MOST];
} side;

static int nprocs_of(const side *s)
{
  return s->procs[0] * s->procs[1] * s->procs[2];
}

/* An axis that is cut, and two of length 1. */
static dap_layout *layout_of(const int procs[3])
{
  const dap_dist dists[] = {dap_dist_even(procs[0], procs[0]), dap_dist_replicated(1, procs[1]),
                            procs[2] > 1 ? dap_dist_partial(1, procs[2]) : dap_dist_local(1)};
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(3, dists, &layout, &err), &err);
  return layout;
}

static void draw_side(test_random *random, bool is_source, side *s)
{
  s->procs[0] = (int)test_random_int(random, 1, 4);
  s->procs[1] = (int)test_random_int(random, 1, is_source ? 3 : 6);
  s->procs[2] = is_source ? (int)test_random_int(random, 1, 2) : 1;
  s->layout = layout_of(s->procs);
  for (int i = 0; i < MOST; i++) s->ranks[i] = i;
  test_shuffle(random, MOST, s->ranks);
}

/* As rank 0 sees it: the single element along the first axis that both have in common. */
static void make_problem(int nprocs, const dap_layout *from, const int from_ranks[], const dap_layout *to,
                         const int to_ranks[], dap_problem *problem)
{
  static const int64_t start[3] = {0}, shape[3] = {1, 1, 1};
  static const int kept[] = {0};
  const dap_part part = {.axes = kept, .naxes = 1, .start = start, .shape = shape};
  const dap_side a = {.layout = from, .ranks = from_ranks, .contiguous = true, .dtype = DAP_F8, .part = part},
                 b = {.layout = to, .ranks = to_ranks, .contiguous = true, .dtype = DAP_F8, .part = part};
  dap_error err = {0};
  *problem = (dap_problem){0};
  EXPECT_OK(dap_problem_take(&a, &b, problem, &err), &err);
  const dap_plan_arguments arguments = {.from = &a, .to = &b, .options = &(dap_plan_options){0}};
  EXPECT_OK(dap_problem_check(nprocs, 0, &arguments, problem, &err), &err);
}

/* ---- by brute force ------------------------------------------------------------------------------------ */

static int rank_at(const side *s, const int coords[3])
{
  return s->ranks[(coords[0] * s->procs[1] + coords[1]) * s->procs[2] + coords[2]];
}

/* Of the copies of a block and addend, the one that the process at to[] reads. */
static void check_reader(const dap_problem *problem, const side *from, const int block[3], int reader,
                         const int to[3], const int hosts[])
{
  int read[DAP_MAX_NDIM] = {block[0], 0, block[2]}, senders = 0;
  bool has_own = false, has_near = false;
  EXPECT(dap_copies_read(problem, DAP_READS_NEAREST, false, read, to));
  const int chosen = rank_at(from, read);
  for (int copy = 0; copy < from->procs[1]; copy++) {
    int sender[DAP_MAX_NDIM] = {block[0], copy, block[2]};
    const int rank = rank_at(from, sender);
    const bool sends = dap_copies_read(problem, DAP_READS_NEAREST, true, sender, to);
    EXPECT(sends == (rank == chosen));
    has_own = has_own || rank == reader;
    has_near = has_near || (hosts && hosts[rank] == hosts[reader]);
    senders += sends;
  }
  EXPECT_INT(senders, 1);
  EXPECT(read[0] == block[0] && read[2] == block[2]);
  if (has_own) EXPECT_INT(chosen, reader);
  if (has_near) EXPECT_INT(hosts[chosen], hosts[reader]);
}

static void check_readers(const dap_problem *problem, const side *from, const side *to, const int hosts[])
{
  for (int i = 0; i < nprocs_of(to); i++)
    for (int j = 0; j < from->procs[0] * from->procs[2]; j++) {
      const int at[DAP_MAX_NDIM] = {i / to->procs[1], i % to->procs[1], 0},
                block[3] = {j / from->procs[2], 0, j % from->procs[2]};
      check_reader(problem, from, block, to->ranks[i], at, hosts);
    }
}

/* Whether a rank has the block, as any copy or any addend. */
static bool has_block(const side *from, int rank, int block)
{
  for (int i = 0; i < nprocs_of(from); i++)
    if (from->ranks[i] == rank && i / (from->procs[1] * from->procs[2]) == block) return true;
  return false;
}

/* In which copies[] of a block of the destination get a block of the source. */
static void check_order(const dap_problem *problem, const side *from, const side *to, int block, int target)
{
  const int source[DAP_MAX_NDIM] = {block, 0, 0}, copies = to->procs[1];
  int at[DAP_MAX_NDIM] = {target, 0, 0}, holders = 0;
  bool seen[MOST] = {false};
  const dap_order_of_copies order = dap_copies_order(problem, source, at);
  for (int copy = 0; copy < copies; copy++) {
    const int place = dap_copies_place(&order, copy);
    at[1] = copy;
    const bool holds = has_block(from, rank_at(to, at), block);
    if (!EXPECT(place >= 0 && place < copies && !seen[place])) return;
    seen[place] = true;
    EXPECT_INT(dap_copies_at(&order, place), copy);
    EXPECT((place < order.count) == holds);
    holders += holds;
  }
  EXPECT_INT(order.count, holders);
  /* the others in turn */
  for (int place = holders + 1; place < copies; place++) {
    int next = dap_copies_at(&order, place - 1);
    do {
      next = (next + 1) % copies;
      at[1] = next;
    } while (has_block(from, rank_at(to, at), block));
    EXPECT_INT(dap_copies_at(&order, place), next);
  }
}

static void check_orders(const dap_problem *problem, const side *from, const side *to)
{
  for (int i = 0; i < from->procs[0]; i++)
    for (int j = 0; j < to->procs[0]; j++) check_order(problem, from, to, i, j);
}

static void random_sides(void **state)
{
  (void)state;
  test_random random = test_random_init(310);
  for (int i = 0; i < CASES; i++) {
    side from, to;
    int hosts[MOST];
    dap_problem problem;
    draw_side(&random, true, &from);
    draw_side(&random, false, &to);
    for (int r = 0; r < MOST; r++) hosts[r] = (int)test_random_int(&random, 0, HOSTS - 1);
    TEST_CASE("seed %" PRIu64 ", case %d: %d x %d x %d to %d x %d", test_seed(), i, from.procs[0],
              from.procs[1], from.procs[2], to.procs[0], to.procs[1]);
    make_problem(MOST, from.layout, from.ranks, to.layout, to.ranks, &problem);
    if (problem.copies) {
      check_readers(&problem, &from, &to, NULL); /* each on its own node */
      problem.copies->hosts = hosts;
      check_readers(&problem, &from, &to, hosts);
      check_orders(&problem, &from, &to);
    }
    dap_problem_release(&problem);
    dap_layout_destroy(&from.layout);
    dap_layout_destroy(&to.layout);
  }
  SETTLE();
}

/* ---- work ---------------------------------------------------------------------------------------------- */

/* Where no copy has an addend each part of a block is added up by one copy, and none has much more to do than
 * others, nor parts of nearly all blocks if these are many. */
static void copies_share_the_work(void **state)
{
  (void)state;
  enum { BLOCKS = 512, COPIES = 512, MOST_PARTS = 5 };
  static const struct {
    int blocks, copies;
  } rows[] = {{1, 8}, {4, 8}, {5, 8}, {8, 2}, {100, 7}, {7, 100}, {BLOCKS, COPIES}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const int blocks = rows[i].blocks, copies = rows[i].copies;
    const int from_procs[3] = {blocks, 1, 2}, to_procs[3] = {1, copies, 1};
    dap_layout *from = layout_of(from_procs), *to = layout_of(to_procs);
    int ranks[COPIES], parts[COPIES] = {0};
    double work[COPIES] = {0};
    dap_problem problem;
    TEST_CASE("%d blocks, %d copies", blocks, copies);
    for (int c = 0; c < copies; c++) ranks[c] = 2 * blocks + c;
    make_problem(2 * blocks + copies, from, NULL, to, ranks, &problem);
    for (int block = 0; block < blocks; block++) {
      double shared = 0;
      bool seen[COPIES] = {false};
      for (int c = 0; c < copies; c++) {
        const int source[DAP_MAX_NDIM] = {block}, at[DAP_MAX_NDIM] = {0, c};
        const dap_block_segment segment = dap_copies_segment(&problem, true, source, at);
        if (segment.parts == 0) continue;
        EXPECT(segment.part >= 0 && segment.part < segment.parts && !seen[segment.part]);
        seen[segment.part] = true;
        shared += 1.0 / segment.parts;
        work[c] += 1.0 / segment.parts;
        parts[c]++;
      }
      EXPECT_MSG(shared > 0.999 && shared < 1.001, "%g of block %d is added up", shared, block);
    }
    for (int c = 0; c < copies; c++) {
      EXPECT_MSG(work[c] <= 1.5 * blocks / copies, "copy %d adds up %g of %d blocks", c, work[c], blocks);
      EXPECT_MSG(parts[c] <= MOST_PARTS + 2 * blocks / copies * MOST_PARTS, "copy %d has %d parts", c,
                 parts[c]);
    }
    dap_problem_release(&problem);
    dap_layout_destroy(&from);
    dap_layout_destroy(&to);
  }
  SETTLE();
}

/* ---- cost ---------------------------------------------------------------------------------------------- */

/* In time that grows with the number of copies, or of those who read them, not with their product: that would
 * be minutes. */
static void many_that_read_from_many(void **state)
{
  (void)state;
  enum { SECONDS = 5 };
  static int ranks[2 * MANY], hosts[2 * MANY];
  static const int procs[3] = {1, MANY, 1};
  dap_layout *layout = layout_of(procs);
  dap_problem problem;
  for (int r = 0; r < 2 * MANY; r++) ranks[r] = r;
  for (int r = 0; r < 2 * MANY; r++) hosts[r] = r % MANY / 50; /* 50 copies and 50 readers on each */
  make_problem(2 * MANY, layout, ranks, layout, ranks + MANY, &problem);
  problem.copies->hosts = hosts;
  const clock_t begun = clock();
  for (int i = 0; i < MANY; i++) {
    const int to[DAP_MAX_NDIM] = {0, i, 0};
    int from[DAP_MAX_NDIM] = {0};
    (void)dap_copies_read(&problem, DAP_READS_NEAREST, false, from, to);
    EXPECT_INT(from[1] / 50, i / 50);
  }
  const double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
  EXPECT_MSG(seconds < SECONDS, "%g seconds", seconds);
  dap_problem_release(&problem);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_sides),
    cmocka_unit_test(copies_share_the_work),
    cmocka_unit_test(many_that_read_from_many),
};
MPI_TEST_MAIN(tests)
