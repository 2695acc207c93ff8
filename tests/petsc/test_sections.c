/* Fields of some of an array's axes: every element of them, and none else. */
#include "live.h"
#include "live_axes.h"
#include "variants.h"

/* What is expected of a vector: SHARED on any number of processes, MOVED on more than one. */
typedef enum test_verdict { DEPENDS, SHARED, MOVED } test_verdict;

typedef struct section_row {
  const char *why;
  int ndim;
  /* procs 0: as many as there are, spread over all such axes; DAP_DIST_UNSTRUCTURED: lists by lot */
  dap_dist dist[5];
  int naxes; /* 0: all */
  int axes[5];
  int64_t index[5];
  test_verdict want[2]; /* of the local vector, of the global one */
  test_form form;
  live_bytes bytes;
  bool shuffled, assembled;
  dap_petsc_field_options options; /* vectors, axes and lossy are set by the test */
} section_row;

enum { BOTH = DAP_PETSC_GLOBAL | DAP_PETSC_LOCAL };
#define GHOSTED .boundary = DM_BOUNDARY_GHOSTED

/* clang-format off */
static const section_row fixed[] = {
  {"a plane that all hold", 3, {ONE(3), PAD(12, 1), ONE(5)}, 2, {1, 2}, {2}, .want = {SHARED, SHARED}},
  {"a plane of a stack, at index 0 without saying so", 3, {ONE(3), PAD(12, 1), PAD(13, 1)}, 2, {1, 2},
   .want = {SHARED, DEPENDS}},
  {"what index says along axes that are kept does not count", 3, {ONE(3), PAD(12, 1), PAD(13, 1)}, 2, {1, 2},
   {1, 3, 2}, .want = {SHARED, DEPENDS}},
  {"the fixed axis is the fastest", 3, {PAD(12, 1), PAD(13, 1), ONE(3)}, 2, {0, 1}, {0, 0, 2},
   .want = {MOVED, MOVED}},
  {"the fixed axis is the fastest, F order", 3, {PAD(12, 1), PAD(13, 1), ONE(3)}, 2, {0, 1}, {0, 0, 2},
   .want = {SHARED, DEPENDS}, .form = FORM_F},
  {"both ends are fixed", 4, {ONE(3), PAD(11, 1), PAD(13, 1), ONE(2)}, 2, {1, 2}, {1, 0, 0, 1},
   .want = {MOVED, MOVED}},
  {"one of many, on one process", 3, {ALL(7), ONE(6), ONE(5)}, 2, {1, 2}, {4}, .want = {SHARED, SHARED}},
  {"one of many, the first", 2, {ALL(9), ONE(8)}, 1, {1}, .want = {SHARED, SHARED}},
  {"one of many, the last", 2, {ALL(9), ONE(8)}, 1, {1}, {8}, .want = {SHARED, SHARED}},
  {"one of many, across rows", 2, {ONE(9), ALL(8)}, 1, {0}, {0, 5}, .want = {DEPENDS, DEPENDS}},
  {"a row of processes", 3, {ALL(6), PAD(11, 1), ONE(5)}, 2, {1, 2}, {3}, .want = {SHARED, SHARED}},
  {"a column of processes", 3, {PAD(11, 1), ALL(6), ONE(5)}, 2, {0, 2}, {0, 4}, .want = {DEPENDS, DEPENDS}},
  {"a column of processes, axes turned round", 3, {PAD(11, 1), ALL(6), ONE(5)}, 2, {2, 0}, {0, 4},
   .want = {DEPENDS, DEPENDS}},
  {"the index is another's padding, too", 3, {PAD(12, 1), PAD(13, 1), ONE(4)}, 2, {1, 2}, {5},
   .want = {SHARED, SHARED}},
  {"the index is another's padding, wider", 2, {PAD(19, 2), ONE(7)}, 1, {1}, {6}, .want = {SHARED, SHARED}},
  {"a cyclic fixed axis", 3, {ROUND(9, 2), PAD(12, 1), ONE(4)}, 2, {1, 2}, {6}, .want = {SHARED, SHARED}},
  {"the fixed axis is cyclic, in the middle", 3, {PAD(12, 1), ROUND(9, 2), ONE(4)}, 2, {0, 2}, {0, 7},
   .want = {MOVED, MOVED}},
  {"the fixed axis is lists", 3, {LIST(9), PAD(12, 1), ONE(4)}, 2, {1, 2}, {6}, .want = {SHARED, SHARED}},
  {"two fixed axes, one distributed", 4, {ALL(5), ONE(2), PAD(12, 1), ONE(4)}, 2, {2, 3}, {3, 1},
   .want = {SHARED, SHARED}},
  {"two fixed axes, both distributed", 4, {ALL(5), ALL(6), PAD(12, 1), ONE(4)}, 2, {2, 3}, {3, 1},
   .want = {SHARED, SHARED}},
  {"all but one axis fixed in five", 5, {ALL(5), ONE(2), ONE(3), ONE(2), PAD(13, 1)}, 1, {4}, {4, 1, 2, 1},
   .want = {SHARED, SHARED}},
  {"three of five", 5, {ONE(2), ALL(6), PAD(8, 1), PAD(9, 1), ONE(4)}, 3, {2, 3, 4}, {1, 5},
   .want = {SHARED, DEPENDS}},
  {"three of five, the outer and the inner ones", 5, {PAD(8, 1), ALL(6), PAD(9, 1), ONE(2), ONE(4)}, 3,
   {0, 2, 4}, {0, 5, 0, 1}, .want = {MOVED, MOVED}},
  {"ranks in an order of their own", 3, {ALL(6), PAD(11, 1), ONE(5)}, 2, {1, 2}, {3},
   .want = {SHARED, SHARED}, .shuffled = true},
  {"ranks in an order of their own, planes", 4, {ALL(6), PAD(11, 1), PAD(7, 1), ONE(2)}, 3, {1, 2, 3}, {3},
   .want = {SHARED, DEPENDS}, .shuffled = true, .assembled = true, .options = {.dof_axes = 1}},
  {"swapped", 3, {ALL(6), PAD(11, 1), ONE(5)}, 2, {1, 2}, {3}, .want = {DEPENDS, DEPENDS}, .bytes = SWAPPED},
  {"narrow", 3, {ALL(6), PAD(11, 1), ONE(5)}, 2, {1, 2}, {3}, .want = {DEPENDS, DEPENDS}, .bytes = NARROW},
  {"narrow and swapped, window", 3, {ONE(3), PAD(11, 1), PAD(15, 1)}, 2, {1, 2}, {2},
   .want = {MOVED, MOVED}, .form = FORM_WINDOW, .bytes = NARROW_SWAPPED},
  {"a window", 3, {ONE(3), PAD(11, 1), PAD(15, 1)}, 2, {1, 2}, {2},
   .want = {MOVED, MOVED}, .form = FORM_WINDOW},
  {"backwards", 3, {ONE(3), PAD(11, 1), PAD(15, 1)}, 2, {1, 2}, {2},
   .want = {DEPENDS, DEPENDS}, .form = FORM_NEGATIVE},
  {"a copy asked for", 3, {ALL(6), PAD(11, 1), ONE(5)}, 2, {1, 2}, {3},
   .want = {MOVED, MOVED}, .options = {.sharing = DAP_SHARE_NEVER}},
  {"no elements along the picked axis", 2, {ONE(4), ALL(0)}, 1, {1}, {2}, .want = {SHARED, SHARED}},
};

