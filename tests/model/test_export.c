/* Tests dap_layout_dim(): ranges and lists in each version of the protocol, and layouts that a version
 * cannot describe. */
#include "layouts.h"
#include "mutate.h"

#include <inttypes.h>

static const struct {
  const char *why, *version, *layout;
  int coord;
  const char *want; /* start, stop, padding, periodic */
} exports[] = {
    {"0.10 includes communication padding", "0.10.0", "9 on 3: b(halo 1)", 1, "2 7 1 1 0"},
    {"no version named is 0.10", NULL, "9 on 3: b(halo 1)", 1, "2 7 1 1 0"},
    {"any 0.10 is 0.10", "0.10.7", "9 on 3: b(halo 1)", 1, "2 7 1 1 0"},
    {"0.9 excludes it", "0.9.0", "9 on 3: b(halo 1)", 1, "3 6 1 1 0"},
    {"0.0.1 excludes it", "0.0.1", "9 on 3: b(halo 1)", 1, "3 6 1 1 0"},
    {"boundary padding is within, 0.10", "0.10.0", "9 on 3: b(halo 1, boundary 2 1)", 0, "0 4 2 1 0"},
    {"boundary padding is within, 0.9", "0.9.0", "9 on 3: b(halo 1, boundary 2 1)", 2, "6 9 1 1 0"},
    {"periodic, with an edge that is owned, 0.10", "0.10.0", "9 on 3: b(halo 1, boundary 2 1, periodic)", 2,
     "5 9 1 1 1"},
    {"periodic, without outer padding, 0.9", "0.9.0", "9 on 3: b(periodic)", 2, "6 9 0 0 1"},
    {"padding that wraps round, 0.9", "0.9.0", "9 on 3: b(halo 2, periodic, wraps)", 0, "0 3 2 2 1"},
    {"padding that wraps round one process, 0.0.1", "0.0.1", "9: b(outer halo 2, periodic)", 0, "0 9 2 2 1"},
    {"an empty section is where the one before it ends", "0.10.0", "2 on 3: b", 2, "2 2 0 0 0"},
};

static void ranges_are_written(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof exports / sizeof exports[0]; i++) {
    dap_layout *layout = read_layout(exports[i].layout);
    dap_dim dim = {0};
    dap_error err = {0};
    char text[128];
    TEST_CASE("%s", exports[i].why);
    EXPECT_OK(dap_layout_dim(layout, exports[i].version, 0, exports[i].coord, &dim, &err), &err);
    snprintf(text, sizeof text, "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d", dim.start, dim.stop,
             dim.padding[0], dim.padding[1], dim.periodic);
    EXPECT_MSG(!strcmp(text, exports[i].want), "%s, not %s", text, exports[i].want);
    EXPECT(dim.dist_type == 'b' && !dim.one_to_one && dim.block_size == DAP_ABSENT);
    EXPECT(dim.size == dap_layout_size(layout, 0) && dim.proc_grid_size == dap_layout_procs(layout, 0));
    EXPECT_INT(dim.proc_grid_rank, exports[i].coord);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

static const char wrapped[] = "9 on 3: b(halo 2, periodic, wraps)",
                  edged[] = "9 on 3: b(halo 1, boundary 2 1, periodic)",
                  promised[] = "3: u[2][0][1](one to one)";

static void undescribable_axes_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *why, *version, *layout;
    dap_status want;
    const char *parts;
    int rule;
  } rows[] = {
      {"0.10: nothing wraps round", "0.10.0", wrapped, DAP_ERR_UNSUPPORTED, "axis 0|0.10.*|(2, 2)|wrap", 9},
      {"0.9: what is periodic has no edge", "0.9.0", edged, DAP_ERR_UNSUPPORTED,
       "axis 0|0.9.*|periodic|(2, 1)", 9},
      {"0.0.1: what is periodic has no edge", "0.0.1", edged, DAP_ERR_UNSUPPORTED, "axis 0|0.0.1|(2, 1)", 9},
      {"0.0.1: nobody promises one to one", "0.0.1", promised, DAP_ERR_UNSUPPORTED, "axis 0|0.0.1|one", 18},
      {"no such version", "0.11.0", wrapped, DAP_ERR_VERSION, "'0.11.0'", 2},
      {"no version at all", "", wrapped, DAP_ERR_VERSION, "''", 2},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (int coord = 0; coord < 3; coord++) { /* the axis is refused on every process */
      dap_layout *layout = read_layout(rows[i].layout);
      dap_dim dim;
      dap_error err = {0};
      TEST_CASE("%s, process %d", rows[i].why, coord);
      EXPECT_FAIL(dap_layout_dim(layout, rows[i].version, 0, coord, &dim, &err), rows[i].want, &err,
                  rows[i].parts);
      expect_rule(&err, rows[i].rule);
      EXPECT_INT(dap_layout_dim(layout, rows[i].version, 0, coord, &dim, NULL), rows[i].want);
      dap_layout_destroy(&layout);
    }
  dap_layout *layout = read_layout(wrapped);
  dap_dim dim;
  dap_error err = {0};
  EXPECT_FAIL(dap_layout_dim(NULL, NULL, 0, 0, &dim, &err), DAP_ERR_ARG, &err, "layout|NULL");
  EXPECT_FAIL(dap_layout_dim(layout, NULL, 0, 0, NULL, &err), DAP_ERR_ARG, &err, "dim|NULL");
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(ranges_are_written),
    cmocka_unit_test(undescribable_axes_are_refused),
};

MPI_TEST_MAIN(tests)
