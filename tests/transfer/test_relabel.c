/* Tests the order of ranks that moves the fewest elements. It is compared with all orders of few processes,
 * with elements counted one by one. Private: a layout is made from words, without its lists. */
#include "case.h"
#include "mpi_test.h"
#include "random_array.h"

#include <inttypes.h>
#include <relabel_impl.h>

enum { CASES = 1500, MAX_PROCS = 6 };

/* ---- by brute force ------------------------------------------------------------------------------- */

typedef struct count_table {
  int from, to, ranks;
  int64_t all;
  int64_t read[BRUTE_PROCS][BRUTE_PROCS]; /* [to][from] elements that `to` reads from `from` */
} count_table;

/* Returns whether a process owns an element, or has the same copy along replicated axes. */
static bool has_element(const random_array *array, int p, const int64_t global[])
{
  int coords[DAP_MAX_NDIM];
  brute_coords(&array->model, p, coords);
  for (int k = 0; k < array->ndim; k++) {
    const brute_axis *axis = &array->model.axes[k];
    if (!axis->whole && axis->owner[global[k]] != coords[k]) return false;
  }
  return true;
}

static void count_reads(const random_array *from, const random_array *to, count_table *t)
{
  memset(t, 0, sizeof *t);
  t->from = from->nprocs;
  t->to = to->nprocs;
  t->ranks = from->nprocs > to->nprocs ? from->nprocs : to->nprocs;
  for (int q = 0; q < to->nprocs; q++)
    for (brute_walk w = brute_walk_start(&to->model, q); !w.done; brute_walk_next(&w)) {
      if (w.part == BRUTE_PADDING) continue;
      for (int p = 0; p < t->from; p++) t->read[q][p] += has_element(from, p, w.global);
      t->all++;
    }
}

static int64_t moved(const count_table *t, const int ranks[])
{
  int64_t kept = 0;
  for (int q = 0; q < t->to; q++) kept += ranks[q] < t->from ? t->read[q][ranks[q]] : 0;
  return t->all - kept;
}

/* Returns the most elements that processes q and later can keep with the ranks that are not yet taken. Tries
 * all orders. */
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

/* Returns whether all ranks are in [0, limit) and differ. */
static bool are_different(const int ranks[], int count, int limit)
{
  uint64_t seen = 0;
  for (int q = 0; q < count; q++) {
    if (!EXPECT(ranks[q] >= 0 && ranks[q] < limit && !(seen >> ranks[q] & 1))) return false;
    seen |= UINT64_C(1) << ranks[q];
  }
  return true;
}

/* Compares every figure with the model. If all orders can be tried, the result must be the best. */
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
      !are_different(ranks, t.to, t.ranks)) {
    dap_layout_destroy(&source);
    dap_layout_destroy(&destination);
    return;
  }
  EXPECT_INT(before, moved(&t, own));
  EXPECT_INT(after, moved(&t, ranks));
  EXPECT(after <= before);
  EXPECT_MSG(after < before || !memcmp(ranks, own, (size_t)t.to * sizeof *ranks),
             "the given order is as good, but was changed");
  if (t.ranks <= MAX_PROCS) EXPECT_INT(after, t.all - most_kept(&t, 0, 0));
  EXPECT_OK(dap_plan_relabel(source, destination, again, NULL, NULL, &err), &err);
  EXPECT(!memcmp(ranks, again, (size_t)t.to * sizeof *ranks));
  dap_layout_destroy(&source);
  dap_layout_destroy(&destination);
}

/* ---- tables --------------------------------------------------------------------------------------- */

typedef struct end {
  case_cut kinds[2];
  int procs[2];
  int ranks[MAX_PROCS]; /* all 0: in row-major order */
} end;

/* clang-format off */
static const struct {
  const char *why;
  int ndim;
  int64_t size[2];
  end from, to;
  int64_t before, after;
} rows[] = {
  {"the same distribution", 1, {12}, {{CUT_EVEN}, {4}, {0}}, {{CUT_EVEN}, {4}, {0}}, 0, 0},
  {"the same in another order of ranks", 1, {12}, {{CUT_EVEN}, {4}, {0}}, {{CUT_EVEN}, {4}, {2, 3, 1, 0}}, 12,
   0},
  {"both in orders of their own", 1, {12}, {{CUT_EVEN}, {4}, {1, 0, 3, 2}}, {{CUT_EVEN}, {4}, {2, 3, 1, 0}},
   12, 0},
  {"falling stretches", 1, {12}, {{CUT_EVEN}, {3}, {0}}, {{CUT_BACKWARDS}, {3}, {0}}, 8, 0},
  {"a 2 x 3 grid, row-major and column-major", 2, {4, 6}, {{CUT_EVEN, CUT_EVEN}, {2, 3}, {0}},
   {{CUT_EVEN, CUT_EVEN}, {2, 3}, {0, 2, 4, 1, 3, 5}}, 16, 0},
  {"rows and columns", 2, {4, 4}, {{CUT_EVEN, CUT_EVEN}, {2, 1}, {0}}, {{CUT_EVEN, CUT_EVEN}, {1, 2}, {0}}, 8,
   8},
  {"fewer processes: each takes half of what two had", 1, {12}, {{CUT_EVEN}, {4}, {0}},
   {{CUT_EVEN}, {2}, {0}}, 9, 6},
  {"more processes", 1, {12}, {{CUT_EVEN}, {2}, {0}}, {{CUT_EVEN}, {4}, {0}}, 9, 6},
  {"one process has all, then none", 1, {6}, {{CUT_ONE_HOLDER}, {3}, {0}}, {{CUT_EVEN}, {3}, {0}}, 4, 4},
  {"all to another process", 1, {6}, {{CUT_EVEN}, {3}, {0}}, {{CUT_ONE_HOLDER}, {3}, {0}}, 4, 4},
  {"padding is not moved", 1, {12}, {{CUT_PADDED}, {3}, {0}}, {{CUT_RING}, {3}, {1, 2, 0}}, 12, 0},
  {"full copies: read from where they are", 1, {6}, {{CUT_EVEN}, {3}, {0}}, {{CUT_EVERYWHERE}, {3}, {0}}, 12,
   12},
  {"what all have", 1, {6}, {{CUT_COPIES}, {3}, {0}}, {{CUT_EVEN}, {3}, {0}}, 0, 0},
  {"no elements", 2, {0, 7}, {{CUT_EVEN, CUT_CYCLIC}, {2, 2}, {0}},
   {{CUT_CYCLIC, CUT_EVEN}, {2, 2}, {3, 2, 1, 0}}, 0, 0},
};
/* clang-format on */