static const section_row picked[] = {
  {"all, in order", 2, {PAD(11, 1), PAD(13, 1)}, 2, {0, 1}, .want = {SHARED, DEPENDS}},
  {"turned round", 2, {PAD(11, 1), PAD(13, 1)}, 2, {1, 0}, .want = {SHARED, DEPENDS}},
  {"F order, turned", 2, {PAD(11, 1), PAD(13, 1)}, 2, {1, 0}, .want = {SHARED, DEPENDS}, .form = FORM_F},
  {"turned round, slabs", 2, {PAD(11, 1), ONE(5)}, 2, {1, 0}, .want = {SHARED, SHARED}},
  {"turned round, a wider stencil", 2, {PAD(19, 1), PAD(17, 1)}, 2, {1, 0},
   .want = {MOVED, DEPENDS}, .options = {.width = 2}},
  {"three, reversed", 3, {PAD(7, 1), PAD(8, 1), PAD(9, 1)}, 3, {2, 1, 0}, .want = {SHARED, DEPENDS}},
  {"three, the last one first", 3, {PAD(7, 1), PAD(8, 1), PAD(9, 1)}, 3, {2, 0, 1}, .want = {MOVED, MOVED}},
  {"three, the first one last, ranks in an order of their own", 3, {PAD(7, 1), PAD(8, 1), PAD(9, 1)}, 3,
   {1, 2, 0}, .want = {MOVED, MOVED}, .shuffled = true},
  {"a new axis first", 1, {PAD(17, 1)}, 2, {-1, 0}, .want = {SHARED, SHARED}},
  {"a new axis last", 1, {PAD(17, 1)}, 2, {0, -1}, .want = {SHARED, SHARED}},
  {"two new axes", 2, {PAD(17, 1), ONE(3)}, 3, {-1, 0, -1}, {0, 2}, .want = {MOVED, MOVED}},
  {"a new axis between", 2, {PAD(17, 1), ONE(3)}, 3, {0, -1, 1}, .want = {SHARED, SHARED}},
  {"a new axis is the degree of freedom", 2, {PAD(11, 1), PAD(13, 1)}, 3, {0, 1, -1},
   .want = {SHARED, DEPENDS}, .options = {.dof_axes = 1}},
  {"padding 2 wide, assembled", 3, {ONE(2), PAD(25, 2), PAD(27, 2)}, 2, {1, 2}, {1},
   .want = {SHARED, DEPENDS}, .assembled = true},
  {"padding along one axis only", 3, {ALL(4), PAD(15, 1), ONE(5)}, 2, {1, 2}, {1}, .want = {SHARED, SHARED}},
  {"a cyclic axis", 3, {ONE(2), ROUND(13, 2), ONE(8)}, 2, {1, 2}, {1},
   .want = {MOVED, MOVED}, .options = {.width = 1}},
  {"a cyclic axis, turned round", 3, {ONE(2), ROUND(13, 2), ONE(8)}, 2, {2, 1}, {1},
   .want = {MOVED, MOVED}, .options = {.width = 1}},
  {"an axis of lists", 3, {ONE(2), LIST(13), ONE(8)}, 2, {1, 2}, {1},
   .want = {MOVED, MOVED}, .options = {.width = 1}},
  {"an axis of lists, assembled, turned round", 3, {ONE(2), LIST(13), ONE(8)}, 2, {2, 1}, {1},
   .want = {MOVED, MOVED}, .assembled = true, .options = {.width = 1}},
  {"boundary ghost points along a picked axis", 3, {ONE(2), EDGE(15, 1, 1, 1), EDGE(17, 1, 1, 1)}, 2, {1, 2},
   {1}, .want = {SHARED, MOVED}, .options = {GHOSTED}},
  {"boundary ghost points, a copy", 3, {ONE(2), EDGE(15, 1, 1, 0), EDGE(17, 1, 0, 1)}, 2, {2, 1}, {1},
   .want = {MOVED, MOVED}, .options = {GHOSTED, .sharing = DAP_SHARE_NEVER}},
  {"boundary padding along the fixed axis", 3, {EDGE(9, 1, 1, 1), PAD(15, 1), ONE(4)}, 2, {1, 2},
   .want = {SHARED, SHARED}, .options = {GHOSTED}},
  {"periodic along a picked axis, stripped", 3, {ALL(4), LOOP(15, 1, 1, 1), ONE(4)}, 2, {1, 2}, {2},
   .want = {SHARED, DEPENDS}, .options = {.strip_periodic = true}},
  {"periodic both ways, stripped, a copy", 3, {ONE(2), LOOP(15, 1, 1, 2), LOOP(17, 1, 2, 1)}, 2, {2, 1}, {1},
   .want = {MOVED, MOVED}, .options = {.strip_periodic = true, .sharing = DAP_SHARE_NEVER}},
  {"padding of the picked axis wraps", 3, {ALL(4), WRAP(15, 1), ONE(4)}, 2, {1, 2}, {2},
   .want = {SHARED, SHARED}},
  {"padding of one picked axis wraps, the other is stripped: no protocol says that",
   3, {ONE(2), WRAP(13, 1), LOOP(15, 1, 1, 1)}, 2, {1, 2}, {1},
   .want = {SHARED, DEPENDS}, .options = {.strip_periodic = true}},
  {"padding of a fixed axis wraps", 3, {WRAP(9, 1), PAD(15, 1), ONE(4)}, 2, {1, 2}, .want = {SHARED, SHARED}},
};

