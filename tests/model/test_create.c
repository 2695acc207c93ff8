/* Tests how layouts are created: refusals that only programs can cause (others are in
 * test_parse_refused.c), and references. */
#include "mpi_test.h"

#define EVEN(size_, procs_)                                                                                  \
  {                                                                                                          \
    .kind = DAP_DIST_EVEN, .procs = (procs_), .size = (size_)                                                \
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
#define GHOSTED(size_, lengths_, of_, owned_)                                                                \
  {                                                                                                          \
    .kind = DAP_DIST_UNSTRUCTURED, .procs = 3, .size = (size_), .lengths = (lengths_), .indices = (of_),     \
    .owned = (owned_)                                                                                        \
  }
#define FLAGGED(size_, lengths_, of_, is_owned_)                                                             \
  {                                                                                                          \
    .kind = DAP_DIST_UNSTRUCTURED, .procs = 3, .size = (size_), .lengths = (lengths_), .indices = (of_),     \
    .is_owned = (is_owned_)                                                                                  \
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

/* Lengths of five elements over three processes. */
static const int64_t lengths_5[] = {2, 0, 3}, lengths_full[] = {2, 1, 3};
static const int64_t list_few[] = {4, 1}, list_none[] = {0}, list_many[] = {0, 3, 2};
static const int64_t *const lists[] = {list_few, list_none, list_many};
static const int64_t first_1_1_3[] = {1, 1, 3}, first_2_1_2[] = {2, 1, 2}, first_3_0_2[] = {3, 0, 2},
                     first_negative[] = {2, -1, 3};
static const bool flags_few[] = {true, false}, flags_one[] = {true}, flags_all[] = {true, true, true};
static const bool *const flags[] = {flags_few, flags_one, flags_all};
static const bool *const flags_without[] = {flags_few, NULL, flags_all};
static const int64_t list_one[] = {1};
static const int64_t *const lists_ghosted[] = {list_few, list_one, list_many}; /* 1 is on two processes */

static const int64_t lengths_minus[] = {4, -1, 2}, lengths_huge[] = {INT64_MAX, 1, 1};

/* Wrong lists of five indices over three processes. */
static const int64_t list_below[] = {0, -1, 2};
static const int64_t *const lists_missing[] = {list_few, list_none, NULL}, *const lists_below[] = {
                                                                               list_few, list_none,
                                                                               list_below};
static const int64_t lengths_less[] = {2, -1, 3};

typedef struct row {
  const char *why;
  int ndim;
  dap_dist dists[3];
  dap_status want;
  const char *parts;
} row;

#define HUGE_SIZE ((int64_t)1 << 40)

static const row refusals[] = {
    {"negative ndim", -1, {{0}}, DAP_ERR_ARG, "ndim|-1"},
    {"too many axes", 9, {{0}}, DAP_ERR_ARG, "ndim|9"},
    {"unknown cut", 1, {{.kind = (dap_dist_kind)7, .procs = 1}}, DAP_ERR_DIM, "axis 0|7"},
    {"no cut at all", 1, {{.kind = (dap_dist_kind)-1, .procs = 1}}, DAP_ERR_DIM, "axis 0|dap_dist_kind"},
    {"negative size", 2, {EVEN(3, 1), EVEN(-1, 1)}, DAP_ERR_DIM, "axis 1|size|-1"},
    {"zeroed distribution", 1, {{0}}, DAP_ERR_DIM, "axis 0|procs|0"},
    {"negative procs", 1, {EVEN(3, -2)}, DAP_ERR_DIM, "axis 0|procs|-2"},
    {"negative block size", 1, {CYCLIC(5, 2, -1, 0)}, DAP_ERR_DIM, "axis 0|block_size|-1"},
    {"first owner negative", 1, {CYCLIC(5, 2, 1, -1)}, DAP_ERR_DIM, "axis 0|first_owner|-1"},
    {"lengths missing", 1, {LENGTHS(5, NULL)}, DAP_ERR_ARG, "axis 0|lengths"},
    {"a negative length", 1, {LENGTHS(5, lengths_minus)}, DAP_ERR_DIM, "axis 0|lengths|-1"},
    {"lengths whose sum overflows", 1, {LENGTHS(1, lengths_huge)}, DAP_ERR_DIM, "axis 0|lengths"},
    {"negative halo", 1, {PADDED(9, 3, -1, 0, 0)}, DAP_ERR_DIM, "axis 0|halo|-1"},
    {"halo beside an empty process", 1, {PADDED(2, 3, 1, 0, 0)}, DAP_ERR_DIM, "axis 0|padding|1|0"},
    {"negative boundary", 1, {PADDED(9, 3, 0, -1, 0)}, DAP_ERR_DIM, "axis 0|boundary|-1"},
    {"boundary wider than the first process", 1, {PADDED(9, 3, 0, 4, 0)}, DAP_ERR_DIM, "axis 0|boundary|4|3"},
    {"boundaries whose sum overflows",
     1,
     {PADDED(5, 1, 0, INT64_MAX, INT64_MAX)},
     DAP_ERR_DIM,
     "axis 0|boundary"},
    {"a halo that wraps round the one process more than once",
     1,
     {WRAPPED(3, 1, 4, 0, 0)},
     DAP_ERR_DIM,
     "4|3"},
    {"no lists", 1, {LISTS(5, lengths_5, NULL)}, DAP_ERR_ARG, "axis 0|indices"},
    {"no lengths of lists", 1, {LISTS(5, NULL, lists)}, DAP_ERR_ARG, "axis 0|lengths"},
    {"a list is missing",
     1,
     {LISTS(5, lengths_5, lists_missing)},
     DAP_ERR_DIM,
     "axis 0|lengths[2] 3|indices[2]"},
    {"a list of fewer than none", 1, {LISTS(5, lengths_less, lists)}, DAP_ERR_DIM, "axis 0|lengths[1] -1"},
    {"a negative index", 1, {LISTS(5, lengths_5, lists_below)}, DAP_ERR_DIM, "axis 0|indices[1] -1"},
    {"too few indices in all", 2, {EVEN(3, 1), LISTS(6, lengths_5, lists)}, DAP_ERR_DIM, "axis 1|5|6"},
    {"more owned than listed",
     1,
     {GHOSTED(5, lengths_full, lists_ghosted, first_3_0_2)},
     DAP_ERR_DIM,
     "owned[0] 3"},
    {"fewer than none",
     1,
     {GHOSTED(5, lengths_full, lists_ghosted, first_negative)},
     DAP_ERR_DIM,
     "owned[1] -1"},
    {"owned twice", 1, {GHOSTED(5, lengths_full, lists_ghosted, first_2_1_2)}, DAP_ERR_DIM, "axis 0|index"},
    {"flags of a list are NULL",
     1,
     {FLAGGED(5, lengths_full, lists_ghosted, flags_without)},
     DAP_ERR_DIM,
     "is_owned[1]"},
    {"numbers and flags",
     1,
     {{.kind = DAP_DIST_UNSTRUCTURED,
       .procs = 3,
       .size = 5,
       .lengths = lengths_full,
       .indices = lists_ghosted,
       .owned = first_1_1_3,
       .is_owned = flags}},
     DAP_ERR_ARG,
     "axis 0|both"},
    {"ghosts, but one to one",
     1,
     {{.kind = DAP_DIST_UNSTRUCTURED,
       .procs = 3,
       .size = 5,
       .lengths = lengths_full,
       .indices = lists_ghosted,
       .owned = first_1_1_3,
       .one_to_one = true}},
     DAP_ERR_DIM,
     "axis 0|ghosts|one_to_one"},
};

static void wrong_distributions_are_refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
    const row *r = &refusals[i];
    dap_error err = {0};
    dap_layout *layout = (dap_layout *)&err; /* any value except NULL */
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

/* Halos that wrap around add to the owned elements, so the buffer can be longer than the axis. */
static void buffers_beyond_64_bits_are_refused(void **state)
{
  (void)state;
  for (int procs = 1; procs <= 2; procs++) {
    const dap_dist dist = WRAPPED(INT64_MAX / 2 * procs, procs, INT64_MAX / 2, 0, 0);
    dap_error err = {0};
    dap_layout *layout = NULL;
    TEST_CASE("over %d", procs);
    EXPECT_FAIL(dap_layout_create(1, &dist, &layout, &err), DAP_ERR_RANGE, &err, "axis 0|2^63");
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

/* Members that only contiguous distributions have must be refused in others, and not ignored. */
static void padding_needs_ranges(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    int64_t halo, boundary[2];
    bool periodic, wraps;
    const char *parts;
  } rows[] = {{"a halo", .halo = 1, .parts = "axis 0|halo|contiguous"},
              {"a negative halo", .halo = -1, .parts = "axis 0|halo"},
              {"boundary padding", .boundary = {0, 1}, .parts = "axis 0|boundary"},
              {"a period", .periodic = true, .parts = "axis 0|periodic"},
              {"a period that wraps round", .periodic = true, .wraps = true, .parts = "axis 0"}};
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
    cmocka_unit_test(padding_needs_ranges),
};

MPI_TEST_MAIN(tests)
