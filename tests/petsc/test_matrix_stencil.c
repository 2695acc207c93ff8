/* Tests fields whose matrices have another stencil than their ghost points. The tests check which entries a
 * matrix has, and that stencil and local indices give their places. */
#include "live.h"

/* ---- entry by entry ------------------------------------------------------------------------------------ */

/* Makes PETSc's own DMDA with the same grid and this stencil. */
static DM reference(DM dm, int64_t width, bool star)
{
  PetscInt ndim = 0, dof = 1, size[3] = {0}, procs[3] = {0};
  const PetscInt *x = NULL, *y = NULL, *z = NULL;
  DMBoundaryType outer[3] = {DM_BOUNDARY_NONE};
  MatType type = MATAIJ;
  DM made = NULL;
  EXPECT(!DMDAGetInfo(dm, &ndim, &size[0], &size[1], &size[2], &procs[0], &procs[1], &procs[2], &dof, NULL,
                      &outer[0], &outer[1], &outer[2], NULL));
  EXPECT(!DMDAGetOwnershipRanges(dm, &x, &y, &z) && !DMGetMatType(dm, &type));
  EXPECT(!DMDACreate(PetscObjectComm((PetscObject)dm), &made) && !DMSetDimension(made, ndim));
  EXPECT(!DMDASetSizes(made, size[0], size[1], size[2]));
  EXPECT(!DMDASetNumProcs(made, procs[0], procs[1], procs[2]));
  EXPECT(!DMDASetOwnershipRanges(made, x, y, z));
  EXPECT(!DMDASetBoundaryType(made, outer[0], outer[1], outer[2]) && !DMDASetDof(made, dof));
  EXPECT(!DMDASetStencilWidth(made, (PetscInt)width));
  EXPECT(!DMDASetStencilType(made, star ? DMDA_STENCIL_STAR : DMDA_STENCIL_BOX));
  EXPECT(!DMSetMatType(made, type) && !DMSetUp(made));
  return made;
}

/* Checks that rows, columns and values are the same. */
static void compare(Mat found, Mat want, const char *why)
{
  PetscInt begin = 0, end = 0;
  EXPECT(!MatGetOwnershipRange(want, &begin, &end));
  for (PetscInt row = begin; row < end; row++) {
    PetscInt count[2] = {0, 0};
    const PetscInt *columns[2] = {NULL, NULL};
    const PetscScalar *values[2] = {NULL, NULL};
    if (!EXPECT(!MatGetRow(found, row, &count[0], &columns[0], &values[0]))) return;
    if (!EXPECT(!MatGetRow(want, row, &count[1], &columns[1], &values[1]))) return;
    EXPECT_MSG(count[0] == count[1], "%s: a row of %d entries, not %d", why, (int)count[0], (int)count[1]);
    for (PetscInt i = 0; i < count[0] && count[0] == count[1]; i++)
      EXPECT_MSG(columns[0][i] == columns[1][i] && values[0][i] == values[1][i],
                 "%s: row %d, column %d: %g, not %g in column %d", why, (int)row, (int)columns[0][i],
                 (double)PetscRealPart(values[0][i]), (double)PetscRealPart(values[1][i]),
                 (int)columns[1][i]);
    EXPECT(!MatRestoreRow(found, row, &count[0], &columns[0], &values[0]));
    EXPECT(!MatRestoreRow(want, row, &count[1], &columns[1], &values[1]));
  }
}

/* Returns the point of an index of a local vector. */
static MatStencil point_of(DM dm, PetscInt index)
{
  DMDALocalInfo i;
  EXPECT(!DMDAGetLocalInfo(dm, &i));
  const PetscInt at = index / i.dof;
  return (MatStencil){.i = i.gxs + at % i.gxm,
                      .j = i.gys + at / i.gxm % i.gym,
                      .k = i.gzs + at / i.gxm / i.gym,
                      .c = index % i.dof};
}

