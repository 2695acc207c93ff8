/* Tests arrays as fields: which are shared, which are moved, and every element of both sides. The rows of
 * the table cover edges that random draws seldom meet. */
#include "live.h"

#include <inttypes.h>

#define GHOSTED .boundary = DM_BOUNDARY_GHOSTED
#define STRIPPED .strip_periodic = true
#define NEVER .sharing = DAP_SHARE_NEVER

/* clang-format off */
static const live_row blocks[] = {
  {.layout = {"1-D, one point", 1, .size = {1}}, SHARED, SHARED},
  {{"1-D, empty processes with a stencil: even ranges instead", 1, {19}, .cut = {CUT_HOLES}}, MOVED, MOVED,
   "too few", .options = {.width = 1}},
  {{"1-D, no halo but a stencil: only the global vector is the buffer", 1, .size = {17}}, MOVED, SHARED,
   "padding 0", .options = {.width = 1}},
  {{"1-D, halo wider than the stencil", 1, {35}, .halo = {2}}, MOVED, SHARED, "padding 2",
   .options = {.width = 1}},
  {{"1-D, cyclic, with a stencil", 1, {35}, .cut = {CUT_CYCLIC}}, MOVED, MOVED, "cyclic",
   .options = {.width = 2}},
  {{"1-D, one end only is padded", 1, {35}, .halo = {1}, .boundary = {{1, 0}}}, MOVED, SHARED,
   "padding 0|high end", .options = {GHOSTED}},
  {{"1-D, boundary padding narrower than the halo", 1, {29}, .halo = {2}, .boundary = {{1, 2}}}, MOVED,
   SHARED, "padding 1", .options = {GHOSTED}},
  {.layout = {"1-D, periodic without outer padding", 1, {35}, .halo = {1}, .periodic = {true}}, MOVED, SHARED,
   "padding 0"},
  {{"1-D, periodic, halos that reach into stripped padding", 1, {14}, .halo = {2}, .boundary = {{0, 2}},
   .periodic = {true}}, MOVED, MOVED, .options = {STRIPPED, NEVER}},
  {{"1-D, periodic, stripped padding of other widths", 1, {35}, .halo = {1}, .boundary = {{2, 0}},
   .periodic = {true}}, MOVED, SHARED, .options = {STRIPPED}},
  {{"1-D, degrees of freedom first in memory", 2, {17, 3}, FIRST_AXIS, .halo = {1}}, MOVED, MOVED,
   "contiguous", .form = FORM_F, .options = {.dof_axes = 1}},
  {.layout = {"2-D, slabs, halo in the slowest axis: both share and alias", 2, {19, 7}, FIRST_AXIS,
   .halo = {1, 1}}, SHARED, SHARED},
  {.layout = {"2-D, slabs across, halo in the fastest axis: the global vector is apart", 2, {7, 19},
   SECOND_AXIS, .halo = {1, 1}}, SHARED, MOVED},
  {.layout = {"2-D, slabs, fewer rows than processes", 2, .size = {2, 19}, FIRST_AXIS}},
  {{"2-D, cyclic rows", 2, {13, 9}, FIRST_AXIS, .cut = {CUT_CYCLIC}}, MOVED, MOVED, "axis 0|cyclic",
   .options = {.width = 1}},
  {{"2-D, boundary padding as ghost points, one axis", 2, {26, 6}, FIRST_AXIS, .halo = {2, 2},
   .boundary = {{2, 2}}}, SHARED, SHARED, .options = {GHOSTED}},
  {{"2-D, boundary ghost points, but no halo", 2, {13, 15}, .boundary = {{1, 1}, {1, 1}}},
   .options = {GHOSTED}},
  {{"2-D, cyclic rows, boundary ghost points in the other axis", 2, {13, 9}, FIRST_AXIS, .cut = {CUT_CYCLIC},
   .boundary = {{0, 0}, {1, 1}}}, MOVED, MOVED, .options = {GHOSTED}},
  {{"2-D, periodic along one axis, ghost points along the other", 2, {15, 17}, .halo = {1, 1},
   .boundary = {{1, 1}, {1, 1}}, .periodic = {false, true}}, SHARED, MOVED, .options = {STRIPPED, GHOSTED}},
  {{"2-D, periodic, cyclic rows, other axis stripped", 2, {13, 9}, FIRST_AXIS, .cut = {CUT_CYCLIC},
   .boundary = {{0, 0}, {1, 2}}, .periodic = {false, true}}, MOVED, MOVED, .options = {STRIPPED}},
  {{"2-D, F order, slabs: a reordered communicator", 2, {5, 19}, SECOND_AXIS, .halo = {1, 1}}, SHARED, SHARED,
   .form = FORM_F},
  {{"2-D, window into a wider array", 2, {11, 13}, .halo = {1, 1}}, DEPENDS, DEPENDS, "contiguous",
   .form = FORM_WINDOW},
  {.layout = {"2-D, one row", 2, {1, 29}, SECOND_AXIS, .halo = {0, 2}}, SHARED},
  {.layout = {"3-D, slabs: both share and alias", 3, {13, 5, 4}, FIRST_AXIS, .halo = {1, 1, 1}}, SHARED,
   SHARED},
  {{"3-D, boundary ghost points, copy", 3, {9, 7, 6}, .halo = {1, 1, 1},
   .boundary = {{1, 1}, {1, 0}, {0, 1}}}, MOVED, MOVED, .options = {GHOSTED, NEVER}},
  {{"3-D, F order, slabs", 3, {4, 5, 13}, THIRD_AXIS, .halo = {1, 1, 1}}, SHARED, SHARED, .form = FORM_F},
  {.layout = {"2-D, cyclic, but with one block a process", 2, {13, 11},
   .cut = {CUT_ONE_BLOCK, CUT_ONE_BLOCK}}, SHARED, SHARED},

  /* Arrays with the same padding along all three axes, which random draws seldom have. */
  {{"3-D, stripped all ways", 3, {11, 9, 8}, .halo = {1, 1, 1}, .boundary = {{1, 1}, {1, 1}, {1, 1}},
   .periodic = {true, true, true}}, SHARED, MOVED, .options = {STRIPPED}},
  {.layout = {"3-D, padding that wraps all ways", 3, {9, 8, 7}, .halo = {1, 1, 1},
   .wraps = {true, true, true}}, SHARED, MOVED},
  {{"3-D, boundary ghost points all ways, 3 degrees of freedom", 4, {11, 9, 8, 3},
   FIRST_AXIS | SECOND_AXIS | THIRD_AXIS, .halo = {1, 1, 1}, .boundary = {{1, 1}, {1, 1}, {1, 1}}}, SHARED,
   MOVED, .options = {GHOSTED, .dof_axes = 1}},
};

