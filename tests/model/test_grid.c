/* Layouts of many axes: products of the one-axis maps, on grids in row-major and in any other order. */
#include "brute.h"
#include "mpi_test.h"

static brute_axis axes[DAP_MAX_NDIM];
static int ranks[BRUTE_PROCS]; /* at each place of the grid, the last axis's coordinate being the fastest */

/* The next index of a C-order walk through counts[ndim]; false after the last. */
static bool next(int ndim, const int64_t counts[], int64_t index[])
{
  int k = ndim - 1;
  while (k >= 0 && ++index[k] == counts[k]) index[k--] = 0;
  return k >= 0;
}

static void check_globals(const dap_layout *layout, int ndim)
{
  int64_t sizes[DAP_MAX_NDIM], global[DAP_MAX_NDIM] = {0}, local[DAP_MAX_NDIM];
  dap_error err = {0};
  for (int k = 0; k < ndim; k++) sizes[k] = axes[k].size;
  for (int k = 0; k < ndim; k++)
    if (sizes[k] == 0) return;
  do {
    int rank = -1, want = 0;
    if (!EXPECT_OK(dap_layout_locate(layout, global, &rank, local, &err), &err)) return;
    for (int k = 0; k < ndim; k++) want = want * axes[k].procs + axes[k].owner[global[k]];
    for (int k = 0; k < ndim; k++) EXPECT_INT(local[k], axes[k].local[global[k]]);
    EXPECT_INT(rank, ranks[want]);
  } while (next(ndim, sizes, global));
}

static void check_locals(const dap_layout *layout, int ndim, int rank, const int coords[])
{
  int64_t extents[DAP_MAX_NDIM], local[DAP_MAX_NDIM] = {0}, global[DAP_MAX_NDIM];
  dap_error err = {0};
  bool empty = false;
  for (int k = 0; k < ndim; k++) {
    extents[k] = axes[k].extent[coords[k]];
    EXPECT_INT(dap_layout_extent(layout, k, coords[k]), extents[k]);
    empty = empty || extents[k] == 0;
  }
  if (empty) return;
  do {
    bool owned = false, want = true;
    if (!EXPECT_OK(dap_layout_globalize(layout, rank, local, global, &owned, &err), &err)) return;
    for (int k = 0; k < ndim; k++) {
      EXPECT_INT(global[k], axes[k].held[coords[k]][local[k]]);
      const int64_t *halo = axes[k].halo[coords[k]];
      want = want && local[k] >= halo[0] && local[k] < extents[k] - halo[1];
    }
    EXPECT_INT(owned, want);
  } while (next(ndim, extents, local));
}

static void check_ranks(const dap_layout *layout, int ndim)
{
  int64_t procs[DAP_MAX_NDIM], walk[DAP_MAX_NDIM] = {0};
  for (int k = 0; k < ndim; k++) procs[k] = axes[k].procs;
  int place = 0;
  do {
    int coords[DAP_MAX_NDIM];
    dap_layout_coords(layout, ranks[place], coords);
    for (int k = 0; k < ndim; k++) EXPECT_INT(coords[k], walk[k]);
    EXPECT_INT(dap_layout_rank(layout, coords), ranks[place]);
    check_locals(layout, ndim, ranks[place], coords);
    place++;
  } while (next(ndim, procs, walk));
  EXPECT_INT(place, dap_layout_nprocs(layout));
}

/* Draws an order of the ranks every second time, and gives it to the layout. */
static void reorder(test_random *random, dap_layout **layout)
{
  const int nprocs = dap_layout_nprocs(*layout);
  bool row_major = true;
  dap_error err = {0};
  dap_layout *reordered = NULL;
  random_ranks(random, nprocs, ranks);
  for (int i = 0; i < nprocs; i++) row_major = row_major && ranks[i] == i;
  EXPECT_OK(dap_layout_reorder(*layout, ranks, &reordered, &err), &err);
  dap_layout_destroy(layout);
  *layout = reordered;
  EXPECT_INT(dap_layout_is_row_major(reordered), row_major);
}

