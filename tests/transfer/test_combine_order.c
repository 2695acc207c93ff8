/* The order in which values are added: the owner's first, then by the ranks of those that have them. All sums
 * are of numbers so far apart that another order gives another sum, and are compared to the last bit. The
 * seed is printed, and DAP_TEST_SEED repeats a run. */
#include "alloc_side.h"
#include "combine.h"
#include "mpi_test.h"
#include "placements.h"

#include <inttypes.h>

enum { CASES = 40, MOST = 600 /* elements */ };

static random_array arrays[2];
static double model[MOST + 1]; /* by element */

/* ---- random arrays ------------------------------------------------------------------------------------ */

static void label(int number, const dap_plan_options *o)
{
  char from[240];
  (void)snprintf(from, sizeof from, "%s", random_array_text(&arrays[0]));
  TEST_CASE("seed %" PRIu64 ", case %d, transports %#x, message_bytes %" PRId64 ": %s; to %s", test_seed(),
            number, o->transports, o->message_bytes, from, random_array_text(&arrays[1]));
}

static void update(MPI_Comm comm, const test_side *s, const dap_plan_options *o, const double whole[])
{
  const dap_side side = combine_side(s, DAP_F8, false);
  dap_plan *plan = NULL;
  dap_error err = {0};
  combine_fill(s, DAP_F8, false, FAR_APART, 1);
  if (EXPECT_OK(dap_plan_create_halo_reverse(comm, &side, 0, o, &plan, &err), &err) &&
      EXPECT_OK(dap_plan_run(plan, side_data(s), side_data(s), &err), &err))
    combine_check(s, DAP_F8, false, FAR_APART, 1, AS_BEFORE, AS_BEFORE, whole);
  dap_plan_destroy(&plan);
}

/* By all ways, in whole messages and in many short ones. */
static void updates_add_by_rank(void **state)
{
  (void)state;
  test_random random = test_random_init(92);
  for (int i = 0; i < test_cases(CASES); i++) {
    int64_t size[DAP_MAX_NDIM];
    const int ndim = (int)test_random_int(&random, 1, i % 4 == 0 ? 4 : 3);
    random_shape(&random, ndim, MOST, size);
    test_side s = side_draw(&random, ndim, size, 8, &arrays[0]);
    arrays[1] = arrays[0];
    MPI_Comm comm = placed_comms[i % PLACEMENTS];
    alloc_side alloc = alloc_side_make(comm, &s);
    combine_all(&s, DAP_COMBINE_SUM, IN_PLACE, FAR_APART, 1, model);
    for (int way = 0; way < 2 * COMBINE_WAYS; way++) {
      const dap_plan_options o = {.allow_empty = true,
                                  .transports = combine_way(i % PLACEMENTS, way / 2),
                                  .message_bytes = way % 2 ? 16 : 0};
      label(i, &o);
      update(comm, &alloc.side, &o, model);
    }
    alloc_side_free(&alloc);
    side_free(&s);
    SETTLE();
  }
}

static void move(MPI_Comm comm, const test_side *from, const test_side *to, const dap_plan_options *o)
{
  const dap_side source = combine_side(from, DAP_F8, false), destination = combine_side(to, DAP_F8, false);
  dap_plan *plan = NULL;
  dap_error err = {0};
  combine_fill(from, DAP_F8, false, FAR_APART, 2);
  combine_fill(to, DAP_F8, false, FAR_APART, 3);
  if (EXPECT_OK(dap_plan_create(comm, &source, &destination, 0, o, &plan, &err), &err) &&
      EXPECT_OK(dap_plan_run(plan, side_data(from), side_data(to), &err), &err))
    combine_check(to, DAP_F8, false, FAR_APART, 3, OWNERS, AS_BEFORE, model);
  dap_plan_destroy(&plan);
}