static const section_row folded[] = {
  {"one axis of components", 3, {PAD(11, 1), PAD(13, 1), ONE(2)},
   .want = {SHARED, DEPENDS}, .options = {.dof_axes = 1}},
  {"two axes of components", 3, {PAD(17, 1), ONE(2), ONE(3)},
   .want = {SHARED, SHARED}, .options = {.dof_axes = 2}},
  {"two axes of components, planes", 4, {PAD(11, 1), PAD(13, 1), ONE(2), ONE(3)},
   .want = {SHARED, DEPENDS}, .options = {.dof_axes = 2}},
  {"three axes of components", 4, {PAD(19, 1), ONE(2), ONE(2), ONE(3)},
   .want = {SHARED, SHARED}, .options = {.dof_axes = 3}},
  {"three axes of components, planes", 5, {PAD(11, 1), PAD(12, 1), ONE(2), ONE(3), ONE(2)},
   .want = {SHARED, DEPENDS}, .options = {.dof_axes = 3}},
  {"two axes of components, space", 5, {PAD(7, 1), PAD(6, 1), PAD(6, 1), ONE(2), ONE(2)},
   .want = {SHARED, DEPENDS}, .options = {.dof_axes = 2}},
  {"components the fastest, F order", 3, {ONE(3), PAD(11, 1), PAD(13, 1)}, 3, {1, 2, 0},
   .want = {SHARED, DEPENDS}, .form = FORM_F, .options = {.dof_axes = 1}},
  {"components the slowest", 3, {ONE(3), PAD(11, 1), PAD(13, 1)}, 3, {1, 2, 0},
   .want = {MOVED, MOVED}, .options = {.dof_axes = 1}},
  {"components the slowest, F order", 3, {PAD(11, 1), PAD(13, 1), ONE(3)},
   .want = {MOVED, MOVED}, .form = FORM_F, .options = {.dof_axes = 1}},
  {"two axes of components the fastest, F order", 4, {ONE(2), ONE(3), PAD(11, 1), PAD(13, 1)}, 4,
   {2, 3, 1, 0}, .want = {SHARED, DEPENDS}, .form = FORM_F, .options = {.dof_axes = 2}},
  {"the same, in the other order", 4, {ONE(2), ONE(3), PAD(11, 1), PAD(13, 1)}, 4, {2, 3, 0, 1},
   .want = {MOVED, MOVED}, .form = FORM_F, .options = {.dof_axes = 2}},
  {"one component of two axes", 4, {PAD(11, 1), PAD(13, 1), ONE(2), ONE(3)}, 3, {0, 1, 3}, {0, 0, 1},
   .want = {MOVED, MOVED}, .options = {.dof_axes = 1}},
  {"a snapshot with components", 5, {ALL(4), PAD(11, 1), ONE(7), ONE(2), ONE(3)}, 4, {1, 2, 3, 4}, {2},
   .want = {SHARED, SHARED}, .options = {.dof_axes = 2}},
  {"a snapshot with components, turned round", 5, {ALL(4), PAD(11, 1), PAD(7, 1), ONE(2), ONE(3)}, 4,
   {2, 1, 3, 4}, {2}, .want = {SHARED, DEPENDS}, .options = {.dof_axes = 2}},
  {"components on a cyclic axis", 3, {ROUND(17, 2), ONE(2), ONE(3)},
   .want = {MOVED, MOVED}, .options = {.dof_axes = 2, .width = 1}},
  {"components, periodic, stripped", 4, {ONE(2), LOOP(17, 1, 1, 1), ONE(2), ONE(3)}, 3, {1, 3, 2}, {1},
   .want = {MOVED, MOVED}, .options = {.dof_axes = 2, .strip_periodic = true}},
  {"components, swapped", 4, {PAD(11, 1), PAD(13, 1), ONE(2), ONE(3)},
   .want = {MOVED, MOVED}, .bytes = SWAPPED, .options = {.dof_axes = 2}},
};

