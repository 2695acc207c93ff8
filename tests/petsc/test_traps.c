/* Programs that call PETSc themselves meet some traps, and the adapter must avoid them: vectors that do not
 * know their DM, remembered norms, ranges narrower than the stencil, periods on one process, and several
 * builds of PETSc. Local vectors of a wrong size are in test_field.c. */
#include "live.h"

#include <petscsnes.h>

/* ---- trap 2: a wrapped vector that does not know its DM ---------------------------------------------- */

enum { COLUMNS = 7 };

/* The problem is 4 u - (sum of the neighbours of u) + u^3 = b, with zeros around, and b such that this is
 * its solution. */
static PetscScalar solution(PetscInt i, PetscInt j)
{
  return 1 + (PetscReal)((3 * i + 2 * j) % 5) / 10;
}

/* The grid, and whether x is the first axis. */
typedef struct problem {
  DM dm;
  PetscInt rows;
  bool x_first;
} problem;

static PetscScalar solution_at(const problem *p, PetscInt x, PetscInt y)
{
  const PetscInt i = p->x_first ? x : y, j = p->x_first ? y : x;
  return i >= 0 && i < p->rows && j >= 0 && j < COLUMNS ? solution(i, j) : 0;
}

static PetscScalar operate(PetscScalar centre, const PetscScalar around[4])
{
  return 4 * centre + centre * centre * centre - around[0] - around[1] - around[2] - around[3];
}

static PetscErrorCode residual(SNES solver, Vec u, Vec f, void *context)
{
  static const PetscInt dx[4] = {-1, 1, 0, 0}, dy[4] = {0, 0, -1, 1};
  const problem *p = context;
  DMDALocalInfo info;
  Vec local;
  PetscScalar **from, **to;
  (void)solver;
  PetscCall(DMDAGetLocalInfo(p->dm, &info));
  PetscCall(DMGetLocalVector(p->dm, &local));
  PetscCall(DMGlobalToLocal(p->dm, u, INSERT_VALUES, local));
  PetscCall(DMDAVecGetArrayRead(p->dm, local, &from));
  PetscCall(DMDAVecGetArray(p->dm, f, &to));
  for (PetscInt y = info.ys; y < info.ys + info.ym; y++)
    for (PetscInt x = info.xs; x < info.xs + info.xm; x++) {
      PetscScalar around[4], wanted[4];
      for (int k = 0; k < 4; k++) {
        const PetscInt nx = x + dx[k], ny = y + dy[k];
        around[k] = nx >= 0 && nx < info.mx && ny >= 0 && ny < info.my ? from[ny][nx] : 0;
        wanted[k] = solution_at(p, nx, ny);
      }
      to[y][x] = operate(from[y][x], around) - operate(solution_at(p, x, y), wanted);
    }
  PetscCall(DMDAVecRestoreArray(p->dm, f, &to));
  PetscCall(DMDAVecRestoreArrayRead(p->dm, local, &from));
  return DMRestoreLocalVector(p->dm, &local);
}

static void set_zero(const live *a)
{
  LIVE_EACH(a, p) * (PetscScalar *)(void *)p.at = 0;
}

static void check_solution(const live *a)
{
  LIVE_EACH(a, p)
  {
    const PetscScalar found = *(PetscScalar *)(void *)p.at;
    const PetscScalar want = solution((PetscInt)p.walk.global[0], (PetscInt)p.walk.global[1]);
    EXPECT_MSG(PetscAbsScalar(found - want) < 1e-8, "unknown (%d %d) is %g, not %g", (int)p.walk.global[0],
               (int)p.walk.global[1], (double)PetscRealPart(found), (double)PetscRealPart(want));
  }
}