static void deal_end(const end *e, int ndim, const int64_t size[], random_array *array)
{
  dap_dist dists[2];
  test_random random = test_random_init(1);
  bool has_ranks = false;
  for (int k = 0; k < ndim; k++)
    dists[k] = cut_axis(e->kinds[k], size[k], e->procs[k], 1, &random, &array->memory[k]);
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

/* Blocks are dealt from every first owner to every other one: these are the same blocks on other ranks. */
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

static int most_procs; /* of a random pair */

static void random_pair(int number, test_random *random)
{
  static random_array from, to;
  int64_t size[3];
  const int ndim = (int)test_random_int(random, 1, 3);
  random_shape(random, ndim, 250, size);
  random_array_draw(random, (int)test_random_int(random, 1, most_procs), ndim, size, &from);
  random_array_draw(random, (int)test_random_int(random, 1, most_procs), ndim, size, &to);
  TEST_CASE("seed %" PRIu64 ", case %d, %d -> %d: %s", test_seed(), number, from.nprocs, to.nprocs,
            random_array_text(&from));
  check_pair(&from, &to);
}

static void random_pairs(void **state)
{
  (void)state;
  most_procs = MAX_PROCS;
  test_each(CASES, 81, random_pair);
}

/* There are too many processes to try all orders. The figures must be right, and the order must not be worse
 * than the old one. */
static void random_pairs_of_many(void **state)
{
  (void)state;
  most_procs = BRUTE_PROCS;
  test_each(CASES / 4, 82, random_pair);
}

/* ---- refused -------------------------------------------------------------------------------------- */

static void refusals(void **state)
{
  (void)state;
  const dap_dist dists[] = {dap_dist_even(6, 2), dap_dist_even(4, 2)}, whole = dap_dist_replicated(6, 2);
  dap_layout *one = NULL, *two = NULL, *other = NULL, *copies = NULL, *remote = NULL, *replicated = NULL;
  int ranks[4];
  int64_t before, after, *words = NULL, count = 0;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, dists, &one, &err), &err);
  EXPECT_OK(dap_layout_create(2, dists, &two, &err), &err);
  EXPECT_OK(dap_layout_create(1, dists + 1, &other, &err), &err);
  EXPECT_OK(dap_layout_create(1, &whole, &replicated, &err), &err);
  copies = layout_as_read(replicated);
  dap_layout_destroy(&replicated);
  EXPECT_OK(dap_layout_pack(copies, &words, &count, &err), &err);
  EXPECT_OK(dap_layout_unpack(words, count, &remote, &err), &err); /* without its lists */
  EXPECT_FAIL(dap_plan_relabel(NULL, one, ranks, &before, &after, &err), DAP_ERR_ARG, &err, "NULL");
  EXPECT_FAIL(dap_plan_relabel(one, NULL, ranks, &before, &after, &err), DAP_ERR_ARG, &err, "NULL");
  EXPECT_FAIL(dap_plan_relabel(one, one, NULL, &before, &after, &err), DAP_ERR_ARG, &err, "NULL");
  EXPECT_FAIL(dap_plan_relabel(one, two, ranks, &before, &after, &err), DAP_ERR_ARG, &err, "1|2");
  EXPECT_FAIL(dap_plan_relabel(one, other, ranks, &before, &after, &err), DAP_ERR_ARG, &err, "axis 0|6|4");
  EXPECT_FAIL(dap_plan_relabel(one, remote, ranks, &before, &after, &err), DAP_ERR_REMOTE, &err, "axis 0");
  EXPECT_FAIL(dap_plan_relabel(remote, one, ranks, &before, &after, &err), DAP_ERR_REMOTE, &err, "axis 0");
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

/* A scalar has no axes. */
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
    cmocka_unit_test(table),        cmocka_unit_test(rotated),
    cmocka_unit_test(random_pairs), cmocka_unit_test(random_pairs_of_many),
    cmocka_unit_test(refusals),     cmocka_unit_test(scalar),
};

MPI_TEST_MAIN(tests)
