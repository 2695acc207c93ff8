/* Moves elements from named layouts to random ones and back, and updates halos of the named layouts. All
 * rows of layouts.c are used. */
#include "case.h"
#include "mpi_test.h"
#include "task.h"

static random_array arrays[2]; /* of a row, and a random one */

static void move(task_kind kind, const test_side *from, const test_side *to, bool fill_halos)
{
  static task t;
  task_of(&t, kind, from, to, DAP_NONE, DAP_NONE);
  t.options = (dap_plan_options){.fill_halos = fill_halos, .allow_empty = true};
  task_move(&t, MPI_COMM_WORLD, 2);
}

static void move_both_ways(const case_layout *c, int turn, test_random *random)
{
  static const int64_t itemsizes[] = {8, 1, 4, 3, 16, 2};
  const int64_t itemsize = itemsizes[turn % 6];
  test_side named = case_side(c, itemsize, (test_form)(turn % FORM_COUNT), random, &arrays[0]);
  test_side other = side_draw(random, c->ndim, c->size, itemsize, true, &arrays[1]);
  TEST_CASE("%s, turn %d: %s", c->why, turn, random_array_text(&arrays[1]));
  move(TASK_MOVE, &other, &named, turn % 2);
  move(TASK_MOVE, &named, &other, turn % 2);
  move(TASK_HALO, &named, &named, turn % 2);
  side_free(&named);
  side_free(&other);
  SETTLE();
}

static void named_layouts_move(void **state)
{
  (void)state;
  test_random random = test_random_init(60);
  for (int i = 0; i < named_layout_count; i++)
    for (int turn = 0; turn < 4; turn++) move_both_ways(&named_layouts[i], i + turn, &random);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(named_layouts_move)};
MPI_TEST_MAIN(tests)