/* Solves. With `apart` the solver has no DM, and finds the colours by the matrix. */
static void solve(const dap_petsc_field *field, problem *p, bool apart, SNES *solver, Mat *jacobian)
{
  KSP linear = NULL;
  Vec f;
  DM dm = NULL;
  SNESConvergedReason why = 0;
  p->dm = field->dm;
  EXPECT(!VecGetDM(field->global, &dm) && dm == field->dm && !VecGetDM(field->local, &dm) && dm == field->dm);
  EXPECT(!SNESCreate(PetscObjectComm((PetscObject)field->dm), solver));
  if (!apart) EXPECT(!SNESSetDM(*solver, field->dm));
  EXPECT(!VecDuplicate(field->global, &f) && !SNESSetFunction(*solver, f, residual, p) && !VecDestroy(&f));
  EXPECT(!DMCreateMatrix(field->dm, jacobian));
  EXPECT(!SNESSetJacobian(*solver, *jacobian, *jacobian, SNESComputeJacobianDefaultColor, NULL));
  EXPECT(!SNESSetTolerances(*solver, 1e-13, 1e-13, 1e-13, 50, 5000) && !SNESGetKSP(*solver, &linear));
  EXPECT(!KSPSetTolerances(linear, 1e-10, 1e-14, 1e9, 500));
  EXPECT(!SNESSolve(*solver, NULL, field->global) && !SNESGetConvergedReason(*solver, &why));
  EXPECT_MSG(why > 0, "SNES: reason %d", (int)why);
}

/* The view ends first, then the buffer, then the solver, which still holds the vector and the DM. */
static void trap_2_coloured_jacobians_find_the_dm(void **state)
{
  (void)state;
  static const struct {
    const char *why;
    test_form form;
    int along;
    dap_sharing sharing;
    bool apart;
  } rows[] = {{"shared, C order", FORM_C, 0, DAP_SHARE_OR_FAIL, false},
              {"shared, F order", FORM_F, 1, DAP_SHARE_OR_FAIL, false},
              {"shared, a solver without a DM", FORM_C, 0, DAP_SHARE_OR_FAIL, true},
              {"a copy", FORM_C, 0, DAP_SHARE_NEVER, false}};
  for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
    const int procs = test_nprocs(), along = rows[r].along;
    const int64_t sizes[2] = {along == 0 ? 3 * procs : 9, COLUMNS};
    live a;
    dap_error err;
    SNES solver;
    Mat jacobian;
    problem p = {.rows = (PetscInt)sizes[0], .x_first = rows[r].form == FORM_F};
    TEST_CASE("%s", rows[r].why);
    const dap_dist dists[] = {dap_dist_padded(sizes[0], along == 0 ? procs : 1, along == 0),
                              dap_dist_padded(sizes[1], along == 1 ? procs : 1, along == 1)};
    live_make_cut(&a, 2, dists, rows[r].form);
    set_zero(&a);
    a.options = (dap_petsc_field_options){.sharing = rows[r].sharing, .width = 1};
    if (!EXPECT_OK(live_get(&a, DAP_READ_WRITE, &err), &err)) return;
    EXPECT(a.field.shared_global == (rows[r].sharing != DAP_SHARE_NEVER));
    solve(&a.field, &p, rows[r].apart, &solver, &jacobian);
    Vec kept = a.field.global;
    EXPECT(!PetscObjectReference((PetscObject)kept));
    EXPECT_OK(dap_petsc_field_restore(&a.field, &err), &err);
    check_solution(&a);
    live_free(&a);
    EXPECT(!MatDestroy(&jacobian) && !SNESDestroy(&solver) && !VecDestroy(&kept));
    SETTLE();
  }
}

/* ---- trap 3: norms are remembered -------------------------------------------------------------------- */

enum { NORMS = 2 }; /* NORM_1 and NORM_FROBENIUS */

/* Computes the norms of all elements by hand. */
static void known_norms(int64_t count, PetscReal known[NORMS])
{
  PetscReal squares = 0;
  known[0] = 0;
  for (int64_t i = 0; i < count; i++) {
    PetscScalar value;
    value_of(scalar_dtype(), i, &value);
    const PetscReal size = PetscAbsScalar(value);
    known[0] += size;
    squares += size * size;
  }
  known[1] = PetscSqrtReal(squares);
}

/* Multiplies every position of the buffer. */
static void scale(const live *a, PetscReal factor)
{
  LIVE_EACH(a, p) * (PetscScalar *)(void *)p.at *= factor;
}

static PetscReal known_of(const any_view *v, const PetscReal known[NORMS])
{
  return v->kind == MATRIX ? known[1] : known[0];
}

