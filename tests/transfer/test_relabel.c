/* The order of ranks that moves least: against all orders of few processes, elements counted one by one; and what
 * is known of many. */
#include "axes.h"
#include "mpi_test.h"
#include "random_array.h"

#include <inttypes.h>
#include <relabel_impl.h>
#include <time.h>

enum { CASES = 1500, MEDIUM = 60, MAX_PROCS = 6, MANY = 2000 };

/* ---- by brute force ------------------------------------------------------------------------------- */

typedef struct count_table {
  int from, to, ranks;
  int64_t all;
  int64_t read[BRUTE_PROCS][BRUTE_PROCS]; /* [to][from] elements that it reads from there */
} count_table;

static void count_reads(const random_array *from, const random_array *to, count_table *t)
{
  memset(t, 0, sizeof *t);
  t->from = from->nprocs;
  t->to = to->nprocs;
  t->ranks = from->nprocs > to->nprocs ? from->nprocs : to->nprocs;
  for (int q = 0; q < to->nprocs; q++)
    for (brute_walk w = brute_walk_start(&to->model, q); !w.done; brute_walk_next(&w)) {
      int64_t local[DAP_MAX_NDIM];
      if (w.part == BRUTE_PADDING) continue;
      t->read[q][brute_find(&from->model, w.global, local)]++;
      t->all++;
    }
}

static int64_t moved(const count_table *t, const int ranks[])
{
  int64_t kept = 0;
  for (int q = 0; q < t->to; q++) kept += ranks[q] < t->from ? t->read[q][ranks[q]] : 0;
  return t->all - kept;
}

/* The most that processes q and on can keep, with those ranks not yet taken: all orders. */
static int64_t most_kept(const count_table *t, int q, unsigned taken)
{
  int64_t most = 0;
  if (q == t->to) return 0;
  for (int p = 0; p < t->ranks; p++) {
    if ((taken >> p) & 1U) continue;
    const int64_t here = (p < t->from ? t->read[q][p] : 0) + most_kept(t, q + 1, taken | 1U << p);
    if (here > most) most = here;
  }
  return most;
}

static bool is_own_order(const int ranks[], int count)
{
  for (int q = 0; q < count; q++)
    if (ranks[q] != q) return false;
  return true;
}

static bool are_different_ranks(const int ranks[], int count, int limit)
{
  bool *seen = calloc((size_t)limit, sizeof *seen);
  bool different = EXPECT(seen != NULL);
  for (int q = 0; q < count && different; q++) {
    different = EXPECT_MSG(ranks[q] >= 0 && ranks[q] < limit && !seen[ranks[q]],
                           "ranks[%d] = %d is outside or there twice", q, ranks[q]);
    if (different) seen[ranks[q]] = true;
  }
  free(seen);
  return different;
}

/* Every figure against the model; the best of all where that can be tried. */
static void check_pair(const random_array *from, const random_array *to)
{
  static count_table t;
  int ranks[BRUTE_PROCS], own[BRUTE_PROCS], again[BRUTE_PROCS];
  int64_t before = -1, after = -1;
  dap_error err = {0};
  dap_layout *source = random_array_layout(from), *destination = random_array_layout(to);
  count_reads(from, to, &t);
  for (int q = 0; q < BRUTE_PROCS; q++) own[q] = q;
  if (!source || !destination ||
      !EXPECT_OK(dap_plan_relabel(source, destination, ranks, &before, &after, &err), &err) ||
      !are_different_ranks(ranks, t.to, t.ranks)) {
    dap_layout_destroy(&source);
    dap_layout_destroy(&destination);
    return;
  }
  EXPECT_INT(before, moved(&t, own));
  EXPECT_INT(after, moved(&t, ranks));
  EXPECT(after <= before);
  EXPECT_MSG(after < before || is_own_order(ranks, t.to), "the given order is as good, but was changed");
  if (t.ranks <= MAX_PROCS) EXPECT_INT(after, t.all - most_kept(&t, 0, 0));
  EXPECT_OK(dap_plan_relabel(source, destination, again, NULL, NULL, &err), &err);
  EXPECT(!memcmp(ranks, again, (size_t)t.to * sizeof *ranks));
  dap_layout_destroy(&source);
  dap_layout_destroy(&destination);
}