static const live_row others[] = {
  {.layout = {"1-D, lists", 1, {35}, .cut = {CUT_LOTS}}, MOVED, MOVED, "axis 0|unstructured"},
  {{"1-D, on all processes", 1, {17}, .cut = {CUT_COPIES}}, MOVED, MOVED, "axis 0|replicated",
   .options = {.width = 1}},
  {{"1-D, degrees of freedom in an order of their own", 2, {17, 4}, FIRST_AXIS, .cut = {CUT_EVEN, CUT_LOTS}},
   MOVED, MOVED, "axis 1|unstructured", .options = {.dof_axes = 1}},
  {{"2-D, rows on several processes, boundary ghost points, assembled", 2, {13, 15}, .cut = {CUT_OVERLAPS},
   .boundary = {{0, 0}, {1, 2}}, .assembled = true}, MOVED, MOVED, "unstructured", .options = {GHOSTED,
   .width = 2}},
  {{"2-D, rows on several processes, stripped columns, assembled", 2, {13, 15}, .cut = {CUT_OVERLAPS},
   .halo = {0, 1}, .boundary = {{0, 0}, {2, 1}}, .periodic = {false, true}, .assembled = true}, MOVED, MOVED,
   "unstructured", .options = {STRIPPED}},
  {{"3-D, lists of the middle axis", 3, {9, 7, 6}, .cut = {CUT_EVEN, CUT_OVERLAPS},
   .boundary = {{1, 1}, {0, 0}, {1, 1}}, .periodic = {false, false, true}}, MOVED, MOVED, .options = {GHOSTED,
   STRIPPED, .width = 1}},
  {.layout = {"1-D, padding that wraps: both share and alias", 1, {17}, .halo = {1}, .wraps = {true}}, SHARED,
   SHARED},
  {{"1-D, padding that wraps, a wider stencil", 1, {29}, .halo = {1}, .wraps = {true}}, MOVED, SHARED,
   "padding 1", .options = {.width = 2}},
  {{"1-D, padding that wraps, a narrower stencil", 1, {29}, .halo = {2}, .wraps = {true}}, MOVED, SHARED,
   "padding 2", .options = {.width = 1}},
  {{"1-D, padding that wraps, stripping asked for", 1, {17}, .halo = {1}, .wraps = {true}}, SHARED, SHARED,
   .options = {STRIPPED}},
  {{"2-D, padding that wraps both ways, F order", 2, {13, 15}, .halo = {2, 2}, .wraps = {true, true}}, SHARED,
   MOVED, .form = FORM_F},
  {.layout = {"2-D, padding of columns on one process wraps", 2, {24, 5}, FIRST_AXIS, .halo = {1, 1},
   .wraps = {false, true}}, SHARED},
  {{"2-D, one axis wraps, the other is stripped", 2, {13, 15}, .halo = {1, 1}, .boundary = {{0, 0}, {1, 1}},
   .periodic = {false, true}, .wraps = {true}}, SHARED, MOVED, .options = {STRIPPED}},
  {.layout = {"2-D, ranks in another order", 2, {11, 13}, .halo = {1, 1}, .shuffled = true}, SHARED},
  {{"2-D, ranks in another order, boundary ghost points, a copy", 2, {13, 15}, .halo = {1, 1},
   .boundary = {{1, 1}, {1, 1}}, .shuffled = true}, MOVED, MOVED, .options = {GHOSTED, NEVER}},
  {{"2-D, ranks in another order, stripped", 2, {15, 17}, .halo = {1, 1}, .boundary = {{1, 1}, {1, 1}},
   .periodic = {true, true}, .shuffled = true, .assembled = true}, SHARED, MOVED, .options = {STRIPPED}},
  {{"3-D, ranks in another order, F order, 1 component", 4, {7, 6, 5, 1},
   FIRST_AXIS | SECOND_AXIS | THIRD_AXIS, .halo = {1, 1, 1}, .shuffled = true}, SHARED, .form = FORM_F,
   .options = {.dof_axes = 1}},
  {{"1-D, swapped on some processes", 1, {17}, .halo = {1}}, MOVED, MOVED, "rank 1|other byte order",
   .bytes = SWAPPED_ON_ODD},
  {{"1-D, swapped, no elements", 1, .size = {0}}, SHARED, SHARED, .bytes = SWAPPED},
  {{"2-D, swapped, stripped, ranks in another order", 2, {15, 17}, .halo = {1, 1},
   .boundary = {{1, 1}, {1, 1}}, .periodic = {true, true}, .shuffled = true}, MOVED, MOVED, .bytes = SWAPPED,
   .options = {STRIPPED}},
  {{"2-D, swapped, one axis wraps, the other is stripped: no protocol says that", 2, {13, 15}, .halo = {1, 1},
   .boundary = {{0, 0}, {1, 1}}, .periodic = {false, true}, .wraps = {true}}, MOVED, MOVED, .bytes = SWAPPED,
   .options = {STRIPPED}},
};
/* clang-format on */

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* Tests every access with every choice of vectors. On many ranks, which share the cores, it tests some of
 * these. */
