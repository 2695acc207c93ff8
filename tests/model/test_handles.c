/* A layout that is none, or was destroyed, is refused; and which release this is. */
#include "mpi_test.h"
#include "sanitizer.h"

#include <dapbridge/part.h>
#include <dapbridge/version.h>

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
              "not a layout");
  EXPECT_FAIL(dap_layout_reorder(foreign, order, &copy, &err), DAP_ERR_ARG, &err, "not a layout");
  EXPECT_FAIL(dap_layout_part(foreign, &(dap_part){0}, &copy, NULL, &err), DAP_ERR_ARG, &err, "not a layout");
  EXPECT_FAIL(dap_layout_blocks(foreign, 0, &blocks, &err), DAP_ERR_ARG, &err, "not a layout");
  EXPECT_FAIL(dap_layout_dim(foreign, NULL, 0, 0, &dim, &err), DAP_ERR_ARG, &err, "not a layout");
  EXPECT_FAIL(dap_layout_locate_all(foreign, 1, index, &rank, local, &err), DAP_ERR_ARG, &err,
              "not a layout");
  EXPECT_FAIL(dap_layout_locate(foreign, index, &rank, local, &err), DAP_ERR_ARG, &err, "not a layout");
  EXPECT_FAIL(dap_layout_globalize(foreign, 0, local, index, NULL, &err), DAP_ERR_ARG, &err, "not a layout");
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
    cmocka_unit_test(a_foreign_layout_is_refused),
    cmocka_unit_test(a_destroyed_layout_is_refused),
    cmocka_unit_test(the_release),
};

MPI_TEST_MAIN(tests)
