/* Moves elements between pairs of named layouts, from every kind of axis to every other kind. There are
 * also moves of large matrices, gathers and scatters. Every element is checked against the brute-force
 * model. */
#include "case.h"
#include "mpi_test.h"
#include "task.h"

#include <dapbridge/shared.h>

static random_array arrays[2];
static task t;

/* How a side is dealt, as in case_layout. Blocks have three elements if no size is given. Halos have two. */
typedef struct move_side {
  unsigned axes;
  case_cut cut[3];
  int64_t block[3];
  test_form form;
} move_side;

typedef struct move_row {
  const char *why;
  int ndim;
  int64_t size[3];
  move_side from, to;
  int64_t itemsize;
} move_row;

/* clang-format off */
static const move_row rows[] = {
  {"nothing moves: same layout, same form", 1, {24}, {.cut = {CUT_EVEN}}, {.cut = {CUT_EVEN}}, 8},
  {"row slabs in C order to block-cyclic in Fortran order", 2, {37, 41},
   {FIRST_AXIS, .cut = {CUT_EVEN, CUT_EVEN}},
   {.cut = {CUT_CYCLIC, CUT_CYCLIC}, .block = {4, 4}, .form = FORM_F}, 8},
  {"one block size to another on the transposed grid", 2, {33, 34},
   {SECOND_AXIS, .cut = {CUT_CYCLIC, CUT_CYCLIC}, .block = {6, 6}, .form = FORM_F},
   {FIRST_AXIS, .cut = {CUT_CYCLIC, CUT_CYCLIC}, .block = {4, 4}, .form = FORM_F}, 16},
  {"rotated first owners on both axes", 2, {17, 19},
   {.cut = {CUT_ROTATED, CUT_ROTATED}, .block = {3, 2}},
   {.cut = {CUT_ROTATED, CUT_ROTATED}, .block = {2, 5}}, 8},
  {"only storage is transposed", 2, {20, 30},
   {.cut = {CUT_EVEN, CUT_EVEN}}, {.cut = {CUT_EVEN, CUT_EVEN}, .form = FORM_F}, 8},
  {"the same lists on both sides: nothing moves", 1, {29},
   {.cut = {CUT_SHUFFLED}}, {.cut = {CUT_SHUFFLED}}, 8},
  {"falling lists read rising", 1, {31},
   {.cut = {CUT_BACKWARDS}, .form = FORM_NEGATIVE}, {.cut = {CUT_EVEN}}, 8},
  {"copies in orders of their own", 1, {23}, {.cut = {CUT_EVERYWHERE}}, {.cut = {CUT_EVERYWHERE}}, 3},
  {"shared by some, held by others", 1, {33}, {.cut = {CUT_EDGES}}, {.cut = {CUT_EVERYWHERE}}, 16},
  {"a list over one process has an order", 1, {20},
   {ONE_PROCESS, .cut = {CUT_SHUFFLED}}, {.cut = {CUT_EVEN}}, 8},
  {"from all to a list over one process", 1, {20},
   {.cut = {CUT_CYCLIC}}, {ONE_PROCESS, .cut = {CUT_SHUFFLED}}, 8},
  {"many rows by a list over one process: a gap-free part of the destination for each", 2, {250, 3},
   {ONE_PROCESS, .cut = {CUT_SHUFFLED, CUT_EVEN}}, {FIRST_AXIS, .cut = {CUT_EVEN, CUT_EVEN}}, 8},
  {"the same with one column", 1, {250},
   {ONE_PROCESS, .cut = {CUT_SHUFFLED}}, {.cut = {CUT_EVEN}, .form = FORM_NEGATIVE}, 16},
  {"three numbers at each place of a list", 2, {120, 3},
   {FIRST_AXIS, .cut = {CUT_SHUFFLED, CUT_EVEN}}, {FIRST_AXIS, .cut = {CUT_SHUFFLED, CUT_EVEN}}, 4},
  {"five numbers at each place, some tens of bytes", 2, {90, 5},
   {FIRST_AXIS, .cut = {CUT_DEALT, CUT_EVEN}},
   {FIRST_AXIS, .cut = {CUT_SHUFFLED, CUT_EVEN}, .form = FORM_WINDOW}, 8},
  {"as many bytes at each place as are still no call", 2, {60, 127},
   {FIRST_AXIS, .cut = {CUT_SHUFFLED, CUT_EVEN}}, {FIRST_AXIS, .cut = {CUT_BACKWARDS, CUT_EVEN}}, 1},
  {"lists along both axes", 2, {19, 12},
   {.cut = {CUT_SHUFFLED, CUT_DEALT}, .form = FORM_F},
   {.cut = {CUT_EDGES, CUT_BACKWARDS}, .form = FORM_WINDOW}, 8},
  {"a list and two other axes, strides of all kinds", 3, {7, 12, 10},
   {SECOND_AXIS, .cut = {CUT_CYCLIC, CUT_EDGES, CUT_EVEN}, .form = FORM_PERMUTED},
   {FIRST_AXIS | THIRD_AXIS, .cut = {CUT_EVEN, CUT_COPIES, CUT_SHUFFLED}, .form = FORM_NEGATIVE}, 5},
};
/* clang-format on */

