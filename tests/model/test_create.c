/* Making layouts: what is refused and why, references, equality. */
#include "mpi_test.h"

static const int64_t lengths_5[] = {2, 0, 3}, lengths_minus[] = {4, -1, 2},
                     lengths_huge[] = {INT64_MAX, 1, 1};

/* Lists of five indices over three processes. */
static const int64_t list_few[] = {4, 1}, list_none[] = {0}, list_many[] = {0, 3, 2},
                     list_outside[] = {0, 3, 5}, list_below[] = {0, -1, 2}, list_twice[] = {0, 2, 0},
                     list_again[] = {4, 0, 2}, list_other[] = {1, 4}, list_all[] = {0, 1};
static const int64_t *const lists[] = {list_few, list_none, list_many},
                            *const lists_without[] = {list_few, NULL, list_many},
                            *const lists_missing[] = {list_few, list_none, NULL},
                            *const lists_outside[] = {list_few, list_none, list_outside},
                            *const lists_below[] = {list_few, list_none, list_below},
                            *const lists_twice[] = {list_few, list_none, list_twice},
                            *const lists_gap[] = {list_few, list_none, list_again},
                            *const lists_turned[] = {list_other, list_none, list_many},
                            *const lists_whole[] = {list_all, list_all, list_all};
static const int64_t lengths_full[] = {2, 1, 3}, lengths_whole[] = {2, 2, 2}, lengths_less[] = {2, -1, 3};

typedef struct row {
  const char *why;
  int ndim;
  dap_dist dists[3];
  dap_status want;
  const char *parts;
} row;

#define EVEN(size_, procs_)                                                                                  \
  {                                                                                                          \
    .kind = DAP_DIST_EVEN, .procs = (procs_), .size = (size_)                                                \
  }
#define CEIL(size_, procs_)                                                                                  \
  {                                                                                                          \
    .kind = DAP_DIST_CEIL, .procs = (procs_), .size = (size_)                                                \
  }
#define CYCLIC(size_, procs_, bs_, first_)                                                                   \
  {                                                                                                          \
    .kind = DAP_DIST_CYCLIC, .procs = (procs_), .size = (size_), .block_size = (bs_),                        \
    .first_owner = (first_)                                                                                  \
  }
#define LENGTHS(size_, of_)                                                                                  \
  {                                                                                                          \
    .kind = DAP_DIST_LENGTHS, .procs = 3, .size = (size_), .lengths = (of_)                                  \
  }
#define LISTS(size_, lengths_, of_)                                                                          \
  {                                                                                                          \
    .kind = DAP_DIST_UNSTRUCTURED, .procs = 3, .size = (size_), .lengths = (lengths_), .indices = (of_)      \
  }
#define ONE_TO_ONE(size_, lengths_, of_)                                                                     \
  {                                                                                                          \
    .kind = DAP_DIST_UNSTRUCTURED, .procs = 3, .size = (size_), .lengths = (lengths_), .indices = (of_),     \
    .one_to_one = true                                                                                       \
  }
#define WHOLE(size_, procs_)                                                                                 \
  {                                                                                                          \
    .kind = DAP_DIST_REPLICATED, .procs = (procs_), .size = (size_)                                          \
  }
#define WRAPPED(size_, procs_, halo_, low_, high_)                                                           \
  {                                                                                                          \
    .procs = (procs_), .size = (size_), .halo = (halo_), .boundary = {(low_), (high_)}, .periodic = true,    \
    .wraps = true                                                                                            \
  }
#define PADDED(size_, procs_, halo_, low_, high_)                                                            \
  {                                                                                                          \
    .procs = (procs_), .size = (size_), .halo = (halo_), .boundary = {(low_), (high_) }                      \
  }
#define HUGE_SIZE ((int64_t)1 << 40)

