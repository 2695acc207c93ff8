/* Tests fields of some axes of an array. The fields must contain all elements of these axes, and no
 * others. */
#include "live.h"

#define GHOSTED .boundary = DM_BOUNDARY_GHOSTED
#define STRIPPED .strip_periodic = true
#define NEVER .sharing = DAP_SHARE_NEVER

/* clang-format off */
static const live_row fixed[] = {
  {.layout = {"a plane that all hold", 3, {3, 12, 5}, SECOND_AXIS, .halo = {0, 1}}, SHARED, SHARED, NULL, 2,
   {1, 2}, {2}},
  {.layout = {"a plane of a stack, at index 0 without saying so", 3, {3, 12, 13}, SECOND_AXIS | THIRD_AXIS,
   .halo = {0, 1, 1}}, SHARED, DEPENDS, NULL, 2, {1, 2}},
  {.layout = {"the fixed axis is the fastest", 3, {12, 13, 3}, FIRST_AXIS | SECOND_AXIS, .halo = {1, 1}},
   MOVED, MOVED, NULL, 2, {0, 1}, {0, 0, 2}},
  {{"the fixed axis is the fastest, F order", 3, {12, 13, 3}, FIRST_AXIS | SECOND_AXIS, .halo = {1, 1}},
   SHARED, DEPENDS, NULL, 2, {0, 1}, {0, 0, 2}, .form = FORM_F},
  {.layout = {"one of many, on one process", 3, .size = {7, 6, 5}, FIRST_AXIS}, SHARED, SHARED, NULL, 2, {1,
   2}, {4}},
  {.layout = {"one of many, across rows", 2, .size = {9, 8}, SECOND_AXIS}, DEPENDS, DEPENDS, NULL, 1, {0}, {0,
   5}},
  {.layout = {"a row of processes", 3, {6, 11, 5}, FIRST_AXIS | SECOND_AXIS, .halo = {0, 1}}, SHARED, SHARED,
   NULL, 2, {1, 2}, {3}},
  {.layout = {"a column of processes", 3, {11, 6, 5}, FIRST_AXIS | SECOND_AXIS, .halo = {1}}, DEPENDS,
   DEPENDS, NULL, 2, {0, 2}, {0, 4}},
  {.layout = {"the index is another's padding, too", 3, {12, 13, 4}, FIRST_AXIS | SECOND_AXIS,
   .halo = {1, 1}}, SHARED, SHARED, NULL, 2, {1, 2}, {5}},
  {.layout = {"the fixed axis is cyclic, in the middle", 3, {12, 9, 4}, FIRST_AXIS | SECOND_AXIS,
   .cut = {CUT_EVEN, CUT_CYCLIC}, .halo = {1}}, MOVED, MOVED, NULL, 2, {0, 2}, {0, 7}},
  {.layout = {"the fixed axis is lists", 3, {9, 12, 4}, FIRST_AXIS | SECOND_AXIS, .cut = {CUT_LOTS},
   .halo = {0, 1}}, SHARED, SHARED, NULL, 2, {1, 2}, {6}},
  {.layout = {"two fixed axes, both distributed", 4, {5, 6, 12, 4}, FIRST_AXIS | SECOND_AXIS | THIRD_AXIS,
   .halo = {0, 0, 1}}, SHARED, SHARED, NULL, 2, {2, 3}, {3, 1}},
  {.layout = {"three of four", 4, {6, 8, 9, 4}, FIRST_AXIS | SECOND_AXIS | THIRD_AXIS, .halo = {0, 1, 1}},
   SHARED, DEPENDS, NULL, 3, {1, 2, 3}, {5}},
  {.layout = {"three of four, the outer ones and one", 4, {8, 6, 9, 4}, FIRST_AXIS | SECOND_AXIS | THIRD_AXIS,
   .halo = {1, 0, 1}}, DEPENDS, DEPENDS, NULL, 3, {0, 2, 3}, {0, 5}},
  {{"ranks in an order of their own, planes", 4, {6, 11, 7, 2}, FIRST_AXIS | SECOND_AXIS | THIRD_AXIS,
   .halo = {0, 1, 1}, .shuffled = true, .assembled = true}, SHARED, DEPENDS, NULL, 3, {1, 2, 3}, {3},
   .options = {.dof_axes = 1}},
  {{"narrow and swapped, window", 3, {3, 11, 15}, SECOND_AXIS | THIRD_AXIS, .halo = {0, 1, 1}}, MOVED, MOVED,
   NULL, 2, {1, 2}, {2}, .form = FORM_WINDOW, .bytes = NARROW | SWAPPED},
  {.layout = {"no elements along the picked axis", 2, .size = {4, 0}, SECOND_AXIS}, SHARED, SHARED, NULL, 1,
   {1}, {2}},
};

