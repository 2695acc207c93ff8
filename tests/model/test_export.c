/* dap_layout_dim(): layouts written in each version of the protocol, what a version cannot say, and all of
 * it read back. */
#include "forget.h"
#include "mpi_test.h"
#include "mutate.h"
#include "random_array.h"

static const struct {
  const char *why, *version;
  dap_dist dist;
  int coord;
  int64_t start, stop, padding[2];
  bool periodic;
} exports[] = {
    {"0.10 includes communication padding",
     "0.10.0",
     {.procs = 3, .size = 9, .halo = 1},
     1,
     2,
     7,
     {1, 1},
     false},
    {"no version named is 0.10", NULL, {.procs = 3, .size = 9, .halo = 1}, 1, 2, 7, {1, 1}, false},
    {"any 0.10 is 0.10", "0.10.7", {.procs = 3, .size = 9, .halo = 1}, 1, 2, 7, {1, 1}, false},
    {"0.9 excludes it", "0.9.0", {.procs = 3, .size = 9, .halo = 1}, 1, 3, 6, {1, 1}, false},
    {"0.0.1 excludes it", "0.0.1", {.procs = 3, .size = 9, .halo = 1}, 1, 3, 6, {1, 1}, false},
    {"boundary padding is within, 0.10",
     "0.10.0",
     {.procs = 3, .size = 9, .halo = 1, .boundary = {2, 1}},
     0,
     0,
     4,
     {2, 1},
     false},
    {"boundary padding is within, 0.9",
     "0.9.0",
     {.procs = 3, .size = 9, .halo = 1, .boundary = {2, 1}},
     2,
     6,
     9,
     {1, 1},
     false},
    {"periodic, with an edge that is owned, 0.10",
     "0.10.0",
     {.procs = 3, .size = 9, .halo = 1, .boundary = {2, 1}, .periodic = true},
     2,
     5,
     9,
     {1, 1},
     true},
    {"periodic, without outer padding, 0.9",
     "0.9.0",
     {.procs = 3, .size = 9, .periodic = true},
     2,
     6,
     9,
     {0, 0},
     true},
    {"padding that wraps round, 0.9",
     "0.9.0",
     {.procs = 3, .size = 9, .halo = 2, .periodic = true, .wraps = true},
     0,
     0,
     3,
     {2, 2},
     true},
    {"padding that wraps round one process, 0.0.1",
     "0.0.1",
     {.procs = 1, .size = 9, .halo = 2, .periodic = true, .wraps = true},
     0,
     0,
     9,
     {2, 2},
     true},
    {"an empty section is where the one before it ends",
     "0.10.0",
     {.procs = 3, .size = 2},
     2,
     2,
     2,
     {0, 0},
     false},
};

