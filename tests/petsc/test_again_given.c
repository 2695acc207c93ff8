/* Tests fields on a DMDA of the program. The fields' arrays have the ranges of the DMDA, or others. */
#include "live.h"

/* The ranges of the DMDA: those of the array, or others. */
typedef enum test_ranges { OWN, DECIDE, REVERSED, CROSSED } test_ranges;

/* The ranks of the DMDA: those of MPI_COMM_WORLD, the reverse, or an order in which processes have the same
 * places if x is the array's first axis. */
typedef enum test_ranks { WORLD, BACKWARDS, FIRST_AXIS_FIRST } test_ranks;

typedef struct given_row {
  live_row row;
  bool fortran; /* the array's first axis is x */
  test_ranges ranges;
  test_ranks ranks;
  DMBoundaryType outer[3]; /* in the order of the array's axes */
  bool star;
  PetscInt width; /* 0: 1 */
} given_row;

#define P DM_BOUNDARY_PERIODIC
#define G DM_BOUNDARY_GHOSTED
#define GHOSTED .boundary = G
#define STRIPPED .strip_periodic = true

/* clang-format off */
static const given_row line[] = {
  {.row = {.layout = {"1-D, the array's ranges", 1, {17}, .halo = {1}}, SHARED, SHARED}},
  {{.layout = {"1-D, the same without saying so", 1, {17}, .halo = {1}}, SHARED, SHARED}, .ranges = DECIDE},
  {{.layout = {"1-D, other ranges", 1, {19}, .halo = {1}}, MOVED, MOVED, "points|DMDA"}, .ranges = REVERSED},
  {{.layout = {"1-D, wider", 1, {19}, .halo = {1}}, MOVED, SHARED, "padding 1"}, .width = 2},
  {.row = {.layout = {"1-D, narrower", 1, {19}, .halo = {2}}, MOVED, SHARED, "padding 2"}},
  {{.layout = {"1-D, a period", 1, {19}, .halo = {1}}, MOVED, SHARED}, .outer = {P}},
  {{.layout = {"1-D, a period that the array's padding has", 1, {19}, .halo = {1}, .wraps = {true}}, SHARED,
   SHARED}, .outer = {P}},
  {.row = {.layout = {"1-D, no period where the array has one", 1, {19}, .halo = {1}, .periodic = {true}},
   SHARED, SHARED}},
  {.row = {.layout = {"1-D, no period where the array's padding wraps", 1, {19}, .halo = {1},
   .wraps = {true}}, MOVED, SHARED}},
  {{.layout = {"1-D, ghost points outside where the array has a period", 1, {19}, .halo = {1},
   .periodic = {true}}, MOVED, SHARED}, .outer = {G}},
  {{{"1-D, stripped", 1, {21}, .halo = {1}, .boundary = {{1, 1}}, .periodic = {true}}, SHARED, SHARED,
   .options = {STRIPPED}}, .outer = {P}},
  {{.layout = {"1-D, ranks backwards", 1, {17}, .halo = {1}}, MOVED, MOVED}, .ranks = BACKWARDS},
  {{.layout = {"1-D, cyclic", 1, {35}, .cut = {CUT_CYCLIC}}, MOVED, MOVED, "cyclic"}, .ranges = DECIDE,
   .width = 2},
  {{{"1-D, 2 x 2 components, other ranges", 3, {19, 2, 2}, FIRST_AXIS, .halo = {1}}, MOVED, MOVED,
   .options = {.dof_axes = 2}}, .ranges = REVERSED},
};