/* ---- tables --------------------------------------------------------------------------------------- */

typedef struct end {
  axis_kind kinds[2];
  int procs[2];
  int ranks[MAX_PROCS]; /* all 0: in row-major order */
} end;

static const struct {
  const char *why;
  int ndim;
  int64_t size[2];
  end from, to;
  int64_t before, after;
} rows[] = {
    {"the same distribution", 1, {12}, {{EVEN}, {4}, {0}}, {{EVEN}, {4}, {0}}, 0, 0},
    {"the same in another order of ranks", 1, {12}, {{EVEN}, {4}, {0}}, {{EVEN}, {4}, {2, 3, 1, 0}}, 12, 0},
    {"both in orders of their own", 1, {12}, {{EVEN}, {4}, {1, 0, 3, 2}}, {{EVEN}, {4}, {2, 3, 1, 0}}, 12, 0},
    {"falling stretches", 1, {12}, {{EVEN}, {3}, {0}}, {{BACKWARDS}, {3}, {0}}, 8, 0},
    {"a 2 x 3 grid, row-major and column-major",
     2,
     {4, 6},
     {{EVEN, EVEN}, {2, 3}, {0}},
     {{EVEN, EVEN}, {2, 3}, {0, 2, 4, 1, 3, 5}},
     16,
     0},
    {"rows and columns", 2, {4, 4}, {{EVEN, EVEN}, {2, 1}, {0}}, {{EVEN, EVEN}, {1, 2}, {0}}, 8, 8},
    {"fewer processes: each takes half of what two had",
     1,
     {12},
     {{EVEN}, {4}, {0}},
     {{EVEN}, {2}, {0}},
     9,
     6},
    {"more processes", 1, {12}, {{EVEN}, {2}, {0}}, {{EVEN}, {4}, {0}}, 9, 6},
    {"one process has all, then none", 1, {6}, {{ONE_HOLDER}, {3}, {0}}, {{EVEN}, {3}, {0}}, 4, 4},
    {"all to another process", 1, {6}, {{EVEN}, {3}, {0}}, {{ONE_HOLDER}, {3}, {0}}, 4, 4},
    {"padding is not moved", 1, {12}, {{PADDED}, {3}, {0}}, {{RING}, {3}, {1, 2, 0}}, 12, 0},
    {"full copies: read from where they are", 1, {6}, {{EVEN}, {3}, {0}}, {{EVERYWHERE}, {3}, {0}}, 12, 12},
    {"copies of what the first owns", 1, {6}, {{WHOLE}, {3}, {0}}, {{EVEN}, {3}, {0}}, 4, 4},
    {"no elements", 2, {0, 7}, {{EVEN, CYCLIC}, {2, 2}, {0}}, {{CYCLIC, EVEN}, {2, 2}, {3, 2, 1, 0}}, 0, 0},
};

static void deal_end(const end *e, int ndim, const int64_t size[], random_array *array)
{
  dap_dist dists[2];
  test_random random = test_random_init(1);
  bool has_ranks = false;
  for (int k = 0; k < ndim; k++)
    dists[k] = make_axis(e->kinds[k], size[k], e->procs[k], 1, &random, &array->memory[k]);
  for (int i = 0; i < MAX_PROCS; i++) has_ranks = has_ranks || e->ranks[i];
  (void)array_deal(ndim, dists, has_ranks ? e->ranks : NULL, array);
}

