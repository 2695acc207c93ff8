/* Moves between pairs of named layouts, gathers and scatters. Every element is checked against the
 * brute-force model. */
#include "move_rows.h"
#include "mpi_test.h"

static random_array arrays[2];

/* A side of a row on as many processes as it spreads over, in any order. */
static test_side make(const move_row *r, const move_side *side, side_origin origin, test_random *random,
                      random_array *array)
{
  case_layout c = move_case(r, side);
  int ranks[BRUTE_PROCS];
  c.shuffled = test_random_one_in(random, 2);
  (void)case_deal(&c, test_nprocs(), random, array);
  return side_make(array, origin, random_part(random, array->nprocs, ranks), r->itemsize, side->form, random);
}

/* Layouts made and assembled, in any combination; whole messages, and parts that end with no element. */
static void moves_every_row(void **state)
{
  (void)state;
  test_random random = test_random_init(23);
  for (int i = 0; i < move_row_count; i++)
    for (int origins = 0; origins < 9; origins++) {
      const move_row *r = &move_rows[i];
      test_side from = make(r, &r->from, (side_origin)(origins % 3), &random, &arrays[0]);
      test_side to = make(r, &r->to, (side_origin)(origins / 3), &random, &arrays[1]);
      const dap_plan_options options = {.fill_halos = origins % 2, .message_bytes = origins % 4 ? 0 : 37};
      TEST_CASE("%s, layouts %d: %s", r->why, origins, random_array_text(&arrays[0]));
      side_move(&from, &to, &options);
      side_free(&from);
      side_free(&to);
      SETTLE();
    }
}

static void gather_and_scatter(const test_side *s, int root)
{
  const dap_side part = side_of(s);
  unsigned char *whole = calloc((size_t)(s->array->model.count * s->itemsize) + 1, 1);
  const bool here = test_rank() == root;
  dap_plan *gather = NULL, *scatter = NULL;
  dap_error err;
  if (EXPECT_OK(dap_plan_create_gather(MPI_COMM_WORLD, &part, root, s->itemsize, NULL, &gather, &err), &err))
    for (int64_t shift = 0; shift < 2; shift++) {
      side_fill(s, shift, COPIES_WRONG);
      EXPECT_OK(dap_plan_run(gather, side_data(s), here ? whole : NULL, &err), &err);
      if (here) whole_check(s->array, s->itemsize, shift, whole);
    }
  if (EXPECT_OK(dap_plan_create_scatter(MPI_COMM_WORLD, root, &part, s->itemsize, NULL, &scatter, &err),
                &err))
    for (int64_t shift = 2; shift < 4; shift++) {
      whole_fill(s->array, s->itemsize, shift, whole);
      side_poison(s);
      EXPECT_OK(dap_plan_run(scatter, here ? whole : NULL, side_data(s), &err), &err);
      side_check(s, shift, COPIES_RIGHT, PADDING_POISON);
    }
  dap_plan_destroy(&gather);
  dap_plan_destroy(&scatter);
  free(whole);
}

static void gathers_and_scatters(void **state)
{
  (void)state;
  test_random random = test_random_init(24);
  for (int i = 0; i < move_row_count; i++) {
    const int root = i % test_nprocs();
    test_side s = make(&move_rows[i], &move_rows[i].from, (side_origin)(i % 3), &random, &arrays[0]);
    TEST_CASE("gather to and scatter from %d: %s", root, move_rows[i].why);
    gather_and_scatter(&s, root);
    side_free(&s);
    SETTLE();
  }
}

/* Elements are conjugated and tripled on the way to the last process, and back again once more. */
static void gathers_and_scatters_take_options(void **state)
{
  (void)state;
  const double three[] = {3, 0};
  const dap_plan_options options = {.conjugate = true, .alpha = three};
  const dap_dist each = dap_dist_even(test_nprocs(), test_nprocs());
  const int last = test_nprocs() - 1;
  double own[] = {test_rank() + 1, 5}, back[2] = {0},
         *whole = calloc(2 * (size_t)test_nprocs(), sizeof *whole);
  dap_layout *layout = NULL;
  dap_plan *plan = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(1, &each, &layout, &err), &err);
  const dap_side side = {.layout = layout, .contiguous = true, .dtype = DAP_C16};
  if (EXPECT_OK(dap_plan_create_gather(MPI_COMM_WORLD, &side, last, 0, &options, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, own, whole, &err), &err);
  dap_plan_destroy(&plan);
  for (int r = 0; test_rank() == last && r <= last; r++)
    EXPECT_MSG(whole[2 * r] == 3.0 * (r + 1) && whole[2 * r + 1] == -15, "rank %d: %g%+gi", r, whole[2 * r],
               whole[2 * r + 1]);
  if (EXPECT_OK(dap_plan_create_scatter(MPI_COMM_WORLD, last, &side, 0, &options, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, whole, back, &err), &err);
  dap_plan_destroy(&plan);
  EXPECT_MSG(back[0] == 9 * own[0] && back[1] == 9 * own[1], "%g%+gi", back[0], back[1]);
  dap_layout_destroy(&layout);
  free(whole);
  SETTLE();
}

/* A scalar has one element and no axis. */
static void moves_a_scalar(void **state)
{
  (void)state;
  dap_layout *scalar = NULL;
  dap_plan *plan = NULL;
  dap_error err;
  const int from_rank = 0, to_rank = test_nprocs() - 1;
  double source = 42.5, target = 0;
  EXPECT_OK(dap_layout_create(0, NULL, &scalar, &err), &err);
  const dap_side a = {.layout = scalar, .ranks = &from_rank, .contiguous = true},
                 b = {.layout = scalar, .ranks = &to_rank, .contiguous = true};
  if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 8, NULL, &plan, &err), &err))
    EXPECT_OK(dap_plan_run(plan, &source, &target, &err), &err);
  EXPECT(target == (test_rank() == to_rank ? 42.5 : 0));
  dap_plan_destroy(&plan);
  dap_layout_destroy(&scalar);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(moves_every_row),
    cmocka_unit_test(gathers_and_scatters),
    cmocka_unit_test(gathers_and_scatters_take_options),
    cmocka_unit_test(moves_a_scalar),
};
MPI_TEST_MAIN(tests)