static const live_row picked[] = {
  {.layout = {"turned round", 2, {11, 13}, .halo = {1, 1}}, SHARED, DEPENDS, NULL, 2, {1, 0}},
  {.layout = {"three, reversed", 3, {7, 8, 9}, .halo = {1, 1, 1}}, SHARED, DEPENDS, NULL, 3, {2, 1, 0}},
  {.layout = {"three, the first one last, ranks in an order of their own", 3, {7, 8, 9}, .halo = {1, 1, 1},
   .shuffled = true}, MOVED, MOVED, NULL, 3, {1, 2, 0}},
  {.layout = {"a new axis first", 1, {17}, .halo = {1}}, SHARED, SHARED, NULL, 2, {-1, 0}},
  {.layout = {"two new axes", 2, {17, 3}, FIRST_AXIS, .halo = {1}}, MOVED, MOVED, NULL, 3, {-1, 0, -1}, {0,
   2}},
  {{"a new axis is the degree of freedom", 2, {11, 13}, .halo = {1, 1}}, SHARED, DEPENDS, NULL, 3, {0, 1, -1},
   .options = {.dof_axes = 1}},
  {.layout = {"padding 2 wide, assembled", 3, {2, 25, 27}, SECOND_AXIS | THIRD_AXIS, .halo = {0, 2, 2},
   .assembled = true}, SHARED, DEPENDS, NULL, 2, {1, 2}, {1}},
  {{"a cyclic axis", 3, {2, 13, 8}, SECOND_AXIS, .cut = {CUT_EVEN, CUT_CYCLIC}}, MOVED, MOVED, NULL, 2, {1,
   2}, {1}, .options = {.width = 1}},
  {{"an axis of lists, assembled, turned round", 3, {2, 13, 8}, SECOND_AXIS, .cut = {CUT_EVEN, CUT_LOTS},
   .assembled = true}, MOVED, MOVED, NULL, 2, {2, 1}, {1}, .options = {.width = 1}},
  {{"boundary ghost points along a picked axis", 3, {2, 15, 17}, SECOND_AXIS | THIRD_AXIS, .halo = {0, 1, 1},
   .boundary = {{0, 0}, {1, 1}, {1, 1}}}, SHARED, MOVED, NULL, 2, {1, 2}, {1}, .options = {GHOSTED}},
  {{"periodic along a picked axis, stripped", 3, {4, 15, 4}, FIRST_AXIS | SECOND_AXIS, .halo = {0, 1},
   .boundary = {{0, 0}, {1, 1}}, .periodic = {false, true}}, SHARED, DEPENDS, NULL, 2, {1, 2}, {2},
   .options = {STRIPPED}},
  {{"periodic both ways, stripped, a copy", 3, {2, 15, 17}, SECOND_AXIS | THIRD_AXIS, .halo = {0, 1, 1},
   .boundary = {{0, 0}, {1, 2}, {2, 1}}, .periodic = {false, true, true}}, MOVED, MOVED, NULL, 2, {2, 1}, {1},
   .options = {STRIPPED, NEVER}},
  {{"padding of one picked axis wraps, the other is stripped: no protocol says that", 3, {2, 13, 15},
   SECOND_AXIS | THIRD_AXIS, .halo = {0, 1, 1}, .boundary = {{0, 0}, {0, 0}, {1, 1}},
   .periodic = {false, false, true}, .wraps = {false, true}}, SHARED, DEPENDS, NULL, 2, {1, 2}, {1},
   .options = {STRIPPED}},
  {.layout = {"padding of a fixed axis wraps", 3, {9, 15, 4}, FIRST_AXIS | SECOND_AXIS, .halo = {1, 1},
   .wraps = {true}}, SHARED, SHARED, NULL, 2, {1, 2}},
};