static const section_row stacks[] = {
  {"a stack, plane by plane", 3, {ALL(9), ONE(6), ONE(5)}, 2, {1, 2}, .want = {SHARED, SHARED}},
  {"copies, plane by plane", 3, {ALL(9), ONE(6), ONE(5)}, 2, {1, 2},
   .want = {MOVED, MOVED}, .options = {.sharing = DAP_SHARE_NEVER}},
};
/* clang-format on */

/* ---- one row ----------------------------------------------------------------------------------------- */

static void make(live *a, const section_row *row)
{
  dap_layout *layout = live_layout(row->ndim, row->dist, row->shuffled);
  if (row->assembled) layout = variant_assemble(MPI_COMM_WORLD, layout);
  live_make(a, layout, row->form, row->bytes, &row->options);
  live_pick(a, row->naxes, row->axes, row->index);
}

static void check_verdict(const char *name, bool shared, const char *reason, test_verdict want)
{
  if (want == SHARED || (want == MOVED && test_nprocs() > 1))
    EXPECT_MSG(shared == (want == SHARED), "the %s vector: %s", name, reason);
}

/* Verdicts and reasons are rank 0's on every process, also on those without a part. */
static void check_report(const dap_petsc_field *f)
{
  dap_petsc_field root = *f;
  MPI_Bcast(&root, (int)sizeof root, MPI_BYTE, 0, MPI_COMM_WORLD);
  EXPECT(f->shared_global == root.shared_global && f->shared_local == root.shared_local);
  EXPECT_MSG(strcmp(f->reason_global, root.reason_global) == 0, "%s", f->reason_global);
  EXPECT_MSG(strcmp(f->reason_local, root.reason_local) == 0, "%s", f->reason_local);
  EXPECT(f->reason_global[0] && f->reason_local[0]);
}

