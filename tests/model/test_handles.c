/* What a layout refuses to answer, a layout that is none or was destroyed, the layout without axes, and which
 * release this is. */
#include "layouts.h"
#include "sanitizer.h"

#include <dapbridge/part.h>
#include <dapbridge/version.h>

static void a_scalar_is_a_layout(void **state)
{
  (void)state;
  dap_error err = {0};
  dap_layout *layout = read_layout("scalar");
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
  dap_error err = {0};
  dap_layout *layout = read_layout("9x5 on 3x2: b(halo 1), c(2)");
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

static void a_foreign_layout_is_refused(void **state)
{
  (void)state;
  static char memory[4096];
  dap_layout *foreign = (dap_layout *)memory, *copy = NULL;
  const int order[] = {0};
  int64_t index[DAP_MAX_NDIM] = {0}, local[DAP_MAX_NDIM];
  int rank;
  dap_array array;
  dap_blocks blocks;
  dap_dim dim;
  dap_error err = {0};
  EXPECT_FAIL(dap_array_init(&array, foreign, 0, DAP_F8, DAP_ORDER_C, NULL, &err), DAP_ERR_ARG, &err,
              "layout");
  EXPECT_FAIL(dap_layout_reorder(foreign, order, &copy, &err), DAP_ERR_ARG, &err, "layout");
  EXPECT_FAIL(dap_layout_part(foreign, &(dap_part){0}, &copy, NULL, &err), DAP_ERR_ARG, &err, "layout");
  EXPECT_FAIL(dap_layout_blocks(foreign, 0, &blocks, &err), DAP_ERR_ARG, &err, "layout");
  EXPECT_FAIL(dap_layout_dim(foreign, NULL, 0, 0, &dim, &err), DAP_ERR_ARG, &err, "layout");
  EXPECT_FAIL(dap_layout_locate_all(foreign, 1, index, &rank, local, &err), DAP_ERR_ARG, &err, "layout");
  EXPECT_FAIL(dap_layout_locate(foreign, index, &rank, local, &err), DAP_ERR_ARG, &err, "layout");
  EXPECT_FAIL(dap_layout_globalize(foreign, 0, local, index, NULL, &err), DAP_ERR_ARG, &err, "layout");
  dap_layout_destroy(&foreign);
  EXPECT(foreign == NULL);
  SETTLE();
}

/* A second reference that was not counted. Reading freed memory is what the sanitizers look for. */
static void a_destroyed_layout_is_refused(void **state)
{
  (void)state;
#if !UNDER_SANITIZER
  const dap_dist dist = dap_dist_local(5);
  dap_layout *layout = NULL, *part = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err);
  dap_layout *volatile stale = layout;
  dap_layout_destroy(&layout);
  EXPECT_FAIL(dap_layout_part(stale, &(dap_part){0}, &part, NULL, &err), DAP_ERR_ARG, &err, "destroyed");
  layout = stale;
  dap_layout_destroy(&layout);
#endif
  SETTLE();
}

static void the_release(void **state)
{
  (void)state;
  char version[64];
  (void)snprintf(version, sizeof version, "%d.%d.%d", DAPBRIDGE_VERSION_MAJOR, DAPBRIDGE_VERSION_MINOR,
                 DAPBRIDGE_VERSION_PATCH);
  EXPECT(!strcmp(dap_version(), version));
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_scalar_is_a_layout),
    cmocka_unit_test(questions_from_outside_are_refused),
    cmocka_unit_test(a_foreign_layout_is_refused),
    cmocka_unit_test(a_destroyed_layout_is_refused),
    cmocka_unit_test(the_release),
};

MPI_TEST_MAIN(tests)
