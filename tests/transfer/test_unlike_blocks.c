/* Moves elements between block-cyclic layouts with different blocks. The axes are so long that the common
 * elements of two processes are stored as points and not as runs, although nothing is listed. */
#include "buffers.h"
#include "mpi_test.h"
#include "plans.h"

static const struct {
  const char *why;
  int64_t size, from, to; /* of the long axis; its block sizes */
  int axis;               /* the long axis */
} rows[] = {
    {"odd blocks, the long axis fastest", 840, 3, 7, 1}, {"single elements to short blocks", 840, 1, 3, 1},
    {"blocks with a long common period", 3500, 5, 7, 1}, {"the long axis slowest", 2000, 3, 10, 0},
    {"much longer than a chunk", 70000, 7, 11, 1},
};

static dap_layout *deal(int64_t size, int64_t block, int axis)
{
  dap_dist dists[2] = {dap_dist_local(4), dap_dist_local(4)};
  dists[axis] = dap_dist_cyclic(size, test_nprocs(), block);
  return layout_make(2, dists, NULL);
}

static void move(dap_layout *const layouts[2], dap_order order, unsigned transports)
{
  dap_array from, to;
  dap_error err = {0};
  dap_plan *plan = NULL;
  EXPECT_OK(dap_array_init(&from, layouts[0], test_rank(), DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_array_init(&to, layouts[1], test_rank(), DAP_F8, order, NULL, &err), &err);
  fill_global(layouts[0], test_rank(), &from);
  const dap_side a = dap_side_of((dap_darray){layouts[0], &from}),
                 b = dap_side_of((dap_darray){layouts[1], &to});
  const dap_plan_options options = {.transports = test_joining(transports)};
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 0, &options, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, from.data, to.data, &err), &err);
  check_global(layouts[1], test_rank(), &to, PADDING_FILLED);
  dap_plan_destroy(&plan);
  dap_array_release(&from);
  dap_array_release(&to);
}

static void every_element_arrives(void **state)
{
  (void)state;
  static const unsigned transports[] = {0, DAP_TRANSPORT_STAGED, DAP_TRANSPORT_MESSAGES};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    for (int t = 0; t < 3; t++)
      for (int f = 0; f < 2; f++) {
        TEST_CASE("%s, transports %u, %s order", rows[i].why, transports[t], f ? "F" : "C");
        dap_layout *layouts[2] = {deal(rows[i].size, rows[i].from, rows[i].axis),
                                  deal(rows[i].size, rows[i].to, rows[i].axis)};
        move(layouts, f ? DAP_ORDER_F : DAP_ORDER_C, transports[t]);
        for (int k = 0; k < 2; k++) dap_layout_destroy(&layouts[k]);
        SETTLE();
      }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(every_element_arrives)};
MPI_TEST_MAIN(tests)