static const given_row plane[] = {
  {{.layout = {"2-D, the array's ranges, star", 2, {11, 13}, .halo = {1, 1}}, SHARED}, .star = true},
  {{.layout = {"2-D, other ranges", 2, {19, 17}, .halo = {1, 1}}, MOVED, MOVED}, .ranges = REVERSED},
  {{.layout = {"2-D, a grid of its own", 2, {19, 17}, .halo = {1, 1}}}, .ranges = DECIDE},
  {{.layout = {"2-D, slabs across the array's", 2, {19, 17}, FIRST_AXIS, .halo = {1}}, MOVED, MOVED,
   "processes"}, .ranges = CROSSED},
  {{.layout = {"2-D, a period along the other, ghost points along one", 2, {11, 13}, .halo = {1, 1}}, MOVED},
   .outer = {G, P}},
  {{.layout = {"2-D, no period where the array has two", 2, {19, 17}, .halo = {1, 1},
   .periodic = {false, true}, .wraps = {true}}, MOVED, MOVED}, .ranges = REVERSED},
  {{.layout = {"2-D, padding that wraps both ways", 2, {13, 15}, .halo = {1, 1}, .wraps = {true, true}},
   SHARED, MOVED}, .outer = {P, P}},
  {{{"2-D, stripped, other ranges", 2, {19, 20}, .halo = {1, 1}, .boundary = {{1, 2}, {2, 1}},
   .periodic = {true, true}}, MOVED, MOVED, .options = {STRIPPED}}, .ranges = REVERSED, .outer = {P, P}},
  {{{"2-D, F order, as many rows as columns", 2, {13, 13}, .halo = {1, 1}}, SHARED, .form = FORM_F},
   .fortran = true, .ranks = FIRST_AXIS_FIRST},
  {{{"2-D, F order, other ranges", 2, {17, 19}, .halo = {1, 1}}, MOVED, MOVED, .form = FORM_F},
   .fortran = true, .ranges = REVERSED, .ranks = FIRST_AXIS_FIRST},
  {.row = {{"2-D, F order of a DMDA in C order, if it is said", 2, {11, 13}, .halo = {1, 1}}, MOVED, MOVED,
   .form = FORM_F, .options = {.order = DAP_ORDER_C}}},
  {{{"2-D, C order of a DMDA in F order, if it is said", 2, {13, 13}, .halo = {1, 1}}, MOVED, MOVED,
   .options = {.order = DAP_ORDER_F}}, .fortran = true, .ranks = FIRST_AXIS_FIRST},
  {{{"2-D, F order, a period along the first axis", 2, {11, 13}, .halo = {1, 1}}, MOVED, .form = FORM_F},
   .fortran = true, .ranks = FIRST_AXIS_FIRST, .outer = {P, G}},
  {{{"2-D, F order, components the fastest", 3, {11, 13, 1}, FIRST_AXIS | SECOND_AXIS, .halo = {1, 1}},
   SHARED, .form = FORM_F, .options = {.dof_axes = 1}}, .fortran = true, .ranks = FIRST_AXIS_FIRST},
  {{.layout = {"2-D, ranks backwards", 2, {11, 13}, .halo = {1, 1}}, MOVED, MOVED, "rank"},
   .ranks = BACKWARDS},
  {.row = {.layout = {"2-D, the array's ranks in an order of their own", 2, {11, 13}, .halo = {1, 1},
   .shuffled = true}}},
  {{.layout = {"2-D, both in an order of their own", 2, {11, 13}, .halo = {1, 1}, .shuffled = true}},
   .ranges = REVERSED, .ranks = BACKWARDS},
  {.row = {{"2-D, a window", 2, {11, 13}, .halo = {1, 1}}, MOVED, DEPENDS, "contiguous",
   .form = FORM_WINDOW}},
  {.row = {{"2-D, narrow", 2, {11, 13}, .halo = {1, 1}}, MOVED, MOVED, .bytes = NARROW}},
};

static const given_row space[] = {
  {.row = {.layout = {"3-D, the array's ranges", 3, {7, 6, 8}, .halo = {1, 1, 1}}, SHARED}},
  {{.layout = {"3-D, a grid of its own, periods", 3, {9, 8, 10}, .halo = {1, 1, 1}}, MOVED}, .ranges = DECIDE,
   .outer = {P, G, P}},
  {{.layout = {"3-D, slabs across the array's", 3, {13, 5, 12}, FIRST_AXIS, .halo = {1}}, MOVED, MOVED},
   .ranges = CROSSED},
  {{{"3-D, F order, ranks backwards, star", 3, {7, 6, 8}, .halo = {1, 1, 1}}, MOVED, MOVED, .form = FORM_F},
   .fortran = true, .ranks = BACKWARDS, .star = true},
  {{{"3-D, 2 components, stripped", 4, {9, 8, 10, 2}, FIRST_AXIS | SECOND_AXIS | THIRD_AXIS,
   .halo = {1, 1, 1}, .boundary = {{1, 1}, {1, 1}, {1, 1}}, .periodic = {true, true, true}}, SHARED, MOVED,
   .options = {.dof_axes = 1, STRIPPED}}, .outer = {P, P, P}},
};
/* clang-format on */

/* ---- the DMDA ---------------------------------------------------------------------------------------- */

static int grid_ndim(const given_row *row)
{
  return row->row.layout.ndim - row->row.options.dof_axes;
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

/* Gives the points of each process along axis k. REVERSED: in reverse order, and the first gives a point to
 * the last. */
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
  for (int k = ndim; k < row->row.layout.ndim; k++) dof *= (PetscInt)live_size(a, k);
  const DMDAStencilType stencil = row->star ? DMDA_STENCIL_STAR : DMDA_STENCIL_BOX;
  const PetscInt width = row->width ? row->width : 1;
  MPI_Comm comm = make_comm(a, row);
  if (ndim == 1) EXPECT(!DMDACreate1d(comm, outer[0], n[0], dof, width, given[0], &dm));
  if (ndim == 2)
    EXPECT(!DMDACreate2d(comm, outer[0], outer[1], stencil, n[0], n[1], m[0], m[1], dof, width, given[0],
                         given[1], &dm));
  if (ndim == 3)
    EXPECT(!DMDACreate3d(comm, outer[0], outer[1], outer[2], stencil, n[0], n[1], n[2], m[0], m[1], m[2], dof,
                         width, given[0], given[1], given[2], &dm));
  EXPECT(!DMSetUp(dm));
  MPI_Comm_free(&comm);
  return dm;
}

/* ---- one row ----------------------------------------------------------------------------------------- */

static void try_row(const given_row *row, DM *dm, dap_access access, unsigned vectors)
{
  live a;
  char text[2048];
  live_make_row(&a, &row->row);
  if (!*dm) *dm = make_dm(&a, row);
  a.options.dm = *dm;
  if (live_begin(&a, &row->row, access, vectors)) {
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
      {DAP_READ_WRITE, BOTH}, /* the earlier plans */
  };
  DM dm = NULL;
  PetscInt references = 0;
  for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++) {
    TEST_CASE("%s; access %d, vectors %u", row->row.layout.why, (int)trials[i].access, trials[i].vectors);
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
    cmocka_unit_test(petsc_starts), cmocka_unit_test(lines),      cmocka_unit_test(planes),
    cmocka_unit_test(spaces),       cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
