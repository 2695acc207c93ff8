/* A DMDA of the program's own: fields of arrays that have its ranges, and of others. */
#include "field_impl.h"
#include "live.h"
#include "live_axes.h"

/* Its ranges: the array's, or others. */
typedef enum test_ranges { OWN, DECIDE, REVERSED, CROSSED } test_ranges;

/* Its ranks: those of MPI_COMM_WORLD, in reverse, or so that a DMDA with the array's first axis as x has its
 * places. */
typedef enum test_ranks { WORLD, BACKWARDS, FIRST_AXIS_FIRST } test_ranks;

typedef struct given_row {
  const char *why;
  int ndim; /* of the array; the last is of components, if dof */
  dap_dist dist[4];
  test_form form;
  live_bytes bytes;
  bool shuffled, fortran; /* fortran: the array's first axis is x */
  test_ranges ranges;
  test_ranks ranks;
  DMBoundaryType outer[3]; /* in the order of the array's axes */
  bool star;
  PetscInt width;
  dap_petsc_field_options options; /* vectors and lossy are set by the test */
  live_want want;
} given_row;

#define P DM_BOUNDARY_PERIODIC
#define G DM_BOUNDARY_GHOSTED

/* clang-format off */
static const given_row line[] = {
  {"1-D, the array's ranges", 1, .dist = {PAD(17, 1)}, .width = 1, .want = {SHARED, SHARED, NULL}},
  {"1-D, the same without saying so", 1, .dist = {PAD(17, 1)}, .ranges = DECIDE, .width = 1,
   .want = {SHARED, SHARED, NULL}},
  {"1-D, other ranges", 1, .dist = {PAD(19, 1)}, .ranges = REVERSED, .width = 1,
   .want = {MOVED, MOVED, "points|DMDA"}},
  {"1-D, ranges of another cut", 1, .dist = {CEIL(23, 1)}, .ranges = DECIDE, .width = 1},
  {"1-D, wider", 1, .dist = {PAD(19, 1)}, .width = 2, .want = {MOVED, SHARED, "padding 1"}},
  {"1-D, narrower", 1, .dist = {PAD(19, 2)}, .width = 1, .want = {MOVED, SHARED, "padding 2"}},
  {"1-D, no stencil", 1, .dist = {ALL(19)}, .want = {SHARED, SHARED, NULL}},
  {"1-D, ghost points outside", 1, .dist = {PAD(19, 1)}, .outer = {G}, .width = 1,
   .want = {MOVED, SHARED, NULL}},
  {"1-D, a period", 1, .dist = {PAD(19, 1)}, .outer = {P}, .width = 1, .want = {MOVED, SHARED, NULL}},
  {"1-D, a period, 2 wide", 1, .dist = {PAD(19, 1)}, .outer = {P}, .width = 2, .want = {MOVED, SHARED, NULL}},
  {"1-D, a period that the array's padding has", 1, .dist = {WRAP(19, 1)}, .outer = {P}, .width = 1,
   .want = {SHARED, SHARED, NULL}},
  {"1-D, a period that the array has without padding", 1, .dist = {LOOP(19, 1, 0, 0)}, .outer = {P},
   .width = 1, .want = {MOVED, SHARED, NULL}},
  {"1-D, no period where the array has one", 1, .dist = {LOOP(19, 1, 0, 0)}, .width = 1,
   .want = {SHARED, SHARED, NULL}},
  {"1-D, no period where the array's padding wraps", 1, .dist = {WRAP(19, 1)}, .width = 1,
   .want = {MOVED, SHARED, NULL}},
  {"1-D, ghost points outside where the array has a period", 1, .dist = {LOOP(19, 1, 0, 0)}, .outer = {G},
   .width = 1, .want = {MOVED, SHARED, NULL}},
  {"1-D, no period where the array has one, with boundary padding", 1, .dist = {LOOP(21, 1, 1, 1)},
   .width = 1, .want = {SHARED, SHARED, NULL}},
  {"1-D, stripped", 1, .dist = {LOOP(21, 1, 1, 1)}, .outer = {P}, .width = 1,
   .options = {.strip_periodic = true}, .want = {SHARED, SHARED, NULL}},
  {"1-D, boundary ghost points", 1, .dist = {EDGE(21, 1, 1, 1)}, .outer = {G}, .width = 1,
   .options = {.boundary = G}, .want = {SHARED, SHARED, NULL}},
  {"1-D, boundary ghost points, wider", 1, .dist = {EDGE(21, 1, 1, 1)}, .outer = {G}, .width = 2,
   .options = {.boundary = G}, .want = {MOVED, SHARED, NULL}},
  {"1-D, ranks backwards", 1, .dist = {PAD(17, 1)}, .ranks = BACKWARDS, .width = 1,
   .want = {MOVED, MOVED, NULL}},
  {"1-D, cyclic", 1, .dist = {ROUND(35, 2)}, .ranges = DECIDE, .width = 2, .want = {MOVED, MOVED, "cyclic"}},
  {"1-D, 3 components", 2, .dist = {PAD(17, 1), ONE(3)}, .width = 1, .options = {.dof_axes = 1},
   .want = {SHARED, SHARED, NULL}},
  {"1-D, 2 x 2 components, other ranges", 3, .dist = {PAD(19, 1), ONE(2), ONE(2)}, .ranges = REVERSED,
   .width = 1, .options = {.dof_axes = 2}, .want = {MOVED, MOVED, NULL}},
  {"1-D, swapped", 1, .dist = {PAD(17, 1)}, .bytes = SWAPPED, .width = 1, .want = {MOVED, MOVED, NULL}},
};