static void check_row(const live_row *row)
{
  static const struct {
    dap_access access;
    unsigned vectors;
    bool always;
  } trials[] = {
      {DAP_READ, BOTH, true},
      {DAP_READ, DAP_PETSC_GLOBAL, false},
      {DAP_READ, DAP_PETSC_LOCAL, false},
      {DAP_WRITE, BOTH, true},
      {DAP_WRITE, DAP_PETSC_GLOBAL, false},
      {DAP_WRITE, DAP_PETSC_LOCAL, true},
      {DAP_READ_WRITE, BOTH, false},
      {DAP_READ_WRITE, DAP_PETSC_GLOBAL, true},
      {DAP_READ_WRITE, DAP_PETSC_LOCAL, false},
  };
  for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
    live a;
    if (!trials[i].always && test_nprocs() > 2) continue;
    TEST_CASE("%s; access %d, vectors %u", row->layout.why, (int)trials[i].access, trials[i].vectors);
    live_make_row(&a, row);
    if (live_begin(&a, row, trials[i].access, trials[i].vectors))
      live_finish(&a, trials[i].access, trials[i].vectors);
    live_free(&a);
    SETTLE();
  }
}

static void blocks_and_ranges(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) check_row(&blocks[i]);
}

static void lists_periods_orders_and_bytes(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) check_row(&others[i]);
}