static void table(void **state)
{
  (void)state;
  static random_array from, to;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int ranks[MAX_PROCS];
    int64_t before = -1, after = -1;
    TEST_CASE("%s", rows[i].why);
    deal_end(&rows[i].from, rows[i].ndim, rows[i].size, &from);
    deal_end(&rows[i].to, rows[i].ndim, rows[i].size, &to);
    check_pair(&from, &to);
    dap_layout *source = random_array_layout(&from), *destination = random_array_layout(&to);
    EXPECT_OK(dap_plan_relabel(source, destination, ranks, &before, &after, NULL), NULL);
    EXPECT_INT(before, rows[i].before);
    EXPECT_INT(after, rows[i].after);
    dap_layout_destroy(&source);
    dap_layout_destroy(&destination);
  }
  SETTLE();
}

/* Blocks dealt from every first owner to every other: the same blocks on other ranks. */
static void rotated(void **state)
{
  (void)state;
  for (int a = 0; a < MAX_PROCS; a++)
    for (int b = 0; b < MAX_PROCS; b++) {
      dap_dist x = dap_dist_cyclic(100, MAX_PROCS, 3), y = x;
      dap_layout *from = NULL, *to = NULL;
      int ranks[MAX_PROCS];
      int64_t before = -1, after = -1;
      x.first_owner = a;
      y.first_owner = b;
      TEST_CASE("from %d to %d", a, b);
      EXPECT_OK(dap_layout_create(1, &x, &from, NULL), NULL);
      EXPECT_OK(dap_layout_create(1, &y, &to, NULL), NULL);
      EXPECT_OK(dap_plan_relabel(from, to, ranks, &before, &after, NULL), NULL);
      EXPECT_INT(before, a == b ? 0 : 100);
      EXPECT_INT(after, 0);
      for (int q = 0; q < MAX_PROCS; q++) EXPECT_INT(ranks[q], (q - b + a + MAX_PROCS) % MAX_PROCS);
      dap_layout_destroy(&from);
      dap_layout_destroy(&to);
    }
  SETTLE();
}

/* ---- random --------------------------------------------------------------------------------------- */

static void random_pairs_of(uint64_t stream, int cases, int most_procs)
{
  static random_array from, to;
  test_random random = test_random_init(stream);
  for (int i = 0; i < cases; i++) {
    int64_t size[3];
    const int ndim = (int)test_random_int(&random, 1, 3);
    random_shape(&random, ndim, 250, size);
    random_array_draw(&random, (int)test_random_int(&random, 1, most_procs), ndim, size, &from);
    random_array_draw(&random, (int)test_random_int(&random, 1, most_procs), ndim, size, &to);
    TEST_CASE("seed %" PRIu64 ", case %d, %d -> %d: %s", test_seed(), i, from.nprocs, to.nprocs,
              random_array_text(&from));
    check_pair(&from, &to);
  }
  SETTLE();
}

static void random_pairs(void **state)
{
  (void)state;
  random_pairs_of(81, CASES, MAX_PROCS);
}

/* More processes than all orders can be tried of: the figures, and that it is no worse. */
static void random_pairs_of_many(void **state)
{
  (void)state;
  random_pairs_of(82, CASES / 4, BRUTE_PROCS);
}

/* ---- one axis of any length ------------------------------------------------------------------------- */

static int owner_of(const dap_dist *d, int64_t g)
{
  if (d->cut == DAP_CUT_CYCLIC) return (int)((g / d->block_size + d->first_owner) % d->procs);
  const int64_t each = d->size / d->procs, rest = d->size % d->procs, edge = rest * (each + 1);
  return (int)(g < edge ? g / (each + 1) : rest + (g - edge) / each);
}

