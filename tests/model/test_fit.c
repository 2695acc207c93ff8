/* The named ways to cut an axis, and when each is one ScaLAPACK block size or PETSc's ownership ranges. */
#include "mpi_test.h"

#include <inttypes.h>

enum { MOST = 6 /* processes */ };

typedef struct row {
  const char *why;
  dap_dist dist;
  int64_t owned[MOST];  /* [procs] */
  bool is_blocks;       /* one block size fits */
  dap_blocks blocks;    /* which */
  bool is_ranges;       /* ownership ranges fit */
  int64_t ranges[MOST]; /* [procs] where each begins */
} row;

static const int64_t freeform[] = {4, 0, 3}, blocks_of_three[] = {0, 3, 3, 2, 0}, growing[] = {1, 2, 3},
                     last_longer[] = {2, 2, 3}, all_on_one[] = {0, 5, 0}, gap[] = {3, 0, 3},
                     in_two[] = {3, 2};
static const int64_t low[] = {0, 1, 2}, high[] = {3, 4}, reversed[] = {2, 1, 0};
static const int64_t *const ascending[] = {low, high}, *const descending[] = {reversed, high};

static const row rows[] = {
    {"d2o equal: 7 = 3 * 2 + 1", {.procs = 3, .size = 7}, {3, 2, 2}, false, {0}, true, {0, 3, 5}},
    {"d2o equal, all the same", {.procs = 3, .size = 6}, {2, 2, 2}, true, {2, 2, 0}, true, {0, 2, 4}},
    {"d2o equal, only the last has less",
     {.procs = 3, .size = 8},
     {3, 3, 2},
     true,
     {3, 3, 0},
     true,
     {0, 3, 6}},
    {"d2o equal, fewer than processes", {.procs = 3, .size = 2}, {1, 1, 0}, true, {1, 1, 0}, true, {0, 1, 2}},
    {"d2o fftw, slab localdimension: always one block size",
     {.kind = DAP_DIST_CEIL, .procs = 3, .size = 7},
     {3, 3, 1},
     true,
     {3, 3, 0},
     true,
     {0, 3, 6}},
    {"HPF block is no even split (rule 16)",
     {.kind = DAP_DIST_CEIL, .procs = 4, .size = 5},
     {2, 2, 1, 0},
     true,
     {2, 2, 0},
     true,
     {0, 2, 4, 5}},
    {"the offsets of empty processes are clamped to the size",
     {.kind = DAP_DIST_CEIL, .procs = 6, .size = 3},
     {1, 1, 1, 0, 0, 0},
     true,
     {1, 1, 0},
     true,
     {0, 1, 2, 3, 3, 3}},
    {"d2o freeform",
     {.kind = DAP_DIST_LENGTHS, .procs = 3, .size = 7, .lengths = freeform},
     {4, 0, 3},
     false,
     {0},
     true,
     {0, 4, 4}},
    {"freeform that is blocks, from a process that is not the first",
     {.kind = DAP_DIST_LENGTHS, .procs = 5, .size = 8, .lengths = blocks_of_three},
     {0, 3, 3, 2, 0},
     true,
     {3, 3, 1},
     true,
     {0, 0, 3, 6, 8}},
    {"growing lengths",
     {.kind = DAP_DIST_LENGTHS, .procs = 3, .size = 6, .lengths = growing},
     {1, 2, 3},
     false,
     {0},
     true,
     {0, 1, 3}},
    {"only the last is longer",
     {.kind = DAP_DIST_LENGTHS, .procs = 3, .size = 7, .lengths = last_longer},
     {2, 2, 3},
     false,
     {0},
     true,
     {0, 2, 4}},
    {"an empty process between two equal ones",
     {.kind = DAP_DIST_LENGTHS, .procs = 3, .size = 6, .lengths = gap},
     {3, 0, 3},
     false,
     {0},
     true,
     {0, 3, 3}},
    {"one owner: every block size that holds all",
     {.kind = DAP_DIST_LENGTHS, .procs = 3, .size = 5, .lengths = all_on_one},
     {0, 5, 0},
     true,
     {0, 5, 1},
     true,
     {0, 0, 5}},
    {"one process always fits", {.procs = 1, .size = 5}, {5}, true, {0, 1, -1}, true, {0}},
    {"nothing to distribute", {.procs = 3, .size = 0}, {0, 0, 0}, true, {0, 1, -1}, true, {0, 0, 0}},
    {"block-cyclic",
     {.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 9, .block_size = 2},
     {5, 4},
     true,
     {2, 2, 0},
     false,
     {0}},
    {"block-cyclic from process 1",
     {.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 4, .block_size = 2, .first_owner = 1},
     {2, 2},
     true,
     {2, 2, 1},
     false,
     {0}},
    {"cyclic whose blocks are ranges",
     {.kind = DAP_DIST_CYCLIC, .procs = 3, .size = 7, .block_size = 3},
     {3, 3, 1},
     true,
     {3, 3, 0},
     true,
     {0, 3, 6}},
    {"cyclic with one block, not on the first",
     {.kind = DAP_DIST_CYCLIC, .procs = 3, .size = 2, .block_size = 4, .first_owner = 2},
     {0, 0, 2},
     true,
     {0, 2, 2},
     true,
     {0, 0, 0}},
    {"d2o not: the first owns a full copy",
     {.kind = DAP_DIST_REPLICATED, .procs = 2, .size = 4},
     {4, 0},
     false,
     {0},
     true,
     {0, 4}},
    {"unstructured, but in order",
     {.kind = DAP_DIST_UNSTRUCTURED, .procs = 2, .size = 5, .lengths = in_two, .indices = ascending},
     {3, 2},
     false,
     {0},
     true,
     {0, 3}},
    {"unstructured",
     {.kind = DAP_DIST_UNSTRUCTURED, .procs = 2, .size = 5, .lengths = in_two, .indices = descending},
     {3, 2},
     false,
     {0},
     false,
     {0}},
};