static const given_row plane[] = {
  {"2-D, the array's ranges", 2, .dist = {PAD(11, 1), PAD(13, 1)}, .width = 1,
   .want = {SHARED, DEPENDS, NULL}},
  {"2-D, the array's ranges, star", 2, .dist = {PAD(11, 1), PAD(13, 1)}, .star = true, .width = 1,
   .want = {SHARED, DEPENDS, NULL}},
  {"2-D, star, wider", 2, .dist = {PAD(19, 1), PAD(17, 1)}, .star = true, .width = 2,
   .want = {MOVED, DEPENDS, NULL}},
  {"2-D, star, asked for", 2, .dist = {PAD(11, 1), PAD(13, 1)}, .star = true, .width = 1,
   .options = {.star = true, .width = 1}, .want = {SHARED, DEPENDS, NULL}},
  {"2-D, other ranges", 2, .dist = {PAD(19, 1), PAD(17, 1)}, .ranges = REVERSED, .width = 1,
   .want = {MOVED, MOVED, NULL}},
  {"2-D, a grid of its own", 2, .dist = {PAD(19, 1), PAD(17, 1)}, .ranges = DECIDE, .width = 1},
  {"2-D, slabs across the array's", 2, .dist = {PAD(19, 1), ONE(17)}, .ranges = CROSSED, .width = 1,
   .want = {MOVED, MOVED, "processes"}},
  {"2-D, slabs", 2, .dist = {PAD(19, 1), ONE(5)}, .width = 1, .want = {SHARED, SHARED, NULL}},
  {"2-D, slabs, 2 wide", 2, .dist = {PAD(19, 2), ONE(5)}, .width = 2, .want = {SHARED, SHARED, NULL}},
  {"2-D, a period along one axis", 2, .dist = {PAD(11, 1), PAD(13, 1)}, .outer = {P}, .width = 1,
   .want = {MOVED, DEPENDS, NULL}},
  {"2-D, a period along the other, ghost points along one", 2, .dist = {PAD(11, 1), PAD(13, 1)},
   .outer = {G, P}, .width = 1, .want = {MOVED, DEPENDS, NULL}},
  {"2-D, a period both ways, 2 wide, other ranges", 2, .dist = {PAD(19, 1), PAD(17, 1)}, .ranges = REVERSED,
   .outer = {P, P}, .width = 2, .want = {MOVED, MOVED, NULL}},
  {"2-D, no period where the array has two", 2, .dist = {WRAP(19, 1), LOOP(17, 1, 0, 0)},
   .ranges = REVERSED, .width = 1, .want = {MOVED, MOVED, NULL}},
  {"2-D, padding that wraps both ways", 2, .dist = {WRAP(13, 1), WRAP(15, 1)}, .outer = {P, P}, .width = 1,
   .want = {SHARED, MOVED, NULL}},
  {"2-D, stripped one way, boundary ghost points the other", 2,
   .dist = {LOOP(15, 1, 1, 1), EDGE(17, 1, 1, 1)}, .outer = {P, G}, .width = 1, .options = {.boundary = G,
   .strip_periodic = true}, .want = {SHARED, DEPENDS, NULL}},
  {"2-D, stripped, other ranges", 2, .dist = {LOOP(19, 1, 1, 2), LOOP(20, 1, 2, 1)}, .ranges = REVERSED,
   .outer = {P, P}, .width = 1, .options = {.strip_periodic = true}, .want = {MOVED, MOVED, NULL}},
  {"2-D, boundary ghost points, other ranges, wider", 2, .dist = {EDGE(19, 1, 1, 1), EDGE(17, 1, 1, 0)},
   .ranges = REVERSED, .outer = {G, G}, .width = 2, .options = {.boundary = G}, .want = {MOVED, MOVED, NULL}},
  {"2-D, F order", 2, .dist = {PAD(11, 1), PAD(13, 1)}, .form = FORM_F, .fortran = true,
   .ranks = FIRST_AXIS_FIRST, .width = 1, .want = {SHARED, DEPENDS, NULL}},
  {"2-D, F order, as many rows as columns", 2, .dist = {PAD(13, 1), PAD(13, 1)}, .form = FORM_F,
   .fortran = true, .ranks = FIRST_AXIS_FIRST, .width = 1, .want = {SHARED, DEPENDS, NULL}},
  {"2-D, F order, as many rows as columns, narrow", 2, .dist = {PAD(13, 1), PAD(13, 1)}, .form = FORM_F,
   .bytes = NARROW, .fortran = true, .ranks = FIRST_AXIS_FIRST, .width = 1, .want = {MOVED, MOVED, NULL}},
  {"2-D, F order, slabs", 2, .dist = {ONE(5), PAD(19, 1)}, .form = FORM_F, .fortran = true, .width = 1,
   .want = {SHARED, SHARED, NULL}},
  {"2-D, F order, other ranges", 2, .dist = {PAD(17, 1), PAD(19, 1)}, .form = FORM_F, .fortran = true,
   .ranks = FIRST_AXIS_FIRST, .ranges = REVERSED, .width = 1, .want = {MOVED, MOVED, NULL}},
  {"2-D, F order of a DMDA in C order, if it is said", 2, .dist = {PAD(11, 1), PAD(13, 1)}, .form = FORM_F,
   .width = 1, .options = {.order = DAP_ORDER_C}, .want = {MOVED, MOVED, NULL}},
  {"2-D, C order of a DMDA in F order, if it is said", 2, .dist = {PAD(13, 1), PAD(13, 1)}, .fortran = true,
   .ranks = FIRST_AXIS_FIRST, .width = 1, .options = {.order = DAP_ORDER_F}, .want = {MOVED, MOVED, NULL}},
  {"2-D, F order, a period along the first axis", 2, .dist = {PAD(11, 1), PAD(13, 1)}, .form = FORM_F,
   .fortran = true, .ranks = FIRST_AXIS_FIRST, .outer = {P, G}, .width = 1, .want = {MOVED, DEPENDS, NULL}},
  {"2-D, F order, components the fastest", 3, .dist = {PAD(11, 1), PAD(13, 1), ONE(1)}, .form = FORM_F,
   .fortran = true, .ranks = FIRST_AXIS_FIRST, .width = 1, .options = {.dof_axes = 1}, .want = {SHARED,
   DEPENDS, NULL}},
  {"2-D, ranks backwards", 2, .dist = {PAD(11, 1), PAD(13, 1)}, .ranks = BACKWARDS, .width = 1,
   .want = {MOVED, MOVED, "rank"}},
  {"2-D, the array's ranks in an order of their own", 2, .dist = {PAD(11, 1), PAD(13, 1)}, .shuffled = true,
   .width = 1},
  {"2-D, both in an order of their own", 2, .dist = {PAD(11, 1), PAD(13, 1)}, .shuffled = true,
   .ranks = BACKWARDS, .ranges = REVERSED, .width = 1},
  {"2-D, a window", 2, .dist = {PAD(11, 1), PAD(13, 1)}, .form = FORM_WINDOW, .width = 1,
   .want = {MOVED, DEPENDS, "contiguous"}},
  {"2-D, 2 components", 3, .dist = {PAD(11, 1), PAD(13, 1), ONE(2)}, .width = 1, .options = {.dof_axes = 1},
   .want = {SHARED, DEPENDS, NULL}},
  {"2-D, 2 components, cyclic, a period", 3, .dist = {ROUND(17, 2), ONE(19), ONE(2)}, .ranges = DECIDE,
   .outer = {P, P}, .width = 1, .options = {.dof_axes = 1}, .want = {MOVED, MOVED, NULL}},
  {"2-D, narrow", 2, .dist = {PAD(11, 1), PAD(13, 1)}, .bytes = NARROW, .width = 1,
   .want = {MOVED, MOVED, NULL}},
  {"2-D, a copy asked for", 2, .dist = {PAD(11, 1), PAD(13, 1)}, .width = 1,
   .options = {.sharing = DAP_SHARE_NEVER}, .want = {MOVED, MOVED, NULL}},
};