static void ranges_are_written(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof exports / sizeof exports[0]; i++) {
    dap_layout *layout = NULL;
    dap_dim dim;
    dap_error err = {0};
    TEST_CASE("%s", exports[i].why);
    EXPECT_OK(dap_layout_create(1, &exports[i].dist, &layout, &err), &err);
    EXPECT_OK(dap_layout_dim(layout, exports[i].version, 0, exports[i].coord, &dim, &err), &err);
    EXPECT(dim.dist_type == 'b' && dim.periodic == exports[i].periodic && !dim.one_to_one);
    EXPECT_INT(dim.size, exports[i].dist.size);
    EXPECT_INT(dim.proc_grid_size, exports[i].dist.procs);
    EXPECT_INT(dim.proc_grid_rank, exports[i].coord);
    EXPECT_INT(dim.start, exports[i].start);
    EXPECT_INT(dim.stop, exports[i].stop);
    EXPECT_INT(dim.padding[0], exports[i].padding[0]);
    EXPECT_INT(dim.padding[1], exports[i].padding[1]);
    EXPECT_INT(dim.block_size, DAP_ABSENT);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

static const dap_dist wrapped = {.procs = 3, .size = 9, .halo = 2, .periodic = true, .wraps = true};
static const dap_dist edged = {.procs = 3, .size = 9, .halo = 1, .boundary = {2, 1}, .periodic = true};

static const int64_t ones[] = {1, 1, 1}, first[] = {2}, second[] = {0}, third[] = {1};
static const int64_t *const dealt[] = {first, second, third};
static const dap_dist promised = {.kind = DAP_DIST_UNSTRUCTURED,
                                  .procs = 3,
                                  .size = 3,
                                  .lengths = ones,
                                  .indices = dealt,
                                  .one_to_one = true};

static void what_a_version_cannot_say_is_refused(void **state)
{
  (void)state;
  static const struct {
    const char *why, *version;
    const dap_dist *dist;
    dap_status want;
    const char *parts;
    int rule;
  } rows[] = {
      {"0.10: nothing wraps round", "0.10.0", &wrapped, DAP_ERR_UNSUPPORTED, "axis 0|0.10.*|(2, 2)|wraps", 9},
      {"0.9: what is periodic has no edge", "0.9.0", &edged, DAP_ERR_UNSUPPORTED,
       "axis 0|0.9.*|periodic|(2, 1)", 9},
      {"0.0.1: what is periodic has no edge", "0.0.1", &edged, DAP_ERR_UNSUPPORTED, "axis 0|0.0.1|(2, 1)", 9},
      {"0.0.1: nobody promises one to one", "0.0.1", &promised, DAP_ERR_UNSUPPORTED,
       "axis 0|0.0.1|one to one", 18},
      {"no such version", "0.11.0", &wrapped, DAP_ERR_VERSION, "'0.11.0'", 2},
      {"no version at all", "", &wrapped, DAP_ERR_VERSION, "''", 2},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (int coord = 0; coord < 3; coord++) { /* the axis is refused, not the process with the edge */
      dap_layout *layout = NULL;
      dap_dim dim;
      dap_error err = {0};
      TEST_CASE("%s, process %d", rows[i].why, coord);
      EXPECT_OK(dap_layout_create(1, rows[i].dist, &layout, &err), &err);
      EXPECT_FAIL(dap_layout_dim(layout, rows[i].version, 0, coord, &dim, &err), rows[i].want, &err,
                  rows[i].parts);
      expect_rule(&err, rows[i].rule);
      EXPECT_INT(dap_layout_dim(layout, rows[i].version, 0, coord, &dim, NULL), rows[i].want);
      dap_layout_destroy(&layout);
    }
  dap_layout *layout = NULL;
  dap_dim dim;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, &wrapped, &layout, &err), &err);
  EXPECT_FAIL(dap_layout_dim(NULL, NULL, 0, 0, &dim, &err), DAP_ERR_ARG, &err, "layout|NULL");
  EXPECT_FAIL(dap_layout_dim(layout, NULL, 0, 0, NULL, &err), DAP_ERR_ARG, &err, "dim|NULL");
  dap_layout_destroy(&layout);
  SETTLE();
}

static const int64_t first_list[] = {5, 0, 300}, second_list[] = {1, 2, 3, 4};

/* Lists are handed out as they are kept; those of others not at all. */
static void lists_are_written(void **state)
{
  (void)state;
  static int64_t rest[294];
  for (int i = 0; i < 294; i++) rest[i] = 6 + i;
  static const int64_t lengths[] = {3, 4, 294};
  const int64_t *const lists[] = {first_list, second_list, rest};
  dap_dist dist = dap_dist_unstructured(301, 3, lengths, lists);
  dist.one_to_one = true;
  dap_layout *layout = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err);
  dap_dim dim;
  for (int coord = 0; coord < 3; coord++) {
    TEST_CASE("process %d", coord);
    if (!EXPECT_OK(dap_layout_dim(layout, "0.9.0", 0, coord, &dim, &err), &err)) continue;
    EXPECT(dim.dist_type == 'u' && dim.one_to_one);
    EXPECT_INT(dim.index_count, lengths[coord]);
    for (int64_t i = 0; i < dim.index_count; i++) EXPECT_INT(dap_dim_index(&dim, i), lists[coord][i]);
  }
  forget(layout, 0, 1);
  EXPECT_OK(dap_layout_dim(layout, NULL, 0, 1, &dim, &err), &err);
  EXPECT_FAIL(dap_layout_dim(layout, NULL, 0, 2, &dim, &err), DAP_ERR_REMOTE, &err,
              "axis 0|proc_grid_rank 2");
  dap_layout_destroy(&layout);
  SETTLE();
}

/* ---- there and back ----------------------------------------------------------------------------- */

static const int64_t trip_lengths[] = {3, 0, 4}, list_a[] = {6, 0, 2}, list_b[] = {1, 2, 3, 4},
                     list_c[] = {5};
static const int64_t lists_lengths[] = {3, 4, 1};
static const int64_t *const trip_lists[] = {list_a, list_b, list_c};
static const int turned[] = {5, 3, 1, 0, 2, 4};

