/* Sections of arrays with lists, as a process has them that knows its own list and a slice of the owners
 * alone. */
#include "forget.h"
#include "listed.h"
#include "mpi_test.h"

#include <dapbridge/part.h>

/* Of 6 x 4 over 3 x 1 the process at coordinate 1 keeps its list (3, 1) and the owners of 2 and 3. */
static void what_a_process_knows(void **state)
{
  (void)state;
  const dap_dist dists[] = {listed_axis(), dap_dist_even(4, 1)};
  const int column = 1, row = 0;
  int ranks[3];
  dap_layout *layout = NULL, *section = NULL;
  dap_array other, whole, part;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, &layout, &err), &err);
  EXPECT_OK(dap_array_init(&other, layout, 2, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  forget(layout, 0, 1);
  EXPECT_OK(dap_array_init(&whole, layout, 1, DAP_F8, DAP_ORDER_C, NULL, &err), &err);

  TEST_CASE("a named axis knows what it did");
  if (EXPECT_OK(dap_layout_part(layout, &(dap_part){.naxes = 1, .axes = &row, .start = (int64_t[]){0, 2}},
                                &section, ranks, &err),
                &err)) {
    EXPECT(dap_layout_knows(section, 0, 1) && !dap_layout_knows(section, 0, 0));
    EXPECT_OK(dap_layout_check_own(section, 1, &err), &err);
    EXPECT(ranks[0] == 0 && ranks[1] == 1 && ranks[2] == 2);
  }
  dap_layout_destroy(&section);

  TEST_CASE("the owner, from the slice of the table that is kept here");
  EXPECT_OK(dap_layout_part(layout, &(dap_part){.naxes = 1, .axes = &column, .start = (int64_t[]){2, 0}},
                            &section, ranks, &err),
            &err);
  EXPECT_INT(ranks[0], 2);
  dap_layout_destroy(&section);

  TEST_CASE("an owner that others know");
  EXPECT_FAIL(dap_layout_part(layout, &(dap_part){.naxes = 1, .axes = &column, .start = (int64_t[]){1, 0}},
                              &section, ranks, &err),
              DAP_ERR_REMOTE, &err, "axis 0|index 1");
  EXPECT(section == NULL);
  EXPECT_FAIL(
      dap_array_part((dap_darray){layout, &other}, 2, &(dap_part){.naxes = 1, .axes = &column}, &part, &err),
      DAP_ERR_REMOTE, &err, "axis 0|proc_grid_rank 2");
  EXPECT_INT(part.abi, 0);

  const struct {
    const char *why;
    int64_t index, position; /* -1: not here */
  } own[] = {{"owned by the table", 2, -1},
             {"held, but a lower one owns it, by the table", 3, -1},
             {"owned, by its own list", 1, 1},
             {"not in its own list", 5, -1}};
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
    TEST_CASE("%s", own[i].why);
    EXPECT_OK(dap_array_part((dap_darray){layout, &whole}, 1,
                             &(dap_part){.naxes = 1, .axes = &column, .start = (int64_t[]){own[i].index, 0}},
                             &part, &err),
              &err);
    if (own[i].position < 0) EXPECT_INT(part.abi, 0);
    if (own[i].position >= 0) EXPECT(part.data == (double *)whole.data + 4 * own[i].position);
    dap_array_release(&part);
  }
  TEST_CASE("lists outlive the layout");
  EXPECT_OK(dap_array_part((dap_darray){layout, &whole}, 1,
                           &(dap_part){.naxes = 1, .axes = &row, .start = (int64_t[]){0, 3}}, &part, &err),
            &err);
  dap_array_release(&other);
  dap_array_release(&whole);
  dap_layout_destroy(&layout);
  EXPECT(part.dims[0].index_count == 2 && dap_dim_index(&part.dims[0], 0) == 3);
  dap_array_release(&part);
  SETTLE();
}

/* Of 6 over 3 the process at coordinate 2 has 1 in its list (4, 2, 1), but keeps the owners of 4 and 5
 * only: that the process at coordinate 1 owns it, the flags of its own list say. */
static void a_copy_whose_owner_others_know(void **state)
{
  (void)state;
  const dap_dist dist = listed_axis();
  dap_layout *layout = NULL;
  dap_array whole, part;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, &dist, &layout, &err), &err);
  forget(layout, 0, 2);
  EXPECT_OK(dap_array_init(&whole, layout, 2, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  EXPECT_OK(dap_array_part((dap_darray){layout, &whole}, 2,
                           &(dap_part){.axes = (int[]){0}, .start = (int64_t[]){1}}, &part, &err),
            &err);
  EXPECT_INT(part.abi, 0);
  EXPECT_OK(dap_array_part((dap_darray){layout, &whole}, 2,
                           &(dap_part){.axes = (int[]){0}, .start = (int64_t[]){2}}, &part, &err),
            &err);
  EXPECT(part.abi == DAP_ARRAY_ABI && part.ndim == 0 && part.data == (double *)whole.data + 1);
  dap_array_release(&part);
  dap_array_release(&whole);
  dap_layout_destroy(&layout);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_a_process_knows),
    cmocka_unit_test(a_copy_whose_owner_others_know),
};

MPI_TEST_MAIN(tests)