/* ---- any layout ---------------------------------------------------------------------------------------- */

/* Checks that the DMDA is what the row asked for. */
static void check_dm(const live *a)
{
  PetscInt dof = 0, width = 0;
  DMDAStencilType stencil;
  EXPECT(!DMDAGetInfo(a->field.dm, 0, 0, 0, 0, 0, 0, 0, &dof, &width, 0, 0, 0, &stencil));
  EXPECT_INT(dof, a->options.dof_axes ? live_size(a, live_ndim(a) - 1) : 1);
  if (a->options.width > 0) EXPECT_INT(width, a->options.width);
  EXPECT((stencil == DMDA_STENCIL_STAR) == a->options.star);
}

static const live_row no_want;

/* Returns false if the field was refused, which all processes must learn alike. */
static bool try_field(live *a, const live_row *want, dap_access access, unsigned vectors)
{
  dap_error err = {0};
  const dap_status s = live_get(a, DAP_READ, &err);
  if (s != DAP_ERR_UNSUPPORTED && EXPECT_OK(s, &err)) {
    live_restore(a);
    if (live_begin(a, want, access, vectors)) {
      check_dm(a);
      live_finish(a, access, vectors);
    }
  }
  if (s) expect_same_error(MPI_COMM_WORLD, s, &err, DAP_ERR_UNSUPPORTED, "");
  return !s;
}

/* Returns whether some grid of `nprocs` processes along the axes from k on gives each process a point. A DMDA
 * needs that. */
static bool fits_grid(const case_layout *c, int k, int nprocs)
{
  if (k == c->ndim || k == 3) return nprocs == 1;
  for (int procs = 1; procs <= nprocs && procs <= c->size[k]; procs++)
    if (nprocs % procs == 0 && fits_grid(c, k + 1, nprocs / procs)) return true;
  return false;
}

/* Uses a fourth axis as degrees of freedom. An array of one axis may leave processes without points. */
static void named_layouts_become_fields(void **state)
{
  (void)state;
  for (int i = 0; i < 2 * named_layout_count; i++) {
    live a;
    const live_row row = {.layout = named_layouts[i / 2],
                          .form = (test_form)((i / 2 + i % 2) % FORM_COUNT),
                          .options = {.dof_axes = named_layouts[i / 2].ndim == 4}};
    TEST_CASE("%s, form %d", row.layout.why, (int)row.form);
    live_make_row(&a, &row);
    EXPECT(try_field(&a, &row, i % 2 ? DAP_READ_WRITE : DAP_WRITE, i % 3 ? BOTH : DAP_PETSC_GLOBAL) ==
           (row.layout.ndim == 1 || fits_grid(&row.layout, 0, test_nprocs())));
    live_free(&a);
    SETTLE();
  }
}

static void draw_options(test_random *random, live *a)
{
  dap_petsc_field_options *o = &a->options;
  if (test_random_one_in(random, 2)) o->boundary = DM_BOUNDARY_GHOSTED;
  o->width = test_random_int(random, 0, 2);
  o->dof_axes = a->array.ndim == 4 || (a->array.ndim > 1 && test_random_one_in(random, 5));
  o->strip_periodic = test_random_one_in(random, 2);
}

