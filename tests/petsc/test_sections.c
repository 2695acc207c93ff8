/* Fields of some of an array's axes: every element of them, and none else. */
#include "live.h"
#include "live_axes.h"

#define GHOSTED .boundary = DM_BOUNDARY_GHOSTED

/* clang-format off */
static const live_row fixed[] = {
  {"a plane that all hold", 3, {ONE(3), PAD(12, 1), ONE(5)}, 2, {1, 2}, {2}, .want = {SHARED, SHARED, NULL}},
  {"a plane of a stack, at index 0 without saying so", 3, {ONE(3), PAD(12, 1), PAD(13, 1)}, 2, {1, 2},
   .want = {SHARED, DEPENDS, NULL}},
  {"what index says along axes that are kept does not count", 3, {ONE(3), PAD(12, 1), PAD(13, 1)}, 2, {1, 2},
   {1, 3, 2}, .want = {SHARED, DEPENDS, NULL}},
  {"the fixed axis is the fastest", 3, {PAD(12, 1), PAD(13, 1), ONE(3)}, 2, {0, 1}, {0, 0, 2},
   .want = {MOVED, MOVED, NULL}},
  {"the fixed axis is the fastest, F order", 3, {PAD(12, 1), PAD(13, 1), ONE(3)}, 2, {0, 1}, {0, 0, 2},
   .want = {SHARED, DEPENDS, NULL}, .form = FORM_F},
  {"both ends are fixed", 4, {ONE(3), PAD(11, 1), PAD(13, 1), ONE(2)}, 2, {1, 2}, {1, 0, 0, 1},
   .want = {MOVED, MOVED, NULL}},
  {"one of many, on one process", 3, {ALL(7), ONE(6), ONE(5)}, 2, {1, 2}, {4},
   .want = {SHARED, SHARED, NULL}},
  {"one of many, the first", 2, {ALL(9), ONE(8)}, 1, {1}, .want = {SHARED, SHARED, NULL}},
  {"one of many, the last", 2, {ALL(9), ONE(8)}, 1, {1}, {8}, .want = {SHARED, SHARED, NULL}},
  {"one of many, across rows", 2, {ONE(9), ALL(8)}, 1, {0}, {0, 5}, .want = {DEPENDS, DEPENDS, NULL}},
  {"a row of processes", 3, {ALL(6), PAD(11, 1), ONE(5)}, 2, {1, 2}, {3}, .want = {SHARED, SHARED, NULL}},
  {"a column of processes", 3, {PAD(11, 1), ALL(6), ONE(5)}, 2, {0, 2}, {0, 4},
   .want = {DEPENDS, DEPENDS, NULL}},
  {"a column of processes, axes turned round", 3, {PAD(11, 1), ALL(6), ONE(5)}, 2, {2, 0}, {0, 4},
   .want = {DEPENDS, DEPENDS, NULL}},
  {"the index is another's padding, too", 3, {PAD(12, 1), PAD(13, 1), ONE(4)}, 2, {1, 2}, {5},
   .want = {SHARED, SHARED, NULL}},
  {"the index is another's padding, wider", 2, {PAD(19, 2), ONE(7)}, 1, {1}, {6},
   .want = {SHARED, SHARED, NULL}},
  {"a cyclic fixed axis", 3, {ROUND(9, 2), PAD(12, 1), ONE(4)}, 2, {1, 2}, {6},
   .want = {SHARED, SHARED, NULL}},
  {"the fixed axis is cyclic, in the middle", 3, {PAD(12, 1), ROUND(9, 2), ONE(4)}, 2, {0, 2}, {0, 7},
   .want = {MOVED, MOVED, NULL}},
  {"the fixed axis is lists", 3, {LIST(9), PAD(12, 1), ONE(4)}, 2, {1, 2}, {6},
   .want = {SHARED, SHARED, NULL}},
  {"two fixed axes, one distributed", 4, {ALL(5), ONE(2), PAD(12, 1), ONE(4)}, 2, {2, 3}, {3, 1},
   .want = {SHARED, SHARED, NULL}},
  {"two fixed axes, both distributed", 4, {ALL(5), ALL(6), PAD(12, 1), ONE(4)}, 2, {2, 3}, {3, 1},
   .want = {SHARED, SHARED, NULL}},
  {"all but one axis fixed in five", 5, {ALL(5), ONE(2), ONE(3), ONE(2), PAD(13, 1)}, 1, {4}, {4, 1, 2, 1},
   .want = {SHARED, SHARED, NULL}},
  {"three of five", 5, {ONE(2), ALL(6), PAD(8, 1), PAD(9, 1), ONE(4)}, 3, {2, 3, 4}, {1, 5},
   .want = {SHARED, DEPENDS, NULL}},
  {"three of five, the outer and the inner ones", 5, {PAD(8, 1), ALL(6), PAD(9, 1), ONE(2), ONE(4)}, 3,
   {0, 2, 4}, {0, 5, 0, 1}, .want = {MOVED, MOVED, NULL}},
  {"ranks in an order of their own", 3, {ALL(6), PAD(11, 1), ONE(5)}, 2, {1, 2}, {3},
   .want = {SHARED, SHARED, NULL}, .shuffled = true},
  {"ranks in an order of their own, planes", 4, {ALL(6), PAD(11, 1), PAD(7, 1), ONE(2)}, 3, {1, 2, 3}, {3},
   .want = {SHARED, DEPENDS, NULL}, .shuffled = true, .assembled = true, .options = {.dof_axes = 1}},
  {"swapped", 3, {ALL(6), PAD(11, 1), ONE(5)}, 2, {1, 2}, {3}, .want = {DEPENDS, DEPENDS, NULL},
   .bytes = SWAPPED},
  {"narrow", 3, {ALL(6), PAD(11, 1), ONE(5)}, 2, {1, 2}, {3}, .want = {DEPENDS, DEPENDS, NULL},
   .bytes = NARROW},
  {"narrow and swapped, window", 3, {ONE(3), PAD(11, 1), PAD(15, 1)}, 2, {1, 2}, {2},
   .want = {MOVED, MOVED, NULL}, .form = FORM_WINDOW, .bytes = NARROW_SWAPPED},
  {"a window", 3, {ONE(3), PAD(11, 1), PAD(15, 1)}, 2, {1, 2}, {2},
   .want = {MOVED, MOVED, NULL}, .form = FORM_WINDOW},
  {"backwards", 3, {ONE(3), PAD(11, 1), PAD(15, 1)}, 2, {1, 2}, {2},
   .want = {DEPENDS, DEPENDS, NULL}, .form = FORM_NEGATIVE},
  {"a copy asked for", 3, {ALL(6), PAD(11, 1), ONE(5)}, 2, {1, 2}, {3},
   .want = {MOVED, MOVED, NULL}, .options = {.sharing = DAP_SHARE_NEVER}},
  {"no elements along the picked axis", 2, {ONE(4), ALL(0)}, 1, {1}, {2}, .want = {SHARED, SHARED, NULL}},
};