static void check_blocks(const row *r, const dap_layout *layout)
{
  dap_error err = {0};
  dap_blocks blocks;
  if (!r->is_blocks) {
    EXPECT_FAIL(dap_layout_blocks(layout, 0, &blocks, &err), DAP_ERR_SHARE, &err, "axis 0");
    return;
  }
  EXPECT_OK(dap_layout_blocks(layout, 0, &blocks, &err), &err);
  EXPECT_INT(blocks.size, r->blocks.size);
  EXPECT_INT(blocks.least, r->blocks.least);
  EXPECT_INT(blocks.source, r->blocks.source);
}

static void check_ranges(const row *r, const dap_layout *layout)
{
  dap_error err = {0};
  int64_t ranges[MOST + 1];
  if (!r->is_ranges) {
    EXPECT_FAIL(dap_layout_ranges(layout, 0, ranges, &err), DAP_ERR_SHARE, &err, "axis 0");
    EXPECT_FAIL(dap_layout_ranges(layout, 0, NULL, &err), DAP_ERR_SHARE, &err, "axis 0"); /* only checks */
    return;
  }
  EXPECT_OK(dap_layout_ranges(layout, 0, ranges, &err), &err);
  EXPECT_OK(dap_layout_ranges(layout, 0, NULL, &err), &err);
  for (int c = 0; c < r->dist.procs; c++) EXPECT_INT(ranges[c], r->ranges[c]);
  EXPECT_INT(ranges[r->dist.procs], r->dist.size);
}

static void named_cuts(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const row *r = &rows[i];
    dap_layout *layout = NULL;
    dap_error err = {0};
    TEST_CASE("%s", r->why);
    if (!EXPECT_OK(dap_layout_create(1, &r->dist, &layout, &err), &err)) continue;
    for (int c = 0; c < r->dist.procs; c++) EXPECT_INT(dap_layout_owned(layout, 0, c), r->owned[c]);
    check_blocks(r, layout);
    check_ranges(r, layout);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

/* ---- the predicate against every block size there is ------------------------------------------------ */

/* Blocks of nb dealt from `source` put each element where the layout has it. */
static bool deals_the_same(const dap_layout *layout, int64_t nb, int source)
{
  const int64_t size = dap_layout_size(layout, 0);
  const int procs = dap_layout_procs(layout, 0);
  int64_t count[MOST] = {0};
  for (int64_t i = 0; i < size; i++) {
    const int owner = (int)((i / nb + source) % procs);
    int rank;
    int64_t local;
    if (dap_layout_locate(layout, &i, &rank, &local, NULL) || rank != owner || local != count[owner]++)
      return false;
  }
  return true;
}

static void check_against_all(const dap_layout *layout)
{
  const int64_t size = dap_layout_size(layout, 0);
  const int procs = dap_layout_procs(layout, 0);
  dap_blocks blocks = {0};
  const bool fits = dap_layout_blocks(layout, 0, &blocks, NULL) == DAP_OK;
  for (int64_t nb = 1; nb <= size + 2; nb++)
    for (int source = 0; source < procs; source++) {
      const bool said = fits && (blocks.size ? nb == blocks.size : nb >= blocks.least) &&
                        (blocks.source < 0 || blocks.source == source);
      EXPECT_MSG(said == deals_the_same(layout, nb, source), "blocks of %" PRId64 " from %d", nb, source);
    }
}

/* Lengths from 0 to 3 for each of up to 4 processes. */
static void every_lengths(void **state)
{
  (void)state;
  for (int procs = 1; procs <= 4; procs++)
    for (int code = 0; code < 1 << (2 * procs); code++) {
      int64_t lengths[4], size = 0;
      for (int c = 0; c < procs; c++) size += lengths[c] = (code >> (2 * c)) & 3;
      const dap_dist dist = dap_dist_lengths(size, procs, lengths);
      dap_layout *layout = NULL;
      dap_error err = {0};
      TEST_CASE("%d processes, lengths %" PRId64 " ...", procs, lengths[0]);
      if (!EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err)) continue;
      check_against_all(layout);
      dap_layout_destroy(&layout);
    }
  SETTLE();
}

static dap_layout *create(dap_dist dist)
{
  dap_layout *layout = NULL;
  EXPECT_OK(dap_layout_create(1, &dist, &layout, NULL), NULL);
  return layout;
}

/* What layout.h says: "even" fits iff size % procs is 0 or procs - 1, or size < procs; "ceil" always. */
static void even_and_ceil(void **state)
{
  (void)state;
  for (int procs = 1; procs <= MOST; procs++)
    for (int64_t size = 0; size <= 20; size++) {
      const int64_t rest = size % procs;
      TEST_CASE("%" PRId64 " over %d", size, procs);
      dap_layout *even = create(dap_dist_even(size, procs)), *ceil = create(dap_dist_ceil(size, procs));
      dap_blocks blocks;
      EXPECT_INT(dap_layout_blocks(even, 0, &blocks, NULL) == DAP_OK,
                 rest == 0 || rest == procs - 1 || size < procs);
      EXPECT_INT(dap_layout_blocks(ceil, 0, &blocks, NULL), DAP_OK);
      check_against_all(even);
      check_against_all(ceil);
      dap_layout_destroy(&even);
      dap_layout_destroy(&ceil);
    }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(named_cuts),
    cmocka_unit_test(every_lengths),
    cmocka_unit_test(even_and_ceil),
};

MPI_TEST_MAIN(tests)