static const given_row space[] = {
  {"3-D, the array's ranges", 3, .dist = {PAD(7, 1), PAD(6, 1), PAD(8, 1)}, .width = 1,
   .want = {SHARED, DEPENDS, NULL}},
  {"3-D, other ranges", 3, .dist = {PAD(11, 1), PAD(9, 1), PAD(8, 1)}, .ranges = REVERSED, .width = 1,
   .want = {MOVED, DEPENDS, NULL}},
  {"3-D, a grid of its own, periods", 3, .dist = {PAD(9, 1), PAD(8, 1), PAD(10, 1)}, .ranges = DECIDE,
   .outer = {P, G, P}, .width = 1, .want = {MOVED, DEPENDS, NULL}},
  {"3-D, slabs across the array's", 3, .dist = {PAD(13, 1), ONE(5), ONE(12)}, .ranges = CROSSED, .width = 1,
   .want = {MOVED, MOVED, NULL}},
  {"3-D, F order", 3, .dist = {PAD(7, 1), PAD(6, 1), PAD(8, 1)}, .form = FORM_F, .fortran = true,
   .ranks = FIRST_AXIS_FIRST, .width = 1, .want = {SHARED, DEPENDS, NULL}},
  {"3-D, F order, ranks backwards, star", 3, .dist = {PAD(7, 1), PAD(6, 1), PAD(8, 1)}, .form = FORM_F,
   .fortran = true, .ranks = BACKWARDS, .star = true, .width = 1, .want = {MOVED, MOVED, NULL}},
  {"3-D, 2 components, stripped", 4,
   .dist = {LOOP(9, 1, 1, 1), LOOP(8, 1, 1, 1), LOOP(10, 1, 1, 1), ONE(2)}, .outer = {P, P, P}, .width = 1,
   .options = {.dof_axes = 1, .strip_periodic = true}, .want = {SHARED, MOVED, NULL}},
};
/* clang-format on */

