/* Tests the order of ranks that moves the fewest elements along one axis. Patterns repeat completely or
 * partly, nearly every pair of processes has common elements, or numbers are near the end of 64 bits.
 * Elements are counted one by one. */
#include "mpi_test.h"
#include "orders.h"
#include "random_array.h"

#include <dapbridge/plan.h>
#include <inttypes.h>

enum { CASES = 1500, LONGEST = 2000 };

static int owner_of(const dap_dist *d, int64_t g)
{
  if (d->kind == DAP_DIST_CYCLIC) return (int)((g / d->block_size + d->first_owner) % d->procs);
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
    const int64_t size = test_random_int(&random, 1, LONGEST);
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
    TEST_CASE("%s", pairs[i].why);
    check_axis(pairs[i].from, pairs[i].to);
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(long_axes),
    cmocka_unit_test(dense_axes),
    cmocka_unit_test(huge_counts),
};

MPI_TEST_MAIN(tests)