/* Both figures against elements counted one by one. */
static void check_axis(const dap_dist *x, const dap_dist *y)
{
  dap_layout *from = NULL, *to = NULL;
  const int limit = x->procs > y->procs ? x->procs : y->procs;
  int *ranks = malloc((size_t)y->procs * sizeof *ranks);
  int64_t before = -1, after = -1, stay = 0, kept = 0;
  EXPECT_OK(dap_layout_create(1, x, &from, NULL), NULL);
  EXPECT_OK(dap_layout_create(1, y, &to, NULL), NULL);
  EXPECT_OK(dap_plan_relabel(from, to, ranks, &before, &after, NULL), NULL);
  const bool usable = ranks && are_different_ranks(ranks, y->procs, limit);
  for (int64_t g = 0; g < x->size && usable; g++) {
    const int p = owner_of(x, g), q = owner_of(y, g);
    stay += p == q;
    kept += p == ranks[q];
  }
  EXPECT_INT(before, x->size - stay);
  EXPECT_INT(after, x->size - kept);
  EXPECT(after <= before);
  free(ranks);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
}

/* Axes whose common pattern repeats, wholly or in part. */
static void long_axes(void **state)
{
  (void)state;
  test_random random = test_random_init(83);
  for (int i = 0; i < CASES; i++) {
    const int64_t size = test_random_int(&random, 1, MANY);
    dap_dist dists[2];
    for (int side = 0; side < 2; side++) {
      const int procs = (int)test_random_int(&random, 1, 12);
      dists[side] = dap_dist_cyclic(size, procs, test_random_int(&random, 1, 9));
      dists[side].first_owner = (int)test_random_int(&random, 0, procs - 1);
      if (test_random_one_in(&random, 4)) dists[side] = dap_dist_even(size, procs);
    }
    TEST_CASE("seed %" PRIu64 ", case %d: %s -> %s", test_seed(), i, dist_text(&dists[0]),
              dist_text(&dists[1]));
    check_axis(&dists[0], &dists[1]);
  }
  SETTLE();
}

/* So many pairs of processes that have elements in common that they are not kept. */
static void dense_axes(void **state)
{
  (void)state;
  enum { PROCS = 4200, LONG = PROCS * PROCS };
  const dap_dist even = dap_dist_even(LONG, PROCS), dealt = dap_dist_cyclic(LONG, PROCS, 1),
                 other = dap_dist_cyclic(LONG, PROCS - 1, 3);
  const struct {
    const char *why;
    const dap_dist *from, *to;
  } pairs[] = {{"stretches to single indices dealt", &even, &dealt},
               {"and back", &dealt, &even},
               {"dealt in another rhythm", &dealt, &other}};
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    const clock_t begin = clock();
    TEST_CASE("%s", pairs[i].why);
    check_axis(pairs[i].from, pairs[i].to);
    print_message("%-48s %.2f s with the count\n", pairs[i].why, (double)(clock() - begin) / CLOCKS_PER_SEC);
  }
  SETTLE();
}

/* Figures near the end of 64 bits: two of three processes change places. */
static void huge_counts(void **state)
{
  (void)state;
  const int64_t big = INT64_MAX / 3, lengths[] = {big, big, big};
  const dap_dist dist = dap_dist_lengths(3 * big, 3, lengths);
  const int order[] = {1, 0, 2};
  dap_layout *from = NULL, *to = NULL;
  int ranks[3];
  int64_t before = -1, after = -1;
  EXPECT_OK(dap_layout_create(1, &dist, &from, NULL), NULL);
  EXPECT_OK(dap_layout_reorder(from, order, &to, NULL), NULL);
  EXPECT_OK(dap_plan_relabel(from, to, ranks, &before, &after, NULL), NULL);
  EXPECT_INT(before, 2 * big);
  EXPECT_INT(after, 0);
  EXPECT(ranks[0] == 1 && ranks[1] == 0 && ranks[2] == 2);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  /* nearly all on one process */
  const int64_t one[] = {1, INT64_MAX - 2, 1}, other[] = {INT64_MAX - 2, 1, 1};
  const dap_dist x = dap_dist_lengths(INT64_MAX, 3, one), y = dap_dist_lengths(INT64_MAX, 3, other);
  EXPECT_OK(dap_layout_create(1, &x, &from, NULL), NULL);
  EXPECT_OK(dap_layout_create(1, &y, &to, NULL), NULL);
  EXPECT_OK(dap_plan_relabel(from, to, ranks, &before, &after, NULL), NULL);
  EXPECT_INT(before, INT64_MAX - 3);
  EXPECT_INT(after, 2);
  EXPECT(ranks[0] == 1 && ranks[1] == 0 && ranks[2] == 2);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  SETTLE();
}

