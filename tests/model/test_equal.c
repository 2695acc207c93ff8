/* Tests which layouts are equal, including the order of their ranks: rows, and random layouts. The other
 * layout differs in one word, or in none that matters. */
#include "layouts.h"
#include "random_array.h"

#include <inttypes.h>

enum { CASES = 6000, PAIRS = 30000 };

/* Checks that the library gives this answer both ways, and by the hashes. Destroys the layouts. */
static void expect_equal(dap_layout *a, dap_layout *b, bool want)
{
  EXPECT_INT(dap_layout_is_equal(a, b), want);
  EXPECT_INT(dap_layout_is_equal(b, a), want);
  EXPECT_INT(dap_layout_hash(a) == dap_layout_hash(b), want);
  dap_layout_destroy(&a);
  dap_layout_destroy(&b);
}

static void equality(void **state)
{
  (void)state;
  static const struct {
    const char *why, *a, *b;
    bool equal;
  } pairs[] = {
      {"scalars", "scalar", "scalar", true},
      {"another number of axes", "4", "4x1", false},
      {"even and ceiling cut that agree", "6 on 3", "6 on 3: b(ceil)", true},
      {"even and ceiling cut that do not", "5 on 4", "5 on 4: b(ceil)", false},
      {"lengths that are even", "6: b[2,2,2]", "6 on 3: b", true},
      {"lengths that are not even", "5: b[2,0,3]", "5 on 3", false},
      {"the axes swapped", "5x5 on 2x1", "5x5 on 1x2", false},
      {"a halo over one process is none", "9: b(halo 1)", "9: b", true},
      {"nothing dealt: the first owner does not matter", "0 on 3: c(2, first 1)", "0 on 3: c(2)", true},
      {"periodic, but the halo ends at the edges", "9 on 3: b(halo 1, periodic, wraps)",
       "9 on 3: b(halo 1, periodic)", false},
      {"lists of another order", "5: u[4,1][][0,3,2]", "5: u[1,4][][0,3,2]", false},
      {"lists of which one is longer", "5: u[4,1][][0,3,2]", "5: u[4,1][0][0,3,2]", false},
      {"lists that say that they are one to one", "5: u[4,1][][0,3,2]", "5: u[4,1][][0,3,2](one to one)",
       false},
      {"owners", "3: u[~2,1][2,0]", "3: u[2,1][~2,0]", false},
      {"owners, and the lists turned", "3: u[2,1][~2,0]", "3: u[~2,0][2,1]", false},
      {"full copies on more", "5 on 3: r", "5 on 4: r", false},
      {"full copies, listed, which promise nothing", "2 on 3: r", "2: u[0,1][0,1][0,1]", false},
      {"addends are no copies", "5 on 3: p", "5 on 3: r", false},
      {"a list is not a range", "5: r", "5: b", false},
      {"an order of ranks", "5 on 4; ranks 2 0 3 1", "5 on 4; ranks 2 0 3 1", true},
      {"another order of ranks", "5 on 4; ranks 2 0 3 1", "5 on 4", false},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    TEST_CASE("%s", pairs[i].why);
    expect_equal(read_layout(pairs[i].a), read_layout(pairs[i].b), pairs[i].equal);
  }
  dap_layout *layout = read_layout("4");
  EXPECT(dap_layout_is_equal(layout, layout) && !dap_layout_is_equal(layout, NULL) &&
         !dap_layout_is_equal(NULL, layout));
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- the order of ranks ------------------------------------------------------------------------- */

static void wrong_orders_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    int ranks[4];
    const char *parts;
  } orders[] = {
      {"twice", {0, 1, 1, 2}, "ranks[2] = 1"},
      {"negative", {0, -1, 1, 2}, "ranks[1] = -1"},
      {"behind the last", {3, 2, 1, 4}, "ranks[3] = 4|0 .. 3"},
  };
  dap_error err = {0};
  dap_layout *layout = read_layout("5x9 on 2x2: b, c(2, first 1)"), *other = NULL;
  for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
    TEST_CASE("%s", orders[i].why);
    other = layout; /* any value except NULL */
    EXPECT_FAIL(dap_layout_reorder(layout, orders[i].ranks, &other, &err), DAP_ERR_ARG, &err,
                orders[i].parts);
    EXPECT(other == NULL);
  }
  EXPECT_FAIL(dap_layout_reorder(layout, NULL, &other, &err), DAP_ERR_ARG, &err, "ranks|NULL");
  EXPECT_FAIL(dap_layout_reorder(NULL, orders[0].ranks, &other, &err), DAP_ERR_ARG, &err, "layout|NULL");
  EXPECT_FAIL(dap_layout_reorder(layout, orders[0].ranks, NULL, &err), DAP_ERR_ARG, &err, "reordered|NULL");
  dap_layout_destroy(&layout);
  SETTLE();
}