static const live_row folded[] = {
  {{"two axes of components", 3, {17, 2, 3}, FIRST_AXIS, .halo = {1}}, SHARED, SHARED,
   .options = {.dof_axes = 2}},
  {{"two axes of components, planes", 4, {11, 13, 2, 3}, FIRST_AXIS | SECOND_AXIS, .halo = {1, 1}}, SHARED,
   .options = {.dof_axes = 2}},
  {{"three axes of components", 4, {19, 2, 2, 3}, FIRST_AXIS, .halo = {1}}, SHARED, SHARED,
   .options = {.dof_axes = 3}},
  {{"components the fastest, F order", 3, {3, 11, 13}, SECOND_AXIS | THIRD_AXIS, .halo = {0, 1, 1}}, SHARED,
   DEPENDS, NULL, 3, {1, 2, 0}, .form = FORM_F, .options = {.dof_axes = 1}},
  {{"components the slowest", 3, {3, 11, 13}, SECOND_AXIS | THIRD_AXIS, .halo = {0, 1, 1}}, MOVED, MOVED,
   NULL, 3, {1, 2, 0}, .options = {.dof_axes = 1}},
  {{"two axes of components the fastest, F order", 4, {2, 3, 11, 13}, THIRD_AXIS | FOURTH_AXIS,
   .halo = {0, 0, 1, 1}}, SHARED, DEPENDS, NULL, 4, {2, 3, 1, 0}, .form = FORM_F, .options = {.dof_axes = 2}},
  {{"the same, in the other order", 4, {2, 3, 11, 13}, THIRD_AXIS | FOURTH_AXIS, .halo = {0, 0, 1, 1}}, MOVED,
   MOVED, NULL, 4, {2, 3, 0, 1}, .form = FORM_F, .options = {.dof_axes = 2}},
  {{"one component of two axes", 4, {11, 13, 2, 3}, FIRST_AXIS | SECOND_AXIS, .halo = {1, 1}}, MOVED, MOVED,
   NULL, 3, {0, 1, 3}, {0, 0, 1}, .options = {.dof_axes = 1}},
  {{"a snapshot with components", 4, {4, 11, 2, 3}, FIRST_AXIS | SECOND_AXIS, .halo = {0, 1}}, SHARED, SHARED,
   NULL, 3, {1, 2, 3}, {2}, .options = {.dof_axes = 2}},
  {{"a snapshot with components, turned round", 4, {4, 11, 7, 3}, FIRST_AXIS | SECOND_AXIS | THIRD_AXIS,
   .halo = {0, 1, 1}}, SHARED, DEPENDS, NULL, 3, {2, 1, 3}, {2}, .options = {.dof_axes = 1}},
  {{"components on a cyclic axis", 3, {17, 2, 3}, FIRST_AXIS, .cut = {CUT_CYCLIC}}, MOVED, MOVED,
   .options = {.dof_axes = 2, .width = 1}},
  {{"components, periodic, stripped", 4, {2, 17, 2, 3}, SECOND_AXIS, .halo = {0, 1},
   .boundary = {{0, 0}, {1, 1}}, .periodic = {false, true}}, MOVED, MOVED, NULL, 3, {1, 3, 2}, {1},
   .options = {.dof_axes = 2, STRIPPED}},
};

static const live_row stacks[] = {
  {.layout = {"a stack, plane by plane", 3, .size = {9, 6, 5}, FIRST_AXIS}, SHARED, SHARED, NULL, 2, {1, 2}},
  {{"copies, plane by plane", 3, .size = {9, 6, 5}, FIRST_AXIS}, MOVED, MOVED, NULL, 2, {1, 2},
   .options = {NEVER}},
};
/* clang-format on */