/* ---- the DMDA ---------------------------------------------------------------------------------------- */

static void make(live *a, const given_row *row)
{
  live_make(a, live_layout(row->ndim, row->dist, row->shuffled), row->form, row->bytes, &row->options);
}

static int grid_ndim(const given_row *row)
{
  return row->ndim - row->options.dof_axes;
}

static MPI_Comm make_comm(const live *a, const given_row *row)
{
  MPI_Comm comm;
  int coords[DAP_MAX_NDIM] = {0}, key = 0;
  dap_layout_coords(a->layout, test_rank(), coords);
  for (int k = grid_ndim(row) - 1; k >= 0; k--) key = key * dap_layout_procs(a->layout, k) + coords[k];
  if (row->ranks != FIRST_AXIS_FIRST) key = row->ranks == WORLD ? test_rank() : test_nprocs() - test_rank();
  MPI_Comm_split(MPI_COMM_WORLD, 0, key, &comm);
  return comm;
}

/* What each process along axis k has of the grid; REVERSED: the other way round, and one point less at the
 * first. */
static void cut(const live *a, const given_row *row, int k, PetscInt points[])
{
  const int procs = dap_layout_procs(a->layout, k);
  for (int c = 0; c < procs; c++) {
    const int from = row->ranges == REVERSED ? procs - 1 - c : c;
    points[c] = (PetscInt)dap_layout_owned(a->layout, k, from);
    if (from == 0) points[c] -= (PetscInt)live_outside(a, k, 0);
    if (from == procs - 1) points[c] -= (PetscInt)live_outside(a, k, 1);
  }
  if (row->ranges != REVERSED || procs == 1) return;
  points[0]--;
  points[procs - 1]++;
}