static const row refusals[] = {
    {"negative ndim", -1, {{0}}, DAP_ERR_ARG, "ndim|-1"},
    {"too many axes", 9, {{0}}, DAP_ERR_ARG, "ndim|9"},
    {"unknown cut", 1, {{.kind = (dap_dist_kind)6, .procs = 1}}, DAP_ERR_DIM, "dim 0|6"},
    {"no cut at all", 1, {{.kind = (dap_dist_kind)-1, .procs = 1}}, DAP_ERR_DIM, "dim 0|dap_dist_kind"},
    {"negative size", 2, {EVEN(3, 1), EVEN(-1, 1)}, DAP_ERR_DIM, "dim 1|size|-1"},
    {"zeroed distribution", 1, {{0}}, DAP_ERR_DIM, "dim 0|procs|0"},
    {"negative procs", 1, {EVEN(3, -2)}, DAP_ERR_DIM, "dim 0|procs|-2"},
    {"no block size", 1, {CYCLIC(5, 2, 0, 0)}, DAP_ERR_DIM, "dim 0|block_size|0"},
    {"negative block size", 1, {CYCLIC(5, 2, -1, 0)}, DAP_ERR_DIM, "dim 0|block_size|-1"},
    {"first owner behind the last", 1, {CYCLIC(5, 2, 1, 2)}, DAP_ERR_DIM, "dim 0|first_owner|2"},
    {"first owner negative", 1, {CYCLIC(5, 2, 1, -1)}, DAP_ERR_DIM, "dim 0|first_owner|-1"},
    {"lengths missing", 1, {LENGTHS(5, NULL)}, DAP_ERR_ARG, "dim 0|lengths"},
    {"lengths short of size", 1, {LENGTHS(6, lengths_5)}, DAP_ERR_DIM, "dim 0|lengths|5|6"},
    {"lengths beyond size", 1, {LENGTHS(4, lengths_5)}, DAP_ERR_DIM, "dim 0|lengths|4"},
    {"a negative length", 1, {LENGTHS(5, lengths_minus)}, DAP_ERR_DIM, "dim 0|lengths|-1"},
    {"lengths whose sum overflows", 1, {LENGTHS(1, lengths_huge)}, DAP_ERR_DIM, "dim 0|lengths"},
    {"negative halo", 1, {PADDED(9, 3, -1, 0, 0)}, DAP_ERR_DIM, "dim 0|halo|-1"},
    {"halo wider than a neighbour", 1, {PADDED(7, 3, 3, 0, 0)}, DAP_ERR_DIM, "dim 0|padding|3|2"},
    {"halo beside an empty process", 1, {PADDED(2, 3, 1, 0, 0)}, DAP_ERR_DIM, "dim 0|padding|1|0"},
    {"negative boundary", 1, {PADDED(9, 3, 0, -1, 0)}, DAP_ERR_DIM, "dim 0|boundary|-1"},
    {"boundary wider than the first process", 1, {PADDED(9, 3, 0, 4, 0)}, DAP_ERR_DIM, "dim 0|boundary|4|3"},
    {"boundary wider than the last process", 1, {PADDED(9, 3, 0, 0, 4)}, DAP_ERR_DIM, "dim 0|boundary|4|3"},
    {"boundaries that overlap on one process", 1, {PADDED(5, 1, 0, 3, 3)}, DAP_ERR_DIM, "dim 0|boundary|3"},
    {"boundaries whose sum overflows",
     1,
     {PADDED(5, 1, 0, INT64_MAX, INT64_MAX)},
     DAP_ERR_DIM,
     "dim 0|boundary"},
    {"a halo that wraps round where nothing is periodic",
     1,
     {{.procs = 3, .size = 9, .halo = 1, .wraps = true}},
     DAP_ERR_DIM,
     "dim 0|wraps|periodic"},
    {"a halo that wraps round, and an edge", 1, {WRAPPED(9, 3, 1, 1, 0)}, DAP_ERR_DIM, "dim 0|wraps|(1, 0)"},
    {"a halo that wraps round further than the other end",
     1,
     {{.kind = DAP_DIST_LENGTHS,
       .procs = 3,
       .size = 7,
       .lengths = (const int64_t[]){4, 2, 1},
       .halo = 2,
       .periodic = true,
       .wraps = true}},
     DAP_ERR_DIM,
     "dim 0|padding 2|1"},
    {"a halo that wraps round the one process more than once",
     1,
     {WRAPPED(3, 1, 4, 0, 0)},
     DAP_ERR_DIM,
     "4|3"},
    {"no lists", 1, {LISTS(5, lengths_5, NULL)}, DAP_ERR_ARG, "dim 0|indices"},
    {"no lengths of lists", 1, {LISTS(5, NULL, lists)}, DAP_ERR_ARG, "dim 0|lengths"},
    {"a list is missing",
     1,
     {LISTS(5, lengths_5, lists_missing)},
     DAP_ERR_DIM,
     "dim 0|lengths[2] 3|indices[2]"},
    {"a list of fewer than none", 1, {LISTS(5, lengths_less, lists)}, DAP_ERR_DIM, "dim 0|lengths[1] -1"},
    {"an index behind the last",
     1,
     {LISTS(5, lengths_5, lists_outside)},
     DAP_ERR_DIM,
     "dim 0|indices[2] 5|5"},
    {"a negative index", 1, {LISTS(5, lengths_5, lists_below)}, DAP_ERR_DIM, "dim 0|indices[1] -1"},
    {"an index twice on one process", 1, {LISTS(5, lengths_5, lists_twice)}, DAP_ERR_DIM, "dim 0|0 twice"},
    {"too few indices in all", 2, {EVEN(3, 1), LISTS(6, lengths_5, lists)}, DAP_ERR_DIM, "dim 1|5|6"},
    {"enough indices, but one is missing",
     1,
     {LISTS(5, lengths_full, lists_gap)},
     DAP_ERR_DIM,
     "dim 0|index 3"},
    {"one to one, but one is on two",
     1,
     {ONE_TO_ONE(5, lengths_full, lists)},
     DAP_ERR_DIM,
     "dim 0|index 0|one_to_one"},
    {"grid too large", 2, {CYCLIC(5, 65536, 1, 0), CYCLIC(5, 65536, 1, 0)}, DAP_ERR_RANGE, "dim 1|grid"},
    {"too many elements",
     3,
     {CYCLIC(HUGE_SIZE, 1, 1, 0), EVEN(HUGE_SIZE, 1), EVEN(2, 1)},
     DAP_ERR_RANGE,
     "dim 1|elements"},
};