/* What a process without a part gets, and goes through. */
static void check_apart(live *a, dap_access access)
{
  dap_petsc_field *f = &a->field;
  dap_error err;
  EXPECT(!f->dm && !f->global && !f->local && f->handle.view);
  EXPECT_INT(f->moved_bytes, 0);
  if (access != DAP_READ_WRITE) return;
  EXPECT_OK(dap_petsc_field_load(f, &err), &err);
  EXPECT_OK(dap_petsc_field_store(f, &err), &err);
  EXPECT_OK(dap_petsc_field_halo(f, &err), &err);
  EXPECT_INT(f->moved_bytes, 0);
}

/* Right values in the vector that counts, garbage in all other places. */
static void write_vectors(const live *a)
{
  const dap_petsc_field *f = &a->field;
  if (f->local) live_fill_vector(a, f->local, true, GARBAGE);
  live_fill_edges(a, AFTER);
  live_fill_vector(a, f->global ? f->global : f->local, false, AFTER);
}

static void check_part(live *a, const section_row *row, dap_access access, unsigned vectors)
{
  dap_petsc_field *f = &a->field;
  dap_error err;
  if (!EXPECT(f->dm != NULL)) return;
  EXPECT((f->global != NULL) == !!(vectors & DAP_PETSC_GLOBAL));
  EXPECT((f->local != NULL) == !!(vectors & DAP_PETSC_LOCAL));
  if (f->global) check_verdict("global", f->shared_global, f->reason_global, row->want[1]);
  if (f->local) check_verdict("local", f->shared_local, f->reason_local, row->want[0]);
  live_check_memory(a);
  if (f->shared_global + f->shared_local == !!f->global + !!f->local) EXPECT_INT(f->moved_bytes, 0);
  if (access & DAP_READ) live_check_vectors(a, BEFORE);
  if (access & DAP_WRITE) write_vectors(a);
  if (access != DAP_READ_WRITE) return;
  EXPECT_OK(dap_petsc_field_load(f, &err), &err); /* the copies are as before */
  write_vectors(a);
  EXPECT_OK(dap_petsc_field_store(f, &err), &err);
  EXPECT_OK(dap_petsc_field_halo(f, &err), &err);
  write_vectors(a);
}