static DM make_dm(const live *a, const given_row *row)
{
  enum { MOST = 32 };
  PetscInt points[3][MOST], n[3] = {1, 1, 1}, m[3] = {1, 1, 1}, dof = 1;
  const PetscInt *given[3] = {NULL, NULL, NULL};
  DMBoundaryType outer[3] = {DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE};
  DM dm = NULL;
  const int ndim = grid_ndim(row);
  for (int k = 0; k < ndim; k++) {
    const int d = row->fortran ? k : ndim - 1 - k;
    n[d] = (PetscInt)(live_size(a, k) - live_outside(a, k, 0) - live_outside(a, k, 1));
    m[d] = row->ranges == DECIDE    ? PETSC_DECIDE
           : row->ranges == CROSSED ? (k == ndim - 1 ? test_nprocs() : 1)
                                    : dap_layout_procs(a->layout, k);
    outer[d] = row->outer[k];
    if (row->ranges != OWN && row->ranges != REVERSED) continue;
    cut(a, row, k, points[d]);
    given[d] = points[d];
  }
  for (int k = ndim; k < row->ndim; k++) dof *= (PetscInt)live_size(a, k);
  const DMDAStencilType stencil = row->star ? DMDA_STENCIL_STAR : DMDA_STENCIL_BOX;
  MPI_Comm comm = make_comm(a, row);
  if (ndim == 1) EXPECT(!DMDACreate1d(comm, outer[0], n[0], dof, row->width, given[0], &dm));
  if (ndim == 2)
    EXPECT(!DMDACreate2d(comm, outer[0], outer[1], stencil, n[0], n[1], m[0], m[1], dof, row->width, given[0],
                         given[1], &dm));
  if (ndim == 3)
    EXPECT(!DMDACreate3d(comm, outer[0], outer[1], outer[2], stencil, n[0], n[1], n[2], m[0], m[1], m[2], dof,
                         row->width, given[0], given[1], given[2], &dm));
  EXPECT(!DMSetUp(dm));
  MPI_Comm_free(&comm);
  return dm;
}

/* ---- one row ----------------------------------------------------------------------------------------- */

static void try_row(const given_row *row, DM *dm, dap_access access, unsigned vectors)
{
  live a;
  char text[2048];
  make(&a, row);
  if (!*dm) *dm = make_dm(&a, row);
  a.options.dm = *dm;
  if (live_begin(&a, &row->want, access, vectors)) {
    EXPECT(a.field.dm == *dm);
    dap_petsc_field_describe(&a.field, text, sizeof text);
    if (grid_ndim(row) > 1) EXPECT_MSG((strstr(text, "x is axis 0") != NULL) == row->fortran, "%s", text);
    live_finish(&a, access, vectors);
  }
  live_free(&a);
}

static void check_row(const given_row *row)
{
  static const struct {
    dap_access access;
    unsigned vectors;
  } trials[] = {
      {DAP_READ, BOTH},
      {DAP_READ_WRITE, BOTH},
      {DAP_WRITE, DAP_PETSC_GLOBAL},
      {DAP_WRITE, DAP_PETSC_LOCAL},
      {DAP_READ_WRITE, BOTH}, /* the plans of before */
  };
  DM dm = NULL;
  PetscInt references = 0;
  for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
    TEST_CASE("%s; access %d, vectors %u", row->why, (int)trials[i].access, trials[i].vectors);
    try_row(row, &dm, trials[i].access, trials[i].vectors);
    EXPECT(!PetscObjectGetReference((PetscObject)dm, &references));
    EXPECT_INT(references, 1);
    SETTLE();
  }
  EXPECT(!DMDestroy(&dm));
}

#define CHECK_ROWS(rows)                                                                                     \
  for (size_t row_ = 0; row_ < sizeof(rows) / sizeof((rows)[0]); row_++) check_row(&(rows)[row_])

static void lines(void **state)
{
  (void)state;
  CHECK_ROWS(line);
}

/* Plans for a DMDA that the program destroys when no field is left go when others are made. */
static void plans_end_with_the_dmda(void **state)
{
  (void)state;
  live a;
  dap_error err;
  TEST_CASE("%s", line[0].why);
  make(&a, &line[0]);
  a.options.dm = make_dm(&a, &line[0]);
  if (!EXPECT_OK(live_get(&a, DAP_READ, &err), &err)) return;
  const dap_field_form *form = a.field.handle.view->form; /* kept */
  dap_dm_memo *memo = form->memo;
  live_restore(&a);
  memo->users++; /* beside the DMDA and the form */
  EXPECT_INT(memo->users, 3);
  EXPECT(!dap_field_is_over(form));
  EXPECT(!DMDestroy(&a.options.dm));
  EXPECT(dap_field_is_over(form));
  EXPECT_INT(memo->users, 2);
  if (EXPECT_OK(live_get(&a, DAP_READ, &err), &err)) live_restore(&a);
  EXPECT_INT(memo->users, 1);
  dap_dm_forget(memo);
  live_free(&a);
  SETTLE();
}

static void planes(void **state)
{
  (void)state;
  CHECK_ROWS(plane);
}

static void spaces(void **state)
{
  (void)state;
  CHECK_ROWS(space);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_is_initialised),
    cmocka_unit_test(lines),
    cmocka_unit_test(plans_end_with_the_dmda),
    cmocka_unit_test(planes),
    cmocka_unit_test(spaces),
    cmocka_unit_test(petsc_is_finalised),
};

MPI_TEST_MAIN(tests)
