/* Making layouts: what is refused and why, references, equality. */
#include "mpi_test.h"

static const int64_t lengths_5[] = {2, 0, 3}, lengths_minus[] = {4, -1, 2},
                     lengths_huge[] = {INT64_MAX, 1, 1};

typedef struct row {
  const char *why;
  int ndim;
  dap_dist dists[3];
  dap_status want;
  const char *parts;
} row;

#define EVEN(size_, procs_)                                                                                  \
  {                                                                                                          \
    .cut = DAP_CUT_EVEN, .procs = (procs_), .size = (size_)                                                  \
  }
#define CEIL(size_, procs_)                                                                                  \
  {                                                                                                          \
    .cut = DAP_CUT_CEIL, .procs = (procs_), .size = (size_)                                                  \
  }
#define CYCLIC(size_, procs_, bs_, first_)                                                                   \
  {                                                                                                          \
    .cut = DAP_CUT_CYCLIC, .procs = (procs_), .size = (size_), .block_size = (bs_), .first_owner = (first_)  \
  }
#define LENGTHS(size_, of_)                                                                                  \
  {                                                                                                          \
    .cut = DAP_CUT_LENGTHS, .procs = 3, .size = (size_), .lengths = (of_)                                    \
  }
#define PADDED(size_, procs_, halo_, low_, high_)                                                            \
  {                                                                                                          \
    .procs = (procs_), .size = (size_), .halo = (halo_), .boundary = {(low_), (high_) }                      \
  }
#define HUGE_SIZE ((int64_t)1 << 40)

static const row refusals[] = {
    {"negative ndim", -1, {{0}}, DAP_ERR_ARG, "ndim|-1"},
    {"too many axes", 9, {{0}}, DAP_ERR_ARG, "ndim|9"},
    {"unknown cut", 1, {{.cut = (dap_cut)4, .procs = 1}}, DAP_ERR_DIM, "dim 0|4"},
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(wrong_distributions_are_refused),
    cmocka_unit_test(huge_layouts_need_no_memory),
    cmocka_unit_test(references_are_counted),
    cmocka_unit_test(equality),
};

MPI_TEST_MAIN(tests)