static void wrong_distributions_are_refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    const row *r = &refusals[i];
    dap_error err = {0};
    dap_layout *layout = (dap_layout *)&err; /* anything but NULL */
    TEST_CASE("%s", r->why);
    EXPECT_FAIL(dap_layout_create(r->ndim, r->dists, &layout, &err), r->want, &err, r->parts);
    EXPECT(layout == NULL);
    EXPECT_INT(err.rank, -1);
    EXPECT_INT(dap_layout_create(r->ndim, r->dists, &layout, NULL), r->want);
  }
  dap_error err = {0};
  dap_layout *layout = NULL;
  const dap_dist one = EVEN(3, 1);
  EXPECT_FAIL(dap_layout_create(1, NULL, &layout, &err), DAP_ERR_ARG, &err, "dists|NULL");
  EXPECT_FAIL(dap_layout_create(1, &one, NULL, &err), DAP_ERR_ARG, &err, "layout|NULL");
  SETTLE();
}

/* Halos that wrap round add to what is owned: the buffer may be longer than the axis. */
static void buffers_beyond_64_bits_are_refused(void **state)
{
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    const dap_dist dist = WRAPPED(INT64_MAX / 2 * procs, procs, INT64_MAX / 2, 0, 0);
    dap_error err = {0};
    dap_layout *layout = NULL;
    TEST_CASE("over %d", procs);
    EXPECT_FAIL(dap_layout_create(1, &dist, &layout, &err), DAP_ERR_RANGE, &err, "dim 0|2^63");
    EXPECT(layout == NULL);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

static void huge_layouts_need_no_memory(void **state)
{
  (void)state;
  const dap_dist dists[] = {CYCLIC(HUGE_SIZE, 1024, 3, 7), EVEN(HUGE_SIZE / (1 << 20), 1000)};
  dap_error err = {0};
  dap_layout *layout = NULL;
  if (EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err)) {
    const int64_t last[] = {HUGE_SIZE - 1, HUGE_SIZE / (1 << 20) - 1};
    int64_t local[2], back[2];
    int rank = -1;
    EXPECT_INT(dap_layout_count(layout), HUGE_SIZE * (HUGE_SIZE / (1 << 20)));
    EXPECT_INT(dap_layout_nprocs(layout), 1024000);
    EXPECT_OK(dap_layout_locate(layout, last, &rank, local, &err), &err);
    EXPECT_OK(dap_layout_globalize(layout, rank, local, back, NULL, &err), &err);
    EXPECT(back[0] == last[0] && back[1] == last[1]);
    int64_t sum = 0;
    for (int p = 0; p < 1024; p++) sum += dap_layout_owned(layout, 0, p);
    EXPECT_INT(sum, HUGE_SIZE);
  }
  dap_layout_destroy(&layout);
  SETTLE();
}