/* ---- many processes ------------------------------------------------------------------------------- */

typedef enum wanted { ANY, NONE } wanted;

/* Which of the kinds of axes of a large grid. */
typedef enum large_kind { L_EVEN, L_CYCLIC, L_ROTATED, L_BLOCKS, L_DEALT } large_kind;

static const struct {
  const char *why;
  large_kind from[2], to[2];
  int from_side, to_side; /* processes along each axis */
  int orders;             /* 1: ranks of the destination in random order; 2: of both */
  wanted after;
} large[] = {
    {"another order of ranks, 17 x 17", {L_EVEN, L_EVEN}, {L_EVEN, L_EVEN}, 17, 17, 1, NONE},
    {"another order of ranks, 32 x 32", {L_EVEN, L_CYCLIC}, {L_EVEN, L_CYCLIC}, 32, 32, 1, NONE},
    {"both in orders of their own, 20 x 20", {L_EVEN, L_CYCLIC}, {L_EVEN, L_CYCLIC}, 20, 20, 2, NONE},
    {"another first owner, 40 x 40", {L_CYCLIC, L_CYCLIC}, {L_ROTATED, L_ROTATED}, 40, 40, 0, NONE},
    {"another order of ranks, 100 x 100", {L_CYCLIC, L_EVEN}, {L_CYCLIC, L_EVEN}, 100, 100, 1, NONE},
    {"exact: 16 x 16", {L_EVEN, L_EVEN}, {L_CYCLIC, L_EVEN}, 16, 16, 1, ANY},
    {"exact: another order, 16 x 16", {L_BLOCKS, L_EVEN}, {L_BLOCKS, L_EVEN}, 16, 16, 1, NONE},
    {"blocks to cyclic, 17 x 17", {L_EVEN, L_EVEN}, {L_CYCLIC, L_CYCLIC}, 17, 17, 0, ANY},
    {"cyclic to larger blocks, 32 x 32", {L_CYCLIC, L_EVEN}, {L_BLOCKS, L_EVEN}, 32, 32, 1, ANY},
    {"cyclic to cyclic, 100 x 100", {L_CYCLIC, L_CYCLIC}, {L_BLOCKS, L_BLOCKS}, 100, 100, 0, ANY},
    {"fewer processes", {L_EVEN, L_EVEN}, {L_EVEN, L_EVEN}, 32, 17, 0, ANY},
    {"more processes", {L_EVEN, L_CYCLIC}, {L_EVEN, L_EVEN}, 17, 40, 0, ANY},
    {"the same", {L_EVEN, L_CYCLIC}, {L_EVEN, L_CYCLIC}, 100, 100, 0, NONE},
    {"every index on its own: a dense axis, 64 x 64", {L_EVEN, L_EVEN}, {L_DEALT, L_DEALT}, 64, 64, 0, ANY},
};

static dap_dist large_dist(large_kind kind, int64_t size, int procs)
{
  dap_dist dist = dap_dist_cyclic(size, procs, kind == L_DEALT ? 1 : kind == L_BLOCKS ? 11 : 4);
  if (kind == L_EVEN) return dap_dist_even(size, procs);
  if (kind == L_ROTATED) dist.first_owner = procs / 3;
  return dist;
}