/* A new order replaces the old one, and lists are copied. */
static void orders_are_given_anew(void **state)
{
  (void)state;
  dap_error err = {0};
  dap_layout *first = read_layout("5x4 on 3x1: u[4,1][1][0,3,2], b; ranks 2 1 0"), *second = NULL;
  int rank = -1;
  int64_t local[2] = {-1, -1};
  EXPECT(!dap_layout_is_row_major(first));
  EXPECT_OK(dap_layout_reorder(first, (const int[]){1, 2, 0}, &second, &err), &err);
  dap_layout_destroy(&first);
  EXPECT_OK(dap_layout_locate(second, (const int64_t[]){3, 1}, &rank, local, &err), &err);
  EXPECT_INT(rank, 0); /* the list at place 2 has 3 after 0 */
  EXPECT(local[0] == 1 && local[1] == 1);
  EXPECT_OK(dap_layout_reorder(second, (const int[]){0, 1, 2}, &first, &err), &err);
  EXPECT(dap_layout_is_row_major(first));
  dap_layout_destroy(&first);
  dap_layout_destroy(&second);
  SETTLE();
}

/* ---- by the brute-force model ------------------------------------------------------------------ */

static bool is_same_axis(const dap_dist *d, const brute_axis *x, const dap_dist *e, const brute_axis *y)
{
  if (x->kind != y->kind || x->whole != y->whole || x->size != y->size || x->procs != y->procs) return false;
  for (int p = 0; p < x->procs; p++) {
    if (x->extent[p] != y->extent[p] || memcmp(x->halo[p], y->halo[p], sizeof x->halo[p]) != 0) return false;
    if (memcmp(x->held[p], y->held[p], (size_t)x->extent[p] * sizeof x->held[p][0]) != 0) return false;
  }
  if (x->kind == 'b')
    return d->periodic == e->periodic && !memcmp(d->boundary, e->boundary, sizeof d->boundary);
  if (x->kind == 'c')
    return d->block_size == e->block_size && (d->size == 0 || d->first_owner == e->first_owner);
  if (memcmp(x->owner, y->owner, (size_t)x->size * sizeof x->owner[0]) != 0) return false;
  return (d->kind == DAP_DIST_UNSTRUCTURED && d->one_to_one) ==
         (e->kind == DAP_DIST_UNSTRUCTURED && e->one_to_one);
}

static bool is_same(const random_array *a, const random_array *b)
{
  if (a->ndim != b->ndim || a->nprocs != b->nprocs) return false;
  for (int k = 0; k < a->ndim; k++)
    if (!is_same_axis(&a->dists[k], &a->model.axes[k], &b->dists[k], &b->model.axes[k])) return false;
  return !memcmp(a->model.ranks, b->model.ranks, (size_t)a->nprocs * sizeof a->model.ranks[0]);
}

/* Returns whether they must be equal. */
static bool compare(const random_array *a, const random_array *b)
{
  const bool same = is_same(a, b);
  expect_equal(random_array_layout(a), random_array_layout(b), same);
  return same;
}

/* ---- one word changed ---------------------------------------------------------------------------- */

/* Changes the lists of a 'u' axis: swaps two indices, removes one, appends one, or changes one_to_one. */
static void change_lists(test_random *random, dap_dist *dist, random_memory *memory)
{
  const int p = (int)test_random_int(random, 0, dist->procs - 1);
  int64_t *list = memory->lists[p], *length = &memory->lengths[p];
  const int64_t how = test_random_int(random, 0, 3);
  if (how == 0) dist->one_to_one = !dist->one_to_one;
  if (how == 1 && *length > 0) (*length)--;
  if (how == 2 && dist->size > 0) list[(*length)++] = test_random_int(random, 0, dist->size - 1);
  if (how < 3 || *length == 0) return;
  const int64_t i = test_random_int(random, 0, *length - 1), j = test_random_int(random, 0, *length - 1);
  const int64_t kept = list[i];
  list[i] = list[j];
  list[j] = kept;
}

/* Describes the same cut by its lengths or its lists. Half of the time it moves an element of a block to
 * another process. */
static void spell_out(test_random *random, dap_dist *dist, const brute_axis *axis, random_memory *memory)
{
  const int procs = dist->procs;
  for (int p = 0; p < procs; p++) {
    memory->lengths[p] = axis->kind == 'b' ? axis->owned[p] : axis->extent[p];
    memcpy(memory->lists[p], axis->held[p], sizeof memory->lists[p]);
    memory->indices[p] = memory->lists[p];
  }
  dist->lengths = memory->lengths;
  dist->indices = memory->indices;
  if (axis->kind == 'b') dist->kind = DAP_DIST_LENGTHS;
  if (axis->kind == 'u') dist->kind = DAP_DIST_UNSTRUCTURED;
  if (axis->kind != 'b' || test_random_one_in(random, 2)) return;
  memory->lengths[test_random_int(random, 0, procs - 1)]++;
  memory->lengths[test_random_int(random, 0, procs - 1)]--;
}