static void references_are_counted(void **state)
{
  (void)state;
  const dap_dist dist = LENGTHS(5, lengths_5);
  dap_layout *layout = NULL, *none = NULL;
  EXPECT_OK(dap_layout_create(1, &dist, &layout, NULL), NULL);
  dap_layout *second = dap_layout_retain(layout);
  EXPECT(second == layout);
  dap_layout_destroy(&layout);
  EXPECT(layout == NULL);
  EXPECT_INT(dap_layout_owned(second, 0, 2), 3);
  dap_layout_destroy(&second);
  dap_layout_destroy(&second);
  dap_layout_destroy(&none);
  dap_layout_destroy(NULL);
  EXPECT(dap_layout_retain(NULL) == NULL);
  SETTLE();
}

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
    {"full copies, listed", 1, {WHOLE(2, 3)}, {LISTS(2, lengths_whole, lists_whole)}, true},
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

/* What only contiguous distributions have is not ignored elsewhere. */
static void padding_needs_ranges(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    int64_t halo, boundary[2];
    bool periodic, wraps;
    const char *parts;
  } rows[] = {{"a halo", .halo = 1, .parts = "dim 0|halo|contiguous"},
              {"a negative halo", .halo = -1, .parts = "dim 0|halo"},
              {"boundary padding", .boundary = {0, 1}, .parts = "dim 0|boundary"},
              {"a period", .periodic = true, .parts = "dim 0|periodic"},
              {"a period that wraps round", .periodic = true, .wraps = true, .parts = "dim 0"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    dap_dist dists[] = {dap_dist_cyclic(9, 2, 2), dap_dist_replicated(9, 2)};
    TEST_CASE("%s", rows[i].why);
    for (int k = 0; k < 2; k++) {
      dap_error err = {0};
      dap_layout *layout = NULL;
      EXPECT_OK(dap_layout_create(1, &dists[k], &layout, NULL), NULL);
      dap_layout_destroy(&layout);
      dists[k].halo = rows[i].halo;
      memcpy(dists[k].boundary, rows[i].boundary, sizeof dists[k].boundary);
      dists[k].periodic = rows[i].periodic;
      dists[k].wraps = rows[i].wraps;
      EXPECT_FAIL(dap_layout_create(1, &dists[k], &layout, &err), DAP_ERR_DIM, &err, rows[i].parts);
    }
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(wrong_distributions_are_refused),
    cmocka_unit_test(buffers_beyond_64_bits_are_refused),
    cmocka_unit_test(huge_layouts_need_no_memory),
    cmocka_unit_test(references_are_counted),
    cmocka_unit_test(equality),
    cmocka_unit_test(wrong_orders_are_refused),
    cmocka_unit_test(orders_are_compared),
    cmocka_unit_test(padding_needs_ranges),
};

MPI_TEST_MAIN(tests)