static dap_layout *large_layout(const large_kind kinds[2], int side, uint64_t stream)
{
  const dap_dist dists[] = {large_dist(kinds[0], MANY, side), large_dist(kinds[1], MANY, side)};
  dap_layout *straight = NULL, *layout = NULL;
  EXPECT_OK(dap_layout_create(2, dists, &straight, NULL), NULL);
  if (stream == 0) return straight; /* the order of ranks */
  test_random random = test_random_init(stream);
  int *ranks = malloc((size_t)side * (size_t)side * sizeof *ranks);
  for (int i = 0; ranks && i < side * side; i++) {
    const int other = (int)test_random_int(&random, 0, i);
    ranks[i] = ranks[other]; /* where other is i, it is set below */
    ranks[other] = i;
  }
  EXPECT_OK(dap_layout_reorder(straight, ranks, &layout, NULL), NULL);
  free(ranks);
  dap_layout_destroy(&straight);
  return layout;
}

/* Elements that change process: the row and the column of each looked up once. */
static int64_t count_moved(const dap_layout *from, const dap_layout *to, const int ranks[])
{
  int64_t count = 0;
  int *owner[2][2];
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < 2; k++) {
      const dap_layout *layout = side ? to : from;
      owner[side][k] = malloc(MANY * sizeof **owner[side]);
      for (int64_t g = 0; owner[side][k] && g < MANY; g++) {
        int64_t global[2] = {0, 0}, local[2];
        int rank = 0, coords[2];
        global[k] = g;
        EXPECT_OK(dap_layout_locate(layout, global, &rank, local, NULL), NULL);
        dap_layout_coords(layout, rank, coords);
        owner[side][k][g] = coords[k];
      }
    }
  for (int64_t i = 0; i < MANY; i++)
    for (int64_t j = 0; j < MANY; j++) {
      const int p[] = {owner[0][0][i], owner[0][1][j]}, q[] = {owner[1][0][i], owner[1][1][j]};
      const int rank = dap_layout_rank(to, q);
      count += dap_layout_rank(from, p) != (ranks ? ranks[rank] : rank);
    }
  for (int i = 0; i < 4; i++) free(owner[i / 2][i % 2]);
  return count;
}

static void many_processes(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
    TEST_CASE("%s", large[i].why);
    dap_layout *from = large_layout(large[i].from, large[i].from_side, large[i].orders == 2 ? 86 : 0);
    dap_layout *to = large_layout(large[i].to, large[i].to_side, large[i].orders ? 84 : 0);
    const int nprocs = large[i].to_side * large[i].to_side, sources = large[i].from_side * large[i].from_side;
    int *ranks = malloc((size_t)nprocs * sizeof *ranks);
    int64_t before = -1, after = -1;
    dap_error err = {0};
    const clock_t begin = clock();
    EXPECT_OK(dap_plan_relabel(from, to, ranks, &before, &after, &err), &err);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    print_message("%-48s %5d -> %5d: %8" PRId64 " -> %8" PRId64 ", %.1f ms\n", large[i].why, sources, nprocs,
                  before, after, 1000 * seconds);
    if (are_different_ranks(ranks, nprocs, nprocs > sources ? nprocs : sources)) {
      EXPECT_INT(before, count_moved(from, to, NULL));
      EXPECT_INT(after, count_moved(from, to, ranks));
    }
    EXPECT(after <= before);
    if (large[i].after == NONE) EXPECT_INT(after, 0);
    if (after == before) EXPECT(is_own_order(ranks, nprocs));
    free(ranks);
    dap_layout_destroy(&from);
    dap_layout_destroy(&to);
  }
  SETTLE();
}