static const live_row picked[] = {
  {"all, in order", 2, {PAD(11, 1), PAD(13, 1)}, 2, {0, 1}, .want = {SHARED, DEPENDS, NULL}},
  {"turned round", 2, {PAD(11, 1), PAD(13, 1)}, 2, {1, 0}, .want = {SHARED, DEPENDS, NULL}},
  {"F order, turned", 2, {PAD(11, 1), PAD(13, 1)}, 2, {1, 0}, .want = {SHARED, DEPENDS, NULL},
   .form = FORM_F},
  {"turned round, slabs", 2, {PAD(11, 1), ONE(5)}, 2, {1, 0}, .want = {SHARED, SHARED, NULL}},
  {"turned round, a wider stencil", 2, {PAD(19, 1), PAD(17, 1)}, 2, {1, 0},
   .want = {MOVED, DEPENDS, NULL}, .options = {.width = 2}},
  {"three, reversed", 3, {PAD(7, 1), PAD(8, 1), PAD(9, 1)}, 3, {2, 1, 0}, .want = {SHARED, DEPENDS, NULL}},
  {"three, the last one first", 3, {PAD(7, 1), PAD(8, 1), PAD(9, 1)}, 3, {2, 0, 1},
   .want = {MOVED, MOVED, NULL}},
  {"three, the first one last, ranks in an order of their own", 3, {PAD(7, 1), PAD(8, 1), PAD(9, 1)}, 3,
   {1, 2, 0}, .want = {MOVED, MOVED, NULL}, .shuffled = true},
  {"a new axis first", 1, {PAD(17, 1)}, 2, {-1, 0}, .want = {SHARED, SHARED, NULL}},
  {"a new axis last", 1, {PAD(17, 1)}, 2, {0, -1}, .want = {SHARED, SHARED, NULL}},
  {"two new axes", 2, {PAD(17, 1), ONE(3)}, 3, {-1, 0, -1}, {0, 2}, .want = {MOVED, MOVED, NULL}},
  {"a new axis between", 2, {PAD(17, 1), ONE(3)}, 3, {0, -1, 1}, .want = {SHARED, SHARED, NULL}},
  {"a new axis is the degree of freedom", 2, {PAD(11, 1), PAD(13, 1)}, 3, {0, 1, -1},
   .want = {SHARED, DEPENDS, NULL}, .options = {.dof_axes = 1}},
  {"padding 2 wide, assembled", 3, {ONE(2), PAD(25, 2), PAD(27, 2)}, 2, {1, 2}, {1},
   .want = {SHARED, DEPENDS, NULL}, .assembled = true},
  {"padding along one axis only", 3, {ALL(4), PAD(15, 1), ONE(5)}, 2, {1, 2}, {1},
   .want = {SHARED, SHARED, NULL}},
  {"a cyclic axis", 3, {ONE(2), ROUND(13, 2), ONE(8)}, 2, {1, 2}, {1},
   .want = {MOVED, MOVED, NULL}, .options = {.width = 1}},
  {"a cyclic axis, turned round", 3, {ONE(2), ROUND(13, 2), ONE(8)}, 2, {2, 1}, {1},
   .want = {MOVED, MOVED, NULL}, .options = {.width = 1}},
  {"an axis of lists", 3, {ONE(2), LIST(13), ONE(8)}, 2, {1, 2}, {1},
   .want = {MOVED, MOVED, NULL}, .options = {.width = 1}},
  {"an axis of lists, assembled, turned round", 3, {ONE(2), LIST(13), ONE(8)}, 2, {2, 1}, {1},
   .want = {MOVED, MOVED, NULL}, .assembled = true, .options = {.width = 1}},
  {"boundary ghost points along a picked axis", 3, {ONE(2), EDGE(15, 1, 1, 1), EDGE(17, 1, 1, 1)}, 2, {1, 2},
   {1}, .want = {SHARED, MOVED, NULL}, .options = {GHOSTED}},
  {"boundary ghost points, a copy", 3, {ONE(2), EDGE(15, 1, 1, 0), EDGE(17, 1, 0, 1)}, 2, {2, 1}, {1},
   .want = {MOVED, MOVED, NULL}, .options = {GHOSTED, .sharing = DAP_SHARE_NEVER}},
  {"boundary padding along the fixed axis", 3, {EDGE(9, 1, 1, 1), PAD(15, 1), ONE(4)}, 2, {1, 2},
   .want = {SHARED, SHARED, NULL}, .options = {GHOSTED}},
  {"periodic along a picked axis, stripped", 3, {ALL(4), LOOP(15, 1, 1, 1), ONE(4)}, 2, {1, 2}, {2},
   .want = {SHARED, DEPENDS, NULL}, .options = {.strip_periodic = true}},
  {"periodic both ways, stripped, a copy", 3, {ONE(2), LOOP(15, 1, 1, 2), LOOP(17, 1, 2, 1)}, 2, {2, 1}, {1},
   .want = {MOVED, MOVED, NULL}, .options = {.strip_periodic = true, .sharing = DAP_SHARE_NEVER}},
  {"padding of the picked axis wraps", 3, {ALL(4), WRAP(15, 1), ONE(4)}, 2, {1, 2}, {2},
   .want = {SHARED, SHARED, NULL}},
  {"padding of one picked axis wraps, the other is stripped: no protocol says that",
   3, {ONE(2), WRAP(13, 1), LOOP(15, 1, 1, 1)}, 2, {1, 2}, {1},
   .want = {SHARED, DEPENDS, NULL}, .options = {.strip_periodic = true}},
  {"padding of a fixed axis wraps", 3, {WRAP(9, 1), PAD(15, 1), ONE(4)}, 2, {1, 2},
   .want = {SHARED, SHARED, NULL}},
};

