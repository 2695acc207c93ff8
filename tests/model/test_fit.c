/* Tests the named distributions, and when each of them is one ScaLAPACK block size or PETSc's ownership
 * ranges. */
#include "layouts.h"

#include <inttypes.h>

enum { MOST = 6 /* most processes */ };

static const struct {
  const char *why, *layout;
  const char *owned;  /* elements of each process */
  const char *blocks; /* size, least and source of a block size that fits; NULL: none */
  const char *ranges; /* begin of each process's range, and the size; NULL: none */
} rows[] = {
    {"d2o equal: 7 = 3 * 2 + 1", "7 on 3: b", "3 2 2", NULL, "0 3 5 7"},
    {"d2o equal, all the same", "6 on 3: b", "2 2 2", "2 2 0", "0 2 4 6"},
    {"d2o equal, only the last has less", "8 on 3: b", "3 3 2", "3 3 0", "0 3 6 8"},
    {"d2o equal, fewer than processes", "2 on 3: b", "1 1 0", "1 1 0", "0 1 2 2"},
    {"d2o fftw, slab localdimension: always one block size", "7 on 3: b(ceil)", "3 3 1", "3 3 0", "0 3 6 7"},
    {"HPF block is no even split (rule 16)", "5 on 4: b(ceil)", "2 2 1 0", "2 2 0", "0 2 4 5 5"},
    {"the offsets of empty processes are clamped to the size", "3 on 6: b(ceil)", "1 1 1 0 0 0", "1 1 0",
     "0 1 2 3 3 3 3"},
    {"d2o freeform", "7 on 3: b[4,0,3]", "4 0 3", NULL, "0 4 4 7"},
    {"freeform that is blocks, from a process that is not the first", "8 on 5: b[0,3,3,2,0]", "0 3 3 2 0",
     "3 3 1", "0 0 3 6 8 8"},
    {"growing lengths", "6 on 3: b[1,2,3]", "1 2 3", NULL, "0 1 3 6"},
    {"only the last is longer", "7 on 3: b[2,2,3]", "2 2 3", NULL, "0 2 4 7"},
    {"an empty process between two equal ones", "6 on 3: b[3,0,3]", "3 0 3", NULL, "0 3 3 6"},
    {"one owner: every block size that holds all", "5 on 3: b[0,5,0]", "0 5 0", "0 5 1", "0 0 5 5"},
    {"one process always fits", "5 on 1: b", "5", "0 1 -1", "0 5"},
    {"nothing to distribute", "0 on 3: b", "0 0 0", "0 1 -1", "0 0 0 0"},
    {"block-cyclic", "9 on 2: c(2)", "5 4", "2 2 0", NULL},
    {"block-cyclic from process 1", "4 on 2: c(2, first 1)", "2 2", "2 2 1", NULL},
    {"cyclic whose blocks are ranges", "7 on 3: c(3)", "3 3 1", "3 3 0", "0 3 6 7"},
    {"cyclic with one block, not on the first", "2 on 3: c(4, first 2)", "0 0 2", "0 2 2", "0 0 0 2"},
    {"d2o not: the first owns a full copy", "4 on 2: r", "4 0", NULL, "0 4 4"},
    {"unstructured, but in order", "5 on 2: u[0,1,2][3,4]", "3 2", NULL, "0 3 5"},
    {"unstructured", "5 on 2: u[2,1,0][3,4]", "3 2", NULL, NULL},
};

static void check_numbers(const char *what, const int64_t numbers[], int count, const char *want)
{
  char text[128] = "";
  size_t used = 0;
  for (int i = 0; i < count; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRId64, i ? " " : "", numbers[i]);
  EXPECT_MSG(!strcmp(text, want), "%s: %s, not %s", what, text, want);
}

static void check_blocks(const char *want, const dap_layout *layout)
{
  dap_error err = {0};
  dap_blocks blocks = {0};
  const dap_status s = dap_layout_blocks(layout, 0, &blocks, &err);
  EXPECT_FAIL(s, want ? DAP_OK : DAP_ERR_SHARE, &err, want ? "" : "axis 0");
  if (want) check_numbers("blocks", (int64_t[]){blocks.size, blocks.least, blocks.source}, 3, want);
}

static void check_ranges(const char *want, const dap_layout *layout)
{
  dap_error err = {0};
  int64_t ranges[MOST + 1] = {0};
  const dap_status s = dap_layout_ranges(layout, 0, ranges, &err);
  EXPECT_FAIL(s, want ? DAP_OK : DAP_ERR_SHARE, &err, want ? "" : "axis 0");
  EXPECT_INT(dap_layout_ranges(layout, 0, NULL, NULL), s); /* only checks */
  if (want) check_numbers("ranges", ranges, dap_layout_procs(layout, 0) + 1, want);
}

static void named_cuts(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int64_t owned[MOST];
    TEST_CASE("%s", rows[i].why);
    dap_layout *layout = read_layout(rows[i].layout);
    if (!layout) continue;
    for (int c = 0; c < dap_layout_procs(layout, 0); c++) owned[c] = dap_layout_owned(layout, 0, c);
    check_numbers("owned", owned, dap_layout_procs(layout, 0), rows[i].owned);
    check_blocks(rows[i].blocks, layout);
    check_ranges(rows[i].ranges, layout);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

/* ---- the predicate against every block size --------------------------------------------------------- */

/* Returns whether blocks of nb that are dealt from `source` put each element where the layout has it. */
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

/* Tests lengths from 0 to 3 for each of up to 4 processes. */
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

/* Tests the claim of layout.h: "even" fits iff size % procs is 0 or procs - 1, or size < procs; "ceil"
 * always fits. */
static void even_and_ceil(void **state)
{
  (void)state;
  for (int procs = 1; procs <= MOST; procs++)
    for (int64_t size = 0; size <= 20; size++) {
      const int64_t rest = size % procs;
      TEST_CASE("%" PRId64 " over %d", size, procs);
      const dap_dist dists[] = {dap_dist_even(size, procs), dap_dist_ceil(size, procs)};
      dap_layout *even = layout_make(1, &dists[0], NULL), *ceil = layout_make(1, &dists[1], NULL);
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
