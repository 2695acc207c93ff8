/* Which layouts are equal, the order of their ranks included. */
#include "dists.h"
#include "mpi_test.h"

static const int64_t list_other[] = {1, 4}, list_all[] = {0, 1}, lengths_whole[] = {2, 2, 2};
static const int64_t *const lists_turned[] = {list_other, list_none, list_many}, *const lists_whole[] = {
                                                                                     list_all, list_all,
                                                                                     list_all};

/* ---- equality ----------------------------------------------------------------------------------- */

static const struct {
  const char *why;
  int ndim;
  dap_dist a[2], b[2];
  bool equal;
} pairs[] = {
    {"scalars", 0, {{0}}, {{0}}, true},
    {"the same", 2, {EVEN(5, 2), CYCLIC(9, 3, 2, 1)}, {EVEN(5, 2), CYCLIC(9, 3, 2, 1)}, true},
    {"even and ceiling cut that agree", 1, {EVEN(6, 3)}, {CEIL(6, 3)}, true},
    {"even and ceiling cut that do not", 1, {EVEN(5, 4)}, {CEIL(5, 4)}, false},
    {"lengths that are even", 1, {LENGTHS(5, lengths_5)}, {LENGTHS(5, lengths_5)}, true},
    {"lengths that are not even", 1, {LENGTHS(5, lengths_5)}, {EVEN(5, 3)}, false},
    {"size", 1, {CYCLIC(5, 2, 1, 0)}, {CYCLIC(6, 2, 1, 0)}, false},
    {"procs", 1, {CYCLIC(5, 2, 1, 0)}, {CYCLIC(5, 3, 1, 0)}, false},
    {"block size", 1, {CYCLIC(5, 2, 1, 0)}, {CYCLIC(5, 2, 2, 0)}, false},
    {"first owner", 1, {CYCLIC(5, 2, 1, 0)}, {CYCLIC(5, 2, 1, 1)}, false},
    {"the second axis", 2, {EVEN(5, 2), EVEN(5, 2)}, {EVEN(5, 2), EVEN(6, 2)}, false},
    {"the axes swapped", 2, {EVEN(5, 2), EVEN(5, 1)}, {EVEN(5, 1), EVEN(5, 2)}, false},
    {"halo", 1, {PADDED(9, 3, 1, 0, 0)}, {PADDED(9, 3, 2, 0, 0)}, false},
    {"no halo", 1, {PADDED(9, 3, 1, 0, 0)}, {PADDED(9, 3, 0, 0, 0)}, false},
    {"a halo over one process is none", 1, {PADDED(9, 1, 1, 0, 0)}, {PADDED(9, 1, 0, 0, 0)}, true},
    {"nothing dealt: the first owner does not matter", 1, {CYCLIC(0, 3, 2, 1)}, {CYCLIC(0, 3, 2, 0)}, true},
    {"a halo that wraps round", 1, {WRAPPED(9, 3, 1, 0, 0)}, {WRAPPED(9, 3, 1, 0, 0)}, true},
    {"periodic, but the halo ends at the edges",
     1,
     {WRAPPED(9, 3, 1, 0, 0)},
     {{.procs = 3, .size = 9, .halo = 1, .periodic = true}},
     false},
    {"periodic without a halo: it does not matter that none wraps round",
     1,
     {WRAPPED(9, 3, 0, 0, 0)},
     {{.procs = 3, .size = 9, .periodic = true}},
     true},
    {"lists", 1, {LISTS(5, lengths_5, lists)}, {LISTS(5, lengths_5, lists_without)}, true},
    {"lists of another order", 1, {LISTS(5, lengths_5, lists)}, {LISTS(5, lengths_5, lists_turned)}, false},
    {"lists of which one is longer", 1, {LISTS(5, lengths_5, lists)}, {LISTS(5, lengths_full, lists)}, false},
    {"lists that say that they are one to one",
     1,
     {LISTS(5, lengths_5, lists)},
     {ONE_TO_ONE(5, lengths_5, lists)},
     false},
    {"full copies", 1, {WHOLE(5, 3)}, {WHOLE(5, 3)}, true},
    {"full copies on more", 1, {WHOLE(5, 3)}, {WHOLE(5, 4)}, false},
    {"full copies, listed, which promise nothing",
     1,
     {WHOLE(2, 3)},
     {LISTS(2, lengths_whole, lists_whole)},
     false},
    {"addends", 1, {ADDENDS(5, 3)}, {ADDENDS(5, 3)}, true},
    {"addends are no copies", 1, {ADDENDS(5, 3)}, {WHOLE(5, 3)}, false},
    {"a list is not a range", 1, {WHOLE(5, 1)}, {EVEN(5, 1)}, false},
};