static void random_layouts(void **state)
{
  (void)state;
  static const int64_t largest[] = {0, 60, 20, 9, 6, 4, 4, 3, 3};
  test_random random = test_random_init(2);
  for (int i = 0; i < 200; i++) {
    const int ndim = 1 + i % DAP_MAX_NDIM;
    int procs[DAP_MAX_NDIM];
    int64_t lengths[DAP_MAX_NDIM][BRUTE_PROCS], count = 1;
    dap_dist dists[DAP_MAX_NDIM];
    random_grid(&random, (int)test_random_int(&random, 1, 12), ndim, procs);
    char label[DAP_MAX_NDIM * 80] = "";
    for (int k = 0; k < ndim; k++) {
      dists[k] = random_dist_of(&random, procs[k], test_random_int(&random, i % 5 ? 1 : 0, largest[ndim]),
                                true, lengths[k]);
      EXPECT(brute_deal(&dists[k], &axes[k]));
      count *= dists[k].size;
      const size_t used = strlen(label);
      snprintf(label + used, sizeof label - used, "%s; ", dist_text(&dists[k]));
    }
    TEST_CASE("%s", label);
    dap_error err = {0};
    dap_layout *layout = NULL;
    if (!EXPECT_OK(dap_layout_create(ndim, dists, &layout, &err), &err)) break;
    reorder(&random, &layout);
    EXPECT_INT(dap_layout_ndim(layout), ndim);
    EXPECT_INT(dap_layout_count(layout), count);
    check_globals(layout, ndim);
    check_ranks(layout, ndim);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

static void a_scalar_is_a_layout(void **state)
{
  (void)state;
  dap_error err = {0};
  dap_layout *layout = NULL;
  EXPECT_OK(dap_layout_create(0, NULL, &layout, &err), &err);
  EXPECT_INT(dap_layout_ndim(layout), 0);
  EXPECT_INT(dap_layout_count(layout), 1);
  EXPECT_INT(dap_layout_nprocs(layout), 1);
  EXPECT_INT(dap_layout_rank(layout, (int[]){0}), 0);
  int rank = -1;
  bool owned = false;
  int64_t nothing[1] = {7};
  EXPECT_OK(dap_layout_locate(layout, nothing, &rank, nothing, &err), &err);
  EXPECT_OK(dap_layout_globalize(layout, 0, nothing, nothing, &owned, &err), &err);
  EXPECT(rank == 0 && owned && nothing[0] == 7);
  EXPECT_FAIL(dap_layout_globalize(layout, 1, nothing, nothing, NULL, &err), DAP_ERR_ARG, &err, "rank|1");
  dap_layout_destroy(&layout);
  SETTLE();
}

static void questions_from_outside_are_refused(void **state)
{
  (void)state;
  const dap_dist dists[] = {{.procs = 3, .size = 9, .halo = 1}, dap_dist_cyclic(5, 2, 2)};
  dap_error err = {0};
  dap_layout *layout = NULL;
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  static const struct {
    const char *why;
    int64_t global[2];
    const char *parts;
  } outside[] = {{"low", {-1, 0}, "axis 0|-1"},
                 {"high", {9, 0}, "axis 0|9"},
                 {"second axis, low", {0, -1}, "axis 1|-1"},
                 {"second axis, high", {8, 5}, "axis 1|5"}};
  int rank = -1;
  int64_t local[2], global[2];
  for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
    TEST_CASE("%s", outside[i].why);
    EXPECT_FAIL(dap_layout_locate(layout, outside[i].global, &rank, local, &err), DAP_ERR_ARG, &err,
                outside[i].parts);
  }
  static const struct {
    const char *why;
    int rank;
    int64_t local[2];
    const char *parts;
  } beyond[] = {{"rank low", -1, {0, 0}, "rank -1"},
                {"rank high", 6, {0, 0}, "rank 6"},
                {"low", 0, {-1, 0}, "axis 0|-1"},
                {"behind the halo of rank 0", 0, {4, 0}, "axis 0|4"},
                {"behind the halo of (1, 1)", 3, {5, 0}, "axis 0|5"},
                {"behind the last block", 1, {0, 2}, "axis 1|2"}};
  for (size_t i = 0; i < sizeof beyond / sizeof beyond[0]; i++) {
    TEST_CASE("%s", beyond[i].why);
    EXPECT_FAIL(dap_layout_globalize(layout, beyond[i].rank, beyond[i].local, global, NULL, &err),
                DAP_ERR_ARG, &err, beyond[i].parts);
  }
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_layouts),
    cmocka_unit_test(a_scalar_is_a_layout),
    cmocka_unit_test(questions_from_outside_are_refused),
};

MPI_TEST_MAIN(tests)