/* How near good partners come to the best ones, where both can be found. */
static void good_partners(void **state)
{
  (void)state;
  test_random random = test_random_init(85);
  double worst = 1, sum = 0;
  for (int i = 0; i < MEDIUM; i++) {
    const large_kind kinds[2] = {(large_kind)test_random_int(&random, 0, 4),
                                 (large_kind)test_random_int(&random, 0, 4)};
    const large_kind others[2] = {(large_kind)test_random_int(&random, 0, 4),
                                  (large_kind)test_random_int(&random, 0, 4)};
    dap_layout *from =
        large_layout(kinds, (int)test_random_int(&random, 2, 12), test_random_one_in(&random, 2) ? 87 : 0);
    dap_layout *to =
        large_layout(others, (int)test_random_int(&random, 2, 12), test_random_one_in(&random, 2) ? 88 : 0);
    int good[144], best[144];
    int64_t before = 0, after = 0;
    dap_volumes volumes;
    TEST_CASE("seed %" PRIu64 ", case %d", test_seed(), i);
    EXPECT_OK(dap_volumes_create(from, to, &volumes, NULL), NULL);
    EXPECT_OK(dap_pair_up(&volumes, good, NULL), NULL);
    EXPECT_OK(dap_plan_relabel(from, to, best, &before, &after, NULL), NULL);
    (void)are_different_ranks(good, dap_layout_nprocs(to), volumes.ranks);
    const int64_t all = dap_layout_count(to), kept = dap_volumes_kept(&volumes, good);
    EXPECT(kept <= all - after && kept >= all - before);
    const double share = all > after ? (double)kept / (double)(all - after) : 1;
    if (share < worst) worst = share;
    sum += share;
    dap_volumes_release(&volumes);
    dap_layout_destroy(&from);
    dap_layout_destroy(&to);
  }
  print_message("%d pairs of grids: good partners keep %.3f of what the best keep, the worst %.3f\n", MEDIUM,
                sum / MEDIUM, worst);
  EXPECT_MSG(worst > 0.8, "%.3f", worst);
  SETTLE();
}

/* Times, and what is known: another order of 10^5 processes moves nothing when it is followed. */
static void very_many_processes(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    int procs[2];
    bool blocks; /* else to cyclic */
  } grids[] = {{"blocks in another order", {250, 400}, true},
               {"blocks of one axis in another order", {100000, 1}, true},
               {"blocks to blocks dealt round robin", {250, 400}, false},
               {"one axis, blocks dealt round robin", {100000, 1}, false}};
  for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++) {
    const int *procs = grids[i].procs, nprocs = procs[0] * procs[1];
    const int64_t size[] = {(int64_t)procs[0] * 1000, (int64_t)procs[1] * 1000};
    const dap_dist blocks[] = {dap_dist_even(size[0], procs[0]), dap_dist_even(size[1], procs[1])};
    const dap_dist cyclic[] = {dap_dist_cyclic(size[0], procs[0], 300),
                               dap_dist_cyclic(size[1], procs[1], 700)};
    dap_layout *from = NULL, *straight = NULL, *to = NULL;
    int *order = malloc((size_t)nprocs * sizeof *order), *ranks = malloc((size_t)nprocs * sizeof *ranks);
    int64_t before = -1, after = -1;
    dap_error err = {0};
    for (int q = 0; order && q < nprocs; q++) order[q] = (int)((q * INT64_C(7919) + 17) % nprocs);
    TEST_CASE("%s", grids[i].why);
    EXPECT_OK(dap_layout_create(2, blocks, &from, &err), &err);
    EXPECT_OK(dap_layout_create(2, grids[i].blocks ? blocks : cyclic, &straight, &err), &err);
    EXPECT_OK(dap_layout_reorder(straight, order, &to, &err), &err);
    const clock_t begin = clock();
    EXPECT_OK(dap_plan_relabel(from, to, ranks, &before, &after, &err), &err);
    print_message("%-48s %d processes: %.3g -> %.3g, %.2f s\n", grids[i].why, nprocs, (double)before,
                  (double)after, (double)(clock() - begin) / CLOCKS_PER_SEC);
    (void)are_different_ranks(ranks, nprocs, nprocs);
    EXPECT(before > 0 && after >= 0 && after <= before);
    if (grids[i].blocks) {
      EXPECT_INT(after, 0);
      for (int q = 0; ranks && q < nprocs; q++) EXPECT_INT(ranks[order[q]], q);
    }
    free(order);
    free(ranks);
    dap_layout_destroy(&from);
    dap_layout_destroy(&straight);
    dap_layout_destroy(&to);
  }
  SETTLE();
}