static const live_row folded[] = {
  {"one axis of components", 3, {PAD(11, 1), PAD(13, 1), ONE(2)},
   .want = {SHARED, DEPENDS, NULL}, .options = {.dof_axes = 1}},
  {"two axes of components", 3, {PAD(17, 1), ONE(2), ONE(3)},
   .want = {SHARED, SHARED, NULL}, .options = {.dof_axes = 2}},
  {"two axes of components, planes", 4, {PAD(11, 1), PAD(13, 1), ONE(2), ONE(3)},
   .want = {SHARED, DEPENDS, NULL}, .options = {.dof_axes = 2}},
  {"three axes of components", 4, {PAD(19, 1), ONE(2), ONE(2), ONE(3)},
   .want = {SHARED, SHARED, NULL}, .options = {.dof_axes = 3}},
  {"three axes of components, planes", 5, {PAD(11, 1), PAD(12, 1), ONE(2), ONE(3), ONE(2)},
   .want = {SHARED, DEPENDS, NULL}, .options = {.dof_axes = 3}},
  {"two axes of components, space", 5, {PAD(7, 1), PAD(6, 1), PAD(6, 1), ONE(2), ONE(2)},
   .want = {SHARED, DEPENDS, NULL}, .options = {.dof_axes = 2}},
  {"components the fastest, F order", 3, {ONE(3), PAD(11, 1), PAD(13, 1)}, 3, {1, 2, 0},
   .want = {SHARED, DEPENDS, NULL}, .form = FORM_F, .options = {.dof_axes = 1}},
  {"components the slowest", 3, {ONE(3), PAD(11, 1), PAD(13, 1)}, 3, {1, 2, 0},
   .want = {MOVED, MOVED, NULL}, .options = {.dof_axes = 1}},
  {"components the slowest, F order", 3, {PAD(11, 1), PAD(13, 1), ONE(3)},
   .want = {MOVED, MOVED, NULL}, .form = FORM_F, .options = {.dof_axes = 1}},
  {"two axes of components the fastest, F order", 4, {ONE(2), ONE(3), PAD(11, 1), PAD(13, 1)}, 4,
   {2, 3, 1, 0}, .want = {SHARED, DEPENDS, NULL}, .form = FORM_F, .options = {.dof_axes = 2}},
  {"the same, in the other order", 4, {ONE(2), ONE(3), PAD(11, 1), PAD(13, 1)}, 4, {2, 3, 0, 1},
   .want = {MOVED, MOVED, NULL}, .form = FORM_F, .options = {.dof_axes = 2}},
  {"one component of two axes", 4, {PAD(11, 1), PAD(13, 1), ONE(2), ONE(3)}, 3, {0, 1, 3}, {0, 0, 1},
   .want = {MOVED, MOVED, NULL}, .options = {.dof_axes = 1}},
  {"a snapshot with components", 5, {ALL(4), PAD(11, 1), ONE(7), ONE(2), ONE(3)}, 4, {1, 2, 3, 4}, {2},
   .want = {SHARED, SHARED, NULL}, .options = {.dof_axes = 2}},
  {"a snapshot with components, turned round", 5, {ALL(4), PAD(11, 1), PAD(7, 1), ONE(2), ONE(3)}, 4,
   {2, 1, 3, 4}, {2}, .want = {SHARED, DEPENDS, NULL}, .options = {.dof_axes = 2}},
  {"components on a cyclic axis", 3, {ROUND(17, 2), ONE(2), ONE(3)},
   .want = {MOVED, MOVED, NULL}, .options = {.dof_axes = 2, .width = 1}},
  {"components, periodic, stripped", 4, {ONE(2), LOOP(17, 1, 1, 1), ONE(2), ONE(3)}, 3, {1, 3, 2}, {1},
   .want = {MOVED, MOVED, NULL}, .options = {.dof_axes = 2, .strip_periodic = true}},
  {"components, swapped", 4, {PAD(11, 1), PAD(13, 1), ONE(2), ONE(3)},
   .want = {MOVED, MOVED, NULL}, .bytes = SWAPPED, .options = {.dof_axes = 2}},
};

