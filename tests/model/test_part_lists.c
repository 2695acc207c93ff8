/* Parts of arrays with lists on a process that knows its own list and a slice of the owners alone.
 * Private: what a process forgets in dap_layout_assemble() is taken away here without other processes. */
#include "forget.h"
#include "layouts.h"

#include <dapbridge/part.h>

/* The layout of a text and the array of `rank`, which then has forgotten what others know along axis 0. */
static void make(const char *text, int rank, dap_layout **layout, dap_array *whole)
{
  dap_error err = {0};
  *layout = read_layout(text);
  EXPECT_OK(dap_array_init(whole, *layout, rank, DAP_F8, DAP_ORDER_C, NULL, &err), &err);
  forget(*layout, 0, rank);
}

/* ---- ranges ------------------------------------------------------------------------------------------ */

/* Its own array, if all lists are in order; of the layout, full ranges. */
static void ranges_of_lists_in_order(void **state)
{
  (void)state;
  const dap_part range = {.start = (int64_t[]){1, 1}, .shape = (int64_t[]){3, 2}}, all = {0};
  dap_error err = {0};
  dap_layout *layout = NULL, *part = NULL;
  dap_array whole, other, window;
  make("6x4 on 3x1: u[0,3,4,5][1][4,2,1], b", 2, &layout, &whole);
  EXPECT_FAIL(dap_layout_part(layout, &range, &part, NULL, &err), DAP_ERR_REMOTE, &err,
              "axis 0|proc_grid_rank 0");
  EXPECT_OK(dap_layout_part(layout, &all, &part, NULL, &err), &err);
  EXPECT(dap_layout_is_equal(layout, part));
  other = whole;
  other.shape[0] = 4;
  other.dim_count = 0;
  EXPECT_FAIL(dap_array_part((dap_darray){layout, &other}, 0, &range, &window, &err), DAP_ERR_REMOTE, &err,
              "axis 0|proc_grid_rank 0");
  EXPECT_OK(dap_array_part((dap_darray){layout, &whole}, 2, &range, &window, &err), &err);
  dap_layout_destroy(&layout); /* lists outlive it */
  if (EXPECT_INT(window.dims[0].index_count, 2)) {
    EXPECT(dap_dim_index(&window.dims[0], 0) == 1 && dap_dim_index(&window.dims[0], 1) == 0);
    EXPECT(window.data == (double *)whole.data + 5 && window.strides[0] == 32 && window.shape[0] == 2);
    EXPECT_OK(dap_array_check(&window, &err), &err);
  }
  dap_array_release(&window);
  dap_array_release(&whole);
  dap_layout_destroy(&part);
  SETTLE();
}

/* One process's elements would lie at unequal distances: the others, which do not know it, refuse too. */
static void all_processes_are_refused(void **state)
{
  (void)state;
  const dap_part range = {.start = (int64_t[]){3}, .shape = (int64_t[]){3}};
  for (int rank = 0; rank < 3; rank++) {
    dap_layout *layout = NULL;
    dap_array whole, part;
    dap_error err = {0};
    TEST_CASE("rank %d", rank);
    make("6: u[5,0,3,4][1][4,2,1]", rank, &layout, &whole);
    EXPECT_FAIL(dap_array_part((dap_darray){layout, &whole}, rank, &range, &part, &err), DAP_ERR_SHARE, &err,
                "axis 0|ascend|3 .. 5|plan");
    dap_array_release(&whole);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

/* ---- sections ---------------------------------------------------------------------------------------- */

static const char lists[] = "6x4 on 3x1: u[5,0,3][3,1][4,2,1], b"; /* each process keeps the owners of two */

static void sections_of_the_layout(void **state)
{
  (void)state;
  const dap_part row = {1, (int[]){0}, (int64_t[]){0, 2}, NULL};
  int ranks[3];
  dap_layout *layout = NULL, *section = NULL;
  dap_array whole;
  dap_error err = {0};
  make(lists, 1, &layout, &whole);
  TEST_CASE("a named axis knows what it did");
  if (EXPECT_OK(dap_layout_part(layout, &row, &section, ranks, &err), &err)) {
    EXPECT(dap_layout_knows(section, 0, 1) && !dap_layout_knows(section, 0, 0));
    EXPECT_OK(dap_layout_check_own(section, 1, &err), &err);
    EXPECT(ranks[0] == 0 && ranks[1] == 1 && ranks[2] == 2);
  }
  dap_layout_destroy(&section);
  dap_part column = {1, (int[]){1}, (int64_t[]){2, 0}, NULL};
  TEST_CASE("the owner, from the slice of the table that is kept here");
  EXPECT_OK(dap_layout_part(layout, &column, &section, ranks, &err), &err);
  EXPECT_INT(ranks[0], 2);
  dap_layout_destroy(&section);
  TEST_CASE("an owner that others know");
  column.start = (int64_t[]){1, 0};
  EXPECT_FAIL(dap_layout_part(layout, &column, &section, ranks, &err), DAP_ERR_REMOTE, &err,
              "axis 0|index 1");
  EXPECT(section == NULL);
  dap_array_release(&whole);
  dap_layout_destroy(&layout);
  SETTLE();
}

static void columns_of_an_array(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    int rank;
    int64_t index, position; /* -1: not here */
  } rows[] = {{"owned by the table", 1, 2, -1},
              {"held, but a lower one owns it, by the table", 1, 3, -1},
              {"owned, by its own list", 1, 1, 1},
              {"not in its own list", 1, 5, -1},
              {"held, but its own list's flags say that another owns it", 2, 1, -1},
              {"owned, by its own list's flags", 2, 2, 1}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const dap_part column = {1, (int[]){1}, (int64_t[]){rows[i].index, 0}, NULL};
    dap_layout *layout = NULL;
    dap_array whole, part;
    dap_error err = {0};
    TEST_CASE("%s", rows[i].why);
    make(lists, rows[i].rank, &layout, &whole);
    EXPECT_OK(dap_array_part((dap_darray){layout, &whole}, rows[i].rank, &column, &part, &err), &err);
    if (rows[i].position < 0) EXPECT_INT(part.abi, 0);
    if (rows[i].position >= 0) EXPECT(part.data == (double *)whole.data + 4 * rows[i].position);
    dap_array_release(&part);
    dap_array_release(&whole);
    dap_layout_destroy(&layout);
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(ranges_of_lists_in_order),
    cmocka_unit_test(all_processes_are_refused),
    cmocka_unit_test(sections_of_the_layout),
    cmocka_unit_test(columns_of_an_array),
};

MPI_TEST_MAIN(tests)