/* ---- refused -------------------------------------------------------------------------------------- */

static void refusals(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_even(6, 2), dap_dist_even(4, 2)}, whole = dap_dist_whole(6, 2);
  dap_layout *one = NULL, *two = NULL, *other = NULL, *copies = NULL, *remote = NULL;
  int ranks[4];
  int64_t before, after, *words = NULL, count = 0;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, dists, &one, &err), &err);
  EXPECT_OK(dap_layout_create(2, dists, &two, &err), &err);
  EXPECT_OK(dap_layout_create(1, dists + 1, &other, &err), &err);
  EXPECT_OK(dap_layout_create(1, &whole, &copies, &err), &err);
  EXPECT_OK(dap_layout_pack(copies, &words, &count, &err), &err);
  EXPECT_OK(dap_layout_unpack(words, count, &remote, &err), &err); /* without its lists */
  EXPECT_FAIL(dap_plan_relabel(NULL, one, ranks, &before, &after, &err), DAP_ERR_ARG, &err, "NULL");
  EXPECT_FAIL(dap_plan_relabel(one, NULL, ranks, &before, &after, &err), DAP_ERR_ARG, &err, "NULL");
  EXPECT_FAIL(dap_plan_relabel(one, one, NULL, &before, &after, &err), DAP_ERR_ARG, &err, "NULL");
  EXPECT_FAIL(dap_plan_relabel(one, two, ranks, &before, &after, &err), DAP_ERR_ARG, &err, "1|2");
  EXPECT_FAIL(dap_plan_relabel(one, other, ranks, &before, &after, &err), DAP_ERR_ARG, &err, "dim 0|6|4");
  EXPECT_FAIL(dap_plan_relabel(one, remote, ranks, &before, &after, &err), DAP_ERR_REMOTE, &err, "dim 0");
  EXPECT_FAIL(dap_plan_relabel(remote, one, ranks, &before, &after, &err), DAP_ERR_REMOTE, &err, "dim 0");
  EXPECT_OK(dap_plan_relabel(one, copies, ranks, NULL, NULL, &err), &err);
  EXPECT_OK(dap_plan_relabel(one, one, ranks, NULL, NULL, NULL), NULL);
  free(words);
  dap_layout_destroy(&one);
  dap_layout_destroy(&two);
  dap_layout_destroy(&other);
  dap_layout_destroy(&copies);
  dap_layout_destroy(&remote);
  SETTLE();
}

/* A scalar, which has no axes. */
static void scalar(void **state)
{
  (void)state;
  dap_layout *layout = NULL;
  int rank = -1;
  int64_t before = -1, after = -1;
  EXPECT_OK(dap_layout_create(0, NULL, &layout, NULL), NULL);
  EXPECT_OK(dap_plan_relabel(layout, layout, &rank, &before, &after, NULL), NULL);
  EXPECT(rank == 0 && before == 0 && after == 0);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(table),          cmocka_unit_test(rotated),
    cmocka_unit_test(random_pairs),   cmocka_unit_test(random_pairs_of_many),
    cmocka_unit_test(long_axes),      cmocka_unit_test(dense_axes),
    cmocka_unit_test(huge_counts),    cmocka_unit_test(good_partners),
    cmocka_unit_test(many_processes), cmocka_unit_test(very_many_processes),
    cmocka_unit_test(refusals),       cmocka_unit_test(scalar),
};

MPI_TEST_MAIN(tests)