static void moves_add_by_rank(void **state)
{
  (void)state;
  test_random random = test_random_init(94);
  for (int i = 0; i < test_cases(CASES); i++) {
    int64_t size[DAP_MAX_NDIM];
    const int ndim = (int)test_random_int(&random, 1, 3);
    random_shape(&random, ndim, MOST, size);
    test_side from = side_draw(&random, ndim, size, 8, &arrays[0]);
    test_side to = side_draw(&random, ndim, size, 8, &arrays[1]);
    combine_all(&from, DAP_COMBINE_SUM, OF_HOLDERS, FAR_APART, 2, model);
    for (int way = 0; way < COMBINE_WAYS; way++) {
      const dap_plan_options o = {.combine = DAP_COMBINE_SUM,
                                  .transports =
                                      way == 1 ? 0 : combine_way(i % PLACEMENTS, way), /* not direct alone */
                                  .message_bytes = (way + i) % 2 ? 16 : 0};
      label(i, &o);
      move(placed_comms[i % PLACEMENTS], &from, &to, &o);
    }
    side_free(&from);
    side_free(&to);
    SETTLE();
  }
}

/* ---- a corner ----------------------------------------------------------------------------------------- */

/* What the others add to an element: every other order gives another sum. */
enum { OTHERS = 3 };
static const double added[OTHERS] = {0x1p53, -0x1p53 + 1, 3}; /* by the lowest rank of the three, and so on */
static const double own = 1;

static double sum_of(const int order[])
{
  double sum = own;
  for (int i = 0; i < OTHERS; i++) sum += added[order[i]];
  return sum;
}

static void every_order_differs(void **state)
{
  (void)state;
  static const int orders[][OTHERS] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const int right[] = {0, 1, 2};
  for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
    EXPECT_MSG(sum_of(orders[i]) != sum_of(right), "order %d of three gives the right sum", (int)i);
  SETTLE();
}

/* Process q of the four has the element at the corner of process p's block, in a plan's products that differ:
 * across one axis, across the other, and across both. However processes are ranked, they come by rank. */
static void check_corner(const int ranks[4], int p)
{
  const dap_dist dists[] = {dap_dist_padded(2, 2, 1), dap_dist_padded(2, 2, 1)};
  dap_layout *layout = NULL;
  dap_plan *plan = NULL;
  dap_error err = {0};
  double block[4] = {0};
  int process = -1, lower = 0;
  for (int q = 0; q < 4; q++)
    if (ranks[q] == test_rank()) process = q;
  for (int q = 0; q < 4; q++) lower += q != p && ranks[q] < test_rank();
  TEST_CASE("the element of process %d, on rank %d", p, ranks[p]);
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  const dap_side side = {.layout = layout, .ranks = ranks, .dtype = DAP_F8, .contiguous = process >= 0};
  /* blocks of one element, and all have the whole array: process p's element is at p */
  if (process >= 0) block[p] = process == p ? own : added[lower];
  if (EXPECT_OK(dap_plan_create_halo_reverse(MPI_COMM_WORLD, &side, 0, NULL, &plan, &err), &err) &&
      EXPECT_OK(dap_plan_run(plan, block, block, &err), &err) && process == p)
    EXPECT_MSG(block[p] == sum_of((const int[]){0, 1, 2}), "the sum is %.17g", block[p]);
  dap_plan_destroy(&plan);
  dap_layout_destroy(&layout);
}

static void corners_come_by_rank(void **state)
{
  (void)state;
  for (int first = 0; first < 24 && test_nprocs() >= 4; first++) {
    int left[] = {0, 1, 2, 3}, ranks[4];
    for (int i = 0, n = first; i < 4; n /= 4 - i, i++) { /* the permutation of that number */
      const int at = n % (4 - i);
      ranks[i] = left[at];
      for (int j = at; j < 3 - i; j++) left[j] = left[j + 1];
    }
    for (int p = 0; p < 4; p++) check_corner(ranks, p);
    SETTLE();
  }
}

/* ---- addends that several have ------------------------------------------------------------------------ */

enum { TERMS_SIZE = 40 };

/* Twice the first two of them, and the rest is lost but in their order. */
static double addend_value(int addend, int64_t element)
{
  return addend == 0 ? 1e16 : addend == 1 ? -1e16 : (double)(addend + element);
}