enum { ROWS = sizeof rows / sizeof rows[0] };

/* Returns the layout of one side of a row. */
static case_layout move_case(const move_row *r, const move_side *side)
{
  case_layout c = {.why = r->why, .ndim = r->ndim, .axes = side->axes};
  for (int k = 0; k < r->ndim; k++) {
    const bool has_halo = side->cut[k] == CUT_PADDED || side->cut[k] == CUT_RING;
    c.size[k] = r->size[k];
    c.cut[k] = side->cut[k];
    c.block[k] = side->block[k] ? side->block[k] : 3;
    c.halo[k] = has_halo ? 2 : 0;
  }
  return c;
}

/* Makes a side of a row on as many processes as the row is spread over, in any order. */
static test_side make(const move_row *r, const move_side *side, side_origin origin, test_random *random,
                      random_array *array)
{
  case_layout c = move_case(r, side);
  int ranks[BRUTE_PROCS];
  c.shuffled = test_random_one_in(random, 2);
  case_deal(&c, test_nprocs(), random, array);
  return side_make(array, origin, random_part(random, array->nprocs, ranks), r->itemsize, side->form, random);
}

/* Layouts are created or assembled, in any combination. Messages are whole, or are cut between elements. */
static void moves_every_row(void **state)
{
  (void)state;
  test_random random = test_random_init(23);
  for (int i = 0; i < ROWS; i++)
    for (int origins = 0; origins < 9; origins++) {
      const move_row *r = &rows[i];
      test_side from = make(r, &r->from, (side_origin)(origins % 3), &random, &arrays[0]);
      test_side to = make(r, &r->to, (side_origin)(origins / 3), &random, &arrays[1]);
      TEST_CASE("%s, layouts %d: %s", r->why, origins, random_array_text(&arrays[0]));
      task_of(&t, TASK_MOVE, &from, &to, DAP_NONE, DAP_NONE);
      t.options = (dap_plan_options){.fill_halos = origins % 2, .message_bytes = origins % 4 ? 0 : 37};
      task_move(&t, MPI_COMM_WORLD, 2);
      side_free(&from);
      side_free(&to);
      SETTLE();
    }
}

/* Halos have one element. */
static case_layout kinds_layout(case_cut first, case_cut second)
{
  case_layout c = {"", 2, {13, 17}, .cut = {first, second}};
  for (int k = 0; k < 2; k++) c.halo[k] = c.cut[k] == CUT_PADDED || c.cut[k] == CUT_RING;
  return c;
}

/* Each kind of axis is moved to each other kind, beside another pair of kinds. All forms of storage take
 * turns. */
static void each_kind_to_each(void **state)
{
  (void)state;
  static const case_cut kinds[] = {CUT_EVEN,        CUT_PADDED, CUT_RING,    CUT_HOLES,
                                   CUT_CEIL,        CUT_CYCLIC, CUT_ROTATED, CUT_SHUFFLED,
                                   CUT_TWO_HOLDERS, CUT_GHOSTS, CUT_COPIES};
  enum { KINDS = sizeof kinds / sizeof kinds[0] };
  test_random random = test_random_init(90);
  for (int i = 0; i < KINDS * KINDS; i++) {
    const int from_kind = i / KINDS, to_kind = i % KINDS;
    const case_layout from = kinds_layout(kinds[from_kind], kinds[(from_kind + 3) % KINDS]),
                      to = kinds_layout(kinds[to_kind], kinds[(to_kind + 3) % KINDS]);
    TEST_CASE("kind %d to kind %d", from_kind, to_kind);
    test_side a = case_side(&from, 8, (test_form)(i % FORM_COUNT), &random, &arrays[0]),
              b = case_side(&to, 8, (test_form)((3 * from_kind + to_kind) % FORM_COUNT), &random, &arrays[1]);
    task_of(&t, TASK_MOVE, &a, &b, DAP_NONE, DAP_NONE);
    t.options.fill_halos = i % 2;
    task_move(&t, MPI_COMM_WORLD, 2);
    side_free(&a);
    side_free(&b);
    SETTLE();
  }
}

/* ---- large matrices ------------------------------------------------------------------------------------ */

/* The cuts after BLOCKS are grids that also deal columns one by one. */
typedef enum cut_of { BY_ROWS, BY_COLUMNS, DEALT_COLUMNS, BLOCKS, BLOCKS_OF_12, BLOCKS_OF_64 } cut_of;