typedef enum word { SIZE, HALO, BOUNDARY, PERIODIC, WRAPS, BLOCK, FIRST, CUT, LISTS, SPELLING, WORDS } word;

/* Chooses a word, three times of four one that matters. */
static word choose(test_random *random, char kind)
{
  static const word of_b[] = {SIZE, HALO, BOUNDARY, PERIODIC, WRAPS, CUT, SPELLING},
                    of_c[] = {SIZE, BLOCK, FIRST}, of_u[] = {SIZE, LISTS, LISTS, LISTS, SPELLING};
  if (test_random_one_in(random, 4)) return (word)test_random_int(random, 0, WORDS - 1);
  if (kind == 'b') return of_b[test_random_int(random, 0, 6)];
  return kind == 'c' ? of_c[test_random_int(random, 0, 2)] : of_u[test_random_int(random, 0, 4)];
}

static void change(test_random *random, dap_dist *dist, const brute_axis *axis, random_memory *memory)
{
  const int64_t by = test_random_one_in(random, 2) ? 1 : -1;
  const word which = choose(random, axis->kind);
  if (which == SIZE) dist->size += by;
  if (which == HALO) dist->halo += by;
  if (which == BOUNDARY) dist->boundary[test_random_int(random, 0, 1)] += by;
  if (which == PERIODIC) dist->periodic = !dist->periodic;
  if (which == WRAPS) dist->wraps = !dist->wraps;
  if (which == BLOCK) dist->block_size += by;
  if (which == FIRST) dist->first_owner += (int)by;
  if (which == CUT && axis->kind == 'b')
    dist->kind = (dap_dist_kind)test_random_int(random, DAP_DIST_EVEN, DAP_DIST_CEIL);
  if (which == LISTS && dist->kind == DAP_DIST_UNSTRUCTURED) change_lists(random, dist, memory);
  if (which == SPELLING) spell_out(random, dist, axis, memory);
}

/* Copies an array into its own memory. */
static void copy_array(const random_array *from, random_array *to)
{
  memcpy(to, from, sizeof *to);
  for (int k = 0; k < to->ndim; k++) {
    for (int p = 0; p < BRUTE_PROCS; p++) to->memory[k].indices[p] = to->memory[k].lists[p];
    if (to->dists[k].lengths) to->dists[k].lengths = to->memory[k].lengths;
    if (to->dists[k].indices) to->dists[k].indices = to->memory[k].indices;
  }
}

static void one_word_changed(void **state)
{
  (void)state;
  static random_array a, b;
  test_random random = test_random_init(73);
  int same = 0, different = 0;
  for (int i = 0; i < CASES; i++) {
    int64_t size[4];
    const int ndim = (int)test_random_int(&random, 1, 4), nprocs = (int)test_random_int(&random, 1, 8);
    random_shape(&random, ndim, 200, size);
    random_array_draw(&random, nprocs, ndim, size, &a);
    copy_array(&a, &b);
    const int k = (int)test_random_int(&random, 0, ndim - 1);
    int *ranks = b.model.ranks;
    if (test_random_one_in(&random, 8))
      random_ranks(&random, nprocs, ranks);
    else
      change(&random, &b.dists[k], &a.model.axes[k], &b.memory[k]);
    if (!brute_array_deal(ndim, b.dists, ranks, &b.model)) continue;
    TEST_CASE("seed %" PRIu64 ", case %d: %s; changed: %s", test_seed(), i, random_array_text(&a),
              dist_text(&b.dists[k]));
    *(compare(&a, &b) ? &same : &different) += 1;
  }
  EXPECT_MSG(same > CASES / 20 && different > CASES / 4, "%d equal, %d different", same, different);
  SETTLE();
}

/* Compares two random axes with few elements and processes, which are sometimes equal. */
static void pairs_of_axes(void **state)
{
  (void)state;
  static random_array pair[2];
  test_random random = test_random_init(74);
  int same = 0;
  for (int i = 0; i < PAIRS; i++) {
    const int procs = (int)test_random_int(&random, 1, 3);
    const int64_t size = test_random_int(&random, 0, 3);
    for (int side = 0; side < 2; side++) random_array_draw(&random, procs, 1, &size, &pair[side]);
    TEST_CASE("seed %" PRIu64 ", case %d: %s; or %s", test_seed(), i, dist_text(&pair[0].dists[0]),
              dist_text(&pair[1].dists[0]));
    same += compare(&pair[0], &pair[1]);
  }
  EXPECT_MSG(same > PAIRS / 50 && same < PAIRS / 2, "%d equal of %d", same, PAIRS);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(equality),
    cmocka_unit_test(wrong_orders_are_refused),
    cmocka_unit_test(orders_are_given_anew),
    cmocka_unit_test(one_word_changed),
    cmocka_unit_test(pairs_of_axes),
};

MPI_TEST_MAIN(tests)