static const live_row stacks[] = {
  {"a stack, plane by plane", 3, {ALL(9), ONE(6), ONE(5)}, 2, {1, 2}, .want = {SHARED, SHARED, NULL}},
  {"copies, plane by plane", 3, {ALL(9), ONE(6), ONE(5)}, 2, {1, 2},
   .want = {MOVED, MOVED, NULL}, .options = {.sharing = DAP_SHARE_NEVER}},
};
/* clang-format on */

/* ---- one row ----------------------------------------------------------------------------------------- */

/* Once more, twice, on the DMDA of the first. */
static void try_again(live *a, const live_want *want)
{
  DM dm = a->field.dm;
  if (dm) EXPECT(!PetscObjectReference((PetscObject)dm));
  live_finish(a, DAP_READ_WRITE, BOTH);
  a->options.dm = dm;
  for (int round = 0; round < 2; round++) {
    live_fill(a, BEFORE);
    if (live_begin(a, want, DAP_READ_WRITE, BOTH)) EXPECT(a->field.dm == dm);
    live_finish(a, DAP_READ_WRITE, BOTH);
  }
  if (dm) EXPECT(!DMDestroy(&dm));
}

static void check_row(const live_row *row)
{
  static const struct {
    dap_access access;
    unsigned vectors;
  } trials[] = {
      {DAP_READ, BOTH},
      {DAP_WRITE, DAP_PETSC_GLOBAL},
      {DAP_WRITE, DAP_PETSC_LOCAL},
      {DAP_READ_WRITE, BOTH},
  };
  for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
    live a;
    TEST_CASE("%s; access %d, vectors %u", row->why, (int)trials[i].access, trials[i].vectors);
    live_make_row(&a, row);
    if (!live_begin(&a, &row->want, trials[i].access, trials[i].vectors)) continue;
    if (trials[i].access == DAP_READ_WRITE)
      try_again(&a, &row->want);
    else
      live_finish(&a, trials[i].access, trials[i].vectors);
    live_free(&a);
    SETTLE();
  }
}