/* Makes the part of a process, with ROWS_EACH rows or as many elements: 9.6 MB. */
static dap_array large_make(cut_of cut, dap_order order, bool is_shared, dap_layout **layout)
{
  enum { ROWS_EACH = 500, COLUMNS = 2400 };
  const int n = test_nprocs(), down = cut > BLOCKS && n % 2 == 0 ? 2 : n;
  const int64_t rows_of_all = (int64_t)ROWS_EACH * n;
  const dap_dist dists[2] = {cut == BY_ROWS ? dap_dist_even(rows_of_all, n)
                             : cut >= BLOCKS
                                 ? dap_dist_cyclic(rows_of_all, down, cut == BLOCKS_OF_64 ? 64 : 12)
                                 : dap_dist_local(rows_of_all),
                             cut == BY_COLUMNS      ? dap_dist_even(COLUMNS, n)
                             : cut == DEALT_COLUMNS ? dap_dist_cyclic(COLUMNS, n, 1)
                             : cut > BLOCKS         ? dap_dist_cyclic(COLUMNS, n / down, 1)
                                                    : dap_dist_local(COLUMNS)};
  dap_array array = {0};
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, dists, layout, &err), &err);
  EXPECT_OK(is_shared ? dap_array_alloc(MPI_COMM_WORLD, *layout, DAP_F8, order, &array, NULL, &err)
                      : dap_array_init(&array, *layout, test_rank(), DAP_F8, order, NULL, &err),
            &err);
  return array;
}

/* These moves have many tiles, which are stored past the caches. */
static void large_moves(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    cut_of from, to;
    dap_order from_order, to_order;
    bool is_shared;
  } moves[] = {
      {"long stretches", BY_ROWS, BY_COLUMNS, DAP_ORDER_C, DAP_ORDER_C, false},
      {"and those of Fortran order", BY_COLUMNS, BY_ROWS, DAP_ORDER_F, DAP_ORDER_F, false},
      {"from C order to Fortran order", BY_ROWS, BY_COLUMNS, DAP_ORDER_C, DAP_ORDER_F, false},
      {"from Fortran order to C order", BY_ROWS, BY_ROWS, DAP_ORDER_F, DAP_ORDER_C, false},
      {"single elements are taken out of rows", BY_ROWS, DEALT_COLUMNS, DAP_ORDER_C, DAP_ORDER_C, false},
      {"and come together", DEALT_COLUMNS, BY_ROWS, DAP_ORDER_C, DAP_ORDER_C, false},
      {"columns come together, across", DEALT_COLUMNS, BY_ROWS, DAP_ORDER_F, DAP_ORDER_C, false},
      {"lines joined of two stretches that lie apart", BY_ROWS, BLOCKS, DAP_ORDER_C, DAP_ORDER_F, false},
      {"and of single columns", BY_ROWS, BLOCKS_OF_12, DAP_ORDER_C, DAP_ORDER_F, false},
      {"directly from other processes", BY_ROWS, BLOCKS_OF_12, DAP_ORDER_C, DAP_ORDER_F, true},
      {"whole lines of single columns", BY_ROWS, BLOCKS_OF_64, DAP_ORDER_C, DAP_ORDER_F, true},
  };
  for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
    dap_layout *layouts[2] = {NULL};
    dap_plan *plan = NULL;
    dap_error err = {0};
    TEST_CASE("%s", moves[i].why);
    dap_array from = large_make(moves[i].from, moves[i].from_order, moves[i].is_shared, &layouts[0]),
              to = large_make(moves[i].to, moves[i].to_order, moves[i].is_shared, &layouts[1]);
    const dap_side a = dap_side_of((dap_darray){layouts[0], &from}),
                   b = dap_side_of((dap_darray){layouts[1], &to});
    fill_global(layouts[0], test_rank(), &from);
    if (EXPECT_OK(dap_plan_create(MPI_COMM_WORLD, &a, &b, 0, NULL, &plan, &err), &err) &&
        EXPECT_OK(dap_plan_run(plan, from.data, to.data, &err), &err))
      check_global(layouts[1], test_rank(), &to, PADDING_FILLED);
    dap_plan_destroy(&plan);
    dap_array_release(&from);
    dap_array_release(&to);
    for (int k = 0; k < 2; k++) dap_layout_destroy(&layouts[k]);
    SETTLE();
  }
}

/* ---- gathers and scatters ------------------------------------------------------------------------------ */

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
      for (int64_t i = 0; i < s->array->model.count; i++)
        bytes_of(s->itemsize, i + shift, whole + i * s->itemsize);
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
  for (int i = 0; i < ROWS; i++) {
    const int root = i % test_nprocs();
    test_side s = make(&rows[i], &rows[i].from, (side_origin)(i % 3), &random, &arrays[0]);
    TEST_CASE("gather to and scatter from %d: %s", root, rows[i].why);
    gather_and_scatter(&s, root);
    side_free(&s);
    SETTLE();
  }
}

/* Elements are conjugated and tripled on the way to the last process, and again on the way back. */
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
    cmocka_unit_test(each_kind_to_each),
    cmocka_unit_test(large_moves),
    cmocka_unit_test(gathers_and_scatters),
    cmocka_unit_test(gathers_and_scatters_take_options),
    cmocka_unit_test(moves_a_scalar),
};
MPI_TEST_MAIN(tests)