static void try_row(live *a, const section_row *row, dap_access access, unsigned vectors)
{
  dap_error err;
  a->options.vectors = vectors;
  live_fill(a, BEFORE);
  if (!EXPECT_OK(live_get(a, access, &err), &err)) return;
  check_report(&a->field);
  if (live_is_member(a))
    check_part(a, row, access, vectors);
  else
    check_apart(a, access);
}

static void end_row(live *a, dap_access access, unsigned vectors)
{
  live_restore(a);
  if (!live_is_member(a)) EXPECT_INT(a->field.moved_bytes, 0);
  if (access == DAP_READ)
    live_check(a, BEFORE, BEFORE, BEFORE, PADDING_ANY);
  else
    live_check(a, AFTER, BEFORE, vectors & DAP_PETSC_LOCAL ? AFTER : BEFORE, PADDING_FILLED);
}

/* Once more, twice, on the DMDA of the first. */
static void try_again(live *a, const section_row *row)
{
  DM dm = a->field.dm;
  if (dm) EXPECT(!PetscObjectReference((PetscObject)dm));
  end_row(a, DAP_READ_WRITE, BOTH);
  a->options.dm = dm;
  for (int round = 0; round < 2; round++) {
    try_row(a, row, DAP_READ_WRITE, BOTH);
    EXPECT(a->field.dm == dm);
    end_row(a, DAP_READ_WRITE, BOTH);
  }
  if (dm) EXPECT(!DMDestroy(&dm));
}

static void check_row(const section_row *row)
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
    make(&a, row);
    try_row(&a, row, trials[i].access, trials[i].vectors);
    if (trials[i].access == DAP_READ_WRITE)
      try_again(&a, row);
    else
      end_row(&a, trials[i].access, trials[i].vectors);
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
    const section_row *stack = &stacks[i / PLANES];
    TEST_CASE("%s: %d", stack->why, i % PLANES);
    make(&a, stack);
    a.index[0] = i % PLANES;
    a.options.dm = live_is_member(&a) ? dm : NULL;
    int is_given = a.options.dm != NULL;
    MPI_Allreduce(MPI_IN_PLACE, &is_given, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    live_count_plans(&plans);
    try_row(&a, stack, DAP_READ_WRITE, BOTH);
    live_count_plans(NULL);
    EXPECT_MSG((plans > 0) == (i >= PLANES && !is_given), "%d plans", plans);
    if (dm && live_is_member(&a)) EXPECT(a.field.dm == dm);
    if (!dm && a.field.dm) EXPECT(!PetscObjectReference((PetscObject)(dm = a.field.dm)));
    end_row(&a, DAP_READ_WRITE, BOTH);
    if (i % PLANES == PLANES - 1) EXPECT(!DMDestroy(&dm));
    live_free(&a);
    SETTLE();
  }
}

/* Those without a part hear what the others have to say, too. */
static void refuses_to_share(void **state)
{
  (void)state;
  static const section_row column = {"a row in F order", 2, {ALL(9), ONE(8)}, 1, {1}, {8}, .form = FORM_F};
  live a;
  dap_error err = {.rank = -1};
  make(&a, &column);
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
  static const section_row lists = {
      "an assembled list is fixed", 2, {LIST(9), ONE(8)}, 1, {1}, {4}, .assembled = true};
  live a;
  dap_error err = {.rank = -1};
  make(&a, &lists);
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