#define CHECK_ROWS(rows)                                                                                     \
  for (size_t row_ = 0; row_ < sizeof(rows) / sizeof((rows)[0]); row_++) check_row(&(rows)[row_])

static void axes_fixed_by_index(void **state)
{
  (void)state;
  CHECK_ROWS(fixed);
}

static void axes_in_any_order(void **state)
{
  (void)state;
  CHECK_ROWS(picked);
}

static void axes_of_components(void **state)
{
  (void)state;
  CHECK_ROWS(folded);
}

/* One DMDA for all planes of a stack, those of each process on one of its own. What was planned for one plane
 * serves for the others. */
static void goes_through_a_stack(void **state)
{
  (void)state;
  enum { PLANES = 9 };
  for (int i = 0; i < 2 * PLANES; i++) {
    static DM dm;
    live a;
    int plans;
    const live_row *stack = &stacks[i / PLANES];
    TEST_CASE("%s: %d", stack->why, i % PLANES);
    live_make_row(&a, stack);
    a.index[0] = i % PLANES;
    a.options.dm = live_is_member(&a) ? dm : NULL;
    int is_given = a.options.dm != NULL;
    MPI_Allreduce(MPI_IN_PLACE, &is_given, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    live_count_plans(&plans);
    if (!live_begin(&a, &stack->want, DAP_READ_WRITE, BOTH)) return;
    live_count_plans(NULL);
    EXPECT_MSG((plans > 0) == (i >= PLANES && !is_given), "%d plans", plans);
    if (dm && live_is_member(&a)) EXPECT(a.field.dm == dm);
    if (!dm && a.field.dm) EXPECT(!PetscObjectReference((PetscObject)(dm = a.field.dm)));
    live_finish(&a, DAP_READ_WRITE, BOTH);
    if (i % PLANES == PLANES - 1) EXPECT(!DMDestroy(&dm));
    live_free(&a);
    SETTLE();
  }
}

/* Those without a part hear what the others have to say, too. */
static void refuses_to_share(void **state)
{
  (void)state;
  static const live_row column = {"a row in F order", 2, {ALL(9), ONE(8)}, 1, {1}, {8}, .form = FORM_F};
  live a;
  dap_error err = {.rank = -1};
  live_make_row(&a, &column);
  a.index[0] = 0; /* of the first process, which has more rows */
  a.options.sharing = DAP_SHARE_OR_FAIL;
  expect_same_error(MPI_COMM_WORLD, live_get(&a, DAP_READ_WRITE, &err), &err, DAP_ERR_SHARE, "contiguous");
  EXPECT(!a.field.handle.view && !a.field.dm);
  live_free(&a);
  SETTLE();
}

/* Only the processes that have indices know who owns one. */
static void asks_nobody_for_owners(void **state)
{
  (void)state;
  static const live_row lists = {
      "an assembled list is fixed", 2, {LIST(9), ONE(8)}, 1, {1}, {4}, .assembled = true};
  live a;
  dap_error err = {.rank = -1};
  live_make_row(&a, &lists);
  const dap_status s = live_get(&a, DAP_READ_WRITE, &err);
  if (test_nprocs() > 1)
    expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_REMOTE, "axis 0|index 4");
  else
    EXPECT_OK(s, &err);
  live_restore(&a);
  live_free(&a);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_is_initialised),   cmocka_unit_test(axes_fixed_by_index),
    cmocka_unit_test(axes_in_any_order),      cmocka_unit_test(axes_of_components),
    cmocka_unit_test(goes_through_a_stack),   cmocka_unit_test(refuses_to_share),
    cmocka_unit_test(asks_nobody_for_owners), cmocka_unit_test(petsc_is_finalised),
};

MPI_TEST_MAIN(tests)