static PetscReal norm_now(const any_view *v)
{
  PetscReal norm = 0;
  Vec vec = v->kind == FIELD ? v->field.global : v->vector.vec;
  EXPECT(v->kind == MATRIX ? !MatNorm(v->matrix.mat, NORM_FROBENIUS, &norm) : !VecNorm(vec, NORM_1, &norm));
  return norm;
}

static void times_three(const any_view *v)
{
  Vec vec = v->kind == FIELD ? v->field.global : v->vector.vec;
  EXPECT(v->kind == MATRIX ? !MatScale(v->matrix.mat, 3) : !VecScale(vec, 3));
}

/* Norms must be right at first and after writes: by PETSc, to the buffer of a live view, and between two
 * views. Shared global and local vectors are in the same memory. */
static void trap_3_norms_are_remembered(void **state)
{
  (void)state;
  static const struct {
    any_kind kind;
    dap_sharing sharing;
    dap_petsc_form form;
    bool shared;
  } rows[] = {{FIELD, DAP_SHARE_OR_FAIL, 0, true},
              {FIELD, DAP_SHARE_NEVER, 0, false},
              {VECTOR, DAP_SHARE_OR_FAIL, 0, true},
              {VECTOR, DAP_SHARE_NEVER, 0, false},
              {MATRIX, DAP_SHARE_OR_FAIL, DAP_PETSC_ANY, true},
              {MATRIX, DAP_SHARE_NEVER, DAP_PETSC_DENSE, false},
              {MATRIX, DAP_SHARE_IF_POSSIBLE, DAP_PETSC_SCALAPACK, false}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    live a;
    dap_error err;
    PetscReal known[NORMS], factor = 1;
    any_view v = {.kind = rows[i].kind, .of_matrix = {.form = rows[i].form}};
    any_share(&v, rows[i].sharing);
    TEST_CASE("%s, sharing %d, form %d", any_names[v.kind], rows[i].sharing, rows[i].form);
    const int64_t n = 12 * test_nprocs();
    const dap_dist dists[] = {dap_dist_padded(n, test_nprocs(), 1), dap_dist_even(n, 1)};
    live_make_cut(&a, 2, dists, v.kind == MATRIX ? FORM_F : FORM_C);
    known_norms(dap_layout_count(a.layout), known);
    for (int round = 0; round < 9; round++, factor *= 3) {
      if (round % 3 == 0)
        EXPECT_OK(any_get(MPI_COMM_WORLD, &v, (dap_darray){a.layout, &a.array}, DAP_READ_WRITE, &err), &err);
      EXPECT(any_is_shared(&v) == rows[i].shared);
      if (round == 0) EXPECT_OK(any_do(&v, HALO, &err), &err); /* padding is poison until now */
      if (round == 0) EXPECT_OK(any_do(&v, LOAD, &err), &err);
      const PetscReal now = norm_now(&v), want = factor * known_of(&v, known);
      EXPECT_MSG(PetscAbsReal(now - want) <= (PetscReal)1e-5 * now && now > 0, "round %d: norm %g, not %g",
                 round, (double)now, (double)want);
      if (v.kind == FIELD && round % 3 != 1) live_check_norm(v.field.local); /* 1: PETSc wrote the other */
      if (round % 3 == 0) times_three(&v);
      if (round % 3 == 1) EXPECT_OK(any_do(&v, STORE, &err), &err);
      if (round % 3 == 2) EXPECT_OK(any_do(&v, RESTORE, &err), &err);
      if (round % 3 > 0) scale(&a, 3);
      if (round % 3 == 1) EXPECT_OK(any_do(&v, LOAD, &err), &err);
    }
    live_free(&a);
    SETTLE();
  }
}

/* ---- trap 4: one range is narrower than the stencil -------------------------------------------------- */