static double sum_of_addends(int addends, int64_t element)
{
  double sum = addend_value(0, element);
  for (int t = 1; t < addends; t++) sum += addend_value(t, element);
  return sum;
}

/* An array of which `copies` have each addend, so that who adds up has some of them nearer than others. */
static void add_addends(MPI_Comm comm, int copies, bool copies_first, const dap_dist *to, const int *to_ranks)
{
  static const int kept[] = {0};
  const int addends = test_nprocs() / copies, rank = test_rank();
  const dap_dist replicated = dap_dist_replicated(1, copies), partial = dap_dist_partial(1, addends);
  const dap_dist from[] = {dap_dist_local(TERMS_SIZE), copies_first ? replicated : partial,
                           copies_first ? partial : replicated};
  double values[TERMS_SIZE], sums[TERMS_SIZE] = {0};
  dap_layout *layouts[2] = {NULL, NULL};
  dap_plan *plan = NULL;
  dap_error err = {0};
  for (int64_t i = 0; i < TERMS_SIZE; i++)
    values[i] = addend_value(copies_first ? rank % addends : rank / copies, i);
  EXPECT_OK(dap_layout_create(3, from, &layouts[0], &err), &err);
  EXPECT_OK(dap_layout_create(1, to, &layouts[1], &err), &err);
  const dap_side a = {.layout = layouts[0],
                      .contiguous = true,
                      .dtype = DAP_F8,
                      .part = {.naxes = 1, .axes = kept}},
                 b = {.layout = layouts[1], .ranks = to_ranks, .contiguous = true, .dtype = DAP_F8};
  if (EXPECT_OK(dap_plan_create(comm, &a, &b, 0, NULL, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, values, sums, &err), &err);
  const int process = !to_ranks ? rank : to_ranks[0] == rank ? 0 : -1;
  for (int64_t i = 0; process >= 0 && i < dap_layout_extent(layouts[1], 0, process); i++) {
    const int64_t local[] = {i};
    int64_t global[1];
    EXPECT_OK(dap_layout_globalize(layouts[1], process, local, global, NULL, &err), &err);
    if (sums[i] != sum_of_addends(addends, global[0]))
      EXPECT_MSG(false, "element %" PRId64 " is %g, not %g", global[0], sums[i],
                 sum_of_addends(addends, global[0]));
  }
  dap_plan_destroy(&plan);
  for (int k = 0; k < 2; k++) dap_layout_destroy(&layouts[k]);
}

/* Whoever adds them up, and whichever copies it reads, the addends come in one order. */
static void addends_come_by_rank(void **state)
{
  (void)state;
  const int P = test_nprocs(), last[] = {P - 1}, middle[] = {P / 2};
  const dap_dist even = dap_dist_even(TERMS_SIZE, P), all = dap_dist_replicated(TERMS_SIZE, P),
                 one = dap_dist_local(TERMS_SIZE);
  const struct {
    const char *why;
    const dap_dist *dist;
    const int *ranks;
  } rows[] = {{"each adds up some", &even, NULL},
              {"each adds up some, and hands them on", &all, NULL},
              {"the last adds up all", &one, last},
              {"one in the middle does", &one, middle}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (int copies = 1; copies <= P; copies++)
      for (int k = 0; k < 2 * PLACEMENTS && P % copies == 0; k++) {
        TEST_CASE("%s: %d copies of each of %d addends, %s first, %s", rows[i].why, copies, P / copies,
                  k % 2 ? "copies" : "addends", placements[k / 2].why);
        add_addends(placed_comms[k / 2], copies, k % 2, rows[i].dist, rows[i].ranks);
        SETTLE();
      }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(place_processes),      cmocka_unit_test(updates_add_by_rank),
    cmocka_unit_test(moves_add_by_rank),    cmocka_unit_test(every_order_differs),
    cmocka_unit_test(corners_come_by_rank), cmocka_unit_test(addends_come_by_rank),
    cmocka_unit_test(free_places),
};
MPI_TEST_MAIN(tests)