static const struct {
  const char *why;
  dap_dist dists[2];
  const char *versions; /* those that can say it */
} trips[] = {
    {"even, cyclic",
     {{.procs = 3, .size = 7}, {.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 5, .block_size = 2}},
     "0.10.0 0.9.0 0.0.1"},
    {"rotated, one process",
     {{.kind = DAP_DIST_CYCLIC, .procs = 6, .size = 9, .block_size = 2, .first_owner = 4},
      {.procs = 1, .size = 3}},
     "0.10.0 0.9.0 0.0.1"},
    {"padding and edges",
     {{.procs = 3, .size = 9, .halo = 2, .boundary = {1, 3}}, {.procs = 2, .size = 4, .halo = 1}},
     "0.10.0 0.9.0 0.0.1"},
    {"lengths, one of them 0; nothing at all",
     {{.kind = DAP_DIST_LENGTHS, .procs = 3, .size = 7, .lengths = trip_lengths}, {.procs = 2, .size = 0}},
     "0.10.0 0.9.0 0.0.1"},
    {"padding that wraps round",
     {{.procs = 3, .size = 9, .halo = 2, .periodic = true, .wraps = true}, {.procs = 2, .size = 3}},
     "0.9.0 0.0.1"},
    {"an edge of a periodic axis",
     {{.procs = 3, .size = 9, .halo = 1, .boundary = {2, 1}, .periodic = true}, {.procs = 2, .size = 3}},
     "0.10.0"},
    {"one of each, which no version can say",
     {{.procs = 3, .size = 9, .halo = 1, .boundary = {2, 1}, .periodic = true},
      {.procs = 2, .size = 9, .halo = 2, .periodic = true, .wraps = true}},
     ""},
    {"lists with duplicates, full copies",
     {{.kind = DAP_DIST_UNSTRUCTURED, .procs = 3, .size = 7, .lengths = lists_lengths, .indices = trip_lists},
      {.kind = DAP_DIST_REPLICATED, .procs = 2, .size = 3}},
     "0.10.0 0.9.0 0.0.1"},
};

typedef struct trip {
  const dap_layout *layout;
  const char *version;
} trip;

static dap_status part_of(void *context, int rank, dap_array *array, dap_error *err)
{
  static double memory;
  const trip *t = context;
  int coords[2];
  *array = (dap_array){.abi = DAP_ARRAY_ABI, .dim_count = 2, .ndim = 2, .dtype = DAP_F8, .data = &memory};
  snprintf(array->version, sizeof array->version, "%s", t->version);
  dap_layout_coords(t->layout, rank, coords);
  for (int k = 0; k < 2; k++) {
    array->shape[k] = dap_layout_extent(t->layout, k, coords[k]);
    const dap_status s = dap_layout_dim(t->layout, t->version, k, coords[k], &array->dims[k], err);
    if (s) return s;
  }
  return DAP_OK;
}

static void layouts_come_back(void **state)
{
  (void)state;
  static const char *const versions[] = {"0.10.0", "0.9.0", "0.0.1"};
  for (size_t i = 0; i < sizeof trips / sizeof trips[0]; i++)
    for (int j = 0; j < 6; j++) {
      const bool can = strstr(trips[i].versions, versions[j / 2]) != NULL;
      dap_error err = {0};
      dap_layout *plain = NULL, *layout = NULL, *back = NULL;
      TEST_CASE("%s, in %s%s", trips[i].why, versions[j / 2], j % 2 ? ", ranks in another order" : "");
      if (!EXPECT_OK(dap_layout_create(2, trips[i].dists, &plain, &err), &err)) continue;
      if (j % 2) EXPECT_OK(dap_layout_reorder(plain, turned, &layout, &err), &err);
      trip t = {.layout = layout ? layout : plain, .version = versions[j / 2]};
      const dap_join join = {.nprocs = dap_layout_nprocs(plain), .context = &t, .part = part_of};
      const dap_status s = dap_layout_join(&join, &back, &err);
      EXPECT_MSG(s == (can ? DAP_OK : DAP_ERR_UNSUPPORTED), "joining gave %s \"%s\"", dap_status_name(s),
                 err.text);
      EXPECT(can ? is_as_read(back, t.layout) : back == NULL);
      dap_layout_destroy(&plain);
      dap_layout_destroy(&layout);
      dap_layout_destroy(&back);
    }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(ranges_are_written),
    cmocka_unit_test(what_a_version_cannot_say_is_refused),
    cmocka_unit_test(lists_are_written),
    cmocka_unit_test(layouts_come_back),
};

MPI_TEST_MAIN(tests)