/* PETSc would raise this error on one process only, and the others would wait for it. */
static void trap_4_one_narrow_range_is_everybodys(void **state)
{
  (void)state;
  enum { WIDTH = 2, MOST = 32 };
  const int procs = test_nprocs();
  if (procs == 1 || procs > MOST) return;
  for (int narrow = 0; narrow < procs; narrow++) {
    live a;
    dap_error err;
    int64_t lengths[MOST], size = 0;
    char place[64];
    for (int c = 0; c < procs; c++) size += lengths[c] = c == narrow ? WIDTH - 1 : WIDTH + 2;
    TEST_CASE("process %d", narrow);
    (void)snprintf(place, sizeof place, "axis 0: proc_grid_rank %d has 1 of %d", narrow, (int)size);
    const dap_dist dists[] = {dap_dist_lengths(size, procs, lengths), dap_dist_even(5, 1)};
    live_make_cut(&a, 2, dists, FORM_C);
    a.options = (dap_petsc_field_options){.width = WIDTH, .sharing = DAP_SHARE_OR_FAIL};
    expect_same_error(MPI_COMM_WORLD, live_get(&a, DAP_READ_WRITE, &err), &err, DAP_ERR_SHARE, place);
    a.options.sharing = DAP_SHARE_IF_POSSIBLE;
    EXPECT_OK(live_get(&a, DAP_READ_WRITE, &err), &err);
    EXPECT(!a.field.shared_local && !a.field.shared_global);
    EXPECT_MSG(strstr(a.field.reason_local, place) && strstr(a.field.reason_local, "stencil width 2"), "%s",
               a.field.reason_local);
    EXPECT_MSG(strcmp(a.field.reason_local, a.field.reason_global) == 0, "%s", a.field.reason_global);
    PetscInt width = 0, n = 0;
    EXPECT(!DMDAGetStencilWidth(a.field.dm, &width) &&
           !DMDAGetCorners(a.field.dm, NULL, NULL, NULL, NULL, &n, NULL));
    EXPECT_INT(width, WIDTH);
    EXPECT(n >= WIDTH);
    EXPECT(!VecScale(a.field.global, 1));
    EXPECT_OK(dap_petsc_field_restore(&a.field, &err), &err);
    check_global(a.layout, test_rank(), &a.array, PADDING_FILLED);
    live_free(&a);
    SETTLE();
  }
}

/* ---- trap 5: a local vector's points go nowhere ------------------------------------------------------- */

/* On one process, PETSc 3.18 cannot insert local points if a direction is periodic and has ghost points. The
 * adapter takes them from the buffer, or uses a plan. */
static void trap_5_local_points_of_a_period(void **state)
{
  (void)state;
  for (int copy = 0; copy < 2; copy++) {
    static const live_row ring = {.layout = {"a ring", 1, {12}, .halo = {1}, .wraps = {true}}};
    live a;
    TEST_CASE(copy ? "a copy" : "shared");
    live_make_row(&a, &ring);
    a.options.sharing = copy ? DAP_SHARE_NEVER : DAP_SHARE_OR_FAIL;
    if (live_begin(&a, &ring, DAP_READ_WRITE, DAP_PETSC_LOCAL))
      live_finish(&a, DAP_READ_WRITE, DAP_PETSC_LOCAL);
    live_free(&a);
    SETTLE();
  }
}

/* ---- trap 9: builds of PETSc beside each other ------------------------------------------------------- */

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

/* The headers, the loaded library and the adapter must be of the same build. */
static void trap_9_one_build_of_petsc(void **state)
{
  (void)state;
  static const char name[] = TEXT(dap_petsc_field_get);
  size_t scalar = 0, integer = 0;
  EXPECT(!PetscDataTypeGetSize(PETSC_SCALAR, &scalar) && !PetscDataTypeGetSize(PETSC_INT, &integer));
  EXPECT_INT(scalar, sizeof(PetscScalar));
  EXPECT_INT(integer, sizeof(PetscInt));
  EXPECT_MSG((strstr(name, "petsc64") != NULL) == (integer == 8), "%s, %zu bytes", name, integer);
  EXPECT_MSG((strstr(name, "complex") != NULL) == (scalar == 2 * sizeof(PetscReal)), "%s, %zu bytes", name,
             scalar);
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(petsc_starts),
    cmocka_unit_test(trap_2_coloured_jacobians_find_the_dm),
    cmocka_unit_test(trap_3_norms_are_remembered),
    cmocka_unit_test(trap_4_one_narrow_range_is_everybodys),
    cmocka_unit_test(trap_5_local_points_of_a_period),
    cmocka_unit_test(trap_9_one_build_of_petsc),
    cmocka_unit_test(petsc_ends),
};

MPI_TEST_MAIN(tests)