/* ---- one row ----------------------------------------------------------------------------------------- */

/* Gets the field twice more, on the DMDA of the first. */
static void try_again(live *a, const live_row *row)
{
  DM dm = a->field.dm;
  if (dm) EXPECT(!PetscObjectReference((PetscObject)dm));
  live_finish(a, DAP_READ_WRITE, BOTH);
  a->options.dm = dm;
  for (int round = 0; round < 2; round++) {
    live_fill(a, BEFORE);
    if (live_begin(a, row, DAP_READ_WRITE, BOTH)) EXPECT(a->field.dm == dm);
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
    TEST_CASE("%s; access %d, vectors %u", row->layout.why, (int)trials[i].access, trials[i].vectors);
    live_make_row(&a, row);
    if (!live_begin(&a, row, trials[i].access, trials[i].vectors)) continue;
    if (trials[i].access == DAP_READ_WRITE)
      try_again(&a, row);
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

/* Uses one DMDA for all planes of a stack that a process has. The plans for one plane must serve for the
 * others. */
static void goes_through_a_stack(void **state)
{
  (void)state;
  enum { PLANES = 9 };
  for (int i = 0; i < 2 * PLANES; i++) {
    static DM dm;
    live a;
    int plans;
    const live_row *stack = &stacks[i / PLANES];
    TEST_CASE("%s: %d", stack->layout.why, i % PLANES);
    live_make_row(&a, stack);
    a.index[0] = i % PLANES;
    a.options.dm = live_is_member(&a) ? dm : NULL;
    int is_given = a.options.dm != NULL;
    MPI_Allreduce(MPI_IN_PLACE, &is_given, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    live_count_lines(&plans, "plan:");
    if (!live_begin(&a, stack, DAP_READ_WRITE, BOTH)) return;
    live_count_lines(NULL, NULL);
    EXPECT_MSG((plans > 0) == (i >= PLANES && !is_given), "%d plans", plans);
    if (dm && live_is_member(&a)) EXPECT(a.field.dm == dm);
    if (!dm && a.field.dm) EXPECT(!PetscObjectReference((PetscObject)(dm = a.field.dm)));
    live_finish(&a, DAP_READ_WRITE, BOTH);
    if (i % PLANES == PLANES - 1) EXPECT(!DMDestroy(&dm));
    live_free(&a);
    SETTLE();
  }
}

/* Processes without a part get the same error as the others. */
static void refuses_to_share(void **state)
{
  (void)state;
  static const live_row column = {{"a row in F order", 2, .size = {9, 8}, .axes = FIRST_AXIS},
                                  .naxes = 1,
                                  .axes = {1},
                                  .index = {8},
                                  .form = FORM_F};
  live a;
  dap_error err = {.rank = -1};
  live_make_row(&a, &column);
  a.index[0] = 0; /* index 0 belongs to the first process, which has more rows */
  a.options.sharing = DAP_SHARE_OR_FAIL;
  expect_same_error(MPI_COMM_WORLD, live_get(&a, DAP_READ_WRITE, &err), &err, DAP_ERR_SHARE, "contiguous");
  EXPECT(!a.field.handle.view && !a.field.dm);
  live_free(&a);
  SETTLE();
}

/* An index is fixed in an assembled list. Only processes that have the index know its owner. */
static void asks_nobody_for_owners(void **state)
{
  (void)state;
  static const live_row lists = {
      {"an assembled list is fixed", 2, {9, 8}, FIRST_AXIS, .cut = {CUT_LOTS}, .assembled = true},
      .naxes = 1,
      .axes = {1},
      .index = {4}};
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
    cmocka_unit_test(petsc_starts),           cmocka_unit_test(axes_fixed_by_index),
    cmocka_unit_test(axes_in_any_order),      cmocka_unit_test(axes_of_components),
    cmocka_unit_test(goes_through_a_stack),   cmocka_unit_test(refuses_to_share),
    cmocka_unit_test(asks_nobody_for_owners), cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