/* Sets each entry of both matrices to a number of its own. `pattern` has the same entries. */
static void fill(DM dm, Mat matrix, Mat other, Mat pattern, bool by_stencil)
{
  enum { MOST = 256 };
  ISLocalToGlobalMapping map;
  PetscInt begin = 0, end = 0;
  EXPECT(!DMGetLocalToGlobalMapping(dm, &map) && !MatGetOwnershipRange(pattern, &begin, &end));
  for (PetscInt row = begin; row < end; row++) {
    PetscInt count = 0, at = -1, local[MOST];
    const PetscInt *columns = NULL;
    PetscScalar values[MOST];
    MatStencil points[MOST];
    EXPECT(!MatGetRow(pattern, row, &count, &columns, NULL) && count <= MOST);
    EXPECT(!ISGlobalToLocalMappingApply(map, IS_GTOLM_MASK, 1, &row, NULL, &at));
    EXPECT(!ISGlobalToLocalMappingApply(map, IS_GTOLM_MASK, count, columns, NULL, local));
    for (PetscInt i = 0; i < count; i++) {
      values[i] = (PetscReal)(1 + (31 * row + 17 * columns[i]) % 97);
      points[i] = point_of(dm, local[i]);
    }
    const MatStencil here = point_of(dm, at);
    EXPECT(!(by_stencil ? MatSetValuesStencil(matrix, 1, &here, count, points, values, INSERT_VALUES)
                        : MatSetValuesLocal(matrix, 1, &at, count, local, values, INSERT_VALUES)));
    EXPECT(!MatSetValues(other, 1, &row, count, columns, values, INSERT_VALUES));
    EXPECT(!MatRestoreRow(pattern, row, &count, &columns, NULL));
  }
  EXPECT(!MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  EXPECT(!MatAssemblyBegin(other, MAT_FINAL_ASSEMBLY) && !MatAssemblyEnd(other, MAT_FINAL_ASSEMBLY));
}

/* Checks that DMCreateMatrix() gives the matrix that PETSc makes for a DMDA with this stencil. Entries that
 * are set by stencil indices, and by indices of local vectors, must be at the right places. Collective. */
static void stencil_check(DM dm, int64_t width, bool star, const char *why)
{
  DM like = reference(dm, width, star), its = NULL;
  Mat matrix = NULL, other = NULL, pattern = NULL;
  if (!EXPECT_MSG(!DMCreateMatrix(dm, &matrix), "%s: no matrix", why)) return;
  EXPECT(!DMCreateMatrix(like, &other) && !DMCreateMatrix(like, &pattern));
  EXPECT(!MatGetDM(matrix, &its) && its == dm);
  compare(matrix, pattern, why);
  EXPECT(!MatSetOption(matrix, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_TRUE));
  for (int i = 0; i < 2; i++) {
    EXPECT(!MatZeroEntries(matrix) && !MatZeroEntries(other));
    fill(dm, matrix, other, pattern, i);
    compare(matrix, other, why);
  }
  EXPECT(!MatDestroy(&matrix) && !MatDestroy(&other) && !MatDestroy(&pattern) && !DMDestroy(&like));
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

typedef struct stencil_row {
  live_row row;
  int64_t width; /* the stencil of the matrix */
  bool is_star;
  const char *words; /* in the field's description; NULL: nothing about matrices */
  MatType type;
} stencil_row;

/* Only the local vector, shared. On one process there is no halo that shows the width. */
#define SHARE .sharing = DAP_SHARE_OR_FAIL, .vectors = DAP_PETSC_LOCAL
#define ONE_WIDE SHARE, .width = 2, .matrix_width = 1
#define FIVE_POINTS ONE_WIDE, .matrix_star = true
#define STAR 1, true, "of matrices 1 (star)"
#define BOX 1, false, "of matrices 1 (box)"

/* clang-format off */
static const stencil_row rows[] = {
  {.row = {{"1-D, narrower", 1, {37}, .halo = {2}}, .options = {ONE_WIDE}}, BOX},
  {.row = {{"2-D, the five-point formula", 2, {29, 11}, FIRST_AXIS, .halo = {2, 2}},
   .options = {FIVE_POINTS}}, STAR},
  {.row = {{"2-D, the same width without corners", 2, {29, 11}, FIRST_AXIS, .halo = {2, 2}},
   .options = {SHARE, .width = 2, .matrix_star = true}}, 2, true, "of matrices 2 (star)"},
  {.row = {{"2-D, narrower with corners", 2, {29, 11}, FIRST_AXIS, .halo = {3, 3}}, .options = {SHARE,
   .width = 3, .matrix_width = 2}}, 2, false, "of matrices 2 (box)"},
  {.row = {{"2-D, asked for what it is", 2, {29, 11}, FIRST_AXIS, .halo = {2, 2}}, .options = {SHARE,
   .width = 2, .matrix_width = 2}}, 2},
  {.row = {{"2-D, a star has star matrices", 2, {29, 11}, FIRST_AXIS, .halo = {2, 2}}, .options = {ONE_WIDE,
   .star = true}}, STAR},
  {.row = {{"2-D, two degrees of freedom", 3, {25, 9, 2}, FIRST_AXIS, .halo = {2, 2}},
   .options = {FIVE_POINTS, .dof_axes = 1}}, STAR},
  {{{"2-D, blocks of two", 3, {25, 9, 2}, FIRST_AXIS, .halo = {2, 2}}, .options = {FIVE_POINTS,
   .dof_axes = 1}}, STAR, .type = MATBAIJ},
  {.row = {{"2-D, periodic", 2, {31, 12}, FIRST_AXIS, .halo = {2, 2}, .wraps = {true, true}},
   .options = {FIVE_POINTS}}, STAR},
  {.row = {{"3-D, the seven-point formula", 3, {19, 6, 5}, FIRST_AXIS, .halo = {2, 2, 2}},
   .options = {FIVE_POINTS}}, STAR},
  {.row = {{"3-D, periodic, corners", 3, {19, 6, 5}, FIRST_AXIS, .halo = {2, 2, 2},
   .wraps = {true, true, true}}, .options = {ONE_WIDE}}, BOX},
  {.row = {{"3-D, nothing asked for", 3, {19, 6, 5}, FIRST_AXIS, .halo = {2, 2, 2}}, .options = {SHARE,
   .width = 2}}, 2},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof rows[0], PLANE = 1 };

static void check_words(const live *a, const char *words)
{
  char text[2048];
  (void)dap_petsc_field_describe(&a->field, text, sizeof text);
  EXPECT_MSG(words ? strstr(text, words) != NULL : !strstr(text, "of matrices"), "%s", text);
}

static void entries_are_the_stencil(void **state)
{
  (void)state;
  for (int i = 0; i < ROWS; i++) {
    const stencil_row *r = &rows[i];
    live a;
    TEST_CASE("%s", r->row.layout.why);
    if (live_open(&a, &r->row, DAP_READ_WRITE)) {
      EXPECT(a.field.shared_local && a.field.moved_bytes == 0);
      check_words(&a, r->words);
      if (r->type) EXPECT(!DMSetMatType(a.field.dm, r->type));
      stencil_check(a.field.dm, r->width, r->is_star, r->row.layout.why);
    }
    live_close(&a);
    SETTLE();
  }
}

/* If a program passes the DMDA to a later field, matrices keep their stencil, whether the form is kept or
 * not. */
static void a_dm_that_is_given_keeps_its_matrices(void **state)
{
  (void)state;
  live_row row = rows[PLANE].row;
  live a;
  live_open(&a, &row, DAP_READ_WRITE);
  row.options.dm = a.field.dm;
  EXPECT(!PetscObjectReference((PetscObject)row.options.dm));
  live_close(&a);
  for (int again = 0; again < 3; again++) {
    row.options.matrix_width = again == 1 ? 0 : 1; /* the options may repeat the stencil */
    row.options.matrix_star = again != 1;
    live_open(&a, &row, DAP_READ_WRITE);
    check_words(&a, rows[PLANE].words);
    EXPECT(a.field.dm == row.options.dm);
    stencil_check(a.field.dm, 1, true, "given");
    live_close(&a);
  }
  EXPECT(!DMDestroy(&row.options.dm));
  SETTLE();
}

/* Fields of one array with different matrices are of different forms. */
static void each_stencil_is_a_form_of_its_own(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    live_row row = rows[PLANE].row;
    live a;
    row.options.matrix_width = i % 2 ? 0 : 1;
    row.options.matrix_star = i < 2;
    live_open(&a, &row, DAP_READ_WRITE);
    stencil_check(a.field.dm, i % 2 ? 2 : 1, i < 2, "one after the other");
    live_close(&a);
  }
  SETTLE();
}

static void coarser_and_finer_grids_have_it(void **state)
{
  (void)state;
  const live_row wide = {{"wide", 2, {49, 17}, FIRST_AXIS, .halo = {2, 2}}, .options = {FIVE_POINTS}};
  live a;
  DM fine = NULL, coarse = NULL, again = NULL;
  if (live_open(&a, &wide, DAP_READ_WRITE)) {
    EXPECT(!DMRefine(a.field.dm, MPI_COMM_WORLD, &fine));
    stencil_check(fine, 1, true, "refined");
    EXPECT(!DMCoarsen(a.field.dm, MPI_COMM_WORLD, &coarse));
    stencil_check(coarse, 1, true, "coarsened");
    EXPECT(!DMRefine(coarse, MPI_COMM_WORLD, &again));
    stencil_check(again, 1, true, "coarsened and refined");
    EXPECT(!DMDestroy(&again) && !DMDestroy(&coarse) && !DMDestroy(&fine));
  }
  live_close(&a);
  SETTLE();
}

/* If a process is empty, the DMDA has other ranges than the array, and vectors are moved. */
static void moved_fields_have_it(void **state)
{
  (void)state;
  const live_row row = {{"an empty process", 2, {28, 9}, FIRST_AXIS, .cut = {CUT_HOLES}},
                        .options = {.width = 2, .matrix_width = 1, .matrix_star = true}};
  live a;
  if (live_open(&a, &row, DAP_READ_WRITE)) {
    EXPECT(a.field.shared_global == (test_nprocs() == 1));
    stencil_check(a.field.dm, 1, true, "with an empty process");
  }
  live_close(&a);
  SETTLE();
}

static char refusal[200]; /* the text of the last error that was not handed on */

static PetscErrorCode note_refusal(MPI_Comm comm, int line, const char *function, const char *file,
                                   PetscErrorCode code, PetscErrorType kind, const char *text, void *unused)
{
  (void)comm, (void)line, (void)function, (void)file, (void)unused;
  if (kind == PETSC_ERROR_INITIAL) (void)snprintf(refusal, sizeof refusal, "%s", text);
  return code;
}

/* Types of a DMDA's matrices. The option -mat_type overrides the DMDA's type, even if the DMDA's options have
 * a prefix. */
static const struct {
  const char *why;
  MatType type, option; /* option NULL: it is not set */
  bool works;
} typed[] = {
    {"the DMDA has MATIS", MATIS, NULL, false},
    {"the option replaces another type by MATIS", MATAIJ, MATIS, false},
    {"the option replaces MATIS", MATIS, MATAIJ, true},
    {"the option replaces a type that is refused by another one", MATSHELL, MATIS, false},
    {"both are possible", MATBAIJ, MATAIJ, true},
};

/* MATIS is refused, because each process keeps a matrix of its own points. It is refused before PETSc makes
 * it, because PETSc leaks a MATIS that it cannot make. */
static void types_without_such_entries_are_refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof typed / sizeof typed[0]; i++) {
    live a;
    Mat matrix = NULL;
    TEST_CASE("%s", typed[i].why);
    live_open(&a, &rows[PLANE].row, DAP_READ_WRITE);
    EXPECT(!DMSetMatType(a.field.dm, typed[i].type) && !DMSetOptionsPrefix(a.field.dm, "grid_"));
    if (typed[i].option) EXPECT(!PetscOptionsSetValue(NULL, "-mat_type", typed[i].option));
    refusal[0] = '\0';
    if (typed[i].works) {
      stencil_check(a.field.dm, 1, true, typed[i].why);
    } else {
      EXPECT(!PetscPushErrorHandler(note_refusal, NULL));
      EXPECT(DMCreateMatrix(a.field.dm, &matrix) != 0 && !matrix);
      EXPECT(!PetscPopErrorHandler());
      EXPECT_MSG(test_contains(refusal, "matrix_width|type is"), "%s", refusal);
    }
    if (typed[i].option) EXPECT(!PetscOptionsClearValue(NULL, "-mat_type"));
    EXPECT(!DMSetMatType(a.field.dm, MATAIJ));
    stencil_check(a.field.dm, 1, true, "afterwards");
    live_close(&a);
    SETTLE();
  }
}