/* Draws an axis whose padding is exactly or nearly that of a DMDA with ghost points of this width. Boundary
 * padding is ghost points or points. A periodic axis has padding that wraps round, padding that is stripped,
 * or none. */
static dap_dist draw_axis(test_random *random, const dap_petsc_field_options *o, int procs, int64_t lengths[])
{
  const int64_t least = o->width > 2 ? o->width : 2;
  dap_dist axis = {.procs = procs, .halo = o->width, .periodic = test_random_one_in(random, 2)};
  axis.wraps = axis.periodic && test_random_one_in(random, 2);
  const bool is_bare = axis.wraps || (axis.periodic && test_random_one_in(random, 3));
  const bool ghosts = axis.periodic ? o->strip_periodic : o->boundary == DM_BOUNDARY_GHOSTED;
  for (int side = 0; side < 2 && !is_bare; side++)
    axis.boundary[side] = ghosts ? o->width : test_random_int(random, 0, 2);
  for (int p = 0; p < procs; p++) {
    lengths[p] = least + test_random_int(random, 0, 2);
    if (p == 0) lengths[p] += axis.boundary[0];
    if (p == procs - 1) lengths[p] += axis.boundary[1];
    axis.size += lengths[p];
  }
  if (test_random_one_in(random, 2)) return axis; /* even lengths */
  axis.kind = DAP_DIST_LENGTHS;
  axis.lengths = lengths;
  return axis;
}

/* Draws an array with the same padding along all axes, which PETSc can often share. */
static void draw_alike(test_random *random, live *a)
{
  static int64_t lengths[3][BRUTE_PROCS];
  dap_dist dists[4];
  int procs[3];
  const int ndim = (int)test_random_int(random, 1, 3), dof = (int)test_random_int(random, 1, 3);
  dap_petsc_field_options options = {.width = test_random_int(random, 0, 3),
                                     .strip_periodic = test_random_one_in(random, 2),
                                     .dof_axes = dof > 1};
  if (test_random_one_in(random, 2)) options.boundary = DM_BOUNDARY_GHOSTED;
  random_grid(random, test_nprocs(), ndim, procs);
  for (int k = 0; k < ndim; k++) dists[k] = draw_axis(random, &options, procs[k], lengths[k]);
  dists[ndim] = dap_dist_local(dof);
  live_make_cut(a, ndim + options.dof_axes, dists, test_random_one_in(random, 2) ? FORM_F : FORM_C);
  a->options = options;
}

static int fields, shared[2]; /* of random layouts; local and global vectors that are shared */

/* Every second array has the same padding along all axes. */
static void random_layout(int number, test_random *random)
{
  live a;
  if (number % 2)
    draw_alike(random, &a);
  else
    live_draw(&a, random, 4);
  if (number % 2 == 0) draw_options(random, &a);
  a.options.star = test_random_one_in(random, 4);
  if (test_random_one_in(random, 4)) a.options.sharing = DAP_SHARE_NEVER;
  const dap_access access = (dap_access)test_random_int(random, DAP_READ, DAP_READ_WRITE);
  const unsigned vectors = (unsigned)test_random_int(random, DAP_PETSC_GLOBAL, BOTH);
  TEST_CASE("seed %" PRIu64 ", case %d, access %d, vectors %u: %s", test_seed(), number, (int)access, vectors,
            random_array_text(a.model));
  fields += try_field(&a, &no_want, access, vectors);
  shared[0] += a.field.shared_local;
  shared[1] += a.field.shared_global;
  live_free(&a);
}

/* The seed is printed, and DAP_TEST_SEED repeats a run. */
static void random_layouts_become_fields(void **state)
{
  (void)state;
  const int cases = test_cases(700);
  test_each(cases, 91, random_layout);
  EXPECT_MSG(fields > cases / 2, "%d fields in %d cases", fields, cases);
  EXPECT_MSG(shared[0] > cases / 20 && shared[1] > cases / 20, "%d local vectors shared, %d global ones",
             shared[0], shared[1]);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(blocks_and_ranges),
    cmocka_unit_test(lists_periods_orders_and_bytes),
    cmocka_unit_test(named_layouts_become_fields),
    cmocka_unit_test(random_layouts_become_fields),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