static void equality(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    dap_layout *a = NULL, *b = NULL;
    TEST_CASE("%s", pairs[i].why);
    EXPECT_OK(dap_layout_create(pairs[i].ndim, pairs[i].a, &a, NULL), NULL);
    EXPECT_OK(dap_layout_create(pairs[i].ndim, pairs[i].b, &b, NULL), NULL);
    EXPECT_INT(dap_layout_is_equal(a, b), pairs[i].equal);
    EXPECT_INT(dap_layout_is_equal(b, a), pairs[i].equal);
    EXPECT(dap_layout_is_equal(a, a));
    EXPECT_INT(dap_layout_hash(a) == dap_layout_hash(b), pairs[i].equal);
    dap_layout_destroy(&a);
    dap_layout_destroy(&b);
  }
  dap_layout *one = NULL, *two = NULL;
  const dap_dist dists[] = {EVEN(4, 1), EVEN(1, 1)};
  EXPECT_OK(dap_layout_create(1, dists, &one, NULL), NULL);
  EXPECT_OK(dap_layout_create(2, dists, &two, NULL), NULL);
  EXPECT(!dap_layout_is_equal(one, two));
  dap_layout_destroy(&one);
  dap_layout_destroy(&two);
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
  const dap_dist dists[] = {EVEN(5, 2), CYCLIC(9, 2, 2, 1)};
  dap_error err = {0};
  dap_layout *layout = NULL, *other = NULL;
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
    TEST_CASE("%s", orders[i].why);
    other = layout; /* anything but NULL */
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

/* The order is part of a layout; what each rank holds is as before, on another place. */
static void orders_are_compared(void **state)
{
  (void)state;
  static const int turned[] = {2, 0, 3, 1}, usual[] = {0, 1, 2, 3};
  const dap_dist dists[] = {LISTS(5, lengths_full, lists), EVEN(4, 1)}, even[] = {EVEN(5, 4)};
  dap_error err = {0};
  dap_layout *layout = NULL, *one = NULL, *two = NULL;
  EXPECT_OK(dap_layout_create(1, even, &layout, &err), &err);
  EXPECT_OK(dap_layout_reorder(layout, turned, &one, &err), &err);
  EXPECT_OK(dap_layout_reorder(one, turned, &two, &err), &err);
  EXPECT(dap_layout_is_equal(one, two) && dap_layout_hash(one) == dap_layout_hash(two));
  EXPECT(!dap_layout_is_equal(one, layout) && dap_layout_hash(one) != dap_layout_hash(layout));
  EXPECT(dap_layout_is_row_major(layout) && !dap_layout_is_row_major(one));
  dap_layout_destroy(&two);
  EXPECT_OK(dap_layout_reorder(one, usual, &two, &err), &err);
  EXPECT(dap_layout_is_equal(two, layout) && dap_layout_is_row_major(two));
  dap_layout_destroy(&layout);
  dap_layout_destroy(&one);
  dap_layout_destroy(&two);
  TEST_CASE("lists are copied with it");
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  EXPECT_OK(dap_layout_reorder(layout, (const int[]){1, 2, 0}, &one, &err), &err);
  dap_layout_destroy(&layout);
  int rank = -1;
  int64_t local[2] = {-1, -1};
  EXPECT_OK(dap_layout_locate(one, (const int64_t[]){3, 1}, &rank, local, &err), &err);
  EXPECT_INT(rank, 0); /* the list at place 2 has 3 behind 0 */
  EXPECT(local[0] == 1 && local[1] == 1);
  dap_layout_destroy(&one);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(equality),
    cmocka_unit_test(wrong_orders_are_refused),
    cmocka_unit_test(orders_are_compared),
};

MPI_TEST_MAIN(tests)