/* A field of one line of the array is on one process only, with its DMDA. All processes get the same
 * status. */
static void some_processes_have_no_part(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const live_row row = {{"a line", 2, .size = {2 * n, 23}, .axes = FIRST_AXIS},
                        .naxes = 1,
                        .axes = {1},
                        .index = {2 * n - 1},
                        .options = {.width = 2, .matrix_width = 1}};
  dap_error err = {0};
  live a;
  live_make_row(&a, &row);
  for (int again = 0; again < 3; again++) { /* the last time another stencil than the DMDA's is requested */
    if (again == 2) a.options.matrix_width = 2;
    const dap_status status = live_get(&a, DAP_READ_WRITE, &err);
    expect_same_error(MPI_COMM_WORLD, status, &err, again < 2 ? DAP_OK : DAP_ERR_ARG,
                      again < 2 ? "" : "matrix_width is 2");
    EXPECT((a.field.dm != NULL) == (again < 2 && test_rank() == n - 1));
    if (a.field.dm) stencil_check(a.field.dm, 1, false, "a line");
    if (again == 0) a.options.dm = a.field.dm;
    if (again == 0 && a.options.dm) EXPECT(!PetscObjectReference((PetscObject)a.options.dm));
    live_restore(&a);
    SETTLE();
  }
  EXPECT(!DMDestroy(&a.options.dm));
  live_free(&a);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(entries_are_the_stencil),
    cmocka_unit_test(a_dm_that_is_given_keeps_its_matrices),
    cmocka_unit_test(each_stencil_is_a_form_of_its_own),
    cmocka_unit_test(coarser_and_finer_grids_have_it),
    cmocka_unit_test(moved_fields_have_it),
    cmocka_unit_test(types_without_such_entries_are_refused),
    cmocka_unit_test(some_processes_have_no_part),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
